//! The result of reading a line: every command that could run.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use crate::doubt::Doubt;
use crate::file_system::FileSystem;
use crate::span::Span;
use crate::syntax::{Assignment, CommandId, Redirect, Scope, ScopeId, ScopeKind, Word};

/// What is known about the shell that will run the line.
#[derive(Debug, Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// The working directory.
    pub directory: Option<&'a Path>,
    /// The home directory of the user who runs the line.
    pub home: Option<&'a Path>,
    /// Values of environment variables that are not secret.
    pub variables: &'a [(&'a str, &'a str)],
    /// The names of the other environment variables. A variable that is in neither list is not set. `None` if they are not known:
    /// then any other variable can be set.
    pub hidden_variables: Option<&'a [&'a str]>,
    /// The shells that may read the line. By default, all of them.
    pub shells: Shells,
    /// Whether names of files in upper and in lower case are the same, as on macOS and Windows, so that `RM` runs `rm`.
    pub ignores_case: bool,
    /// The numbers of the processes on which the caller depends: its own, and those that have started it or watch over it.
    pub processes: &'a [u32],
    /// The folder in which the caller keeps its own settings, keys and approvals. Patterns of places can begin with it: `@`.
    pub own_folder: Option<&'a Path>,
    /// The file system in which the line would run. With it, a path is compared with places as it is written, and as the file system
    /// has it. Without it, only as it is written.
    pub files: Option<&'a dyn FileSystem>,
}

/// A set of shells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shells {
    /// bash.
    pub bash: bool,
    /// dash, busybox, and other shells without the extensions of bash.
    pub posix: bool,
}

impl Default for Shells {
    fn default() -> Self {
        Self::ALL
    }
}

impl Shells {
    /// All shells.
    pub const ALL: Self = Self { bash: true, posix: true };
    /// Only bash.
    pub const BASH: Self = Self { bash: true, posix: false };
    /// Only dash and its relatives.
    pub const POSIX: Self = Self { bash: false, posix: true };
}

/// Every command that could run when a shell runs a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// The commands: first those that are written in the line, then those inside of wrappers and code.
    pub commands: Vec<Command>,
    /// The scopes of the commands.
    pub scopes: Vec<Scope>,
    /// What the reader is not certain about. A line with a doubt needs a person.
    pub doubts: Vec<Doubt>,
    /// The variables that the line sets, in any way, with the number of times.
    pub assigned: BTreeMap<String, u32>,
    /// Whether the line also sets variables whose names are known only at run time.
    pub assigns_unknown: bool,
    /// The commands that run a text which the line writes into a file, and those that write it. The commands in the text are among
    /// `commands`.
    pub read_texts: Vec<(CommandId, CommandId)>,
}

/// A command that could run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    /// The program.
    pub program: Program,
    /// The words, the program first. Variables that the line itself sets are replaced by their values, and split into words, if
    /// that is certain.
    pub words: Vec<Word>,
    /// The variables that are set for this command only, by itself or by a wrapper (`env NAME=VALUE`), or, if the command has no
    /// words, in the shell.
    pub assignments: Vec<Assignment>,
    /// The redirections of the command itself. Those of compound commands around it are in its scopes.
    pub redirects: Vec<Redirect>,
    /// The innermost scope.
    pub scope: ScopeId,
    /// The command that runs this one, such as `sudo` or `sh -c`, and how.
    pub via: Option<Via>,
    /// Whether arguments are added at run time, as by `xargs` or a function's `"$@"`.
    pub appended: bool,
    /// Whether arguments are items that `xargs` or a similar program reads, or the command is run by one that has such arguments.
    pub listed: bool,
    /// The working directory.
    pub directory: Directory,
    /// The shells that would run the command.
    pub shells: Shells,
    /// The text of the command.
    pub span: Span,
}

/// The program of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Program {
    /// The command has no words: it only assigns or redirects.
    #[default]
    None,
    /// The name is certain.
    Known {
        /// The last component of the path.
        name: String,
        /// Whether the name comes from an expansion: it is built at run time.
        built: bool,
    },
    /// The name is known only at run time.
    Unknown,
}

/// How one command runs another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Via {
    /// The command that runs the other.
    pub command: CommandId,
    /// How it runs the other.
    pub how: How,
}

/// The ways in which one command runs another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// The other is in its arguments: `sudo COMMAND`.
    Arguments,
    /// The other is in code that is an argument: `sh -c CODE`, `eval CODE`.
    Code,
    /// The other is in code on standard input: a here-document, or text that is piped into a shell.
    Input,
    /// Its name is an alias that stands for the other.
    Name,
}

/// The working directory of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Directory {
    /// The directory in which the line starts.
    #[default]
    Start,
    /// The directory after a `cd` with a literal: an absolute path, or a path relative to the start. A leading `~` is the home
    /// directory.
    At(String),
    /// The directory that an option of a wrapper names: `env -C FOLDER`. If it does not exist, the command does not run.
    Within(String),
    /// The directory after a `cd` whose effect is not certain.
    Unknown,
}

