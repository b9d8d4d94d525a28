//! One command, prepared for the conditions of rules.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::certainty::Match;
use crate::characters::UNKNOWN;
use crate::flags::{self, Argument};
use crate::judge::file::Files;
use crate::judge::line::Line;
use crate::programs::{Program, Runs, SHELL, Writes, without_version};
use crate::reading::{Command, Directory, Input};
use crate::rules::{Needs, pattern};
use crate::scripts::{Effects, VariableFile};
use crate::span::Span;
use crate::syntax::{CommandId, Glob, Origin, Part, RedirectKind, Word};

/// A command, with its arguments sorted into options and operands.
pub(crate) struct Subject<'a> {
    pub(crate) line: &'a Line<'a>,
    pub(crate) id: CommandId,
    pub(crate) command: &'a Command,
    /// The canonical name of the program: its own, or the one that it is an alias of.
    pub(crate) name: Option<&'a str>,
    pub(crate) program: Option<&'a Program<'a>>,
    pub(crate) arguments: Vec<Argument<'a>>,
    /// The first word that is, or can be, an operand.
    pub(crate) first_operand: Option<&'a Word>,
    options: OptionLetters,
    /// The effects of the script among the arguments, computed when first needed.
    effects: OnceCell<Option<Effects>>,
    /// Whether an operand can be the value of the option before it, computed when first needed.
    has_possible_value: OnceCell<bool>,
    pub(super) files: Files,
}

/// Builtins that set variables to values which they compute or read.
const SETTERS: &[&str] = &["getopts", "let", "mapfile", "printf", "read", "readarray"];

