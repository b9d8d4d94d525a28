//! Handlers of a toolset that a program runs.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use toolc::args::{FromSlot, Limits, SlotBuffer, read, validate};
use toolc::schema::Table;
use toolc::{Call, ToJson, ToolError, ToolOutput, ToolResult, Value};
use toolc_process::HiddenFolder;

use crate::environment::PassedVariables;
use crate::program::{IDLE_TIMEOUT, MAX_OUTPUT, Program};
use crate::programs::Programs;
use crate::protocol::{Answer, Request};

/// What the manifest of a toolset says about its program. Generated code has it as a constant.
#[derive(Debug, Clone, Copy)]
pub struct ToolsetProgram {
    /// The name of the toolset.
    pub toolset: &'static str,
    /// The program and its arguments. Words that begin with `./` are files of the project.
    pub command: &'static [&'static str],
    /// The environment variables that it gets, each with whether its value is a secret.
    pub env: &'static [(&'static str, bool)],
    /// The maximum length of a reply in bytes, or `None` for 4 MiB.
    pub max_output_bytes: Option<u32>,
    /// The time without calls after which it is ended, or `None` for five minutes.
    pub idle_timeout: Option<Duration>,
}

/// The name of the property in which [`ProgramHandlers::call_typed`] reads a result.
const RESULT: &str = "result";

/// Handlers of a toolset that a program in another language runs. The first call starts the program, and it stays running: until it has
/// had no call for its idle timeout, or until this value is dropped and all calls have ended. A call after the program has ended starts
/// it again.
#[derive(Debug)]
pub struct ProgramHandlers {
    program: Program,
    programs: Programs,
}

impl ProgramHandlers {
    /// Returns handlers whose program is in the project in `folder`. Nothing is started yet.
    pub fn new(declared: &ToolsetProgram, folder: impl AsRef<Path>) -> Self {
        let folder = folder.as_ref();
        // An absolute path stays valid if the program runs in another directory.
        let root = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let mut words = declared.command.iter().map(|word| match word.strip_prefix("./") {
            Some(file) => root.join(file),
            None => PathBuf::from(word),
        });
        let executable = words.next().unwrap_or_default();
        let program = Program {
            title: format!("the program of the toolset `{}`", declared.toolset),
            version: Program::next_version(),
            executable,
            arguments: words.map(PathBuf::into_os_string).collect(),
            root,
            passed: PassedVariables {
                names: declared.env.iter().map(|(name, is_secret)| ((*name).to_owned(), *is_secret)).collect(),
            },
            max_output: usize::try_from(declared.max_output_bytes.unwrap_or(MAX_OUTPUT)).unwrap_or(usize::MAX),
            resident: Some(declared.idle_timeout.unwrap_or(IDLE_TIMEOUT)),
        };
        Self { program, programs: Programs::default() }
    }

    /// Sets the working directory of the program. Default: the working directory of the host.
    #[must_use]
    pub fn in_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.programs.place.dir = Some(dir.into());
        self
    }

    /// Hides a folder from the program, such as the folder with the user's keys and settings of the host, where the system
    /// [can hide folders](HiddenFolder::check_available). If the project is in it, the program sees the folder of the project.
    #[must_use]
    pub fn hiding(mut self, folder: HiddenFolder) -> Self {
        self.programs.place.hidden = Some(folder);
        self
    }

    /// Ends the program, and waits until it and all calls have ended, but at most for `timeout`. Returns whether they have ended. The
    /// next call would start it again.
    pub fn settle(&self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        let have_ended = self.programs.calls.settle(timeout);
        self.programs.residents.end(deadline.saturating_duration_since(Instant::now())) && have_ended
    }

    /// Runs a call of a tool with any result.
    ///
    /// # Errors
    /// If the program reports an error, cannot be started, ends, or gives no valid reply.
    pub fn call(&self, call: &Call<'_>, arguments: &dyn ToJson) -> ToolResult {
        ToolOutput::json(&self.ask(call, arguments)?.value)
    }

    /// Runs a call of a tool with a declared result. `returns` is a schema with one property, which is the result.
    ///
    /// # Errors
    /// Like [`call`](Self::call), and if the result is not what the manifest declares.
    pub fn call_typed<R: FromSlot>(
        &self,
        call: &Call<'_>,
        arguments: &dyn ToJson,
        returns: &Table,
    ) -> Result<R, ToolError> {
        let answer = self.ask(call, arguments)?;
        let reply = Value::from_iter([(RESULT, answer.value)]);
        let problems = validate(&reply, returns);
        let problems = problems.iter().map(|problem| {
            let path = problem.path.strip_prefix("/result").unwrap_or(&problem.path);
            let colon = if path.is_empty() { "" } else { ": " };
            format!("{path}{colon}expected {}, got {}", problem.expected, problem.got)
        });
        let problems: Vec<String> = problems.collect();
        if !problems.is_empty() {
            return Err(self.mismatch(call, &problems.join("; ")));
        }
        // The program may print as much as its manifest allows, and the protocol has its own limit on the depth.
        let limits = Limits { max_bytes: usize::MAX, max_depth: usize::MAX };
        let (text, mut buffer) = (reply.to_string(), SlotBuffer::default());
        match read(&text, returns, limits, &mut buffer) {
            Ok(mut slots) => Ok(slots.value(0)),
            Err(error) => Err(self.mismatch(call, error.message())),
        }
    }

    fn mismatch(&self, call: &Call<'_>, problems: &str) -> ToolError {
        let title = &self.program.title;
        let message =
            format!("the result of {title} does not match `returns` in the manifest of `{}`: {problems}", call.tool());
        ToolError::new(self.program.passed.redact(message, &call.env()))
    }

    fn ask(&self, call: &Call<'_>, arguments: &dyn ToJson) -> Result<Answer, ToolError> {
        let _guard = self.programs.calls.start();
        let mut text = String::new();
        arguments.to_json(&mut text);
        let arguments: Value = serde_json::from_str(&text).map_err(|error| {
            ToolError::new(format!("the arguments cannot be sent to {}: {error}", self.program.title))
        })?;
        let request = Request::of_call(call, &arguments);
        self.programs.ask(&self.program, &request, &call.env(), &|| call.is_cancelled())
    }
}
