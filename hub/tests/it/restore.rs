//! Everything again, from the lock or a snapshot.

use std::fs;

use toolc_hub::{HubError, Restored, Snapshot, SourceFault};

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

fn results(restored: &[(toolc_hub::SkillName, Restored)]) -> Vec<(String, &'static str)> {
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
    let restored = home.hub().restore().expect("the lock is valid");
    assert_eq!(results(&restored), [("a".to_owned(), "installed"), ("b".to_owned(), "installed")]);
    assert_eq!(home.visible(), before);
    assert!(home.read("a/SKILL.md").contains("first"), "the source has a newer version");
    assert_eq!(home.read(".hub/lock.json"), lock);
    assert!(home.path(".hub/base/a/SKILL.md").exists());
    home.assert_clean();
    assert_eq!(
        results(&home.hub().restore().expect("it is valid")),
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
    let restored = home.hub().restore().expect("the lock is valid");
    let Restored::Failed(HubError::Digest { got, .. }) = &restored[0].1 else { panic!("{restored:?}") };
    assert_eq!(got.to_string(), digest);
    assert!(!home.path("a").exists());
    assert_eq!(home.read(".hub/lock.json"), changed);
}

#[test]
fn what_fails_for_one_skill_does_not_stop_others() {
    let home = home();
    for path in ["a", "b"] {
        fs::remove_dir_all(home.path(path)).expect("failed to remove");
    }
    let changed = home.read(".hub/lock.json").replacen(&format!("{:040x}", 1), &"9".repeat(40), 2);
    home.write(".hub/lock.json", &changed);
    let restored = home.hub().restore().expect("the lock is valid");
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
    fs::remove_dir_all(home.path("a")).expect("failed to remove");
    home.server.fix("/SKILL.md", super::server::Reply::new(200, skill("a", "Is a", "second")));
    let restored = home.hub().restore().expect("the lock is valid");
    let Restored::Failed(HubError::Source(error)) = &restored[0].1 else { panic!("{restored:?}") };
    assert!(matches!(error.fault, SourceFault::OtherVersion(_)), "{error}");
}

#[test]
fn a_snapshot_is_installed_on_another_machine() {
    let home = home();
    home.hub().add_tap(&"x/y".parse().expect("it is a tap")).expect("it can be written");
    let text = home.hub().export().expect("the lock is valid").text();
    let other = home.other();
    other.write("b/SKILL.md", "mine");
    let snapshot = Snapshot::parse(&text).expect("it is valid");
    let imported = other.hub().import(&snapshot).expect("it can be read");
    assert_eq!(results(&imported), [("a".to_owned(), "installed"), ("b".to_owned(), "failed")]);
    assert_eq!(other.read("a/SKILL.md"), home.read("a/SKILL.md"));
    assert_eq!(other.read("b/SKILL.md"), "mine");
    assert_eq!(other.hub().taps().expect("it is valid").len(), 1);
    assert!(Snapshot::parse(&text.replace("\"taps\"", "\"tabs\"")).expect_err("it is damaged").line() > 1);
}
