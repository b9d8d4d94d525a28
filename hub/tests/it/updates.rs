//! Updates: what the source changes, what the person has changed, and both.

use std::fs;

use toolc_hub::{Digest, FileAction, HubError, UpdatePlan, UpdateState};

use super::github::{Files, files, skill};
use super::home::{Home, name};
use super::server::Reply;

const LINES: &str = "one\ntwo\nthree\nfour\nfive\n";

fn upstream(list: &[(&str, &str)]) -> Files {
    let text = skill("a", "Is a", "text");
    let mut all = files(&[("skills/a/SKILL.md", text.as_str())]);
    for (path, text) in list {
        all.insert(format!("skills/a/{path}"), text.as_bytes().to_vec());
    }
    all
}

fn home(list: &[(&str, &str)]) -> Home {
    let home = Home::new();
    home.repositories.commit("o/r", upstream(list));
    home.install("o/r/a").expect("it is installed");
    home
}

fn plan(home: &Home) -> UpdatePlan {
    home.hub().plan_update(&name("a")).expect("the source answers")
}

fn apply(home: &Home) -> UpdatePlan {
    let plan = plan(home);
    home.hub().apply_update(&plan, &[]).expect("it can be applied");
    home.assert_clean();
    plan
}

fn locked(home: &Home) -> (String, Digest) {
    let lock = home.hub().lock().expect("it is valid");
    let entry = &lock.skills[&name("a")];
    (entry.version.clone(), entry.digest)
}

#[test]
fn three_digests_say_what_has_changed() {
    let home = home(&[("x.md", "1")]);
    assert_eq!(plan(&home).state, UpdateState::Unchanged);
    assert!(!home.hub().apply_update(&plan(&home), &[]).expect("nothing has changed"));
    home.write("a/x.md", "edited");
    assert_eq!(plan(&home).state, UpdateState::EditedLocally);
    home.repositories.commit("o/r", upstream(&[("x.md", "2")]));
    assert_eq!(plan(&home).state, UpdateState::Both);
    home.write("a/x.md", "1");
    assert_eq!(plan(&home).state, UpdateState::UpstreamMoved);
    fs::remove_dir_all(home.path("a")).expect("failed to remove");
    assert_eq!(plan(&home).state, UpdateState::Missing);
    assert!(matches!(home.hub().plan_update(&name("b")), Err(HubError::NotInstalled(_))));
}

/// A commit that changes other files of the repository is not an update of the skill.
#[test]
fn a_new_commit_with_the_same_files_is_not_an_update() {
    let home = home(&[]);
    let mut other = upstream(&[]);
    other.insert("README.md".to_owned(), b"new".to_vec());
    home.repositories.commit("o/r", other);
    assert_eq!(plan(&home).state, UpdateState::Unchanged);
}

#[test]
fn an_update_shows_its_changes_and_takes_them() {
    let home = home(&[("same.md", "same"), ("changed.md", LINES), ("removed/x.md", "x")]);
    home.repositories.commit(
        "o/r",
        upstream(&[("same.md", "same"), ("changed.md", &LINES.replace("two", "2")), ("new/y.md", "y\n")]),
    );
    let plan = apply(&home);
    let shown: Vec<(&str, &FileAction)> = plan.files.iter().map(|file| (file.path.as_str(), &file.action)).collect();
    assert_eq!(
        shown,
        [("changed.md", &FileAction::Replace), ("new/y.md", &FileAction::Add), ("removed/x.md", &FileAction::Remove)]
    );
    assert!(plan.files[0].diff.contains("-two\n+2\n"), "{}", plan.files[0].diff);
    let paths: Vec<String> = home.visible().into_keys().collect();
    assert_eq!(paths, ["a/SKILL.md", "a/changed.md", "a/new/y.md", "a/same.md"]);
    assert_eq!(home.read("a/changed.md"), LINES.replace("two", "2"));
    assert_eq!(locked(&home).0, format!("{:040x}", 2));
    assert_eq!(self::plan(&home).state, UpdateState::Unchanged);
}

