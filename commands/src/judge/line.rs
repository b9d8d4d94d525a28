//! A line with what conditions need to know about all of its commands.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;
use std::slice;

use crate::certainty::Match;
use crate::judge::components::PathWord;
use crate::judge::flow::{Flow, Link};
use crate::judge::folders::{Roots, UNKNOWN_START};
use crate::judge::functions::harmless_functions;
use crate::judge::lookups::{LastLink, Lookups};
use crate::judge::variable::makes_keywords;
use crate::programs::ProgramTable;
use crate::reading::{Command, Directory, Reading, Surroundings};
use crate::rules::{ORDINARY_NAME, RuleSet};
use crate::syntax::{CommandId, Operation, Part, ScopeId, ScopeKind, Word};
use crate::unfold::is_set_by_shell;

/// The maximum number of commands of a line that are judged. A line with more needs a person.
pub(crate) const MAX_COMMANDS: CommandId = 100;
/// The maximum number of values of a variable. Further ones count as unknown.
const MAX_CHOICES: usize = 128;

/// A reading, and what was derived from its commands.
pub(crate) struct Line<'a> {
    pub(crate) reading: &'a Reading,
    pub(crate) programs: &'a ProgramTable<'a>,
    /// The numbers of the processes on which the caller depends.
    pub(crate) processes: &'a [u32],
    /// The folders with which patterns of places can begin.
    roots: Roots,
    /// The same folders, as the file system has them. Computed when first needed.
    real_roots: OnceCell<Roots>,
    /// The questions to the file system, if it is known.
    pub(crate) lookups: Option<Lookups<'a>>,
    start_path: Cow<'a, str>,
    /// The variables that the line sets, each with its value if the line sets it only once.
    set_variables: BTreeMap<&'a str, Option<&'a Word>>,
    /// What sets each variable to values of which some are known.
    choices: BTreeMap<&'a str, Vec<Setter<'a>>>,
    /// Whether the line defines a function.
    pub(crate) has_functions: bool,
    /// The functions that hide a program and only print something, each with the last command of its body.
    harmless_functions: BTreeMap<&'a str, CommandId>,
    /// Whether arguments such as `NAME=VALUE` set variables, as after `set -k`.
    pub(crate) has_keywords: bool,
    /// How files connect the commands. Computed when first needed.
    pub(crate) flow: OnceCell<Flow>,
    /// The links that the line makes. Computed when first needed.
    pub(crate) links: OnceCell<Vec<Link>>,
    /// The folders to which the line goes. Computed when first needed.
    pub(crate) visited: OnceCell<Vec<PathWord>>,
    /// Whether a `cd` fails. Computed when first needed.
    pub(crate) cd_fails: OnceCell<Match>,
    /// The places of the first paths that were looked up, with [`ORDINARY_NAME`] for names that no pattern tells apart. Most paths are the
    /// same then, and a word is an operand, an argument and a file that is written or read, for different rules.
    places: RefCell<Vec<(PathWord, Places)>>,
    ordinary_name: Rc<str>,
}

/// The indexes of the places that contain a path.
type Places = Rc<[(usize, Match)]>;

/// The values that a variable can have.
#[derive(Debug, Clone, Default)]
pub(crate) struct Choice<'a> {
    /// The values that are known, apart from variables in them.
    pub(crate) values: Vec<&'a Word>,
    /// Whether the variable can have others.
    pub(crate) is_partial: bool,
    /// Whether the command that sets the variable may not run.
    pub(crate) can_be_unset: bool,
}

/// A `for` loop or an assignment that sets a variable.
#[derive(Debug, Clone, Copy)]
struct Setter<'a> {
    values: &'a [Word],
    /// The scope of the loop or the assignment.
    scope: ScopeId,
    is_loop: bool,
}

impl<'a> Line<'a> {
    pub(crate) fn new(reading: &'a Reading, rules: &'a RuleSet<'a>, surroundings: &'a Surroundings<'a>) -> Self {
        let mut set_variables: BTreeMap<&str, Option<&Word>> = BTreeMap::new();
        let mut choices: BTreeMap<&str, Vec<Setter<'_>>> = BTreeMap::new();
        let is_set_once = |name: &str| !reading.assigns_unknown && reading.assigned.get(name) == Some(&1);
        let each = |command: &'a Command| command.assignments.iter().map(|assignment| (command.scope, assignment));
        for (scope, assignment) in reading.commands.iter().flat_map(each) {
            let is_text = !assignment.array && !assignment.append;
            let is_value = is_text && is_set_once(&assignment.name) && !set_variables.contains_key(&*assignment.name);
            set_variables.insert(&assignment.name, is_value.then_some(&assignment.value));
            let is_loop = !assignment.each.is_empty();
            let values = if is_loop { &assignment.each[..] } else { slice::from_ref(&assignment.value) };
            if (is_loop || is_text) && values.iter().any(is_usable) {
                choices.entry(&assignment.name).or_default().push(Setter { values, scope, is_loop });
            }
        }
        let start_path = surroundings.directory.unwrap_or(Path::new(UNKNOWN_START)).to_string_lossy();
        let has_functions = reading.scopes.iter().any(|scope| matches!(scope.kind, ScopeKind::Function(_)));
        let harmless_functions = if has_functions { harmless_functions(reading) } else { BTreeMap::new() };
        let has_keywords = reading.commands.iter().any(makes_keywords);
        let (flow, links, visited, cd_fails, places) = Default::default();
        let processes = surroundings.processes;
        Self {
            reading,
            programs: rules.programs(),
            processes,
            roots: Roots::new(surroundings),
            real_roots: OnceCell::new(),
            lookups: surroundings.files.map(|files| Lookups::new(files, rules)),
            start_path,
            set_variables,
            choices,
            has_functions,
            harmless_functions,
            has_keywords,
            flow,
            links,
            visited,
            cd_fails,
            places,
            ordinary_name: Rc::from(ORDINARY_NAME),
        }
    }

