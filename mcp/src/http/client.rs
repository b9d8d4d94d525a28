//! The HTTP client of the transport. It reads every answer itself, so that an answer in another form than the protocol requires still ends
//! its request, and at once.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::stream::StreamExt as _;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE};
use reqwest::{RequestBuilder, Response, StatusCode, Url};
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::auth::WWWAuthenticateParams;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse, StreamableHttpResponseLimits,
};
use serde_json::Value;
use tokio::sync::watch;

use super::answer;
use super::events::{self, Content, Events};
use crate::digits;
use crate::message::{self, Inbox, PATIENCE};
use crate::visible::whole_beginning;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// The time that a server has to open the stream of its messages, before a request that it only accepts counts as not answered.
const STREAM_WAIT: Duration = Duration::from_secs(5);
/// The maximum number of characters of the body of an HTTP error that are shown.
const MAX_BODY: usize = 1_000;
/// The maximum length of a header of an answer that is used.
const MAX_HEADER: usize = 4 << 10;

type Headers = HashMap<HeaderName, HeaderValue>;
type HttpError = StreamableHttpError<reqwest::Error>;
type PostResult = Result<StreamableHttpPostResponse, HttpError>;

/// The client. Clones share their connections.
#[derive(Debug, Clone)]
pub(crate) struct HttpClient {
    client: reqwest::Client,
    inbox: Inbox,
    stream: Arc<watch::Sender<MessageStream>>,
    /// The requests that the protocol library repeats in a new session, because the server has lost theirs.
    repeated: Arc<Mutex<HashSet<RequestId>>>,
    /// The time in which the server must answer `server/discover`, if another way to begin follows.
    patience: Option<Duration>,
}

/// The stream on which a server with sessions sends what belongs to no request. It may also answer requests there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MessageStream {
    NotAsked,
    Open,
    Refused,
}

/// What an answer is an answer to.
#[derive(Debug, Clone)]
struct Question {
    /// The id, if it is a request.
    id: Option<RequestId>,
    kind: Kind,
    has_session: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Discover,
    Initialize,
    Other,
}

impl Question {
    fn new(message: &ClientJsonRpcMessage, has_session: bool) -> Self {
        let JsonRpcMessage::Request(request) = message else {
            return Self { id: None, kind: Kind::Other, has_session };
        };
        let kind = match request.request {
            ClientRequest::DiscoverRequest(_) => Kind::Discover,
            ClientRequest::InitializeRequest(_) => Kind::Initialize,
            _ => Kind::Other,
        };
        Self { id: Some(request.id.clone()), kind, has_session }
    }

    /// Returns whether the request begins a connection.
    fn begins(&self) -> bool {
        self.kind != Kind::Other
    }
}

impl HttpClient {
    pub(super) fn new(client: reqwest::Client) -> Self {
        let stream = Arc::new(watch::Sender::new(MessageStream::NotAsked));
        Self { client, inbox: Inbox::default(), stream, repeated: Arc::default(), patience: Some(PATIENCE) }
    }

    /// Waits for the answer to `server/discover` as long as the start may take.
    pub(crate) fn patient(self) -> Self {
        Self { patience: None, ..self }
    }

