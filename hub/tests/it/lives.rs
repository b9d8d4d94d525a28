//! The life of a skill: installed, listed, audited, removed, and back again.

use std::fs;

use toolc_hub::{DiskState, FOREIGN_LOCK, Finding, HubError, InstallOptions, Owner, SkillRow, Tap, TapKind, Trust};

use super::github::{bundle, files, skill};
use super::home::{Home, all_files, name};

fn home() -> Home {
    let home = Home::new();
    let list = [
        ("skills/a/SKILL.md", skill("a", "Is a", "text")),
        ("skills/a/scripts/run.sh", "#!/bin/sh\n".to_owned()),
        ("skills/bad/SKILL.md", skill("bad", "Is bad", "malware")),
        ("skills/doubt/SKILL.md", skill("doubt", "Is doubtful", "text")),
        ("skills/Odd Name/SKILL.md", skill("Odd Name", "Has an odd name", "text")),
        ("skills/folder/SKILL.md", skill("Not A Name", "Has the name of its folder", "text")),
    ];
    let list: Vec<(&str, &str)> = list.iter().map(|(path, text)| (*path, text.as_str())).collect();
    home.repositories.commit("o/r", files(&list));
    home
}

fn states(home: &Home) -> Vec<(String, Option<DiskState>)> {
    let state = |row: SkillRow| match row.owner {
        Owner::Hub(_, state) => (row.name, Some(state)),
        _ => (row.name, None),
    };
    home.hub().list().expect("the lock is valid").into_iter().map(state).collect()
}

