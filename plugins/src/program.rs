//! Sends a request to the program of a plugin, which runs for this request only, or stays running.

use std::sync::Arc;

use toolc::{Env, ErrorKind, ToolError};

use crate::once;
use crate::place::Place;
use crate::plugin::Plugin;
use crate::protocol::{Answer, Request};
use crate::resident::Residents;
use crate::running_calls::RunningCalls;
use crate::trust::check_executable;

/// The programs of plugins.
#[derive(Debug, Clone, Default)]
pub(crate) struct Programs {
    pub(crate) place: Place,
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
            None => once::ask(plugin, request, env, &self.place, should_stop),
            Some(idle) => self.residents.ask(plugin, idle, request, env, &self.place, should_stop),
        }
    }
}
