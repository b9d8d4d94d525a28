//! The paths that words stand for, and which places contain them.

use std::borrow::Cow;
use std::path::Path;

use crate::certainty::Match;
use crate::judge::folders::{Folders, UNKNOWN_HOME, UNKNOWN_START};
use crate::judge::line::Line;
use crate::reading::{Command, Directory, Surroundings};
use crate::rules::{Place, PlacePattern, RuleSet, pattern};
use crate::span::Span;
use crate::syntax::{Glob, Operation, Origin, Part, Word};

/// An absolute path, of which some components may be unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathWord {
    components: Vec<Component>,
    /// Whether the path depends on a `cd` of the line, which can fail.
    depends_on_cd: bool,
}

/// A component of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Component {
    /// This name.
    Name(String),
    /// All existing names that match this shell pattern.
    Glob(String),
    /// A name that is known only in part.
    Part(Box<Word>),
    /// Any number of components.
    Unknown,
}

impl PathWord {
    /// Returns the path that a word stands for as an argument of a command.
    pub(crate) fn new(word: &Word, command: &Command, line: &Line<'_>) -> Self {
        let mut builder = Builder { path: Vec::new(), name: Vec::new(), is_glob: false };
        let mut depends_on_cd = false;
        let mut parts =
            word.parts.iter().skip_while(|part| matches!(part, Part::Literal { text, .. } if text.is_empty()));
        let first = parts.next();
        // The empty word names nothing.
        if first.is_none() {
            builder.path.push(Component::Name("\0".to_owned()));
        }
        let is_absolute = matches!(first, Some(Part::Literal { text, .. }) if text.starts_with('/'));
        let base = first.and_then(|part| base(part, command, line));
        let is_directory = first.is_some_and(is_working_directory);
        match (&base, first) {
            (Some(base), _) => builder.text(base, Origin::Plain),
            (None, Some(part))
                if is_directory
                    || matches!(part, Part::Literal { .. } | Part::Glob(_) | Part::Arithmetic { .. })
                        && !is_absolute =>
            {
                match &command.directory {
                    Directory::Start => builder.text(line.folders().start, Origin::Plain),
                    Directory::At(directory) => {
                        depends_on_cd = true;
                        builder.directory(directory, line);
                    }
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
            builder.path = vec![Component::Name("\0".to_owned())];
        }
        Self { components: simplified(builder.path), depends_on_cd }
    }

    /// Returns the folder, if the last component is `*` or another pattern that stands for everything in the folder.
    pub(crate) fn folder_of_all(&self) -> Option<Self> {
        let (last, folder) = self.components.split_last()?;
        let is_all = matches!(last, Component::Glob(glob) if glob.chars().all(|letter| "*?.".contains(letter)));
        is_all.then(|| Self { components: folder.to_vec(), depends_on_cd: self.depends_on_cd })
    }

    /// Returns the path of a file in this folder.
    pub(crate) fn below(&self, name: &str) -> Self {
        let name = Component::Name(name.to_owned());
        Self { components: self.components.iter().cloned().chain([name]).collect(), depends_on_cd: self.depends_on_cd }
    }

    /// Returns the path with the home folder in place of its unknown beginning. `None` if its beginning is known, or nothing
    /// follows.
    pub(crate) fn in_home(&self, line: &Line<'_>) -> Option<Self> {
        let [Component::Unknown, rest @ ..] = self.components.as_slice() else { return None };
        let home = line.folders().home.split('/').filter(|name| !name.is_empty());
        let home = home.map(|name| Component::Name(name.to_owned()));
        (!rest.is_empty())
            .then(|| Self { components: home.chain(rest.iter().cloned()).collect(), depends_on_cd: self.depends_on_cd })
    }

    /// Returns whether the beginning of the path is unknown.
    pub(crate) fn is_unknown(&self) -> bool {
        self.components.first() == Some(&Component::Unknown)
    }

    /// Returns whether every name of the path is known, apart from patterns of the shell.
    pub(crate) fn is_known(&self) -> bool {
        self.components.iter().all(|component| matches!(component, Component::Name(_) | Component::Glob(_)))
    }

    /// Returns the path as text, if it is certain.
    pub(crate) fn text(&self) -> Option<String> {
        let mut text = String::new();
        for component in &self.components {
            let Component::Name(name) = component else { return None };
            text.push('/');
            text.push_str(name);
        }
        Some(if text.is_empty() { "/".to_owned() } else { text })
    }

    /// Returns the path as text up to its first pattern, which stands for files below it. Returns `None` if the path is not
    /// certain, or depends on a folder that is unknown.
    pub(crate) fn certain_folder(&self) -> Option<String> {
        let mut text = String::new();
        let mut is_folder = true;
        for component in &self.components {
            match component {
                Component::Name(name) if name.contains('\0') => return None,
                Component::Name(name) => {
                    if is_folder {
                        text.push('/');
                        text.push_str(name);
                    }
                }
                // In some shells, `.*` matches `..`.
                Component::Glob(glob) if glob.starts_with('.') => return None,
                Component::Glob(_) => is_folder = false,
                Component::Part(_) | Component::Unknown => return None,
            }
        }
        Some(if text.is_empty() { "/".to_owned() } else { text })
    }

    /// Returns whether a pattern in the path can stand for a file. Its components must be names and patterns.
    pub(crate) fn can_expand_to(&self, path: &str) -> bool {
        let names: Vec<&str> = path.split('/').skip(1).collect();
        let fits = |(component, name): (&Component, &str)| match component {
            Component::Name(own) => own == name,
            Component::Glob(glob) => pattern::matches(glob, name),
            Component::Part(_) | Component::Unknown => false,
        };
        names.len() == self.components.len() && self.components.iter().zip(names).all(fits)
    }

    /// Returns the indexes of the places that contain the path, certainly or perhaps.
    pub(crate) fn places(&self, rules: &RuleSet<'_>, line: &Line<'_>) -> Vec<(usize, Match)> {
        if self.components == [Component::Unknown] {
            return (0..rules.places().len()).map(|place| (place, Match::Maybe)).collect();
        }
        let mut places: Vec<(usize, Match)> = Vec::new();
        let mut add = |(pattern, place): &PlacePattern<'_>, path: &[Component]| {
            let found = matches_components(pattern, path, Files::Some);
            // If the `cd` fails, this is another path.
            let found = if self.depends_on_cd { found.min(Match::Maybe) } else { found };
            match places.iter_mut().find(|(own, _)| own == place) {
                _ if found == Match::No => {}
                Some((_, best)) => *best = found.max(*best),
                None => places.push((*place, found)),
            }
        };
        let (patterns, folders) = (rules.place_patterns(), line.folders());
        let first = match self.components.first() {
            Some(Component::Name(name)) => Some(name.as_str()),
            _ => None,
        };
        for pattern in patterns.in_root(first) {
            add(pattern, &self.components);
        }
        for (folder, patterns) in [(folders.home, &patterns.in_home), (folders.start, &patterns.in_start)] {
            if let Some(path) = self.inside(folder) {
                for pattern in patterns {
                    add(pattern, path);
                }
            }
        }
        places.retain(|(place, _)| !self.is_excepted_from(&rules.places()[*place], line));
        places
    }

    /// Returns whether the path is in a place.
    pub(crate) fn is_in(&self, place: &Place<'_>, line: &Line<'_>) -> Match {
        let folders = line.folders();
        let found = Match::any(place.paths.iter().map(|pattern| self.matches_pattern(pattern, Files::Some, folders)));
        if found == Match::No || self.is_excepted_from(place, line) {
            return Match::No;
        }
        if self.depends_on_cd { found.min(Match::Maybe) } else { found }
    }

    /// Returns whether every file that the path names is excepted from a place.
    pub(crate) fn is_excepted_from(&self, place: &Place<'_>, line: &Line<'_>) -> bool {
        let is_exception = |pattern: &&str| self.matches_pattern(pattern, Files::All, line.folders()) == Match::Yes;
        place.except.iter().any(is_exception)
    }

    /// Returns whether the path matches a pattern, which may begin with `~` or `.`.
    fn matches_pattern(&self, pattern: &str, files: Files, folders: Folders<'_>) -> Match {
        let (folder, pattern) = match pattern.as_bytes().first() {
            Some(b'~') => (folders.home, &pattern[1..]),
            Some(b'.') => (folders.start, &pattern[1..]),
            _ => ("", pattern),
        };
        let Some(path) = self.inside(folder) else { return Match::No };
        matches_components(pattern.strip_prefix('/').unwrap_or(pattern), path, files)
    }

    /// Returns the components below a folder, or `None` if the path is not in it.
    fn inside(&self, folder: &str) -> Option<&[Component]> {
        let mut own = self.components.as_slice();
        for name in folder.split('/').filter(|name| !name.is_empty()) {
            match own.split_first()? {
                (Component::Unknown, _) => break,
                (Component::Name(own_name), rest) if own_name == name => own = rest,
                (Component::Part(word), rest) if pattern::matches_word(name, word) != Match::No => own = rest,
                (Component::Glob(glob), rest) if pattern::matches(glob, name) => own = rest,
                _ => return None,
            }
        }
        Some(own)
    }
}

/// Which of the files that a pattern of the shell finds have to match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Files {
    Some,
    All,
}

