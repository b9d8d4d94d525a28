//! The HTTP client of the transport. It extends the client of the protocol library so that this crate sees what a server sent.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{BoxStream, Stream, StreamExt as _};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Response, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse, StreamableHttpResponseLimits,
};
use sse_stream::{Sse, SseStream};

use crate::digits;
use crate::message::{self, Lists, ReadMessage};
use crate::stdio::IdScanner;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

type Headers = HashMap<HeaderName, HeaderValue>;
type PostResult = Result<StreamableHttpPostResponse, StreamableHttpError<reqwest::Error>>;
type Events = BoxStream<'static, Result<Sse, SseError>>;
type StreamResult = Result<Events, StreamableHttpError<reqwest::Error>>;

/// The client. Clones share their connections.
#[derive(Debug, Clone)]
pub(crate) struct HttpClient {
    client: reqwest::Client,
    lists: Lists,
}

impl HttpClient {
    pub(super) fn new(client: reqwest::Client) -> Self {
        Self { client, lists: Lists::default() }
    }

    /// Returns the lists of tools that the server has sent.
    pub(crate) fn lists(&self) -> &Lists {
        &self.lists
    }

    /// Asks for a list of tools. Returns `None` if the answer is not a list: the protocol library then handles the request.
    async fn list(
        &self,
        uri: &str,
        message: &ClientJsonRpcMessage,
        session: Option<&str>,
        token: Option<&str>,
        headers: &Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Option<StreamableHttpPostResponse> {
        let mut request = self.client.post(uri).header(ACCEPT, format!("{EVENTS}, {JSON}")).json(message);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(session) = session {
            request = request.header(SESSION_ID, session);
        }
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let response = request.send().await.ok()?;
        if response.status() != StatusCode::OK {
            return None;
        }
        let session = response.headers().get(SESSION_ID).and_then(|id| id.to_str().ok()).map(str::to_owned);
        match media_type(&response).as_deref() {
            Some(JSON) => {
                let body = body(response, limits.max_json_response_size).await?;
                let read = self.lists.read(&body).ok()?;
                Some(StreamableHttpPostResponse::Json(read.message, session))
            }
            Some(EVENTS) => {
                let events = SseStream::from_bytes_stream(limited_chunks(response, limits.max_sse_event_size)).boxed();
                Some(StreamableHttpPostResponse::Sse(self.readable(events), session))
            }
            _ => None,
        }
    }

    /// Replaces messages that the protocol library cannot read. It would ignore them, and the calls that wait for them would never end.
    fn readable(&self, events: Events) -> Events {
        let lists = self.lists.clone();
        let readable = move |mut event: Sse| {
            let Some(data) = &event.data else { return event };
            if data.trim().is_empty() {
                return event;
            }
            if let Cow::Owned(marked) = digits::with_marks(data.as_bytes()) {
                event.data = String::from_utf8(marked).ok();
            }
            let Some(data) = &event.data else { return event };
            let replaced = match lists.read(data.as_bytes()) {
                Ok(ReadMessage { is_whole: true, .. }) => None,
                Ok(ReadMessage { message, .. }) => Some(message),
                Err(problem) => {
                    let mut scanner = IdScanner::default();
                    scanner.push(data.as_bytes());
                    scanner.answered().map(|id| message::unreadable(id, problem))
                }
            };
            if let Some(text) = replaced.and_then(|message| serde_json::to_string(&message).ok()) {
                event.data = Some(text);
            }
            event
        };
        events.map(move |event| event.map(&readable)).boxed()
    }
}

impl StreamableHttpClient for HttpClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> PostResult {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session, token, headers, limits).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> PostResult {
        if is_list_request(&message)
            && let Some(list) = self.list(&uri, &message, session.as_deref(), token.as_deref(), &headers, limits).await
        {
            return Ok(list);
        }
        let posted = self.client.post_message_with_response_limits(uri, message, session, token, headers, limits);
        Ok(match posted.await? {
            StreamableHttpPostResponse::Sse(events, session) => {
                StreamableHttpPostResponse::Sse(self.readable(events), session)
            }
            other => other,
        })
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<(), StreamableHttpError<reqwest::Error>> {
        self.client.delete_session(uri, session, token, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> StreamResult {
        let max = StreamableHttpResponseLimits::default().max_sse_event_size;
        self.get_stream_with_max_sse_event_size(uri, session, last_event, token, headers, max).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
        max: usize,
    ) -> StreamResult {
        let opened =
            self.client.get_stream_with_max_sse_event_size(uri, session, last_event, token, headers, max).await?;
        Ok(self.readable(opened))
    }
}

fn is_list_request(message: &ClientJsonRpcMessage) -> bool {
    matches!(
        message,
        JsonRpcMessage::Request(request) if matches!(request.request, ClientRequest::ListToolsRequest(_))
    )
}

/// Returns the media type of a response, without parameters.
fn media_type(response: &Response) -> Option<String> {
    let value = response.headers().get(CONTENT_TYPE)?.to_str().ok()?;
    Some(value.split(';').next()?.trim().to_ascii_lowercase())
}

/// Returns the body of a response, if it has at most `max` bytes.
async fn body(mut response: Response, max: usize) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        if body.len() + chunk.len() > max {
            return None;
        }
        body.extend_from_slice(&chunk);
    }
    Some(body)
}

/// Returns the chunks of a body. If it has more than `max` bytes, the stream ends with an error.
fn limited_chunks(response: Response, max: usize) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    let mut read = 0;
    response.bytes_stream().map(move |chunk| {
        let chunk = chunk.map_err(io::Error::other)?;
        read += chunk.len();
        if read > max { Err(io::Error::other(format!("the list has more than {max} bytes"))) } else { Ok(chunk) }
    })
}
