//! `serve`: an MCP server on stdin and stdout, which any MCP client can start.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead, Read as _, Write as _};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use clap::Args;
use toolc::cancel::CancelHandle;
use toolc::error::SessionError;
use toolc::wire::MAX_BODY_BYTES;
use toolc::wire::mcp::{Request, Server};
use toolc::{CallResponse, Dialect, SessionBuilder, ToolError};

use crate::app::App;
use crate::approver;
use crate::failure::Failure;
use crate::selection::Selection;

/// The number of calls that run at the same time. Each has a thread.
const MAX_CALLS: usize = 128;
/// The time that calls have to end after the client has disconnected.
const GRACE: Duration = Duration::from_secs(5);

/// The arguments of `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// What the clients are granted.
    #[command(flatten)]
    pub selection: Selection,
    /// Approve every call that needs approval. Without it, such calls are refused.
    #[arg(long)]
    pub yes: bool,
}

impl ServeArgs {
    pub(crate) fn run(&self, app: &App) -> Result<bool, Failure> {
        let session = app.served_session(&self.selection, self.yes)?;
        let session = if self.yes { session } else { approver::add_to_server(session) };
        match serve(session, &app.name, &app.version) {
            Ok(()) => Ok(true),
            Err(ServeError::Session(error)) => Err(Failure::Usage(error.to_string())),
            Err(ServeError::Io(error)) => Err(Failure::Io(error)),
        }
    }
}

/// Why a server could not start, or stopped before its client disconnected.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// The session is invalid, for example because of an unknown toolset.
    Session(SessionError),
    /// Standard input could not be read, or standard output could not be written.
    Io(io::Error),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServeError::Session(error) => error.fmt(f),
            ServeError::Io(error) => write!(f, "failed to exchange messages with the MCP client: {error}"),
        }
    }
}

impl std::error::Error for ServeError {}

impl From<io::Error> for ServeError {
    fn from(error: io::Error) -> Self {
        ServeError::Io(error)
    }
}

/// Serves a session's tools to the MCP client on stdin and stdout, until the client disconnects. Running calls are then
/// cancelled, and have a few seconds to end. `name` and `version` are those of the server.
///
/// The tools must be defined in the dialect `mcp`.
///
/// # Errors
/// Returns an error if the session is invalid, or the standard streams fail.
pub fn serve(session: SessionBuilder, name: &str, version: &str) -> Result<(), ServeError> {
    let calls = Arc::new(RunningCalls::default());
    let progress = Arc::clone(&calls);
    let session = session.on_progress(move |report| {
        if let Some(line) = progress.request(report.id).and_then(|request| request.progress(report)) {
            // If the client has disconnected, the loop below ends the call.
            let _ = send(&line);
        }
    });
    let session = session.build().map_err(ServeError::Session)?;
    let server = Server::new(name, version);
    let result = Messages(io::stdin().lock()).try_for_each(|message| -> io::Result<()> {
        let turn = session.turn_blocking(Dialect::Mcp);
        let incoming = server.receive(&message?, &turn);
        incoming.cancelled().for_each(|id| calls.cancel(id));
        let started: Vec<_> = incoming.requests().map(|request| calls.start(request)).collect();
        let needs_thread = started.iter().any(Option::is_some);
        let calls = Arc::clone(&calls);
        let answer = move || {
            let mut started = started.into_iter();
            let line = incoming.reply_with(|request| match started.next().flatten() {
                Some(cancel) => {
                    let response = turn.call_blocking(&request.call().with_cancel(&cancel));
                    // A client does not expect the response of a call that it has cancelled.
                    calls.end(request.call().id()).then(|| request.result(&turn, &response))
                }
                None => Some(request.result(&turn, &busy())),
            });
            line.map_or(Ok(()), |line| send(&line))
        };
        if needs_thread {
            thread::Builder::new().name("an MCP call".to_owned()).spawn(answer).map(drop)
        } else {
            answer()
        }
    });
    calls.cancel_all(GRACE);
    Ok(result?)
}