#[test]
fn an_installed_skill_is_in_its_folder_and_in_the_lock() {
    let home = home();
    let options = InstallOptions { category: Some(name("tools")), ..InstallOptions::default() };
    let installed = home.install_with("o/r/a", &options).expect("it is installed");
    assert_eq!(installed.folder, home.path("tools/a"));
    let paths: Vec<String> = home.visible().into_keys().collect();
    assert_eq!(paths, ["tools/a/SKILL.md", "tools/a/scripts/run.sh"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &str| fs::metadata(home.path(path)).expect("it exists").permissions().mode() & 0o111;
        assert_eq!((mode("tools/a/SKILL.md"), mode("tools/a/scripts/run.sh") & 0o100), (0, 0o100));
    }
    home.assert_clean();
    let lock = home.hub().lock().expect("it is valid");
    let entry = &lock.skills[&name("a")];
    assert_eq!(entry.folder.to_string(), "tools/a");
    assert_eq!(entry.identifier.to_string(), "github:o/r/skills/a");
    assert_eq!((entry.version.as_str(), entry.path.as_str()), (format!("{:040x}", 1).as_str(), "skills/a"));
    assert_eq!((entry.trust, entry.converted, entry.accepted.len()), (Trust::Community, false, 0));
    let (run, text) = ("#!/bin/sh\n", skill("a", "Is a", "text"));
    let expected = bundle(&files(&[("SKILL.md", &text), ("scripts/run.sh", run)]), "");
    assert_eq!((entry.digest, entry.tree), (expected.digest(), Some(expected.tree())));
}

#[test]
fn a_refused_skill_leaves_nothing() {
    let home = home();
    let error = home.install("o/r/bad").expect_err("the guard refuses it");
    assert!(matches!(&error, HubError::Refused(_, refused) if refused.findings.len() == 1), "{error}");
    assert!(error.to_string().contains("SKILL.md:6: it has the word malware [malware:SKILL.md]"), "{error}");
    // What cannot be accepted stays refused.
    let options = InstallOptions { accept: vec!["malware:SKILL.md".to_owned()], ..InstallOptions::default() };
    assert!(matches!(home.install_with("o/r/bad", &options), Err(HubError::Refused(..))));
    assert!(all_files(&home.skills()).is_empty());
}

#[test]
fn an_accepted_finding_is_in_the_lock() {
    let home = home();
    let Err(HubError::Refused(_, refused)) = home.install("o/r/doubt") else { panic!("it is doubtful") };
    let accept: Vec<String> = refused.findings.iter().map(|Finding { id, .. }| id.clone()).collect();
    let options = InstallOptions { accept: accept.clone(), ..InstallOptions::default() };
    let installed = home.install_with("o/r/doubt", &options).expect("it is accepted");
    assert_eq!(installed.warnings.len(), 1, "the finding is shown nevertheless");
    let lock = home.hub().lock().expect("it is valid");
    let entry = &lock.skills[&name("doubt")];
    assert_eq!(entry.accepted.iter().map(|one| one.id.clone()).collect::<Vec<_>>(), accept);
    assert!(entry.accepted.iter().all(|one| one.digest == entry.digest));
    let audit = home.hub().audit().expect("the lock is valid");
    assert!(audit.iter().all(|row| row.verdict.as_ref().is_some_and(Result::is_ok)), "{audit:?}");
    // Other files are another decision.
    home.write("doubt/more.md", "also doubtful");
    let audit = home.hub().audit().expect("the lock is valid").remove(0);
    assert_eq!(audit.state, DiskState::Edited);
    assert!(audit.verdict.is_some_and(|verdict| verdict.is_err()));
}

#[test]
fn a_skill_has_a_name_that_can_be_a_folder() {
    let home = home();
    let error = home.install("o/r/Odd Name").expect_err("neither name can be a folder");
    assert!(matches!(error, HubError::Name(_)), "{error}");
    let options = InstallOptions { name: Some(name("odd")), ..InstallOptions::default() };
    assert_eq!(home.install_with("o/r/Odd Name", &options).expect("it has a name").name, name("odd"));
    assert_eq!(home.install("o/r/folder").expect("the folder has a name").name, name("folder"));
}

#[test]
fn nothing_that_the_hub_does_not_own_is_overwritten() {
    let home = home();
    for (path, blocks) in [("a/notes.md", "a"), ("tools/a/SKILL.md", "tools/a"), ("A/SKILL.md", "A"), ("a", "a")] {
        home.write(path, "mine");
        let before = home.visible();
        let error = home.install("o/r/a").expect_err(path);
        assert!(matches!(&error, HubError::Occupied(at, None) if *at == home.path(blocks)), "{path}: {error}");
        assert_eq!(home.visible(), before, "{path}");
        let top = home.path(path.split('/').next().expect("it has one"));
        fs::remove_dir_all(&top).or_else(|_| fs::remove_file(&top)).expect("failed to remove");
    }
    // A category inside another skill.
    home.write("mine/SKILL.md", "mine");
    let options = InstallOptions { category: Some(name("mine")), ..InstallOptions::default() };
    assert!(matches!(home.install_with("o/r/a", &options), Err(HubError::Occupied(..))));
    home.install("o/r/a").expect("it is free");
    assert!(matches!(home.install("o/r/a"), Err(HubError::Installed(..))));
    home.assert_clean();
}

#[cfg(unix)]
#[test]
fn the_hub_does_not_write_through_links() {
    let home = home();
    let elsewhere = tempfile::tempdir().expect("failed to make a folder");
    fs::create_dir_all(home.skills()).expect("failed to make a folder");
    std::os::unix::fs::symlink(elsewhere.path(), home.path("tools")).expect("failed to link");
    let options = InstallOptions { category: Some(name("tools")), ..InstallOptions::default() };
    let error = home.install_with("o/r/a", &options).expect_err("the category is a link");
    assert!(matches!(&error, HubError::Link(path) if *path == home.path("tools")), "{error}");
    std::os::unix::fs::symlink(elsewhere.path().join("missing"), home.path("a")).expect("failed to link");
    assert!(matches!(home.install("o/r/a"), Err(HubError::Occupied(..))));
    assert!(all_files(elsewhere.path()).is_empty());
}

#[test]
fn skills_of_another_program_are_reported_as_its_own() {
    let home = home();
    home.write("a/SKILL.md", "theirs");
    home.write("mine/SKILL.md", "mine");
    let tree = bundle(&files(&[("SKILL.md", "theirs")]), "").tree();
    let text = format!(
        r#"{{"version": 3, "skills": {{"a": {{"source": "x/y", "sourceType": "github", "sourceUrl": "https://github.com/x/y.git",
            "skillPath": "a/SKILL.md", "skillFolderHash": "{tree}", "installedAt": "", "updatedAt": ""}}}}}}"#
    );
    home.write(&format!("../{FOREIGN_LOCK}"), &text);
    let hub = || home.hub().with_foreign_locks(vec![home.path(&format!("../{FOREIGN_LOCK}"))]);
    let preview = hub().preview(&super::home::id("o/r/a")).expect("it exists");
    let error = hub().install(&preview, &InstallOptions::default()).expect_err("it is theirs");
    assert!(error.to_string().contains("has installed it from x/y"), "{error}");
    let owners = || -> Vec<Option<Option<bool>>> {
        let owner = |row: SkillRow| match row.owner {
            Owner::Other(_, is_unchanged) => Some(is_unchanged),
            _ => None,
        };
        hub().list().expect("the locks are valid").into_iter().map(owner).collect()
    };
    assert_eq!(owners(), [Some(Some(true)), None]);
    home.write("a/SKILL.md", "edited");
    assert_eq!(owners(), [Some(Some(false)), None]);
}

