//! The transport over the standard streams of a program. The program is started by `toolc-process`, so that it ends with the host.

mod id;
mod lines;
mod stderr;
mod writer;

use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::JsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::mpsc;
use toolc::Env;
use toolc_process::{Outcome, Process, RunningProcess};

use crate::digits;
use crate::message::Inbox;
use crate::settings::PassedVariable;
pub(crate) use id::IdScanner;
pub(crate) use lines::MAX_MESSAGE;
use lines::MessageLines;
use stderr::StderrTail;
use writer::Writer;

/// The number of messages that wait to be handled.
const MAX_WAITING_MESSAGES: usize = 64;
/// The time that a server has to end by itself after its input was closed.
const GRACE: Duration = Duration::from_millis(500);

/// The program of a server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Program<'a> {
    pub(crate) command: &'a str,
    pub(crate) args: &'a [String],
    pub(crate) env: &'a [PassedVariable],
    pub(crate) directory: Option<&'a Path>,
}

/// A running server, as a transport of messages.
pub(crate) struct StdioTransport {
    process: Option<Arc<RunningProcess>>,
    messages: mpsc::Receiver<RxJsonRpcMessage<RoleClient>>,
    writer: Writer,
    inbox: Inbox,
}

/// How the program of a server ended. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProgramEnd {
    outcome: Arc<Mutex<Option<Outcome>>>,
    stderr: StderrTail,
}

impl StdioTransport {
    /// Starts the program, with the usual variables of programs and the named ones of `env`. Blocks for a moment.
    pub(crate) fn start(program: Program<'_>, env: &Env) -> io::Result<(Self, ProgramEnd)> {
        let mut command = Command::new(program.command);
        command.args(program.args).env_clear().envs(toolc_process::baseline([], |name| env.var(name)));
        for PassedVariable { name, source, .. } in program.env {
            command.envs(env.os_var(source).map(|value| (name, value)));
        }
        if let Some(directory) = program.directory {
            command.current_dir(directory);
        }
        let (sender, messages) = mpsc::channel(MAX_WAITING_MESSAGES);
        let (end, inbox) = (ProgramEnd::default(), Inbox::default());
        let mut process = Process::new(command);
        process.input()?;
        let output = process.stdout(MessageLines::new(sender, inbox.clone()))?;
        process.stderr(end.stderr.clone())?;
        let outcome = Arc::clone(&end.outcome);
        process.on_end(move |ended| {
            *outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(*ended);
            // A process that the server started can outlive it and keep the output open. Its messages would not come from the server.
            output.discard();
        });
        let process = Arc::new(process.start()?);
        let writer = Writer::start(Arc::clone(&process))?;
        Ok((Self { process: Some(process), messages, writer, inbox }, end))
    }

    /// Returns what the server has sent that the protocol library does not keep.
    pub(crate) fn inbox(&self) -> &Inbox {
        &self.inbox
    }
}

impl ProgramEnd {
    /// Returns how the program ended, for a message: "exit status: 1; its stderr: ...". Waits a moment for the outcome.
    pub(crate) async fn text(&self, redact: impl Fn(&str) -> String) -> String {
        let outcome = self.outcome().await;
        let status =
            outcome.map_or_else(|| "it has closed its output".to_owned(), |outcome| outcome.status.to_string());
        format!("{status}{}", self.stderr.clause(redact))
    }

    /// Returns the end of its standard error as a clause for a message, or an empty text. The program is being ended: waits a moment
    /// for that, because what it wrote before its last message can arrive after it.
    pub(crate) async fn stderr(&self, redact: impl Fn(&str) -> String) -> String {
        self.outcome().await;
        self.stderr.clause(redact)
    }

    /// Waits at most half a second for the end of the program and of its output.
    async fn outcome(&self) -> Option<Outcome> {
        for _ in 0..50 {
            let outcome = *self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
            if outcome.is_some() {
                return outcome;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        None
    }
}

impl Transport<RoleClient> for StdioTransport {
    type Error = io::Error;

    fn send(&mut self, message: TxJsonRpcMessage<RoleClient>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        // Queued here and not in the future, so that messages are written in their order.
        let is_answer = matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_));
        let line = serde_json::to_string(&message).map_err(io::Error::other);
        let line = line.map(|line| digits::unmarked(line).into_bytes());
        let written = line.and_then(|line| self.writer.write(line, is_answer));
        async move { written?.await.unwrap_or_else(|_| Err(closed())) }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.messages.close();
        self.writer.close();
        if let Some(process) = self.process.take() {
            tokio::task::spawn_blocking(move || end(&process)).await.map_err(io::Error::other)?;
        }
        Ok(())
    }
}

/// Ends the program of a connection that could not be opened.
impl Drop for StdioTransport {
    fn drop(&mut self) {
        self.messages.close();
        self.writer.close();
        if let Some(process) = self.process.take() {
            // Without a thread, the process ends here.
            let _ = thread::Builder::new().name("end of an MCP server".to_owned()).spawn(move || end(&process));
        }
    }
}

/// Closes the input, and ends the program if it does not end by itself.
fn end(process: &RunningProcess) {
    let _ = process.close_input();
    let _ = process.wait_timeout(GRACE);
    let _ = process.end();
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "the server has ended")
}
