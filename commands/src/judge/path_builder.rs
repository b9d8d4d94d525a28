//! Builds the path that a word stands for.

use std::ops::Range;
use std::rc::Rc;

use crate::judge::components::{Component, PathWord};
use crate::judge::folders::UNKNOWN_FOLDER;
use crate::judge::line::Line;
use crate::judge::lookups::Lookups;
use crate::reading::{Command, Directory};
use crate::span::Span;
use crate::syntax::{CommandId, Glob, Operation, Origin, Part, Word};

impl PathWord {
    /// Returns the path that a word stands for as an argument of a command.
    pub(crate) fn new(word: &Word, command: &Command, line: &Line<'_>) -> Self {
        Self::build(word, command, line, Builder::default()).0
    }

    /// Returns the paths of a word whose `..` leaves the folder that a link leads to, as the file system sees them. Empty if no `..` can
    /// follow a link.
    pub(super) fn physical(word: &Word, command: &Command, line: &Line<'_>) -> Vec<Self> {
        let (_, Left { can_be_link, .. }) = Self::build(word, command, line, Builder::default());
        let mut found = Vec::new();
        let mut count = usize::from(can_be_link);
        while found.len() < count {
            let physical = Some(Physical { command, line, choice: found.len() });
            let (path, left) = Self::build(word, command, line, Builder { physical, ..Builder::default() });
            found.push(path);
            count = left.folders;
            if left.is_ambiguous || count > MAX_LINKED_FOLDERS {
                line.lookups.iter().for_each(Lookups::exhaust);
                break;
            }
        }
        found
    }

    /// Returns the path of a word, and what is known about the folders that a `..` in it leaves.
    fn build(word: &Word, command: &Command, line: &Line<'_>, mut builder: Builder<'_>) -> (Self, Left) {
        if word.parts.len() > MAX_PARTS {
            return (Self { components: vec![Component::Unknown], depends_on_cd: false, tail: None }, Left::default());
        }
        builder.path.reserve(USUAL_COMPONENTS);
        let mut depends_on_cd = false;
        let mut parts =
            word.parts.iter().skip_while(|part| matches!(part, Part::Literal { text, .. } if text.is_empty()));
        let first = parts.next();
        // The empty word names nothing.
        if first.is_none() {
            builder.path.push(Component::Name("\0".into()));
        }
        let is_absolute = matches!(first, Some(Part::Literal { text, .. }) if text.starts_with('/'));
        let base = first.and_then(|part| base(part, command, line));
        let is_directory = first.is_some_and(|part| is_working_directory(part, line));
        match (&base, first) {
            (Some(Base::Home), _) => builder.folder(line.home()),
            (Some(Base::Start), _) => builder.folder(line.start()),
            (Some(Base::Below), _) => {
                builder.enter(line.start());
                builder.unknown();
            }
            (Some(Base::Other(base)), _) => builder.text(base),
            (None, Some(part))
                if is_directory
                    || matches!(part, Part::Literal { .. } | Part::Glob(_) | Part::Arithmetic { .. })
                        && !is_absolute =>
            {
                match &command.directory {
                    Directory::Start if !is_directory => builder.enter(line.start()),
                    Directory::Start => builder.folder(line.start()),
                    Directory::At(directory) => {
                        depends_on_cd = true;
                        builder.directory(directory, line);
                    }
                    Directory::Within(directory) => builder.directory(directory, line),
                    Directory::Unknown => {
                        depends_on_cd = true;
                        builder.path.push(Component::Unknown);
                    }
                }
                if !is_directory {
                    builder.end();
                }
            }
            _ => {}
        }
        for part in first.filter(|_| base.is_none() && !is_directory).into_iter().chain(parts) {
            builder.part(part, line, 0);
        }
        builder.end();
        if word.text().is_some_and(|text| text.is_empty()) {
            // No file has an empty name.
            builder.path = vec![Component::Name("\0".into())];
            builder.any_folder = None;
        }
        let left = builder.left;
        (builder.finish(depends_on_cd), left)
    }

