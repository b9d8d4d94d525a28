//! Commands that a person has approved for good.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{OptionalExtension as _, params};

use crate::database::Database;
use crate::error::StoreError;

/// The approved commands. Each approval is for the exact words, the working directory and the kind of environment.
#[derive(Debug, Clone)]
pub struct Approvals {
    database: Arc<Database>,
}

/// An approval, as a person sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// The id, which is never used for another one.
    pub id: i64,
    /// The commands, each with its words.
    pub commands: Vec<Vec<String>>,
    /// The working directory.
    pub directory: PathBuf,
    /// The kind of environment: `local`, `docker` ...
    pub environment: String,
    /// When it was added.
    pub added: SystemTime,
}

impl Approvals {
    /// Returns the approvals in a database.
    pub fn new(database: Arc<Database>) -> Self {
        Self { database }
    }

    /// Returns whether these commands are approved.
    pub fn contains(&self, commands: &[Vec<String>], directory: &Path, environment: &str) -> Result<bool, StoreError> {
        let key = params![text(commands), bytes(directory), environment];
        let found = self.database.read(|connection| {
            let sql = "SELECT 1 FROM approvals WHERE commands = ?1 AND directory = ?2 AND environment = ?3";
            connection.query_row(sql, key, |_| Ok(())).optional()
        })?;
        Ok(found.flatten().is_some())
    }

    /// Adds an approval, unless it exists.
    pub fn add(&self, commands: &[Vec<String>], directory: &Path, environment: &str) -> Result<(), StoreError> {
        let added = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs().cast_signed();
        let row = params![text(commands), bytes(directory), environment, added];
        self.database.write(|connection| {
            let sql = "INSERT INTO approvals (commands, directory, environment, added) VALUES (?1, ?2, ?3, ?4) \
                       ON CONFLICT DO NOTHING";
            connection.execute(sql, row).map(drop)
        })
    }

    /// Returns all approvals, the oldest first.
    pub fn list(&self) -> Result<Vec<Approval>, StoreError> {
        let found = self.database.read(|connection| {
            let mut statement =
                connection.prepare("SELECT id, commands, directory, environment, added FROM approvals ORDER BY id")?;
            let rows = statement.query_map([], |row| {
                let commands: String = row.get(1)?;
                let commands = serde_json::from_str(&commands).map_err(|error| {
                    rusqlite::Error::FromSqlConversionFailure(1, rusqlite::types::Type::Text, Box::new(error))
                })?;
                let added = std::time::Duration::from_secs(row.get::<_, i64>(4)?.try_into().unwrap_or_default());
                Ok(Approval {
                    id: row.get(0)?,
                    commands,
                    directory: path(row.get(2)?),
                    environment: row.get(3)?,
                    added: UNIX_EPOCH.checked_add(added).unwrap_or(UNIX_EPOCH),
                })
            })?;
            rows.collect()
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Removes the approval with this id. Returns whether it existed.
    pub fn revoke(&self, id: i64) -> Result<bool, StoreError> {
        self.remove("DELETE FROM approvals WHERE id = ?1", params![id]).map(|removed| removed > 0)
    }

    /// Removes all approvals. Returns their number.
    pub fn revoke_all(&self) -> Result<usize, StoreError> {
        self.remove("DELETE FROM approvals", params![])
    }

    fn remove(&self, sql: &str, values: impl rusqlite::Params) -> Result<usize, StoreError> {
        // Nothing is created to remove something from it.
        if self.database.read(|_| Ok(()))?.is_none() {
            return Ok(0);
        }
        self.database.write(|connection| connection.execute(sql, values))
    }
}

fn text(commands: &[Vec<String>]) -> String {
    commands.iter().map(Vec::as_slice).collect::<serde_json::Value>().to_string()
}

/// Returns the bytes of a path, which need not be text.
fn bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_encoded_bytes().to_vec()
}

#[cfg(unix)]
fn path(bytes: Vec<u8>) -> PathBuf {
    let path: std::ffi::OsString = std::os::unix::ffi::OsStringExt::from_vec(bytes);
    path.into()
}

#[cfg(not(unix))]
fn path(bytes: Vec<u8>) -> PathBuf {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(lines: &[&[&str]]) -> Vec<Vec<String>> {
        lines.iter().map(|words| words.iter().map(|word| (*word).to_owned()).collect()).collect()
    }

    #[test]
    fn an_approval_is_for_exact_words_directory_and_environment() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let approvals = Approvals::new(Arc::new(Database::new(folder.path().join("state.db"))));
        let approved = commands(&[&["rm", "-rf", "a b"], &["ls"]]);
        let has = |approvals: &Approvals, commands: &[Vec<String>], directory: &str, environment: &str| {
            approvals.contains(commands, Path::new(directory), environment).expect("failed to read")
        };
        assert!(!has(&approvals, &approved, "/x", "local"));
        approvals.add(&approved, Path::new("/x"), "local").expect("failed to add");
        approvals.add(&approved, Path::new("/x"), "local").expect("failed to add again");
        // Another connection, as of another process.
        let other = Approvals::new(Arc::new(Database::new(folder.path().join("state.db"))));
        assert!(has(&other, &approved, "/x", "local"));
        for (commands, directory, environment) in [
            (commands(&[&["rm", "-rf", "a", "b"], &["ls"]]), "/x", "local"),
            (commands(&[&["rm", "-rf", "a b", "ls"]]), "/x", "local"),
            (commands(&[&["ls"], &["rm", "-rf", "a b"]]), "/x", "local"),
            (commands(&[&["rm", "-rf", "a b"]]), "/x", "local"),
            (approved.clone(), "/x/y", "local"),
            (approved.clone(), "/x", "docker"),
        ] {
            assert!(!has(&other, &commands, directory, environment), "{commands:?} {directory} {environment}");
        }
        let [approval] = &other.list().expect("failed to read")[..] else { panic!("one approval") };
        assert_eq!(
            (&approval.commands, &*approval.directory, &*approval.environment),
            (&approved, Path::new("/x"), "local")
        );
        assert!(approval.added.elapsed().is_ok_and(|age| age.as_secs() < 600));
    }

    #[test]
    fn revoked_approvals_are_gone_and_their_ids_are_not_used_again() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let approvals = Approvals::new(Arc::new(Database::new(folder.path().join("state.db"))));
        assert_eq!(approvals.revoke_all().expect("failed to revoke"), 0);
        assert!(!folder.path().join("state.db").exists());
        let add = |name: &str| {
            approvals.add(&commands(&[&[name]]), Path::new("/"), "local").expect("failed to add");
            approvals.list().expect("failed to read").last().expect("an approval").id
        };
        let (first, second) = (add("a"), add("b"));
        assert!(
            approvals.revoke(second).expect("failed to revoke") && !approvals.revoke(second).expect("failed to revoke")
        );
        assert!(add("b") > second);
        assert_eq!(approvals.list().expect("failed to read")[0].id, first);
        assert_eq!(approvals.revoke_all().expect("failed to revoke"), 2);
        assert_eq!(approvals.list().expect("failed to read"), []);
    }

    #[test]
    #[cfg(unix)]
    fn a_directory_that_is_not_text_is_kept() {
        use std::os::unix::ffi::OsStrExt as _;
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let approvals = Approvals::new(Arc::new(Database::new(folder.path().join("state.db"))));
        let directory = Path::new(std::ffi::OsStr::from_bytes(b"/\xff"));
        approvals.add(&commands(&[&["ls"]]), directory, "local").expect("failed to add");
        assert_eq!(approvals.list().expect("failed to read")[0].directory, directory);
    }
}
