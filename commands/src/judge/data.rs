//! Finds where the data in a command comes from: through substitutions, pipes, files and variables.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::certainty::Match;
use crate::judge::conditions::Check;
use crate::judge::file::FileWord;
use crate::judge::line::Line;
use crate::judge::sources::{By, direct_sources, file_sources, substitutions};
use crate::judge::subject::Subject;
use crate::reading::{Command, Input, declared};
use crate::rules::Conditions;
use crate::syntax::{CommandId, Part, RedirectKind, Word};

/// The maximum number of commands from which data comes.
const MAX_COMMANDS: usize = 256;
/// The maximum number of variables that are followed.
const MAX_VARIABLES: usize = 64;

/// Programs that set variables whose names are in what they read: `. FILE`, `export $(cat FILE)`.
const IMPORTERS: &[&str] = &[".", "declare", "env", "eval", "export", "local", "readonly", "source", "typeset"];

impl Check<'_, '_> {
    /// Returns whether the command has data of a file in one of the places of the rule.
    pub(super) fn has_data_in(&self, wanted: &Conditions<'_>) -> bool {
        let line = self.subject.line;
        let is_there =
            |file: &FileWord| !file.path.is_unknown() && file.is_in(wanted.data_in, self.rules, line) != Match::No;
        let has_input = |id| match line.reading.input(id) {
            // Also that of a loop or a group around the command.
            Input::Redirect(redirect) if matches!(redirect.kind, RedirectKind::Read | RedirectKind::ReadWrite) => {
                Subject::new(line, id).files([Cow::Borrowed(&redirect.target)]).iter().any(is_there)
            }
            _ => false,
        };
        let reads = |id| {
            let source = Subject::new(line, id);
            !source.is_called(wanted.without_data) && (source.read_files().any(is_there) || has_input(id))
        };
        has_input(self.subject.id) || DataSources::of_command(line, self.subject.id).into_iter().any(reads)
    }

    /// Returns whether the command has output of one of these programs.
    pub(super) fn has_data_from(&self, programs: &[&str]) -> bool {
        DataSources::of_command(self.subject.line, self.subject.id).into_iter().any(|id| self.is_program(id, programs))
    }
}

/// A search for the commands from which data comes.
pub(super) struct DataSources<'l, 'a> {
    line: &'l Line<'a>,
    found: BTreeSet<CommandId>,
    open: Vec<CommandId>,
    names: BTreeSet<String>,
}

impl<'l, 'a> DataSources<'l, 'a> {
    /// Returns the commands whose output, or whose file, is in the words, the variables or the input of a command.
    pub(super) fn of_command(line: &'l Line<'a>, id: CommandId) -> BTreeSet<CommandId> {
        let mut sources = Self::new(line);
        sources.follow(id);
        sources.finish(id)
    }

    /// Returns the commands whose output, or whose file, is in words, or in the variables in them.
    pub(super) fn of_words(line: &'l Line<'a>, words: &[Word]) -> BTreeSet<CommandId> {
        let mut sources = Self::new(line);
        for word in words {
            sources.add_word(word);
        }
        sources.finish(CommandId::MAX)
    }

    fn new(line: &'l Line<'a>) -> Self {
        Self { line, found: BTreeSet::new(), open: Vec::new(), names: BTreeSet::new() }
    }

    fn finish(mut self, own: CommandId) -> BTreeSet<CommandId> {
        while let Some(next) = self.open.pop() {
            if next != own && self.found.len() < MAX_COMMANDS && self.found.insert(next) {
                self.follow(next);
            }
        }
        self.found
    }

    /// Adds what a command reads.
    fn follow(&mut self, id: CommandId) {
        self.open.extend(direct_sources(self.line, id, By::Both));
        self.open.extend(file_sources(self.line, id));
        let command = self.line.reading.command(id);
        self.add_variables_of(command);
    }

    fn add_variables_of(&mut self, command: &'l Command) {
        for word in &command.words {
            self.add_variables(&word.parts);
        }
        for assignment in &command.assignments {
            self.add_word(&assignment.value);
        }
        for redirect in &command.redirects {
            self.add_variables(&redirect.target.parts);
        }
    }

    fn add_word(&mut self, word: &Word) {
        self.open.extend(substitutions(word).flatten());
        self.add_variables(&word.parts);
    }

    fn add_variables(&mut self, parts: &[Part]) {
        for part in parts {
            let Part::Variable { name, operation, .. } = part else { continue };
            let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
            if is_name && self.names.len() < MAX_VARIABLES && self.names.insert(name.clone()) {
                self.add_setters(name);
            }
            if let Some(operation) = operation {
                self.add_variables(&operation.operand);
            }
        }
    }

    /// Adds the commands that give a variable its value.
    fn add_setters(&mut self, name: &str) {
        let line = self.line;
        let mut is_assigned = false;
        let mut importers = Vec::new();
        for id in line.ids() {
            let command = line.reading.command(id);
            let declarations = declared(&command.words);
            for assignment in command.assignments.iter().chain(&declarations) {
                if assignment.name == name {
                    is_assigned = true;
                    self.add_word(&assignment.value);
                    assignment.each.iter().for_each(|word| self.add_word(word));
                }
            }
            let Some(program) = command.program.name() else { continue };
            if IMPORTERS.contains(&program) {
                importers.push(id);
            }
            let subject = Subject::new(line, id);
            if subject.set_variables().iter().any(|variable| variable.is_computed(name)) {
                is_assigned = true;
                self.open.push(id);
            }
        }
        if !is_assigned {
            self.open.extend(importers);
        }
    }
}