#[test]
fn an_uninstalled_skill_comes_back_with_its_edits() {
    let home = home();
    let options = InstallOptions { category: Some(name("tools")), ..InstallOptions::default() };
    home.install_with("o/r/a", &options).expect("it is installed");
    home.write("tools/a/notes.md", "my notes");
    let (before, lock) = (home.visible(), home.read(".hub/lock.json"));
    home.hub().uninstall(&name("a")).expect("it is installed");
    assert!(home.visible().is_empty());
    assert!(!home.path("tools").exists(), "an empty category is removed");
    assert!(home.hub().lock().expect("it is valid").skills.is_empty());
    assert!(matches!(home.hub().uninstall(&name("a")), Err(HubError::NotInstalled(_))));
    assert_eq!(home.hub().undo().expect("it can be undone"), "uninstall a");
    assert_eq!((home.visible(), home.read(".hub/lock.json")), (before.clone(), lock));
    // Undoing again repeats it.
    assert_eq!(home.hub().undo().expect("it can be undone"), "undo: uninstall a");
    assert!(home.visible().is_empty());
    home.hub().undo().expect("it can be undone");
    assert_eq!(home.visible(), before);
    home.assert_clean();
}

#[test]
fn an_installation_is_undone_without_losing_edits() {
    let home = home();
    assert!(matches!(home.hub().undo(), Err(HubError::NothingToUndo)));
    home.install("o/r/a").expect("it is installed");
    home.write("a/notes.md", "my notes");
    assert_eq!(home.hub().undo().expect("it can be undone"), "install a");
    assert!(home.visible().is_empty());
    home.hub().undo().expect("it can be undone");
    assert_eq!(home.read("a/notes.md"), "my notes");
    assert_eq!(states(&home), [("a".to_owned(), Some(DiskState::Edited))]);
}

#[test]
fn an_undo_that_something_is_in_the_way_of_changes_nothing() {
    let home = home();
    home.install("o/r/a").expect("it is installed");
    home.hub().uninstall(&name("a")).expect("it is installed");
    home.write("a/SKILL.md", "mine");
    let error = home.hub().undo().expect_err("the place is in use");
    assert!(matches!(error, HubError::Occupied(..)), "{error}");
    assert_eq!(home.visible().into_values().collect::<Vec<_>>(), ["mine"]);
    fs::remove_dir_all(home.path("a")).expect("failed to remove");
    home.hub().undo().expect("the place is free");
    assert_eq!(states(&home), [("a".to_owned(), Some(DiskState::Intact))]);
}

