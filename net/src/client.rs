//! Fetches addresses: each host is resolved once, each of its addresses is checked, and redirects are followed by hand.

use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fmt, io};

use ureq::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Uri, header};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Body, Proxy};

use crate::address::AddressPolicy;
use crate::body::{self, ENCODINGS};
use crate::error::{FetchError, FetchFault};
use crate::limits::Limits;
use crate::target::{Ports, Target};

/// What may be fetched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// The IP addresses.
    pub addresses: AddressPolicy,
    /// The ports.
    pub ports: Ports,
}

/// A request.
#[derive(Debug, Clone)]
pub struct Fetch {
    method: Method,
    target: Target,
    headers: HeaderMap,
    body: Vec<u8>,
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
}

/// The client. Its copies share their connections.
#[derive(Clone)]
pub struct Client {
    agent: Agent,
    /// What may be fetched. `None` if a person has configured the addresses.
    policy: Option<Arc<Policy>>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("policy", &self.policy).finish_non_exhaustive()
    }
}

impl Fetch {
    /// Returns a request for what is at an address.
    pub fn get(target: Target) -> Self {
        Self { method: Method::GET, target, headers: HeaderMap::new(), body: Vec::new() }
    }

    /// Returns a request that sends a body.
    pub fn post(target: Target, content_type: HeaderValue, body: Vec<u8>) -> Self {
        let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, content_type)]);
        Self { method: Method::POST, target, headers, body }
    }

    /// Adds a header, in place of one with the same name. A redirect to another server does not get it.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }
}

impl Client {
    /// Returns a client that sends `user_agent` and follows a policy. It uses no proxy: a proxy would resolve names again, elsewhere.
    pub fn new(policy: Policy, user_agent: &str) -> Self {
        let policy = Arc::new(policy);
        let resolver = CheckedResolver { policy: Arc::clone(&policy), names: DefaultResolver::default() };
        let config = config(None, user_agent);
        Self { agent: Agent::with_parts(config, DefaultConnector::default(), resolver), policy: Some(policy) }
    }

    /// Returns a client for addresses that a person has configured, such as those of vendors: every address may be reached, and the proxy
    /// of the environment is used.
    pub fn configured(user_agent: &str) -> Self {
        Self { agent: Agent::new_with_config(config(Proxy::try_from_env(), user_agent)), policy: None }
    }

    /// Reads an address whose port may be fetched.
    ///
    /// # Errors
    /// Like [`Target::parse`].
    pub fn target(&self, text: &str) -> Result<Target, crate::InvalidTarget> {
        Target::parse(text, self.ports())
    }

    fn ports(&self) -> &Ports {
        self.policy.as_ref().map_or(&Ports::Any, |policy| &policy.ports)
    }

    /// Fetches an address. An answer with a status such as 404 is an answer.
    ///
    /// # Errors
    /// If an address must not be reached, there is no answer within the limits, or the answer is damaged.
    pub fn fetch(&self, fetch: Fetch, limits: &Limits) -> Result<Answer, FetchError> {
        let end = Instant::now() + limits.time;
        let Fetch { mut method, mut target, mut headers, mut body } = fetch;
        let mut redirected_from: Vec<Target> = Vec::new();
        loop {
            let failed = |fault: FetchFault| FetchError {
                address: target.to_string(),
                redirects: redirected_from.len(),
                fault: fault.within(limits.time),
            };
            let response = self.send(&method, &target, &headers, &body, limits, end).map_err(failed)?;
            let Some(location) = location(&response) else {
                let encoding = text(response.headers(), &header::CONTENT_ENCODING);
                let (status, answered) = (response.status().as_u16(), response.headers().clone());
                let read = body::read(response.into_body().into_reader(), &encoding, limits.body_bytes);
                let (body, is_cut) = read.map_err(failed)?;
                return Ok(Answer { target, redirected_from, status, headers: answered, body, is_cut });
            };
            if redirected_from.len() >= limits.redirects {
                return Err(failed(FetchFault::Redirects(limits.redirects)));
            }
            let next = target.join(&location, self.ports());
            let next = next.map_err(|invalid| failed(FetchFault::Target(Box::new(invalid))))?;
            if target.url().scheme() == "https" && next.url().scheme() == "http" {
                return Err(failed(FetchFault::Downgrade));
            }
            if becomes_get(&method, response.status()) {
                (method, body) = (Method::GET, Vec::new());
                headers.remove(header::CONTENT_TYPE);
            }
            if !next.has_origin_of(&target) {
                if !body.is_empty() {
                    return Err(failed(FetchFault::BodyElsewhere));
                }
                headers.clear();
            }
            redirected_from.push(std::mem::replace(&mut target, next));
        }
    }

    fn send(
        &self,
        method: &Method,
        target: &Target,
        headers: &HeaderMap,
        body: &[u8],
        limits: &Limits,
        end: Instant,
    ) -> Result<Response<Body>, FetchFault> {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(FetchFault::TimedOut(limits.time));
        }
        let mut request = Request::builder().method(method).uri(target.url().as_str());
        if let Some(all) = request.headers_mut() {
            all.extend(headers.clone());
        }
        let protocol = |error: &dyn fmt::Display| FetchFault::Protocol(error.to_string());
        let fault = |error: ureq::Error| FetchFault::of(error, limits.time);
        // An empty body is left out: some servers refuse a GET with one.
        if body.is_empty() {
            let request = request.body(()).map_err(|error| protocol(&error))?;
            self.agent.run(self.bounded(request, limits, left)).map_err(fault)
        } else {
            let request = request.body(body.to_vec()).map_err(|error| protocol(&error))?;
            self.agent.run(self.bounded(request, limits, left)).map_err(fault)
        }
    }

    fn bounded<B: ureq::AsSendBody>(&self, request: Request<B>, limits: &Limits, left: Duration) -> Request<B> {
        self.agent
            .configure_request(request)
            .timeout_global(Some(left))
            .max_response_header_size(limits.header_bytes)
            .build()
    }
}

fn config(proxy: Option<Proxy>, user_agent: &str) -> ureq::config::Config {
    Agent::config_builder()
        .proxy(proxy)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .user_agent(user_agent.to_owned())
        .accept_encoding(ENCODINGS)
        .build()
}

/// Returns the address to which an answer redirects.
fn location(response: &Response<Body>) -> Option<String> {
    let is_redirect = matches!(
        response.status(),
        StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT
    );
    Some(text(response.headers(), &header::LOCATION)).filter(|location| is_redirect && !location.is_empty())
}

/// Returns whether the request after a redirect is a GET (RFC 9110, 15.4).
fn becomes_get(method: &Method, status: StatusCode) -> bool {
    match status {
        StatusCode::SEE_OTHER => true,
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => method == Method::POST,
        _ => false,
    }
}

/// Returns the text of a header, or nothing.
fn text(headers: &HeaderMap, name: &HeaderName) -> String {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).unwrap_or_default()
}

/// Resolves names, and refuses a host if one of its addresses must not be reached. The client connects to the addresses that were checked.
#[derive(Debug)]
struct CheckedResolver {
    policy: Arc<Policy>,
    names: DefaultResolver,
}

impl Resolver for CheckedResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &ureq::config::Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.names.resolve(uri, config, timeout).map_err(|error| match error {
            // Lookups fail with errors of no particular kind.
            ureq::Error::Io(error) if error.kind() != io::ErrorKind::TimedOut => ureq::Error::HostNotFound,
            error => error,
        })?;
        for address in &found {
            self.policy.addresses.check(address.ip()).map_err(|refused| ureq::Error::Other(Box::new(refused)))?;
        }
        Ok(found)
    }
}
