//! Which rules are looked for, and how much each of them matters: by default, by `toolc.toml`, by the command line.

use std::collections::BTreeMap;

use super::rules::{CATEGORIES, codes};
use crate::diagnostic::{At, Code, Diagnostic, Level, Sink};
use crate::manifest::RuleLevel;

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
        return Selected::Rules(category.codes().filter(|code| !code.is_fixed()).collect());
    }
    match find(text) {
        Some(code) if code.is_fixed() => Selected::Fixed(code),
        Some(code) => Selected::Rules(vec![code]),
        None => Selected::Unknown,
    }
}

/// The rule of that code or name.
pub fn find(text: &str) -> Option<Code> {
    codes().find(|code| code.id == text || code.name == text)
}

/// Resolves a line of `[lint]` in `toolc.toml`. A name that cannot be resolved is reported.
pub(super) fn resolve(name: &At<String>, level: RuleLevel, sink: &Sink) -> Vec<(Code, Option<Level>)> {
    let unknown = |message| Diagnostic::new(Code::UNKNOWN_CODE, name.place, message);
    let rules = match select(&name.value) {
        Selected::Rules(rules) => rules,
        Selected::Fixed(code) => {
            let message = format!("`{}` is always an error: there is nothing to compile where it is found", code.name);
            sink.push(unknown(message).help("take this line out"));
            return Vec::new();
        }
        Selected::Unknown => {
            let known = codes().filter(|code| !code.is_fixed()).map(|code| code.name);
            let found = unknown(format!("there is no rule `{}`", name.value));
            sink.push(found.help_nearest(&name.value, known, "those whose level can be set are"));
            return Vec::new();
        }
    };
    let level = match level {
        RuleLevel::Allow => None,
        RuleLevel::Deny => Some(Level::Error),
        RuleLevel::Warn => Some(Level::Warning),
    };
    rules.into_iter().map(|code| (code, level)).collect()
}

/// The level of every rule in one run.
#[derive(Debug)]
pub(super) struct Levels<'o> {
    set: BTreeMap<&'static str, Option<Level>>,
    options: &'o Options,
}

impl<'o> Levels<'o> {
    pub(super) fn new(project: &[(Code, Option<Level>)], options: &'o Options) -> Self {
        let set = project.iter().chain(&options.levels).map(|(code, level)| (code.id, *level)).collect();
        Self { set, options }
    }

    /// Whether findings of a code are reported.
    pub(super) fn is_on(&self, code: Code) -> bool {
        self.get(code, code.level).is_some()
    }

    /// The level of a finding, or `None` if it is not reported.
    pub(super) fn of_finding(&self, found: &Diagnostic) -> Option<Level> {
        self.get(found.code, found.code.level.map(|_| found.level))
    }

    /// The level of a code whose default is `default`.
    fn get(&self, code: Code, default: Option<Level>) -> Option<Level> {
        if code.is_fixed() {
            return code.level;
        }
        let only = &self.options.only;
        let named = only.contains(&code);
        if !only.is_empty() && !named {
            return None;
        }
        // A rule that is named on the command line is on.
        let default = default.or(named.then_some(Level::Warning));
        let level = self.set.get(code.id).copied().unwrap_or(default)?;
        Some(if self.options.deny_warnings { Level::Error } else { level })
    }
}
