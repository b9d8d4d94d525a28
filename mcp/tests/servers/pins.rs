//! What was accepted of a server is used, and what differs from it is held back.

use std::path::Path;

use serde_json::{Value, json};
use toolc::Dialect;
use toolc_mcp::{ChangeClass, ErrorKind, PinPolicy, Pinning, Server, ServerState, Transport};

use crate::fixture::{Fixture, has_python, server};

/// Returns the scripted server with a lock file in a folder.
fn pinned(folder: &Path, behaviours: &[&str], policy: PinPolicy) -> Server {
    let pinning = Pinning { file: folder.join("mcp/s.lock.json"), policy, for_review: false };
    let mut pinned = Server { pinning, ..server("s", &[]) };
    // The behaviours are not on the command line, which is pinned, too.
    let note = folder.join("behaviours");
    std::fs::write(&note, behaviours.join(" ")).expect("failed to write");
    let Transport::Stdio { args, .. } = &mut pinned.transport else { panic!("it is a program") };
    args.push(format!("@{}", note.display()));
    pinned
}

fn lock(folder: &Path) -> Value {
    let text = std::fs::read_to_string(folder.join("mcp/s.lock.json")).expect("it exists");
    text.parse().expect("it is JSON")
}

#[test]
fn the_first_list_is_pinned_whole() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let fixture = Fixture::new([pinned(folder.path(), &[], PinPolicy::Strict)]);
    assert_eq!(fixture.own_names("s").len(), 14, "{}", fixture.report("s"));
    let lock = lock(folder.path());
    assert_eq!((&lock["server"]["command"], &lock["instructions"]), (&json!("python3"), &json!("Use echo.")));
    assert_eq!(lock["server"]["env"], json!(["TOKEN", "NOTE"]));
    assert_eq!(lock["tools"]["echo"]["annotations"]["readOnlyHint"], true);
    assert!(!lock.to_string().contains("hunter2"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let meta = std::fs::metadata(folder.path().join("mcp/s.lock.json")).expect("it exists");
        assert_eq!(meta.permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_change_is_held_back_until_it_is_accepted() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().expect("failed to make a folder");
    drop(Fixture::new([pinned(folder.path(), &[], PinPolicy::Strict)]));
    let before = lock(folder.path());
    let fixture = Fixture::new([pinned(folder.path(), &["drift"], PinPolicy::Strict)]);
    let report = fixture.report("s");
    let held: Vec<_> = report.held_back.iter().map(|held| (held.tool.as_str(), held.is_new, held.class())).collect();
    let expected = [
        ("echo", false, Some(ChangeClass::Breaking)),
        ("fail", false, Some(ChangeClass::Behaviour)),
        ("slow", false, Some(ChangeClass::Wording)),
        ("forever", false, Some(ChangeClass::Additive)),
        ("added", true, None),
    ];
    assert_eq!(held, expected, "{report}");
    assert_eq!(report.removed, ["shell"]);
    let refused = fixture.call("mcp__s__echo", &json!({ "text": "a" }));
    assert!(refused.to_string().contains("held back until a person accepts"), "{refused}");
    let turn = fixture.session().turn_blocking(Dialect::OpenAi);
    assert!(
        !turn.definitions().contains("Held back") && !turn.definitions().contains("loud"),
        "{}",
        turn.definitions()
    );
    assert_eq!(fixture.call("mcp__s__structured", &json!({})), json!({ "n": 1 }), "unchanged tools are used");
    assert_eq!(lock(folder.path()), before, "nothing is accepted on its own");
    drop(fixture);

    let mut for_review = pinned(folder.path(), &["drift"], PinPolicy::Strict);
    for_review.pinning.for_review = true;
    let review = Fixture::new([for_review]);
    assert_eq!(review.servers.accept("s", Some(&["echo".to_owned()])).expect("it is listed"), ["echo"]);
    let unknown = review.servers.accept("s", Some(&["missing".to_owned()])).expect_err("it is not listed");
    assert_eq!(
        (unknown.kind(), &*unknown.to_string()),
        (ErrorKind::Unknown, "the server lists no tool or skill `missing`")
    );
    drop(review);
    let fixture = Fixture::new([pinned(folder.path(), &["drift"], PinPolicy::Strict)]);
    assert_eq!(fixture.report("s").held_back.len(), 4);
    assert_eq!(fixture.call("mcp__s__echo", &json!({ "text": "a", "mode": "loud" })), json!("a"));
    assert!(fixture.servers.accept("s", None).is_ok());
    drop(fixture);
    let fixture = Fixture::new([pinned(folder.path(), &["drift"], PinPolicy::Strict)]);
    let report = fixture.report("s");
    assert!(report.held_back.is_empty() && report.removed.is_empty() && !report.has_problem(), "{report}");
}

#[test]
fn the_policy_decides_which_changes_are_held_back() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().expect("failed to make a folder");
    drop(Fixture::new([pinned(folder.path(), &[], PinPolicy::Strict)]));
    let fixture = Fixture::new([pinned(folder.path(), &["drift"], PinPolicy::Additive)]);
    let held: Vec<String> = fixture.report("s").held_back.into_iter().map(|held| held.tool).collect();
    assert_eq!(held, ["echo", "fail", "slow"]);
    assert!(lock(folder.path())["tools"]["added"].is_object(), "what is accepted on its own is pinned");
    drop(fixture);
    let fixture = Fixture::new([pinned(folder.path(), &["drift"], PinPolicy::Off)]);
    assert!(fixture.report("s").held_back.is_empty());
}

#[test]
fn suspicious_texts_are_held_back_at_once_whatever_the_policy() {
    if !has_python() {
        return;
    }
    for policy in [PinPolicy::Strict, PinPolicy::Additive, PinPolicy::Off] {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let fixture = Fixture::new([pinned(folder.path(), &["poisoned"], policy)]);
        let report = fixture.report("s");
        let held: Vec<_> = report.held_back.iter().map(|held| (held.tool.as_str(), held.findings.len())).collect();
        assert_eq!(held, [("poisoned", 1), ("invisible", 1)], "{report}");
        assert_eq!(fixture.own_names("s").len(), 14);
        let turn = fixture.session().turn_blocking(Dialect::OpenAi);
        assert!(!turn.definitions().contains("Do not tell"), "no model reads it");
        // A person may know better.
        assert!(fixture.servers.accept("s", Some(&["poisoned".to_owned()])).is_ok());
        drop(fixture);
        let fixture = Fixture::new([pinned(folder.path(), &["poisoned"], policy)]);
        assert!(fixture.own_names("s").contains(&"poisoned".to_owned()), "{policy:?}");
    }
}

#[test]
fn a_changed_command_line_is_not_started() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().expect("failed to make a folder");
    drop(Fixture::new([pinned(folder.path(), &[], PinPolicy::Strict)]));
    let changed = || {
        let mut changed = pinned(folder.path(), &[], PinPolicy::Strict);
        let Transport::Stdio { args, .. } = &mut changed.transport else { panic!("it is a program") };
        args.push("more".to_owned());
        changed
    };
    let fixture = Fixture::new([changed()]);
    let report = fixture.report("s");
    assert_eq!(report.state, ServerState::Failed, "{report}");
    assert!(report.problem.unwrap_or_default().contains("command line or address has changed"));
    drop(fixture);
    let mut for_review = changed();
    for_review.pinning.for_review = true;
    let review = Fixture::new([for_review]);
    let change = review.report("s").server_changes.first().map(ToString::to_string).unwrap_or_default();
    assert!(change.contains("\"more\""), "{change}");
    review.servers.accept("s", None).expect("it is accepted");
    drop(review);
    assert_eq!(Fixture::new([changed()]).report("s").state, ServerState::Connected);
}

#[test]
fn a_broken_lock_file_holds_everything_back_and_stays() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().expect("failed to make a folder");
    std::fs::create_dir(folder.path().join("mcp")).expect("failed to make a folder");
    let path = folder.path().join("mcp/s.lock.json");
    for broken in ["{\"version\": 1", "[]", "{\"version\":7,\"server\":{},\"instructions\":null,\"tools\":{}}"] {
        std::fs::write(&path, broken).expect("failed to write");
        let fixture = Fixture::new([pinned(folder.path(), &[], PinPolicy::Strict)]);
        let report = fixture.report("s");
        assert_eq!(report.state, ServerState::Failed, "{report}");
        assert!(report.problem.unwrap_or_default().contains("cannot be read"));
        assert_eq!(std::fs::read_to_string(&path).expect("it exists"), broken);
    }
}
