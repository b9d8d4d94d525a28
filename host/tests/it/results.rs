//! Long results of the shipped tools: results of `read_file` are never shortened, and `read_file` reads stored results.

use std::sync::Arc;

use toolc::limits::{ResultLimits, SpillFolder};
use toolc::testing::{Harness, json};

fn harness(folder: &tempfile::TempDir) -> Harness {
    let spill = SpillFolder::new(folder.path().join(".results")).expect("failed to make a folder");
    let limits = ResultLimits::default().with_per_call(2_000);
    Harness::with_session(toolc_host::shipped_tools_in(folder.path()), |session| {
        session.spill_store(Arc::new(spill)).spill_reader("read_file").result_limits(limits)
    })
}

#[test]
fn stored_results_can_be_read_and_results_of_read_file_are_not_shortened() {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    // Every character takes six in JSON, so the result exceeds every limit except the tool's own.
    let line = format!("{}\n", "\u{1}".repeat(1_900));
    std::fs::write(folder.path().join("long.txt"), line.repeat(60)).expect("failed to write");
    let harness = harness(&folder);
    let read = harness.call("read_file", json!({ "path": "long.txt" })).value();
    assert!(read["content"].as_str().is_some_and(|text| text.chars().count() > 90_000), "the page is complete");
    assert!(read.to_string().len() > 500_000 && read.get("file").is_none());

    for number in 0..90 {
        std::fs::write(folder.path().join(format!("a-file-with-a-long-name-{number:03}.md")), "x")
            .expect("failed to write");
    }
    let found = harness.call("search_files", json!({ "pattern": "*.md", "target": "files", "limit": 90 })).value();
    assert_eq!(found["truncated"], true);
    let (mut stored, mut offset) = (String::new(), 1);
    loop {
        let part = harness.call("read_file", json!({ "path": found["file"], "offset": offset, "limit": 20 })).value();
        stored.push_str(part["content"].as_str().expect("text"));
        offset += 20;
        if part["truncated"] == false {
            break;
        }
    }
    assert!((0..90).all(|number| stored.contains(&format!("name-{number:03}.md"))), "{stored}");
}
