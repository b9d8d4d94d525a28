//! The cases of `calls/`, whose format its README describes.

use std::fs;
use std::path::Path;
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
    ("web_search", "web"),
    ("web_extract", "web"),
    ("browser_click", "browser"),
];

/// Returns the text of a file with the rules of the user, or with those of the project.
fn rules(text: &str, of_project: bool) -> String {
    let mut is_wanted = false;
    let mut file = String::new();
    for line in text.lines() {
        let own = line.strip_prefix("project ");
        match own.unwrap_or(line).split_once(' ') {
            Some((verdict @ ("allow" | "ask" | "deny"), name)) => {
                is_wanted = own.is_some() == of_project;
                if is_wanted {
                    file +=
                        &format!("[[permissions]]\nname = \"{name}\"\nverdict = \"{verdict}\"\ndescription = \"D.\"\n");
                }
            }
            _ if is_wanted => file += &format!("{line}\n"),
            _ => {}
        }
    }
    file
}

/// Judges a call such as `deny(rule) TOOL@environment+read_only {"a": 1}`.
fn run(rules: &Arc<PermissionSet>, line: &str) -> Result<(), String> {
    let (expected, rest) = line.split_once(' ').ok_or("no tool")?;
    let (named, arguments) = rest.split_once(' ').unwrap_or((rest, "{}"));
    let arguments: Value = serde_json::from_str(arguments).map_err(|error| error.to_string())?;
    let mut behaviour = Behaviour::DEFAULT;
    let mut parts = named.split('+');
    let first = parts.next().unwrap_or_default();
    let (name, environment) = match first.split_once('@') {
        Some((name, environment)) => (name, Some(environment)),
        None => (first, None),
    };
    for part in parts {
        match part {
            "read_only" => behaviour.annotations = behaviour.annotations.with_read_only(true),
            "not_destructive" => behaviour.annotations = behaviour.annotations.with_destructive(false),
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

/// Rules with their calls.
pub(crate) struct Section {
    pub(crate) title: String,
    /// The rules of the user, and those of the project.
    pub(crate) rules: [String; 2],
    calls: Vec<String>,
}

/// Returns the sections of all files.
pub(crate) fn sections() -> Vec<Section> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/calls");
    let paths = fs::read_dir(folder).expect("the folder exists").map(|entry| entry.expect("it can be read").path());
    let mut sections = Vec::new();
    for path in paths.filter(|path| path.extension().is_some_and(|extension| extension == "txt")) {
        let text = format!("\n{}", fs::read_to_string(&path).expect("it can be read"));
        for section in text.split("\n=== ").skip(1) {
            let (title, section) = section.split_once('\n').expect("a section has a title");
            let (text, calls) = section.split_once("\n---\n").unwrap_or_else(|| panic!("{title}: no calls"));
            sections.push(Section {
                title: title.to_owned(),
                rules: [false, true].map(|of_project| rules(text, of_project)),
                calls: calls.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect(),
            });
        }
    }
    sections
}

#[test]
fn every_call_of_the_table_has_the_expected_verdict() {
    let (mut calls, mut count, mut wrong) = (0, 0, Vec::new());
    for Section { title, rules: [user, project], calls: lines } in sections() {
        let read =
            |text: &str, trust| PermissionFile::read(&title, text, trust).unwrap_or_else(|error| panic!("{error}"));
        let files = [read(&user, Trust::Home), read(&project, Trust::Project)];
        count += files.iter().map(|file| file.rules().len()).sum::<usize>();
        let rules = Arc::new(PermissionSet::new(&files));
        for line in lines {
            calls += 1;
            if let Err(error) = run(&rules, &line) {
                wrong.push(format!("{title}: {line}: {error}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(calls >= 800 && count >= 240, "{count} rules and {calls} calls");
}
