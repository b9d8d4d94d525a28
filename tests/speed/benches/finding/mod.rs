//! Tool search: the time to find a tool among 10,000, and to call a tool that is not listed.

use std::hint::black_box;
use std::time::Duration;

use serde_json::{Value, json};
use toolc::search::ToolSearch;
use toolc::{Dialect, DynamicTool, DynamicTools, Registry, ToolOutput, Turn};
use toolc_tests::synth;

use crate::harness::Timing;
use crate::{RIGHT, compare, floor, ours};

const TOOLS: usize = 10_000;
/// A query with words that occur in the texts of many tools, and words that occur in few.
const QUERY: &str = "archive overdue invoices of the billing service";

/// Compares a search with a scan of all texts for the query's first words.
pub(crate) fn search(budget: Duration) -> Vec<Timing> {
    let texts: Vec<(String, String)> =
        synth::project(TOOLS, 1).into_iter().filter_map(|(_, text)| said(&text)).collect();
    assert_eq!(texts.len(), TOOLS);
    let schema = json!({"type": "object", "properties": {}});
    let tool = |(name, description): &(String, String)| {
        DynamicTool::sync(name.clone(), description.clone(), schema.clone(), |_: Value, _| Ok(ToolOutput::text("")))
    };
    let registry = Registry::new();
    let tools = DynamicTools::new().tools(texts.iter().map(tool)).build().expect("they are right");
    registry.add(tools).expect("an empty registry takes every provider");
    let turn = ours::turn(&registry);
    let found = turn.search(QUERY, 5);
    assert!(found.len() == 5 && found.iter().all(|hit| hit.tool.contains("invoices")), "{found:?}");
    let look = || texts.iter().filter(|(_, text)| text.contains("overdue invoices")).count();
    compare(budget, || black_box(&turn).search(black_box(QUERY), 5).len(), look)
}

/// Compares a call through `tool_call` with a direct call.
pub(crate) fn bridged(budget: Duration) -> Vec<Timing> {
    let registry = ours::registry();
    registry.add(Box::new(ours::Listed::at_run_time(960))).expect("these names are free");
    let direct = ours::turn(&registry);
    let session =
        registry.session().tool_search(ToolSearch::with_threshold(0)).build().expect("everything can be enabled");
    let turn: Turn = session.turn_blocking(Dialect::OpenAi);
    assert_eq!((turn.deferred().count(), direct.tools().count()), (1_000, 1_000));
    let arguments = format!(r#"{{"calls":[{{"name":"trivial","arguments":{RIGHT}}}]}}"#);
    let expected = floor::call("trivial", RIGHT).expect("right arguments");
    assert_eq!(ours::call(&turn, "tool_call", &arguments).json, expected);
    compare(
        budget,
        || ours::call(black_box(&turn), black_box("tool_call"), black_box(&arguments)),
        || ours::call(black_box(&direct), black_box("trivial"), black_box(RIGHT)),
    )
}

/// Returns the name and the description in a tool's manifest.
fn said(manifest: &str) -> Option<(String, String)> {
    let value = |key: &str| {
        let line = manifest.lines().find_map(|line| line.strip_prefix(key))?;
        Some(line.strip_prefix(" = \"")?.strip_suffix('"')?.to_owned())
    };
    manifest.contains("\ntoolset = ").then(|| Some((value("name")?, value("description")?)))?
}
