//! One command, prepared for the conditions of rules.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::certainty::Match;
use crate::flags::{self, Argument, has_dash};
use crate::judge::effects::ScriptEffects;
use crate::judge::file::Files;
use crate::judge::line::Line;
use crate::judge::signature::signature;
use crate::judge::variable::SetVariable;
use crate::programs::{Program, Runs, SHELL, without_version};
use crate::reading::{Command, Input};
use crate::rules::{Marks, Needs, Signature, pattern};
use crate::syntax::{CommandId, Part, Word};

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
    /// The arguments of the program itself.
    own_words: &'a [Word],
    /// The marks of the words, computed when first needed.
    signature: OnceCell<Signature>,
    /// The effects of the script among the arguments, computed when first needed.
    pub(super) effects: OnceCell<Option<ScriptEffects>>,
    /// The variables that the command sets, computed when first needed.
    pub(super) set_variables: OnceCell<Vec<SetVariable>>,
    /// Whether an operand can be the value of the option before it, computed when first needed.
    has_possible_value: OnceCell<bool>,
    pub(super) files: Files,
}

/// Names of standard input.
pub(crate) const INPUT_FILES: &[&str] = &["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

impl<'a> Subject<'a> {
    pub(crate) fn new(line: &'a Line<'a>, id: CommandId) -> Self {
        Self::with_form(line, id, line.reading.command(id))
    }

    /// Returns a command in another form than that of the reading.
    pub(crate) fn with_form(line: &'a Line<'a>, id: CommandId, command: &'a Command) -> Self {
        let own_name = command.program.name().filter(|_| !line.is_harmless_function(id, command));
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
        let has_options_first = program.is_some_and(has_options_first);
        if has_options_first {
            arguments = arguments.stop_at_operand();
        }
        if let Some(program) = program {
            arguments = arguments.stop_after(program.last_options);
        }
        let arguments: Vec<Argument<'_>> = arguments.collect();
        let first_operand = arguments.iter().find_map(operand);
        let words = command.arguments();
        let end = if has_options_first { arguments.iter().find_map(index_of_operand) } else { None };
        let own_words = &words[..end.unwrap_or(words.len())];
        Self {
            line,
            id,
            command,
            name,
            program,
            arguments,
            first_operand,
            own_words,
            signature: OnceCell::new(),
            effects: OnceCell::new(),
            set_variables: OnceCell::new(),
            has_possible_value: OnceCell::new(),
            files: Files::default(),
        }
    }

    /// Returns the arguments of the program itself, without those of a command that it runs.
    pub(crate) fn own_words(&self) -> &'a [Word] {
        self.own_words
    }

    /// Returns the marks of the words.
    pub(super) fn signature(&self) -> Signature {
        *self.signature.get_or_init(|| signature(self.command, &self.arguments))
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
            (Needs::OPTIONS, self.signature().options != Marks::ALWAYS),
            (Needs::OPERANDS, self.first_operand.is_some() || command.appended),
            (Needs::VARIABLES, !self.set_variables().is_empty()),
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

    /// Returns whether an option with this name can be given, as far as its first letter tells.
    pub(crate) fn can_have_option(&self, name: &str) -> bool {
        self.signature().options.meet(Marks::of_option(name))
    }

    /// Returns whether an option is given without a value in its own word.
    pub(crate) fn has_bare_option(&self, wanted: &str) -> bool {
        self.arguments.iter().any(|argument| {
            matches!(argument, Argument::Option { name, value: None, .. } if flags::is_abbreviation(name, wanted))
        })
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
    pub(super) fn certainly_has_option(&self, options: &[&str]) -> bool {
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
                    Some(value) => Some(self.option_value(name, value, *index)),
                    None => words.get(index + 1).map(Cow::Borrowed),
                }
            }
            _ => None,
        });
        // `-out FILE`, `-out=FILE`, `-oFILE`: the program table does not say that the option has a value.
        let of_words = words.iter().enumerate().flat_map(move |(index, word)| {
            let start = word.certain_start();
            let of_option = move |option: &str| {
                // Most words are operands, which needs no call.
                let begins_alike = has_dash(option) == has_dash(&start);
                if !begins_alike || option.starts_with("--") || !start.starts_with(option) {
                    None
                } else if option.len() == 2 {
                    // `-oFILE`, `-o$FILE`
                    (start.len() > 2 || word.parts.len() > 1).then(|| after_prefix(word, option)).flatten()
                } else if *start == *option {
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

    /// Returns the value of an option as a word, with the expansions in it.
    pub(crate) fn option_value(&self, name: &str, value: &flags::Value<'a>, index: usize) -> Cow<'a, Word> {
        match value {
            flags::Value::Built(_) => self.attached_value(name, index).unwrap_or_else(|| self.value_word(value, index)),
            value => self.value_word(value, index),
        }
    }

    /// Returns the value of an option as a word, in which everything after the first expansion is unknown.
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

    /// Returns whether the command only prints its help or its version. A program that runs others or a script passes the option on.
    pub(crate) fn is_help(&self) -> bool {
        let words = self.command.arguments();
        let Some((last, others)) = words.split_last() else { return false };
        if self.command.appended || !last.literal().is_some_and(|text| matches!(&*text, "--help" | "--version")) {
            return false;
        }
        // `docker exec NAME --help`, but not `docker rm --help`.
        let is_given = |words: &&str| {
            let last = words.rsplit(' ').next().unwrap_or_default();
            self.operands().any(|operand| pattern::matches_word(last, operand) != Match::No)
        };
        let runs_others = |runs: &Runs<'_>| match runs {
            Runs::Rest(rest) => {
                let is_plain = rest.after.is_empty() && rest.options.is_empty() && !rest.known;
                is_plain || rest.after.iter().any(is_given)
            }
            Runs::Joined { after, .. } if !after.is_empty() => after.iter().any(is_given),
            Runs::Code { after, .. } => after.is_empty(),
            _ => true,
        };
        let passes_on = |program: &Program<'_>| program.options_first || program.runs.iter().any(runs_others);
        let is_shell = self.name.is_some_and(|name| SHELL.get(name).is_some());
        if !others.is_empty() && (is_shell || self.program.is_some_and(passes_on)) {
            return false;
        }
        let is_plain = |word: &Word| {
            word.literal().is_some_and(|text| {
                // `filter-branch`, `db:rollback`, but no option.
                let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | ':' | '.');
                !text.is_empty() && !has_dash(&text) && text.chars().all(is_plain)
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
        (Some("arch" | "hostname" | "id" | "logname" | "uname" | "whoami"), options) => {
            options.iter().all(|option| has_dash(option))
        }
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
        Runs::Rest(rest) => rest.after.is_empty() && rest.options.is_empty() && !rest.known,
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

/// Returns the position of an argument that certainly is an operand.
fn index_of_operand(argument: &Argument<'_>) -> Option<usize> {
    match argument {
        Argument::Operand { index, .. } => Some(*index),
        Argument::Option { .. } | Argument::Either { .. } => None,
    }
}

/// Returns the part of a word after a prefix, such as the path of `of=PATH`.
pub(crate) fn after_prefix<'w>(word: &'w Word, prefix: &str) -> Option<Cow<'w, Word>> {
    let (first, rest) = word.parts.split_first()?;
    let Part::Literal { text, origin } = first else { return None };
    let text = text.strip_prefix(prefix)?;
    let mut parts = Vec::new();
    // A path begins with an expansion only if nothing is before it.
    if !text.is_empty() || rest.is_empty() {
        parts.push(Part::Literal { text: text.to_owned(), origin: *origin });
    }
    // The shell does not expand this `~`, but the program may.
    if let Some(below) = text.strip_prefix('~').filter(|below| below.is_empty() || below.starts_with('/')) {
        parts = vec![Part::Tilde { user: String::new() }, Part::Literal { text: below.to_owned(), origin: *origin }];
    }
    parts.extend_from_slice(rest);
    Some(Cow::Owned(Word { parts, span: word.span }))
}
