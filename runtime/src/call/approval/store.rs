//! The store of commands that a person has approved permanently.

use std::hash::{Hash, Hasher};

use serde_json::json;

/// A store of commands that a person has approved permanently: see
/// [`CommandApproval::store`](crate::approval::CommandApproval::store). The host's own type decides how to list and revoke them.
///
/// The methods are called on the thread that polls the call, for commands that need approval. If `contains` panics, that counts
/// as `false`; if `add` panics, as an error.
pub trait ApprovalStore: Send + Sync {
    /// Returns whether the store has a command that is [equal](StoredCommand) to this one. Returns `false` if that cannot be read.
    fn contains(&self, command: &StoredCommand) -> bool;

    /// Adds a command. Adding it again has no effect.
    ///
    /// # Errors
    /// Returns a message for the host if the command cannot be stored. The call still runs this time, and the message is
    /// [reported](crate::hooks::Hook::on_host_error).
    fn add(&self, command: &StoredCommand) -> Result<(), String>;
}

/// A command that a person has approved permanently.
///
/// Two commands are equal if all fields except `line` are, or in other words, if their [keys](Self::key) are. Quotes and blanks
/// do not matter; words, operators and redirections do.
#[derive(Debug, Clone)]
pub struct StoredCommand {
    /// The tool's own name.
    pub tool: String,
    /// The kind of environment: `local`, `docker` ...
    pub environment: String,
    /// The working directory, an absolute path.
    pub directory: String,
    /// For each command that the line runs: its words, the program first, its assignments, and the targets of its redirections. No
    /// word has an expansion.
    pub commands: Vec<Vec<String>>,
    /// The rest of the line: operators, keywords and parentheses, with a placeholder for each word.
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
