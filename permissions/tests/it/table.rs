//! The cases of `calls.txt`.

use std::sync::Arc;

use serde_json::Value;
use toolc::behaviour::{Approval, Behaviour};
use toolc_permissions::{PermissionFile, PermissionSet, Trust};

/// The toolsets of the tools in the cases. Others have none, or that of the server in their name.
const TOOLSETS: &[(&str, &str)] = &[
    ("read_file", "file"),
    ("write_file", "file"),
    ("search_files", "file"),
    ("patch", "file"),
    ("terminal", "terminal"),
    ("memory", "memory"),
];

/// Splits a line such as `deny(rule) TOOL@environment+read_only {"a": 1}`.
fn run(rules: &Arc<PermissionSet>, line: &str) -> Result<(), String> {
    let (expected, rest) = line.split_once(' ').ok_or("no tool")?;
    let (named, arguments) = rest.split_once(' ').unwrap_or((rest, "{}"));
    let arguments: Value = serde_json::from_str(arguments).map_err(|error| error.to_string())?;
    let mut behaviour = Behaviour::DEFAULT;
    let mut parts = named.split('+');
    let (name, environment) = match parts.next().unwrap_or_default().split_once('@') {
        Some((name, environment)) => (name, Some(environment)),
        None => (named.split('+').next().unwrap_or_default(), None),
    };
    for part in parts {
        match part {
            "read_only" => behaviour.annotations = behaviour.annotations.with_read_only(true),
            "closed_world" => behaviour.annotations = behaviour.annotations.with_open_world(false),
            "idempotent" => behaviour.annotations = behaviour.annotations.with_idempotent(true),
            "approval" => behaviour.approval = Approval::ALWAYS,
            other => return Err(format!("unknown effect {other}")),
        }
    }
    let of_server =
        name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")).map(|(server, _)| format!("mcp-{server}"));
    let known = TOOLSETS.iter().find(|(tool, _)| *tool == name).map(|(_, toolset)| (*toolset).to_owned());
    let toolset = of_server.or(known).unwrap_or_default();
    let found = super::judge(rules, &super::tool(name, &toolset, behaviour), environment, &arguments);
    let deciding: Vec<&str> = found.rules.iter().map(toolc_permissions::Permission::name).collect();
    let shown = format!("{}({})", super::word(found.verdict), deciding.join(","));
    if shown == expected { Ok(()) } else { Err(format!("expected {expected}, got {shown}")) }
}

#[test]
fn every_call_of_the_table_has_the_expected_verdict() {
    let (mut calls, mut count, mut wrong) = (0, 0, Vec::new());
    for section in include_str!("../calls.txt").split("\n===").skip(1) {
        let (title, section) = section.split_once('\n').expect("a section has a title");
        let (text, lines) = section.split_once("\n---\n").unwrap_or_else(|| panic!("{title}: no calls"));
        let file = PermissionFile::read(title.trim(), text, Trust::Home).unwrap_or_else(|error| panic!("{error}"));
        count += file.rules().len();
        let rules = Arc::new(PermissionSet::new([&file]));
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            calls += 1;
            if let Err(error) = run(&rules, line) {
                wrong.push(format!("{title}: {line}: {error}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(calls >= 200 && count >= 40, "{count} rules and {calls} calls");
}