#[test]
fn old_changes_are_forgotten_only_on_request() {
    let home = home();
    home.install("o/r/a").expect("it is installed");
    home.hub().uninstall(&name("a")).expect("it is installed");
    home.install("o/r/a").expect("it is installed");
    let whats: Vec<String> = home.hub().undoable().expect("it is valid").into_iter().map(|one| one.what).collect();
    assert_eq!(whats, ["install a", "uninstall a", "install a"]);
    assert_eq!(home.hub().forget(1).expect("it can be removed"), 2);
    assert_eq!(home.hub().undoable().expect("it is valid").len(), 1);
    home.hub().undo().expect("it can be undone");
    assert!(home.visible().is_empty());
}

#[test]
fn an_audit_compares_the_disk_with_the_lock() {
    let home = home();
    home.install("o/r/a").expect("it is installed");
    home.install("o/r/folder").expect("it is installed");
    assert_eq!(
        states(&home),
        [("a".to_owned(), Some(DiskState::Intact)), ("folder".to_owned(), Some(DiskState::Intact))]
    );
    home.write("a/SKILL.md", &skill("a", "Is a", "malware"));
    fs::remove_dir_all(home.path("folder")).expect("failed to remove");
    let audit = home.hub().audit().expect("the lock is valid");
    assert_eq!((&audit[0].state, &audit[1].state), (&DiskState::Edited, &DiskState::Missing));
    assert!(audit[0].verdict.as_ref().is_some_and(Result::is_err) && audit[1].verdict.is_none());
}

#[test]
fn a_damaged_lock_stops_every_change_and_is_kept() {
    let home = home();
    home.install("o/r/a").expect("it is installed");
    let damaged = home.read(".hub/lock.json").replacen("\"skills\": {", "\"skills\": {,", 1);
    home.write(".hub/lock.json", &damaged);
    let before = home.visible();
    let hub = home.hub();
    let preview = hub.preview(&super::home::id("o/r/folder")).expect("it exists");
    let errors = [
        hub.install(&preview, &InstallOptions::default()).map(drop).expect_err("the lock is damaged"),
        hub.uninstall(&name("a")).expect_err("the lock is damaged"),
        hub.undo().map(drop).expect_err("the lock is damaged"),
        hub.restore().map(drop).expect_err("the lock is damaged"),
    ];
    for error in errors {
        assert!(matches!(&error, HubError::Damaged { line: 3, .. }), "{error}");
    }
    assert_eq!((home.read(".hub/lock.json"), home.visible()), (damaged, before));
}

#[test]
fn taps_are_added_and_searched() {
    let home = home();
    let tap = |text: &str| text.parse::<Tap>().expect("it is a tap");
    assert_eq!(tap("market:o/r").kind, TapKind::Marketplace);
    assert!("market:o".parse::<Tap>().is_err());
    assert!(home.hub().add_tap(&tap("o/r")).expect("it can be written"));
    assert!(!home.hub().add_tap(&tap("github:o/r")).expect("it can be written"));
    for official in ["openai/skills", "anthropics/skills"] {
        home.repositories.commit(official, files(&[]));
    }
    let has_a = |hub: &toolc_hub::Hub| {
        let found = hub.search("is a", 5, Some(toolc_hub::SourceKind::GitHub));
        found.hits.iter().any(|hit| hit.name == "a")
    };
    assert!(has_a(&home.hub()));
    // An open hub follows its own changes of the taps.
    let open = home.hub();
    assert!(open.remove_tap(&tap("o/r")).expect("it can be written") && !has_a(&open));
    assert!(open.add_tap(&tap("o/r")).expect("it can be written") && has_a(&open));
    assert!(home.hub().remove_tap(&tap("o/r")).expect("it can be written"));
    assert!(!home.hub().remove_tap(&tap("o/r")).expect("it can be written"));
    home.write(".hub/taps.json", "[\"o\"]");
    let opened = toolc_hub::Hub::open(
        home.skills(),
        super::home::client(),
        super::home::settings(&home.server),
        super::home::guard,
    );
    assert!(matches!(opened.map(drop), Err(HubError::Damaged { line: 1, .. })));
}