    /// Returns the path that a relative path stands for in the folder of this file. `None` if it is absolute, or not certain.
    pub(crate) fn sibling(&self, relative: &Word) -> Option<Self> {
        let text = relative.text().filter(|text| !text.starts_with('/'))?;
        let (_, folder) = self.components.split_last()?;
        let mut builder = Builder::in_folder(self, folder.len());
        builder.text(&text);
        builder.end();
        Some(builder.finish(self.depends_on_cd))
    }

    /// Returns the path of a relative word, given by its parts, in this folder, to which a `cd` of the line leads.
    pub(crate) fn relative(&self, parts: &[Part], line: &Line<'_>) -> Self {
        let mut builder = Builder::in_folder(self, self.components.len());
        for part in parts.iter().take(MAX_PARTS) {
            builder.part(part, line, 0);
        }
        builder.end();
        builder.finish(true)
    }
}

/// The maximum number of parts of a word that is read as a path. A word with more can be any path.
const MAX_PARTS: usize = 512;
/// The capacity for the components of a path.
const USUAL_COMPONENTS: usize = 8;
/// The maximum length of a pattern that is compared with names. The longest name of a file has 255 bytes.
const MAX_GLOB_BYTES: usize = 255;

/// The maximum depth of values within values that are followed.
const MAX_VALUES: usize = 4;
/// The maximum number of folders to which a pattern before a `..` can lead. A line with more needs a person.
const MAX_LINKED_FOLDERS: usize = 64;

/// What is known about the folders that a `..` leaves.
#[derive(Clone, Copy, Default)]
struct Left {
    /// Whether such a folder can be a link.
    can_be_link: bool,
    /// The number of folders to which a pattern before the `..` leads.
    folders: usize,
    /// Whether several patterns before a `..` lead to several folders each.
    is_ambiguous: bool,
}

/// How a `..` leaves the folder that a link leads to.
struct Physical<'l> {
    command: &'l Command,
    line: &'l Line<'l>,
    /// The index of the folder, among those to which a pattern leads.
    choice: usize,
}

/// Builds the components of a path.
#[derive(Default)]
struct Builder<'l> {
    path: Vec<Component>,
    /// The component that is being read: its parts before `text`, and the text at its end.
    parts: Vec<Part>,
    text: String,
    is_glob: bool,
    /// The number of components of a folder to which `..` led from an unknown one: it can be any folder.
    any_folder: Option<usize>,
    /// Whether a `..` followed the last unknown part of the path.
    is_left: bool,
    /// The number of components of the folder with which the path begins, which is not a link.
    base: usize,
    left: Left,
    /// Set if a `..` leaves the folder that a link leads to.
    physical: Option<Physical<'l>>,
}

