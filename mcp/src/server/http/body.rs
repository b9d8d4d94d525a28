//! Reads the bodies of requests, within limits on size and time, each and all together.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::CONTENT_LENGTH;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt as _;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::MAX_REQUEST;
use super::sessions::OpenRequest;

/// The bytes of all requests that are read or answered.
const MAX_ALL: usize = 32 * MAX_REQUEST;
/// The time that a client has to send a body.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The time for which a request waits until there is room for it.
const PATIENCE: Duration = Duration::from_secs(5);

/// The body of an answer.
pub(super) type Body = BoxBody<Bytes, Infallible>;

/// The room for bodies.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    bytes: Arc<Semaphore>,
    /// The requests that are being answered.
    answers: TaskTracker,
}

/// A body that was read.
pub(super) struct Reading {
    pub(super) bytes: Bytes,
    pub(super) permit: Room,
}

/// The room that a body takes, until its request is answered.
#[derive(Debug)]
pub(super) struct Room {
    _permit: OwnedSemaphorePermit,
    _answer: TaskTrackerToken,
}

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    TooLarge,
    TooSlow,
    NoRoom,
    Broken,
}

impl Default for Budget {
    fn default() -> Self {
        Self { bytes: Arc::new(Semaphore::new(MAX_ALL)), answers: TaskTracker::new() }
    }
}

impl Budget {
    /// Reads a body.
    ///
    /// # Errors
    /// Returns why it was not read.
    pub(super) async fn read(&self, body: Incoming, headers: &HeaderMap) -> Result<Reading, Unread> {
        let declared = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
        let size = declared.unwrap_or(MAX_REQUEST);
        if size > MAX_REQUEST {
            return Err(Unread::TooLarge);
        }
        // At least one, so that requests without a body wait for each other, too.
        let permits = u32::try_from(size.max(1)).map_err(|_| Unread::TooLarge)?;
        let room = tokio::time::timeout(PATIENCE, Arc::clone(&self.bytes).acquire_many_owned(permits)).await;
        let Ok(Ok(mut permit)) = room else { return Err(Unread::NoRoom) };
        let bytes = tokio::time::timeout(TIMEOUT, collect(body)).await.map_err(|_| Unread::TooSlow)??;
        // A body of unknown length takes only the room that it needs.
        let unused = (permit.num_permits()).saturating_sub(bytes.len().max(1));
        drop(permit.split(unused));
        Ok(Reading { bytes, permit: Room { _permit: permit, _answer: self.answers.token() } })
    }
}

impl Budget {
    /// Waits until all requests that were read have been answered.
    pub(super) async fn answered(&self) {
        self.answers.close();
        self.answers.wait().await;
    }
}

async fn collect(mut body: Incoming) -> Result<Bytes, Unread> {
    let mut bytes = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| Unread::Broken)?.into_data() else { continue };
        if bytes.len() + data.len() > MAX_REQUEST {
            return Err(Unread::TooLarge);
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes.freeze())
}

impl Unread {
    /// Returns the status and the text of the answer.
    pub(super) fn answer(self) -> (StatusCode, String) {
        match self {
            Self::TooLarge => {
                (StatusCode::PAYLOAD_TOO_LARGE, format!("a request has at most {} MiB", MAX_REQUEST >> 20))
            }
            Self::TooSlow => {
                (StatusCode::REQUEST_TIMEOUT, format!("the request did not arrive within {} s", TIMEOUT.as_secs()))
            }
            Self::NoRoom => {
                (StatusCode::SERVICE_UNAVAILABLE, "too many requests are being answered: try again later".to_owned())
            }
            Self::Broken => (StatusCode::BAD_REQUEST, "the body of the request is not valid".to_owned()),
        }
    }
}

impl Room {
    /// Returns a response that takes the room until its end, and during which its request is open.
    pub(super) fn until_end_of(self, body: Body, open: Option<OpenRequest>) -> Body {
        Answer { body, _room: self, _open: open }.boxed()
    }
}

/// The body of a response, and the room of its request.
struct Answer {
    body: Body,
    _room: Room,
    _open: Option<OpenRequest>,
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
