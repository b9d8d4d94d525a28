//! The sources of a command: the commands whose output it reads, directly, through others, or through files.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::ops::Range;

use crate::flags::Argument;
use crate::judge::components::PathWord;
use crate::judge::flow::{Flow, Unpacker};
use crate::judge::line::Line;
use crate::judge::subject::{Subject, after_prefix};
use crate::judge::writes::{in_folder, url_name};
use crate::programs::Writes;
use crate::reading::{Command, Directory, Input};
use crate::rules::pattern;
use crate::syntax::{CommandId, Part, Redirect, RedirectKind, Word};

/// The ways in which a command can read the output of others.
#[derive(Debug, Clone, Copy)]
pub(crate) enum By<'w> {
    /// On standard input.
    Input,
    /// By these words: a substitution, or a file.
    Words(&'w [Cow<'w, Word>]),
    /// By the file of the program itself.
    Program(&'w [Cow<'w, Word>]),
    /// By the file of the module with this name.
    Module(&'w str),
    /// By files whose names match one of these patterns, in any folder.
    Names(&'w [&'w str]),
    /// On standard input, or by a substitution in any word.
    Both,
}

/// The maximum number of sources that are followed.
const MAX_SOURCES: usize = 256;
/// The maximum number of words in which names of files are looked for, over all commands.
const MAX_FILE_WORDS: usize = 2_000;
/// The maximum number of commands that are taken for writers, over all files.
const MAX_WRITERS: usize = 2_000;
/// The maximum number of `exec` whose redirections are followed.
const MAX_EXECS: usize = 64;
/// The maximum number of commands that unpack archives.
const MAX_UNPACKERS: usize = 64;
/// The maximum length of the extension of a module's file, with its dot.
const MAX_EXTENSION: usize = 5;

impl Flow {
    fn new(line: &Line<'_>) -> Self {
        let mut flow = Self::default();
        // A command is not connected with itself.
        if line.reading.commands.len() < 2 {
            return flow;
        }
        for id in line.ids() {
            if let Some(via) = line.reading.command(id).via {
                flow.run.entry(via.command).or_default().push(id);
            }
        }
        let subjects: Vec<OnceCell<Subject<'_>>> = line.ids().map(|_| OnceCell::new()).collect();
        let subject = |id: CommandId| subjects[id as usize].get_or_init(|| Subject::new(line, id));
        flow.find_writers(line, &subject);
        if !flow.writers.is_empty() || !flow.unpackers.is_empty() {
            flow.find_readers(line, &subject);
        }
        flow
    }

