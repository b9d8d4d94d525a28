//! Opens shells, whose code is an argument, in a file, or on standard input.

use super::Unfolder;
use crate::doubt::DoubtKind;
use crate::flags::{self, Argument, Value, is_abbreviation};
use crate::programs::{CodeShell, Program, Session};
use crate::reading::Input;
use crate::syntax::{Part, RedirectKind, Word};
use crate::unfold::after::After;
use crate::unfold::written::shell_of;

/// Files that are standard input.
const INPUT_FILES: &[&str] = &["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// The fields of [`Runs::File`](crate::programs::Runs::File).
pub(super) struct CodeFile<'t> {
    pub(super) after: &'t [&'t str],
    pub(super) options: &'t [&'t str],
    pub(super) unless: &'t [&'t str],
}

/// What the arguments of a shell say about its code.
#[derive(Debug, Default)]
struct ShellArguments {
    /// Whether `-c` is given.
    has_code: bool,
    /// Whether `-s` is given.
    reads_input: bool,
    /// The index of the first operand.
    operand: Option<usize>,
    /// Whether unknown arguments may be options.
    unsure: bool,
}

impl Unfolder<'_> {
    fn shell_arguments(arguments: &[Word], program: &Program<'_>, options: &[&str]) -> ShellArguments {
        let mut found = ShellArguments::default();
        for argument in flags::arguments(arguments, program.value_options) {
            match argument {
                Argument::Option { name, value, .. } => {
                    let is_file = matches!(&*name, "--rcfile" | "--init-file");
                    found.unsure |= is_file && !matches!(&value, Some(Value::Word(word)) if is_plain_file(word));
                    found.has_code |= options.contains(&&*name);
                    found.reads_input |= name == "-s";
                }
                // `-` ends the options, and `+` is an empty cluster.
                Argument::Operand { word, .. } if matches!(word.literal().as_deref(), Some("-" | "+")) => {}
                Argument::Operand { index, .. } => {
                    found.operand = Some(index);
                    break;
                }
                Argument::Either { word, index } => {
                    // `sh $OPTIONS CODE`
                    found.unsure |= word.splits() || index + 1 < arguments.len() && !found.has_code;
                    found.operand = Some(index);
                    break;
                }
            }
        }
        found
    }

    /// Opens `sh -c CODE`.
    pub(super) fn open_shell(
        &mut self,
        index: usize,
        arguments: &[Word],
        program: &Program<'_>,
        options: &[&str],
        shell: CodeShell,
    ) {
        let found = Self::shell_arguments(arguments, program, options);
        let span = self.reading.commands[index].span;
        if found.has_code && found.unsure {
            self.doubt(DoubtKind::BuiltCode, span);
        }
        if found.has_code {
            match found.operand {
                Some(at) => self.read_words(index, &arguments[at..=at], shell),
                None if self.reading.commands[index].appended => self.doubt(DoubtKind::BuiltCode, span),
                None => {}
            }
        } else if found.unsure || self.reading.commands[index].appended && found.operand.is_none() {
            self.doubt(DoubtKind::BuiltCode, span);
        }
    }

    /// Opens a shell whose code is on standard input.
    pub(super) fn open_input(&mut self, index: usize, arguments: &[Word], program: &Program<'_>, shell: CodeShell) {
        let found = Self::shell_arguments(arguments, program, &["-c"]);
        let is_input = match found.operand {
            _ if found.has_code => false,
            None => !self.reading.commands[index].appended,
            Some(at) => found.reads_input || arguments[at].text().is_some_and(|file| is_input_file(&file)),
        };
        let is_query = arguments
            .iter()
            .any(|word| word.text().is_some_and(|text| matches!(&*text, "--version" | "--help" | "-V")));
        if is_input && !is_query {
            self.read_input(index, shell);
        }
    }

    /// Opens the shell of a program that reads standard input if no command is given: `ssh HOST`.
    pub(super) fn open_session(
        &mut self,
        index: usize,
        arguments: &[Word],
        program: &Program<'_>,
        session: &Session<'_>,
    ) {
        let Session { after, skip, with, unless, shell } = *session;
        let mut after = After::new(after);
        let mut is_with = with.is_empty();
        let (mut certain, mut possible) = (0, 0);
        for argument in flags::arguments(arguments, program.value_options) {
            match argument {
                Argument::Option { name, .. } => {
                    let is_one = |options: &[&str]| options.iter().any(|option| is_abbreviation(&name, option));
                    if is_one(unless) || matches!(&*name, "--help" | "--version") {
                        return;
                    }
                    is_with |= is_one(with);
                }
                Argument::Operand { word, .. } | Argument::Either { word, .. } if !after.is_met() => after.add(word),
                // The value of `$OPTIONS` can be options, or nothing.
                Argument::Either { word, .. } if word.splits() => possible += 1,
                Argument::Operand { .. } | Argument::Either { .. } => certain += 1,
            }
        }
        if !after.is_met() || !is_with || certain > skip || self.reading.commands[index].appended {
            return;
        }
        let id = u32::try_from(index).unwrap_or(u32::MAX);
        let is_text = |kind| matches!(kind, RedirectKind::HereDocument | RedirectKind::HereString);
        // Where the command is in a variable, most input is its data. A text in the line is read to be sure.
        let is_read = certain + possible <= skip
            || matches!(self.reading.input(id), Input::Redirect(redirect) if is_text(redirect.kind));
        if is_read {
            self.read_input(index, shell);
        }
    }

    /// Looks at the file with code of a program that is not a shell: `python3 FILE`, `make -f FILE`.
    pub(super) fn open_code_file(
        &mut self,
        index: usize,
        arguments: &[Word],
        program: &Program<'_>,
        file: &CodeFile<'_>,
    ) {
        let mut after = After::new(file.after);
        let mut files: Vec<Word> = Vec::new();
        let mut only_operands = false;
        for argument in flags::arguments(arguments, program.value_options) {
            match argument {
                Argument::Option { name, value, index: at } if !only_operands => {
                    let is_one = |options: &[&str]| options.iter().any(|option| is_abbreviation(&name, option));
                    if is_one(file.unless) {
                        return;
                    }
                    if is_one(file.options) {
                        match value {
                            Some(Value::Word(word)) => files.push(word.clone()),
                            Some(Value::Text(text)) => files.push(Word::plain(&text, arguments[at].span)),
                            Some(Value::Built(_)) | None => files.push(arguments[at].clone()),
                        }
                    }
                }
                Argument::Option { .. } => {}
                Argument::Operand { word, .. } | Argument::Either { word, .. } if !after.is_met() => after.add(word),
                Argument::Operand { word, .. } | Argument::Either { word, .. } => {
                    if file.options.is_empty() {
                        files.push(word.clone());
                        break;
                    }
                    only_operands = program.options_first;
                }
            }
        }
        let is_script = file.options.is_empty() && file.after.is_empty();
        for word in &files {
            let is_output = word.parts.iter().any(|part| matches!(part, Part::ProcessSubstitution { input: true, .. }));
            let is_open = match word.text() {
                // Rules judge the input of interpreters, which a `-` stands for.
                Some(name) if name == "-" => !is_script && self.has_code_on_input(index),
                Some(name) if is_input_file(&name) => self.has_code_on_input(index),
                Some(file) => file.starts_with('/') && is_descriptor(&file),
                None => false,
            };
            if is_output || is_open {
                self.doubt(DoubtKind::OutputAsCode, word.span);
            }
        }
    }

    /// Returns whether standard input is the output of a command, or a text in the line.
    fn has_code_on_input(&self, index: usize) -> bool {
        match self.reading.input(u32::try_from(index).unwrap_or(u32::MAX)) {
            Input::Inherited => false,
            Input::Commands(_) => true,
            Input::Redirect(redirect) => redirect.kind != RedirectKind::Read,
        }
    }

    /// Looks at the file of `. FILE` or `sh FILE`.
    pub(super) fn open_file(&mut self, index: usize, arguments: &[Word], program: &Program<'_>) {
        let found = Self::shell_arguments(arguments, program, &["-c"]);
        let Some(word) = found.operand.map(|at| &arguments[at]).filter(|_| !found.has_code && !found.reads_input)
        else {
            return;
        };
        let is_output = word.parts.iter().any(|part| matches!(part, Part::ProcessSubstitution { .. }));
        let is_builtin = matches!(self.reading.commands[index].program.name(), Some("." | "source"));
        match word.text() {
            Some(file) if is_builtin && is_input_file(&file) => self.read_input(index, CodeShell::Same),
            Some(file) if !is_input_file(&file) && is_descriptor(&file) => {
                let id = u32::try_from(index).unwrap_or(u32::MAX);
                if file.starts_with('/') || self.reading.input(id) != Input::Inherited {
                    self.doubt(DoubtKind::OutputAsCode, word.span);
                }
            }
            Some(file) => {
                let name = self.reading.commands[index].program.name().unwrap_or_default();
                let shell = if is_builtin { CodeShell::Same } else { shell_of(name).unwrap_or(CodeShell::Any) };
                self.read_written(index, &file, shell);
            }
            None if is_output => self.doubt(DoubtKind::OutputAsCode, word.span),
            // A pattern or a variable can expand to the name of standard input.
            None if INPUT_FILES.iter().any(|file| word.could_be(file)) => {
                let id = u32::try_from(index).unwrap_or(u32::MAX);
                if word.parts.iter().any(|part| matches!(part, Part::Glob(_)))
                    || self.reading.input(id) != Input::Inherited
                {
                    self.doubt(DoubtKind::OutputAsCode, word.span);
                }
            }
            None => {}
        }
    }
}

/// Returns whether a file is standard input: `/dev/stdin`, also as `//dev/./stdin`.
fn is_input_file(file: &str) -> bool {
    file.starts_with('/') && INPUT_FILES.contains(&normalized(file).as_str())
}

/// Returns an absolute path without `.`, `..` and empty components.
fn normalized(path: &str) -> String {
    let mut components: Vec<&str> = Vec::new();
    for component in path.split('/') {
        match component {
            "" | "." => {}
            ".." => drop(components.pop()),
            name => components.push(name),
        }
    }
    format!("/{}", components.join("/"))
}

/// Returns whether a file can be an open descriptor. A relative path can be that after `cd /dev/fd`.
fn is_descriptor(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or_default();
    let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    if file.starts_with('/') {
        let path = normalized(file);
        path.starts_with("/dev/fd/") || path.starts_with("/proc/") && path.contains("/fd/") || path == "/dev/tty"
    } else {
        is_number || matches!(name, "stdin" | "tty")
    }
}

/// Returns whether a file is certainly not the output of a command.
fn is_plain_file(word: &Word) -> bool {
    word.text().is_some_and(|file| !is_input_file(&file) && !is_descriptor(&file))
}
