//! Everything again, from the lock or a snapshot.

use std::fs;

use toolc_hub::{HubError, InstallOptions, Restored, SkillName, Snapshot, SourceFault};

use super::github::{files, skill};
use super::home::{Home, name};

fn home() -> Home {
    let home = Home::new();
    for text in ["first", "second"] {
        let (a, b) = (skill("a", "Is a", text), skill("b", "Is b", text));
        home.repositories.commit("o/r", files(&[("a/SKILL.md", a.as_str()), ("b/SKILL.md", b.as_str())]));
        if text == "first" {
            home.install("o/r/a").expect("it is installed");
            home.install("o/r/b").expect("it is installed");
        }
    }
    home
}

fn restore(home: &Home) -> Result<Vec<(SkillName, Restored)>, HubError> {
    let hub = home.hub();
    hub.apply_restore(hub.plan_restore()?, &[])
}

fn import(home: &Home, snapshot: &Snapshot, accept: &[String]) -> Vec<(String, &'static str)> {
    let hub = home.hub();
    let plan = hub.plan_import(snapshot).expect("it can be read");
    results(&hub.apply_restore(plan, accept).expect("it can be written"))
}

fn results(restored: &[(SkillName, Restored)]) -> Vec<(String, &'static str)> {
    let result = |restored: &Restored| match restored {
        Restored::Installed => "installed",
        Restored::Present => "present",
        Restored::Failed(_) => "failed",
    };
    restored.iter().map(|(name, restored)| (name.to_string(), result(restored))).collect()
}

#[test]
fn the_lock_alone_installs_everything_again_as_it_was() {
    let home = home();
    let (before, lock) = (home.visible(), home.read(".hub/lock.json"));
    for path in ["a", "b", ".hub"] {
        fs::remove_dir_all(home.path(path)).expect("failed to remove");
    }
    home.write(".hub/lock.json", &lock);
    let restored = restore(&home).expect("the lock is valid");
    assert_eq!(results(&restored), [("a".to_owned(), "installed"), ("b".to_owned(), "installed")]);
    assert_eq!(home.visible(), before);
    assert!(home.read("a/SKILL.md").contains("first"), "the source has a newer version");
    assert_eq!(home.read(".hub/lock.json"), lock);
    assert!(home.path(".hub/base/a/SKILL.md").exists());
    home.assert_clean();
    assert_eq!(
        results(&restore(&home).expect("it is valid")),
        [("a".to_owned(), "present"), ("b".to_owned(), "present")]
    );
}

#[test]
fn files_that_are_not_those_in_the_lock_are_not_installed() {
    let home = home();
    fs::remove_dir_all(home.path("a")).expect("failed to remove");
    let digest = home.hub().lock().expect("it is valid").skills[&name("a")].digest.to_string();
    let changed = home.read(".hub/lock.json").replace(&digest, &format!("sha256:{}", "0".repeat(64)));
    home.write(".hub/lock.json", &changed);
    let restored = restore(&home).expect("the lock is valid");
    let Restored::Failed(HubError::Digest { got, .. }) = &restored[0].1 else { panic!("{restored:?}") };
    assert_eq!(got.to_string(), digest);
    assert!(!home.path("a").exists());
    assert_eq!(home.read(".hub/lock.json"), changed);
}

#[test]
fn what_fails_for_one_skill_does_not_stop_others() {
    let home = home();
    for path in ["a", "b", ".hub/base/a"] {
        fs::remove_dir_all(home.path(path)).expect("failed to remove");
    }
    let changed = home.read(".hub/lock.json").replacen(&format!("{:040x}", 1), &"9".repeat(40), 2);
    home.write(".hub/lock.json", &changed);
    let restored = restore(&home).expect("the lock is valid");
    assert!(
        matches!(&restored[0].1, Restored::Failed(HubError::Source(error)) if matches!(error.fault, SourceFault::NotFound(_)))
    );
    assert!(matches!(restored[1].1, Restored::Installed));
}

