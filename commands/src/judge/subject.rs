//! One command of a reading, as the conditions of rules look at it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::flags::{self, Argument};
use crate::judge::path::PathWord;
use crate::programs::{Program, ProgramTable, Runs, Writes, without_version};
use crate::reading::{Command, Input, Reading, Surroundings};
use crate::rules::pattern;
use crate::syntax::{CommandId, Part, RedirectKind, Word};

/// A line, with what several commands need.
pub(crate) struct Line<'a> {
    pub(crate) reading: &'a Reading,
    pub(crate) programs: &'a ProgramTable<'a>,
    pub(crate) surroundings: &'a Surroundings<'a>,
    /// The variables that the line sets, with the value of those that it sets once.
    set_variables: BTreeMap<&'a str, Option<&'a Word>>,
}

/// A command, with its arguments sorted into options and operands.
pub(crate) struct Subject<'a> {
    pub(crate) line: &'a Line<'a>,
    pub(crate) id: CommandId,
    pub(crate) command: &'a Command,
    /// The name, or that of the program of which it is another name.
    pub(crate) name: Option<&'a str>,
    pub(crate) program: Option<&'a Program<'a>>,
    pub(crate) arguments: Vec<Argument<'a>>,
}

/// The way in which a command gets the output of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// On standard input.
    Input,
    /// In its words.
    Operands,
    /// Only as a file.
    Files,
    /// In either way.
    Both,
}

/// Commands that set the variables that they name.
const SETTERS: &[&str] =
    &["declare", "export", "getopts", "let", "local", "mapfile", "printf", "read", "readarray", "readonly", "typeset"];

impl<'a> Line<'a> {
    pub(crate) fn new(
        reading: &'a Reading,
        programs: &'a ProgramTable<'a>,
        surroundings: &'a Surroundings<'a>,
    ) -> Self {
        let mut set_variables: BTreeMap<&str, Option<&Word>> = BTreeMap::new();
        for command in &reading.commands {
            for assignment in &command.assignments {
                let is_value = !assignment.array && !assignment.append;
                let value = (is_value && !set_variables.contains_key(&*assignment.name)).then_some(&assignment.value);
                set_variables.insert(&assignment.name, value);
            }
            if command.program.name().is_some_and(|name| SETTERS.contains(&name)) {
                let names = command.arguments().iter().filter_map(|word| match word.parts.first() {
                    Some(Part::Literal { text, .. }) => text.split('=').next(),
                    _ => None,
                });
                set_variables.extend(names.map(|name| (name, None)));
            }
        }
        Self { reading, programs, surroundings, set_variables }
    }

    /// Returns whether a variable comes from the environment, and is unset or secret: known values are filled in already.
    fn is_of_environment(&self, name: &str) -> bool {
        let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        is_name && !self.set_variables.contains_key(name)
    }

