//! Finds where the data in a command comes from: through substitutions, pipes, files and variables.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::certainty::Match;
use crate::judge::conditions::Check;
use crate::judge::file::FileWord;
use crate::judge::line::Line;
use crate::judge::sources::{By, direct_sources, file_sources, substitutions};
use crate::judge::subject::Subject;
use crate::reading::{Command, How, Input, declared};
use crate::rules::Conditions;
use crate::syntax::{CommandId, Part, RedirectKind, ScopeKind, Word};

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
        let sources = DataSources::of(line, self.subject.id);
        let names = |id: &CommandId| Subject::new(line, *id).read_files().any(is_there);
        has_input(self.subject.id)
            || sources.found.iter().copied().any(reads)
            || sources.arguments.iter().any(names)
            || sources.inputs.iter().copied().any(has_input)
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
    /// The commands whose arguments are positional parameters: calls of functions, `set`, and shells with code.
    arguments: BTreeSet<CommandId>,
    /// The calls of functions whose input a command of the function reads.
    inputs: BTreeSet<CommandId>,
}

impl<'l, 'a> DataSources<'l, 'a> {
    /// Returns the commands whose output, or whose file, is in the words, the variables or the input of a command.
    pub(super) fn of_command(line: &'l Line<'a>, id: CommandId) -> BTreeSet<CommandId> {
        Self::of(line, id).found
    }

    /// Returns the same search, with the commands that pass arguments or their input on to functions.
    fn of(line: &'l Line<'a>, id: CommandId) -> Self {
        let mut sources = Self::new(line);
        sources.follow(id);
        sources.finish(id);
        sources
    }

    /// Returns the commands whose output, or whose file, is in words, or in the variables in them.
    pub(super) fn of_words(line: &'l Line<'a>, words: &[Word]) -> BTreeSet<CommandId> {
        let mut sources = Self::new(line);
        for word in words {
            sources.add_word(word);
        }
        sources.finish(CommandId::MAX);
        sources.found
    }

    fn new(line: &'l Line<'a>) -> Self {
        Self {
            line,
            found: BTreeSet::new(),
            open: Vec::new(),
            names: BTreeSet::new(),
            arguments: BTreeSet::new(),
            inputs: BTreeSet::new(),
        }
    }

    fn finish(&mut self, own: CommandId) {
        while let Some(next) = self.open.pop() {
            if next != own && self.found.len() < MAX_COMMANDS && self.found.insert(next) {
                self.follow(next);
            }
        }
    }

    /// Adds what a command reads.
    fn follow(&mut self, id: CommandId) {
        self.open.extend(direct_sources(self.line, id, By::Both));
        self.open.extend(file_sources(self.line, id));
        let command = self.line.reading.command(id);
        if self.line.has_functions {
            self.open.extend(self.commands_of_call(command));
            self.add_inputs_of_calls(id);
        }
        self.add_arguments(id);
        self.add_variables_of(command);
    }

    /// Returns the commands of the function that a command calls. What they print is the output of the call.
    fn commands_of_call(&self, command: &Command) -> Vec<CommandId> {
        let Some(name) = command.program.name() else { return Vec::new() };
        let is_own = |kind: &ScopeKind| matches!(kind, ScopeKind::Function(own) if own == name);
        self.line.ids().filter(|id| self.line.reading.is_in(*id, is_own)).collect()
    }

    /// Returns the calls of the functions that contain a command.
    fn calls_around(&self, id: CommandId) -> Vec<CommandId> {
        let reading = self.line.reading;
        let functions: Vec<&str> = reading
            .scopes(reading.command(id).scope)
            .filter_map(|scope| match &scope.kind {
                ScopeKind::Function(name) => Some(name.as_str()),
                _ => None,
            })
            .collect();
        let calls = |id: &CommandId| reading.command(*id).program.name().is_some_and(|name| functions.contains(&name));
        self.line.ids().filter(calls).collect()
    }

    /// Adds what the calls of a function read, if the command is in the function and has no other input.
    fn add_inputs_of_calls(&mut self, id: CommandId) {
        if self.line.reading.input(id) != Input::Inherited {
            return;
        }
        for call in self.calls_around(id) {
            if self.inputs.len() < MAX_COMMANDS && self.inputs.insert(call) {
                self.open.extend(direct_sources(self.line, call, By::Input));
                self.add_inputs_of_calls(call);
            }
        }
    }

    /// Adds the commands that set the positional parameters which a command uses, with what their arguments contain.
    fn add_arguments(&mut self, id: CommandId) {
        let reading = self.line.reading;
        let command = reading.command(id);
        let assigned =
            command.assignments.iter().flat_map(|assignment| assignment.each.iter().chain([&assignment.value]));
        let targets = command.redirects.iter().map(|redirect| &redirect.target);
        if !command.words.iter().chain(assigned).chain(targets).any(|word| has_positional(&word.parts)) {
            return;
        }
        let sets = |id: &CommandId| reading.command(*id).program.name() == Some("set");
        let mut setters: Vec<CommandId> = self.line.ids().filter(sets).collect();
        setters.extend(self.calls_around(id));
        setters.extend(command.via.filter(|via| via.how == How::Code).map(|via| via.command));
        for setter in setters {
            if self.arguments.len() < MAX_COMMANDS && self.arguments.insert(setter) {
                self.open.extend(direct_sources(self.line, setter, By::Words(&self.words_of(setter))));
                self.add_variables_of(reading.command(setter));
                self.add_arguments(setter);
            }
        }
    }

    fn words_of(&self, id: CommandId) -> Vec<Cow<'l, Word>> {
        self.line.reading.command(id).words.iter().map(Cow::Borrowed).collect()
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
                    self.add_arguments(id);
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

/// Returns whether parts contain a positional parameter: `$1`, `$@`, `$*`.
fn has_positional(parts: &[Part]) -> bool {
    parts.iter().any(|part| {
        let Part::Variable { name, operation, .. } = part else { return false };
        let is_number = name != "0" && name.bytes().all(|byte| byte.is_ascii_digit());
        is_number
            || matches!(name.as_str(), "@" | "*")
            || operation.as_ref().is_some_and(|operation| has_positional(&operation.operand))
    })
}
