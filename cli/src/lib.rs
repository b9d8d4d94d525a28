//! A command line for an agent's own tools: run a tool as a model would, see what a model sees, find out why a tool is hidden,
//! and serve the tools to MCP clients.
//!
//! ```no_run
//! # fn tools() -> Box<dyn toolc::ToolProvider> { unreachable!("the example is only compiled") }
//! fn main() -> std::process::ExitCode {
//!     toolc_cli::main(tools()) // a generated catalog's `provider(Handlers { .. })`
//! }
//! ```
//!
//! A host with several tool providers, or with its own options, adds the subcommands of [`Command`] to its command line, and runs
//! them with an [`App`].

mod app;
mod approver;
mod arguments;
mod call;
mod definitions;
mod failure;
mod repl;
mod report;
mod results;
mod secrets;
mod selection;
mod serve;
mod streams;
mod why;

use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use toolc::{Registry, SessionBuilder, ToolProvider};

pub use app::App;
use app::Person;
pub use arguments::{ArgumentsError, arguments_of_words};
pub use call::CallArgs;
use call::HostWarnings;
use failure::Failure;
pub use failure::ReportError;
pub use report::DoctorSection;
pub use results::ResultStore;
pub use secrets::{RedactedStore, SecretFilter};
pub use selection::{FactError, Selection, View};
pub use serve::{ServeArgs, ServeError, serve};
use streams::Streams;
pub use streams::visible;
pub use why::WhyArgs;

/// Runs the command line of this process for the tools of `provider`. This is the whole `main` of an agent without commands
/// of its own. The program is named after its file. Use [`main!`] to also give it the version of its package.
pub fn main(provider: Box<dyn ToolProvider>) -> ExitCode {
    main_with_version(provider, "0.0.0")
}

/// What [`main!`] calls.
#[doc(hidden)]
pub fn main_with_version(provider: Box<dyn ToolProvider>, version: &str) -> ExitCode {
    let registry = Registry::new();
    if let Err(error) = registry.add(provider) {
        eprintln!("error: {error}");
        return ExitCode::from(2);
    }
    let program = std::env::args_os().next().unwrap_or_default();
    let name = Path::new(&program).file_stem().unwrap_or("tools".as_ref()).to_string_lossy();
    App::new(name, registry).version(version).main()
}

/// Runs the command line of this process, as the function [`main`](main()) does, with the version of the package that calls it.
///
/// ```no_run
/// # fn tools() -> Box<dyn toolc::ToolProvider> { unreachable!("the example is only compiled") }
/// fn main() -> std::process::ExitCode {
///     toolc_cli::main!(tools())
/// }
/// ```
#[macro_export]
macro_rules! main {
    ($provider:expr) => {
        $crate::main_with_version($provider, env!("CARGO_PKG_VERSION"))
    };
}

/// The subcommands.
#[derive(Debug, Subcommand)]
#[non_exhaustive]
pub enum Command {
    /// Run a tool, as a model would.
    Call(CallArgs),
    /// Print the definitions that a model sees: a JSON array, or declarations in the dialect `typescript`.
    Definitions {
        /// What the model is shown.
        #[command(flatten)]
        view: View,
        /// Print exactly what a model sees, on one line. This is the default unless stdout is a terminal.
        #[arg(long)]
        json: bool,
    },
    /// Report for each tool whether it is available, what it lacks, and where to get it.
    Doctor {
        /// What the model is shown.
        #[command(flatten)]
        view: View,
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Call tools and change facts, line by line. `.help` lists the commands.
    Repl {
        /// What the model is shown.
        #[command(flatten)]
        view: View,
        /// Approve every call that needs approval.
        #[arg(long)]
        yes: bool,
    },
}

/// The subcommands of a program that has no others.
#[derive(Debug, Subcommand)]
enum AnyCommand {
    #[command(flatten)]
    Tools(Command),
    /// Explain why a tool is shown or hidden: what grants it, what it requires, and what its texts depend on.
    Why(WhyArgs),
    /// Serve the tools to an MCP client on stdin and stdout.
    Serve(ServeArgs),
}

/// The exit statuses, for the end of `--help`.
pub const EXIT_STATUS: &str = "\
Exit status:
  0  call: the JSON is a result; doctor: all tools are available; why: the tool is shown; other commands: success
  1  call: the JSON is an error; doctor: a tool is not available; why: the tool is not shown
  2  the command itself failed, or its arguments are wrong, for example an unknown toolset or fact";

/// Calls the agent's tools, and shows what a model sees.
#[derive(Debug, Parser)]
#[command(after_help = EXIT_STATUS)]
struct Cli {
    #[command(subcommand)]
    command: AnyCommand,
}

impl App {
    /// Returns a session for a client that is served: like those of `serve`, with an approver only if all calls are approved. The host
    /// adds another one.
    ///
    /// # Errors
    /// Returns an error about the first fact that cannot be read.
    pub fn served_session(&self, selection: &Selection, approve_all: bool) -> Result<SessionBuilder, FactError> {
        let redactor = self.redactor();
        let session = self.prepared(selection.session(self)?, Arc::clone(&redactor));
        Ok(approver::add(session, approve_all, &Person::OfHost(None), false).hook(Arc::new(HostWarnings(redactor))))
    }

