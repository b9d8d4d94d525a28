//! Whether an exception is about everything that a command has.
//!
//! Other rules look for one option, operand or file that decides. An exception lifts what they find, so a single part that
//! it does not mention must be enough to prevent it.

use std::borrow::Cow;

use crate::certainty::Match;
use crate::flags::{Argument, Value};
use crate::judge::components::PathWord;
use crate::judge::conditions::Check;
use crate::judge::options::looks_like_option;
use crate::rules::{Conditions, pattern};
use crate::syntax::{Part, Word};

impl<'a> Check<'_, 'a> {
    /// Returns whether every option, operand, file and variable of the command meets the conditions about its kind, if there
    /// are any. What is known only at run time is not certain to meet them.
    pub(super) fn covers_all(&self, wanted: &Conditions<'_>) -> Match {
        let operands = self.operands_after_subcommand(wanted);
        let is_appended = self.subject.command.appended;
        let about_arguments = [
            wanted.flags,
            wanted.arguments,
            wanted.operands_in,
            wanted.sources_in,
            wanted.operands_outside,
            wanted.mentions,
            wanted.reads,
        ];
        if is_appended && about_arguments.iter().any(|entries| !entries.is_empty()) {
            return Match::Maybe;
        }
        let mut found = Match::Yes;
        if !wanted.flags.is_empty() {
            found = found & self.covers_options(wanted.flags, self.subject.arguments.iter());
        }
        if wanted.without_flags.iter().any(|flag| self.flag(flag).0 != Match::No) {
            return Match::No;
        }
        if wanted.no_operands {
            found = found & operands.is_empty().into();
        }
        if !wanted.arguments.is_empty() {
            found = found & Match::all(operands.iter().map(|word| self.is_one_of(wanted.arguments, word)));
        }
        found = found & self.covers_files(wanted, &operands);
        if !wanted.variables.is_empty() {
            let mut assignments = self.subject.command.assignments.iter();
            let is_wanted = |name: &str| wanted.variables.iter().any(|pattern| pattern::matches(pattern, name));
            found = found & assignments.all(|assignment| is_wanted(&assignment.name)).into();
        }
        found
    }

    /// Returns whether every file of each kind is in the places that the conditions name for it.
    fn covers_files(&self, wanted: &Conditions<'_>, operands: &[Cow<'a, Word>]) -> Match {
        let mut found = Match::Yes;
        if !wanted.operands_in.is_empty() {
            found = found & self.all_in_places(wanted.operands_in, operands);
        }
        if !wanted.sources_in.is_empty() {
            let sources = &operands[..operands.len().saturating_sub(1)];
            found = found & self.all_in_places(wanted.sources_in, sources);
        }
        if !wanted.values_in.is_empty() {
            let names: Vec<&str> = wanted.flags.iter().map(|flag| pattern::split_flag(flag).0).collect();
            let values: Vec<_> = self.subject.values(&names).collect();
            found = found & self.all_in_places(wanted.values_in, &values);
        }
        if !wanted.mentions.is_empty() {
            found = found & self.all_in_places(wanted.mentions, operands);
        }
        if !wanted.operands_outside.is_empty() {
            found = found & Match::all(operands.iter().map(|word| !self.place_of(wanted.operands_outside, word)));
        }
        if !wanted.writes.is_empty() {
            found = found & self.all_in_places(wanted.writes, &self.subject.written());
        }
        if !wanted.input_in.is_empty() {
            found = found & self.all_in_places(wanted.input_in, &self.subject.input_words());
        }
        if !wanted.reads.is_empty() {
            let own: Vec<_> = self.subject.operands().take(self.subject.operands().count() - operands.len()).collect();
            let mut read = self.subject.read_words();
            // An option itself is not a file, but its value is among the words too.
            read.retain(|word| !word.certain_start().starts_with('-') && !own.iter().any(|own| own.span == word.span));
            found = found & self.all_in_places(wanted.reads, &read);
        }
        found
    }

    /// Returns the operands without those that are the subcommand of the rule.
    pub(super) fn operands_after_subcommand(&self, wanted: &Conditions<'_>) -> Vec<Cow<'a, Word>> {
        self.subject.operands().skip(self.operands_of_subcommand(wanted)).map(Cow::Borrowed).collect()
    }

    /// Returns the number of operands that are the subcommand of the rule.
    pub(super) fn operands_of_subcommand(&self, wanted: &Conditions<'_>) -> usize {
        let matching = wanted.subcommands.iter().filter(|words| self.subcommand(words) == Match::Yes);
        let operands_of = |words: &&[&str]| words.iter().filter(|word| !word.starts_with('-')).count();
        matching.map(operands_of).max().unwrap_or_default()
    }

    /// Returns whether the command has no other options than these, whatever its words become at run time. A value that looks like
    /// an option may be one, and a word of the subcommand after an unknown option may be the option's value.
    pub(super) fn has_only(&self, wanted: &Conditions<'_>) -> Match {
        let words = self.subject.own_words();
        let can_be_option = |word: &Word| looks_like_option(word) || word.starts_with_expansion();
        let is_safe = |argument: &Argument<'_>| match argument {
            Argument::Option { value: Some(Value::Word(word)), .. } => !can_be_option(word),
            _ => true,
        };
        // `a$X` can become several words.
        let splits = |part: &Part| part.splits() && self.can_be_chosen(part);
        let may_split = words.iter().any(|word| word.parts.iter().any(splits));
        let of_subcommand = self.operands_of_subcommand(wanted);
        let mut operands = 0;
        let mut follows_unknown = false;
        let can_be_value = self.subject.arguments.iter().any(|argument| match argument {
            Argument::Option { name, value, .. } => {
                follows_unknown = value.is_none() && self.subject.may_take_value(name);
                false
            }
            Argument::Operand { .. } | Argument::Either { .. } => {
                operands += 1;
                std::mem::take(&mut follows_unknown) && operands <= of_subcommand
            }
        });
        if can_be_value {
            return Match::Maybe;
        }
        if self.subject.command.appended || may_split || !self.subject.arguments.iter().all(is_safe) {
            return Match::Maybe;
        }
        let can_be_option = |argument: &&Argument<'_>| match argument {
            Argument::Either { word, .. } => {
                let first = word.parts.first();
                first.is_some_and(|part| matches!(part, Part::Glob(_)) || self.is_of_environment(part))
                    || self.subject.can_be_option(word)
            }
            Argument::Option { .. } | Argument::Operand { .. } => true,
        };
        self.covers_options(wanted.only_flags, self.subject.arguments.iter().filter(can_be_option))
    }

    /// Returns whether the value of a part can be any text.
    fn can_be_chosen(&self, part: &Part) -> bool {
        self.subject.line.can_be_anything(part) || self.is_of_environment(part)
    }

    /// Returns whether a part is a variable of the environment, other than those with a path of the system.
    fn is_of_environment(&self, part: &Part) -> bool {
        let is_path = |name: &str| matches!(name, "HOME" | "PWD" | "TMPDIR");
        matches!(part, Part::Variable { name, .. } if !is_path(name) && self.subject.line.is_of_environment(name))
    }

    /// Returns whether each option is one of these, with a value that matches. An abbreviation can stand for another option.
    fn covers_options<'o>(&self, flags: &[&str], arguments: impl Iterator<Item = &'o Argument<'a>>) -> Match
    where
        'a: 'o,
    {
        let words = self.subject.own_words();
        let is_flag = |flag: &str, argument: &Argument<'a>| match argument {
            Argument::Operand { .. } => Match::Yes,
            Argument::Either { .. } => Match::Maybe,
            Argument::Option { name, value, index } => {
                let (wanted, pattern) = pattern::split_flag(flag);
                // A longer option with one dash, such as `-delete`, looks like a cluster.
                let is_whole = words.get(*index).is_some_and(|word| self.matches(wanted, word) == Match::Yes);
                let value = value.as_ref().filter(|_| !is_whole).map(|value| self.subject.value_word(value, *index));
                Match::from(is_whole || name == wanted) & self.value(pattern, value, *index)
            }
        };
        let is_covered = |argument| Match::any(flags.iter().map(|flag| is_flag(flag, argument)));
        Match::all(arguments.map(is_covered))
    }

    fn is_one_of(&self, patterns: &[&str], word: &Word) -> Match {
        Match::any(patterns.iter().map(|pattern| self.compare(pattern, word)))
    }

    fn all_in_places(&self, names: &[&str], words: &[Cow<'_, Word>]) -> Match {
        Match::all(words.iter().map(|word| self.place_of(names, word)))
    }

    /// Returns whether a word is a path in one of these places. A glob can find files elsewhere as well.
    fn place_of(&self, names: &[&str], word: &Word) -> Match {
        let path = PathWord::new(word, self.subject.command, self.subject.line);
        let places = names.iter().filter_map(|name| self.rules.place_index(name));
        let found = Match::any(places.map(|place| path.is_in(place, self.rules, self.subject.line.roots())));
        let (command, line) = (self.subject.command, self.subject.line);
        let is_linked = !path.through_links(command, line).is_empty()
            || !PathWord::real_paths(word, &[&path], command, line).is_empty();
        let is_known =
            !is_linked && word.parts.iter().all(|part| matches!(part, Part::Literal { .. } | Part::Tilde { .. }));
        if is_known { found } else { Match::Maybe }
    }
}