    fn find_writers<'s, 'a: 's>(&mut self, line: &Line<'_>, subject: &impl Fn(CommandId) -> &'s Subject<'a>) {
        let mut count = 0;
        let mut add = |writer: CommandId, file: Option<String>| {
            if let Some(file) = file.filter(|_| count < MAX_WRITERS) {
                count += 1;
                let writers = self.writers.entry(file).or_default();
                if writers.len() < MAX_SOURCES {
                    writers.push(writer);
                }
            }
        };
        // The files of redirections around several commands: `{ ...; } > FILE`, `exec > FILE`.
        let mut around: HashMap<CommandId, Vec<String>> = HashMap::new();
        let carriers = line.reading.scopes.iter().filter_map(|scope| scope.redirects);
        let is_exec = |command: &Command| command.program.name() == Some("exec") && command.words.len() == 1;
        let executed = line.ids().filter(|id| is_exec(line.reading.command(*id)));
        for carrier in carriers.chain(executed.clone()) {
            around.entry(carrier).or_insert_with(|| {
                let command = line.reading.command(carrier);
                let written = command.redirects.iter().filter(|redirect| writes_file(redirect));
                written.filter_map(|redirect| file_name(&redirect.target, command, line)).collect()
            });
        }
        let executed: Vec<CommandId> =
            executed.filter(|id| around.get(id).is_some_and(|files| !files.is_empty())).take(MAX_EXECS).collect();
        for writer in line.ids() {
            if around.is_empty() && !can_write(line, line.reading.command(writer)) {
                continue;
            }
            let subject = subject(writer);
            if let Some((folder, is_named)) = subject.unpacks_to()
                && self.unpackers.len() < MAX_UNPACKERS
            {
                let folder = file_name(&folder, subject.command, line);
                self.unpackers.extend(folder.map(|folder| Unpacker { command: writer, folder, is_named }));
            }
            for word in subject.written() {
                add(writer, file_name(&word, subject.command, line));
                let linked = PathWord::new(&word, subject.command, line).through_links(subject.command, line);
                for path in &linked {
                    add(writer, path.text());
                }
            }
            for word in copies(subject) {
                add(writer, file_name(&word, subject.command, line));
            }
            if around.is_empty() {
                continue;
            }
            let scopes = line.reading.scopes(subject.command.scope).filter_map(|scope| scope.redirects);
            let before = executed.iter().copied().take_while(|exec| *exec < writer);
            for file in scopes.chain(before).filter_map(|carrier| around.get(&carrier)).flatten() {
                add(writer, Some(file.clone()));
            }
        }
    }

    fn find_readers<'s, 'a: 's>(&mut self, line: &Line<'_>, subject: &impl Fn(CommandId) -> &'s Subject<'a>) {
        let mut left = MAX_FILE_WORDS;
        for reader in line.ids() {
            let subject = subject(reader);
            let read = subject.command.redirects.iter().filter(|redirect| redirect.kind == RedirectKind::Read);
            let values = subject.arguments.iter().filter_map(|argument| match argument {
                Argument::Option { value: Some(value), index, .. } => Some(subject.value_word(value, *index)),
                _ => None,
            });
            let operands = subject.operands().chain(read.map(|redirect| &redirect.target)).map(Cow::Borrowed);
            let mut found: Vec<CommandId> = Vec::new();
            for word in operands.chain(values) {
                if left == 0 {
                    return;
                }
                left -= 1;
                found.extend(self.writers_of(&word, subject.command, line));
                // `curl -d @FILE`, `curl -F NAME=@FILE`, `dd if=FILE`
                let start = word.certain_start();
                for sign in ['=', '@'] {
                    if let Some(file) = start.find(sign).and_then(|at| after_prefix(&word, &start[..=at])) {
                        found.extend(self.writers_of(&file, subject.command, line));
                    }
                }
            }
            if !found.is_empty() {
                found.sort_unstable();
                found.dedup();
                self.read_from.insert(reader, found);
            }
        }
    }

    /// Returns the commands that unpack a file, or perhaps do. A file in the working directory itself is rarely from an archive,
    /// unless it is a `program` that is run.
    fn unpackers_of(&self, word: &Word, command: &Command, line: &Line<'_>, program: bool) -> Vec<CommandId> {
        if self.unpackers.is_empty() {
            return Vec::new();
        }
        let path = PathWord::new(word, command, line);
        // After a `cd` that may not run, a relative path can lead into the folder of the archive.
        let is_elsewhere = command.directory == Directory::Unknown && path.is_unknown();
        let path = path.certain_text();
        let contains = |unpacker: &&Unpacker| {
            let Some(path) = &path else { return is_elsewhere };
            let below = path.strip_prefix(unpacker.folder.trim_end_matches('/'));
            let below = below.and_then(|below| below.strip_prefix('/'));
            below.is_some_and(|below| !below.is_empty() && (program || unpacker.is_named || below.contains('/')))
        };
        self.unpackers.iter().filter(contains).map(|unpacker| unpacker.command).collect()
    }

    /// Returns the commands that write the file of a module, such as `NAME.py` for `NAME`.
    fn writers_of_module(&self, name: &str, command: &Command, line: &Line<'_>) -> Vec<CommandId> {
        let word = Word::plain(&name.replace("::", "/").replace('.', "/"), command.span);
        let Some(path) = PathWord::new(&word, command, line).text() else { return Vec::new() };
        let is_file = |file: &str| {
            let extension = file.strip_prefix(&path).and_then(|rest| rest.strip_prefix('.'));
            extension.is_some_and(|rest| rest.len() < MAX_EXTENSION && rest.chars().all(char::is_alphanumeric))
        };
        let found =
            self.writers.iter().filter(|(file, _)| is_file(file)).flat_map(|(_, writers)| writers.iter().copied());
        found.chain(self.unpackers_of(&word, command, line, false)).collect()
    }

    /// Returns the commands that write a file whose name matches one of these patterns.
    fn writers_of_names(&self, names: &[&str]) -> Vec<CommandId> {
        let is_wanted = |file: &str| {
            let name = file.rsplit('/').next().unwrap_or_default();
            names.iter().any(|pattern| pattern::matches(pattern, name))
        };
        let found = self.writers.iter().filter(|(file, _)| is_wanted(file));
        found.flat_map(|(_, writers)| writers.iter().copied()).collect()
    }

    /// Returns the commands that write a file, or one of the files that a pattern stands for.
    fn writers_of(&self, word: &Word, command: &Command, line: &Line<'_>) -> Vec<CommandId> {
        if let Some(name) = file_name(word, command, line) {
            return self.writers.get(&name).cloned().unwrap_or_default();
        }
        if !word.parts.iter().any(|part| matches!(part, Part::Glob(_))) {
            return Vec::new();
        }
        let path = PathWord::new(word, command, line);
        let matching = self.writers.iter().filter(|(file, _)| path.can_expand_to(file));
        matching.flat_map(|(_, writers)| writers.iter().copied()).collect()
    }
}

