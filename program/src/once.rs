//! Runs a program for one request: it reads the request from stdin, and prints the reply to stdout.

use std::io;

use toolc::{Env, ErrorKind, ToolError};
use toolc_process::{EndReason, Process};

use crate::environment::PassedVariables;
use crate::output::{LimitedOutput, advice, status_text, stderr_excerpt, with_excerpt};
use crate::place::Place;
use crate::program::Program;
use crate::protocol::{Answer, ProgramReply, Request, line, parse};

/// Runs the program until it ends or `should_stop` returns true.
pub(crate) fn ask(
    program: &Program,
    request: &Request<'_>,
    env: &Env,
    place: &Place,
    should_stop: &dyn Fn() -> bool,
) -> Result<Answer, ToolError> {
    let failed = |message: String| ToolError::new(program.passed.redact(message, env));
    let name = &program.title;
    let input = line(request)?;
    let mut command = place.command(program);
    program.passed.apply(&mut command, env);
    let explain =
        |error: io::Error| failed(format!("failed to start {name}: {error}{}", advice(&error, &program.executable)));
    let mut process = Process::new(command);
    place.limit(&mut process, &program.root).map_err(explain)?;
    let out = process.stdout(LimitedOutput::all(program.max_output)).map_err(explain)?;
    let err = process.stderr(LimitedOutput::tail(program.max_output)).map_err(explain)?;
    let ended = process.run(Some(input), should_stop).map_err(explain)?;

    let redact = match ended.reason {
        EndReason::Exited => PassedVariables::redact,
        EndReason::Stopped | EndReason::OutputLimit => PassedVariables::redact_cut,
    };
    let excerpt = stderr_excerpt(err.take().bytes, &|text| redact(&program.passed, text, env));
    match ended.reason {
        EndReason::Stopped => {
            return Err(ToolError::with_kind(ErrorKind::Cancelled, format!("{name} was stopped{excerpt}")));
        }
        EndReason::OutputLimit => {
            let max = program.max_output;
            return Err(failed(format!(
                "{name} printed more than {max} bytes and was stopped: ask for a smaller result{excerpt}"
            )));
        }
        EndReason::Exited => {}
    }
    match (parse(out.take().bytes.make_contiguous()), ended.status.success()) {
        (Ok(ProgramReply::Error(error)), _) => {
            Err(with_excerpt(error.into_tool_error(&|text| program.passed.redact(text, env)), &excerpt))
        }
        (_, false) => Err(failed(format!("{name} failed: {}{excerpt}", status_text(ended.status)))),
        (Err(problem), true) => Err(failed(format!("{name} gave no valid reply: {problem}{excerpt}"))),
        (Ok(ProgramReply::Result(value)), true) => Ok(Answer { value, excerpt }),
    }
}
