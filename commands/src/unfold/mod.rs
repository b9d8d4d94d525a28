//! Unfolds a line into a [`Reading`]: replaces variables whose values are known, opens wrappers, and reads code inside words.

mod after;
mod aliases;
mod builtins;
mod code;
mod directory;
mod editors;
mod expand;
mod hidden;
mod lists;
mod open;
mod renamed;
mod shells;
#[cfg(test)]
mod tests;
mod variables;
mod written;

use std::collections::{HashMap, HashSet};

use crate::characters::{is_bidi_control, is_disguised};
use crate::doubt::{Doubt, DoubtKind};
use crate::programs::{ProgramTable, SHELL, scoped_name};
use crate::reading::{Command, How, Program, Reading, Surroundings, Via};
use crate::span::Span;
use crate::syntax::{CommandId, Dialects, Part, Scope, ScopeId, ScopeKind, Script, SimpleCommand, Spans, Word};
use crate::work::{COMMAND, COPY, MAX_BYTES, MAX_DEPTH, Work};
use aliases::Aliases;
pub(crate) use editors::edits_text;
use variables::Variables;
pub(crate) use variables::is_set_by_shell;
use written::Written;

/// The maximum number of times that a line is read again because a variable had another value than assumed.
const ROUNDS: usize = 3;

/// Lists every command that could run when a shell runs `line`.
pub(crate) fn unfold(line: &str, programs: &ProgramTable<'_>, surroundings: &Surroundings<'_>) -> Reading {
    if line.len() > MAX_BYTES {
        let doubts = vec![Doubt { kind: DoubtKind::TooLong, span: Span::new(0, line.len()) }];
        return Reading { doubts, ..Reading::default() };
    }
    let mut work = Work::for_bytes(line.len());
    let mut distrusted = HashSet::new();
    for round in 0.. {
        let mut unfolder = Unfolder::new(line, programs, surroundings, &distrusted, &mut work);
        if round == ROUNDS {
            unfolder.variables.distrust_all();
        }
        unfolder.run();
        let misused = unfolder.variables.misused();
        if misused.is_empty() || round == ROUNDS {
            return unfolder.finish();
        }
        distrusted.extend(misused);
    }
    unreachable!("the last round returns")
}

/// What the unfolder needs to know about a command.
#[derive(Debug, Clone, Copy)]
struct Info {
    /// The depth of nesting.
    depth: usize,
    /// The dialects in which the line contains the command.
    dialects: Dialects,
    /// The command of the line itself that leads to this one.
    root: usize,
}

#[derive(Debug)]
struct Unfolder<'a> {
    line: &'a str,
    programs: &'a ProgramTable<'a>,
    surroundings: &'a Surroundings<'a>,
    work: &'a mut Work,
    reading: Reading,
    infos: Vec<Info>,
    variables: Variables<'a>,
    aliases: Aliases,
    /// Whether the line evaluates a value as arithmetic or as a subscript.
    evaluates: bool,
    exhausted: bool,
    /// The working directories that options of wrappers name, by the index of the wrapper. `None` for an unknown one.
    movers: HashMap<usize, Option<String>>,
    /// The programs that the line copies or links: the path of the copy, and that of the original.
    copies: Vec<(String, String)>,
    /// The texts that the line writes into files.
    written: Vec<Written>,
    /// The shells that read code from the standard input of the line.
    reading_input: Vec<Span>,
}

impl<'a> Unfolder<'a> {
    fn new(
        line: &'a str,
        programs: &'a ProgramTable<'a>,
        surroundings: &'a Surroundings<'a>,
        distrusted: &'a HashSet<String>,
        work: &'a mut Work,
    ) -> Self {
        Self {
            line,
            programs,
            surroundings,
            work,
            reading: Reading::default(),
            infos: Vec::new(),
            variables: Variables::new(distrusted, surroundings),
            aliases: Aliases::default(),
            evaluates: false,
            exhausted: false,
            movers: HashMap::new(),
            copies: Vec::new(),
            written: Vec::new(),
            reading_input: Vec::new(),
        }
    }