    /// Returns the value of a variable that the line sets once.
    pub(crate) fn only_value(&self, name: &str) -> Option<&'a Word> {
        *self.set_variables.get(name)?
    }

    /// Returns the only command of a substitution, if it takes no part of its output from elsewhere.
    pub(crate) fn plain_substitution(&self, commands: &Range<CommandId>) -> Option<&'a Command> {
        let [command] = self.reading.commands.get(commands.start as usize..commands.end as usize)? else { return None };
        let is_plain = command.redirects.is_empty() && command.arguments().iter().all(|word| word.text().is_some());
        is_plain.then_some(command)
    }

    /// Returns whether a part can be any text. A number cannot, and neither can a variable that is not set.
    pub(crate) fn can_be_anything(&self, part: &Part) -> bool {
        match part {
            Part::Variable { name, operation, .. } => {
                let is_number = matches!(name.as_str(), "?" | "$" | "!" | "#");
                operation.is_some() || !is_number && !self.is_of_environment(name)
            }
            Part::Literal { .. } | Part::Tilde { .. } | Part::Glob(_) | Part::ProcessSubstitution { .. } => false,
            Part::Substitution { .. } | Part::Arithmetic { .. } | Part::Unknown { .. } => true,
        }
    }

    /// Returns the commands whose output a command gets directly.
    fn direct_sources(&self, id: CommandId, by: By) -> Vec<CommandId> {
        let command = self.reading.command(id);
        let mut ranges: Vec<Range<CommandId>> = Vec::new();
        if matches!(by, By::Input | By::Both) {
            match self.reading.input(id) {
                Input::Inherited => {}
                Input::Commands(range) => ranges.push(range),
                Input::Redirect(redirect) => ranges.extend(substitutions(&redirect.target)),
            }
        }
        if matches!(by, By::Operands | By::Both) {
            ranges.extend(command.words.iter().flat_map(substitutions));
        }
        let mut sources: Vec<CommandId> = ranges.into_iter().flatten().collect();
        // What wrappers among them run is listed elsewhere.
        let is_run_by = |other: &CommandId| {
            std::iter::successors(self.reading.command(*other).via, |via| self.reading.command(via.command).via)
                .any(|via| sources.contains(&via.command))
        };
        let run: Vec<CommandId> = (0..self.reading.commands.len() as CommandId).filter(is_run_by).collect();
        sources.extend(run);
        sources.retain(|source| *source != id);
        sources
    }

    /// Returns the commands whose output a command gets, also by way of other commands and of these files, if the line writes
    /// them.
    pub(crate) fn sources(&self, id: CommandId, by: By, files: &[String]) -> BTreeSet<CommandId> {
        let mut found = BTreeSet::new();
        let mut open = self.direct_sources(id, by);
        if !files.is_empty() {
            open.extend(self.writers(id, files));
        }
        while let Some(next) = open.pop() {
            if found.insert(next) && found.len() <= MAX_SOURCES {
                open.extend(self.direct_sources(next, By::Both));
            }
        }
        found
    }

    /// Returns the commands, except one, that write one of these files.
    fn writers(&self, id: CommandId, files: &[String]) -> Vec<CommandId> {
        let others = (0..self.reading.commands.len() as CommandId).filter(|other| *other != id);
        others
            .filter(|other| {
                let subject = Subject::new(self, *other);
                let written = subject.written();
                let path = |word: &Cow<'_, Word>| PathWord::new(word, subject.command, self).text();
                written.iter().any(|word| path(word).is_some_and(|path| files.contains(&path)))
            })
            .collect()
    }
}

/// The maximum number of commands among which the source of some input is looked for.
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

impl<'a> Subject<'a> {
    pub(crate) fn new(line: &'a Line<'a>, id: CommandId) -> Self {
        let command = line.reading.command(id);
        let own_name = command.program.name();
        let program = own_name.and_then(|name| line.programs.get(name));
        let name = own_name.map(|name| match program {
            Some(program) if !program.name.is_empty() => program.name,
            _ => without_version(name),
        });
        let value_options = program.map_or(&[][..], |program| program.value_options);
        let mut arguments = flags::arguments(command.arguments(), value_options);
        if program.is_some_and(has_options_first) {
            arguments = arguments.stop_at_operand();
        }
        let arguments = arguments.collect();
        Self { line, id, command, name, program, arguments }
    }

