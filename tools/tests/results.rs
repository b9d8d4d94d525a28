//! Long results of the shipped tools: `read_file` is never shortened, and reads what is kept of others.

use std::sync::Arc;

use serde_json::{Value, json};
use toolc::{Dialect, Registry, ResultLimits, SpillFolder, ToolCall, Turn};
use toolc_tools::Handlers;

fn turn(folder: &tempfile::TempDir) -> Turn {
    let registry = Registry::new();
    registry.add(toolc_catalog::provider(Handlers::new().in_dir(folder.path()))).expect("the names are unique");
    let spill = SpillFolder::new(folder.path().join(".results")).expect("failed to make a folder");
    let limits = ResultLimits { per_call: 2_000, ..ResultLimits::default() };
    let session = registry.session().spill(Arc::new(spill)).result_limits(limits).build();
    session.expect("everything can be enabled").turn(Dialect::OpenAi)
}

fn call(turn: &Turn, tool: &str, arguments: &Value) -> Value {
    let answer = pollster::block_on(turn.call(&ToolCall::new(tool, &arguments.to_string())));
    assert!(!answer.is_error(), "{}", answer.json);
    serde_json::from_str(&answer.json).expect("an answer is JSON")
}

#[test]
fn what_is_kept_can_be_read_and_reading_is_never_cut() {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    // Every character takes six in JSON, as long as that: more than any limit but its own.
    let line = format!("{}\n", "\u{1}".repeat(1_900));
    std::fs::write(folder.path().join("long.txt"), line.repeat(60)).expect("failed to write");
    let turn = turn(&folder);
    let read = call(&turn, "read_file", &json!({ "path": "long.txt" }));
    assert!(
        read["content"].as_str().is_some_and(|text| text.chars().count() > 90_000),
        "it is whole as far as it goes"
    );
    assert!(read.to_string().len() > 500_000 && read.get("file").is_none());

    for number in 0..90 {
        std::fs::write(folder.path().join(format!("a-file-with-a-long-name-{number:03}.md")), "x")
            .expect("failed to write");
    }
    let found = call(&turn, "search_files", &json!({ "pattern": "*.md", "target": "files", "limit": 90 }));
    assert_eq!(found["truncated"], true);
    let (mut kept, mut offset) = (String::new(), 1);
    loop {
        let part = call(&turn, "read_file", &json!({ "path": found["file"], "offset": offset, "limit": 20 }));
        kept.push_str(part["content"].as_str().expect("text"));
        offset += 20;
        if part["truncated"] == false {
            break;
        }
    }
    assert!((0..90).all(|number| kept.contains(&format!("name-{number:03}.md"))), "{kept}");
}