/// Returns the commands whose output a command reads by files that it names, and those that it runs.
pub(crate) fn file_sources<'l>(line: &'l Line<'_>, id: CommandId) -> impl Iterator<Item = CommandId> + use<'l> {
    let flow = line.flow.get_or_init(|| Flow::new(line));
    let of = |map: &'l HashMap<CommandId, Vec<CommandId>>| map.get(&id).into_iter().flatten().copied();
    of(&flow.run).chain(of(&flow.read_from))
}

/// Returns whether the line writes the file with this path.
pub(crate) fn is_written(line: &Line<'_>, path: &str) -> bool {
    line.flow.get_or_init(|| Flow::new(line)).writers.contains_key(path)
}

/// Returns the commands whose output a command reads, directly, through other commands, or through files.
pub(crate) fn sources(line: &Line<'_>, id: CommandId, by: By<'_>) -> BTreeSet<CommandId> {
    if matches!(by, By::Words([]) | By::Program([])) {
        return BTreeSet::new();
    }
    let flow = || line.flow.get_or_init(|| Flow::new(line));
    let command = line.reading.command(id);
    let mut open = direct_sources(line, id, by);
    match by {
        By::Input => {
            if let Input::Redirect(redirect) = line.reading.input(id)
                && redirect.kind == RedirectKind::Read
            {
                open.extend(flow().writers_of(&redirect.target, command, line));
            }
        }
        By::Words(words) | By::Program(words) => {
            let is_program = matches!(by, By::Program(_));
            for word in words {
                open.extend(flow().writers_of(word, command, line));
                open.extend(flow().unpackers_of(word, command, line, is_program));
            }
        }
        By::Module(name) => open.extend(flow().writers_of_module(name, command, line)),
        By::Names(names) => open.extend(flow().writers_of_names(names)),
        By::Both => {}
    }
    let mut found = BTreeSet::new();
    while let Some(next) = open.pop() {
        if next != id && found.insert(next) && found.len() <= MAX_SOURCES {
            open.extend(direct_sources(line, next, By::Both));
            open.extend(file_sources(line, next));
        }
    }
    found
}

