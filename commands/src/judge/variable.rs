//! A variable that a command sets, and how it is compared with rules.

use std::borrow::Cow;

use crate::certainty::Match;
use crate::characters::UNKNOWN;
use crate::judge::text::{text_below_home, with_unknown};
use crate::programs::SHELL;
use crate::reading::Command;
use crate::rules::pattern;
use crate::span::Span;
use crate::syntax::Word;

/// A variable that a command sets.
pub(super) struct SetVariable {
    /// The name, with [`UNKNOWN`] for what is known only at run time.
    pub(super) name: String,
    /// The value, with `~` for the home folder. `None` if it is known only at run time.
    value: Option<String>,
    pub(super) span: Span,
}

impl SetVariable {
    pub(super) fn new(name: &str, value: Option<&Word>, span: Span) -> Self {
        let value = value.and_then(text_below_home).map(Cow::into_owned);
        Self { name: name.to_owned(), value, span }
    }

    /// Returns whether this is a variable with a name, whose value is known only at run time.
    pub(super) fn is_computed(&self, name: &str) -> bool {
        self.name == name && self.value.is_none()
    }

    pub(super) fn is_known(&self) -> bool {
        !self.name.contains(UNKNOWN)
    }

    /// Returns `NAME=VALUE`. The value has a NUL if it is not known.
    fn assignment(&self) -> String {
        format!("{}={}", self.name, self.value.as_deref().unwrap_or("\0"))
    }

    /// Returns whether this is one of the variables, or assignments, that patterns describe.
    pub(super) fn is_one(&self, patterns: &[&str], except: &[&str]) -> Match {
        // Most variables match no pattern, so the exceptions are compared last.
        let found = self.is_among(patterns);
        if found != Match::No && except.iter().any(|pattern| pattern::matches(pattern, &self.assignment())) {
            return Match::No;
        }
        found
    }

    fn is_among(&self, patterns: &[&str]) -> Match {
        if self.is_known() {
            let assignment = self.assignment();
            // A pattern with `=` is about the value, too.
            let is_met = |pattern: &&str| {
                pattern::can_begin_alike(pattern, &assignment)
                    && pattern::matches(pattern, if pattern.contains('=') { &assignment } else { &self.name })
            };
            return patterns.iter().any(is_met).into();
        }
        // A known beginning says that the name is not one of those that only end in the same way.
        let name = with_unknown(&self.name, self.span);
        let is_possible = |pattern: &&str| {
            !pattern.contains('=')
                && (!pattern.starts_with('*') || self.name.starts_with(UNKNOWN))
                && pattern::matches_word(pattern, &name) != Match::No
        };
        if patterns.iter().any(is_possible) { Match::Maybe } else { Match::No }
    }
}

/// Returns whether shells, or an option of one, make every argument `NAME=VALUE` an assignment: `set -k`.
pub(super) fn makes_keywords(command: &Command) -> bool {
    let Some(name) = command.program.name().filter(|name| *name == "set" || SHELL.get(name).is_some()) else {
        return false;
    };
    let mut is_value = false;
    for word in command.arguments() {
        let text = word.certain_start();
        if std::mem::take(&mut is_value) && text == "keyword" {
            return true;
        }
        let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty() && *letters != "-") else {
            if name == "set" || !text.starts_with('+') {
                return false;
            }
            continue;
        };
        let is_cluster = !letters.starts_with('-');
        if is_cluster && letters.contains('k') {
            return true;
        }
        is_value = is_cluster && letters.ends_with('o');
    }
    false
}
