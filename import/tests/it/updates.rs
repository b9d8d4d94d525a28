//! A newer source, and edits of a person.

use serde_json::{Value, json};

use crate::project::Folder;

fn list(description: &str, minimum: i64) -> Value {
    json!([
        {
            "name": "find", "description": description,
            "inputSchema": { "type": "object", "properties": { "n": { "type": "integer", "minimum": minimum } } },
        },
        { "name": "other", "description": "Another tool.", "inputSchema": { "type": "object" } },
    ])
}

const FIND: &str = "manifests/tools/find.toml";

#[test]
fn a_changed_source_is_reported_by_check_and_taken_by_update() {
    let folder = Folder::new();
    folder.import(&list("Finds it.", 1), &[]).expect("it is imported");
    assert!(folder.import(&list("Finds it.", 1), &["--check"]).expect("it is checked").1);
    let before = folder.files();
    let (report, is_same) = folder.import(&list("Finds it.", 2), &["--check"]).expect("it is checked");
    assert!(
        !is_same && report.contains("find") && report.contains("minimum = 2") && !report.contains("other"),
        "{report}"
    );
    let (report, is_complete) = folder.import(&list("Finds it.", 2), &[]).expect("it is read");
    assert!(!is_complete && report.contains("--update"), "{report}");
    assert_eq!(folder.files(), before, "nothing is replaced without --update");
    let (report, is_complete) = folder.import(&list("Finds it.", 2), &["--update"]).expect("it is updated");
    assert!(is_complete && report.contains("changed: manifests/tools/find.toml"), "{report}");
    assert!(folder.read(FIND).contains("minimum = 2"));
    assert!(folder.import(&list("Finds it.", 2), &["--check"]).expect("it is checked").1);
}

#[test]
fn edits_are_kept_and_conflicts_name_both_sides() {
    let folder = Folder::new();
    folder.import(&list("Finds it.", 1), &[]).expect("it is imported");
    let edited = folder.read(FIND).replace("Finds it.", "Finds it, quickly.")
        + "\n# Ours.\n[params.extra]\ntype = \"boolean\"\n";
    folder.write(FIND, &edited);
    assert!(
        folder.import(&list("Finds it.", 1), &["--check"]).expect("it is checked").1,
        "an edit does not change the source"
    );
    let (report, is_complete) = folder.import(&list("Finds it.", 5), &["--update"]).expect("it is updated");
    assert!(is_complete && report.contains("merged"), "{report}");
    let text = folder.read(FIND);
    for part in ["quickly", "minimum = 5", "# Ours.\n[params.extra]"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let (report, is_complete) = folder.import(&list("Finds all.", 5), &["--update"]).expect("it is updated");
    assert!(!is_complete && report.contains("Finds it, quickly.") && report.contains("Finds all."), "{report}");
    assert!(folder.read(FIND).contains("quickly") && folder.read("imports/tools.json").contains("Finds all."));
}

#[test]
fn a_tool_that_is_gone_is_removed_unless_it_was_edited() {
    let folder = Folder::new();
    folder.import(&list("Finds it.", 1), &[]).expect("it is imported");
    let only = json!([list("Finds it.", 1)[0]]);
    let (report, is_same) = folder.import(&only, &["--check"]).expect("it is checked");
    assert!(!is_same && report.contains("no longer"), "{report}");
    let edited = folder.read("manifests/tools/other.toml").replace("Another", "My");
    folder.write("manifests/tools/other.toml", &edited);
    let (report, is_complete) = folder.import(&only, &["--update"]).expect("it is updated");
    assert!(!is_complete && report.contains("it stays"), "{report}");
    assert_eq!(folder.read("manifests/tools/other.toml"), edited);
    folder.write("manifests/tools/other.toml", &edited.replace("My", "Another"));
    folder.import(&only, &["--update"]).expect("it is updated");
    assert!(!folder.path("manifests/tools/other.toml").exists());
    assert!(folder.path(FIND).exists());
}

#[test]
fn another_source_does_not_replace_the_tools_of_a_toolset() {
    let folder = Folder::new();
    folder.import(&list("Finds it.", 1), &["--toolset", "x"]).expect("it is imported");
    let other = json!([{ "name": "unrelated", "inputSchema": { "type": "object" } }]);
    let error = folder.import(&other, &["--toolset", "x", "--update"]).expect_err("it is another source");
    assert!(error.contains("--toolset"), "{error}");
    assert!(folder.path(FIND).exists());
}

#[test]
fn a_manifest_that_a_person_deleted_stays_deleted_by_an_update() {
    let folder = Folder::new();
    folder.import(&list("Finds it.", 1), &[]).expect("it is imported");
    std::fs::remove_file(folder.path(FIND)).expect("it exists");
    assert!(folder.import(&list("Finds it.", 1), &["--update"]).expect("it is updated").1);
    assert!(!folder.path(FIND).exists());
    let (report, is_complete) = folder.import(&list("Finds it.", 2), &["--update"]).expect("it is updated");
    assert!(!is_complete && report.contains("was deleted"), "{report}");
}