/// Names of standard input.
pub(crate) const INPUT_FILES: &[&str] = &["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

impl<'a> Subject<'a> {
    pub(crate) fn new(line: &'a Line<'a>, id: CommandId) -> Self {
        Self::with_form(line, id, line.reading.command(id))
    }

    /// Returns a command in another form than that of the reading.
    pub(crate) fn with_form(line: &'a Line<'a>, id: CommandId, command: &'a Command) -> Self {
        let own_name = command.program.name();
        let program = own_name.and_then(|name| line.programs.get(name));
        let name = own_name.map(|name| match program {
            Some(program) if !program.name.is_empty() => program.name,
            _ => without_version(name),
        });
        // The options of shells are known without a table.
        let known = program.or_else(|| SHELL.get(own_name?));
        let value_options = known.map_or(&[][..], |program| program.value_options);
        let mut arguments = flags::arguments(command.arguments(), value_options);
        if program.is_some_and(|program| program.dashless) {
            arguments = arguments.dashless();
        }
        if program.is_some_and(has_options_first) {
            arguments = arguments.stop_at_operand();
        }
        if let Some(program) = program {
            arguments = arguments.stop_after(program.last_options);
        }
        let arguments: Vec<Argument<'_>> = arguments.collect();
        let first_operand = arguments.iter().find_map(operand);
        let options = OptionLetters::new(command, &arguments);
        Self {
            line,
            id,
            command,
            name,
            program,
            arguments,
            first_operand,
            options,
            effects: OnceCell::new(),
            has_possible_value: OnceCell::new(),
            files: Files::default(),
        }
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

    /// Returns the words of a command that the program runs elsewhere, such as in a container: those after its image.
    pub(crate) fn words_elsewhere(&self) -> &'a [Word] {
        let subcommands = self.program.map_or(&[][..], |program| program.elsewhere);
        if subcommands.is_empty() {
            return &[];
        }
        let mut is_after = false;
        for argument in &self.arguments {
            match argument {
                Argument::Operand { index, .. } | Argument::Either { index, .. } if is_after => {
                    return &self.command.arguments()[index + 1..];
                }
                Argument::Operand { word, .. } | Argument::Either { word, .. } => {
                    is_after = word.text().is_some_and(|text| subcommands.contains(&&*text));
                }
                Argument::Option { .. } => {}
            }
        }
        &[]
    }

    /// Returns the arguments of the program. A wrapper such as `sudo` has only those before the command that it runs.
    pub(crate) fn words_without_command(&self) -> &'a [Word] {
        if self.program.is_some_and(is_wrapper) { self.own_words() } else { self.command.arguments() }
    }

    /// Returns what the command has that rules can need.
    pub(crate) fn has(&self) -> Needs {
        let (command, reading) = (self.command, self.line.reading);
        let has_folder = |part: &Part| !matches!(part, Part::Literal { text, .. } if !text.contains('/'));
        Needs::all([
            (Needs::OPTIONS, self.options.any || self.options.letters != 0),
            (Needs::OPERANDS, self.first_operand.is_some() || command.appended),
            (Needs::VARIABLES, !command.assignments.is_empty() || self.sets_variables()),
            (Needs::WRITTEN_FILES, !self.written_files().is_empty()),
            (Needs::INPUT, !matches!(reading.input(self.id), Input::Inherited)),
            (Needs::OTHER_COMMANDS, reading.commands.len() > 1),
            (Needs::FUNCTIONS, self.line.has_functions),
            (Needs::FOLDER_OF_PROGRAM, command.words.first().is_some_and(|word| word.parts.iter().any(has_folder))),
            (Needs::WRAPPERS, command.via.is_some()),
            // `fd NAME -x COMMAND`: the program adds the files.
            (
                Needs::WORDS,
                command.appended || command.words.len() > 1 || !command.redirects.is_empty() || command.via.is_some(),
            ),
        ])
    }

    /// Returns whether the program sets variables that its arguments name.
    pub(crate) fn sets_variables(&self) -> bool {
        let name = self.command.program.name();
        name.is_some_and(|name| {
            SETTERS.contains(&name)
                || matches!(name, "declare" | "export" | "local" | "readonly" | "set" | "setenv" | "typeset")
        })
    }

    /// Returns the variables that the program sets to values which it computes or reads, as `read NAME` does, and where they are
    /// named.
    pub(crate) fn computed_variables(&self) -> Vec<(String, Span)> {
        let Some(own) = self.command.program.name() else { return Vec::new() };
        if matches!(own, "declare" | "local" | "typeset") {
            return self.referenced_variables();
        }
        if !SETTERS.contains(&own) {
            return Vec::new();
        }
        let is_of_name = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '_';
        let named = |word: &Word| {
            let text = word.certain_start();
            let text = if own == "printf" { text.strip_prefix("-v").unwrap_or(&text) } else { &text };
            let name: String = text.chars().take_while(is_of_name).collect();
            // `let NAME=1`, `read NAME`, `read 'NAME[0]'`
            let is_name = own == "let" || text.len() == name.len() || text[name.len()..].starts_with('[');
            (is_name && !name.is_empty()).then_some((name, word.span))
        };
        let words = self.command.arguments();
        let count = match own {
            "printf" if words.first().is_some_and(|word| word.certain_start() == "-v") => 2,
            "printf" if words.first().is_some_and(|word| word.certain_start().starts_with("-v")) => 1,
            "printf" => 0,
            _ => words.len(),
        };
        words[..count.min(words.len())].iter().filter_map(named).collect()
    }

    /// Returns the variables to which `declare -n REFERENCE=NAME` gives another name, by which a later assignment sets them.
    fn referenced_variables(&self) -> Vec<(String, Span)> {
        let words = self.command.arguments();
        let makes_references = |word: &Word| {
            let start = word.certain_start();
            start.starts_with('-') && start.contains('n')
        };
        if !words.iter().any(makes_references) {
            return Vec::new();
        }
        let target = |word: &Word| word.certain_start().split_once('=').map(|(_, name)| (name.to_owned(), word.span));
        words.iter().filter_map(target).collect()
    }

    /// Returns whether a subcommand can be given, as far as the first letters of its first word and of the operands tell.
    pub(crate) fn can_have_subcommand(&self, words: &[&str]) -> bool {
        let Some(wanted) = words.first().and_then(|word| word.as_bytes().first()) else { return true };
        if b"-*?[".contains(wanted) {
            return true;
        }
        let can_begin = |word: &Word| match word.parts.as_slice() {
            [Part::Literal { text, .. }] => text.as_bytes().first() == Some(wanted),
            _ => true,
        };
        match self.first_operand {
            Some(first) if can_begin(first) => true,
            Some(_) => self.has_possible_value() && self.operands().any(can_begin),
            None => self.command.appended,
        }
    }

    /// Returns the words that are, or can be, operands.
    pub(crate) fn operands(&self) -> impl Iterator<Item = &'a Word> {
        self.arguments.iter().filter_map(operand)
    }

    /// Returns whether a word can be an option, although it begins with an expansion.
    pub(crate) fn can_be_option(&self, word: &Word) -> bool {
        let first = word.parts.iter().find(|part| !matches!(part, Part::Literal { text, .. } if text.is_empty()));
        // `"$(dirname "$0")/FILE"`
        let is_folder = |part: &Part| {
            // `x=$(mktemp); rm "$x"`
            let value = match part {
                Part::Variable { name, operation: None, quoted: true } => {
                    self.line.only_value(name).and_then(|value| value.parts.first())
                }
                Part::Substitution { quoted: true, .. } => Some(part),
                _ => None,
            };
            let Some(Part::Substitution { commands, .. }) = value else { return false };
            let [command] = &self.line.reading.commands[commands.start as usize..commands.end as usize] else {
                return false;
            };
            command.redirects.is_empty()
                && matches!(command.program.name(), Some("dirname" | "mktemp" | "pwd" | "realpath"))
        };
        let is_plain = |part: &Part| {
            let Part::Substitution { commands, .. } = part else { return false };
            let commands = &self.line.reading.commands[commands.start as usize..commands.end as usize];
            !self.line.has_functions && matches!(commands, [command] if prints_plain_words(command))
        };
        first.is_some_and(|part| self.line.can_be_anything(part) && !is_folder(part) && !is_plain(part))
    }

    /// Returns the words that name files which the command writes.
    pub(crate) fn written(&self) -> Vec<Cow<'a, Word>> {
        let mut words: Vec<Cow<'a, Word>> = Vec::new();
        let to_files = self.command.redirects.iter().filter(|redirect| redirect.kind.writes());
        let to_files = to_files.filter(|redirect| !redirect.targets_descriptor());
        words.extend(to_files.map(|redirect| Cow::Borrowed(&redirect.target)));
        if let Some(effects) = self.effects() {
            // A name whose beginning is unknown is one of the program's own files.
            let names = effects.writes.iter().filter(|name| !name.starts_with(UNKNOWN));
            words.extend(names.map(|name| Cow::Owned(with_unknown(name, self.command.span))));
            words.extend(effects.writes_of.iter().flat_map(|file| self.files_of_variable(file)));
        }
        let Some(program) = self.program.filter(|program| !program.writes.is_empty()) else { return words };
        let operands: Vec<&'a Word> = self.operands().collect();
        let all = || operands.iter().copied().map(Cow::Borrowed);
        for writes in program.writes {
            match writes {
                Writes::OperandsUnless(options) | Writes::LastOperandUnless(options)
                    if self.certainly_has_option(options) => {}
                Writes::Operands | Writes::OperandsUnless(_) => words.extend(all()),
                Writes::FirstOperand => words.extend(all().take(1)),
                Writes::LastOperand | Writes::LastOperandUnless(_) => {
                    words.extend(all().skip(operands.len().saturating_sub(1).max(1)));
                }
                Writes::LastOperandOf(subcommands) => {
                    let is_given = |subcommand: &&[&str]| {
                        let mut pairs = subcommand.iter().zip(&operands);
                        operands.len() >= subcommand.len()
                            && pairs.all(|(word, operand)| pattern::matches_word(word, operand) != Match::No)
                    };
                    let is_whole = |subcommand: &&[&str]| is_given(subcommand) && operands.len() > subcommand.len();
                    // `git clone URL`: the name comes from the URL.
                    let is_implicit = |subcommand: &&[&str]| subcommand.last() == Some(&"*") && is_given(subcommand);
                    if subcommands.iter().any(is_whole) {
                        words.extend(all().next_back());
                    } else if self.is_in_known_directory() && subcommands.iter().any(is_implicit) {
                        words.extend(operands.last().and_then(|word| url_name(word)).map(Cow::Owned));
                    }
                }
                Writes::OperandsWith(options) if self.has_option(options) => words.extend(all()),
                Writes::Values(options) => {
                    words.extend(self.values(options));
                    let folders = program.writes.iter().filter_map(|writes| match writes {
                        Writes::UrlNames { folder, .. } => self.values(folder).last(),
                        _ => None,
                    });
                    words.extend(folders.flat_map(|folder| {
                        self.values(options).map(move |file| Cow::Owned(in_folder(&folder, &file)))
                    }));
                    // An expansion can be the option with its value.
                    let several = all().filter(|word| word.splits() && self.can_be_option(word));
                    words.extend(several);
                }
                Writes::UrlNames { with, folder } if with.is_empty() || self.has_option(with) => {
                    let names = operands.iter().filter_map(|word| url_name(word));
                    let folder = self.values(folder).last();
                    words.extend(names.map(|name| match &folder {
                        Some(folder) => Cow::Owned(in_folder(folder, &name)),
                        None => Cow::Owned(name),
                    }));
                }
                Writes::After(prefix) => words.extend(operands.iter().filter_map(|word| after_prefix(word, prefix))),
                Writes::OperandsWith(_) | Writes::UrlNames { .. } | Writes::Unpacked { .. } => {}
            }
        }
        if self.is_in_known_directory() {
            words.extend(self.unpacks_to().filter(|(_, is_named)| !is_named).map(|(folder, _)| folder));
        }
        words
    }

    /// Returns whether the working directory is known. Elsewhere, a program whose files have no names in the line is trusted.
    fn is_in_known_directory(&self) -> bool {
        self.command.directory != Directory::Unknown
    }

    /// Returns the files whose names begin with the value of a variable of a script: one that the arguments set, as in
    /// `awk -v NAME=VALUE` and `awk SCRIPT NAME=VALUE`, or one of the environment.
    fn files_of_variable(&self, file: &VariableFile) -> Vec<Cow<'a, Word>> {
        let VariableFile { variable, is_of_environment, rest } = file;
        let with_rest = |value: Word| {
            let mut value = value;
            if !rest.is_empty() {
                value.parts.extend(with_unknown(rest, value.span).parts);
            }
            Cow::Owned(value)
        };
        if *is_of_environment {
            let own = self.command.assignments.iter().filter(|assignment| assignment.name == *variable);
            let values = own.map(|assignment| &assignment.value).chain(self.line.only_value(variable));
            return values.cloned().map(with_rest).collect();
        }
        let prefix = format!("{variable}=");
        let words = self.values(&["-v", "--assign"]).chain(self.operands().map(Cow::Borrowed));
        words.filter_map(|word| after_prefix(&word, &prefix).map(|value| with_rest(value.into_owned()))).collect()
    }

    /// Returns the folder into which the command unpacks an archive, and whether the command names it. Returns `None` if it
    /// unpacks nothing.
    pub(crate) fn unpacks_to(&self) -> Option<(Cow<'a, Word>, bool)> {
        let here = || (Cow::Owned(Word::plain(".", self.command.span)), false);
        self.program?.writes.iter().find_map(|writes| match writes {
            Writes::Unpacked { with, folder } if with.is_empty() || self.has_option(with) => {
                Some(self.values(folder).last().map_or_else(here, |folder| (folder, true)))
            }
            _ => None,
        })
    }

    /// Returns the effects of the script that the program takes as an argument. Returns `None` if there is no script.
    pub(crate) fn effects(&self) -> Option<&Effects> {
        self.effects.get_or_init(|| self.read_script()).as_ref()
    }

    fn read_script(&self) -> Option<Effects> {
        let language = self.program?.script_language?;
        let mut script = Script::default();
        for argument in &self.arguments {
            let Argument::Option { name, value: Some(value), index } = argument else { continue };
            let is_one = |options: &[&str]| options.iter().any(|option| flags::is_abbreviation(name, option));
            if is_one(language.code_options()) {
                script.add(&self.value_word(value, *index), self.line);
            } else if is_one(language.file_options()) {
                self.read_script_file(&self.value_word(value, *index), &mut script);
            }
        }
        if !script.is_given {
            for argument in &self.arguments {
                match argument {
                    Argument::Operand { word, .. } => {
                        script.add(word, self.line);
                        break;
                    }
                    Argument::Either { word, .. } => {
                        script.add(word, self.line);
                        // If the word is an option, the script follows.
                        if !word.splits() {
                            break;
                        }
                    }
                    Argument::Option { .. } => {}
                }
            }
        }
        let mut effects = language.read(&script.text);
        effects.unknown &= script.can_be_anything;
        effects.unknown |= script.is_output || !script.is_given && self.command.appended;
        Some(effects)
    }

    /// Adds the script of a file, if its text is in the line.
    fn read_script_file(&self, file: &Word, script: &mut Script) {
        script.is_given = true;
        script.is_output |= file.parts.iter().any(|part| matches!(part, Part::ProcessSubstitution { .. }));
        if !file.text().is_some_and(|file| INPUT_FILES.contains(&&*file)) {
            return;
        }
        match self.line.reading.input(self.id) {
            Input::Redirect(redirect)
                if matches!(redirect.kind, RedirectKind::HereDocument | RedirectKind::HereString) =>
            {
                script.add(&redirect.target, self.line);
            }
            Input::Redirect(redirect) => script.is_output |= redirect.kind != RedirectKind::Read,
            Input::Commands(_) => script.is_output = true,
            Input::Inherited => {}
        }
    }

    /// Returns whether an option with this name can be given, as far as its first letter tells.
    pub(crate) fn can_have_option(&self, name: &str) -> bool {
        self.options.can_contain(name)
    }

    /// Returns whether one of these options is certainly, or perhaps, given.
    pub(crate) fn has_option(&self, options: &[&str]) -> bool {
        self.arguments.iter().any(|argument| match argument {
            Argument::Option { name, index, .. } => options.iter().any(|option| {
                // `find -delete`: a long option with one dash.
                let is_whole = || self.command.arguments()[*index].literal().is_some_and(|word| word == *option);
                flags::is_abbreviation(name, option) || is_whole()
            }),
            Argument::Either { word, .. } => self.can_be_option(word),
            Argument::Operand { .. } => false,
        })
    }

    /// Returns whether one of these options is certainly given.
    fn certainly_has_option(&self, options: &[&str]) -> bool {
        self.arguments.iter().any(|argument| match argument {
            Argument::Option { name, .. } => options.iter().any(|option| flags::is_abbreviation(name, option)),
            Argument::Either { .. } | Argument::Operand { .. } => false,
        })
    }

    /// Returns the values of options. The value of an option that the program table does not know as one with a value is the rest
    /// of its word, or the next argument.
    pub(crate) fn values<'o>(&'o self, options: &'o [&str]) -> impl Iterator<Item = Cow<'a, Word>> + 'o {
        let words = self.own_words();
        let of_arguments = self.arguments.iter().filter_map(move |argument| match argument {
            Argument::Option { name, value, index }
                if options.iter().any(|option| flags::is_abbreviation(name, option)) =>
            {
                match value {
                    Some(flags::Value::Word(word)) => Some(Cow::Borrowed(*word)),
                    Some(value) => {
                        Some(self.attached_value(name, *index).unwrap_or_else(|| self.value_word(value, *index)))
                    }
                    None => words.get(index + 1).map(Cow::Borrowed),
                }
            }
            _ => None,
        });
        // `-out FILE`, `-out=FILE`, `-oFILE`: the program table does not say that the option has a value.
        let of_words = words.iter().enumerate().flat_map(move |(index, word)| {
            let of_option = move |option: &str| {
                let start = word.certain_start();
                let is_long = option.starts_with("--");
                if is_long || !start.starts_with(option) {
                    None
                } else if option.len() == 2 {
                    (start.len() > 2).then(|| after_prefix(word, option)).flatten()
                } else if start == option {
                    words.get(index + 1).map(Cow::Borrowed)
                } else {
                    after_prefix(word, &format!("{option}="))
                }
            };
            options.iter().filter_map(move |option| of_option(option))
        });
        of_arguments.chain(of_words)
    }

    /// Returns the rest of an option's own word, which is its value, with the expansions in it.
    fn attached_value(&self, name: &str, index: usize) -> Option<Cow<'a, Word>> {
        let word = &self.command.arguments()[index];
        let start = word.certain_start();
        let end = if name.starts_with("--") { start.find('=')? } else { start.find(&name[1..])? + name.len() - 2 };
        after_prefix(word, start.get(..=end)?)
    }

    /// Returns whether an operand can be the value of the option before it.
    pub(crate) fn has_possible_value(&self) -> bool {
        *self.has_possible_value.get_or_init(|| {
            self.arguments.windows(2).any(|pair| match pair {
                [Argument::Option { name, value: None, .. }, Argument::Operand { .. } | Argument::Either { .. }] => {
                    self.may_take_value(name)
                }
                _ => false,
            })
        })
    }

    /// Returns whether an option may take the next argument as its value, although the program table does not say so.
    pub(crate) fn may_take_value(&self, name: &str) -> bool {
        let is_known = |option: &&str| {
            let option = option.strip_suffix('?').unwrap_or(option);
            option == name
        };
        let known = self.program.map_or(&[][..], |program| program.value_options);
        !name.starts_with("--no-") && name != "--help" && !known.iter().any(is_known)
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

    /// Returns the names that files get if the command writes them to a folder: those of its operands, and an ordinary one. Empty if
    /// the command does not take folders for its files.
    pub(crate) fn file_names(&self) -> Vec<&'a str> {
        let copies = |writes: &Writes<'_>| {
            matches!(
                writes,
                Writes::LastOperand | Writes::LastOperandUnless(_) | Writes::LastOperandOf(_) | Writes::UrlNames { .. }
            )
        };
        let is_of_option = |writes: &Writes<'_>| matches!(writes, Writes::Values(_) | Writes::Unpacked { .. });
        let is_copier = |program: &Program<'_>| {
            program.writes.iter().any(copies) || !program.writes.is_empty() && program.writes.iter().all(is_of_option)
        };
        if !self.program.is_some_and(is_copier) {
            return Vec::new();
        }
        let last = |word: &'a Word| match word.parts.last() {
            Some(Part::Literal { text, .. }) => text.trim_end_matches('/').rsplit('/').next(),
            _ => None,
        };
        let names = self.operands().filter_map(last).filter(|name| !matches!(*name, "" | "." | ".."));
        names.take(MAX_NAMES).chain([ORDINARY_NAME]).collect()
    }

    /// Returns whether the command only prints its help or its version. A program that runs others or a script passes the option on.
    pub(crate) fn is_help(&self) -> bool {
        let words = self.command.arguments();
        let Some((last, others)) = words.split_last() else { return false };
        if self.command.appended || !last.literal().is_some_and(|text| matches!(&*text, "--help" | "--version")) {
            return false;
        }
        // `docker exec NAME --help`, but not `docker rm --help`.
        let runs_others = |runs: &Runs<'_>| match runs {
            Runs::Rest(rest) => {
                let is_given =
                    |word: &&str| self.operands().any(|operand| pattern::matches_word(word, operand) != Match::No);
                rest.after.is_empty() || rest.after.iter().any(is_given)
            }
            _ => true,
        };
        let passes_on = |program: &Program<'_>| program.options_first || program.runs.iter().any(runs_others);
        let is_shell = self.name.is_some_and(|name| SHELL.get(name).is_some());
        if !others.is_empty() && (is_shell || self.program.is_some_and(passes_on)) {
            return false;
        }
        let is_plain = |word: &Word| {
            word.literal().is_some_and(|text| {
                // `filter-branch`, but no option.
                let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
                !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain)
            })
        };
        others.iter().all(is_plain)
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

