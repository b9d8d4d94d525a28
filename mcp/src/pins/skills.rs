//! Compares the skills that a server lists with those that were accepted. A skill is pinned by its whole entry: a change of one of its
//! files changes a digest.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

use serde_json::{Map, Value};

use super::change::{Change, ChangeClass};
use super::lock::Lock;
use super::{HeldBack, TURN, findings};
use crate::settings::{PinPolicy, Pinning, Server};

/// The member of a definition with the digests of its files, by path.
pub(crate) const FILES: &str = "files";
/// The member of a definition with its front matter.
pub(crate) const FRONT_MATTER: &str = "front matter";

/// A skill as it is compared with the lock file.
#[derive(Debug, Clone)]
pub(crate) struct SkillDefinition {
    pub(crate) uri: String,
    /// The name among the skills of the server.
    pub(crate) label: String,
    /// The front matter and the digests of the files.
    pub(crate) whole: Value,
}

/// The result of a comparison.
#[derive(Debug, Default)]
pub(crate) struct SkillReview {
    /// The addresses of the skills that can be used.
    pub(crate) accepted: BTreeSet<String>,
    pub(crate) held_back: Vec<HeldBack>,
    /// The addresses of accepted skills that the server does not list any more.
    pub(crate) removed: Vec<String>,
    /// Why the lock file cannot be read or written.
    pub(crate) problem: Option<String>,
}

impl Pinning {
    /// Compares skills with the lock file, and pins those that no person must accept: with the first list of a server, all whose texts are
    /// not suspicious. If `is_all`, these are all skills of the server.
    pub(crate) fn review_skills(&self, server: &Server, listed: &[SkillDefinition], is_all: bool) -> SkillReview {
        let mut review = SkillReview::default();
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let before = match Lock::read(&self.file) {
            Ok(read) => read.unwrap_or_else(|| Lock::new(server, None)),
            Err(problem) => {
                review.held_back = listed.iter().map(|skill| held(skill, false, Vec::new(), Vec::new())).collect();
                review.problem = Some(problem.to_string());
                return review;
            }
        };
        let pinned = before.skills.clone().unwrap_or_default();
        let (is_first, mut after) = (before.skills.is_none(), pinned.clone());
        for skill in listed {
            let known = pinned.get(&skill.uri);
            if known == Some(&skill.whole) {
                review.accepted.insert(skill.uri.clone());
                continue;
            }
            let (is_new, findings) = (known.is_none(), findings::findings(&skill.whole));
            let is_accepted = findings.is_empty()
                && match self.policy {
                    PinPolicy::Off => true,
                    PinPolicy::Additive => is_new,
                    PinPolicy::Strict => is_first,
                };
            if is_accepted {
                after.insert(skill.uri.clone(), skill.whole.clone());
                review.accepted.insert(skill.uri.clone());
            } else {
                let changes = known.map(|known| changes(known, &skill.whole)).unwrap_or_default();
                review.held_back.push(held(skill, is_new, changes, findings));
            }
        }
        if is_all {
            let is_listed = |uri: &&String| listed.iter().any(|skill| skill.uri == **uri);
            review.removed = pinned.keys().filter(|uri| !is_listed(uri)).cloned().collect();
        }
        // A list that failed or broke off is not the first one: a strict policy would hold back what it lacks.
        let is_new = if is_first { is_all } else { after != pinned };
        let is_written = !self.for_review && self.policy != PinPolicy::Off && is_new;
        if is_written {
            let lock = before.with_skills(Some(after));
            review.problem = lock.write(&self.file).err().map(|error| error.to_string());
        }
        review
    }
}

fn held(
    skill: &SkillDefinition,
    is_new: bool,
    changes: Vec<Change>,
    findings: Vec<super::findings::TextFinding>,
) -> HeldBack {
    let definition = is_new.then(|| skill.whole.clone());
    HeldBack { tool: skill.label.clone(), is_new, is_skill: true, definition, changes, findings }
}

/// Returns the changes from one definition of a skill to another: each field of the front matter, and each file.
fn changes(old: &Value, new: &Value) -> Vec<Change> {
    let mut changes = Vec::new();
    for part in [FRONT_MATTER, FILES] {
        let nothing = Map::new();
        let of = |value: &'_ Value| value[part].as_object().cloned();
        let (old, new) = (of(old).unwrap_or_else(|| nothing.clone()), of(new).unwrap_or(nothing));
        let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for key in keys.into_iter().filter(|key| old.get(*key) != new.get(*key)) {
            let is_text = part == FRONT_MATTER && ["description", "license", "compatibility"].contains(&key.as_str());
            let class = if is_text { ChangeClass::Wording } else { ChangeClass::Behaviour };
            changes.push(Change::new(class, &format!("{part}: {key}"), old.get(key), new.get(key)));
        }
    }
    changes
}

/// Returns the definition of a skill.
pub(crate) fn definition(front_matter: &Map<String, Value>, files: BTreeMap<&str, &str>) -> Value {
    let files: Map<String, Value> = files.into_iter().map(|(path, digest)| (path.to_owned(), digest.into())).collect();
    let parts = [(FRONT_MATTER, front_matter.clone()), (FILES, files)];
    Value::Object(parts.into_iter().map(|(name, part)| (name.to_owned(), Value::Object(part))).collect())
}
