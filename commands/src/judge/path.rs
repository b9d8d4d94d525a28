//! The paths that words stand for, and which places contain them.

use std::path::Path;
use std::rc::Rc;

use crate::certainty::Match;
use crate::judge::components::{Component, PathWord};
use crate::judge::folders::{UNKNOWN_HOME, UNKNOWN_START, names};
use crate::judge::line::Line;
use crate::reading::{Command, Directory, Surroundings};
use crate::rules::{Place, PlacePattern, Root, RuleSet, pattern};
use crate::span::Span;
use crate::syntax::{Glob, Operation, Origin, Part, Word};

impl PathWord {
    /// Returns the path that a word stands for as an argument of a command.
    pub(crate) fn new(word: &Word, command: &Command, line: &Line<'_>) -> Self {
        if word.parts.len() > MAX_PARTS {
            return Self { components: vec![Component::Unknown], depends_on_cd: false };
        }
        let mut builder = Builder { path: Vec::with_capacity(USUAL_COMPONENTS), ..Builder::default() };
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
        let is_directory = first.is_some_and(is_working_directory);
        match (&base, first) {
            (Some(Base::Home), _) => builder.folder(line.home()),
            (Some(Base::Start), _) => builder.folder(line.start()),
            (Some(Base::Below), _) => {
                builder.folder(line.start());
                builder.end();
                builder.unknown();
            }
            (Some(Base::Other(base)), _) => builder.text(base),
            (None, Some(part))
                if is_directory
                    || matches!(part, Part::Literal { .. } | Part::Glob(_) | Part::Arithmetic { .. })
                        && !is_absolute =>
            {
                match &command.directory {
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
        let name = Component::Name(name.into());
        Self { components: self.components.iter().cloned().chain([name]).collect(), depends_on_cd: self.depends_on_cd }
    }

    /// Returns the path that a relative path stands for in the folder of this file. `None` if it is absolute, or not certain.
    pub(crate) fn sibling(&self, relative: &Word) -> Option<Self> {
        let text = relative.text().filter(|text| !text.starts_with('/'))?;
        let (_, folder) = self.components.split_last()?;
        let mut builder = Builder { path: folder.to_vec(), ..Builder::default() };
        builder.text(&text);
        builder.end();
        Some(Self { components: simplified(builder.path), depends_on_cd: self.depends_on_cd })
    }

    /// Returns the path with `target` in place of `link`, if it begins with the link. With `only_below`, the link itself does not count.
    pub(crate) fn through(&self, link: &Self, target: &Self, only_below: bool) -> Option<Self> {
        let rest = self.components.get(link.components.len()..)?;
        let fits = |(own, link): (&Component, &Component)| match (own, link) {
            (Component::Glob(glob), Component::Name(name)) => pattern::matches(glob, name),
            (own, link) => own == link,
        };
        if rest.is_empty() && only_below || !self.components.iter().zip(&link.components).all(fits) {
            return None;
        }
        let components = simplified(target.components.iter().chain(rest).cloned().collect());
        Some(Self { components, depends_on_cd: self.depends_on_cd || target.depends_on_cd })
    }

    /// Returns the path with the home folder in place of its unknown beginning. `None` if its beginning is known, or nothing
    /// follows.
    pub(crate) fn in_home(&self, line: &Line<'_>) -> Option<Self> {
        let [Component::Unknown, rest @ ..] = self.components.as_slice() else { return None };
        let home = line.home().iter().cloned().map(Component::Name);
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

    /// Returns the path as text, if it is certain apart from patterns of the shell. These are kept as they are.
    pub(crate) fn certain_text(&self) -> Option<String> {
        let mut text = String::new();
        for component in &self.components {
            let name = match component {
                Component::Name(name) => name,
                Component::Glob(glob) => glob.as_str(),
                Component::Part(_) | Component::Unknown => return None,
            };
            text.push('/');
            text.push_str(name);
        }
        Some(text)
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
            Component::Name(own) => **own == *name,
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
        let patterns = rules.place_patterns();
        let (in_home, in_start) = (self.inside(line.home()), self.inside(line.start()));
        let last = match self.components.last() {
            Some(Component::Name(name)) => Some(&**name),
            _ => None,
        };
        let mut places: Vec<(usize, Match)> = Vec::new();
        let mut add = |pattern: &PlacePattern<'_>| {
            // Few names match, and the rest of the path is then not needed.
            if let (Some(wanted), Some(last)) = (pattern.last, last)
                && !pattern::matches(wanted, last)
            {
                return;
            }
            let path = match pattern.root {
                Root::System => Some(self.components.as_slice()),
                Root::Home => in_home,
                Root::Start => in_start,
            };
            let found = match path {
                // The most frequent cases.
                None => Match::No,
                Some([Component::Name(_), ..]) if pattern.rest.is_empty() => Match::No,
                Some([Component::Name(_), ..]) if pattern.rest == "**" => Match::Yes,
                Some(path) => matches_components(pattern.rest, path, Files::Some),
            };
            // If the `cd` fails, this is another path.
            let found = if self.depends_on_cd { found.min(Match::Maybe) } else { found };
            match places.iter_mut().find(|(place, _)| *place == pattern.place) {
                _ if found == Match::No => {}
                Some((_, best)) => *best = found.max(*best),
                None => places.push((pattern.place, found)),
            }
        };
        if self.components.iter().all(|component| matches!(component, Component::Name(_))) {
            for component in &self.components {
                let Component::Name(name) = component else { continue };
                // An unknown name is in no pattern.
                if name.starts_with('\0') {
                    continue;
                }
                patterns.with_name(name).iter().for_each(&mut add);
            }
            patterns.without_name().iter().for_each(add);
        } else {
            patterns.all().for_each(add);
        }
        places.retain(|(place, _)| !self.is_excepted_from(&rules.places()[*place], line));
        places
    }

    /// Returns whether the path is in a place.
    pub(crate) fn is_in(&self, place: &Place<'_>, line: &Line<'_>) -> Match {
        let matches = |pattern: &&str| self.matches_pattern(pattern, Files::Some, line.home(), line.start());
        let found = Match::any(place.paths.iter().map(matches));
        if found == Match::No || self.is_excepted_from(place, line) {
            return Match::No;
        }
        if self.depends_on_cd { found.min(Match::Maybe) } else { found }
    }

    /// Returns whether every file that the path names is excepted from a place.
    pub(crate) fn is_excepted_from(&self, place: &Place<'_>, line: &Line<'_>) -> bool {
        let is_exception =
            |pattern: &&str| self.matches_pattern(pattern, Files::All, line.home(), line.start()) == Match::Yes;
        place.except.iter().any(is_exception)
    }

    /// Returns whether the path matches a pattern, which may begin with `~` or `.`.
    fn matches_pattern(&self, pattern: &str, files: Files, home: &[Rc<str>], start: &[Rc<str>]) -> Match {
        let (folder, pattern) = split_pattern(pattern, home, start);
        let Some(path) = self.inside(folder) else { return Match::No };
        matches_components(pattern, path, files)
    }

    /// Returns the components below a folder, or `None` if the path is not in it.
    fn inside(&self, folder: &[impl AsRef<str>]) -> Option<&[Component]> {
        let mut own = self.components.as_slice();
        for name in folder.iter().map(AsRef::as_ref) {
            match own.split_first()? {
                (Component::Unknown, _) => break,
                (Component::Name(own_name), rest) if **own_name == *name => own = rest,
                (Component::Part(word), rest) if pattern::matches_word(name, word) != Match::No => own = rest,
                (Component::Glob(glob), rest) if pattern::matches(glob, name) => own = rest,
                _ => return None,
            }
        }
        Some(own)
    }
}

/// The maximum length of a pattern that is compared with names. The longest name of a file has 255 bytes.
const MAX_GLOB_BYTES: usize = 255;
/// The maximum number of parts of a word that is read as a path. A word with more can be any path.
const MAX_PARTS: usize = 512;
/// The capacity for the components of a path.
const USUAL_COMPONENTS: usize = 8;

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
    let is_name = |component: &Component, name: &str| matches!(component, Component::Name(own) if **own == *name);
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

impl Place<'_> {
    /// Returns what finds files in the place. Build it once for many paths.
    pub fn matcher(&self, surroundings: &Surroundings<'_>) -> PlaceMatcher {
        let home = lower_names(surroundings.home.unwrap_or(Path::new(UNKNOWN_HOME)));
        let start = lower_names(surroundings.directory.unwrap_or(Path::new(UNKNOWN_START)));
        let pattern = |pattern: &&str| {
            let pattern = pattern.to_lowercase();
            let (folder, below) = split_pattern(&pattern, &home, &start);
            let last = below.rsplit('/').next().filter(|last| !last.is_empty() && *last != "**");
            LowerPattern {
                folder: folder.iter().map(ToString::to_string).collect(),
                below: below.to_owned(),
                last: last.map(ToOwned::to_owned),
            }
        };
        PlaceMatcher {
            paths: self.paths.iter().map(pattern).collect(),
            except: self.except.iter().map(pattern).collect(),
        }
    }
}

/// Finds files in a [`Place`]. Upper and lower case are the same, because they are in some file systems.
#[derive(Debug, Clone)]
pub struct PlaceMatcher {
    paths: Vec<LowerPattern>,
    except: Vec<LowerPattern>,
}

/// A pattern of a place, in lower case.
#[derive(Debug, Clone)]
struct LowerPattern {
    /// The names of the folder with which it begins.
    folder: Vec<String>,
    /// The rest.
    below: String,
    /// Its last name, if the last name of a path must match it: most patterns are ruled out by it.
    last: Option<String>,
}

impl PlaceMatcher {
    /// Returns whether a file is in the place. `path` is absolute, without `.` and `..`.
    pub fn contains(&self, path: &Path) -> bool {
        let names = lower_names(path);
        let name = names.last().cloned();
        let path = PathWord { components: names.into_iter().map(Component::Name).collect(), depends_on_cd: false };
        let matches = |pattern: &LowerPattern| {
            if let (Some(last), Some(name)) = (&pattern.last, &name)
                && !pattern::matches(last, name)
            {
                return false;
            }
            let below = path.inside(&pattern.folder);
            below.is_some_and(|below| matches_components(&pattern.below, below, Files::Some) == Match::Yes)
        };
        self.paths.iter().any(matches) && !self.except.iter().any(matches)
    }
}

fn lower_names(path: &Path) -> Vec<Rc<str>> {
    names(&path.to_string_lossy().to_lowercase())
}

/// Returns the folder with which a pattern begins, and the rest.
fn split_pattern<'p, 'f>(pattern: &'p str, home: &'f [Rc<str>], start: &'f [Rc<str>]) -> (&'f [Rc<str>], &'p str) {
    let (folder, pattern) = match pattern.as_bytes().first() {
        Some(b'~') => (home, &pattern[1..]),
        Some(b'.') => (start, &pattern[1..]),
        _ => (&[][..], pattern),
    };
    (folder, pattern.strip_prefix('/').unwrap_or(pattern))
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

/// Builds the components of a path.
#[derive(Default)]
struct Builder {
    path: Vec<Component>,
    /// The component that is being read: its parts before `text`, and the text at its end.
    parts: Vec<Part>,
    text: String,
    is_glob: bool,
}

impl Builder {
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
                    self.folder(line.start());
                    self.end();
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
            Part::Substitution { commands, .. } if let Some(output) = Output::of(commands, line) => match output {
                Output::TemporaryFile if self.is_empty() => {
                    self.text("/tmp/\0");
                }
                Output::WorkingDirectory if self.is_empty() => {
                    self.folder(line.start());
                }
                Output::Below if self.is_empty() => {
                    self.folder(line.start());
                    self.end();
                    self.unknown();
                }
                Output::Name | Output::Below | Output::TemporaryFile | Output::WorkingDirectory => {
                    self.push(Part::Unknown { splits: false });
                }
            },
            // The value is assumed to stay below the folder before it.
            Part::Variable { .. } | Part::Unknown { splits: false } if !self.path.is_empty() => {
                self.end();
                self.unknown();
            }
            _ => {
                // The value can contain `/` and `..`.
                self.path.clear();
                self.parts.clear();
                self.text.clear();
                self.is_glob = false;
                self.unknown();
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
    }

    /// Ends a component.
    fn end(&mut self) {
        let is_glob = std::mem::take(&mut self.is_glob);
        if self.parts.is_empty() {
            match self.text.as_str() {
                "" | "." => {}
                ".." => {
                    if self.path.last() != Some(&Component::Unknown) {
                        self.path.pop();
                    }
                }
                name => self.path.push(Component::Name(name.into())),
            }
            self.text.clear();
            return;
        }
        if !self.text.is_empty() {
            self.parts.push(Part::Literal { text: std::mem::take(&mut self.text), origin: Origin::Plain });
        }
        let word = Word { parts: std::mem::take(&mut self.parts), span: Span::default() };
        let component = match if is_glob { glob_text(&word) } else { None } {
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