/// The maximum number of operands whose names are tried in a folder.
const MAX_NAMES: usize = 8;
/// A name that no pattern contains: only `*` and `**` match it.
const ORDINARY_NAME: &str = "\u{0}file";

/// Returns whether a command prints nothing but words such as hashes, numbers and dates, none of which begins with a dash.
fn prints_plain_words(command: &Command) -> bool {
    let words: Option<Vec<Cow<'_, str>>> = command.arguments().iter().map(Word::text).collect();
    let Some(words) = words.filter(|_| command.redirects.is_empty() && command.assignments.is_empty()) else {
        return false;
    };
    let words: Vec<&str> = words.iter().map(|word| &**word).collect();
    match (command.program.name(), words.as_slice()) {
        (Some("docker" | "podman"), ["ps", options @ ..]) => {
            options.iter().any(|word| matches!(*word, "-q" | "-aq" | "-qa" | "-lq" | "-ql" | "--quiet"))
                && !options.iter().any(|word| word.starts_with("--fo"))
        }
        // Names of branches and tags are not among these, because others choose them: `--output=FILE` is a valid one.
        (Some("git"), ["merge-base", _, _] | ["rev-parse", "HEAD"] | ["rev-parse", "--short", "HEAD"])
        | (Some("nproc"), []) => true,
        // `%z` and `%Z` can begin with a dash, `%n` and `%t` are spaces.
        (Some("date"), [format]) => format.strip_prefix("+%").is_some_and(|rest| {
            rest.split('%').all(|item| {
                item.starts_with(['F', 'H', 'M', 'S', 'T', 'Y', 'd', 'j', 'm', 's', 'y'])
                    && item.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_:.".contains(letter))
            })
        }),
        _ => false,
    }
}

