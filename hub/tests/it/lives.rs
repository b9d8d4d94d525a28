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
    // A model finds a skill by the name in its file.
    assert!(home.read("odd/SKILL.md").contains("\nname: odd\n"), "{}", home.read("odd/SKILL.md"));
    assert_eq!(states(&home), [("odd".to_owned(), Some(DiskState::Intact))]);
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
    let undone = home.hub().undo(None).expect("it can be undone");
    assert_eq!(undone.what, "uninstall a");
    assert_eq!((home.visible(), home.read(".hub/lock.json")), (before.clone(), lock));
    // Undoing the undo repeats the removal.
    let repeated = home.hub().undo(Some(undone.by)).expect("it can be undone");
    assert_eq!(repeated.what, "undo: uninstall a");
    assert!(home.visible().is_empty());
    assert_eq!(home.hub().undo(None).expect("it can be undone").what, "uninstall a");
    assert_eq!(home.visible(), before);
    home.assert_clean();
}

#[test]
fn an_installation_is_undone_without_losing_edits() {
    let home = home();
    assert!(matches!(home.hub().undo(None), Err(HubError::NothingToUndo)));
    home.install("o/r/a").expect("it is installed");
    home.write("a/notes.md", "my notes");
    let undone = home.hub().undo(None).expect("it can be undone");
    assert_eq!(undone.what, "install a");
    assert!(home.visible().is_empty());
    home.hub().undo(Some(undone.by)).expect("it can be undone");
    assert_eq!(home.read("a/notes.md"), "my notes");
    assert_eq!(states(&home), [("a".to_owned(), Some(DiskState::Edited))]);
}

#[test]
fn an_undo_that_something_is_in_the_way_of_changes_nothing() {
    let home = home();
    home.install("o/r/a").expect("it is installed");
    home.hub().uninstall(&name("a")).expect("it is installed");
    home.write("a/SKILL.md", "mine");
    let error = home.hub().undo(None).expect_err("the place is in use");
    assert!(matches!(error, HubError::Occupied(..)), "{error}");
    assert_eq!(home.visible().into_values().collect::<Vec<_>>(), ["mine"]);
    fs::remove_dir_all(home.path("a")).expect("failed to remove");
    home.hub().undo(None).expect("the place is free");
    assert_eq!(states(&home), [("a".to_owned(), Some(DiskState::Intact))]);
}

#[test]
fn each_undo_goes_back_one_change() {
    let home = home();
    home.install("o/r/a").expect("it is installed");
    home.install("o/r/folder").expect("it is installed");
    let installed = home.visible();
    home.hub().uninstall(&name("a")).expect("it is installed");
    let undo = |id| home.hub().undo(id).map(|undone| (undone.what, undone.by));
    let (what, first) = undo(None).expect("it can be undone");
    assert_eq!((what.as_str(), home.visible()), ("uninstall a", installed.clone()));
    let (what, second) = undo(None).expect("it can be undone");
    assert_eq!((what.as_str(), states(&home).len()), ("install folder", 1));
    let (what, third) = undo(None).expect("it can be undone");
    assert_eq!((what.as_str(), home.visible().len()), ("install a", 0));
    assert!(matches!(undo(None), Err(HubError::NothingToUndo)));
    // The removal of a skill that is not installed now cannot be repeated before its installation.
    let error = undo(Some(first)).expect_err("the skill is not installed");
    let HubError::ChangedSince(what, _, Some((later, id))) = &error else { panic!("{error}") };
    assert_eq!((what.as_str(), later.as_str(), *id), ("undo: uninstall a", "undo: install a", third));
    undo(Some(second)).expect("the other skill does not matter");
    undo(Some(third)).expect("it is installed again");
    assert_eq!(home.visible(), installed);
    undo(Some(first)).expect("it is removed again");
    assert_eq!(states(&home).len(), 1);
    assert!(matches!(undo(Some(first)), Err(HubError::NoChange(id)) if id == first));
    let changes = home.hub().undoable().expect("they are valid");
    let whats: Vec<&str> = changes.iter().map(|change| change.what.as_str()).collect();
    assert_eq!(whats, ["install folder", "install a", "uninstall a"]);
    // An installation is not undone below a removal.
    let error = undo(Some(changes[1].id)).expect_err("it was uninstalled since");
    assert!(error.to_string().contains(&format!("undo the change {} first", changes[2].id)), "{error}");
    home.assert_clean();
}

#[test]
fn findings_of_edited_files_are_accepted_for_these_files() {
    let home = home();
    let accept = ["doubtful:SKILL.md".to_owned()];
    let options = InstallOptions { accept: accept.to_vec(), ..InstallOptions::default() };
    home.install_with("o/r/doubt", &options).expect("it is accepted");
    home.write("doubt/more.md", "also doubtful");
    let row = || home.hub().audit().expect("the lock is valid").remove(0);
    let lock = home.read(".hub/lock.json");
    assert!(!home.hub().accept(&row(), &accept).expect("it can be written"), "the new file is another finding");
    assert_eq!(home.read(".hub/lock.json"), lock);
    let both = [accept[0].clone(), "doubtful:more.md".to_owned()];
    assert!(home.hub().accept(&row(), &both).expect("it can be written"));
    assert!(row().verdict.is_some_and(|verdict| verdict.is_ok()));
    home.write("doubt/more.md", "also doubtful, and edited");
    assert!(row().verdict.is_some_and(|verdict| verdict.is_err()), "it holds for one content");
    assert!(home.hub().accept(&row(), &both).expect("it can be written"));
    let accepted = |home: &Home| home.hub().lock().expect("it is valid").skills[&name("doubt")].accepted.len();
    assert_eq!(accepted(&home), 3, "the files of the source, and the last edit");
    // What the source has is still accepted.
    fs::remove_dir_all(home.path("doubt")).expect("failed to remove");
    let hub = home.hub();
    hub.apply_restore(hub.plan_restore().expect("the lock is valid"), &[]).expect("it can be written");
    assert!(row().verdict.is_some_and(|verdict| verdict.is_ok()) && row().state == DiskState::Intact);
    home.hub().undo(None).expect("the restore is undone");
    assert_eq!(home.hub().undo(None).expect("it can be undone").what, "accept findings of doubt");
    assert_eq!(accepted(&home), 3, "the findings of the edit before");
}

#[test]
fn a_folder_that_cannot_be_read_is_not_missing() {
    let home = home();
    home.install("o/r/a").expect("it is installed");
    fs::remove_dir_all(home.path("a")).expect("failed to remove");
    assert_eq!(states(&home), [("a".to_owned(), Some(DiskState::Missing))]);
    home.write("a", "a file");
    let audit = home.hub().audit().expect("the lock is valid").remove(0);
    assert!(matches!(audit.state, DiskState::Unreadable(_)) && audit.verdict.is_none(), "{audit:?}");
    let error = home.hub().plan_update(&name("a")).expect_err("it cannot be read");
    assert!(error.to_string().contains("it is not a folder"), "{error}");
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
        hub.undo(None).map(drop).expect_err("the lock is damaged"),
        hub.plan_restore().map(drop).expect_err("the lock is damaged"),
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
