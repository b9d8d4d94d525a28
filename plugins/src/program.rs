//! Sends a request to the program of a plugin, which runs for this request only, or stays running.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolc::{Env, ErrorKind, ToolError};

use crate::once;
use crate::plugin::Plugin;
use crate::protocol::{Answer, Request};
use crate::resident::Residents;
use crate::running_calls::RunningCalls;
use crate::trust::check_executable;

/// Where the programs of plugins run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Programs {
    /// The working directory, or `None` for that of the host.
    pub(crate) dir: Option<PathBuf>,
    pub(crate) calls: Arc<RunningCalls>,
    pub(crate) residents: Arc<Residents>,
}

impl Programs {
    /// Sends a request to the program of `plugin`, and waits for its answer until `should_stop` returns true.
    pub(crate) fn ask(
        &self,
        plugin: &Plugin,
        request: &Request<'_>,
        env: &Env,
        should_stop: &dyn Fn() -> bool,
    ) -> Result<Answer, ToolError> {
        // The permissions may have changed since the plugin was loaded.
        check_executable(&plugin.root, &plugin.executable).map_err(|problem| {
            let message = format!("{} is not run: {}", plugin.title(), problem.message);
            ToolError::with_kind(ErrorKind::Refused, message)
        })?;
        match plugin.resident {
            None => once::ask(plugin, request, env, self.dir(), should_stop),
            Some(idle) => self.residents.ask(plugin, idle, request, env, self.dir(), should_stop),
        }
    }

    fn dir(&self) -> Option<&Path> {
        self.dir.as_deref()
    }
}
