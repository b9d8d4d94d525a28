//! The transport over standard input and output: one message a line, bounded in length and number. An unreadable line is answered with
//! an error, and the next line is read.

use std::io::{self, BufRead, Read as _, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::mpsc;

use super::unreadable::{Unreadable, read};
use crate::message::parts;

/// The maximum number of bytes of a message.
pub(super) const MAX_MESSAGE: usize = 16 << 20;
/// The number of messages that wait to be handled.
const MAX_WAITING: usize = 4;
/// The bytes of requests that are being handled at the same time.
const MAX_BYTES: usize = 4 * MAX_MESSAGE;

/// The two streams, as a transport of messages.
pub(super) struct StdioTransport {
    messages: mpsc::Receiver<Incoming>,
    lines: mpsc::Sender<String>,
    /// The requests that were not answered yet, with their sizes.
    open: Arc<Mutex<Vec<(RequestId, usize)>>>,
    /// Whether the first request has arrived.
    has_begun: bool,
}

/// The thread that writes. It ends when everything is written and the transport is dropped.
pub(super) struct Output(thread::JoinHandle<()>);

impl Output {
    /// Waits until everything is written, unless the client does not read. The transport must have been closed or dropped.
    pub(super) async fn written(self) {
        let written = tokio::task::spawn_blocking(move || self.0.join());
        let _ = tokio::time::timeout(super::GRACE, written).await;
    }
}

/// A line that has arrived.
type Incoming = (Result<ClientJsonRpcMessage, Box<Unreadable>>, usize);

impl StdioTransport {
    /// Reads from and writes to these streams, on threads of their own.
    pub(super) fn start(
        input: impl BufRead + Send + 'static,
        mut output: impl Write + Send + 'static,
    ) -> io::Result<(Self, Output)> {
        let (sender, messages) = mpsc::channel(MAX_WAITING);
        // Ends with the process: nothing can interrupt it while it reads.
        thread::Builder::new().name("MCP input".to_owned()).spawn(move || read_lines(input, &sender))?;
        let (lines, mut waiting) = mpsc::channel::<String>(MAX_WAITING);
        let writer = thread::Builder::new().name("MCP output".to_owned()).spawn(move || {
            while let Some(line) = waiting.blocking_recv() {
                let wrote = output.write_all(line.as_bytes()).and_then(|()| output.flush());
                if wrote.is_err() {
                    // The client has closed our output. Our input will end, too.
                    return;
                }
            }
        })?;
        let transport = Self { messages, lines, open: Arc::default(), has_begun: false };
        Ok((transport, Output(writer)))
    }

    /// Returns whether a request can be handled now, and notes it.
    fn admits(&self, message: &ClientJsonRpcMessage, size: usize) -> bool {
        let JsonRpcMessage::Request(request) = message else { return true };
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: usize = open.iter().map(|(_, size)| size).sum();
        let is_free = bytes + size <= MAX_BYTES && open.iter().all(|(id, _)| *id != request.id);
        if is_free {
            open.push((request.id.clone(), size));
        }
        is_free
    }
}

/// Passes on lines until the input ends.
fn read_lines(mut input: impl BufRead, messages: &mpsc::Sender<Incoming>) {
    let mut line = Vec::new();
    loop {
        line.clear();
        // The memory of a large message is released before the next message.
        line.shrink_to(64 << 10);
        let limit = MAX_MESSAGE as u64 + 1;
        match io::Read::by_ref(&mut input).take(limit).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let size = line.len();
        if size > MAX_MESSAGE {
            let unreadable = Unreadable::too_long_after(&line, MAX_MESSAGE);
            let is_whole = line.last() == Some(&b'\n');
            line = Vec::new();
            // The client gets the error at once, because the line may never end. Its rest is not another message.
            let is_passed_on = messages.blocking_send((Err(Box::new(unreadable)), size)).is_ok();
            if !is_passed_on || (!is_whole && input.skip_until(b'\n').is_err()) {
                return;
            }
            continue;
        }
        // Versions of the protocol before 2025-06-18 have batches. Each of their requests gets an answer of its own.
        for part in parts(&line) {
            if messages.blocking_send((read(part), part.len())).is_err() {
                return;
            }
        }
    }
}

impl Transport<RoleServer> for StdioTransport {
    type Error = io::Error;

    fn send(&mut self, message: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let id = match &message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = id {
            self.open.lock().unwrap_or_else(PoisonError::into_inner).retain(|(open, _)| open != id);
        }
        let line = serde_json::to_string(&message).map(|line| line + "\n");
        let lines = self.lines.clone();
        async move {
            lines
                .send(line?)
                .await
                .map_err(|_| io::Error::new(io::ErrorKind::BrokenPipe, "the client has closed its input"))
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let (message, size) = self.messages.recv().await?;
            let answer = match message {
                Ok(message) => {
                    if let JsonRpcMessage::Notification(notification) = &message {
                        self.forget_cancelled(notification);
                    }
                    let is_request = matches!(message, JsonRpcMessage::Request(_));
                    if !self.has_begun && !is_request {
                        // Before the first request, rmcp would take it for a broken handshake, and end.
                        continue;
                    }
                    if self.admits(&message, size) {
                        self.has_begun |= is_request;
                        return Some(message);
                    }
                    Unreadable::busy(&message).message()
                }
                Err(unreadable) => unreadable.message(),
            };
            // If the output thread no longer receives lines, the client has ended.
            self.lines.send(answer + "\n").await.ok()?;
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.messages.close();
        let (closed, _) = mpsc::channel(1);
        self.lines = closed;
        Ok(())
    }
}

impl StdioTransport {
    /// Forgets a request that the client has cancelled: it gets no answer.
    fn forget_cancelled(&self, notification: &rmcp::model::JsonRpcNotification<rmcp::model::ClientNotification>) {
        if let rmcp::model::ClientNotification::CancelledNotification(cancelled) = &notification.notification
            && let Some(id) = &cancelled.params.request_id
        {
            self.open.lock().unwrap_or_else(PoisonError::into_inner).retain(|(open, _)| open != id);
        }
    }
}
