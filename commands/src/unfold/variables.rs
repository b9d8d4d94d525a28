//! The known values of variables. A variable has a known value if its only assignment has certainly run before.

use std::collections::{HashMap, HashSet};

use crate::reading::Program;
use crate::syntax::{Dialect, Dialects, Part, ScopeId, SimpleCommand, Word};

/// Variables that the shell itself changes, or that scripts cannot change.
const SPECIAL: &[&str] = &[
    "BASHPID",
    "BASH_ARGV0",
    "BASH_COMMAND",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "EUID",
    "FUNCNAME",
    "GROUPS",
    "HOME",
    "IFS",
    "LINENO",
    "OLDPWD",
    "OPTARG",
    "OPTIND",
    "PIPESTATUS",
    "PPID",
    "PWD",
    "RANDOM",
    "REPLY",
    "SECONDS",
    "SHELLOPTS",
    "SRANDOM",
    "UID",
    "_",
];
/// Builtins whose operands are names of variables that they set.
const SETTERS: &[&str] = &[
    "declare",
    "export",
    "getopts",
    "let",
    "local",
    "mapfile",
    "printf",
    "read",
    "readarray",
    "readonly",
    "typeset",
    "unset",
    "wait",
];

/// An assignment whose value is certain.
#[derive(Debug)]
struct Constant {
    parts: Vec<Part>,
    scope: ScopeId,
    position: Position,
}

/// The position of a command in the order of running: the index of the command of the line that leads to it, then its own index.
pub(super) type Position = (usize, usize);

#[derive(Debug)]
pub(super) struct Variables<'a> {
    /// How often each variable is assigned, in each dialect.
    counts: HashMap<String, [u32; 3]>,
    constants: HashMap<(String, Dialect), Constant>,
    /// The variables whose values were used, with the number of assignments that were known at that time.
    used: HashMap<(String, Dialect), u32>,
    /// Variables that are assigned more often than an earlier round assumed. Their values are not used.
    distrusted: &'a HashSet<String>,
    /// The known variables of the environment.
    given: &'a [(&'a str, &'a str)],
    /// Functions that the line defines.
    pub(super) functions: HashSet<String>,
    /// Whether the line defines aliases.
    pub(super) has_aliases: bool,
    /// Whether the line changes the directory, so that the value of `PWD` comes from it.
    pub(super) changes_directory: bool,
    /// Whether variables are set whose names are not known.
    dynamic: bool,
}

impl<'a> Variables<'a> {
    pub(super) fn new(distrusted: &'a HashSet<String>, given: &'a [(&'a str, &'a str)]) -> Self {
        Self {
            counts: HashMap::new(),
            constants: HashMap::new(),
            used: HashMap::new(),
            distrusted,
            given,
            functions: HashSet::new(),
            has_aliases: false,
            changes_directory: false,
            dynamic: false,
        }
    }

    /// Makes all values unknown.
    pub(super) fn distrust_all(&mut self) {
        self.dynamic = true;
    }

    /// Returns the variables whose value was used although another assignment was found later.
    pub(super) fn misused(&self) -> Vec<String> {
        let is_misused = |used: &(&(String, Dialect), &u32)| {
            let ((name, dialect), count) = used;
            self.dynamic || self.assignments(name, *dialect) > **count
        };
        self.used.iter().filter(is_misused).map(|((name, _), _)| name.clone()).collect()
    }

    fn assignments(&self, name: &str, dialect: Dialect) -> u32 {
        self.counts.get(name).map_or(0, |counts| counts[dialect as usize])
    }

    /// Returns whether the line sets a variable.
    pub(super) fn is_assigned(&self, name: &str, dialects: Dialects) -> bool {
        self.dynamic || dialects.iter().any(|dialect| self.assignments(name, dialect) > 0)
    }

    /// Counts an assignment of a variable. Assignments in nested code count for all dialects.
    pub(super) fn assign(&mut self, name: &str, dialects: Dialects, nested: bool) {
        let counts = match self.counts.get_mut(name) {
            Some(counts) => counts,
            None => self.counts.entry(name.to_owned()).or_default(),
        };
        if nested {
            for count in counts.iter_mut() {
                *count += 1;
            }
        } else {
            dialects.iter().for_each(|dialect| counts[dialect as usize] += 1);
        }
    }

