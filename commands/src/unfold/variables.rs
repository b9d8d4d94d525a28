//! The known values of variables. A variable has a known value if its only assignment has certainly run before.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use crate::programs::program_name;
use crate::reading::{Program, Surroundings};
use crate::syntax::{Dialect, Dialects, Origin, Part, ScopeId, SimpleCommand, Word};

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
/// Other variables that shells set.
const SHELL_VARIABLES: &[&str] = &[
    "BASH",
    "BASHOPTS",
    "BASH_ALIASES",
    "BASH_ARGC",
    "BASH_ARGV",
    "BASH_CMDS",
    "BASH_LINENO",
    "BASH_LOADABLES_PATH",
    "BASH_REMATCH",
    "BASH_SOURCE",
    "BASH_SUBSHELL",
    "BASH_VERSINFO",
    "BASH_VERSION",
    "COLUMNS",
    "COMP_WORDBREAKS",
    "COPROC",
    "DIRSTACK",
    "HISTCMD",
    "HOSTNAME",
    "HOSTTYPE",
    "LINES",
    "MACHTYPE",
    "MAPFILE",
    "OPTERR",
    "OSTYPE",
    "PATH",
    "PS1",
    "PS2",
    "PS4",
    "SHELL",
    "SHLVL",
    "TERM",
];
/// Returns whether the shell itself sets a variable, so that its value does not come from the environment.
pub(crate) fn is_set_by_shell(name: &str) -> bool {
    SPECIAL.contains(&name) || SHELL_VARIABLES.contains(&name)
}

/// Builtins whose operands are names of variables that they set.
const SETTERS: &[&str] = &[
    "declare",
    "export",
    "float",
    "getopts",
    "integer",
    "let",
    "local",
    "mapfile",
    "nameref",
    "print",
    "printf",
    "read",
    "readarray",
    "readonly",
    "typeset",
    "unset",
    "vared",
    "wait",
];

/// The maximum number of letters of options before the name of a variable.
const MAX_OPTIONS: usize = 8;

/// The maximum number of words of a `for` loop that are followed as names of variables.
const MAX_LIST: usize = 16;

/// Returns whether each shell sets a variable at most once.
fn is_set_once(counts: &[u32; 3]) -> bool {
    counts.iter().all(|count| *count <= 1)
}

/// Returns the words of a builtin that can name variables which it sets.
fn named_words<'w>(builtin: &str, words: &'w [Word]) -> &'w [Word] {
    if !SETTERS.contains(&builtin) {
        return &[];
    }
    if !matches!(builtin, "print" | "printf") {
        return &words[1..];
    }
    // Only the option `-v` names a variable, in the same word or in the next one.
    let is_name = |option: &str| option.starts_with("-v") || builtin == "print" && is_cluster_with_v(option);
    match words.get(1).map(Word::certain_start) {
        Some(option) if is_name(&option) => &words[1..words.len().min(3)],
        _ => &[],
    }
}

/// Returns whether a word is a cluster of options such as `-rv`.
fn is_cluster_with_v(option: &str) -> bool {
    option.starts_with('-') && option.contains('v') && option[1..].bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Returns whether the name in a word such as `NAME=VALUE` has an expansion.
fn is_built_name(word: &Word) -> bool {
    for part in &word.parts {
        match part {
            Part::Literal { origin: Origin::Expanded, .. } => return true,
            Part::Literal { text, .. } if text.contains('=') => return false,
            Part::Literal { .. } => {}
            _ => return true,
        }
    }
    false
}

/// An assignment whose value is certain.
#[derive(Debug)]
struct Constant {
    parts: Vec<Part>,
    scope: ScopeId,
    position: Position,
    /// Whether programs get the variable, too.
    exported: bool,
}

/// The position of a command in the order of running: the index of the command of the line that leads to it, then its own index.
pub(super) type Position = (usize, usize);

#[derive(Debug)]
pub(super) struct Variables<'a> {
    /// How often each variable is assigned, in each dialect.
    counts: HashMap<String, [u32; 3]>,
    constants: HashMap<(String, Dialect), Constant>,
    /// The texts that the only `for` loop over a variable assigns to it.
    lists: HashMap<String, Vec<String>>,
    /// The variables whose values were used, with the number of assignments that were known at that time.
    used: HashMap<(String, Dialect), u32>,
    /// Variables that are assigned more often than an earlier round assumed. Their values are not used.
    distrusted: &'a HashSet<String>,
    surroundings: &'a Surroundings<'a>,
    /// Functions that the line defines.
    pub(super) functions: HashSet<String>,
    /// Whether the line defines aliases.
    pub(super) has_aliases: bool,
    /// Whether the line changes the directory, so that the value of `PWD` comes from it.
    pub(super) changes_directory: bool,
    others: Others,
}