/// Returns whether a part is `$PWD`.
fn is_working_directory(part: &Part) -> bool {
    matches!(part, Part::Variable { name, operation: None, .. } if name == "PWD")
}

/// Returns whether the components of a path match those of a pattern.
fn matches_components(pattern: &str, path: &[Component], files: Files) -> Match {
    let (first, rest) = first_component(pattern);
    if first.is_empty() && rest.is_none() {
        return match path {
            [] => Match::Yes,
            [Component::Unknown] => Match::Maybe,
            _ => Match::No,
        };
    }
    let rest = rest.unwrap_or_default();
    if first == "**" {
        return match rest {
            // `**` at the end matches everything below a folder, but not the folder itself.
            "" => match path {
                [] => Match::No,
                [Component::Unknown] => Match::Maybe,
                _ => Match::Yes,
            },
            // An unknown name below a known folder counts as an ordinary name.
            rest => {
                let next = first_component(rest).0;
                Match::any((0..=path.len()).map(|skipped| match path.get(skipped) {
                    Some(Component::Unknown) if skipped > 0 => Match::No,
                    Some(Component::Name(name)) if next != "**" && !pattern::matches(next, name) => Match::No,
                    _ => matches_components(rest, &path[skipped..], files),
                }))
            }
        };
    }
    match path.split_first() {
        None => Match::No,
        Some((Component::Unknown, after)) => {
            // The unknown part can be empty, or have one or more components.
            let whole = matches_components(pattern, after, files)
                | matches_components(rest, after, files)
                | if rest.is_empty() { Match::No } else { matches_components(rest, path, files) };
            whole.min(Match::Maybe)
        }
        Some((component, after)) => {
            let own = match component {
                Component::Name(name) => Match::from(pattern::matches(first, name)),
                Component::Part(word) => pattern::matches_word(first, word),
                // A shell pattern expands to all names that match it, those of the place included. Hidden names need a `.`.
                Component::Glob(glob) if files == Files::All => Match::from(first == "*" || first == glob),
                Component::Glob(glob) => {
                    let is_hidden = first.starts_with('.') && !glob.starts_with('.');
                    Match::from(!is_hidden && (glob == "*" || pattern::can_both_match(first, glob)))
                }
                Component::Unknown => Match::Maybe,
            };
            if own == Match::No { Match::No } else { own & matches_components(rest, after, files) }
        }
    }
}

