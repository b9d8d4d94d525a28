//! The error of this crate.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::Path;

/// Why the files of a profile cannot be used. The message names the file and says what to do.
#[derive(Debug)]
pub struct ConfigError {
    kind: ConfigErrorKind,
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// A kind of [`ConfigError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigErrorKind {
    /// A file or folder cannot be read or written.
    Io,
    /// The content of a file has mistakes, or is of a version that this program does not read.
    Mistakes,
    /// Other users can read or change a file with secrets, or change a folder.
    Exposed,
    /// A name or value that was given is not possible.
    InvalidInput,
    /// The profile or server that was named does not exist.
    NotFound,
    /// The name is in use already.
    AlreadyExists,
    /// Files have changed since they were read.
    Changed,
}

impl ConfigError {
    pub(crate) fn new(kind: ConfigErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// Returns the error about content that has a mistake.
    pub(crate) fn mistake(message: impl Into<String>) -> Self {
        Self::new(ConfigErrorKind::Mistakes, message)
    }

    /// Returns the error of an attempt, such as `failed to read`, that another error ended.
    pub(crate) fn caused(
        kind: ConfigErrorKind,
        attempt: &str,
        path: &Path,
        source: impl Error + Send + Sync + 'static,
    ) -> Self {
        let message = format!("{attempt} {}: {source}", path.display());
        Self { kind, message, source: Some(Box::new(source)) }
    }

    /// Returns the error of an attempt that the system ended.
    pub(crate) fn io(attempt: &str, path: &Path, source: impl Into<io::Error>) -> Self {
        Self::caused(ConfigErrorKind::Io, attempt, path, source.into())
    }

    /// Adds a source, which the message contains already.
    pub(crate) fn with_source(self, source: impl Error + Send + Sync + 'static) -> Self {
        Self { source: Some(Box::new(source)), ..self }
    }

    /// Puts a text before the message.
    pub(crate) fn within(self, context: &str) -> Self {
        Self { message: format!("{context}: {}", self.message), ..self }
    }

    /// Adds what to do.
    pub(crate) fn with_help(self, help: &str) -> Self {
        Self { message: format!("{}\n\n{help}", self.message.trim_end()), ..self }
    }

    /// Returns the kind of error.
    pub fn kind(&self) -> ConfigErrorKind {
        self.kind
    }
}

/// Errors are equal if they are of one kind and say the same.
impl PartialEq for ConfigError {
    fn eq(&self, other: &Self) -> bool {
        (self.kind, &self.message) == (other.kind, &other.message)
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for ConfigError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// Why programs cannot be started in a directory.
#[derive(Debug)]
#[non_exhaustive]
pub enum DirectoryError {
    /// It does not exist, or cannot be entered.
    Io(io::Error),
    /// The path leads to something other than a directory.
    NotADirectory,
}

impl fmt::Display for DirectoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => fmt::Display::fmt(error, f),
            Self::NotADirectory => f.write_str("it is not a directory"),
        }
    }
}

impl Error for DirectoryError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::NotADirectory => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ConfigFile, EnvFile, Home, Profile, enable_server};

    #[test]
    fn errors_have_a_kind_and_a_source() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home::at(folder.path());
        std::fs::create_dir(home.config()).expect("failed to make a folder");
        let error = ConfigFile::read(&home).expect_err("a folder is not a file");
        assert_eq!(error.kind(), ConfigErrorKind::Io);
        assert!(error.source().is_some_and(|source| error.to_string().contains(&source.to_string())), "{error}");
        std::fs::remove_dir(home.config()).expect("failed to remove");

        std::fs::write(home.config(), "versoin = 1\n").expect("failed to write");
        let error = ConfigFile::read(&home).expect_err("a key is misspelt");
        assert_eq!(error.kind(), ConfigErrorKind::Mistakes);
        assert!(error.source().is_some_and(<dyn Error>::is::<toolc_tables::diagnostic::InvalidFile>), "{error}");

        std::fs::write(home.config(), "version = 99\n").expect("failed to write");
        assert_eq!(ConfigFile::read(&home).expect_err("it is too new").kind(), ConfigErrorKind::Mistakes);
        std::fs::write(home.config(), "").expect("failed to write");
        assert_eq!(enable_server(&home, "x", true).expect_err("there is none").kind(), ConfigErrorKind::NotFound);
        assert_eq!(Profile::new("../x").expect_err("it is a path").kind(), ConfigErrorKind::InvalidInput);
        std::fs::create_dir(home.env()).expect("failed to make a folder");
        assert!(EnvFile::read(&home).is_err());
    }
}