    /// Returns whether a command calls a function of the line that only prints something, although it has the name of a program.
    pub(crate) fn is_harmless_function(&self, id: CommandId, command: &Command) -> bool {
        let Some(name) = command.program.name().filter(|_| command.via.is_none()) else { return false };
        self.harmless_functions.get(name).is_some_and(|body| *body < id)
            && command.words.first().and_then(Word::text).is_some_and(|word| word == name)
    }

    /// Returns the indexes of the places that contain a path as it is written, certainly or perhaps.
    pub(crate) fn places_of(&self, path: &PathWord, rules: &RuleSet<'_>) -> Places {
        /// A line with more kinds of paths than this is rare, and a search among them would not pay.
        const MAX_KEPT: usize = 16;
        let path = path.with_ordinary_names(rules.place_patterns().names(), &self.roots, &self.ordinary_name);
        if let Some((_, places)) = self.places.borrow().iter().find(|(known, _)| known.is_same(&path)) {
            return Rc::clone(places);
        }
        let places: Places = path.places(rules, &self.roots).into();
        let mut kept = self.places.borrow_mut();
        if kept.len() < MAX_KEPT {
            kept.push((path, Rc::clone(&places)));
        }
        places
    }

    /// Returns the values that a variable can have for a command in `scope`, if `for` loops or assignments of the line set it to values of which
    /// some are known: in a loop over them, those of the loop, and otherwise all of them.
    pub(crate) fn choice(&self, name: &str, scope: ScopeId) -> Option<Choice<'a>> {
        let all = self.choices.get(name)?;
        let is_within = |scope: ScopeId, outer: ScopeId| {
            let mut scopes = std::iter::successors(Some(scope), |id| self.reading.scopes[*id as usize].parent);
            scopes.any(|id| id == outer)
        };
        // What is set in another way, such as by `read`, can happen anywhere.
        let count = self.reading.assigned.get(name).copied().unwrap_or_default();
        let is_complete = !self.reading.assigns_unknown && count as usize == all.len();
        let is_in_function =
            |scope: ScopeId| self.reading.scopes(scope).any(|scope| matches!(scope.kind, ScopeKind::Function(_)));
        // A function that is called in the loop can set the variable as well.
        let sets_again = |own: &Setter<'_>| {
            let mut others = all.iter().filter(|other| !std::ptr::eq(*other, own));
            others.any(|other| is_within(other.scope, own.scope) || is_in_function(other.scope))
        };
        let is_own = |setter: &&Setter<'a>| setter.is_loop && is_within(scope, setter.scope) && !sets_again(setter);
        let own = if is_complete { all.iter().rev().find(is_own).map(slice::from_ref) } else { None };
        let setters = own.unwrap_or(all);
        let values = || setters.iter().flat_map(|setter| setter.values);
        let known: Vec<&Word> = values().filter(|value| is_usable(value)).take(MAX_CHOICES).collect();
        Some(Choice {
            is_partial: !is_complete || known.len() == MAX_CHOICES || !values().all(is_known),
            values: known,
            // Outside of the loop, it may not have run, or only in a process of its own.
            can_be_unset: own.is_none(),
        })
    }

    /// Returns whether a variable comes from the environment. The reader has replaced those with a known value, so this one is
    /// unset or secret.
    pub(crate) fn is_of_environment(&self, name: &str) -> bool {
        let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        is_name
            && !self.reading.assigns_unknown
            && !self.reading.assigned.contains_key(name)
            && (name == "HOME" || !is_set_by_shell(name))
    }

    /// Returns whether a variable has no value before an operation that can give it one: it comes from the environment, as
    /// `is_of_environment` says, or only the operation itself sets it.
    pub(crate) fn can_have_default(&self, name: &str, operation: &Operation) -> bool {
        let is_only_setter = || {
            matches!(operation.operator.as_str(), "=" | ":=")
                && !self.reading.assigns_unknown
                && self.reading.assigned.get(name) == Some(&1)
                && !is_set_by_shell(name)
        };
        self.is_of_environment(name) || is_only_setter()
    }

    /// Returns the value of a variable that the line sets once.
    pub(crate) fn only_value(&self, name: &str) -> Option<&'a Word> {
        *self.set_variables.get(name)?
    }

    /// Returns the command of a substitution, if there is only one, without redirections and expansions.
    pub(crate) fn plain_substitution(&self, commands: &Range<CommandId>) -> Option<&'a Command> {
        let [command] = self.reading.commands.get(commands.start as usize..commands.end as usize)? else { return None };
        let is_plain = command.redirects.is_empty() && command.arguments().iter().all(|word| word.text().is_some());
        is_plain.then_some(command)
    }

    /// Returns the path of the directory in which the line starts.
    pub(crate) fn start_path(&self) -> &str {
        &self.start_path
    }

    /// Returns the ids of the commands that are judged.
    pub(crate) fn ids(&self) -> impl Iterator<Item = CommandId> + Clone {
        self.reading.ids().take(MAX_COMMANDS as usize)
    }

    /// Returns the names in the path of the home folder.
    pub(crate) fn home(&self) -> &[Rc<str>] {
        &self.roots.home
    }

    /// Returns the path of the home folder.
    pub(crate) fn home_path(&self) -> String {
        self.home().iter().flat_map(|name| ["/", name]).collect()
    }

    /// Returns the names in the path of the directory in which the line starts.
    pub(crate) fn start(&self) -> &[Rc<str>] {
        &self.roots.start
    }

    /// Returns the folders with which patterns of places can begin.
    pub(crate) fn roots(&self) -> &Roots {
        &self.roots
    }

    /// Returns the same folders, as the file system has them.
    pub(crate) fn real_roots(&self) -> &Roots {
        let Some(lookups) = &self.lookups else { return &self.roots };
        self.real_roots.get_or_init(|| {
            let real = |names: &[Rc<str>]| lookups.resolve(names, LastLink::Followed, &self.roots);
            Roots {
                home: real(&self.roots.home),
                start: real(&self.roots.start),
                own: self.roots.own.as_deref().map(real),
            }
        })
    }

    /// Returns whether a part is `$PWD` or `$(pwd)`, and the line does not change the directory.
    pub(crate) fn is_working_directory(&self, part: &Part) -> bool {
        let is_unchanged = || self.reading.commands.iter().all(|command| command.directory == Directory::Start);
        match part {
            Part::Variable { name, operation: None, .. } => name == "PWD" && is_unchanged(),
            Part::Substitution { commands, .. } => {
                let is_pwd = |command: &Command| command.program.name() == Some("pwd");
                self.plain_substitution(commands).is_some_and(is_pwd) && is_unchanged()
            }
            _ => false,
        }
    }

    /// Returns whether the value of a part can be any text. Numbers and unset variables cannot.
    pub(crate) fn can_be_anything(&self, part: &Part) -> bool {
        self.can_be_anything_within(part, MAX_VALUES)
    }

    fn can_be_anything_within(&self, part: &Part, depth: usize) -> bool {
        match part {
            Part::Variable { name, operation: None, .. } if is_number(name) || self.is_of_environment(name) => false,
            Part::Variable { name, operation: None, .. } if depth > 0 => match self.only_value(name) {
                Some(value) if !value.parts.is_empty() => {
                    let is_text = |part: &Part| matches!(part, Part::Literal { .. });
                    value.parts.iter().any(|part| is_text(part) || self.can_be_anything_within(part, depth - 1))
                }
                _ => true,
            },
            Part::Variable { .. } | Part::Substitution { .. } | Part::Arithmetic { .. } | Part::Unknown { .. } => true,
            Part::Literal { .. } | Part::Tilde { .. } | Part::Glob(_) | Part::ProcessSubstitution { .. } => false,
        }
    }
}