/// How the line can set variables whose names are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Others {
    /// It cannot.
    None,
    /// By a file with code that it reads.
    ByFile,
    /// By itself.
    Directly,
}

impl<'a> Variables<'a> {
    pub(super) fn new(distrusted: &'a HashSet<String>, surroundings: &'a Surroundings<'a>) -> Self {
        Self {
            counts: HashMap::new(),
            constants: HashMap::new(),
            lists: HashMap::new(),
            used: HashMap::new(),
            distrusted,
            surroundings,
            functions: HashSet::new(),
            has_aliases: false,
            changes_directory: false,
            others: Others::None,
        }
    }

    /// Makes all values unknown.
    pub(super) fn distrust_all(&mut self) {
        self.others = Others::Directly;
    }

    /// Returns how often each variable is set, and whether variables are set whose names are not known. A file with code that the
    /// line reads does not count: it can run anything by itself.
    pub(super) fn into_assigned(self) -> (BTreeMap<String, u32>, bool) {
        let most = |counts: [u32; 3]| counts.into_iter().max().unwrap_or_default();
        (self.counts.into_iter().map(|(name, counts)| (name, most(counts))).collect(), self.others == Others::Directly)
    }

    /// Returns whether the values that are known can be wrong.
    fn is_uncertain(&self) -> bool {
        self.others > Others::None
    }

    /// Returns the variables whose value was used although another assignment was found later.
    pub(super) fn misused(&self) -> Vec<String> {
        let is_misused = |used: &(&(String, Dialect), &u32)| {
            let ((name, dialect), count) = used;
            self.is_uncertain() || self.assignments(name, *dialect) > **count
        };
        self.used.iter().filter(is_misused).map(|((name, _), _)| name.clone()).collect()
    }

    fn assignments(&self, name: &str, dialect: Dialect) -> u32 {
        self.counts.get(name).map_or(0, |counts| counts[dialect as usize])
    }

