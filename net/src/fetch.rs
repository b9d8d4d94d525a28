//! A request, and its answer.

use ureq::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};

use crate::target::Target;

/// A request.
#[derive(Debug, Clone)]
pub struct Fetch {
    pub(crate) method: Method,
    pub(crate) target: Target,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    pub(crate) is_reload: bool,
}

/// An answer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Answer {
    /// The address that has answered, after redirects.
    pub target: Target,
    /// The addresses before it, the first one first.
    pub redirected_from: Vec<Target>,
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body after decompression.
    pub body: Vec<u8>,
    /// Whether the body is longer than the limit, so that its end is missing.
    pub is_cut: bool,
    /// Whether the body was kept from an earlier fetch: it was still fresh, or the server said that it has not changed.
    pub from_cache: bool,
}

impl Fetch {
    /// Returns a request for what is at an address.
    pub fn get(target: Target) -> Self {
        Self { method: Method::GET, target, headers: HeaderMap::new(), body: Vec::new(), is_reload: false }
    }

    /// Returns a request that sends a body.
    pub fn post(target: Target, content_type: HeaderValue, body: Vec<u8>) -> Self {
        let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, content_type)]);
        Self { method: Method::POST, headers, body, ..Self::get(target) }
    }

    /// Adds a header, in place of one with the same name. A redirect to another server does not get it.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// Asks the server even if an answer of the cache is still fresh.
    #[must_use]
    pub fn reloaded(self) -> Self {
        Self { is_reload: true, ..self }
    }

    /// Changes the request to what follows a redirect (RFC 9110, 15.4). What is not for another server is removed.
    ///
    /// # Errors
    /// If the body would be sent to another server.
    pub(crate) fn redirect(&mut self, status: StatusCode, to: Target) -> Result<Target, BodyElsewhere> {
        let becomes_get = match status {
            StatusCode::SEE_OTHER => true,
            StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => self.method == Method::POST,
            _ => false,
        };
        if becomes_get {
            (self.method, self.body) = (Method::GET, Vec::new());
            self.headers.remove(header::CONTENT_TYPE);
        }
        if !to.is_same_origin(&self.target) {
            if !self.body.is_empty() {
                return Err(BodyElsewhere);
            }
            self.headers.clear();
        }
        Ok(std::mem::replace(&mut self.target, to))
    }
}

/// A redirect would send the body of a request to another server.
pub(crate) struct BodyElsewhere;

/// The answer to one request, without redirects.
#[derive(Debug, Clone)]
pub(crate) struct Hop {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    /// Empty if the answer is a redirect.
    pub(crate) body: Vec<u8>,
    pub(crate) is_cut: bool,
    pub(crate) from_cache: bool,
}

/// Returns the address to which an answer redirects.
pub(crate) fn location(status: StatusCode, headers: &HeaderMap) -> Option<String> {
    let is_redirect = matches!(
        status,
        StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT
    );
    Some(text(headers, &header::LOCATION)).filter(|location| is_redirect && !location.is_empty())
}

/// Returns the text of a header, or nothing.
pub(crate) fn text(headers: &HeaderMap, name: &HeaderName) -> String {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).unwrap_or_default()
}
