//! One try of a request over HTTP.

use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};

use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use tokio::time::{error::Elapsed, timeout};
use toolc::wire::{ModelResponse, Stop, WireError};

use crate::error::{ErrorKind, ModelError, Responded};

use super::answer::Event;
use super::listed::{self, ListedModel};
use super::network::{self, Proxy};
use super::retry::retry_after;
use super::settings::Settings;
use super::wait;

/// The maximum number of bytes of an error's body that are read. The beginning says what is wrong.
const MAX_ERROR_BYTES: usize = 64 << 10;

/// The time limit of a test of a key.
const CHECK_LIMIT: Duration = Duration::from_secs(20);

/// The connections to a server. The HTTP client is created when it is first used.
#[derive(Debug)]
pub(crate) struct Http {
    client: OnceLock<Result<reqwest::Client, String>>,
    /// The scheme and the host, for errors. A path or a query could hold a key.
    host: String,
    /// The proxy of the server, if any.
    proxy: Option<Proxy>,
}

type OnEvent<'e> = dyn FnMut(Event<'_>) + Send + 'e;

impl Http {
    pub(crate) fn new(settings: &Settings) -> Self {
        let host = reqwest::Url::parse(settings.model.base_url()).ok().and_then(|url| {
            let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
            Some(format!("{}://{}{port}", url.scheme(), url.host_str()?))
        });
        let proxy = Proxy::of(settings.model.base_url());
        Self { client: OnceLock::new(), host: host.unwrap_or_else(|| "the server".to_owned()), proxy }
    }

    /// Sends a request that needs these beta features, and reads the answer, which must begin within `begin`. Passes its text on as it
    /// arrives.
    pub(crate) async fn attempt(
        &self,
        settings: &Settings,
        betas: &[&str],
        body: &str,
        begin: Duration,
        on_event: &mut OnEvent<'_>,
    ) -> Result<ModelResponse, ModelError> {
        let limit = settings.limits.total;
        let answer = match timeout(limit, self.exchange(settings, betas, body, begin, on_event)).await {
            Ok(answer) => answer,
            Err(Elapsed { .. }) => Err(self.timed_out("complete its answer", limit)),
        };
        answer.map_err(|error| error.without_key(settings.key.as_ref()))
    }

    async fn exchange(
        &self,
        settings: &Settings,
        betas: &[&str],
        body: &str,
        begin: Duration,
        on_event: &mut OnEvent<'_>,
    ) -> Result<ModelResponse, ModelError> {
        let (model, start) = (&settings.model, Instant::now());
        let sent = self.request(settings, betas, body)?.send();
        let sent = timeout(begin, sent).await;
        let mut response =
            sent.map_err(|_| self.timed_out("begin its answer", begin))?.map_err(|error| self.failed(&error))?;
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
        let status = response.status();
        if !status.is_success() {
            let wait = retry_after(header("retry-after-ms"), header(RETRY_AFTER.as_str()), SystemTime::now());
            let body = error_body(&mut response, settings.limits.error_body).await;
            let wait = wait.or_else(|| wait::in_body(&body));
            return Err(self.responded(settings, status).failed(&body, wait));
        }
        let (mut stream, mut is_empty) = (model.api.wire().stream(), true);
        loop {
            let chunk = if stream.is_answering() {
                let chunk = timeout(model.timeout, response.chunk()).await;
                chunk.map_err(|_| self.timed_out("continue its answer", model.timeout))?
            } else {
                let chunk = timeout(begin.saturating_sub(start.elapsed()), response.chunk()).await;
                chunk.map_err(|_| self.timed_out("begin its answer", begin))?
            };
            let Some(bytes) = chunk.map_err(|error| self.failed(&error))? else { break };
            is_empty &= bytes.is_empty();
            let text = stream.push(&bytes).map_err(|error| self.unreadable(settings, status, &error))?;
            if !text.is_empty() {
                on_event(Event::Text(&text));
            }
        }
        if is_empty {
            return Err(self.responded(settings, status).empty());
        }
        stream.finish().map_err(|error| self.unreadable(settings, status, &error))
    }

    /// Returns the response. Returns an error if it is empty, unless it was cut off or is a refusal, or ended normally and `may_be_empty` is
    /// set.
    pub(crate) fn answered(&self, response: ModelResponse, may_be_empty: bool) -> Result<ModelResponse, ModelError> {
        let is_failure = match response.stop() {
            Stop::Failed | Stop::Other => true,
            Stop::Done => !may_be_empty,
            _ => false,
        };
        let is_empty =
            response.calls().is_empty() && response.text().trim().is_empty() && response.unknown().is_empty();
        if is_failure && is_empty {
            Err(ModelError::no_answer(&self.host, response.stop_reason()))
        } else {
            Ok(response)
        }
    }

    /// Asks for a list of one model, which fails if the key is wrong.
    pub(crate) async fn check_key(&self, settings: &Settings) -> Result<(), ModelError> {
        let checked = match timeout(CHECK_LIMIT, self.begin_list(settings, 1)).await {
            Ok(response) => response.map(drop),
            Err(Elapsed { .. }) => Err(self.timed_out("begin its answer", CHECK_LIMIT)),
        };
        checked.map_err(|error| error.without_key(settings.key.as_ref()))
    }

    /// Asks for the list of models, which must be complete within the limit.
    pub(crate) async fn models(&self, settings: &Settings, limit: Duration) -> Result<Vec<ListedModel>, ModelError> {
        let listed = match timeout(limit, self.read_list(settings)).await {
            Ok(listed) => listed,
            Err(Elapsed { .. }) => Err(self.timed_out("list its models", limit)),
        };
        listed.map_err(|error| error.without_key(settings.key.as_ref()))
    }