    /// Runs the command line of this process.
    pub fn main(self) -> ExitCode {
        let command = Cli::command().name(self.name.clone()).version(self.version.clone());
        let Cli { command } = Cli::from_arg_matches(&command.get_matches()).unwrap_or_else(|error| error.exit());
        match command {
            AnyCommand::Tools(command) => self.run(command),
            AnyCommand::Why(args) => self.why(&args),
            AnyCommand::Serve(args) => self.serve(&args),
        }
    }

    /// Runs one command on the standard streams, and returns the exit status.
    pub fn run(&self, command: Command) -> ExitCode {
        streams::with_standard_streams(|streams| self.run_on(command, streams)).into()
    }

    /// Returns the report of `doctor` as text, or as one line of JSON.
    ///
    /// # Errors
    /// If the view is invalid, for example because of an unknown toolset.
    pub fn doctor_report(&self, view: &View, as_json: bool) -> Result<String, ReportError> {
        let mut report = Vec::new();
        let turn = view.turn(self)?;
        report::doctor(&turn, &self.info(), as_json, &mut report).map_err(Failure::Io)?;
        Ok(String::from_utf8_lossy(&report).into_owned())
    }

    /// Explains why a tool is shown or hidden, and returns the exit status.
    pub fn why(&self, args: &WhyArgs) -> ExitCode {
        streams::with_standard_streams(|streams| {
            self.warn(streams);
            exit_status(args.run(self, streams), streams)
        })
        .into()
    }

    /// Serves the tools to an MCP client on the standard streams, and returns the exit status.
    pub fn serve(&self, args: &ServeArgs) -> ExitCode {
        streams::with_standard_streams(|streams| {
            self.warn(streams);
            exit_status(args.run(self), streams)
        })
        .into()
    }

    fn run_on(&self, command: Command, streams: &mut Streams<'_>) -> u8 {
        if !matches!(command, Command::Doctor { .. }) {
            self.warn(streams);
        }
        exit_status(self.attempt(command, streams), streams)
    }

    /// Warns about the problems that the report of `doctor` shows.
    fn warn(&self, streams: &mut Streams<'_>) {
        for problem in self.sections.iter().flat_map(|section| &section.problems) {
            let _ = writeln!(streams.err, "warning: {problem}");
        }
    }

    /// Runs a command, and returns whether the exit status is 0.
    fn attempt(&self, command: Command, streams: &mut Streams<'_>) -> Result<bool, Failure> {
        match command {
            Command::Call(args) => args.run(self, streams),
            Command::Definitions { view, json } => {
                definitions::print(&view.turn(self)?, json, &self.optional, streams)?;
                Ok(true)
            }
            Command::Doctor { view, json } => Ok(report::doctor(&view.turn(self)?, &self.info(), json, streams.out)?),
            Command::Repl { view, yes } => repl::run(self, &view, yes, streams),
        }
    }
}

/// Prints the error of a command, and returns its exit status.
fn exit_status(attempt: Result<bool, Failure>, streams: &mut Streams<'_>) -> u8 {
    match attempt {
        Ok(success) => u8::from(!success),
        // A closed pipe (`| head`) is not an error.
        Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(Failure::Io(error)) => {
            let _ = writeln!(streams.err, "error: {error}");
            2
        }
        Err(Failure::Usage(message)) => {
            let _ = writeln!(streams.err, "error: {message}");
            2
        }
    }
}

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