    /// Returns what the server has sent that the protocol library does not keep.
    pub(crate) fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    async fn post(
        &self,
        request: RequestBuilder,
        question: &Question,
        limits: StreamableHttpResponseLimits,
    ) -> PostResult {
        let answer = async {
            let response = request.send().await?;
            self.answer(response, question, limits).await
        };
        let answer = match self.patience {
            Some(patience) if question.kind == Kind::Discover => {
                tokio::time::timeout(patience, answer).await.unwrap_or_else(|_| {
                    self.inbox.note_silence();
                    let text = format!("no answer within {} s", patience.as_secs());
                    Err(StreamableHttpError::UnexpectedServerResponse(text.into()))
                })
            }
            _ => answer.await,
        };
        match (answer, &question.id) {
            (Err(error), Some(id)) if question.kind == Kind::Discover && is_of_older_server(&error) => {
                // The protocol asks for the handshake after any answer that a server without sessions would not give.
                let refused = ErrorData::invalid_request(format!("`server/discover` is not answered: {error}"), None);
                Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::error(refused, Some(id.clone())), None))
            }
            (answer, _) => answer,
        }
    }

    /// Reads an answer.
    async fn answer(
        &self,
        response: Response,
        question: &Question,
        limits: StreamableHttpResponseLimits,
    ) -> PostResult {
        let status = response.status();
        if let Some(error) = refusal(&response) {
            return Err(error);
        }
        if status == StatusCode::NOT_FOUND && question.has_session {
            return Err(StreamableHttpError::SessionExpired);
        }
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return self.accepted(status, question).await;
        }
        if !status.is_success() {
            return self.failure(response, question, limits).await;
        }
        let session = response.headers().get(SESSION_ID).and_then(|id| id.to_str().ok()).map(str::to_owned);
        let media_type = media_type(&response);
        let Some(id) = &question.id else {
            // A message that needs no answer has none, whatever the body is.
            return Ok(StreamableHttpPostResponse::Accepted);
        };
        // The form of a body counts, and not the type that the server declares.
        let (is_stream, content) = match media_type.as_deref() {
            Some(EVENTS) => (true, response.bytes_stream().boxed()),
            _ => events::with_form(response).await?,
        };
        if is_stream {
            let events = events::events(content, limits.max_sse_event_size);
            let events = answer::of_stream(self.inbox.clone(), events, id.clone());
            return if question.begins() {
                Ok(StreamableHttpPostResponse::Json(first_answer(events).await?, session))
            } else {
                Ok(StreamableHttpPostResponse::Sse(events, session))
            };
        }
        let read = body(content, limits.max_json_response_size).await?;
        let is_json = media_type.as_deref().is_some_and(is_json_type);
        let looks_like_json = matches!(read.trim_ascii().first(), Some(b'{' | b'['));
        if read.trim_ascii().is_empty() {
            return self.accepted(status, question).await;
        }
        if !is_json && !looks_like_json {
            return Err(StreamableHttpError::UnexpectedContentType(media_type));
        }
        let mut messages = answer::of_body(&self.inbox, &read, id);
        if messages.len() == 1 || question.begins() {
            let answer = messages.pop().ok_or_else(no_answer)?;
            return Ok(StreamableHttpPostResponse::Json(answer, session));
        }
        Ok(StreamableHttpPostResponse::Sse(answer::as_events(messages), session))
    }

    /// Returns what follows from an answer without a body. A request is answered on the stream of messages, if the server has one.
    async fn accepted(&self, status: StatusCode, question: &Question) -> PostResult {
        let Some(id) = &question.id else { return Ok(StreamableHttpPostResponse::Accepted) };
        let is_open = question.has_session && !question.begins() && {
            let mut stream = self.stream.subscribe();
            let known = stream.wait_for(|stream| *stream != MessageStream::NotAsked);
            let known = tokio::time::timeout(STREAM_WAIT, known).await;
            known.is_ok_and(|known| known.is_ok_and(|stream| *stream == MessageStream::Open))
        };
        if is_open {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if question.begins() {
            return Err(StreamableHttpError::UnexpectedServerResponse(format!("HTTP {status} and no content").into()));
        }
        let problem = format!("it is empty (HTTP {status})");
        Ok(StreamableHttpPostResponse::Json(message::unreadable(id.clone(), problem), None))
    }

    /// Returns the error in the body of an answer, or otherwise the error that its status is.
    async fn failure(
        &self,
        response: Response,
        question: &Question,
        limits: StreamableHttpResponseLimits,
    ) -> PostResult {
        let status = response.status();
        let retry_after = header(&response, &RETRY_AFTER);
        let is_json = media_type(&response).as_deref().is_some_and(is_json_type);
        let is_refusal =
            matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS);
        let max = if is_json { limits.max_json_response_size } else { limits.max_error_response_size };
        let address = response.url().clone();
        let read = beginning(response, max).await;
        if status.is_client_error() && !is_refusal && self.is_lost_session(&read, question) {
            return Err(StreamableHttpError::SessionExpired);
        }
        if is_json
            && !is_refusal
            && let Some(id) = &question.id
            && let Some(message @ JsonRpcMessage::Error(_)) = self.error_message(&read, id)
        {
            return Ok(StreamableHttpPostResponse::Json(message, None));
        }
        let mut text = format!("HTTP {status}");
        if let Some(wait) = retry_after {
            text += &format!(" (Retry-After: {wait})");
        }
        if question.begins() && is_of_older_transport(status, &address) {
            text += ": the older transport (HTTP with SSE) is not supported, so use the address for streamable HTTP";
        }
        let body = String::from_utf8_lossy(&read);
        if !body.trim().is_empty() {
            text += &format!(": {}", whole_beginning(body.trim(), MAX_BODY));
        }
        Err(StreamableHttpError::UnexpectedServerResponse(text.into()))
    }

    /// Returns whether an error says that the server has lost the session of a request. The request can be repeated once: the second time,
    /// the error is the answer.
    fn is_lost_session(&self, error: &[u8], question: &Question) -> bool {
        let Some(id) = question.id.as_ref().filter(|_| question.has_session && !question.begins()) else {
            return false;
        };
        if !is_about_session(error, id) {
            return false;
        }
        let mut repeated = self.repeated.lock().unwrap_or_else(PoisonError::into_inner);
        // A request that was repeated is not repeated again.
        !repeated.remove(id) && repeated.insert(id.clone())
    }

    fn error_message(&self, body: &[u8], id: &RequestId) -> Option<ServerJsonRpcMessage> {
        let message = self.inbox.read_answer(body, Some(id)).ok()?;
        matches!(message, JsonRpcMessage::Error(_)).then(|| with_id(message, id))
    }
}

