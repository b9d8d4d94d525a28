//! The level of each rule: by default, from `toolc.toml`, and from the command line.

use std::collections::BTreeMap;

use super::rules::{CATEGORIES, all_codes, codes};
use crate::diagnostic::{At, Code, Diagnostic, Level, Sink};
use crate::manifest::RuleLevel;

/// The options of one run, in addition to `toolc.toml`.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The rules to run, including those that are off by default. If empty, all enabled rules run. Errors of the compiler are always
    /// reported.
    pub only: Vec<Code>,
    /// Levels, which override those in `toolc.toml`. Later ones win.
    pub levels: Vec<(Code, Option<Level>)>,
    /// Whether warnings count as errors.
    pub deny_warnings: bool,
    /// Whether to ignore the project's baseline.
    pub without_baseline: bool,
}

impl Options {
    /// Runs only one rule.
    pub fn only(code: Code) -> Self {
        Self { only: vec![code], ..Self::default() }
    }
}

/// What a name in a level setting refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selected {
    /// A rule, by its code or name, or all rules of a category whose level can be set.
    Rules(Vec<Code>),
    /// A rule whose level is fixed.
    Fixed(Code),
    /// An unknown name.
    Unknown,
}

/// Resolves a code, a name, or the letter of a category.
pub fn select(text: &str) -> Selected {
    if let Some(category) = CATEGORIES.iter().find(|category| category.letter.eq_ignore_ascii_case(text)) {
        return Selected::Rules(category.codes().filter(|code| !code.is_fixed()).collect());
    }
    match find(text) {
        Some(code) if code.is_fixed() => Selected::Fixed(code),
        Some(code) => Selected::Rules(vec![code]),
        None => Selected::Unknown,
    }
}

/// Finds a rule by its code or name, in upper or lower case.
pub fn find(text: &str) -> Option<Code> {
    all_codes().find(|code| code.id.eq_ignore_ascii_case(text) || code.name.eq_ignore_ascii_case(text))
}

/// Resolves a line of `[lint]` in `toolc.toml`. A name that cannot be resolved is reported.
pub(super) fn resolve(name: &At<String>, level: RuleLevel, sink: &Sink) -> Vec<(Code, Option<Level>)> {
    let unknown = |message| Diagnostic::new(codes::UNKNOWN_CODE, name.place, message);
    let rules = match select(&name.value) {
        Selected::Rules(rules) => rules,
        Selected::Fixed(code) => {
            let message = format!("`{}` is always an error: its level cannot be changed", code.name);
            sink.push(unknown(message).help("remove this line"));
            return Vec::new();
        }
        Selected::Unknown => {
            let known = all_codes().filter(|code| !code.is_fixed()).map(|code| code.name);
            let found = unknown(format!("unknown rule `{}`", name.value));
            sink.push(found.help_nearest(&name.value, known, "rules whose level can be set:"));
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

    /// Returns whether findings of a code are reported.
    pub(super) fn is_on(&self, code: Code) -> bool {
        self.get(code, code.level).is_some()
    }

    /// Returns the level of a finding, or `None` if it is not reported.
    pub(super) fn of_finding(&self, found: &Diagnostic) -> Option<Level> {
        self.get(found.code, found.code.level.map(|_| found.level))
    }

    /// Returns the level of a code whose default is `default`.
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
