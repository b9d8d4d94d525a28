//! Decides who sends a request, and whether it is read. What passes is answered by rmcp.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use rmcp::model::{ErrorData, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

use super::body::{Body, Budget, Reading, Unread};
use super::connections::Admitted;
use super::sessions::SessionOwners;
use super::{MAX_HEAD, PATH};
use crate::server::handler::Handler;
use crate::server::principal::{Principal, Tokens};
use crate::server::unreadable::{Unreadable, read_or_rewrite};

/// The header with the id of a session.
const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

/// What all requests pass.
pub(super) struct Gate {
    service: StreamableHttpService<Handler, LocalSessionManager>,
    tokens: Tokens,
    sessions: SessionOwners,
    budget: Budget,
}

impl Gate {
    pub(super) fn new(
        service: StreamableHttpService<Handler, LocalSessionManager>,
        manager: Arc<LocalSessionManager>,
        tokens: Tokens,
    ) -> Self {
        Self { service, tokens, sessions: SessionOwners::new(manager), budget: Budget::default() }
    }

    /// Waits until all requests that were read have been answered.
    pub(super) async fn answered(&self) {
        self.budget.answered().await;
    }

    /// Answers a request of a connection.
    pub(super) async fn answer(&self, request: Request<Incoming>, connection: &Admitted) -> Response<Body> {
        match self.pass(request, connection).await {
            Ok(response) | Err(response) => response,
        }
    }

    async fn pass(&self, request: Request<Incoming>, connection: &Admitted) -> Result<Response<Body>, Response<Body>> {
        if let Some((status, problem)) = head_problem(&request) {
            return Err(refusal(status, &problem));
        }
        if request.uri().path() != PATH {
            return Err(refusal(StatusCode::NOT_FOUND, &format!("the MCP server is at {PATH}")));
        }
        let principal = self.principal(request.headers()).ok_or_else(unauthorized)?;
        connection.prove();
        let session = request.headers().get(&SESSION_ID).cloned();
        if let Some(id) = &session
            && !self.sessions.is_owned_by(id, &principal)
        {
            return Err(refusal(StatusCode::NOT_FOUND, "there is no such session: begin with `initialize`"));
        }
        let (mut parts, body) = request.into_parts();
        parts.extensions.insert(principal.clone());
        if parts.method != Method::POST {
            let is_end = parts.method == Method::DELETE;
            let empty = Full::new(Bytes::new());
            let mut response = self.service.handle(Request::from_parts(parts, empty)).await;
            // The session has ended. rmcp says that it will, which clients report as a failure.
            if is_end && response.status() == StatusCode::ACCEPTED {
                if let Some(id) = &session {
                    self.sessions.end(id);
                }
                response = Response::new(Full::new(Bytes::new()).boxed());
                *response.status_mut() = StatusCode::NO_CONTENT;
            }
            return Ok(response);
        }
        let Reading { bytes, permit } = self.budget.read(body, &parts.headers).await.map_err(unread)?;
        // rmcp would answer without the id of the request.
        let read = read_or_rewrite(&bytes);
        let (message, is_rewritten) = read.map_err(|unreadable| json(StatusCode::BAD_REQUEST, unreadable.message()))?;
        let bytes = match serde_json::to_vec(&message) {
            Ok(rewritten) if is_rewritten => Bytes::from(rewritten),
            _ => bytes,
        };
        let begins = matches!(
            &message,
            JsonRpcMessage::Request(request) if matches!(request.request, rmcp::model::ClientRequest::InitializeRequest(_))
        );
        let open_request = match (&message, &session) {
            (JsonRpcMessage::Request(request), Some(session)) => {
                let in_use = || json(StatusCode::BAD_REQUEST, Unreadable::busy(&message).message());
                Some(self.sessions.begin_request(session, &request.id).ok_or_else(in_use)?)
            }
            _ => None,
        };
        drop(message);
        let reservation =
            if begins { Some(self.sessions.reserve(&principal).await.ok_or_else(too_many)?) } else { None };
        let response = self.service.handle(Request::from_parts(parts, Full::new(bytes))).await;
        if let (Some(reservation), Some(id)) = (reservation, response.headers().get(&SESSION_ID)) {
            reservation.begin(id);
        }
        Ok(response.map(|body| permit.until_end_of(body, open_request)))
    }

    /// Returns who sends a request, or `None` if it has no valid token.
    fn principal(&self, headers: &HeaderMap) -> Option<Principal> {
        if self.tokens.is_empty() {
            return Some(Principal::local());
        }
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let value = values.next().filter(|_| values.next().is_none())?.to_str().ok()?;
        let (scheme, token) = value.split_once(' ')?;
        if scheme.eq_ignore_ascii_case("bearer") { self.tokens.bearer(token.trim()) } else { None }
    }
}

/// Returns why a head is refused: it is too large, or names the host or the origin more than once. A proxy could have checked another
/// value than the one that is checked here.
fn head_problem<T>(request: &Request<T>) -> Option<(StatusCode, String)> {
    if head_size(request) > MAX_HEAD {
        let message = format!("the head of the request is larger than {} KiB", MAX_HEAD >> 10);
        return Some((StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, message));
    }
    let headers = request.headers();
    if let Some(name) = [HOST, ORIGIN].iter().find(|name| headers.get_all(*name).iter().count() > 1) {
        return Some((StatusCode::BAD_REQUEST, format!("the header `{name}` is sent more than once")));
    }
    let host = headers.get(HOST).map(HeaderValue::as_bytes);
    let authority = request.uri().authority().filter(|authority| host != Some(authority.as_str().as_bytes()));
    authority.map(|_| (StatusCode::BAD_REQUEST, "the address of the request and its header `host` differ".to_owned()))
}

/// Returns the size of the head of a request in bytes, without optional white space. hyper limits only the size of its buffer, which one
/// read can exceed.
fn head_size<T>(request: &Request<T>) -> usize {
    let headers = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len());
    let uri = request.uri();
    let authority = uri.authority().map_or(0, |authority| "http://".len() + authority.as_str().len());
    let target = authority + uri.path_and_query().map_or(0, |path| path.as_str().len());
    request.method().as_str().len() + target + "  HTTP/1.1\r\n\r\n".len() + headers.sum::<usize>()
}

fn unauthorized() -> Response<Body> {
    let mut response = refusal(StatusCode::UNAUTHORIZED, "expected a valid token: `Authorization: Bearer TOKEN`");
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

fn too_many() -> Response<Body> {
    let mut response = refusal(StatusCode::SERVICE_UNAVAILABLE, "too many sessions: end one, or try again later");
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("30"));
    response
}

fn unread(why: Unread) -> Response<Body> {
    let (status, text) = why.answer();
    let mut response = refusal(status, &text);
    if status == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

/// Returns the refusal of a request, as an error of the protocol without an id.
fn refusal(status: StatusCode, message: &str) -> Response<Body> {
    let error: ServerJsonRpcMessage = JsonRpcMessage::error(ErrorData::invalid_request(message.to_owned(), None), None);
    json(status, serde_json::to_string(&error).unwrap_or_default())
}

fn json(status: StatusCode, text: String) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from(text)).boxed());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