    /// Returns the arguments of the program itself, without those of a command that it runs.
    pub(crate) fn own_words(&self) -> &'a [Word] {
        let words = self.command.arguments();
        let first = self.arguments.iter().find_map(|argument| match argument {
            Argument::Operand { index, .. } => Some(*index),
            Argument::Option { .. } | Argument::Either { .. } => None,
        });
        match first {
            Some(first) if self.program.is_some_and(has_options_first) => &words[..first],
            _ => words,
        }
    }

    /// Returns the words that are, or can be, operands.
    pub(crate) fn operands(&self) -> impl Iterator<Item = &'a Word> {
        self.arguments.iter().filter_map(|argument| match argument {
            Argument::Operand { word, .. } | Argument::Either { word, .. } => Some(*word),
            Argument::Option { .. } => None,
        })
    }

    /// Returns whether a word can be an option, although it begins with an expansion.
    pub(crate) fn can_be_option(&self, word: &Word) -> bool {
        let first = word.parts.iter().find(|part| !matches!(part, Part::Literal { text, .. } if text.is_empty()));
        first.is_some_and(|part| matches!(part, Part::Glob(_)) || self.line.can_be_anything(part))
    }

    /// Returns the words that name what the command writes.
    pub(crate) fn written(&self) -> Vec<Cow<'a, Word>> {
        let mut words: Vec<Cow<'a, Word>> = Vec::new();
        let to_files = self.command.redirects.iter().filter(|redirect| redirect.kind.writes());
        let to_files = to_files.filter(|redirect| !is_descriptor(redirect.kind, &redirect.target));
        words.extend(to_files.map(|redirect| Cow::Borrowed(&redirect.target)));
        let Some(program) = self.program.filter(|program| !program.writes.is_empty()) else { return words };
        let operands: Vec<&'a Word> = self.operands().collect();
        let all = || operands.iter().copied().map(Cow::Borrowed);
        for writes in program.writes {
            match writes {
                Writes::Operands => words.extend(all()),
                Writes::LastOperand => words.extend(all().skip(operands.len().saturating_sub(1).max(1))),
                Writes::OperandsWith(options) if self.has_option(options) => words.extend(all()),
                Writes::OperandsWith(_) => {}
                Writes::Values(options) => {
                    words.extend(self.values(options));
                    // These can be the option and its value.
                    let several = all().filter(|word| word.splits() && self.can_be_option(word));
                    words.extend(several);
                }
                Writes::After(prefix) => words.extend(operands.iter().filter_map(|word| after_prefix(word, prefix))),
            }
        }
        words
    }

    /// Returns whether one of these options is certainly, or perhaps, given.
    fn has_option(&self, options: &[&str]) -> bool {
        self.arguments.iter().any(|argument| match argument {
            Argument::Option { name, .. } => options.iter().any(|option| flags::is_abbreviation(name, option)),
            Argument::Either { word, .. } => self.can_be_option(word),
            Argument::Operand { .. } => false,
        })
    }

    /// Returns the values of options.
    pub(crate) fn values<'o>(&'o self, options: &'o [&str]) -> impl Iterator<Item = Cow<'a, Word>> + 'o {
        self.arguments.iter().filter_map(move |argument| match argument {
            Argument::Option { name, value: Some(value), index }
                if options.iter().any(|option| flags::is_abbreviation(name, option)) =>
            {
                Some(self.value_word(value, *index))
            }
            _ => None,
        })
    }

    /// Returns the value of an option as a word.
    pub(crate) fn value_word(&self, value: &flags::Value<'a>, index: usize) -> Cow<'a, Word> {
        let span = self.command.arguments()[index].span;
        match value {
            flags::Value::Word(word) => Cow::Borrowed(*word),
            flags::Value::Text(text) => Cow::Owned(Word::plain(text, span)),
            flags::Value::Built(start) => {
                let mut word = Word::plain(start, span);
                word.parts.push(Part::Unknown { splits: false });
                Cow::Owned(word)
            }
        }
    }

    /// Returns whether the command only prints its help or its version.
    pub(crate) fn is_help(&self) -> bool {
        let words = self.command.arguments();
        let Some((last, others)) = words.split_last() else { return false };
        let is_plain = |word: &Word| {
            word.literal().is_some_and(|text| {
                !text.is_empty() && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
            })
        };
        !self.command.appended
            && last.literal().is_some_and(|text| matches!(&*text, "--help" | "--version"))
            && others.iter().all(is_plain)
    }

    /// Returns whether the program has one of these names, which may be patterns.
    pub(crate) fn is_called(&self, patterns: &[&str]) -> bool {
        let own = self.command.program.name();
        let is_own = |pattern: &&str| {
            self.name.is_some_and(|name| pattern::matches(pattern, name))
                || own.is_some_and(|name| pattern::matches(pattern, name))
        };
        patterns.iter().any(is_own)
    }
}

/// Returns whether options after the first operand belong to another command.
fn has_options_first(program: &Program<'_>) -> bool {
    program.options_first || program.runs.iter().any(|runs| matches!(runs, Runs::Rest(_) | Runs::Joined { .. }))
}

/// Returns the part of a word after a prefix, such as the path of `of=PATH`.
pub(crate) fn after_prefix<'w>(word: &'w Word, prefix: &str) -> Option<Cow<'w, Word>> {
    let (first, rest) = word.parts.split_first()?;
    let Part::Literal { text, origin } = first else { return None };
    let text = text.strip_prefix(prefix)?;
    let mut parts = vec![Part::Literal { text: text.to_owned(), origin: *origin }];
    // The shell leaves this `~` as it is, but a program may not.
    if let Some(below) = text.strip_prefix('~').filter(|below| below.is_empty() || below.starts_with('/')) {
        parts = vec![Part::Tilde { user: String::new() }, Part::Literal { text: below.to_owned(), origin: *origin }];
    }
    parts.extend_from_slice(rest);
    Some(Cow::Owned(Word { parts, span: word.span }))
}

/// Returns whether the target of a redirection is a descriptor, or `-`.
fn is_descriptor(kind: RedirectKind, target: &Word) -> bool {
    matches!(kind, RedirectKind::DuplicateOutput)
        && target.text().is_some_and(|text| text.trim_end_matches('-').chars().all(|letter| letter.is_ascii_digit()))
}
