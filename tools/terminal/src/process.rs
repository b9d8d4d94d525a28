//! The tool `process`: lists, reads, writes to, waits for and ends the background processes of a task.

use std::io;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use toolc::text::beginning;
use toolc::{Call, ErrorKind, ToolError};
use toolc_catalog::terminal::process::{Action, Args, Process, ProcessStatus, Returns};
use toolc_environment::EndReason;

use crate::TerminalHandlers;
use crate::background::processes::TaskProcesses;
use crate::background::{Background, Snapshot};
use crate::signals::signal_of;
use crate::transcript::Transcript;

/// The maximum time to wait in one call, in seconds.
const MAX_WAIT: u64 = 600;
/// The maximum number of characters of a command line in a list.
const MAX_COMMAND: usize = 200;

const EMPTY: Returns = Returns {
    processes: None,
    process: None,
    output: None,
    screen: None,
    first_line: None,
    total_lines: None,
    dropped_chars: None,
    matches: None,
    timed_out: None,
    note: None,
};

impl TerminalHandlers {
    #[expect(clippy::unused_self, reason = "it belongs to the handlers")]
    pub(crate) fn run_process_action(&self, args: &Args, call: &Call<'_>) -> Result<Returns, ToolError> {
        let processes = call.state::<TaskProcesses>();
        if args.action == Action::List {
            let all = processes.all().iter().map(|process| describe(process)).collect();
            return Ok(Returns { processes: Some(all), ..EMPTY });
        }
        let Some(id) = &args.session_id else {
            let text = format!("`session_id` is required for `{}`", args.action.as_str());
            return Err(ToolError::with_kind(ErrorKind::InvalidArguments, text));
        };
        let Some(process) = processes.find(id) else { return Err(unknown_process(id, &processes)) };
        match args.action {
            Action::List | Action::Poll => Ok(poll(&process)),
            Action::Log => log(&process, args),
            Action::Wait => wait(&process, args, call),
            Action::Kill => {
                process.end().map_err(|error| ToolError::new(format!("failed to end the process: {error}")))?;
                Ok(poll(&process))
            }
            Action::Write => write(&process, args, "", call),
            // On a terminal, the key Enter sends a carriage return.
            Action::Submit => write(&process, args, process.line_end(), call),
            Action::Close => close(&process, call),
        }
    }
}

fn unknown_process(id: &str, processes: &TaskProcesses) -> ToolError {
    let known: Vec<String> = processes.all().iter().map(|process| process.id.clone()).collect();
    let text = if known.is_empty() {
        format!("unknown process `{id}`: no process was started in the background of this task")
    } else {
        format!("unknown process `{id}`; the processes of this task are {}", known.join(", "))
    };
    ToolError::with_kind(ErrorKind::NotFound, text)
}

fn describe(process: &Background) -> Process {
    let outcome = process.outcome();
    Process {
        session_id: process.id.clone(),
        command: beginning(&process.command, MAX_COMMAND).into_owned(),
        pid: process.pid().map(i64::from),
        status: match outcome {
            None => ProcessStatus::Running,
            Some(_) if process.has_timed_out() => ProcessStatus::TimedOut,
            Some(outcome) if outcome.reason == EndReason::Exited => ProcessStatus::Exited,
            Some(_) => ProcessStatus::Killed,
        },
        exit_code: outcome.and_then(|outcome| outcome.exit.code()).map(i64::from),
        signal: outcome.and_then(|outcome| signal_of(outcome.exit)),
        seconds: i64::try_from(process.age().as_secs()).unwrap_or(i64::MAX),
    }
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn poll(process: &Background) -> Returns {
    // The status is read first: if the process has ended, the output is complete.
    let described = describe(process);
    let Snapshot { new, screen, is_drawn, matches, is_muted } = process.snapshot();
    let note = "there were too many matching lines in a short time: they are no longer reported";
    Returns {
        process: Some(described),
        output: (!is_drawn).then(|| Transcript::shorten(&new.text)),
        screen,
        dropped_chars: (new.dropped_chars > 0).then(|| count(new.dropped_chars)),
        matches: (!matches.is_empty()).then_some(matches),
        note: is_muted.then(|| note.to_owned()),
        ..EMPTY
    }
}

fn log(process: &Background, args: &Args) -> Result<Returns, ToolError> {
    let number = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
    let page = process.page(args.offset.map(number), number(args.limit).max(1));
    let is_after_end = args.offset.is_some_and(|offset| number(offset) >= page.total_lines) && page.total_lines > 0;
    if is_after_end {
        let noun = if page.total_lines == 1 { "line" } else { "lines" };
        let text = format!("`offset` is after the end: the output has {} {noun}", page.total_lines);
        return Err(ToolError::with_kind(ErrorKind::InvalidArguments, text));
    }
    Ok(Returns {
        process: Some(describe(process)),
        output: Some(Transcript::shorten(&page.text)),
        first_line: Some(count(page.first_line)),
        total_lines: Some(count(page.total_lines)),
        dropped_chars: (page.dropped_chars > 0).then(|| count(page.dropped_chars)),
        ..EMPTY
    })
}

fn wait(process: &Background, args: &Args, call: &Call<'_>) -> Result<Returns, ToolError> {
    let seconds = u64::try_from(args.timeout).unwrap_or(1).min(MAX_WAIT);
    let deadline = Instant::now() + Duration::from_secs(seconds);
    process.wait(&|| Instant::now() >= deadline || call.is_cancelled());
    if process.outcome().is_none() && call.is_cancelled() {
        let text = "the call was cancelled: the process still runs";
        return Err(ToolError::with_kind(ErrorKind::Cancelled, text));
    }
    let mut returns = poll(process);
    let still_runs = process.outcome().is_none();
    returns.timed_out = Some(still_runs);
    if still_runs {
        let note = format!("the process still runs after {seconds} s");
        returns.note = crate::join_notes([Some(note), returns.note]);
    }
    Ok(returns)
}

fn write(process: &Background, args: &Args, end: &str, call: &Call<'_>) -> Result<Returns, ToolError> {
    let Some(data) = &args.data else {
        let text = format!("`data` is required for `{}`", args.action.as_str());
        return Err(ToolError::with_kind(ErrorKind::InvalidArguments, text));
    };
    check_running(process)?;
    let data = format!("{data}{end}");
    let mut typed = process.typed.lock().unwrap_or_else(PoisonError::into_inner);
    let mut next = typed.clone();
    next.add(&data, call)?;
    process.write(data.as_bytes()).map_err(|error| write_error(&error))?;
    *typed = next;
    drop(typed);
    Ok(Returns { process: Some(describe(process)), ..EMPTY })
}

fn close(process: &Background, call: &Call<'_>) -> Result<Returns, ToolError> {
    check_running(process)?;
    let mut typed = process.typed.lock().unwrap_or_else(PoisonError::into_inner);
    typed.end(call)?;
    process.close_input().map_err(|error| write_error(&error))?;
    drop(typed);
    Ok(Returns { process: Some(describe(process)), ..EMPTY })
}

fn check_running(process: &Background) -> Result<(), ToolError> {
    if process.outcome().is_none() {
        return Ok(());
    }
    Err(ToolError::new(format!("the process `{}` has ended: nothing was written", process.id)))
}

fn write_error(error: &io::Error) -> ToolError {
    let advice = match error.kind() {
        io::ErrorKind::WouldBlock => ". Nothing was written: wait until the process reads its input",
        _ => "",
    };
    ToolError::new(format!("failed to write: {error}{advice}"))
}
