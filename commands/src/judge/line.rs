//! A line with what conditions need to know about all of its commands.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use crate::programs::ProgramTable;
use crate::reading::{Command, Directory, Reading, Surroundings};
use crate::syntax::{CommandId, Part, Word};

/// Represents an unknown working directory. No real folder has such a name.
const UNKNOWN_START: &str = "/\u{0}/\u{0}/\u{0}/\u{0}/\u{0}/\u{0}";

/// A reading, and what was derived from its commands.
pub(crate) struct Line<'a> {
    pub(crate) reading: &'a Reading,
    pub(crate) programs: &'a ProgramTable<'a>,
    pub(crate) surroundings: &'a Surroundings<'a>,
    /// The variables that the line sets, each with its value if the line sets it only once.
    set_variables: BTreeMap<&'a str, Option<&'a Word>>,
    /// The commands that write each file. Computed when first needed.
    pub(crate) writers: OnceCell<HashMap<String, Vec<CommandId>>>,
}

/// Commands that set the variables that they name.
const SETTERS: &[&str] =
    &["declare", "export", "getopts", "let", "local", "mapfile", "printf", "read", "readarray", "readonly", "typeset"];

impl<'a> Line<'a> {
    pub(crate) fn new(
        reading: &'a Reading,
        programs: &'a ProgramTable<'a>,
        surroundings: &'a Surroundings<'a>,
    ) -> Self {
        let mut set_variables: BTreeMap<&str, Option<&Word>> = BTreeMap::new();
        for command in &reading.commands {
            for assignment in &command.assignments {
                let is_value = !assignment.array && !assignment.append;
                let value = (is_value && !set_variables.contains_key(&*assignment.name)).then_some(&assignment.value);
                set_variables.insert(&assignment.name, value);
            }
            if command.program.name().is_some_and(|name| SETTERS.contains(&name)) {
                let names = command.arguments().iter().filter_map(|word| match word.parts.first() {
                    Some(Part::Literal { text, .. }) => text.split('=').next(),
                    _ => None,
                });
                set_variables.extend(names.map(|name| (name, None)));
            }
        }
        Self { reading, programs, surroundings, set_variables, writers: OnceCell::new() }
    }

    /// Returns whether a variable comes from the environment. The reader has replaced those with a known value, so this one is
    /// unset or secret.
    pub(crate) fn is_of_environment(&self, name: &str) -> bool {
        let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        is_name && !self.set_variables.contains_key(name)
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

    /// Returns the directory in which the line starts.
    pub(crate) fn start(&self) -> Cow<'a, str> {
        self.surroundings.directory.map_or(Cow::Borrowed(UNKNOWN_START), |directory| directory.to_string_lossy())
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
        match part {
            Part::Variable { name, operation, .. } => {
                let is_number = matches!(name.as_str(), "?" | "$" | "!" | "#");
                operation.is_some() || !is_number && !self.is_of_environment(name)
            }
            Part::Literal { .. } | Part::Tilde { .. } | Part::Glob(_) | Part::ProcessSubstitution { .. } => false,
            Part::Substitution { .. } | Part::Arithmetic { .. } | Part::Unknown { .. } => true,
        }
    }
}