#[test]
fn local_edits_survive_an_update() {
    let home = home(&[("merged.md", LINES), ("mine.md", "1"), ("both.md", "1"), ("gone.md", "1")]);
    home.write("a/merged.md", &LINES.replace("one", "1"));
    home.write("a/mine.md", "my edit");
    home.write("a/both.md", "my edit");
    home.write("a/notes/own.md", "my notes");
    home.write("a/gone.md", "my edit");
    home.repositories.commit(
        "o/r",
        upstream(&[("merged.md", &LINES.replace("five", "5")), ("mine.md", "1"), ("both.md", "theirs")]),
    );
    let plan = apply(&home);
    assert_eq!(plan.state, UpdateState::Both);
    let conflicts: Vec<&str> = plan.conflicts().map(|file| file.path.as_str()).collect();
    assert_eq!(conflicts, ["both.md", "gone.md"]);
    assert_eq!(home.read("a/merged.md"), "1\ntwo\nthree\nfour\n5\n");
    assert_eq!(home.read("a/mine.md"), "my edit");
    assert_eq!((home.read("a/both.md"), home.read("a/both.md.upstream")), ("my edit".to_owned(), "theirs".to_owned()));
    assert_eq!((home.read("a/gone.md"), home.read("a/notes/own.md")), ("my edit".to_owned(), "my notes".to_owned()));
    // The edits are local edits of the new version.
    assert_eq!(self::plan(&home).state, UpdateState::EditedLocally);
    home.repositories.commit(
        "o/r",
        upstream(&[("merged.md", &LINES.replace("five", "6")), ("mine.md", "1"), ("both.md", "theirs")]),
    );
    apply(&home);
    assert_eq!(home.read("a/merged.md"), "1\ntwo\nthree\nfour\n6\n");
}

#[test]
fn an_update_is_undone_as_a_whole() {
    let home = home(&[("x.md", LINES), ("removed.md", "x")]);
    home.write("a/x.md", &LINES.replace("one", "1"));
    let (before, lock) = (home.visible(), locked(&home));
    home.repositories.commit("o/r", upstream(&[("x.md", &LINES.replace("five", "5")), ("new.md", "new")]));
    apply(&home);
    let after = home.visible();
    home.write("a/new.md", "edited after the update");
    let undone = home.hub().undo(None).expect("it can be undone");
    assert_eq!(undone.what, "update a");
    assert_eq!((home.visible(), locked(&home)), (before, lock));
    home.hub().undo(Some(undone.by)).expect("it can be undone");
    assert_eq!(home.read("a/new.md"), "edited after the update");
    home.write("a/new.md", "new");
    assert_eq!(home.visible(), after);
}

#[test]
fn a_plan_counts_only_for_the_files_that_it_has_seen() {
    let home = home(&[("x.md", "1")]);
    home.repositories.commit("o/r", upstream(&[("x.md", "2")]));
    let plan = plan(&home);
    home.write("a/x.md", "edited meanwhile");
    let before = home.visible();
    let error = home.hub().apply_update(&plan, &[]).expect_err("the file has changed");
    assert!(matches!(&error, HubError::Stale(path) if path.ends_with("a/x.md")), "{error}");
    assert_eq!(home.visible(), before);
    home.write("a/x.md", "1");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let set =
            |mode| fs::set_permissions(home.path("a/x.md"), fs::Permissions::from_mode(mode)).expect("it is ours");
        set(0o755);
        assert!(matches!(home.hub().apply_update(&plan, &[]), Err(HubError::Stale(_))), "it can be run now");
        set(0o644);
    }
    assert!(home.hub().apply_update(&plan, &[]).expect("it is as it was"));
    assert!(matches!(home.hub().apply_update(&plan, &[]), Err(HubError::Stale(_))));
    home.recover().expect("nothing is unfinished");
    home.assert_clean();
}

