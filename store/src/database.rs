//! The file, its format, and the migrations between formats.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use crate::error::{Cause, StoreError};

/// The migrations from an empty file to the current format. A released migration never changes. The format of a file is the number
/// of its migrations, stored as `user_version`.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/1-approvals.sql"),
    include_str!("migrations/2-sessions.sql"),
    include_str!("migrations/3-task-state.sql"),
    include_str!("migrations/4-boards.sql"),
    include_str!("migrations/5-jobs.sql"),
    include_str!("migrations/6-job-zones.sql"),
    include_str!("migrations/7-message-apis.sql"),
    include_str!("migrations/8-calls.sql"),
    include_str!("migrations/9-approval-rules.sql"),
    include_str!("migrations/10-spending.sql"),
    include_str!("migrations/11-card-skills.sql"),
];

/// The current format. SQLite stores it as a signed number.
const FORMAT: isize = MIGRATIONS.len().cast_signed();

/// The time to wait while another process writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(20);

/// The time between two attempts of what SQLite does not wait for.
const RETRY_INTERVAL: Duration = Duration::from_millis(5);

/// The file that contains the stores. It is opened when it is first needed, and created when something is first written.
#[derive(Debug)]
pub struct Database {
    path: PathBuf,
    connection: Mutex<Option<Connection>>,
}

impl Database {
    /// Returns the database in a file, without opening it.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), connection: Mutex::new(None) }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Calls `read` with the connection. Returns `None` if the file does not exist.
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        let mut connection = self.lock();
        // The open connection may be to a file that was removed.
        match fs::exists(&self.path) {
            Ok(true) => {}
            Ok(false) => {
                *connection = None;
                return Ok(None);
            }
            Err(error) => return Err(self.error(error)),
        }
        read(self.open(&mut connection)?).map(Some).map_err(|error| self.error(error))
    }

    /// Calls `write` in a transaction.
    pub(crate) fn write<T>(&self, write: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let mut connection = self.lock();
        if !fs::exists(&self.path).map_err(|error| self.error(error))? {
            *connection = None;
        }
        in_transaction(self.open(&mut connection)?, write).map_err(|error| self.error(error))
    }

    /// Calls `write` in a transaction, and returns when the change is on the disk, so that it would survive a loss of power.
    pub(crate) fn write_durably<T>(
        &self,
        write: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut connection = self.lock();
        if !fs::exists(&self.path).map_err(|error| self.error(error))? {
            *connection = None;
        }
        let connection = self.open(&mut connection)?;
        let set = |connection: &Connection, mode| connection.pragma_update(None, "synchronous", mode);
        set(connection, "FULL").map_err(|error| self.error(error))?;
        let result = in_transaction(connection, write);
        set(connection, "NORMAL").map_err(|error| self.error(error))?;
        result.map_err(|error| self.error(error))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Connection>> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn error(&self, cause: impl Into<Cause>) -> StoreError {
        StoreError::new(&self.path, cause)
    }

    fn open<'c>(&self, connection: &'c mut Option<Connection>) -> Result<&'c mut Connection, StoreError> {
        let opened = match connection.take() {
            Some(open) => open,
            None => open(&self.path).map_err(|cause| self.error(cause))?,
        };
        Ok(connection.insert(opened))
    }
}

/// Opens the file, and migrates it to the current format.
fn open(path: &Path) -> Result<Connection, Cause> {
    make_private(path)?;
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    write_ahead(&connection)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // The schema of a file that another program has prepared must not run functions.
    connection.pragma_update(None, "trusted_schema", false)?;
    let format =
        |connection: &Connection| connection.pragma_query_value(None, "user_version", |row| row.get::<_, isize>(0));
    if format(&connection)? < FORMAT {
        in_transaction(&mut connection, |connection| {
            // Another process may have migrated the file in the meantime.
            let current = format(connection)?;
            for migration in MIGRATIONS.iter().skip(current.cast_unsigned()) {
                connection.execute_batch(migration)?;
            }
            connection.pragma_update(None, "user_version", current.max(FORMAT))
        })?;
    }
    match format(&connection)? {
        found if found > FORMAT => Err(Cause::Newer { found, known: FORMAT }),
        _ => Ok(connection),
    }
}

/// Lets readers read while one process writes. SQLite fails at once if another process changes the same new file to a write-ahead log,
/// whatever the connection's timeout is.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let start = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && start.elapsed() < BUSY_TIMEOUT =>
            {
                thread::sleep(RETRY_INTERVAL);
            }
            result => return result,
        }
    }
}

fn in_transaction<T>(
    connection: &mut Connection,
    change: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let result = change(&transaction)?;
    transaction.commit()?;
    Ok(result)
}

/// Creates the file and its folder if they do not exist, for their owner only. SQLite gives its other files the same permissions.
fn make_private(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
    }
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
        if file.metadata()?.mode() & 0o077 != 0 {
            file.set_permissions(fs::Permissions::from_mode(0o600))?;
        }
    }
    drop(file);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn a_file_is_created_by_the_first_change_and_is_private() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let path = folder.path().join("state.db");
        let database = Database::new(&path);
        assert!(database.read(|_| Ok(())).expect("a missing file is not an error").is_none());
        assert!(!path.exists());
        database.write(|_| Ok(())).expect("failed to write");
        let format = database.read(|connection| connection.pragma_query_value(None, "user_version", |row| row.get(0)));
        assert_eq!(format.expect("failed to read"), Some(FORMAT));
        let journal = database.read(|connection| connection.pragma_query_value(None, "journal_mode", |row| row.get(0)));
        assert_eq!(journal.expect("failed to read"), Some("wal".to_owned()));
        #[cfg(unix)]
        for entry in fs::read_dir(folder.path()).expect("the folder exists") {
            use std::os::unix::fs::PermissionsExt as _;
            let entry = entry.expect("the folder can be read");
            let mode = entry.metadata().expect("the file exists").permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{entry:?}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_file_that_others_can_read_becomes_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let path = folder.path().join("state.db");
        fs::write(&path, "").expect("failed to write");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("failed to change");
        Database::new(&path).write(|_| Ok(())).expect("failed to write");
        assert_eq!(fs::metadata(&path).expect("the file exists").permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_file_of_a_later_version_is_refused_and_stays_as_it_is() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let path = folder.path().join("state.db");
        let later = Connection::open(&path).expect("failed to open");
        later.pragma_update(None, "user_version", 1000).expect("failed to change");
        drop(later);
        let error = Database::new(&path).write(|_| Ok(())).expect_err("the format is unknown");
        assert!(error.to_string().contains("was written by a later version"), "{error}");
        let format =
            Connection::open(&path).and_then(|file| file.pragma_query_value(None, "user_version", |row| row.get(0)));
        assert_eq!(format, Ok(1000));
    }

    #[test]
    fn a_file_that_is_not_a_database_is_an_error_with_its_path() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let path = folder.path().join("state.db");
        fs::write(&path, "not a database, but long enough to be read as one".repeat(100)).expect("failed to write");
        let error = Database::new(&path).read(|_| Ok(())).expect_err("the file is not a database");
        assert!(error.to_string().contains("state.db: file is not a database"), "{error}");
    }

    #[test]
    fn processes_that_open_a_new_file_at_once_agree() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        for round in 0..20 {
            let path = folder.path().join(format!("{round}.db"));
            let barrier = Barrier::new(8);
            thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        barrier.wait();
                        Database::new(&path).write(|_| Ok(())).expect("failed to write");
                    });
                }
            });
        }
    }
}