impl Builder<'_> {
    /// Returns a builder that begins with a number of components of a path.
    fn in_folder(path: &PathWord, length: usize) -> Self {
        let any_folder = path.tail.map(|tail| path.components.len().saturating_sub(tail).min(length));
        Self { path: path.components[..length].to_vec(), any_folder, ..Self::default() }
    }

    fn finish(self, depends_on_cd: bool) -> PathWord {
        let tail = self.any_folder.map(|length| self.path.len().saturating_sub(length));
        PathWord::simplified(self.path, depends_on_cd, tail)
    }

    /// Adds text, with its slashes.
    fn text(&mut self, text: &str) {
        for (index, name) in text.split('/').enumerate() {
            if index > 0 {
                self.end();
            }
            self.text.push_str(name);
        }
    }

    /// Adds the names of a folder. A text can follow its last name.
    fn folder(&mut self, names: &[Rc<str>]) {
        self.end();
        let Some((last, names)) = names.split_last() else { return };
        self.path.extend(names.iter().cloned().map(Component::Name));
        self.text.push_str(last);
        self.base = self.path.len() + 1;
    }

    /// Adds the names of a folder, so that what follows is in it.
    fn enter(&mut self, names: &[Rc<str>]) {
        self.end();
        self.path.extend(names.iter().cloned().map(Component::Name));
        self.base = self.path.len();
    }

    /// Adds the directory after a `cd`.
    fn directory(&mut self, directory: &str, line: &Line<'_>) {
        match directory.strip_prefix('~') {
            Some(below) if below.is_empty() || below.starts_with('/') => {
                self.folder(line.home());
                self.text(below);
            }
            _ => {
                if !directory.starts_with('/') {
                    self.enter(line.start());
                }
                self.text(directory);
            }
        }
    }

    /// Adds a part that is not a text.
    fn push(&mut self, part: Part) {
        if !self.text.is_empty() {
            self.parts.push(Part::Literal { text: std::mem::take(&mut self.text), origin: Origin::Plain });
        }
        self.parts.push(part);
    }

    fn part(&mut self, part: &Part, line: &Line<'_>, depth: usize) {
        match part {
            Part::Literal { text, .. } => self.text(text),
            Part::Glob(Glob::AnyText | Glob::AnyChar | Glob::Class(_)) => {
                self.is_glob = true;
                self.push(part.clone());
            }
            // A number, which no place names.
            Part::Arithmetic { .. } => self.text("\0"),
            // In the value of a variable.
            Part::Tilde { user } if user.is_empty() && self.is_empty() => self.folder(line.home()),
            Part::Variable { name, operation: None, .. } if name == "HOME" => {
                self.folder(line.home());
            }
            // `${HOME:+VALUE}`
            Part::Variable { name, operation: Some(operation), .. }
                if depth < MAX_VALUES && name == "HOME" && matches!(operation.operator.as_str(), "+" | ":+") =>
            {
                for part in &operation.operand {
                    self.part(part, line, depth + 1);
                }
            }
            // `${NAME:?MESSAGE}` and `${NAME:-DEFAULT}` of a variable that is not set.
            Part::Variable { name, operation: Some(operation), .. }
                if depth < MAX_VALUES && line.can_have_default(name, operation) && is_default(&operation.operator) =>
            {
                if operation.operator.ends_with('?') || operation.operand.is_empty() {
                    self.text(&format!("\0{name}"));
                }
                for part in operation.operand.iter().filter(|_| !operation.operator.ends_with('?')) {
                    self.part(part, line, depth + 1);
                }
            }
            Part::Variable { name, operation: None, .. }
                if depth < MAX_VALUES && line.only_value(name).is_some_and(|value| !value.parts.is_empty()) =>
            {
                for part in line.only_value(name).iter().flat_map(|value| &value.parts) {
                    self.part(part, line, depth + 1);
                }
            }
            // The variable is unset or secret. Its value is assumed not to be in any place.
            Part::Variable { name, .. } if !line.can_be_anything(part) => {
                self.text(&format!("\0{name}"));
            }
            Part::Substitution { commands, .. } if let Some(output) = Output::of(commands, line) => {
                self.output(&output, line);
            }
            // The value is assumed to stay below the folder before it.
            Part::Variable { .. } | Part::Unknown { splits: false } if !self.path.is_empty() => {
                self.end();
                self.unknown();
            }
            _ => self.anywhere(),
        }
    }

    /// Adds a value that can contain `/` and `..`.
    fn anywhere(&mut self) {
        self.path.clear();
        self.parts.clear();
        self.text.clear();
        self.is_glob = false;
        self.any_folder = None;
        self.unknown();
    }

    /// Adds the output of a substitution.
    fn output(&mut self, output: &Output, line: &Line<'_>) {
        match output {
            Output::TemporaryFile if self.is_empty() => self.text("/tmp/\0"),
            Output::WorkingDirectory if self.is_empty() => self.folder(line.start()),
            Output::Below if self.is_empty() => {
                self.enter(line.start());
                self.unknown();
            }
            Output::Name | Output::Below | Output::TemporaryFile | Output::WorkingDirectory => {
                self.push(Part::Unknown { splits: false });
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.text.is_empty() && self.path.is_empty()
    }

    /// Adds any number of components.
    fn unknown(&mut self) {
        if self.path.last() != Some(&Component::Unknown) {
            self.path.push(Component::Unknown);
        }
        self.is_left = false;
    }

    /// Goes to the folder above.
    fn parent(&mut self) {
        let can_be_link = matches!(self.path.last(), Some(Component::Name(_) | Component::Glob(_)));
        self.left.can_be_link |= self.path.len() > self.base && can_be_link;
        if let Some(Physical { command, line, choice }) = self.physical {
            let path = PathWord { components: std::mem::take(&mut self.path), depends_on_cd: false, tail: None };
            let mut folders = path.real_folders(command, line);
            self.left.is_ambiguous |= self.left.folders > 1 && folders.len() > 1;
            self.left.folders = self.left.folders.max(folders.len());
            self.path = folders.swap_remove(choice.min(folders.len() - 1)).components;
        }
        let is_of_unknown = match self.path.last() {
            // A value that stays below the folder before it has at least one name.
            Some(Component::Unknown) => self.path.len() == 1 || std::mem::replace(&mut self.is_left, true),
            Some(Component::Name(name)) => **name == *UNKNOWN_FOLDER,
            _ => false,
        };
        if self.path.last() != Some(&Component::Unknown) {
            self.path.pop();
        }
        let length = self.path.len();
        self.any_folder = if is_of_unknown { Some(length) } else { self.any_folder.map(|folder| folder.min(length)) };
    }

    /// Ends a component.
    fn end(&mut self) {
        let is_glob = std::mem::take(&mut self.is_glob);
        if self.parts.is_empty() {
            match self.text.as_str() {
                "" | "." => {}
                ".." => self.parent(),
                name => self.path.push(Component::Name(name.into())),
            }
            self.text.clear();
            return;
        }
        if !self.text.is_empty() {
            self.parts.push(Part::Literal { text: std::mem::take(&mut self.text), origin: Origin::Plain });
        }
        let word = Word { parts: std::mem::take(&mut self.parts), span: Span::default() };
        let component = match if is_glob { word.pattern_text() } else { None } {
            // Comparing long patterns takes time. A shorter pattern stands for the same names, and more.
            Some(glob) if glob.len() > MAX_GLOB_BYTES => {
                Component::Glob(if glob.starts_with('.') { ".*" } else { "*" }.to_owned())
            }
            Some(glob) => Component::Glob(glob),
            None => Component::Part(Box::new(word)),
        };
        self.path.push(component);
    }
}

/// A folder with which a word begins.
enum Base {
    /// The home folder.
    Home,
    /// The directory in which the line starts.
    Start,
    /// A file below that directory.
    Below,
    /// The folder with this path.
    Other(String),
}

/// Returns the folder that a word begins with, if its first part stands for one: `~`, `$HOME`, `$PWD`.
fn base(part: &Part, command: &Command, line: &Line<'_>) -> Option<Base> {
    match part {
        // `find . -exec COMMAND {} +`
        Part::Unknown { .. } => finds_below(line.reading.command(command.via?.command)).then_some(Base::Below),
        // It stands for a pipe, never for a file.
        Part::ProcessSubstitution { .. } => Some(Base::Other("/dev/fd/63".to_owned())),
        Part::Tilde { user } if user.is_empty() => Some(Base::Home),
        Part::Tilde { user } if user == "root" => Some(Base::Other("/root".to_owned())),
        // `~+`, `~-` and `~1` are folders that the shell remembers.
        Part::Tilde { user } if user.starts_with(['+', '-']) || user.bytes().all(|byte| byte.is_ascii_digit()) => None,
        Part::Tilde { user } => Some(Base::Other(format!("/home/{user}"))),
        Part::Variable { name, operation, .. } if name == "HOME" && operation.as_deref().is_none_or(keeps_folder) => {
            Some(Base::Home)
        }
        Part::Variable { name, operation: None, .. } if name == "PWD" && command.directory == Directory::Start => {
            Some(Base::Start)
        }
        _ => None,
    }
}

/// Returns whether an operation gives the same folder: `${HOME:-DEFAULT}`, `${HOME%/}`.
fn keeps_folder(operation: &Operation) -> bool {
    let is_slash = |part: &Part| matches!(part, Part::Literal { text, .. } if text == "/");
    is_default(&operation.operator)
        || matches!(operation.operator.as_str(), "%" | "%%") && operation.operand.iter().all(is_slash)
}

/// Returns whether the operator of a `${...}` supplies a default value or reports a missing one.
fn is_default(operator: &str) -> bool {
    matches!(operator, "?" | ":?" | "-" | ":-" | "=" | ":=")
}

/// What is known about the output of a command.
enum Output {
    /// A text without a slash.
    Name,
    /// The path of a new file with an unpredictable name.
    TemporaryFile,
    /// The path of the working directory.
    WorkingDirectory,
    /// Paths below the working directory.
    Below,
}

impl Output {
    /// Returns what is known about the output of a substitution.
    fn of(commands: &Range<CommandId>, line: &Line<'_>) -> Option<Self> {
        let command = line.plain_substitution(commands)?;
        let has_slash = command.arguments().iter().any(|word| word.text().is_some_and(|text| text.contains('/')));
        match command.program.name()? {
            "date" | "hostname" | "id" | "nproc" | "uname" | "whoami" if !has_slash => Some(Self::Name),
            "pgrep" | "pidof" => Some(Self::Name),
            "mktemp" if !has_slash => Some(Self::TemporaryFile),
            "find" if command.directory == Directory::Start && is_relative(command.arguments().first()) => {
                Some(Self::Below)
            }
            "git" if is_listing(command) => Some(Self::Below),
            "pwd" if command.directory == Directory::Start => Some(Self::WorkingDirectory),
            _ => None,
        }
    }
}

/// Returns whether an operand is a path below the working directory.
fn is_relative(operand: Option<&Word>) -> bool {
    let text = operand.and_then(Word::text);
    text.is_some_and(|text| !text.starts_with(['/', '~', '-']) && !text.split('/').any(|name| name == ".."))
}

/// Returns whether a command is a search in folders below the working directory.
fn finds_below(command: &Command) -> bool {
    let is_option = |word: &&Word| word.text().is_some_and(|text| text.starts_with(['-', '(', '!']));
    let mut folders = command.arguments().iter().take_while(|word| !is_option(word)).peekable();
    command.program.name() == Some("find")
        && command.directory == Directory::Start
        && folders.peek().is_some()
        && folders.all(|folder| is_relative(Some(folder)))
}

/// Returns whether a git command lists files of the working directory.
fn is_listing(command: &Command) -> bool {
    let words: Vec<_> = command.arguments().iter().filter_map(Word::text).collect();
    command.directory == Directory::Start
        && match words.first().map(|word| &**word) {
            Some("ls-files") => true,
            Some("diff") => words.iter().any(|word| word == "--name-only"),
            _ => false,
        }
}

/// Returns whether a part is `$PWD`, `~+` or `$(pwd)`.
pub(super) fn is_working_directory(part: &Part, line: &Line<'_>) -> bool {
    match part {
        Part::Variable { name, operation: None, .. } => name == "PWD",
        Part::Tilde { user } => user == "+",
        Part::Substitution { commands, .. } => {
            line.plain_substitution(commands).is_some_and(|command| command.program.name() == Some("pwd"))
        }
        _ => false,
    }
}