#[test]
fn an_update_is_judged_before_it_is_applied() {
    let home = home(&[("x.md", "1")]);
    let before = home.visible();
    home.repositories.commit("o/r", upstream(&[("x.md", "doubtful")]));
    let plan = plan(&home);
    assert!(plan.refused.is_some() && plan.files.len() == 1);
    assert!(matches!(home.hub().apply_update(&plan, &[]), Err(HubError::Refused(..))));
    assert_eq!(home.visible(), before);
    home.hub().apply_update(&plan, &["doubtful:x.md".to_owned()]).expect("it is accepted");
    assert_eq!(home.hub().lock().expect("it is valid").skills[&name("a")].accepted.len(), 1);
    // Accepted for these files, not for the next ones.
    home.repositories.commit("o/r", upstream(&[("x.md", "more doubtful")]));
    let plan = self::plan(&home);
    assert!(matches!(home.hub().apply_update(&plan, &[]), Err(HubError::Refused(..))));
}

#[test]
fn a_skill_that_its_source_has_removed_stays() {
    let home = home(&[]);
    let before = home.visible();
    home.repositories.commit("o/r", files(&[("README.md", "nothing")]));
    let plan = apply(&home);
    assert_eq!(plan.state, UpdateState::RemovedUpstream);
    assert_eq!(home.visible(), before);
    home.server.fix("/api/v3/repos/o/r/commits/HEAD", Reply::new(500, "down"));
    assert!(matches!(home.hub().plan_update(&name("a")), Err(HubError::Source(_))));
    assert_eq!(home.hub().plan_updates().expect("the lock is valid").len(), 1);
}

/// Without the installed files, it is unknown who has changed what.
#[test]
fn a_missing_base_makes_conflicts_of_edited_files_only() {
    let home = home(&[("x.md", LINES), ("y.md", "1")]);
    fs::remove_dir_all(home.path(".hub/base/a")).expect("failed to remove");
    home.repositories.commit("o/r", upstream(&[("x.md", &LINES.replace("five", "5")), ("y.md", "1")]));
    assert_eq!(plan(&home).files.len(), 1, "the files on the disk are the installed ones");
    home.write("a/x.md", &LINES.replace("one", "1"));
    let plan = apply(&home);
    assert_eq!(plan.conflicts().count(), 1);
    assert_eq!(home.read("a/x.md"), LINES.replace("one", "1"));
    assert_eq!(home.read("a/x.md.upstream"), LINES.replace("five", "5"));
}

#[test]
fn a_file_may_become_a_folder() {
    let home = home(&[("x", "file")]);
    home.repositories.commit("o/r", upstream(&[("x/y.md", "inside")]));
    apply(&home);
    assert_eq!(home.read("a/x/y.md"), "inside");
    home.repositories.commit("o/r", upstream(&[("x", "file again")]));
    apply(&home);
    assert_eq!(home.read("a/x"), "file again");
    home.write("a/x", "edited");
    home.repositories.commit("o/r", upstream(&[("x/y.md", "inside")]));
    let plan = apply(&home);
    assert_eq!(plan.conflicts().count(), 2);
    assert_eq!((home.read("a/x"), home.read("a/x.upstream/y.md")), ("edited".to_owned(), "inside".to_owned()));
}

#[cfg(unix)]
#[test]
fn links_in_a_skill_are_left_alone() {
    let home = home(&[("x.md", "1"), ("refs/y.md", "1")]);
    let elsewhere = tempfile::tempdir().expect("failed to make a folder");
    fs::write(elsewhere.path().join("y.md"), "1").expect("failed to write");
    fs::write(elsewhere.path().join("target"), "target").expect("failed to write");
    fs::remove_file(home.path("a/x.md")).expect("failed to remove");
    std::os::unix::fs::symlink(elsewhere.path().join("target"), home.path("a/x.md")).expect("failed to link");
    home.repositories.commit("o/r", upstream(&[("x.md", "2"), ("refs/y.md", "1")]));
    let plan = apply(&home);
    assert_eq!((plan.state, plan.odd.len(), plan.conflicts().count()), (UpdateState::Both, 1, 1));
    assert_eq!((home.read("a/x.md"), home.read("a/x.md.upstream")), ("target".to_owned(), "2".to_owned()));
    fs::remove_dir_all(home.path("a/refs")).expect("failed to remove");
    std::os::unix::fs::symlink(elsewhere.path(), home.path("a/refs")).expect("failed to link");
    home.repositories.commit("o/r", upstream(&[("x.md", "2"), ("refs/y.md", "2")]));
    let plan = self::plan(&home);
    let error = home.hub().apply_update(&plan, &[]).expect_err("the folder is a link");
    assert!(matches!(error, HubError::Link(_)), "{error}");
    assert_eq!(fs::read_to_string(elsewhere.path().join("y.md")).expect("it exists"), "1");
}

