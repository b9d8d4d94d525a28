//! The lock file of a server: what was accepted of it, whole.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

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
}

impl Lock {
    /// Returns a lock without tools.
    pub(super) fn new(server: &Server, instructions: Option<String>) -> Self {
        Self { version: VERSION, server: identity(server), instructions, tools: BTreeMap::new() }
    }

    /// Reads a file. Returns `None` if it does not exist.
    ///
    /// # Errors
    /// Returns a message if the file cannot be read, or is not valid.
    pub(super) fn read(path: &Path) -> Result<Option<Self>, String> {
        let failed = |error: &dyn std::fmt::Display| {
            format!(
                "the lock file {} cannot be read: {error}; if you remove it, the server counts as new",
                path.display()
            )
        };
        let Some(bytes) = file::read(path, MAX_BYTES).map_err(|error| failed(&error))? else { return Ok(None) };
        let lock: Self = serde_json::from_slice(&bytes).map_err(|error| failed(&error))?;
        if lock.version != VERSION {
            return Err(failed(&format!("its version is {}, and this program knows {VERSION}", lock.version)));
        }
        Ok(Some(lock))
    }

    /// Replaces the file, which only this user can read.
    ///
    /// # Errors
    /// Returns a message if it cannot be written. The file before stays.
    pub(super) fn write(&self, path: &Path) -> Result<(), String> {
        file::write(path, self).map_err(|error| format!("failed to write the lock file {}: {error}", path.display()))
    }
}

/// Returns what a server is started with, without values of variables.
pub(super) fn identity(server: &Server) -> Value {
    match &server.transport {
        Transport::Stdio { command, args, env, directory } => {
            let passed = |PassedVariable { name, source }: &PassedVariable| {
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
