//! The store of commands and calls that a person has approved permanently.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{OptionalExtension as _, params};
use toolc::approval::{ApprovalStore, StoredCommand};

use crate::database::Database;
use crate::error::StoreError;

/// The commands and calls that a person has approved permanently, in a [`Database`].
#[derive(Debug, Clone)]
pub struct Approvals {
    database: Arc<Database>,
    on_error: fn(&StoreError),
}

/// An approved command, or a rule about calls that a person has allowed, for display.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Approval {
    /// The id, which is never used for another approval.
    pub id: i64,
    /// The name of the tool.
    pub tool: String,
    /// The kind of environment: `local`, `docker` ...
    pub environment: String,
    /// The working directory; empty for a rule about calls.
    pub directory: String,
    /// The command line, as the person saw it, or a description of the calls.
    pub line: String,
    /// The rule about calls, as the text of a file of permissions, or `None` for a command.
    pub rule: Option<String>,
    /// When the approval was added.
    pub added: SystemTime,
}

impl Approvals {
    /// Returns the approvals in a database.
    pub fn new(database: Arc<Database>) -> Self {
        Self { database, on_error: |_| {} }
    }

    /// Sets a function that is called if the store cannot be read. The command then counts as not approved.
    #[must_use]
    pub fn on_error(self, on_error: fn(&StoreError)) -> Self {
        Self { on_error, ..self }
    }

    /// Returns all approvals, the oldest first.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn list(&self) -> Result<Vec<Approval>, StoreError> {
        let approvals = self.database.read(|connection| {
            let sql = "SELECT id, tool, environment, directory, line, added, rule FROM approvals ORDER BY id";
            let mut statement = connection.prepare(sql)?;
            let rows = statement.query_map([], |row| {
                let seconds = u64::try_from(row.get::<_, i64>(5)?).unwrap_or_default();
                Ok(Approval {
                    id: row.get(0)?,
                    tool: row.get(1)?,
                    environment: row.get(2)?,
                    directory: row.get(3)?,
                    line: row.get(4)?,
                    added: UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).unwrap_or(UNIX_EPOCH),
                    rule: row.get(6)?,
                })
            })?;
            rows.collect()
        })?;
        Ok(approvals.unwrap_or_default())
    }

    /// Returns the rules about calls of a tool, each with its id. None if the store cannot be read.
    pub fn rules_about(&self, tool: &str) -> Vec<(i64, String)> {
        let rules = self.database.read(|connection| {
            let sql = "SELECT id, rule FROM approvals WHERE tool = ?1 AND rule IS NOT NULL ORDER BY id";
            let mut statement = connection.prepare(sql)?;
            statement.query_map([tool], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        });
        rules
            .unwrap_or_else(|error| {
                (self.on_error)(&error);
                None
            })
            .unwrap_or_default()
    }

    /// Adds a rule about calls of a tool.
    ///
    /// # Errors
    /// Returns an error if the file cannot be changed.
    pub fn add_rule(&self, tool: &str, environment: &str, description: &str, rule: &str) -> Result<(), StoreError> {
        let sql = "INSERT INTO approvals (key, tool, environment, directory, line, added, rule) VALUES (?1, ?2, ?3, '', ?4, ?5, ?6) \
                   ON CONFLICT DO NOTHING";
        // A key of a command begins otherwise.
        let row = params![format!("rule\n{rule}"), tool, environment, description, now(), rule];
        self.database.write(|connection| connection.execute(sql, row).map(drop))
    }

    /// Removes the approval with this id. Returns whether it existed.
    ///
    /// # Errors
    /// Returns an error if the file cannot be changed.
    pub fn revoke(&self, id: i64) -> Result<bool, StoreError> {
        self.remove("DELETE FROM approvals WHERE id = ?1", params![id]).map(|removed| removed > 0)
    }

    /// Removes all approvals. Returns their number.
    ///
    /// # Errors
    /// Returns an error if the file cannot be changed.
    pub fn revoke_all(&self) -> Result<usize, StoreError> {
        self.remove("DELETE FROM approvals", params![])
    }

    fn remove(&self, sql: &str, values: impl rusqlite::Params) -> Result<usize, StoreError> {
        // Do not create a file only to remove something from it.
        if self.database.read(|_| Ok(()))?.is_none() {
            return Ok(0);
        }
        self.database.write(|connection| connection.execute(sql, values))
    }

    fn has(&self, key: &str) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM approvals WHERE key = ?1";
        let row = self.database.read(|connection| connection.query_row(sql, [key], |_| Ok(())).optional())?;
        Ok(row.flatten().is_some())
    }
}

impl ApprovalStore for Approvals {
    fn contains(&self, command: &StoredCommand) -> bool {
        self.has(&command.key()).unwrap_or_else(|error| {
            (self.on_error)(&error);
            false
        })
    }

