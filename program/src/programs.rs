//! Sends a request to a program, which runs for this request only, or stays running.

use std::sync::Arc;

use toolc::{Env, ToolError};

use crate::once;
use crate::place::Place;
use crate::program::Program;
use crate::protocol::{Answer, Request};
use crate::resident::Residents;
use crate::running_calls::RunningCalls;

/// Where programs run, and those that are running.
#[derive(Debug, Clone, Default)]
pub struct Programs {
    /// Where they run.
    pub place: Place,
    /// Counts the running calls.
    pub calls: Arc<RunningCalls>,
    /// Those that stay running.
    pub residents: Arc<Residents>,
}

impl Programs {
    /// Sends a request to `program`, and waits for its answer until `should_stop` returns true.
    pub fn ask(
        &self,
        program: &Program,
        request: &Request<'_>,
        env: &Env,
        should_stop: &dyn Fn() -> bool,
    ) -> Result<Answer, ToolError> {
        match program.resident {
            None => once::ask(program, request, env, &self.place, should_stop),
            Some(idle) => self.residents.ask(program, idle, request, env, &self.place, should_stop),
        }
    }
}