/// A file becomes a program without another change: on this machine, or at the source.
#[cfg(unix)]
#[test]
fn a_change_of_the_executable_bit_is_a_change() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let source = folder.path().join("a");
    let set = |path: &std::path::Path, mode: u32| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("failed to set the mode");
    };
    let is_program = |path: &str| {
        let meta = fs::metadata(home.path(path)).expect("it exists");
        meta.permissions().mode() & 0o100 != 0
    };
    fs::create_dir(&source).expect("failed to make a folder");
    fs::write(source.join("SKILL.md"), skill("a", "Is a", "text")).expect("failed to write");
    for name in ["x.sh", "y.sh", "z.sh"] {
        fs::write(source.join(name), "echo\n").expect("failed to write");
        set(&source.join(name), 0o644);
    }
    home.install(&source.display().to_string()).expect("it is installed");
    assert_eq!(plan(&home).state, UpdateState::Unchanged);
    set(&home.path("a/y.sh"), 0o755);
    assert_eq!(plan(&home).state, UpdateState::EditedLocally);
    // The source makes one a program, and edits another one that is a program here.
    set(&source.join("x.sh"), 0o755);
    fs::write(source.join("y.sh"), "echo new\n").expect("failed to write");
    let plan = apply(&home);
    assert_eq!(plan.state, UpdateState::Both);
    let shown: Vec<(&str, &FileAction)> = plan.files.iter().map(|file| (file.path.as_str(), &file.action)).collect();
    assert_eq!(shown, [("x.sh", &FileAction::Replace), ("y.sh", &FileAction::Merge)]);
    assert_eq!(plan.files[0].diff, "x.sh: old mode 100644, new mode 100755\n");
    assert_eq!(["a/x.sh", "a/y.sh", "a/z.sh"].map(is_program), [true, true, false]);
    assert_eq!(home.read("a/y.sh"), "echo new\n");
    assert_eq!(self::plan(&home).state, UpdateState::EditedLocally);
    home.hub().undo(None).expect("it can be undone");
    assert_eq!(["a/x.sh", "a/y.sh", "a/z.sh"].map(is_program), [false, true, false]);
}

/// A model finds a skill by the name in `SKILL.md`, so that a chosen name is written there, and is not an edit.
#[test]
fn a_chosen_name_stays_and_is_not_an_edit() {
    let home = Home::new();
    home.repositories.commit("o/r", upstream(&[("x.md", "1")]));
    let options = toolc_hub::InstallOptions { name: Some(name("b")), ..toolc_hub::InstallOptions::default() };
    home.install_with("o/r/a", &options).expect("it is installed");
    let expected = |description: &str| skill("b", description, "text");
    assert_eq!(home.read("b/SKILL.md"), expected("Is a"));
    let plan = || home.hub().plan_update(&name("b")).expect("the source answers");
    assert_eq!(plan().state, UpdateState::Unchanged);
    assert_eq!(home.hub().audit().expect("the lock is valid")[0].state, toolc_hub::DiskState::Intact);
    let mut next = upstream(&[("x.md", "2")]);
    next.insert("skills/a/SKILL.md".to_owned(), skill("a", "Is another", "text").into_bytes());
    home.repositories.commit("o/r", next);
    let update = plan();
    assert_eq!((update.state, update.conflicts().count()), (UpdateState::UpstreamMoved, 0));
    home.hub().apply_update(&update, &[]).expect("it can be applied");
    assert_eq!(home.read("b/SKILL.md"), expected("Is another"));
    assert_eq!(plan().state, UpdateState::Unchanged);
    fs::remove_dir_all(home.path("b")).expect("failed to remove");
    let hub = home.hub();
    let restored = hub.plan_restore().and_then(|plan| hub.apply_restore(plan, &[]));
    restored.expect("the source answers");
    assert_eq!(home.read("b/SKILL.md"), expected("Is another"));
}
