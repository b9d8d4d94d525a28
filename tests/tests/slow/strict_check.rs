//! mcp-strict-check, which holds tools against the documentation of three vendors, finds nothing in the definitions of the dialects
//! for them. What it finds in definitions of another dialect is what lowering removes.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use toolc_codegen::compile;
use toolc_codegen::dialects;
use toolc_codegen::lower::definition;
use toolc_codegen::source::Sources;
use toolc_test_support::packages;

use crate::python::in_tests;

const CHECKER: &str = "mcp-strict-check==0.1.0\n";
const PROJECTS: [&str; 2] = ["projects/golden", ".."];

/// Returns the definitions of a project in a dialect, as a list of MCP. In strict dialects, only of strict tools.
fn listed(project: &str, dialect: &str) -> Vec<Value> {
    let sources = Sources::scan(&in_tests(project)).expect("the project can be read");
    let catalog = compile(&sources).catalog.expect("the tools compile");
    let dialect = dialects::find(dialect).expect("there is such a dialect");
    let in_list = |json: Value| {
        if dialect.name == "mcp" {
            return Some(json);
        }
        let function = json.get("function").unwrap_or(&json);
        let schema = function.get("parameters").or(function.get("input_schema"))?;
        let tool = json!({"name": function["name"], "description": function["description"], "inputSchema": schema});
        (dialect.lenient.is_none() || function["strict"] == true).then_some(tool)
    };
    let definition = |tool| {
        let definition = definition(dialect, &catalog, tool).definition?;
        in_list(catalog.full_turn_values(tool).value(&definition))
    };
    catalog.tools().filter_map(|(_, tool)| definition(tool)).collect()
}

/// Returns what is found on an axis: the code of the axis, the code of the rule, and the tool. Losses of which the dialect itself
/// speaks in words are left out.
fn found(tools: &[Value], axis: &str) -> Option<BTreeSet<(String, String, String)>> {
    let python = packages::python("mcp-strict-check", CHECKER);
    let python = python.map_err(|why| packages::missing("no mcp-strict-check", &why)).ok()?;
    let file = tempfile::Builder::new().suffix(".json").tempfile().expect("there is a folder for temporary files");
    fs::write(file.path(), json!(tools).to_string()).expect("the file is writable");
    let mut command = Command::new(python.with_file_name("mcp-strict-check"));
    command.args(["--json", "--exit-zero", "--axis", axis, "--tools"]).arg(file.path());
    let report = packages::run(&mut command).unwrap_or_else(|why| panic!("{why}"));
    let report: Value = serde_json::from_str(&report).unwrap_or_else(|error| panic!("{error}: {report}"));
    assert_eq!(report["n_tools"], tools.len(), "it read all tools");
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let findings = report["findings"].as_array().expect("a list").iter();
    let refusals = findings.filter(|finding| finding["severity"] != "silent-loss");
    Some(refusals.map(|finding| (text(finding, "axis"), text(finding, "code"), text(finding, "tool"))).collect())
}

#[test]
fn no_definition_of_a_strict_dialect_is_refused_by_its_vendor() {
    for project in PROJECTS {
        for (dialect, axis) in [("openai-strict", "openai"), ("anthropic-strict", "anthropic")] {
            let tools = listed(project, dialect);
            assert!(tools.len() > 10, "{project} {dialect}: {}", tools.len());
            let Some(mut refusals) = found(&tools, axis) else { return };
            // Limits of a request with all tools, which the rule `anthropic-strict-budget` reports.
            refusals.retain(|(of, ..)| of != "CL");
            assert_eq!(refusals, BTreeSet::new(), "{project} {dialect}");
        }
        // Lowering has something to do: the schemas of the manifests would be refused.
        let tools = listed(project, "mcp");
        for axis in ["openai", "anthropic"] {
            let Some(refusals) = found(&tools, axis) else { return };
            assert!(!refusals.is_empty(), "{project} {axis}");
        }
    }
}

/// Since 2026-07-28, a result may be any value. The checker knows the revision of 2025-06-18.
#[test]
fn mcp_definitions_differ_from_an_older_revision_only_in_results_that_are_not_objects() {
    for project in PROJECTS {
        let tools = listed(project, "mcp");
        let Some(refusals) = found(&tools, "mcp") else { return };
        let has_other_result =
            |tool: &&Value| tool.get("outputSchema").is_some_and(|schema| schema["type"] != "object");
        let name = |tool: &Value| tool["name"].as_str().expect("a name").to_owned();
        let expected: BTreeSet<_> = tools.iter().filter(has_other_result).map(name).collect();
        let expected: BTreeSet<_> =
            expected.into_iter().map(|tool| ("A".to_owned(), "A6-outputSchema-type".to_owned(), tool)).collect();
        assert_eq!(refusals, expected, "{project}");
    }
}
