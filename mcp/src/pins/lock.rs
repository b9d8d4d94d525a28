//! The lock file of a server: everything that was accepted.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::{ErrorKind, McpError};
use crate::file;
use crate::settings::{PassedVariable, Server, Transport};

/// The version of the format.
const VERSION: u32 = 1;
/// The maximum number of bytes of a file: more than a list of tools can have.
const MAX_BYTES: u64 = 32 << 20;

/// What was accepted of a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lock {
    version: u32,
    /// The command line and the names of variables, or the address and the names of headers.
    pub(super) server: Value,
    /// The instructions of the server.
    pub(super) instructions: Option<String>,
    /// The definitions of its tools.
    pub(super) tools: BTreeMap<String, Value>,
    /// The entries of its skills, by address. `None` as long as it has listed none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) skills: Option<BTreeMap<String, Value>>,
}

impl Lock {
    /// Returns a lock without tools and skills.
    pub(super) fn new(server: &Server, instructions: Option<String>) -> Self {
        Self { version: VERSION, server: identity(server), instructions, tools: BTreeMap::new(), skills: None }
    }

    /// Returns the lock with these skills.
    pub(super) fn with_skills(self, skills: Option<BTreeMap<String, Value>>) -> Self {
        Self { skills, ..self }
    }

    /// Reads a file. Returns `None` if it does not exist.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or is not valid.
    pub(super) fn read(path: &Path) -> Result<Option<Self>, McpError> {
        let failed = |error: Box<dyn std::error::Error + Send + Sync>| {
            let path = path.display();
            let message =
                format!("the lock file {path} cannot be read: {error}; if you remove it, the server counts as new");
            McpError::new(ErrorKind::File, message).caused_by(error)
        };
        let Some(bytes) = file::read(path, MAX_BYTES).map_err(|error| failed(error.into()))? else { return Ok(None) };
        let lock: Self = serde_json::from_slice(&bytes).map_err(|error| failed(error.into()))?;
        if lock.version != VERSION {
            return Err(failed(format!("its version is {}, and this program knows {VERSION}", lock.version).into()));
        }
        Ok(Some(lock))
    }

    /// Replaces the file, which only this user can read.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written. In this case, the previous file is kept.
    pub(super) fn write(&self, path: &Path) -> Result<(), McpError> {
        file::write(path, self).map_err(|error| {
            let message = format!("failed to write the lock file {}: {error}", path.display());
            McpError::new(ErrorKind::File, message).caused_by(error)
        })
    }
}

/// Returns what a server is started with, without values of variables.
pub(crate) fn identity(server: &Server) -> Value {
    match &server.transport {
        Transport::Stdio { command, args, env, directory } => {
            let passed = |PassedVariable { name, source, .. }: &PassedVariable| {
                if name == source { name.clone() } else { format!("{name}={source}") }
            };
            let env: Vec<String> = env.iter().map(passed).collect();
            json!({ "command": command, "args": args, "env": env, "directory": directory })
        }
        Transport::Http { url, headers, bearer_variable, .. } => {
            let headers: BTreeMap<&String, &String> = headers.iter().map(|(name, variable)| (name, variable)).collect();
            json!({ "url": url, "headers": headers, "bearer_variable": bearer_variable })
        }
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[test]
    fn an_error_of_the_file_has_its_kind_its_cause_and_advice() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let path = folder.path().join("s.json");
        std::fs::write(&path, "{").expect("failed to write");
        let broken = Lock::read(&path).expect_err("it is not JSON");
        assert_eq!(broken.kind(), ErrorKind::File);
        let source = broken.source().expect("it has a cause");
        assert!(source.is::<serde_json::Error>(), "{source:?}");
        let text = broken.to_string();
        assert!(text.contains("s.json") && text.contains("if you remove it, the server counts as new"), "{text}");
        let lock = json!({ "version": 99, "server": {}, "instructions": null, "tools": {} });
        std::fs::write(&path, lock.to_string()).expect("failed to write");
        let newer = Lock::read(&path).expect_err("it is newer").to_string();
        assert!(newer.contains("its version is 99, and this program knows 1"), "{newer}");
    }
}