/// Returns the commands in pipes and substitutions that a command reads.
pub(crate) fn direct_sources(line: &Line<'_>, id: CommandId, by: By<'_>) -> Vec<CommandId> {
    let command = line.reading.command(id);
    let mut ranges: Vec<Range<CommandId>> = Vec::new();
    if matches!(by, By::Input | By::Both) {
        match line.reading.input(id) {
            Input::Inherited => {}
            Input::Commands(range) if range.is_empty() => ranges.extend(writer_into(line, id)),
            Input::Commands(range) => ranges.push(range),
            Input::Redirect(redirect) => ranges.extend(substitutions(&redirect.target)),
        }
    }
    match by {
        By::Both => ranges.extend(command.words.iter().flat_map(substitutions)),
        By::Words(words) | By::Program(words) => ranges.extend(words.iter().flat_map(|word| substitutions(word))),
        By::Input | By::Module(_) | By::Names(_) => {}
    }
    ranges.into_iter().flatten().collect()
}

/// Returns the command that writes what a command reads in `>(...)`: `tee >(sh)`.
fn writer_into(line: &Line<'_>, id: CommandId) -> Option<Range<CommandId>> {
    let reads =
        |part: &Part| matches!(part, Part::ProcessSubstitution { commands, input: false } if commands.contains(&id));
    let writes = |writer: &CommandId| {
        let command = line.reading.command(*writer);
        let targets = command.redirects.iter().map(|redirect| &redirect.target);
        command.words.iter().chain(targets).any(|word| word.parts.iter().any(reads))
    };
    // The innermost one is next to it.
    let before = line.ids().filter(writes).filter(|writer| *writer != id).max_by_key(|writer| (*writer < id, *writer));
    before.map(|writer| writer..writer + 1)
}

/// Returns whether a command can write or unpack files, as far as its program and its redirections tell.
fn can_write(line: &Line<'_>, command: &Command) -> bool {
    let program = command.program.name().and_then(|name| line.programs.get(name));
    command.redirects.iter().any(writes_file)
        || program.is_some_and(|program| !program.writes.is_empty() || program.script_language.is_some())
}

/// Returns the files that a program writes if its last operand is a folder: `cp FROM FOLDER`.
fn copies<'a>(subject: &Subject<'a>) -> Vec<Cow<'a, Word>> {
    let copies = |program: &crate::programs::Program<'_>| {
        let to_last = |writes: &Writes<'_>| {
            matches!(writes, Writes::LastOperand | Writes::LastOperandUnless(_) | Writes::LastOperandOf(_))
        };
        program.writes.iter().any(to_last)
    };
    if !subject.program.is_some_and(copies) {
        return Vec::new();
    }
    let operands: Vec<&Word> = subject.operands().collect();
    let Some((folder, from)) = operands.split_last() else { return Vec::new() };
    from.iter().filter_map(|word| url_name(word)).map(|name| Cow::Owned(in_folder(folder, &name))).collect()
}

/// Returns a text that is equal for all words that name the same file, such as its path. Returns `None` if a part of the name is
/// not certain, unless it is the value of a variable or the output of a substitution.
fn file_name(word: &Word, command: &Command, line: &Line<'_>) -> Option<String> {
    if let Some(path) = PathWord::new(word, command, line).text() {
        return Some(path);
    }
    let mut name = String::from("\0");
    for part in &word.parts {
        match part {
            Part::Literal { text, .. } => name.push_str(text),
            Part::Variable { name: variable, operation: None, .. } => {
                let _ = write!(name, "\0{variable}\0");
            }
            Part::Substitution { commands, .. } => {
                let _ = write!(name, "\0{commands:?}\0");
            }
            _ => return None,
        }
    }
    (name.len() > 1).then_some(name)
}

fn writes_file(redirect: &Redirect) -> bool {
    redirect.kind.writes() && !redirect.targets_descriptor()
}

/// Returns the commands in the substitutions of a word.
pub(crate) fn substitutions(word: &Word) -> impl Iterator<Item = Range<CommandId>> {
    word.parts.iter().filter_map(|part| match part {
        Part::Substitution { commands, .. } | Part::ProcessSubstitution { commands, input: true } => {
            Some(commands.clone())
        }
        _ => None,
    })
}