    fn run(&mut self) {
        if !self.line.is_ascii() || self.line.contains('\0') {
            // Bidirectional controls are misleading anywhere. Shells drop a NUL.
            let bad = self.line.char_indices().filter(|(_, c)| is_bidi_control(*c) || *c == '\0');
            for (at, c) in bad.take(8) {
                let span = Span::new(at, at + c.len_utf8());
                self.reading.doubts.push(Doubt { kind: DoubtKind::Invisible, span });
            }
        }
        self.read_line();
        let mut next = 0;
        while next < self.reading.commands.len() && !self.exhausted {
            while next < self.reading.commands.len() && !self.exhausted {
                self.unfold_command(next);
                next += 1;
            }
            self.expand_aliases();
        }
        self.find_hidden_code();
        self.doubt_input();
    }

    fn finish(mut self) -> Reading {
        self.set_directories();
        let mut seen: HashSet<(DoubtKind, u32)> = HashSet::new();
        self.reading.doubts.retain(|doubt| seen.insert((doubt.kind, doubt.span.start)));
        (self.reading.assigned, self.reading.assigns_unknown) = self.variables.into_assigned();
        self.reading
    }

    /// Reads the line itself, in every dialect that it is read in.
    fn read_line(&mut self) {
        let shells = self.surroundings.shells;
        let line = self.line;
        let origin = code::TextOrigin {
            kind: ScopeKind::Line,
            parent: None,
            via: None,
            depth: 0,
            dialects: code::dialects(shells),
            spans: Spans::Shift(0),
        };
        self.read_text(line, &origin);
    }

    /// Adds the commands and scopes of a script.
    fn add_script(&mut self, script: Script, dialects: Dialects, origin: &code::TextOrigin) {
        let id = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let (commands, scopes) = (id(self.reading.commands.len()), id(self.reading.scopes.len()));
        let nested = origin.via.is_some();
        let shells = code::shells(dialects);
        self.evaluates |= script.evaluates;
        for name in script.assigned {
            self.variables.assign(&name, dialects, nested);
        }
        if script.assigns_unknown {
            self.variables.assign_unknown();
        }
        for scope in &script.scopes {
            if let ScopeKind::Function(name) = &scope.kind {
                self.variables.functions.insert(name.clone());
            }
        }
        self.reading.scopes.extend(script.scopes.into_iter().map(|mut scope| {
            scope.shift(commands, scopes);
            scope.parent = scope.parent.or(origin.parent);
            scope
        }));
        for mut simple in script.commands {
            simple.shift(commands, scopes);
            self.variables.count(&simple, dialects, nested);
            let SimpleCommand { words, assignments, redirects, scope, span } = simple;
            let listed = origin.via.is_some_and(|via| self.reading.commands[via.command as usize].listed);
            let via = origin.via;
            let command =
                Command { words, assignments, redirects, scope, via, listed, shells, span, ..Command::default() };
            let root = origin.via.map_or(self.infos.len(), |via| self.infos[via.command as usize].root);
            self.reading.commands.push(command);
            self.infos.push(Info { depth: origin.depth, dialects, root });
        }
        self.reading.doubts.extend(script.doubts);
    }

