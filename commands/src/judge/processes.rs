//! Checks whether an argument can be the number of a process on which the host depends.

use crate::certainty::Match;
use crate::judge::conditions::Check;
use crate::judge::data::DataSources;
use crate::span::Span;
use crate::syntax::{Part, Word};

/// The maximum depth of values within values that are followed.
const MAX_VALUES: usize = 4;

/// Parts of arguments by which a command finds processes of the host, such as `ps -o ppid=`, in lower case.
const FINDERS: &[&str] = &["ppid", "toolc", "/proc/"];

impl Check<'_, '_> {
    /// Returns whether an argument can be such a number, or that of its group, and where it is.
    pub(super) fn own_processes(&self) -> (Match, Option<Span>) {
        let words = self.subject.command.arguments();
        let end = words.iter().position(|word| word.literal().as_deref() == Some("--"));
        for (index, word) in words.iter().enumerate() {
            // `kill -15 NUMBER`: the first option is a signal.
            let can_be_group = index > 0 || end.is_some_and(|end| index > end);
            let found = self.own_process(word, can_be_group);
            if found != Match::No {
                return (found, Some(word.span));
            }
        }
        (Match::No, None)
    }

    fn own_process(&self, word: &Word, can_be_group: bool) -> Match {
        if let Some(text) = word.text() {
            let number = text.strip_prefix("--pid=").unwrap_or(&text);
            let number = if can_be_group { number.strip_prefix('-').unwrap_or(number) } else { number };
            let is_own = |id: u32| id == 1 || self.subject.line.processes.contains(&id);
            return number.parse().is_ok_and(is_own).into();
        }
        if word.parts.iter().any(|part| self.is_parent(part, MAX_VALUES)) {
            return Match::Yes;
        }
        let line = self.subject.line;
        let sources = DataSources::of_words(line, std::slice::from_ref(word));
        let finds_own = |word: &Word| {
            let text = word.certain_start().to_ascii_lowercase();
            FINDERS.iter().any(|finder| text.contains(finder))
        };
        let is_finder = |id| {
            let command = line.reading.command(id);
            command.arguments().iter().any(finds_own)
                || command.redirects.iter().any(|redirect| finds_own(&redirect.target))
        };
        sources.into_iter().any(is_finder).into()
    }

    /// Returns whether a part is the parent of the shell, which is the host.
    fn is_parent(&self, part: &Part, depth: usize) -> bool {
        match part {
            Part::Variable { name, .. } if name == "PPID" => true,
            Part::Variable { name, .. } if depth > 0 => {
                let value = self.subject.line.only_value(name);
                value.is_some_and(|value| {
                    // `declare -i p=PPID`
                    value.text().as_deref() == Some("PPID")
                        || value.parts.iter().any(|part| self.is_parent(part, depth - 1))
                })
            }
            // `$((PPID))`: what it computes is not known.
            Part::Arithmetic { .. } => true,
            _ => false,
        }
    }
}