    async fn read_list(&self, settings: &Settings) -> Result<Vec<ListedModel>, ModelError> {
        let mut response = self.begin_list(settings, listed::MAX_MODELS).await?;
        let mut body = Vec::new();
        while let Some(bytes) = response.chunk().await.map_err(|error| self.failed(&error))? {
            if body.len() + bytes.len() > listed::MAX_BYTES {
                let message =
                    format!("the list of the models of {} has more than {} bytes", self.host, listed::MAX_BYTES);
                return Err(ModelError::new(ErrorKind::Unreadable, message));
            }
            body.extend_from_slice(&bytes);
        }
        listed::read(&body).ok_or_else(|| {
            let message = format!(
                "the answer of {} to the request for its models is not a list of models: check base_url",
                self.host
            );
            ModelError::new(ErrorKind::Unreadable, message)
        })
    }

    /// Asks for a list of models. Returns a response with the status of success.
    async fn begin_list(&self, settings: &Settings, most: u32) -> Result<reqwest::Response, ModelError> {
        let path = (settings.model.api.record().models_path)(most);
        let sent = self.prepare(settings, reqwest::Method::GET, &path, &[])?.send().await;
        let mut response = sent.map_err(|error| self.failed(&error))?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let body = error_body(&mut response, settings.limits.error_body).await;
        Err(self.responded(settings, status).failed(&body, None))
    }

    fn request(&self, settings: &Settings, betas: &[&str], body: &str) -> Result<reqwest::RequestBuilder, ModelError> {
        let model = &settings.model;
        let request = self.prepare(settings, reqwest::Method::POST, &(model.api.record().path)(model.name()), betas)?;
        Ok(request.header(CONTENT_TYPE, "application/json").body(body.to_owned()))
    }

    fn prepare(
        &self,
        settings: &Settings,
        method: reqwest::Method,
        path: &str,
        betas: &[&str],
    ) -> Result<reqwest::RequestBuilder, ModelError> {
        let Settings { model, key, limits } = settings;
        let client = self.client.get_or_init(|| {
            // Another part of the process may have chosen one already.
            let _ = rustls::crypto::ring::default_provider().install_default();
            let builder = reqwest::Client::builder().connect_timeout(limits.connect).redirect(Policy::none());
            let builder = builder.user_agent(concat!("toolc/", env!("CARGO_PKG_VERSION")));
            builder.build().map_err(|error| network::explain(&self.host, self.proxy.as_ref(), &error).1)
        });
        let client = client.as_ref().map_err(|error| ModelError::new(ErrorKind::Refused, error))?;
        let url = format!("{}{path}", model.base_url());
        let url = reqwest::Url::parse(&url).map_err(|error| {
            ModelError::new(ErrorKind::Refused, format!("the base_url of the model is not a URL: {error}"))
        })?;
        let mut request = client.request(method, url);
        let record = model.api.record();
        let key = key.as_ref().map(|key| (record.key_header)(key.text()));
        for (name, value) in key.into_iter().chain((record.headers)(betas)) {
            let mut value = HeaderValue::from_str(&value).map_err(|_| {
                ModelError::new(
                    ErrorKind::Unauthorized,
                    "the key of the model has characters that a header cannot contain: check it",
                )
            })?;
            value.set_sensitive(true);
            request = request.header(HeaderName::from_static(name), value);
        }
        Ok(request)
    }

    fn responded<'r>(&'r self, settings: &'r Settings, status: reqwest::StatusCode) -> Responded<'r> {
        let (wire, refusals) = (settings.model.api.wire(), settings.model.api.record().refusals);
        let key_variable = settings.model.key_variable();
        Responded { host: &self.host, wire, refusals, status: status.as_u16(), key_variable }
    }

    /// Returns the error about an answer that cannot be read, with the time that it asks to wait.
    fn unreadable(&self, settings: &Settings, status: reqwest::StatusCode, error: &WireError) -> ModelError {
        let unreadable = self.responded(settings, status).unreadable(error);
        let wait = wait::in_text(&unreadable.to_string());
        unreadable.with_wait(wait)
    }

    fn failed(&self, error: &reqwest::Error) -> ModelError {
        let host = &self.host;
        if error.is_connect() {
            let (kind, message) = network::explain(host, self.proxy.as_ref(), error);
            return ModelError::new(kind, message);
        }
        if error.is_timeout() {
            return ModelError::new(ErrorKind::TimedOut, format!("{host} did not answer in time"));
        }
        if error.is_builder() {
            return ModelError::new(
                ErrorKind::Refused,
                format!("the request to {host} is invalid: {}", root_cause(error)),
            );
        }
        ModelError::new(ErrorKind::Broken, format!("the connection to {host} broke: {}", root_cause(error)))
    }

    fn timed_out(&self, what: &str, limit: Duration) -> ModelError {
        ModelError::new(ErrorKind::TimedOut, format!("{} did not {what} within {limit:?}", self.host))
    }
}

/// Returns the beginning of the body of an error. If reading fails or takes long, what has been read counts.
async fn error_body(response: &mut reqwest::Response, limit: Duration) -> String {
    let mut body = Vec::new();
    let read = async {
        while let Ok(Some(bytes)) = response.chunk().await {
            body.extend_from_slice(&bytes[..bytes.len().min(MAX_ERROR_BYTES - body.len())]);
            if body.len() == MAX_ERROR_BYTES {
                break;
            }
        }
    };
    let _ = timeout(limit, read).await;
    String::from_utf8_lossy(&body).into_owned()
}

/// Returns the innermost cause of an error, which says what happened. The outer ones contain the URL.
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    if std::ptr::addr_eq(cause, error) { "an unknown error".to_owned() } else { cause.to_string() }
}
