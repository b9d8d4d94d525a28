//! Which rules are looked for, and how much each of them matters: by default, by `toolc.toml`, by the command line.

use std::collections::BTreeMap;

use super::rules::CATEGORIES;
use super::{Code, Rule};
use crate::diagnostic::Level;

/// What one run is asked for, beyond what `toolc.toml` says.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Only these rules are looked for, also those that are off. Empty: all. Errors of the reader are always told.
    pub only: Vec<Code>,
    /// Levels; the later one wins, and all of them win over those in `toolc.toml`.
    pub levels: Vec<(Code, Option<Level>)>,
    /// Warnings count as errors.
    pub deny_warnings: bool,
    /// Findings in the project's baseline count as any other.
    pub without_baseline: bool,
}

impl Options {
    /// Only one rule is looked for.
    pub fn only(code: Code) -> Self {
        Self { only: vec![code], ..Self::default() }
    }
}

/// What levels can be set for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selected {
    /// These rules: one by its code or name, or all of a category whose level can be set.
    Rules(Vec<Code>),
    /// This rule's level is fixed.
    Fixed(Code),
    /// There is nothing of that name.
    Unknown,
}

/// What a code, a name or a category's letter stands for.
pub fn select(text: &str) -> Selected {
    if let Some(category) = CATEGORIES.iter().find(|category| category.letter == text) {
        return Selected::Rules(category.rules().filter(|code| !code.is_fixed()).collect());
    }
    match find(text) {
        Some(code) if code.is_fixed() => Selected::Fixed(code),
        Some(code) => Selected::Rules(vec![code]),
        None => Selected::Unknown,
    }
}

/// The rule of that code or name.
pub fn find(text: &str) -> Option<Code> {
    Code::all().find(|code| code.id == text || code.name == text)
}

/// The level of every rule in one run.
#[derive(Debug)]
pub(crate) struct Levels<'o> {
    set: BTreeMap<&'static str, Option<Level>>,
    options: &'o Options,
}

impl<'o> Levels<'o> {
    pub(crate) fn new(project: &[(Code, Option<Level>)], options: &'o Options) -> Self {
        let set = project.iter().chain(&options.levels).map(|(code, level)| (code.id, *level)).collect();
        Self { set, options }
    }

    /// None: it is not told.
    pub(crate) fn of(&self, rule: &Rule) -> Option<Level> {
        if rule.is_fixed() {
            return rule.level;
        }
        let only = &self.options.only;
        let named = only.iter().any(|code| code.id == rule.id);
        if !only.is_empty() && !named {
            return None;
        }
        // Who names a rule wants to hear of it.
        let default = rule.level.or(named.then_some(Level::Warning));
        let level = self.set.get(rule.id).copied().unwrap_or(default)?;
        Some(if self.options.deny_warnings { Level::Error } else { level })
    }
}
