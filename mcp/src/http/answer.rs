//! Finds the answer to a request in its HTTP response: an answer to something else is never the answer, and a response without one ends the
//! request at once.

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::stream::StreamExt as _;
use rmcp::model::{ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::Sse;
use tokio::time::Instant;

use super::events::Events;
use crate::digits;
use crate::message::{self, Inbox};
use crate::stdio::IdScanner;

/// The time in which the answer can follow an error with another id. Some servers cannot read the id of a request, and write one of their own.
const GRACE: Duration = Duration::from_secs(3);
/// The maximum number of characters of a message that an error quotes.
const MAX_QUOTED: usize = 4_000;
/// The maximum length of the type of an event that an error quotes.
const MAX_TYPE: usize = 100;

/// What a message is to a request.
enum Relation {
    /// The answer, with the id of the request.
    Answer(ServerJsonRpcMessage),
    /// An error with the id of another request.
    OtherError(ErrorData),
    /// A result with the id of another request, in words.
    OtherResult(String),
    /// A notification or a request of the server.
    Other(ServerJsonRpcMessage),
}

fn relation(message: ServerJsonRpcMessage, id: &RequestId) -> Relation {
    let is_own = |other: &RequestId| other.to_string() == id.to_string();
    match message {
        JsonRpcMessage::Error(error) if error.id.as_ref().is_none_or(is_own) => {
            Relation::Answer(JsonRpcMessage::error(error.error, Some(id.clone())))
        }
        JsonRpcMessage::Error(error) => Relation::OtherError(error.error),
        JsonRpcMessage::Response(response) if is_own(&response.id) => {
            Relation::Answer(JsonRpcMessage::response(response.result, id.clone()))
        }
        JsonRpcMessage::Response(response) => {
            let other = response.id.clone();
            let text = serde_json::to_string(&JsonRpcMessage::<(), _, ()>::Response(response)).unwrap_or_default();
            Relation::OtherResult(format!(
                "it has the id `{other}`, and the request has `{id}`: {}",
                quoted(&digits::unmarked(text))
            ))
        }
        other => Relation::Other(other),
    }
}

fn quoted(text: &str) -> String {
    text.chars().take(MAX_QUOTED).collect()
}

/// Reads a message that answers `id`, if it is an answer without an id. One that cannot be read becomes an error. Returns `None` if it is not a
/// message.
fn message(inbox: &Inbox, data: &[u8], id: Option<&RequestId>) -> Option<ServerJsonRpcMessage> {
    let problem = match inbox.read_answer(data, id) {
        Ok(message) => return Some(message),
        Err(problem) => problem,
    };
    let mut scanner = IdScanner::default();
    scanner.push(data);
    if let Some(answered) = scanner.answered() {
        return Some(message::unreadable(answered, problem));
    }
    let is_message = id.is_some() && message::is_like_an_answer(data);
    inbox.note_unreadable(data, &problem);
    id.filter(|_| is_message).map(|id| message::unreadable(id.clone(), problem))
}

pub(super) fn is_answer(message: &ServerJsonRpcMessage) -> bool {
    matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_))
}

/// Returns the messages of a complete body. The last one is the answer to the request: the body's, or an error that says what came instead.
pub(super) fn of_body(inbox: &Inbox, body: &[u8], id: &RequestId) -> Vec<ServerJsonRpcMessage> {
    let (mut messages, mut answer, mut other) = (Vec::new(), None, None);
    for part in message::parts(body) {
        let Some(message) = message(inbox, part, Some(id)) else { continue };
        match relation(message, id) {
            Relation::Answer(message) => answer = answer.or(Some(message)),
            Relation::OtherError(error) => other = other.or(Some(JsonRpcMessage::error(error, Some(id.clone())))),
            Relation::OtherResult(problem) => other = other.or(Some(message::unreadable(id.clone(), problem))),
            Relation::Other(message) => messages.push(message),
        }
    }
    let missing = || {
        let problem = if messages.is_empty() { "it is not a message" } else { "it has no answer to the request" };
        message::unreadable(id.clone(), problem.to_owned())
    };
    let answer = answer.or(other).unwrap_or_else(missing);
    messages.push(answer);
    messages
}