    /// Adds a command that the command at `by` runs. Returns its index, or `None` if a limit is exceeded.
    fn add_command(&mut self, by: usize, words: Vec<Word>, how: How) -> Option<usize> {
        let info = self.infos[by];
        let wrapper = &self.reading.commands[by];
        let span = match (words.first(), words.last()) {
            (Some(first), Some(last)) => Span { start: first.span.start, end: last.span.end.max(first.span.end) },
            _ => wrapper.span,
        };
        if info.depth >= MAX_DEPTH {
            self.doubt(DoubtKind::TooDeep, span);
            return None;
        }
        let command = Command {
            words,
            scope: wrapper.scope,
            shells: wrapper.shells,
            appended: wrapper.appended && how == How::Arguments,
            listed: wrapper.listed,
            via: Some(Via { command: CommandId::try_from(by).unwrap_or(CommandId::MAX), how }),
            span,
            ..Command::default()
        };
        let copied: usize = command.words.iter().map(|word| 1 + word.parts.len()).sum();
        if !self.spend(COMMAND + COPY * copied) {
            return None;
        }
        self.variables.count_words(&command.words, info.dialects, true);
        self.reading.commands.push(command);
        self.infos.push(Info { depth: info.depth + 1, ..info });
        Some(self.reading.commands.len() - 1)
    }

    /// Finds out the program of a command, and adds what it runs.
    fn unfold_command(&mut self, index: usize) {
        if !self.spend(COMMAND) {
            return;
        }
        let first_is_built = self.expand_command(index);
        let Info { dialects, depth, .. } = self.infos[index];
        self.variables.count_built_names(&self.reading.commands[index].words, dialects, depth > 0);
        let program = match self.reading.commands[index].words.first() {
            None => Program::None,
            Some(word) => self.with_scope(self.variables.program(word, first_is_built), word),
        };
        if let Program::Known { name, .. } = &program
            && is_disguised(name)
        {
            let span = self.reading.commands[index].words[0].span;
            self.doubt(DoubtKind::LookAlike, span);
        }
        self.reading.commands[index].program = program;
        self.record_assignments(index);
        self.record_written(index);
        let Some(name) = self.reading.commands[index].program.name().map(str::to_owned) else { return };
        self.inspect_builtin(index, &name);
        self.record_copy(index, &name);
        self.open_copy(index);
        self.open_other_case(index, &name);
        self.open_written_program(index);
        // busybox also answers to any name that begins with `busybox`.
        let shell_name = if name.starts_with("busybox") { "busybox" } else { &name };
        let known = [self.programs.get(&name), SHELL.get(shell_name)];
        for program in known.into_iter().flatten() {
            self.open(index, program);
        }
    }

    /// Returns a program under the whole name of its package, such as `@angular/cli`, if the table has that.
    fn with_scope(&self, program: Program, word: &Word) -> Program {
        let Program::Known { built, .. } = program else { return program };
        let text = if word.certain_start().contains('@') { word.text() } else { None };
        match text.as_deref().and_then(scoped_name) {
            Some(name) if self.programs.get(name).is_some() => Program::Known { name: name.to_owned(), built },
            _ => program,
        }
    }

    fn doubt(&mut self, kind: DoubtKind, span: Span) {
        self.reading.doubts.push(Doubt { kind, span });
    }

    /// Takes steps from the budget. Returns false if it is exhausted.
    fn spend(&mut self, steps: usize) -> bool {
        if self.work.spend(steps).is_err() {
            self.exhaust();
        }
        !self.exhausted
    }

    /// Ends the work, with a doubt: some commands were not read.
    fn exhaust(&mut self) {
        if !self.exhausted {
            self.exhausted = true;
            self.doubt(DoubtKind::TooMuchWork, Span::new(0, self.line.len()));
        }
    }
}

/// Returns whether `outer` is `inner` or contains it, so that variables are inherited. A new shell between them has only those that
/// are exported.
fn encloses(scopes: &[Scope], outer: ScopeId, inner: ScopeId, exported: bool) -> bool {
    let mut next = Some(inner);
    while let Some(id) = next {
        if id == outer {
            return true;
        }
        let scope = &scopes[id as usize];
        if !exported && matches!(scope.kind, ScopeKind::Code { same_shell: false }) {
            return false;
        }
        next = scope.parent;
    }
    false
}

/// Returns the part of a word that has only one.
fn only_part(word: &Word) -> Option<&Part> {
    match word.parts.as_slice() {
        [part] => Some(part),
        _ => None,
    }
}
