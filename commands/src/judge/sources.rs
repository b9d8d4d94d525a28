//! The sources of a command: the commands whose output it reads, directly or through others.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use crate::judge::line::Line;
use crate::judge::path::PathWord;
use crate::judge::subject::Subject;
use crate::reading::Input;
use crate::syntax::{CommandId, Part, Word};

/// The ways in which a command can read the output of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// On standard input.
    Input,
    /// By a substitution in its first operand, such as the script of an interpreter.
    FirstOperand,
    /// Only by files that others wrote.
    Files,
    /// On standard input, or by a substitution in any word.
    Both,
}

/// Returns the commands whose output a command reads directly.
fn direct_sources(line: &Line<'_>, id: CommandId, by: By) -> Vec<CommandId> {
    let command = line.reading.command(id);
    let mut ranges: Vec<Range<CommandId>> = Vec::new();
    if matches!(by, By::Input | By::Both) {
        match line.reading.input(id) {
            Input::Inherited => {}
            Input::Commands(range) => ranges.push(range),
            Input::Redirect(redirect) => ranges.extend(substitutions(&redirect.target)),
        }
    }
    match by {
        By::Both => ranges.extend(command.words.iter().flat_map(substitutions)),
        By::FirstOperand => ranges.extend(Subject::new(line, id).operands().next().into_iter().flat_map(substitutions)),
        By::Input | By::Files => {}
    }
    let mut sources: Vec<CommandId> = ranges.into_iter().flatten().collect();
    // Commands that these commands run are sources, too.
    let is_run_by = |other: &CommandId| {
        std::iter::successors(line.reading.command(*other).via, |via| line.reading.command(via.command).via)
            .any(|via| sources.contains(&via.command))
    };
    let nested: Vec<CommandId> = line.reading.ids().filter(is_run_by).collect();
    sources.extend(nested);
    sources.retain(|source| *source != id);
    sources
}

/// Returns the commands whose output a command reads, directly or through other commands. `files` are files that it reads: the
/// commands of the line that write them are included.
pub(crate) fn sources(line: &Line<'_>, id: CommandId, by: By, files: &[String]) -> BTreeSet<CommandId> {
    let mut found = BTreeSet::new();
    let mut open = direct_sources(line, id, by);
    if !files.is_empty() {
        open.extend(writers(line, id, files));
    }
    while let Some(next) = open.pop() {
        if found.insert(next) && found.len() <= MAX_SOURCES {
            open.extend(direct_sources(line, next, By::Both));
        }
    }
    found
}

/// Returns the commands that write one of these files, except the command `id`.
fn writers(line: &Line<'_>, id: CommandId, files: &[String]) -> Vec<CommandId> {
    let by_file = line.writers.get_or_init(|| {
        let mut by_file: HashMap<String, Vec<CommandId>> = HashMap::new();
        for writer in line.reading.ids() {
            let subject = Subject::new(line, writer);
            for word in subject.written() {
                if let Some(path) = PathWord::new(&word, subject.command, line).text() {
                    by_file.entry(path).or_default().push(writer);
                }
            }
        }
        by_file
    });
    let writers = files.iter().filter_map(|file| by_file.get(file)).flatten();
    writers.copied().filter(|writer| *writer != id).take(MAX_SOURCES).collect()
}

/// The maximum number of sources that are followed.
const MAX_SOURCES: usize = 256;

/// Returns the commands in the substitutions of a word.
fn substitutions(word: &Word) -> impl Iterator<Item = Range<CommandId>> {
    word.parts.iter().filter_map(|part| match part {
        Part::Substitution { commands, .. } | Part::ProcessSubstitution { commands, input: true } => {
            Some(commands.clone())
        }
        _ => None,
    })
}
