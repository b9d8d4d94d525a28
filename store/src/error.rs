//! The error of stores.

use std::fmt;
use std::path::{Path, PathBuf};

/// The error of a store, with the path of the file.
#[derive(Debug)]
pub struct StoreError {
    path: PathBuf,
    cause: Cause,
}

#[derive(Debug)]
pub(crate) enum Cause {
    /// The file cannot be created, or its permissions cannot be set.
    File(std::io::Error),
    /// SQLite failed.
    Sqlite(rusqlite::Error),
    /// A later version of this program has written the file.
    Newer { found: isize, known: isize },
    /// Another writer has added a message to a conversation.
    OtherWriter { session: String },
}

impl StoreError {
    pub(crate) fn new(path: &Path, cause: impl Into<Cause>) -> Self {
        Self { path: path.to_owned(), cause: cause.into() }
    }
}

impl From<std::io::Error> for Cause {
    fn from(error: std::io::Error) -> Self {
        Self::File(error)
    }
}

impl From<rusqlite::Error> for Cause {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.cause {
            Cause::File(error) => write!(f, "failed to open {path}: {error}"),
            // Omit the SQL statement, which does not help a user.
            Cause::Sqlite(rusqlite::Error::SqlInputError { msg, .. }) => write!(f, "failed to use {path}: {msg}"),
            Cause::Sqlite(error) => write!(f, "failed to use {path}: {error}"),
            Cause::Newer { found, known } => write!(
                f,
                "{path} was written by a later version of this program: it has format {found}, and this version supports formats up to {known}"
            ),
            Cause::OtherWriter { session } => {
                write!(f, "another program has added messages to the conversation {session} in {path}")
            }
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.cause {
            Cause::File(error) => Some(error),
            Cause::Sqlite(error) => Some(error),
            Cause::Newer { .. } | Cause::OtherWriter { .. } => None,
        }
    }
}
