//! Sends a request to the program of a plugin.

use toolc::{Env, ErrorKind, ToolError};
use toolc_program::parts::{Answer, Programs, Request};

use crate::plugin::Plugin;
use crate::trust::check_executable;

/// Sends a request to the program of `plugin`, and waits for its answer until `should_stop` returns true.
pub(crate) fn ask(
    programs: &Programs,
    plugin: &Plugin,
    request: &Request<'_>,
    env: &Env,
    should_stop: &dyn Fn() -> bool,
) -> Result<Answer, ToolError> {
    let program = &plugin.program;
    // The permissions may have changed since the plugin was loaded.
    check_executable(&program.root, &program.executable).map_err(|problem| {
        let message = format!("{} is not run: {}", program.title, problem.message);
        ToolError::with_kind(ErrorKind::Refused, message)
    })?;
    programs.ask(program, request, env, should_stop)
}