fn is_initialized(message: &ClientJsonRpcMessage) -> bool {
    matches!(
        message,
        JsonRpcMessage::Notification(sent)
            if matches!(sent.notification, ClientNotification::InitializedNotification(_))
    )
}

fn requires_login(error: &HttpError) -> bool {
    matches!(error, StreamableHttpError::AuthRequired(_) | StreamableHttpError::InsufficientScope(_))
}

/// Returns whether a server of the protocol with sessions may give this answer to `server/discover`.
fn is_of_older_server(error: &HttpError) -> bool {
    match error {
        StreamableHttpError::UnexpectedServerResponse(text) => !text.starts_with("HTTP 3"),
        StreamableHttpError::HttpStatus(_)
        | StreamableHttpError::UnexpectedContentType(_)
        | StreamableHttpError::Sse(_) => true,
        _ => false,
    }
}

/// Returns whether an error is about the session, and not about the arguments of the request `id`.
fn is_about_session(error: &[u8], id: &RequestId) -> bool {
    const NOT_BEGUN: [&str; 3] = ["not initialized", "not been initialized", "uninitialized"];
    const LOST: [&str; 14] = [
        "closed",
        "does not exist",
        "ended",
        "expired",
        "gone",
        "invalid",
        "missing",
        "no active",
        "no such",
        "no valid",
        "not found",
        "required",
        "terminated",
        "unknown",
    ];
    let read: Value = serde_json::from_slice(error).unwrap_or_default();
    let is_about_arguments = read["error"]["code"] == ErrorCode::INVALID_PARAMS.0
        && serde_json::to_value(id).is_ok_and(|id| read["id"] == id);
    let text = String::from_utf8_lossy(error).to_lowercase();
    let has_one = |words: &[&str]| words.iter().any(|word| text.contains(word));
    !is_about_arguments && (has_one(&NOT_BEGUN) || text.contains("session") && has_one(&LOST))
}

/// Returns whether an address that refuses to begin a connection may be one of the transport that streamable HTTP has replaced.
fn is_of_older_transport(status: StatusCode, address: &Url) -> bool {
    let is_sse = address.path().trim_end_matches('/').ends_with("/sse");
    status == StatusCode::METHOD_NOT_ALLOWED || is_sse && status.is_client_error()
}

/// Returns an answer with the id of the request whose HTTP response it is in.
fn with_id(mut message: ServerJsonRpcMessage, id: &RequestId) -> ServerJsonRpcMessage {
    if let JsonRpcMessage::Error(error) = &mut message {
        error.id = Some(id.clone());
    }
    message
}

/// Returns the first answer of a stream.
async fn first_answer(mut events: Events) -> Result<ServerJsonRpcMessage, HttpError> {
    while let Some(event) = events.next().await {
        let data = event?.data.unwrap_or_default();
        if let Ok(message) = serde_json::from_str::<ServerJsonRpcMessage>(&data)
            && answer::is_answer(&message)
        {
            return Ok(message);
        }
    }
    Err(no_answer())
}

fn no_answer() -> HttpError {
    StreamableHttpError::UnexpectedServerResponse("a stream of events that ends without an answer".into())
}

/// Returns the error of an answer that requires a login, or that leads to another address.
fn refusal(response: &Response) -> Option<HttpError> {
    let status = response.status();
    let challenge = header(response, &WWW_AUTHENTICATE);
    match (status, challenge) {
        (StatusCode::UNAUTHORIZED, Some(challenge)) => {
            Some(StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge)))
        }
        (StatusCode::FORBIDDEN, Some(challenge)) => {
            let scope = WWWAuthenticateParams::parse(&challenge, response.url()).scope;
            Some(StreamableHttpError::InsufficientScope(InsufficientScopeError::new(challenge, scope)))
        }
        _ if status.is_redirection() => {
            let place = header(response, &LOCATION).and_then(|place| response.url().join(&place).ok());
            let place = place.map(|place| format!(", which leads to {}", shown(place))).unwrap_or_default();
            let text = format!("HTTP {status}{place}: redirects are not followed, so change `url`");
            Some(StreamableHttpError::UnexpectedServerResponse(text.into()))
        }
        _ => None,
    }
}