/// Returns the first component of a pattern, and the pattern after it.
fn first_component(pattern: &str) -> (&str, Option<&str>) {
    // A loop is faster than a search here, because most components are short.
    let slash = pattern.bytes().position(|byte| byte == b'/');
    slash.map_or((pattern, None), |at| (&pattern[..at], Some(&pattern[at + 1..])))
}

/// Limits the time of comparisons with patterns: the components between unknown parts, and those of a very long path, become
/// unknown.
fn simplified(mut path: Vec<Component>) -> Vec<Component> {
    const MAX_COMPONENTS: usize = 256;
    let unknown = |component: &Component| *component == Component::Unknown;
    let is_name = |component: &Component, name: &str| matches!(component, Component::Name(own) if own == name);
    // `/proc/self/root` is the root folder.
    while let [proc, _, root, ..] = path.as_slice()
        && is_name(proc, "proc")
        && is_name(root, "root")
    {
        path.drain(..3);
    }
    if path.len() > MAX_COMPONENTS {
        return vec![Component::Unknown];
    }
    if let (Some(first), Some(last)) = (path.iter().position(unknown), path.iter().rposition(unknown)) {
        path.drain(first..last);
    }
    path
}

/// Returns the folder that a word begins with, if its first part stands for one: `~`, `$HOME`, `$PWD`.
fn base<'l>(part: &Part, command: &Command, line: &'l Line<'_>) -> Option<Cow<'l, str>> {
    match part {
        Part::Tilde { user } if user.is_empty() => Some(line.folders().home.into()),
        Part::Tilde { user } if user == "root" => Some("/root".into()),
        // `~+`, `~-` and `~1` are folders that the shell remembers.
        Part::Tilde { user } if user.starts_with(['+', '-']) || user.bytes().all(|byte| byte.is_ascii_digit()) => None,
        Part::Tilde { user } => Some(format!("/home/{user}").into()),
        Part::Variable { name, operation, .. } if name == "HOME" && operation.as_deref().is_none_or(keeps_folder) => {
            Some(line.folders().home.into())
        }
        Part::Variable { name, operation: None, .. } if name == "PWD" && command.directory == Directory::Start => {
            Some(line.folders().start.into())
        }
        _ => None,
    }
}

