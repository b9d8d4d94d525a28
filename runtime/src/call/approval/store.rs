//! Commands that a person has approved for always.

use std::hash::{Hash, Hasher};

use serde_json::json;

/// A store of commands that a person has approved for always: see [`CommandApproval::store`](crate::approval::CommandApproval).
/// How they are listed and revoked is the business of the host's own type.
///
/// The methods are called on the thread that polls the call, for commands about which a person would have to decide. A panic
/// of `contains` counts as `false`, one of `add` as an error.
pub trait ApprovalStore: Send + Sync {
    /// Returns whether the store has a command that is [equal](StoredCommand) to this one. On a failure, it returns `false`.
    fn contains(&self, command: &StoredCommand) -> bool;

    /// Adds a command. Adding it again has no effect.
    ///
    /// # Errors
    /// Returns a message for the host if the command cannot be stored. The call still runs once, and the message is
    /// [reported](crate::hooks::Hook::on_host_error).
    fn add(&self, command: &StoredCommand) -> Result<(), String>;
}

/// A command that a person has approved for always. Two are equal if everything except `line` is, which is the case exactly if
/// their [keys](Self::key) are equal.
///
/// The words of an equal command are the same after quotes are removed, in the same commands, in the same order, with the
/// same operators and redirections.
#[derive(Debug, Clone)]
pub struct StoredCommand {
    /// The tool's own name.
    pub tool: String,
    /// The kind of environment: `local`, `docker` ...
    pub environment: String,
    /// The working directory, an absolute path.
    pub directory: String,
    /// The words of each command that the line runs, the program first. Then come its assignments, and the targets of its
    /// redirections. No word has an expansion.
    pub commands: Vec<Vec<String>>,
    /// The line without its words and blanks: operators, parentheses, keywords of redirections.
    pub structure: String,
    /// The line as the person saw it, for lists.
    pub line: String,
}

impl StoredCommand {
    /// Returns a text that identifies the command: JSON on one line. It does not depend on `line`.
    pub fn key(&self) -> String {
        json!([self.tool, self.environment, self.directory, self.structure, self.commands]).to_string()
    }

    fn parts(&self) -> (&str, &str, &str, &str, &[Vec<String>]) {
        (&self.tool, &self.environment, &self.directory, &self.structure, &self.commands)
    }
}

impl PartialEq for StoredCommand {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl Eq for StoredCommand {}

impl Hash for StoredCommand {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().hash(state);
    }
}
