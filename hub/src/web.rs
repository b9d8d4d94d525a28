//! Requests to sources: all through the client with the address policy, and each outcome with its type.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::Value;
use toolc_net::{Answer, Client, Fetch, HeaderName, HeaderValue, Limits, header};
use url::Url;

use crate::fault::{SourceError, SourceFault};

/// The bounds of a request. The largest answers are archives, and the index of LobeHub.
const LIMITS: Limits =
    Limits { time: Duration::from_mins(1), redirects: 5, header_bytes: 64 << 10, body_bytes: 24 << 20 };
/// The maximum length of a source's message, in characters.
const MAX_MESSAGE: usize = 300;
/// How many files are fetched at the same time.
const AT_ONCE: usize = 8;

/// Sends requests.
#[derive(Debug, Clone)]
pub(crate) struct Web {
    client: Client,
}

/// The headers of a request.
pub(crate) type Headers = Vec<(HeaderName, HeaderValue)>;

impl Web {
    pub(crate) fn new(client: Client) -> Self {
        Self { client }
    }

    /// Fetches an address, and requires a success.
    pub(crate) fn get(&self, url: &Url, headers: Headers) -> Result<Answer, SourceError> {
        let fetch = self.request(url, headers)?;
        checked(url, self.client.fetch(fetch, &LIMITS))
    }

    /// Fetches several addresses. The first failure counts.
    pub(crate) fn get_all(&self, urls: &[Url], headers: &Headers) -> Result<Vec<Answer>, SourceError> {
        let fetches = urls.iter().map(|url| self.request(url, headers.clone())).collect::<Result<_, _>>()?;
        let answers = self.client.fetch_all(fetches, &LIMITS, AT_ONCE);
        urls.iter().zip(answers).map(|(url, answer)| checked(url, answer)).collect()
    }

    /// Fetches JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self, url: &Url, mut headers: Headers) -> Result<T, SourceError> {
        if headers.iter().all(|(name, _)| *name != header::ACCEPT) {
            headers.push((header::ACCEPT, HeaderValue::from_static("application/json")));
        }
        read_json(url, &self.get(url, headers)?)
    }

    /// Sends JSON, and reads JSON.
    pub(crate) fn post<T: DeserializeOwned>(
        &self,
        url: &Url,
        headers: Headers,
        body: &Value,
    ) -> Result<T, SourceError> {
        let json = HeaderValue::from_static("application/json");
        let fetch = Fetch::post(self.target(url)?, json, body.to_string().into_bytes());
        let fetch = headers.into_iter().fold(fetch, |fetch, (name, value)| fetch.with_header(name, value));
        read_json(url, &checked(url, self.client.fetch(fetch, &LIMITS))?)
    }

    fn request(&self, url: &Url, headers: Headers) -> Result<Fetch, SourceError> {
        let fetch = Fetch::get(self.target(url)?);
        Ok(headers.into_iter().fold(fetch, |fetch, (name, value)| fetch.with_header(name, value)))
    }

    fn target(&self, url: &Url) -> Result<toolc_net::Target, SourceError> {
        let refused = |error: toolc_net::InvalidTarget| SourceFault::Refused(error.to_string());
        self.client.target(url.as_str()).map_err(|error| SourceError::new(shown(url), refused(error)))
    }
}

/// Returns an address that may be shown: without its parameters.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.to_string()
}

/// Adds names to the path of an address.
pub(crate) fn join<'n>(base: &Url, names: impl IntoIterator<Item = &'n str>) -> Url {
    let mut url = base.clone();
    // An address of `http` or `https` has a path.
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(names);
    }
    url
}

/// Makes a text from outside fit on one line of a terminal.
pub(crate) fn line(text: &str, most: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown: String = text.chars().filter(|character| !character.is_control()).take(most).collect();
    if shown.len() < text.len() && text.chars().count() > most {
        shown.push('…');
    }
    shown
}

fn checked(url: &Url, answer: Result<Answer, toolc_net::FetchError>) -> Result<Answer, SourceError> {
    let subject = shown(url);
    let answer = answer.map_err(|error| SourceError::new(&subject, SourceFault::of_fetch(&error.fault)))?;
    if !(200..300).contains(&answer.status) {
        return Err(SourceError::new(&subject, of_status(&answer)));
    }
    if answer.is_cut {
        return Err(SourceError::broken(&subject, format!("it has more than {} bytes", LIMITS.body_bytes)));
    }
    Ok(answer)
}

fn read_json<T: DeserializeOwned>(url: &Url, answer: &Answer) -> Result<T, SourceError> {
    serde_json::from_slice(&answer.body).map_err(|error| SourceError::broken(shown(url), error))
}

/// Returns what a status means (RFC 9110, 15; RFC 6585; GitHub, "Rate limits for the REST API").
fn of_status(answer: &Answer) -> SourceFault {
    let message = message(answer);
    let number = |name| header(answer, name).and_then(|text| text.parse::<i64>().ok());
    let is_limited = header(answer, "retry-after").is_some() || number("x-ratelimit-remaining") == Some(0);
    let with_status = || format!("status {}: {message}", answer.status);
    match answer.status {
        429 => SourceFault::RateLimit(again(answer)),
        403 if is_limited => SourceFault::RateLimit(again(answer)),
        401 | 403 | 407 => SourceFault::Auth(with_status()),
        404 | 410 => SourceFault::NotFound(message),
        451 => SourceFault::Blocked(with_status()),
        500.. => SourceFault::Unavailable(with_status()),
        _ => SourceFault::Broken(with_status()),
    }
}

/// Returns the time from which a source answers again: by `Retry-After`, or by the end of the window.
fn again(answer: &Answer) -> Option<Timestamp> {
    let number = |name| header(answer, name).and_then(|text| text.parse::<i64>().ok());
    let now = Timestamp::try_from(SystemTime::now()).ok()?;
    let after = |seconds: i64| now.checked_add(jiff::SignedDuration::from_secs(seconds.clamp(0, 86_400))).ok();
    let wait = number("retry-after").and_then(after);
    let date = || {
        let text = header(answer, "retry-after")?;
        Some(jiff::fmt::rfc2822::parse(&text).ok()?.timestamp())
    };
    let reset = || Timestamp::from_second(number("x-ratelimit-reset")?).ok();
    wait.or_else(date).or_else(reset).or_else(|| after(number("ratelimit-reset")?))
}

fn header(answer: &Answer, name: &str) -> Option<String> {
    Some(answer.headers.get(name)?.to_str().ok()?.trim().to_owned())
}

/// Returns the message of a source: the key `message` or `error` of JSON, or a plain text.
fn message(answer: &Answer) -> String {
    let text = String::from_utf8_lossy(&answer.body);
    let said = serde_json::from_slice::<Value>(&answer.body).ok().and_then(|body| {
        let said = ["message", "error"].iter().find_map(|key| body.get(key)?.as_str().map(str::to_owned));
        said.or_else(|| Some(String::new()))
    });
    match said {
        Some(said) => line(&said, MAX_MESSAGE),
        None if text.trim_start().starts_with('<') => "a page instead of data".to_owned(),
        None => line(&text, MAX_MESSAGE),
    }
}