/// Returns the response to a call that is not run.
fn busy() -> CallResponse {
    let message = format!("a call with this id or {MAX_CALLS} other calls are still running: try again later");
    CallResponse::from(Err(ToolError::new(message)))
}

/// Writes one line to stdout.
fn send(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// The calls that are running.
#[derive(Default)]
struct RunningCalls {
    state: Mutex<Running>,
    /// Notified when a thread ends.
    ended: Condvar,
}

#[derive(Default)]
struct Running {
    /// The calls that the client waits for, by id.
    by_id: HashMap<String, (CancelHandle, Arc<Request>)>,
    /// The number of threads, also of calls that the client has cancelled.
    threads: usize,
}

impl RunningCalls {
    fn lock(&self) -> MutexGuard<'_, Running> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a call, which counts as a thread until [`end`](Self::end). Returns `None` if too many calls, or a call with this id, are
    /// running.
    fn start(&self, request: &Request) -> Option<CancelHandle> {
        let mut running = self.lock();
        let id = request.call().id().to_owned();
        if running.threads >= MAX_CALLS || running.by_id.contains_key(&id) {
            return None;
        }
        let cancel = CancelHandle::new();
        running.threads += 1;
        running.by_id.insert(id, (cancel.clone(), Arc::new(request.clone())));
        Some(cancel)
    }

    /// Removes a call whose thread ends. Returns whether the client waits for its response.
    fn end(&self, id: &str) -> bool {
        let mut running = self.lock();
        running.threads -= 1;
        self.ended.notify_all();
        running.by_id.remove(id).is_some()
    }

    /// Cancels the call with this id, if it is running. The client no longer waits for it.
    fn cancel(&self, id: &str) {
        let removed = self.lock().by_id.remove(id);
        if let Some((cancel, _)) = removed {
            cancel.cancel();
        }
    }

    /// Returns the request of the running call with this id.
    fn request(&self, id: &str) -> Option<Arc<Request>> {
        self.lock().by_id.get(id).map(|(_, request)| Arc::clone(request))
    }

    /// Cancels all calls, and waits until their threads have ended, at most for `limit`.
    fn cancel_all(&self, limit: Duration) {
        let cancelled = std::mem::take(&mut self.lock().by_id);
        for (cancel, _) in cancelled.values() {
            cancel.cancel();
        }
        let running = self.ended.wait_timeout_while(self.lock(), limit, |running| running.threads > 0);
        drop(running);
    }
}

/// Reads messages, one per line.
struct Messages<R>(R);

impl<R: BufRead> Iterator for Messages<R> {
    type Item = io::Result<String>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut line = Vec::new();
        // One byte more than the server accepts, so that it reports a longer message.
        let limit = MAX_BODY_BYTES as u64 + 1;
        match io::Read::by_ref(&mut self.0).take(limit).read_until(b'\n', &mut line) {
            Ok(0) => return None,
            Ok(read) if read as u64 == limit && line.last() != Some(&b'\n') => {
                // The rest of the line is not another message.
                if let Err(error) = self.0.skip_until(b'\n') {
                    return Some(Err(error));
                }
            }
            Ok(_) => {}
            Err(error) => return Some(Err(error)),
        }
        // The server reports text that is not JSON. Replacing the invalid bytes would change the client's text.
        Some(Ok(String::from_utf8(line).unwrap_or_else(|_| "a message that is not UTF-8".to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_lines_of_bounded_length() {
        let long = vec![b'x'; MAX_BODY_BYTES + 10];
        let input = [b"a\n", &long[..], b"\n\xff\nb"].concat();
        let messages: Vec<String> = Messages(&input[..]).map(|message| message.expect("memory can be read")).collect();
        let lengths: Vec<usize> = messages.iter().map(String::len).collect();
        assert_eq!(lengths, [2, MAX_BODY_BYTES + 1, "a message that is not UTF-8".len(), 1]);
        assert_eq!((&*messages[0], &*messages[3]), ("a\n", "b"));
    }
}
