//! Services whose requests and answers are those that they publish. Each refuses a request that the service would refuse, and answers with as
//! many results as it asks for.

mod brave;
mod exa;
mod firecrawl;
mod jina;
mod parallel;
mod searxng;
mod serpapi;
mod serper;
mod tavily;
mod xai;

use serde_json::{Value, json};

use crate::server::{End, Reply, Request, Server};

/// The key of every account.
pub(crate) const KEY: &str = "key-0123456789abcdef";
/// The address of the page that readers read.
pub(crate) const PAGE: &str = "https://blog.example/2024/05/a-post";

/// A service.
pub(crate) struct Service {
    pub(crate) name: &'static str,
    /// The variable with its key, if it has one.
    pub(crate) key: Option<&'static str>,
    /// The variable with its address.
    pub(crate) base: &'static str,
    /// Returns the right answer, or the refusal of a wrong request.
    pub(crate) answer: fn(&Request, usize) -> Reply,
    pub(crate) quota: fn() -> Reply,
    pub(crate) auth: fn() -> Reply,
    pub(crate) rate: fn() -> Reply,
}

/// Those that search.
pub(crate) static SEARCHING: &[&Service] = &[
    &brave::SERVICE,
    &exa::SERVICE,
    &firecrawl::SERVICE,
    &parallel::SERVICE,
    &searxng::SERVICE,
    &serpapi::SERVICE,
    &serper::SERVICE,
    &tavily::SERVICE,
    &xai::SERVICE,
];
/// Those that read pages.
pub(crate) static READING: &[&Service] = &[&exa::SERVICE, &firecrawl::SERVICE, &jina::SERVICE, &tavily::SERVICE];

/// How a service answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// As it should.
    Right,
    /// As it should if nothing is found, or the page has no text.
    Empty,
    Quota,
    Auth,
    Rate,
    /// Not at all.
    Slow,
    /// With a failure of the server.
    Down,
    /// With a page for browsers.
    Html,
    /// With a page that asks whether a person is there.
    Challenge,
    /// With other JSON.
    OtherJson,
    /// With a million lists, each in the one before it.
    Deep,
    /// With the first half of the JSON.
    HalfJson,
    /// With a connection that ends early.
    Early,
    /// With ten megabytes.
    Huge,
    /// As it should, but only addresses and texts of pages are in it.
    Missing,
    /// As it should, with null in place of all other fields.
    Nulls,
    /// As it should, with numbers as texts.
    Strings,
}

/// A running service.
pub(crate) struct Running {
    pub(crate) service: &'static Service,
    pub(crate) server: Server,
}

impl Service {
    /// Starts the service.
    pub(crate) fn start(&'static self, mode: Mode) -> Running {
        Running { service: self, server: Server::start(move |request| self.reply(request, mode)) }
    }

    fn reply(&self, request: &Request, mode: Mode) -> Reply {
        let right = || (self.answer)(request, 25);
        let changed = |change: fn(&str, &Value) -> Option<Value>| {
            let reply = right();
            let value: Value = serde_json::from_slice(&reply.body).expect("JSON");
            Reply::json(reply.status, &mapped("", &value, change).unwrap_or(Value::Null))
        };
        match mode {
            Mode::Right => right(),
            Mode::Empty => (self.answer)(request, 0),
            Mode::Quota => (self.quota)(),
            Mode::Auth => (self.auth)(),
            Mode::Rate => (self.rate)(),
            Mode::Slow => Reply { end: End::Never, ..right() },
            Mode::Down => Reply::text(503, "text/plain", "upstream connect error"),
            Mode::Html => Reply::text(200, "text/html", "<!DOCTYPE html><html><title>Welcome</title></html>"),
            Mode::Challenge => Reply::text(403, "text/html", "<html><title>Just a moment...</title></html>"),
            Mode::OtherJson => Reply::json(200, &json!({ "unexpected": [1, 2, 3] })),
            Mode::Deep => Reply::text(200, "application/json", &"[".repeat(1_000_000)),
            Mode::HalfJson => {
                let reply = right();
                Reply { body: reply.body[..reply.body.len() / 2].to_vec(), ..reply }
            }
            Mode::Early => Reply { end: End::Early, ..right() },
            Mode::Huge => Reply { body: format!("{{\"a\":\"{}\"}}", "x".repeat(10 << 20)).into_bytes(), ..right() },
            Mode::Missing => changed(|key, value| is_needed(key).then(|| value.clone())),
            Mode::Nulls => changed(|key, value| Some(if is_needed(key) { value.clone() } else { Value::Null })),
            Mode::Strings => changed(|_, value| {
                Some(if value.is_number() { Value::String(value.to_string()) } else { value.clone() })
            }),
        }
    }
}

impl Running {
    /// Returns a variable of an environment with its key and address.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        if name == self.service.base {
            return Some(self.server.url());
        }
        (Some(name) == self.service.key).then(|| KEY.to_owned())
    }
}

/// Returns whether an answer is nothing without a field.
fn is_needed(key: &str) -> bool {
    ["url", "link", "success", "markdown", "text", "raw_content", "content"].contains(&key)
}

/// Changes what is neither an object nor a list, which are kept.
fn mapped(key: &str, value: &Value, change: fn(&str, &Value) -> Option<Value>) -> Option<Value> {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().filter_map(|(key, value)| Some((key.clone(), mapped(key, value, change)?)));
            Some(Value::Object(fields.collect()))
        }
        Value::Array(items) => Some(items.iter().filter_map(|item| mapped(key, item, change)).collect()),
        _ => change(key, value),
    }
}

/// Returns the pages that a search has found, from one of them on: at most `size`, of `total`.
fn pages(first: usize, size: usize, total: usize, page: impl Fn(usize) -> Value) -> Value {
    (first..total.min(first + size)).map(page).collect()
}

/// Returns the address of a page.
fn address(number: usize) -> String {
    format!("https://site{number}.example/page?utm_source=service&n={number}")
}

/// Returns a number that is written as a number.
fn size(value: &Value, usual: usize) -> usize {
    value.as_u64().and_then(|size| usize::try_from(size).ok()).unwrap_or(usual)
}

/// Returns whether a request has only these fields in its body.
fn has_only(body: &Value, known: &[&str]) -> bool {
    body.as_object().is_some_and(|fields| fields.keys().all(|key| known.contains(&key.as_str())))
}