/// Returns whether options after the first operand belong to another command. If that begins after a subcommand, the options of
/// other subcommands are the program's own: `docker exec` runs a command, and `docker run -v` has an option.
fn has_options_first(program: &Program<'_>) -> bool {
    program.options_first || is_wrapper(program)
}

/// Returns whether the operands of a program are a command that it runs.
fn is_wrapper(program: &Program<'_>) -> bool {
    program.runs.iter().any(|runs| match runs {
        Runs::Rest(rest) => rest.after.is_empty(),
        Runs::Joined { after, .. } => after.is_empty(),
        _ => false,
    })
}

/// Returns the word of an argument that is, or can be, an operand.
fn operand<'a>(argument: &Argument<'a>) -> Option<&'a Word> {
    match argument {
        Argument::Operand { word, .. } | Argument::Either { word, .. } => Some(*word),
        Argument::Option { .. } => None,
    }
}

/// The first letters of the options of a command. Most rules look for other options, which is then known without a comparison.
#[derive(Debug, Clone, Copy)]
struct OptionLetters {
    /// A bit for each ASCII character that follows the first dash.
    letters: u128,
    /// Whether there can be any option.
    any: bool,
}

impl OptionLetters {
    fn new(command: &Command, arguments: &[Argument<'_>]) -> Self {
        let mut options = Self { letters: 0, any: command.appended };
        for argument in arguments {
            match argument {
                Argument::Option { name, value, .. } => {
                    options.add(name.as_bytes().get(1));
                    // What is taken for a value can be a cluster of options.
                    if let Some(flags::Value::Word(word)) = value
                        && let Some(Part::Literal { text, .. }) = word.parts.first()
                        && text.starts_with('-')
                    {
                        text.as_bytes().iter().for_each(|letter| options.add(Some(letter)));
                    }
                }
                Argument::Either { .. } => options.any = true,
                Argument::Operand { .. } => {}
            }
        }
        for word in command.arguments() {
            match word.parts.as_slice() {
                [] | [Part::Tilde { .. }, ..] => {}
                [Part::Literal { text, .. }, ..] if !text.is_empty() && !text.starts_with('-') => {}
                [Part::Literal { text, .. }, rest @ ..] if text.len() > 1 || rest.is_empty() => {
                    options.add(text.as_bytes().get(1));
                }
                _ => options.any = true,
            }
        }
        options
    }

    fn add(&mut self, letter: Option<&u8>) {
        match letter {
            // Some rules ignore case.
            Some(letter) if letter.is_ascii() => self.letters |= 1 << letter.to_ascii_lowercase(),
            Some(_) => self.any = true,
            None => {}
        }
    }

    fn can_contain(self, name: &str) -> bool {
        let is_letter = |letter: &u8| !letter.is_ascii() || self.letters >> letter.to_ascii_lowercase() & 1 == 1;
        self.any || name.as_bytes().get(1).is_some_and(is_letter)
    }
}

/// The script of a program, from one or more arguments.
#[derive(Debug, Default)]
struct Script {
    text: String,
    is_given: bool,
    /// Whether the unknown parts of the text can be anything.
    can_be_anything: bool,
    /// Whether another command prints it.
    is_output: bool,
}

impl Script {
    fn add(&mut self, word: &Word, line: &Line<'_>) {
        self.is_given = true;
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        for part in &word.parts {
            match part {
                Part::Literal { text, .. } => self.text.push_str(text),
                Part::Tilde { user } => {
                    self.text.push('~');
                    self.text.push_str(user);
                }
                Part::Glob(Glob::AnyText) => self.text.push('*'),
                Part::Glob(Glob::Class(class)) => {
                    self.text.push('[');
                    self.text.push_str(class);
                    self.text.push(']');
                }
                Part::Glob(Glob::AnyChar) => self.text.push('?'),
                part => {
                    self.can_be_anything |= line.can_be_anything(part) || matches!(part, Part::Glob(_));
                    self.text.push(UNKNOWN);
                }
            }
        }
    }
}

/// Returns a word for a text in which [`UNKNOWN`] stands for unknown parts.
pub(crate) fn with_unknown(text: &str, span: Span) -> Word {
    let mut parts = Vec::new();
    for (index, piece) in text.split(UNKNOWN).enumerate() {
        if index > 0 {
            parts.push(Part::Unknown { splits: false });
        }
        if !piece.is_empty() {
            parts.push(Part::Literal { text: piece.to_owned(), origin: Origin::Quoted });
        }
    }
    Word { parts, span }
}

/// Returns the last part of a URL or of the path of a file, if it is certain.
pub(crate) fn url_name(url: &Word) -> Option<Word> {
    let end = url.certain_end();
    let path = end.split(['?', '#']).next().unwrap_or_default();
    let is_whole = url.text().is_some();
    let name = match path.trim_end_matches('/').rsplit_once('/') {
        Some((_, name)) => name,
        None if is_whole => path,
        None => return None,
    };
    // `HOST:FILE`
    let name = name.rsplit(':').next().unwrap_or_default();
    (!name.is_empty()).then(|| Word::plain(name, url.span))
}

/// Returns the path of a file in a folder.
pub(crate) fn in_folder(folder: &Word, file: &Word) -> Word {
    let mut parts = folder.parts.clone();
    parts.push(Part::Literal { text: "/".to_owned(), origin: Origin::Plain });
    parts.extend(file.parts.iter().cloned());
    Word { parts, span: file.span }
}

/// Returns the part of a word after a prefix, such as the path of `of=PATH`.
pub(crate) fn after_prefix<'w>(word: &'w Word, prefix: &str) -> Option<Cow<'w, Word>> {
    let (first, rest) = word.parts.split_first()?;
    let Part::Literal { text, origin } = first else { return None };
    let text = text.strip_prefix(prefix)?;
    let mut parts = vec![Part::Literal { text: text.to_owned(), origin: *origin }];
    // The shell does not expand this `~`, but the program may.
    if let Some(below) = text.strip_prefix('~').filter(|below| below.is_empty() || below.starts_with('/')) {
        parts = vec![Part::Tilde { user: String::new() }, Part::Literal { text: below.to_owned(), origin: *origin }];
    }
    parts.extend_from_slice(rest);
    Some(Cow::Owned(Word { parts, span: word.span }))
}
