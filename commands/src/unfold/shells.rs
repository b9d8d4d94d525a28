//! Opens shells, whose code is an argument, in a file, or on standard input.

use super::Unfolder;
use crate::doubt::DoubtKind;
use crate::flags::{self, Argument, Value};
use crate::programs::{CodeShell, Program};
use crate::reading::Input;
use crate::syntax::{Part, Word};

/// Files that are standard input.
const INPUT_FILES: &[&str] = &["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

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
                    let is_file = matches!(name.as_str(), "--rcfile" | "--init-file");
                    found.unsure |= is_file && !matches!(&value, Some(Value::Word(word)) if is_plain_file(word));
                    found.has_code |= options.contains(&name.as_str());
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
            _ if is_output => self.doubt(DoubtKind::OutputAsCode, word.span),
            // A pattern or a variable can expand to the name of standard input.
            None if INPUT_FILES.iter().any(|file| word.could_be(file)) => {
                let id = u32::try_from(index).unwrap_or(u32::MAX);
                if word.parts.iter().any(|part| matches!(part, Part::Glob(_)))
                    || self.reading.input(id) != Input::Inherited
                {
                    self.doubt(DoubtKind::OutputAsCode, word.span);
                }
            }
            _ => {}
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
