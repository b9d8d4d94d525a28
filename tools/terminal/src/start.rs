//! Starts commands in the background.

use std::sync::Arc;
use std::time::{Duration, Instant};

use toolc::{Call, ErrorKind, ToolError};
use toolc_catalog::terminal::terminal::{Args, Returns};
use toolc_environment::{Input, Launch, Output, Program};

use crate::background::processes::{MAX_RUNNING, TaskProcesses};
use crate::background::{Background, Start};
use crate::place;
use crate::sight::Sight;
use crate::signals::signal_of;
use crate::typed::{Languages, SystemPrograms, TypedInput};
use crate::{TerminalHandlers, failed_start, join_notes, other_shell};

/// How long a call waits for a command that may end immediately.
const FIRST_WAIT: Duration = Duration::from_millis(200);

impl TerminalHandlers {
    /// Starts a command in the background.
    pub(crate) fn start(&self, args: Args, call: &Call<'_>) -> Result<Returns, ToolError> {
        let environment = self.environments.for_call(call)?;
        let place = self.place(&*environment, args.workdir.as_deref(), call)?;
        let variables = environment.variables().map_err(|error| failed_start(&error))?;
        let processes = call.state::<TaskProcesses>();
        let Some(slot) = self.processes.slot() else { return Err(too_many(&processes)) };
        let directory = place.directory.to_str().map(str::to_owned);
        let mut launch = Launch::new(Program::Shell(args.command.clone()), Output::None);
        place.set_directory_of(&mut launch);
        launch.variables = place::command_variables(&self.inherited(call), &variables, &place.state, args.pty);
        launch.input = Input::Open;
        let sight = Sight::of_command(&args.command, &place, &*environment, &variables, call)?;
        launch.sees = sight.sees;
        // Determined before the command starts, because the command can change where programs are found.
        let system_programs = SystemPrograms::new(&*environment, &variables);
        let languages = Languages::from_line(&args.command, &|word| system_programs.contains(word));
        drop(system_programs);
        let typed = TypedInput::new(languages, args.pty, directory, &args.command);
        let wants_events = args.notify_on_complete || args.watch_patterns.is_some();
        let start = Start {
            id: processes.next_id(),
            task: call.task().to_owned(),
            command: args.command,
            launch,
            has_terminal: args.pty,
            timeout: args.timeout.map(|seconds| Duration::from_secs(u64::try_from(seconds).unwrap_or(1))),
            notify: args.notify_on_complete,
            patterns: args.watch_patterns.unwrap_or_default(),
            typed,
        };
        let shell = other_shell(&*environment);
        let process = Background::start(start, environment, slot, self.on_event.clone());
        let process = process.map_err(|error| failed_start(&error))?;
        processes.add(Arc::clone(&process), &self.processes);
        let deadline = Instant::now() + FIRST_WAIT;
        process.wait(&|| Instant::now() >= deadline || call.is_cancelled());
        let (outcome, output) = (process.outcome(), process.first_output());
        let failed = outcome.is_some_and(|outcome| outcome.exit.code() != Some(0));
        let not_notified = (wants_events && self.on_event.is_none()).then(|| {
            "this host does not deliver notifications: use the tool `process` to check on the process".to_owned()
        });
        Ok(Returns {
            output,
            stderr: None,
            exit_code: outcome.and_then(|outcome| outcome.exit.code()).map(i64::from),
            signal: outcome.and_then(|outcome| signal_of(outcome.exit)),
            timed_out: process.has_timed_out(),
            duration_ms: i64::try_from(process.age().as_millis()).unwrap_or(i64::MAX),
            shell,
            session_id: Some(process.id.clone()),
            pid: process.pid().map(i64::from),
            directory: None,
            note: join_notes([place.note, sight.note, sight.note_on_failure.filter(|_| failed), not_notified]),
        })
    }
}

/// Returns the error for too many processes. It lists the processes that the task can end.
fn too_many(processes: &TaskProcesses) -> ToolError {
    let mut text = format!("{MAX_RUNNING} processes already run in the background of this host: nothing was run");
    let running: Vec<String> = processes
        .all()
        .iter()
        .filter(|process| process.outcome().is_none())
        .map(|process| format!("{} (`{}`)", process.id, toolc::text::beginning(&process.command, 60)))
        .collect();
    if running.is_empty() {
        text.push_str(". Other tasks have started them: try again later");
    } else {
        text.push_str(". End one of these first: ");
        text.push_str(&running.join(", "));
    }
    ToolError::with_kind(ErrorKind::Failed, text)
}