    /// Counts the assignments of a command.
    pub(super) fn count(&mut self, command: &SimpleCommand, dialects: Dialects, nested: bool) {
        for assignment in &command.assignments {
            self.assign(&assignment.name, dialects, nested);
        }
        self.count_words(&command.words, dialects, nested);
    }

    /// Counts the variables that a builtin sets.
    pub(super) fn count_words(&mut self, words: &[Word], dialects: Dialects, nested: bool) {
        let Some(first) = words.first().and_then(Word::text) else { return };
        self.has_aliases |= first == "alias";
        self.changes_directory |= matches!(&*first, "cd" | "pushd" | "popd");
        if matches!(&*first, "." | "source") {
            self.dynamic = true;
            return;
        }
        if !SETTERS.contains(&&*first) {
            return;
        }
        let is_declaration = matches!(&*first, "declare" | "typeset" | "local");
        for word in &words[1..] {
            let start = word.certain_start();
            // `declare -n` makes a reference, by which a variable can be assigned under another name.
            if is_declaration && start.starts_with('-') && start.contains('n') {
                self.dynamic = true;
            }
            if first == "printf" && start != "-v" && !start.starts_with("-v") && words[1].certain_start() != "-v" {
                return;
            }
            if start.is_empty() || word.text().is_none() && !start.contains('=') {
                self.dynamic |= first != "printf";
                continue;
            }
            let name: String =
                start.trim_start_matches('-').chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if !name.is_empty() {
                self.assign(&name, dialects, nested);
            }
        }
    }

    /// Records the value of an assignment.
    pub(super) fn set(&mut self, name: &str, dialect: Dialect, value: &Word, scope: ScopeId, position: Position) {
        let is_certain = value.text().is_some()
            && self.assignments(name, dialect) == 1
            && !SPECIAL.contains(&name)
            && !self.distrusted.contains(name);
        if is_certain {
            let constant = Constant { parts: value.parts.clone(), scope, position };
            self.constants.insert((name.to_owned(), dialect), constant);
        }
    }

    /// Returns the value of a variable for the command at `position`, if it is certain.
    ///
    /// `own_shell` says that the shell that reads the line also runs the command. `encloses_command` returns whether a scope contains
    /// the command.
    pub(super) fn value(
        &mut self,
        name: &str,
        dialect: Dialect,
        position: Position,
        own_shell: bool,
        encloses_command: impl Fn(ScopeId) -> bool,
    ) -> Option<String> {
        if self.dynamic || self.distrusted.contains(name) {
            return None;
        }
        match self.assignments(name, dialect) {
            0 if name == "IFS" => {
                self.used.insert((name.to_owned(), dialect), 0);
                Some(" ".to_owned())
            }
            // Another shell may have another environment.
            0 if own_shell && !SPECIAL.contains(&name) => {
                let value = self.given.iter().find(|(given, _)| *given == name)?.1;
                self.used.insert((name.to_owned(), dialect), 0);
                Some(value.to_owned())
            }
            1 => {
                let constant = self.constants.get(&(name.to_owned(), dialect))?;
                if constant.position >= position || !encloses_command(constant.scope) {
                    return None;
                }
                let text = constant.parts.iter().map(|part| match part {
                    Part::Literal { text, .. } => text.as_str(),
                    _ => "",
                });
                let text = text.collect();
                self.used.insert((name.to_owned(), dialect), 1);
                Some(text)
            }
            _ => None,
        }
    }

    /// Returns the program that a word names. `built` says that the word had an expansion, which was replaced by its value.
    pub(super) fn program(&self, word: &Word, built: bool) -> Program {
        if let Some(text) = word.text() {
            let built = built || word.literal().is_none();
            let name = text.rsplit('/').next().unwrap_or_default();
            return Program::Known { name: name.to_owned(), built };
        }
        // `$HOME/bin/tool`: the directory is unknown, but not the program.
        let end = word.certain_end();
        let Some((_, name)) = end.rsplit_once('/') else { return Program::Unknown };
        let is_one_word = word.parts.iter().all(|part| match part {
            Part::Variable { name, operation: None, quoted: false } => {
                !self.dynamic
                    && !self.counts.contains_key(name)
                    && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
                    && !name.starts_with(|c: char| c.is_ascii_digit())
            }
            part => !part.splits(),
        });
        if is_one_word && !name.is_empty() {
            Program::Known { name: name.to_owned(), built: false }
        } else {
            Program::Unknown
        }
    }
}
