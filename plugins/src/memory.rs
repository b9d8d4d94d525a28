//! Notes that the program of a plugin keeps, for the tool `memory` of a host.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::json;
use toolc::{Env, ErrorKind, ToolError, Value};

use crate::plugin::Plugin;
use crate::program;
use toolc_program::parts::Programs;
use toolc_program::parts::Request;

/// The time limit of a request.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// The notes that the program of a plugin keeps: see [`Plugins::memory`](crate::Plugins::memory).
pub struct PluginMemory {
    plugin: Arc<Plugin>,
    programs: Programs,
    env: Env,
    home: Option<String>,
}

/// Why [`Plugins::memory`](crate::Plugins::memory) returns no notes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoMemory {
    /// No plugin of this name is loaded.
    NotLoaded {
        /// The name.
        plugin: String,
    },
    /// The plugin does not declare that it keeps notes.
    NotDeclared {
        /// The name of the plugin.
        plugin: String,
    },
}

impl fmt::Display for NoMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLoaded { plugin } => write!(f, "no plugin `{plugin}` is loaded"),
            Self::NotDeclared { plugin } => {
                write!(f, "the plugin `{plugin}` keeps no notes: its `plugin.toml` has no `memory = true`")
            }
        }
    }
}

impl std::error::Error for NoMemory {}

/// The notes of a target.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Notes {
    /// The entries, in order.
    pub entries: Vec<String>,
    /// A text that is another one after each change of the entries.
    pub revision: String,
}

/// The answer to a request to write.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    saved: bool,
}

impl PluginMemory {
    pub(crate) fn new(plugin: Arc<Plugin>, programs: Programs, env: Env, home: Option<&Path>) -> Self {
        let home = home.and_then(Path::to_str).map(str::to_owned);
        Self { plugin, programs, env, home }
    }

    /// Returns the notes of a target.
    ///
    /// # Errors
    /// Returns an error for the model and the user if the program fails, or takes longer than ten seconds.
    pub fn read(&self, target: &str) -> Result<Notes, ToolError> {
        self.ask("read", &json!({ "target": target }), "{\"entries\": [\"...\"], \"revision\": \"...\"}")
    }

    /// Replaces the entries of a target, if they still have this revision. Returns false if they were changed meanwhile.
    ///
    /// # Errors
    /// Returns an error for the model and the user if the program fails, or takes longer than ten seconds.
    pub fn write(&self, target: &str, entries: &[String], revision: &str) -> Result<bool, ToolError> {
        let arguments = json!({ "target": target, "entries": entries, "revision": revision });
        self.ask("write", &arguments, "{\"saved\": true} or {\"saved\": false}").map(|Written { saved }| saved)
    }

    fn ask<T: for<'d> Deserialize<'d>>(
        &self,
        operation: &'static str,
        arguments: &Value,
        expected: &str,
    ) -> Result<T, ToolError> {
        let request = Request {
            id: None,
            hook: None,
            memory: Some(operation),
            tool: "memory",
            arguments,
            call_id: "",
            task: "",
            home: self.home.as_deref(),
            outcome: None,
        };
        let _guard = self.programs.calls.start();
        let began = Instant::now();
        let is_late = || began.elapsed() >= TIME_LIMIT;
        let title = self.plugin.title();
        let answer = program::ask(&self.programs, &self.plugin, &request, &self.env, &is_late).map_err(|error| {
            if error.kind() == ErrorKind::Cancelled && is_late() {
                return ToolError::new(format!("{title}, which keeps the notes, took longer than {TIME_LIMIT:?}"));
            }
            error
        })?;
        serde_json::from_value(answer.value).map_err(|error| {
            ToolError::new(format!("{title}, which keeps the notes, gave a wrong answer: expected {expected}: {error}"))
        })
    }
}

impl fmt::Debug for PluginMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PluginMemory").field("plugin", &self.plugin.name).finish_non_exhaustive()
    }
}