/// The maximum depth of values within values that are followed.
const MAX_VALUES: usize = 4;

/// Returns whether the value of a variable is always a number, or several.
fn is_number(name: &str) -> bool {
    const NUMBERS: &[&str] = &[
        "!",
        "#",
        "$",
        "?",
        "BASHPID",
        "EPOCHSECONDS",
        "EUID",
        "GROUPS",
        "LINENO",
        "OPTIND",
        "PIPESTATUS",
        "PPID",
        "RANDOM",
        "SECONDS",
        "SRANDOM",
        "UID",
    ];
    NUMBERS.contains(&name)
}

/// Returns whether a word is certain, apart from the files that a pattern finds, and stays one word without quotes.
fn is_known(word: &Word) -> bool {
    word.parts.iter().all(is_known_part)
}

fn is_known_part(part: &Part) -> bool {
    match part {
        Part::Literal { text, .. } => !text.contains(char::is_whitespace),
        part => matches!(part, Part::Tilde { .. } | Part::Glob(_)),
    }
}

/// Returns whether a word says as much in the place of a variable as where it is written: its own variables are not lost there.
fn is_usable(word: &Word) -> bool {
    let is_variable = |part: &Part| matches!(part, Part::Variable { operation: None, .. });
    word.parts.iter().all(|part| is_known_part(part) || is_variable(part))
}