    fn add(&self, command: &StoredCommand) -> Result<(), String> {
        let StoredCommand { tool, environment, directory, line, .. } = command;
        let sql = "INSERT INTO approvals (key, tool, environment, directory, line, added) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
                   ON CONFLICT DO NOTHING";
        let row = params![command.key(), tool, environment, directory, line, now()];
        self.database.write(|connection| connection.execute(sql, row).map(drop)).map_err(|error| error.to_string())
    }
}

/// Returns the time in seconds since 1970.
fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs().cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(words: &[&str], directory: &str, environment: &str) -> StoredCommand {
        StoredCommand {
            tool: "terminal".to_owned(),
            environment: environment.to_owned(),
            directory: directory.to_owned(),
            commands: vec![words.iter().map(|&word| word.to_owned()).collect()],
            structure: String::new(),
            line: words.join(" "),
        }
    }

    #[test]
    fn an_approval_is_for_exact_words_directory_and_environment() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let open = || Approvals::new(Arc::new(Database::new(folder.path().join("home/state.db"))));
        let approved = command(&["rm", "-rf", "a b"], "/x", "local");
        let approvals = open();
        assert!(!approvals.contains(&approved));
        approvals.add(&approved).expect("failed to add");
        approvals.add(&approved).expect("failed to add again");
        // Another connection, like the connection of another process.
        let other = open();
        assert!(other.contains(&approved));
        for different in [
            command(&["rm", "-rf", "a", "b"], "/x", "local"),
            command(&["rm", "-rf", "a b"], "/x/y", "local"),
            command(&["rm", "-rf", "a b"], "/x", "docker"),
            StoredCommand { structure: ";".to_owned(), ..approved.clone() },
            StoredCommand { tool: "other".to_owned(), ..approved.clone() },
        ] {
            assert!(!other.contains(&different), "{different:?}");
        }
        let [approval] = &other.list().expect("failed to read")[..] else { panic!("one approval") };
        assert_eq!((&*approval.line, &*approval.directory, &*approval.environment), ("rm -rf a b", "/x", "local"));
        assert!(approval.added.elapsed().is_ok_and(|age| age.as_secs() < 600));
    }

    #[test]
    fn revoked_approvals_are_gone_and_their_ids_are_not_used_again() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let approvals = Approvals::new(Arc::new(Database::new(folder.path().join("state.db"))));
        assert_eq!(approvals.revoke_all().expect("failed to revoke"), 0);
        assert!(!folder.path().join("state.db").exists());
        let add = |name: &str| {
            approvals.add(&command(&[name], "/", "local")).expect("failed to add");
            approvals.list().expect("failed to read").last().expect("an approval").id
        };
        let (first, second) = (add("a"), add("b"));
        let revoke = |id| approvals.revoke(id).expect("failed to revoke");
        assert!(revoke(second) && !revoke(second) && !approvals.contains(&command(&["b"], "/", "local")));
        assert!(add("b") > second);
        assert_eq!(approvals.list().expect("failed to read")[0].id, first);
        assert_eq!(approvals.revoke_all().expect("failed to revoke"), 2);
        assert_eq!(approvals.list().expect("failed to read"), []);
    }

    #[test]
    fn rules_about_calls_are_in_the_same_list_and_approve_no_command() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let approvals = Approvals::new(Arc::new(Database::new(folder.path().join("state.db"))));
        assert_eq!(approvals.rules_about("write_file"), []);
        approvals.add(&command(&["a"], "/", "local")).expect("failed to add");
        for _ in 0..2 {
            approvals.add_rule("write_file", "local", "calls in /w", "the rule").expect("failed to add");
        }
        let all = approvals.list().expect("failed to read");
        let shown: Vec<_> = all.iter().map(|approval| (approval.line.as_str(), approval.rule.as_deref())).collect();
        assert_eq!(shown, [("a", None), ("calls in /w", Some("the rule"))]);
        assert_eq!(approvals.rules_about("write_file"), [(all[1].id, "the rule".to_owned())]);
        assert_eq!(approvals.rules_about("terminal"), []);
        assert!(approvals.revoke(all[1].id).expect("failed to revoke"));
        assert_eq!(approvals.rules_about("write_file"), []);
    }

    #[test]
    fn a_command_counts_as_not_approved_if_the_store_cannot_be_read() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let path = folder.path().join("state.db");
        std::fs::write(&path, "x".repeat(4096)).expect("failed to write");
        thread_local!(static ERRORS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) });
        let approvals = Approvals::new(Arc::new(Database::new(path))).on_error(|_| ERRORS.set(ERRORS.get() + 1));
        let asked = command(&["ls"], "/", "local");
        assert!(!approvals.contains(&asked) && approvals.add(&asked).is_err());
        assert_eq!(ERRORS.get(), 1);
    }
}