/// Returns an address without what may be secret.
fn shown(mut place: Url) -> String {
    place.set_query(None);
    place.set_fragment(None);
    let _ = place.set_username("");
    let _ = place.set_password(None);
    place.into()
}

/// Returns a header of an answer, if it is not long.
fn header(response: &Response, name: &HeaderName) -> Option<String> {
    let value = response.headers().get(name).filter(|value| value.len() <= MAX_HEADER)?;
    value.to_str().ok().map(str::to_owned)
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
        let question = Question::new(&message, session.is_some());
        let json = serde_json::to_string(&message)
            .map_err(|error| StreamableHttpError::UnexpectedServerResponse(error.to_string().into()))?;
        let request = self.client.post(&*uri).header(ACCEPT, format!("{EVENTS}, {JSON}"));
        let request = request.header(CONTENT_TYPE, JSON).body(digits::unmarked(json));
        let request = with_headers(request, session.as_deref(), token.as_deref(), &headers);
        match self.post(request, &question, limits).await {
            // The handshake is complete with the answer to `initialize`. A session that is lost is noticed at the next request.
            Err(error) if is_initialized(&message) && !requires_login(&error) => {
                Ok(StreamableHttpPostResponse::Accepted)
            }
            answer => answer,
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<(), HttpError> {
        self.client.delete_session(uri, session, token, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Events, HttpError> {
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
    ) -> Result<Events, HttpError> {
        let is_resumed = last_event.is_some();
        let mut request = self.client.get(&*uri).header(ACCEPT, format!("{EVENTS}, {JSON}"));
        if let Some(last_event) = last_event {
            request = request.header(LAST_EVENT_ID, last_event);
        }
        let request = with_headers(request, session.as_deref(), token.as_deref(), &headers);
        let opened = open_stream(request, max).await;
        if !is_resumed {
            let state = if opened.is_ok() { MessageStream::Open } else { MessageStream::Refused };
            self.stream.send_replace(state);
        }
        Ok(answer::of_common_stream(self.inbox.clone(), opened?))
    }
}

/// Opens the stream of a server's messages.
async fn open_stream(request: RequestBuilder, max: usize) -> Result<Events, HttpError> {
    let response = request.send().await?;
    if response.status() == StatusCode::METHOD_NOT_ALLOWED {
        return Err(StreamableHttpError::ServerDoesNotSupportSse);
    }
    if let Some(error) = refusal(&response) {
        return Err(error);
    }
    let status = response.status();
    if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
        let retry_after = header(&response, &RETRY_AFTER);
        return Err(HttpStatusError::new(status.as_u16(), retry_after).into());
    }
    let response = response.error_for_status()?;
    match media_type(&response) {
        Some(kind) if kind == EVENTS => Ok(events::events(response.bytes_stream().boxed(), max)),
        other => Err(StreamableHttpError::UnexpectedContentType(other)),
    }
}

fn with_headers(
    mut request: RequestBuilder,
    session: Option<&str>,
    token: Option<&str>,
    headers: &Headers,
) -> RequestBuilder {
    for (name, value) in headers {
        // The protocol library repeats some arguments in headers.
        let digits = value.to_str().ok().and_then(digits::of_marked);
        request = match digits {
            Some(digits) => request.header(name, digits),
            None => request.header(name, value),
        };
    }
    if let Some(session) = session {
        request = request.header(SESSION_ID, session);
    }
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    request
}

/// Returns the media type of a response, without parameters.
fn media_type(response: &Response) -> Option<String> {
    let value = response.headers().get(CONTENT_TYPE)?.as_bytes();
    let value = String::from_utf8_lossy(value);
    Some(value.split(';').next()?.trim().to_ascii_lowercase())
}

fn is_json_type(kind: &str) -> bool {
    kind == JSON || kind.starts_with("application/") && kind.ends_with("+json")
}

/// Returns the body of a response, if it has at most `max` bytes.
async fn body(mut content: Content, max: usize) -> Result<Vec<u8>, HttpError> {
    let mut body = Vec::new();
    while let Some(chunk) = content.next().await {
        let chunk = chunk?;
        if body.len() + chunk.len() > max {
            let text = format!("more than {} MiB", max >> 20);
            return Err(StreamableHttpError::UnexpectedServerResponse(text.into()));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Returns at most `max` bytes of the body of a response, as far as it can be read.
async fn beginning(mut response: Response, max: usize) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        let room = max - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if body.len() == max {
            break;
        }
    }
    body
}
