//! A registry of 10,000 tools, half of which are added at run time: the cost of a change, and of a turn with all of them.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolc::availability::Requirement;
use toolc::schema::Table;
use toolc::{
    Call, Dialect, DynamicTool, DynamicTools, Env, Registry, Session, Tool, ToolOutput, ToolProvider, Toolset, Turn,
};

use crate::handler;
use crate::harness::{Timing, rounds, side};
use crate::ours::Listed;
use crate::{compare, copy};

/// The number of tools.
const TOOLS: usize = 10_000;
/// The number of home toolsets of each half.
const HOMES: usize = 100;

/// Measures a turn of an existing session to which nothing has changed.
pub(crate) fn unchanged(budget: Duration) -> Vec<Timing> {
    let session = session(&registry());
    assert_eq!(turn(&session).tools().count(), TOOLS - TOOLS / 10);
    rounds(budget, &mut [side(|| session.turn_blocking(Dialect::OpenAi).definitions().len())])
}

/// Measures a new session and its first turn, which resolves the toolsets, filters the tools and writes the definitions.
pub(crate) fn fresh(budget: Duration) -> Vec<Timing> {
    let registry = registry();
    let text = turn(&session(&registry)).definitions().to_owned();
    compare(budget, || turn(&session(&registry)), || copy(&text))
}

/// Measures a turn of an existing session after a tool was replaced, so that it looks up all names again.
pub(crate) fn changed(budget: Duration) -> Vec<Timing> {
    let registry = registry();
    let (session, id) = (session(&registry), registry.add(provider(dynamic(TOOLS))).expect("the name is free"));
    let text = turn(&session).definitions().to_owned();
    let change = || {
        registry.replace(id, provider(dynamic(TOOLS))).expect("the name is free once the old tool is removed");
        turn(&session)
    };
    compare(budget, change, || copy(&text))
}

/// Compares adding and removing a tool in a registry of 10,000 tools and in an empty one.
pub(crate) fn one_more(budget: Duration) -> Vec<Timing> {
    let (many, none) = (registry(), Registry::new());
    let change = |registry: &Registry| {
        let id = registry.add(provider(dynamic(TOOLS))).expect("the name is free");
        registry.remove(id)
    };
    compare(budget, || change(&many), || change(&none))
}

/// Compares adding 10,000 tools one at a time and together.
pub(crate) fn all(budget: Duration) -> Vec<Timing> {
    let one_by_one = || {
        let registry = Registry::new();
        for index in 0..TOOLS {
            registry.add(provider(dynamic(index))).expect("the name is free");
        }
        registry.tools().len()
    };
    let together = || {
        let registry = Registry::new();
        let tools = DynamicTools::new().tools((0..TOOLS).map(dynamic));
        registry.add(tools.build().expect("the tools are valid")).expect("the names are free");
        registry.tools().len()
    };
    assert_eq!((one_by_one(), together()), (TOOLS, TOOLS));
    compare(budget, one_by_one, together)
}

fn turn(session: &Session) -> Turn {
    session.turn_blocking(Dialect::OpenAi)
}

/// Returns a session with all toolsets. A tenth of the tools is hidden, because their variable is not set.
fn session(registry: &Registry) -> Session {
    registry.session().enable(["everything"]).env(Env::empty()).build().expect("the toolset exists")
}

fn registry() -> Registry {
    let registry = Registry::new();
    registry.add(Box::new(compiled(TOOLS / 2))).expect("an empty registry takes every provider");
    for index in TOOLS / 2..TOOLS {
        registry.add(provider(dynamic(index))).expect("the name is free");
    }
    let includes = registry.toolsets();
    let everything = Toolset::new("everything").with_includes(includes);
    registry
        .add(DynamicTools::new().toolset(everything).build().expect("the toolset is valid"))
        .expect("the name is free");
    registry
}

fn name(index: usize) -> String {
    // The names of the two halves interleave.
    format!("{}_{index}", ["ask", "look", "view", "zoom"][index % 4])
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for."},
            "limit": {"type": "integer", "description": "How many results to return.", "default": 10},
        },
        "required": ["query"],
    })
}

fn needs(index: usize) -> Vec<Requirement> {
    let key = || Requirement::Env(vec!["LIVING_KEY".into()]);
    index.is_multiple_of(10).then(key).into_iter().collect()
}

fn dynamic(index: usize) -> DynamicTool {
    let answer = |_, _: &Call<'_>| ToolOutput::json(&handler::Done::default());
    let tool = DynamicTool::sync(name(index), "Looks for what it is asked for, and tells.", schema(), answer);
    let tool = tool.toolset(format!("server_{}", index % HOMES));
    needs(index).into_iter().fold(tool, DynamicTool::requirement)
}

fn provider(tool: DynamicTool) -> Box<dyn ToolProvider> {
    tool.build().expect("the tool is valid")
}

/// Returns `count` tools with static texts, as in a generated catalog.
fn compiled(count: usize) -> Listed {
    let table = Arc::new(Table::from_schema(&schema()).expect("the schema is valid"));
    let leak = |text: String| Cow::Borrowed(text.leak());
    Listed::new((0..count).map(|index| {
        let function = json!({
            "name": name(index),
            "description": "Looks for what it is asked for, and tells.",
            "parameters": schema(),
        });
        let text = json!({"type": "function", "function": function}).to_string();
        let home = leak(format!("compiled_{}", index % HOMES));
        let mut tool = Tool::new(leak(name(index)), home).with_arguments(Arc::clone(&table));
        tool.requires = needs(index);
        (tool, Some(leak(text).into()))
    }))
}