#[test]
fn an_address_with_other_content_is_not_restored() {
    let home = Home::new();
    let text = home.server.url("/SKILL.md").to_string();
    home.server.fix("/SKILL.md", super::server::Reply::new(200, skill("a", "Is a", "first")));
    home.install(&text).expect("it is installed");
    for path in ["a", ".hub/base/a"] {
        fs::remove_dir_all(home.path(path)).expect("failed to remove");
    }
    home.server.fix("/SKILL.md", super::server::Reply::new(200, skill("a", "Is a", "second")));
    let restored = restore(&home).expect("the lock is valid");
    let Restored::Failed(HubError::Source(error)) = &restored[0].1 else { panic!("{restored:?}") };
    assert!(matches!(error.fault, SourceFault::OtherVersion(_)), "{error}");
}

#[test]
fn kept_files_are_restored_if_the_source_has_other_ones() {
    let home = Home::new();
    let text = home.server.url("/SKILL.md").to_string();
    home.server.fix("/SKILL.md", super::server::Reply::new(200, skill("a", "Is a", "first")));
    home.install(&text).expect("it is installed");
    fs::remove_dir_all(home.path("a")).expect("failed to remove");
    home.server.fix("/SKILL.md", super::server::Reply::new(500, String::new()));
    assert_eq!(results(&restore(&home).expect("the lock is valid")), [("a".to_owned(), "installed")]);
    assert!(home.read("a/SKILL.md").contains("first"));
    // Kept files that were changed are not those in the lock.
    fs::remove_dir_all(home.path("a")).expect("failed to remove");
    home.write(".hub/base/a/SKILL.md", "changed");
    assert_eq!(results(&restore(&home).expect("the lock is valid")), [("a".to_owned(), "failed")]);
}

#[test]
fn a_snapshot_is_installed_on_another_machine() {
    let home = home();
    home.hub().add_tap(&"x/y".parse().expect("it is a tap")).expect("it can be written");
    let text = home.hub().export().expect("the lock is valid").text();
    let other = home.other();
    other.write("b/SKILL.md", "mine");
    let snapshot = Snapshot::parse(&text).expect("it is valid");
    assert_eq!(import(&other, &snapshot, &[]), [("a".to_owned(), "installed"), ("b".to_owned(), "failed")]);
    assert_eq!(other.read("a/SKILL.md"), home.read("a/SKILL.md"));
    assert_eq!(other.read("b/SKILL.md"), "mine");
    assert_eq!(other.hub().taps().expect("it is valid").len(), 1);
    assert!(Snapshot::parse(&text.replace("\"taps\"", "\"tabs\"")).expect_err("it is damaged").line() > 1);
}

fn names(home: &Home) -> Vec<String> {
    home.hub().undoable().expect("they are valid").into_iter().map(|change| change.what).collect()
}

#[test]
fn an_import_is_one_change_and_one_undo_takes_it_back() {
    let home = home();
    home.hub().add_tap(&"x/y".parse().expect("it is a tap")).expect("it can be written");
    let snapshot = home.hub().export().expect("the lock is valid");
    let other = home.other();
    other.hub().add_tap(&"z/own".parse().expect("it is a tap")).expect("it can be written");
    assert_eq!(import(&other, &snapshot, &[]), [("a".to_owned(), "installed"), ("b".to_owned(), "installed")]);
    assert_eq!(names(&other), ["import a, b, the tap x/y"]);
    let hub = other.hub();
    hub.undo(None).expect("it can be undone");
    assert!(other.visible().is_empty() && hub.lock().expect("it is valid").skills.is_empty());
    let taps: Vec<String> = hub.taps().expect("they are valid").iter().map(ToString::to_string).collect();
    assert_eq!(taps, ["z/own"]);
    other.assert_clean();
}