impl Program {
    /// Returns the name, if it is certain.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Known { name, .. } => Some(name),
            Self::None | Self::Unknown => None,
        }
    }
}

impl Command {
    /// Returns whether the command changes the directory of its shell.
    pub(crate) fn changes_directory(&self) -> bool {
        matches!(self.program.name(), Some("cd" | "pushd" | "popd"))
    }

    /// Returns the words after the program.
    pub fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }
}

impl Reading {
    /// Returns the ids of all commands.
    pub fn ids(&self) -> Range<CommandId> {
        0..CommandId::try_from(self.commands.len()).unwrap_or(CommandId::MAX)
    }

    /// Returns a command of this reading.
    pub fn command(&self, id: CommandId) -> &Command {
        &self.commands[id as usize]
    }

    /// Returns the wrappers that lead to a command, the nearest first.
    pub fn wrappers(&self, id: CommandId) -> impl Iterator<Item = (&Command, How)> {
        let mut next = self.command(id).via;
        std::iter::from_fn(move || {
            let Via { command, how } = next?;
            let wrapper = self.command(command);
            next = wrapper.via;
            Some((wrapper, how))
        })
    }

    /// Returns a scope and those around it, the innermost first.
    pub fn scopes(&self, scope: ScopeId) -> impl Iterator<Item = &Scope> {
        let mut next = Some(scope);
        std::iter::from_fn(move || {
            let scope = &self.scopes[next? as usize];
            next = scope.parent;
            Some(scope)
        })
    }

    /// Returns whether a command is inside a scope whose kind satisfies a condition.
    pub fn is_in(&self, id: CommandId, kind: impl Fn(&ScopeKind) -> bool) -> bool {
        self.scopes(self.command(id).scope).any(|scope| kind(&scope.kind))
    }

    /// Returns the variables that a command sets, for itself (`NAME=VALUE COMMAND`, `env NAME=VALUE COMMAND`) or for the shell
    /// (`NAME=VALUE`, `export NAME=VALUE`).
    pub fn variables(&self, id: CommandId) -> Vec<Assignment> {
        let command = self.command(id);
        let mut set = command.assignments.clone();
        set.extend(declared(&command.words));
        set
    }

    /// Returns the names of the functions that the line defines.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.scopes.iter().filter_map(|scope| match &scope.kind {
            ScopeKind::Function(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Returns what a command reads from standard input.
    pub fn input(&self, id: CommandId) -> Input<'_> {
        let command = self.command(id);
        if let Some(redirect) = command.redirects.iter().rev().find(|redirect| redirect.replaces_input()) {
            return Input::Redirect(redirect);
        }
        let wrapper = match command.via {
            // A wrapper passes its own input on.
            Some(Via { command: wrapper, how: How::Arguments | How::Name }) => return self.input(wrapper),
            Some(Via { command: wrapper, how: How::Code }) => Some(wrapper),
            Some(Via { how: How::Input, .. }) | None => None,
        };
        let mut reads_a_pipe = false;
        for scope in self.scopes(command.scope) {
            let carrier = scope.redirects.map(|carrier| self.command(carrier));
            let mut redirects = carrier.into_iter().flat_map(|carrier| carrier.redirects.iter().rev());
            if let Some(redirect) = redirects.find(|redirect| redirect.replaces_input()) {
                return Input::Redirect(redirect);
            }
            if let Some(commands) = &scope.input {
                return Input::Commands(commands.clone());
            }
            reads_a_pipe |= scope.kind == ScopeKind::ProcessSubstitution;
            if matches!(scope.kind, ScopeKind::Code { .. }) {
                match wrapper.map(|wrapper| self.input(wrapper)) {
                    None | Some(Input::Inherited) => break,
                    Some(input) => return input,
                }
            }
        }
        // `ls > >(sh)`: the command around it writes to the pipe.
        if reads_a_pipe { Input::Commands(0..0) } else { Input::Inherited }
    }
}

/// Returns the `NAME=VALUE` operands of `export` and similar builtins.
pub(crate) fn declared(words: &[Word]) -> Vec<Assignment> {
    let is_declaration = |name: &str| matches!(name, "export" | "readonly" | "declare" | "typeset" | "local");
    let Some((_, arguments)) =
        words.split_first().filter(|(first, _)| first.literal().is_some_and(|name| is_declaration(&name)))
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for word in arguments {
        let start = word.certain_start();
        let Some((name, _)) = start.split_once('=').filter(|(name, _)| !name.starts_with('-')) else { continue };
        let value = word.without_start(name.len() + 1);
        let append = name.ends_with('+');
        let array = name.contains('[');
        let name = name.trim_end_matches('+').split('[').next().unwrap_or_default().to_owned();
        found.push(Assignment { name, array, append, value, each: Vec::new(), span: word.span });
    }
    found
}

/// What a command reads from standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input<'r> {
    /// The standard input of the whole line.
    Inherited,
    /// The output of these commands, or of unknown ones if the range is empty. Commands that they run are elsewhere in the list, and lead here by their `via`.
    Commands(Range<CommandId>),
    /// A file, a descriptor, a here-document or a here-string.
    Redirect(&'r Redirect),
}