impl Place<'_> {
    /// Returns whether a file is in the place. `path` is absolute, without `.` and `..`. Upper and lower case are the same, because
    /// they are in some file systems.
    pub fn contains(&self, path: &Path, surroundings: &Surroundings<'_>) -> bool {
        let names = path.components().filter_map(|part| match part {
            std::path::Component::Normal(name) => Some(name.to_string_lossy().to_lowercase()),
            _ => None,
        });
        let path = PathWord { components: names.map(Component::Name).collect(), depends_on_cd: false };
        let lower = |path: Option<&Path>| path.map(|path| path.to_string_lossy().to_lowercase());
        let (directory, home) = (lower(surroundings.directory), lower(surroundings.home));
        let folders = Folders {
            home: home.as_deref().unwrap_or(UNKNOWN_HOME),
            start: directory.as_deref().unwrap_or(UNKNOWN_START),
        };
        let matches =
            |pattern: &&str| path.matches_pattern(&pattern.to_lowercase(), Files::Some, folders) == Match::Yes;
        self.paths.iter().any(matches) && !self.except.iter().any(matches)
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

/// The maximum depth of values within values that are followed.
const MAX_VALUES: usize = 4;

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
    fn of(commands: &std::ops::Range<crate::syntax::CommandId>, line: &Line<'_>) -> Option<Self> {
        let command = line.plain_substitution(commands)?;
        let has_slash = command.arguments().iter().any(|word| word.text().is_some_and(|text| text.contains('/')));
        match command.program.name()? {
            "date" | "hostname" | "id" | "nproc" | "uname" | "whoami" if !has_slash => Some(Self::Name),
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

/// Returns the text of parts that are all literals, or else the parts.
fn joined(mut parts: Vec<Part>) -> Result<String, Vec<Part>> {
    if !parts.iter().all(|part| matches!(part, Part::Literal { .. })) {
        return Err(parts);
    }
    let text = |part: Part| match part {
        Part::Literal { text, .. } => text,
        _ => String::new(),
    };
    let mut whole = text(parts.remove(0));
    for part in parts {
        whole.push_str(&text(part));
    }
    Ok(whole)
}

/// Builds the components of a path.
struct Builder {
    path: Vec<Component>,
    /// The parts of the component that is being read.
    name: Vec<Part>,
    is_glob: bool,
}

impl Builder {
    /// Adds text, with its slashes.
    fn text(&mut self, text: &str, origin: Origin) {
        for (index, name) in text.split('/').enumerate() {
            if index > 0 {
                self.end();
            }
            if !name.is_empty() {
                self.name.push(Part::Literal { text: name.to_owned(), origin });
            }
        }
    }

    /// Adds the directory after a `cd`.
    fn directory(&mut self, directory: &str, line: &Line<'_>) {
        match directory.strip_prefix('~') {
            Some(below) if below.is_empty() || below.starts_with('/') => {
                self.text(line.folders().home, Origin::Plain);
                self.text(below, Origin::Plain);
            }
            _ => {
                if !directory.starts_with('/') {
                    self.text(line.folders().start, Origin::Plain);
                    self.end();
                }
                self.text(directory, Origin::Plain);
            }
        }
    }

    fn part(&mut self, part: &Part, line: &Line<'_>, depth: usize) {
        match part {
            Part::Literal { text, origin } => self.text(text, *origin),
            Part::Glob(Glob::AnyText | Glob::AnyChar | Glob::Class(_)) => {
                self.is_glob = true;
                self.name.push(part.clone());
            }
            Part::Arithmetic { .. } => self.name.push(Part::Unknown { splits: false }),
            // In the value of a variable.
            Part::Tilde { user } if user.is_empty() && self.is_empty() => self.text(line.folders().home, Origin::Plain),
            Part::Variable { name, operation: None, .. } if name == "HOME" => {
                self.text(line.folders().home, Origin::Plain);
            }
            // `${NAME:?MESSAGE}` and `${NAME:-DEFAULT}` of a variable that is not set.
            Part::Variable { name, operation: Some(operation), .. }
                if depth < MAX_VALUES && line.is_of_environment(name) && is_default(&operation.operator) =>
            {
                if operation.operator.ends_with('?') || operation.operand.is_empty() {
                    self.name.push(Part::Literal { text: format!("\0{name}"), origin: Origin::Expanded });
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
                self.name.push(Part::Literal { text: format!("\0{name}"), origin: Origin::Expanded });
            }
            Part::Substitution { commands, .. } if let Some(output) = Output::of(commands, line) => match output {
                Output::TemporaryFile if self.is_empty() => {
                    self.text("/tmp/\0", Origin::Expanded);
                }
                Output::WorkingDirectory if self.is_empty() => {
                    self.text(line.folders().start, Origin::Expanded);
                }
                Output::Below if self.is_empty() => {
                    self.text(line.folders().start, Origin::Expanded);
                    self.end();
                    self.unknown();
                }
                Output::Name | Output::Below | Output::TemporaryFile | Output::WorkingDirectory => {
                    self.name.push(Part::Unknown { splits: false });
                }
            },
            // The value is assumed to stay below the folder before it.
            Part::Variable { .. } if !self.path.is_empty() => {
                self.end();
                self.unknown();
            }
            _ => {
                // The value can contain `/` and `..`.
                self.path.clear();
                self.name.clear();
                self.is_glob = false;
                self.unknown();
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.name.is_empty() && self.path.is_empty()
    }

    /// Adds any number of components.
    fn unknown(&mut self) {
        if self.path.last() != Some(&Component::Unknown) {
            self.path.push(Component::Unknown);
        }
    }

    /// Ends a component.
    fn end(&mut self) {
        let parts = std::mem::take(&mut self.name);
        let is_glob = std::mem::take(&mut self.is_glob);
        if parts.is_empty() {
            return;
        }
        let component = match joined(parts) {
            Ok(name) if name == "." => return,
            Ok(name) if name == ".." => {
                if self.path.last() != Some(&Component::Unknown) {
                    self.path.pop();
                }
                return;
            }
            Ok(name) => Component::Name(name),
            Err(parts) => {
                let word = Word { parts, span: Span::default() };
                let glob = if is_glob { glob_text(&word) } else { None };
                glob.map_or_else(|| Component::Part(Box::new(word)), Component::Glob)
            }
        };
        self.path.push(component);
    }
}

/// Returns a pattern of the shell as text, if it has no expansion.
fn glob_text(word: &Word) -> Option<String> {
    let mut text = String::new();
    for part in &word.parts {
        match part {
            Part::Literal { text: literal, .. } => text.push_str(literal),
            Part::Glob(Glob::AnyText) => text.push('*'),
            Part::Glob(Glob::AnyChar) => text.push('?'),
            Part::Glob(Glob::Class(class)) => {
                text.push('[');
                text.push_str(class);
                text.push(']');
            }
            _ => return None,
        }
    }
    Some(text)
}
