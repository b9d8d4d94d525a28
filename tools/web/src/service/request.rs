//! Sends requests to services.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::Value;
use toolc_net::{Answer, Client, Fetch, HeaderName, HeaderValue, Limits};
use toolc_redact::Redactor;
use url::Url;

use super::account::{Access, KeyPlace};
use super::failure;
use super::outcome::Failure;

/// The bounds of a request, apart from its time. The longest answers are pages of a reader.
const LIMITS: Limits =
    Limits { time: Duration::from_secs(30), redirects: 3, header_bytes: 64 << 10, body_bytes: 8 << 20 };

/// A request, without what belongs to the account: its address and its key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Request {
    /// The path below the address of the account.
    path: &'static str,
    parameters: Vec<(&'static str, String)>,
    /// The body. A request with one is a POST, otherwise it is a GET.
    body: Option<Value>,
}

impl Request {
    pub(crate) fn get(path: &'static str) -> Self {
        Self { path, parameters: Vec::new(), body: None }
    }

    pub(crate) fn post(path: &'static str, body: Value) -> Self {
        Self { body: Some(body), ..Self::get(path) }
    }

    /// Adds a parameter, if it has a value.
    pub(crate) fn with(mut self, name: &'static str, value: Option<impl ToString>) -> Self {
        self.parameters.extend(value.map(|value| (name, value.to_string())));
        self
    }
}

/// Returns the JSON that a service answers with.
///
/// # Errors
/// If there is no answer in time, or it is not a success in JSON.
pub(crate) fn ask(client: &Client, access: &Access, request: Request, time: Duration) -> Result<Value, Failure> {
    // Services repeat the address and the headers of a request, and so the key.
    let redactor = Redactor::of_values(&access.secrets());
    let mut answer = send(client, access, request, time).map_err(|failure| {
        let detail = redactor.text(&failure.detail).into_owned();
        Failure { detail, ..failure }
    })?;
    if let Ok(text) = str::from_utf8(&answer.body)
        && let Cow::Owned(text) = redactor.text(text)
    {
        answer.body = text.into_bytes();
    }
    read(access, &answer)
}

fn send(client: &Client, access: &Access, request: Request, time: Duration) -> Result<Answer, Failure> {
    let mut url = joined(access.base(), request.path);
    if !request.parameters.is_empty() {
        url.query_pairs_mut().extend_pairs(&request.parameters);
    }
    if let (KeyPlace::Parameter(name), Some(key)) = (access.account().key_place, access.key()) {
        url.query_pairs_mut().append_pair(name, key.reveal());
    }
    // An error of this kind contains the address, and so the key.
    let target = client.target(url.as_str()).map_err(|invalid| {
        Failure::broken(format!(
            "the address of {} is not one that is fetched ({:?})",
            access.account().title,
            invalid.fault
        ))
    })?;
    let json = HeaderValue::from_static("application/json");
    let mut fetch = match request.body {
        Some(body) => Fetch::post(target, json.clone(), body.to_string().into_bytes()),
        None => Fetch::get(target),
    };
    fetch = fetch.with_header(toolc_net::header::ACCEPT, json);
    if let Some((name, value)) = access.header() {
        fetch = fetch.with_header(HeaderName::from_static(name), value);
    }
    client.fetch(fetch, &Limits { time, ..LIMITS }).map_err(|error| failure::of_fault(&error.fault))
}

fn read(access: &Access, answer: &Answer) -> Result<Value, Failure> {
    if !(200..300).contains(&answer.status) {
        return Err(failure::of_answer(access, answer));
    }
    if answer.is_cut {
        return Err(Failure::broken(format!("the answer has more than {} bytes", LIMITS.body_bytes)));
    }
    serde_json::from_slice(&answer.body).map_err(|error| {
        let text = String::from_utf8_lossy(&answer.body);
        if text.trim_start().starts_with(['{', '[']) {
            Failure::broken(format!("the answer is not valid JSON: {error}"))
        } else {
            failure::of_page(access.account(), answer.status, &text)
        }
    })
}

/// Adds a path to an address. A part that both have is not repeated: people configure `https://HOST/v2` and `https://HOST/search`, too.
fn joined(base: &Url, path: &str) -> Url {
    let before: Vec<&str> = base.path().split('/').filter(|part| !part.is_empty()).collect();
    let added: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let common = (0..=added.len()).rev().find(|common| before.ends_with(&added[..*common])).unwrap_or(0);
    let mut url = base.clone();
    url.set_path(&[&before[..], &added[common..]].concat().join("/"));
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_added_to_an_address_once() {
        for (base, path, expected) in [
            ("https://api.example", "v2/search", "https://api.example/v2/search"),
            ("https://api.example/", "", "https://api.example/"),
            ("https://api.example/v2", "v2/search", "https://api.example/v2/search"),
            ("https://api.example/searx/", "search", "https://api.example/searx/search"),
            ("https://api.example/searx/search", "search", "https://api.example/searx/search"),
            ("https://api.example/v1", "v2/search", "https://api.example/v1/v2/search"),
        ] {
            assert_eq!(joined(&Url::parse(base).expect(base), path).as_str(), expected, "{base} {path}");
        }
    }
}