fn error_text(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

/// Returns messages as events.
pub(super) fn as_events(messages: Vec<ServerJsonRpcMessage>) -> Events {
    let events = messages.into_iter().filter_map(|message| event(&message));
    futures_util::stream::iter(events.map(Ok)).boxed()
}

fn event(message: &ServerJsonRpcMessage) -> Option<Sse> {
    serde_json::to_string(message).ok().map(|data| Sse::default().data(data))
}

/// The parts of an event.
struct Parts {
    data: String,
    /// The type, unless it is that of messages.
    kind: Option<String>,
    /// The rest, such as the id, which counts even if the data is not a message.
    control: Option<Sse>,
}

fn parts(mut event: Sse) -> Parts {
    let kind = event.event.take().filter(|kind| !kind.is_empty() && kind != "message");
    let data = event.data.take().filter(|data| !data.trim().is_empty()).unwrap_or_default();
    Parts { data, kind, control: (event != Sse::default()).then_some(event) }
}

/// Returns the messages of an event. An event of another type counts only if its messages are answers with an id.
fn messages(inbox: &Inbox, Parts { data, kind, .. }: &Parts, id: Option<&RequestId>) -> Vec<ServerJsonRpcMessage> {
    let texts = message::parts(data.as_bytes()).into_iter();
    if kind.is_none() {
        return texts.filter_map(|text| message(inbox, text, id)).collect();
    }
    let has_id = |message: &ServerJsonRpcMessage| match message {
        JsonRpcMessage::Response(response) => !message::is_nameless(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref().is_some_and(|id| !message::is_nameless(id)),
        _ => false,
    };
    texts.filter_map(|text| inbox.read(text).ok()).filter(has_id).collect()
}

/// Returns the messages of a stream that answers no request, each in a form that the protocol library can read. It would end at the others.
pub(super) fn of_common_stream(inbox: Inbox, events: Events) -> Events {
    let readable = move |event: Result<Sse, SseError>| -> Vec<Result<Sse, SseError>> {
        let event = match event {
            Ok(event) => parts(event),
            Err(error) => return vec![Err(error)],
        };
        let messages = messages(&inbox, &event, None);
        let messages = messages.iter().filter_map(self::event);
        event.control.into_iter().chain(messages).map(Ok).collect()
    };
    events.flat_map(move |event| futures_util::stream::iter(readable(event))).boxed()
}

/// Returns the messages of a stream that answers a request, each in a form that the protocol library can read. It would end at the first answer,
/// whatever its id is.
pub(super) fn of_stream(inbox: Inbox, events: Events, id: RequestId) -> Events {
    let stream = AnswerStream {
        events: Some(events),
        inbox,
        id,
        ready: VecDeque::new(),
        other: None,
        unread: None,
        is_answered: false,
        is_resumable: false,
    };
    futures_util::stream::unfold(stream, |mut stream| async move { stream.next().await.map(|event| (event, stream)) })
        .boxed()
}

struct AnswerStream {
    /// `None` after the end.
    events: Option<Events>,
    inbox: Inbox,
    id: RequestId,
    ready: VecDeque<Sse>,
    /// The first error with another id, and when it becomes the answer.
    other: Option<(ErrorData, Instant)>,
    /// What came instead of an answer, in words.
    unread: Option<String>,
    is_answered: bool,
    /// Whether an event has an id, with which the protocol library asks for the rest of the stream.
    is_resumable: bool,
}

impl AnswerStream {
    async fn next(&mut self) -> Option<Result<Sse, SseError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            let next = self.events.as_mut()?.next();
            let next = match &self.other {
                None => Ok(next.await),
                Some((_, until)) => tokio::time::timeout_at(*until, next).await,
            };
            match next {
                Ok(Some(Ok(event))) => self.read(event),
                Ok(Some(Err(error))) => {
                    self.events = None;
                    // Otherwise, the protocol library may ask for the rest again and again.
                    self.fail(error_text(&error));
                }
                Ok(None) => self.end(),
                Err(_) => self.answer_with_other(),
            }
        }
    }

    fn read(&mut self, event: Sse) {
        self.is_resumable |= event.id.is_some();
        let event = parts(event);
        for message in messages(&self.inbox, &event, Some(&self.id)) {
            match relation(message, &self.id) {
                Relation::Answer(message) => self.answer(&message),
                Relation::OtherError(error) => {
                    self.other.get_or_insert((error, Instant::now() + GRACE));
                }
                Relation::OtherResult(problem) => {
                    self.inbox.note_stray(&format!("an answer belongs to no request: {problem}"));
                    self.unread = Some(format!("another answer came: {problem}"));
                }
                Relation::Other(message) => self.ready.extend(self::event(&message)),
            }
        }
        if let Some(kind) = event.kind
            && !self.is_answered
        {
            let kind: String = kind.chars().take(MAX_TYPE).collect();
            self.unread.get_or_insert(format!("an event of the type `{kind}` is not read: {}", quoted(&event.data)));
        }
        if let Some(control) = event.control {
            self.ready.push_front(control);
        }
    }

    fn answer(&mut self, message: &ServerJsonRpcMessage) {
        self.is_answered = true;
        self.other = None;
        self.ready.extend(event(message));
    }

    fn fail(&mut self, problem: String) {
        if !self.is_answered {
            self.answer(&message::unreadable(self.id.clone(), problem));
        }
    }

    fn answer_with_other(&mut self) {
        if let Some((error, _)) = self.other.take()
            && !self.is_answered
        {
            self.answer(&JsonRpcMessage::error(error, Some(self.id.clone())));
        }
    }

    fn end(&mut self) {
        self.events = None;
        self.answer_with_other();
        if !self.is_resumable {
            let unread = self.unread.take().map(|unread| format!("; {unread}")).unwrap_or_default();
            self.fail(format!("it is a stream of events that ends without an answer{unread}"));
        }
    }
}
