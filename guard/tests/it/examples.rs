//! Every example of a hostile skill is blocked for its reason, and no harmless one is.

use std::path::Path;

use crate::cases::{blocking, cases, judge, judge_files};
use crate::folders;

#[test]
fn every_hostile_skill_is_blocked_for_its_reason() {
    let mut missed = String::new();
    let cases = cases(include_str!("../data/hostile.txt"));
    assert!(cases.len() >= 60, "{}", cases.len());
    for case in cases {
        let found = blocking(&judge(&case.files));
        if !found.contains(&format!("  {} ", case.code)) {
            missed += &format!("{}: expected {}, found:\n{found}", case.name, case.code);
        }
    }
    assert!(missed.is_empty(), "{missed}");
}

#[test]
fn no_harmless_skill_is_blocked() {
    let mut blocked = String::new();
    let cases = cases(include_str!("../data/harmless.txt"));
    assert!(cases.len() >= 50, "{}", cases.len());
    for case in cases {
        let found = blocking(&judge(&case.files));
        if !found.is_empty() {
            blocked += &format!("{}:\n{found}", case.name);
        }
    }
    assert!(blocked.is_empty(), "{blocked}");
}

#[test]
fn no_skill_that_ships_with_the_program_would_be_blocked_from_a_stranger() {
    let (mut skills, mut blocked) = (Vec::new(), String::new());
    folders::find_skills(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../skills"), &mut skills);
    assert!(skills.len() >= 10, "{skills:?}");
    for skill in skills {
        let found = blocking(&judge_files(&folders::read(&skill)));
        if !found.is_empty() {
            blocked += &format!("{}:\n{found}\n", skill.display());
        }
    }
    assert!(blocked.is_empty(), "{blocked}");
}