    /// Returns whether the line sets a variable.
    pub(super) fn is_assigned(&self, name: &str, dialects: Dialects) -> bool {
        self.is_uncertain() || dialects.iter().any(|dialect| self.assignments(name, dialect) > 0)
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
            self.others = self.others.max(Others::ByFile);
            return;
        }
        let is_declaration = matches!(&*first, "declare" | "typeset" | "local");
        for word in named_words(&first, words) {
            let start = word.certain_start();
            // `declare -n` makes a reference, by which a variable can be assigned under another name.
            if first == "nameref" || is_declaration && start.starts_with('-') && start.contains('n') {
                self.others = Others::Directly;
            }
            if !is_built_name(word) {
                self.assign_text(&start, dialects, nested);
            }
        }
    }

    /// Counts the variables that a builtin sets by names that contain expansions, after these have been replaced by their values.
    pub(super) fn count_built_names(&mut self, words: &[Word], dialects: Dialects, nested: bool) {
        let Some(first) = words.first().and_then(Word::text) else { return };
        for word in named_words(&first, words).iter().filter(|word| is_built_name(word)) {
            match self.possible_starts(word) {
                Some(starts) => starts.iter().for_each(|start| self.assign_text(start, dialects, nested)),
                None => self.others = Others::Directly,
            }
        }
    }

    /// Returns the texts with which a word can begin, up to a `=`. `None` if they are not known.
    fn possible_starts(&self, word: &Word) -> Option<Vec<String>> {
        let mut starts = vec![String::new()];
        for part in &word.parts {
            match part {
                Part::Literal { text, .. } => starts.iter_mut().for_each(|start| start.push_str(text)),
                Part::Variable { name, operation: None, .. } if starts.len() == 1 && !self.is_uncertain() => {
                    let values = self.lists.get(name).filter(|_| self.counts.get(name).is_some_and(is_set_once))?;
                    starts = values.iter().map(|value| format!("{}{value}", starts[0])).collect();
                }
                _ => return None,
            }
            if starts.iter().all(|start| start.contains('=')) {
                break;
            }
        }
        Some(starts)
    }

    /// Counts the variables that the beginning of a word names.
    fn assign_text(&mut self, start: &str, dialects: Dialects, nested: bool) {
        let name = |text: &str| -> String {
            text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
        };
        let options = start.trim_start_matches('-');
        // After an option, the name can be in the same word: `-vNAME`, `-raNAME`.
        let starts = if options.len() < start.len() { options.len().min(MAX_OPTIONS) } else { 1 };
        for name in (0..starts).filter_map(|at| options.get(at..)).map(name).filter(|name| !name.is_empty()) {
            self.assign(&name, dialects, nested);
        }
    }

    /// Records that the line sets a variable whose name is not known.
    pub(super) fn assign_unknown(&mut self) {
        self.others = Others::Directly;
    }

    /// Records the words that a `for` loop assigns to a variable.
    pub(super) fn set_list(&mut self, name: &str, words: &[Word]) {
        let texts: Option<Vec<String>> =
            words.iter().take(MAX_LIST + 1).map(|word| word.text().map(Cow::into_owned)).collect();
        if let Some(texts) = texts.filter(|texts| (1..=MAX_LIST).contains(&texts.len())) {
            self.lists.insert(name.to_owned(), texts);
        }
    }

    /// Records the value of an assignment.
    pub(super) fn set(&mut self, name: &str, dialect: Dialect, value: &Word, scope: ScopeId, position: Position) {
        self.set_as(name, dialect, value, (scope, position), false);
    }

    /// Records the value of an assignment, and whether it is exported.
    pub(super) fn set_as(
        &mut self,
        name: &str,
        dialect: Dialect,
        value: &Word,
        (scope, position): (ScopeId, Position),
        exported: bool,
    ) {
        let is_certain = value.text().is_some()
            && self.assignments(name, dialect) == 1
            && !SPECIAL.contains(&name)
            && !self.distrusted.contains(name);
        if is_certain {
            let constant = Constant { parts: value.parts.clone(), scope, position, exported };
            self.constants.insert((name.to_owned(), dialect), constant);
        }
    }

    /// Returns the value of a variable for the command at `position`, if it is certain.
    ///
    /// `own_shell` says that the shell that reads the line also runs the command. `encloses_command` returns whether a scope contains
    /// the command, for a variable that is exported, or for one that is not.
    pub(super) fn value(
        &mut self,
        name: &str,
        dialect: Dialect,
        position: Position,
        own_shell: bool,
        encloses_command: impl Fn(ScopeId, bool) -> bool,
    ) -> Option<String> {
        if self.is_uncertain() || self.distrusted.contains(name) {
            return None;
        }
        match self.assignments(name, dialect) {
            0 if name == "IFS" => {
                self.used.insert((name.to_owned(), dialect), 0);
                Some(" ".to_owned())
            }
            // Another shell may have another environment.
            0 if own_shell && !SPECIAL.contains(&name) => {
                let value = self.of_environment(name)?.to_owned();
                self.used.insert((name.to_owned(), dialect), 0);
                Some(value)
            }
            1 => {
                let constant = self.constants.get(&(name.to_owned(), dialect))?;
                if constant.position >= position || !encloses_command(constant.scope, constant.exported) {
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

    /// Returns the value of an environment variable, which is empty if the variable is certainly not set.
    fn of_environment(&self, name: &str) -> Option<&'a str> {
        let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        let given = self.surroundings.variables.iter().find(|(given, _)| *given == name).map(|(_, value)| *value);
        let is_unset = is_name
            && !SHELL_VARIABLES.contains(&name)
            && self.surroundings.hidden_variables.is_some_and(|hidden| !hidden.contains(&name));
        given.or_else(|| is_unset.then_some(""))
    }

    /// Returns the program that a word names. `built` says that the word had an expansion, which was replaced by its value.
    pub(super) fn program(&self, word: &Word, built: bool) -> Program {
        if let Some(text) = word.text() {
            let built = built || word.literal().is_none();
            // A function has its whole name.
            let name = if self.functions.contains(&*text) { &*text } else { program_name(&text) };
            return Program::Known { name: name.to_owned(), built };
        }
        // `$HOME/bin/tool`: the directory is unknown, but not the program.
        let end = word.certain_end();
        let Some((_, name)) = end.rsplit_once('/') else { return Program::Unknown };
        let is_one_word = word.parts.iter().all(|part| match part {
            Part::Variable { name, operation: None, quoted: false } => {
                !self.is_uncertain()
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