#[test]
fn taps_are_not_added_if_every_skill_of_a_snapshot_fails() {
    let home = home();
    home.hub().add_tap(&"x/y".parse().expect("it is a tap")).expect("it can be written");
    let snapshot = home.hub().export().expect("the lock is valid");
    let other = home.other();
    other.write("a/SKILL.md", "mine");
    other.write("b/SKILL.md", "mine");
    assert_eq!(import(&other, &snapshot, &[]), [("a".to_owned(), "failed"), ("b".to_owned(), "failed")]);
    assert!(other.hub().taps().expect("they are valid").is_empty() && names(&other).is_empty());
    // Without skills, only taps are added.
    let only_taps = Snapshot { lock: toolc_hub::Lock::default(), ..snapshot };
    assert!(import(&other, &only_taps, &[]).is_empty());
    assert_eq!(names(&other), ["import the tap x/y"]);
}

#[test]
fn what_the_author_of_a_snapshot_has_accepted_is_not_accepted_here() {
    let home = Home::new();
    let text = skill("d", "Is doubtful", "text");
    home.repositories.commit("o/r", files(&[("d/SKILL.md", text.as_str())]));
    let accept = vec!["doubtful:SKILL.md".to_owned()];
    let options = InstallOptions { accept: accept.clone(), ..InstallOptions::default() };
    home.install_with("o/r/d", &options).expect("it is accepted");
    let snapshot = home.hub().export().expect("the lock is valid");
    let other = home.other();
    let hub = other.hub();
    let plan = hub.plan_import(&snapshot).expect("it can be read");
    assert_eq!(plan.findings().map(|finding| finding.id.clone()).collect::<Vec<_>>(), accept);
    let done = hub.apply_restore(plan, &[]).expect("it can be written");
    assert!(matches!(&done[0].1, Restored::Failed(HubError::Refused(..))), "{done:?}");
    assert!(other.visible().is_empty());
    assert_eq!(import(&other, &snapshot, &accept), [("d".to_owned(), "installed")]);
    // The own lock has the answer, and a restore needs no other one.
    fs::remove_dir_all(other.path("d")).expect("failed to remove");
    assert_eq!(results(&restore(&other).expect("the lock is valid")), [("d".to_owned(), "installed")]);
}

#[test]
fn a_skill_is_not_imported_into_another_one_of_the_same_snapshot() {
    let home = home();
    let text =
        home.hub().export().expect("the lock is valid").text().replace("\"folder\": \"b\"", "\"folder\": \"a/b\"");
    let other = home.other();
    let snapshot = Snapshot::parse(&text).expect("it is valid");
    assert_eq!(import(&other, &snapshot, &[]), [("a".to_owned(), "installed"), ("b".to_owned(), "failed")]);
    assert_eq!(other.visible().into_keys().collect::<Vec<_>>(), ["a/SKILL.md"]);
}

#[test]
fn one_change_installs_a_bounded_number_of_bytes() {
    let home = home();
    let snapshot = home.hub().export().expect("the lock is valid");
    let other = home.other();
    let limits = toolc_hub::Limits { bytes: 45, ..toolc_hub::Limits::default() };
    let a = home.read("a/SKILL.md").len();
    assert!((limits.bytes * 7 / 8..=limits.bytes).contains(&a), "{a}");
    let settings = toolc_hub::Settings { limits, ..super::home::settings(&other.server) };
    let hub = toolc_hub::Hub::open(other.skills(), super::home::client(), settings, super::home::guard);
    let hub = hub.expect("it opens");
    let mut many = snapshot.clone();
    let one = many.lock.skills.remove(&name("a")).expect("it is in the lock");
    many.lock.skills.clear();
    for number in 0..10 {
        let folder: toolc_hub::SkillFolder = format!("a{number}").parse().expect("a folder");
        many.lock.skills.insert(folder.name().clone(), toolc_hub::LockedSkill { folder, ..one.clone() });
    }
    let plan = hub.plan_import(&many).expect("it can be read");
    let done = hub.apply_restore(plan, &[]).expect("it can be written");
    let installed = done.iter().filter(|(_, restored)| matches!(restored, Restored::Installed)).count();
    assert!((8..10).contains(&installed), "{done:?}");
    assert!(matches!(&done[9].1, Restored::Failed(HubError::TooMuch(_))), "{done:?}");
}
