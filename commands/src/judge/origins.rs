//! Checks which commands the input, the files and the program of a command come from.

use std::borrow::Cow;

use crate::certainty::Match;
use crate::flags::has_dash;
use crate::judge::conditions::Check;
use crate::judge::sources::{By, sources};
use crate::judge::subject::Subject;
use crate::rules::{Conditions, pattern};
use crate::span::Span;
use crate::syntax::{CommandId, Part, ScopeKind, Word};

impl<'a> Check<'_, 'a> {
    pub(super) fn sources(&mut self, wanted: &Conditions<'_>) {
        if !wanted.input_from.is_empty() {
            let found = self.comes_from(wanted.input_from, By::Input);
            self.require(found.into());
        }
        if !wanted.file_from.is_empty() && self.can_match() {
            let files = self.run_files(wanted);
            let found = self.comes_from(wanted.file_from, By::Words(&files))
                || !wanted.flags.is_empty() && self.module_comes_from(wanted.file_from, &files);
            self.require(found.into());
        }
        if !wanted.data_in.is_empty() && self.can_match() {
            self.require(self.has_data_in(wanted).into());
        }
        if !wanted.data_from.is_empty() && self.can_match() {
            self.require(self.has_data_from(wanted.data_from).into());
        }
        if !wanted.input_only_from.is_empty() && self.can_match() {
            let found = self.comes_only_from(wanted.input_only_from);
            self.require(found.into());
        }
        if !wanted.program_from.is_empty() && self.can_match() {
            let found = match wanted.implicit_files {
                [] => self.comes_from(wanted.program_from, By::Program(&self.program_file())),
                names => {
                    self.comes_from(wanted.program_from, By::Names(names)) || self.follows_setter(wanted.program_from)
                }
            };
            self.require(found.into());
        }
    }

    /// Returns whether an earlier command of the line is one of these programs with a subcommand, which writes a file that it does not
    /// name: `npm pkg set`.
    fn follows_setter(&self, patterns: &[&str]) -> bool {
        let has_subcommand = |pattern: &&str| pattern.split_once(' ').is_some_and(|(_, rest)| !rest.starts_with('/'));
        let setters: Vec<&str> = patterns.iter().copied().filter(has_subcommand).collect();
        !setters.is_empty() && (0..self.subject.id).any(|id| self.is_program(id, &setters))
    }

    /// Returns the files that the command runs: the values of the options of the rule, or else the first operand after its
    /// subcommand.
    pub(super) fn run_files(&self, wanted: &Conditions<'_>) -> Vec<Cow<'a, Word>> {
        let flags: Vec<&str> = wanted.flags.iter().map(|flag| pattern::split_flag(flag).0).collect();
        let values: Vec<_> = self.subject.values(&flags).collect();
        let mut operands = self.operands_after_subcommand(wanted);
        // `-i FILE`, where the option has no value.
        if wanted.flags.is_empty() {
            operands.truncate(1);
        }
        if values.is_empty() { operands } else { values }
    }

    /// Returns the file that is run, if the program is written with a folder. Empty otherwise.
    pub(super) fn program_file(&self) -> Vec<Cow<'a, Word>> {
        let word = self.subject.command.words.first();
        let is_file = |word: &&Word| {
            word.parts.iter().any(|part| match part {
                Part::Literal { text, .. } => text.contains('/'),
                part => part.splits() || matches!(part, Part::Variable { .. } | Part::Substitution { .. }),
            })
        };
        word.filter(is_file).map(Cow::Borrowed).into_iter().collect()
    }

    /// Returns whether a command is one of these programs. A subcommand can follow the name of a program.
    pub(super) fn is_program(&self, id: CommandId, programs: &[&str]) -> bool {
        let subject = Subject::new(self.subject.line, id);
        programs.iter().any(|program| {
            let mut words = program.split(' ');
            let name = words.next().unwrap_or_default();
            let mut operands = subject.operands();
            let is_given = |word: &str| {
                if has_dash(word) {
                    return subject.command.arguments().iter().any(|own| own.literal().as_deref() == Some(word));
                }
                operands.next().is_some_and(|operand| pattern::matches_word(word, operand) == Match::Yes)
            };
            let is_path = || subject.command.words.first().and_then(Word::text).is_some_and(|path| path == name);
            let is_named = if name.contains('/') { is_path() } else { subject.is_called(&[name]) };
            is_named && words.all(is_given)
        })
    }

    pub(super) fn comes_from(&self, patterns: &[&str], by: By<'_>) -> bool {
        let found = sources(self.subject.line, self.subject.id, by);
        // The commands in a text that the line writes are judged instead.
        let read_texts = &self.subject.line.reading.read_texts;
        let is_read = |id: &CommandId| read_texts.contains(&(self.subject.id, *id));
        found.into_iter().any(|id| !is_read(&id) && self.is_program(id, patterns))
    }

    /// Returns whether a file that the value of an option names without its extension, as `python -m NAME` does, or together with
    /// the name of a setting, comes from one of these programs.
    pub(super) fn module_comes_from(&self, patterns: &[&str], values: &[Cow<'_, Word>]) -> bool {
        values.iter().filter_map(|value| value.text()).any(|value| {
            let (name, setting) = value.split_once('=').unwrap_or((&value, ""));
            let file = [Cow::Owned(Word::plain(setting, Span::default()))];
            self.comes_from(patterns, By::Module(name))
                || !setting.is_empty() && self.comes_from(patterns, By::Words(&file))
        })
    }

    /// Returns whether a command runs an installed program: its name has no folder, or a pattern has the same, and the line defines
    /// no function or alias that could replace it.
    pub(super) fn is_installed(&self, id: CommandId, patterns: &[&str]) -> bool {
        let reading = self.subject.line.reading;
        let word = reading.command(id).words.first().and_then(Word::text);
        let is_defined = |name: &str| {
            let is_function = |kind: &ScopeKind| matches!(kind, ScopeKind::Function(own) if own == name);
            reading.scopes.iter().any(|scope| is_function(&scope.kind))
                || reading.commands.iter().any(|command| matches!(command.program.name(), Some("alias" | "hash")))
        };
        let is_pattern = |name: &str| patterns.iter().any(|pattern| pattern.split(' ').next() == Some(name));
        word.is_some_and(|name| (!name.contains('/') || is_pattern(&name)) && !is_defined(&name))
    }

    /// Returns whether the command has sources, and all of them are these programs.
    pub(super) fn comes_only_from(&self, patterns: &[&str]) -> bool {
        let found = sources(self.subject.line, self.subject.id, By::Both);
        let mut parts = self.subject.command.arguments().iter().flat_map(|word| &word.parts);
        let is_plain = |part: &Part| {
            matches!(part, Part::Substitution { .. } | Part::ProcessSubstitution { .. } | Part::Literal { .. })
        };
        // An argument can appear in the code that a program prints.
        let has_plain_arguments = |id: CommandId| {
            let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.,/=:@+".contains(letter);
            let mut arguments = self.subject.line.reading.command(id).arguments().iter();
            arguments.all(|word| word.text().is_some_and(|text| text.chars().all(is_plain)))
        };
        let is_trusted =
            |id| self.is_program(id, patterns) && self.is_installed(id, patterns) && has_plain_arguments(id);
        !found.is_empty() && found.into_iter().all(is_trusted) && parts.all(is_plain)
    }
}
