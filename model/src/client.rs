//! The client of a model, for the agent's loop and for tools.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use toolc::wire::{ModelResponse, Usage};

use crate::answer::{Answer, Event};
use crate::api::Api;
use crate::error::ModelError;
use crate::http::Http;
use crate::key::Key;
use crate::retry::Retries;
use crate::script::Script;

/// The settings of a [`Client`]: its server, its model and the limits.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The API of the server.
    pub api: Api,
    /// The address of the server, such as [`Api::default_base_url`].
    pub base_url: String,
    /// The name of the model.
    pub model: String,
    /// The key, unless the server needs none.
    pub key: Option<Key>,
    /// The size of the context in tokens, if it is known.
    pub context_tokens: Option<u64>,
    /// The maximum number of tokens of an answer. `None` is the server's default, or 16,384 for Anthropic, whose API requires a limit.
    pub max_output_tokens: Option<u32>,
    /// The prices of tokens, if they are known.
    pub prices: Option<Prices>,
    /// The limits of a request.
    pub limits: Limits,
}

/// The limits of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum time to connect.
    pub connect: Duration,
    /// The maximum time until the answer begins. Models that think may send nothing for minutes.
    pub first_byte: Duration,
    /// The maximum time between two parts of a stream.
    pub idle: Duration,
    /// The maximum time of one try, from the request to the end of the answer.
    pub total: Duration,
    /// The maximum number of retries after [transient](ModelError::may_pass) failures.
    pub retries: u32,
    /// The time before the first retry. It doubles with each further retry, and varies at random between half of it and all of it.
    pub first_delay: Duration,
    /// The maximum time before a retry. If a server asks to wait longer, the request fails.
    pub max_delay: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(15),
            first_byte: Duration::from_mins(5),
            idle: Duration::from_mins(2),
            total: Duration::from_mins(15),
            retries: 4,
            first_delay: Duration::from_millis(500),
            max_delay: Duration::from_mins(1),
        }
    }
}

/// The prices of a million tokens, in any currency.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Prices {
    /// Tokens of requests.
    pub input: f64,
    /// Tokens of requests that are read from the vendor's cache. Default: the price of `input`.
    pub cached: Option<f64>,
    /// Tokens of requests that are written to the vendor's cache. Default: the price of `input`.
    pub cache_writes: Option<f64>,
    /// Tokens of answers.
    pub output: f64,
}

impl Prices {
    /// Returns the price of these tokens.
    #[expect(clippy::cast_precision_loss, reason = "numbers of tokens are small")]
    pub fn cost(&self, usage: Usage) -> f64 {
        let new = usage.input.saturating_sub(usage.cached + usage.cache_writes);
        let parts = [
            (new, self.input),
            (usage.cached, self.cached.unwrap_or(self.input)),
            (usage.cache_writes, self.cache_writes.unwrap_or(self.input)),
            (usage.output, self.output),
        ];
        parts.iter().map(|(tokens, price)| *tokens as f64 * price / 1e6).sum()
    }
}

/// A request: a conversation that the model continues.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'a> {
    /// The instructions. May be empty.
    pub system: &'a str,
    /// The conversation, in the form of the API.
    pub messages: &'a [Box<RawValue>],
    /// The definitions of the tools, in the [dialect](Api::dialect) of the API: a JSON array.
    pub tools: Option<&'a RawValue>,
    /// Which tools the model may call, in the form of the API. Only sent to Anthropic and OpenAI's Responses.
    pub tool_choice: Option<&'a RawValue>,
    /// The beta features that the request needs. Only sent to Anthropic.
    pub betas: &'a [&'a str],
    /// The container in which a program of the model waits for results. Only sent to Anthropic.
    pub container: Option<&'a str>,
}

/// A client of one model. Clones share its connections.
#[derive(Debug, Clone)]
pub struct Client(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    settings: Settings,
    source: Source,
}

/// Where answers come from.
#[derive(Debug)]
enum Source {
    Server(Http),
    Script(Script),
}

impl Client {
    /// Returns a client. It connects when it is first used.
    pub fn new(settings: Settings) -> Self {
        let http = Http::new(&settings);
        Self(Arc::new(Inner { settings, source: Source::Server(http) }))
    }

    /// Returns a client that gives the answers of a script instead of asking a model, for tests and experiments.
    pub fn scripted(script: Script) -> Self {
        let settings = Settings {
            api: Api::ChatCompletions,
            base_url: String::new(),
            model: "script".to_owned(),
            key: None,
            context_tokens: script.context_tokens(),
            max_output_tokens: None,
            prices: None,
            limits: Limits::default(),
        };
        Self(Arc::new(Inner { settings, source: Source::Script(script) }))
    }

    /// Returns a client for an independent conversation. A client with a script begins again with its first answer.
    #[must_use]
    pub fn for_new_conversation(&self) -> Self {
        match &self.0.source {
            Source::Server(_) => self.clone(),
            Source::Script(script) => Self::scripted(script.restarted()),
        }
    }

    /// Returns a client like [`for_new_conversation`](Self::for_new_conversation), for another executor. It has connections of its own,
    /// because a connection ends with the executor on which it was made.
    #[must_use]
    pub fn for_other_executor(&self) -> Self {
        match &self.0.source {
            Source::Server(_) => Self::new(self.0.settings.clone()),
            Source::Script(script) => Self::scripted(script.restarted()),
        }
    }

    /// Returns a client whose answers have at most `max` tokens, or fewer if the settings say so. It has connections of its own. The
    /// answers of a script do not change.
    #[must_use]
    pub fn with_max_output_tokens(&self, max: u32) -> Self {
        let settings = &self.0.settings;
        let max = settings.max_output_tokens.map_or(max, |before| before.min(max));
        match self.0.source {
            Source::Server(_) => Self::new(Settings { max_output_tokens: Some(max), ..settings.clone() }),
            Source::Script(_) => self.clone(),
        }
    }

    /// Returns the settings.
    pub fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// Sends a request, and returns the answer. Passes text and retries to `on_event` as they happen. Retries the request after
    /// [transient](ModelError::may_pass) failures.
    ///
    /// Dropping the future cancels the request.
    ///
    /// # Errors
    /// Returns the error of the last try.
    pub async fn ask(
        &self,
        request: &Request<'_>,
        on_event: &mut (dyn FnMut(Event<'_>) + Send),
    ) -> Result<Answer, ModelError> {
        let Inner { settings, source } = &*self.0;
        let http = match source {
            Source::Server(http) => http,
            Source::Script(script) => {
                let begun = Instant::now();
                let response = script.answer(request, on_event).await?;
                return Ok(Answer { response, elapsed: begun.elapsed(), tries: 1 });
            }
        };
        let body = settings.api.body(settings, request);
        let mut retries = Retries::new(settings.limits);
        loop {
            let begun = Instant::now();
            match http.attempt(settings, request.betas, &body, on_event).await {
                Ok(response) => return Ok(Answer { response, elapsed: begun.elapsed(), tries: retries.tries() }),
                Err(error) => {
                    let wait = retries.next(error)?;
                    on_event(Event::Retry { error: &wait.error, wait: wait.delay });
                    tokio::time::sleep(wait.delay).await;
                }
            }
        }
    }

    /// Tests the key by asking for the list of models, which costs nothing. The request is not retried.
    ///
    /// # Errors
    /// Returns an error of the kind [`Unauthorized`](crate::ErrorKind::Unauthorized) if the server refuses the key. Any other error does
    /// not show whether the key is right.
    pub async fn check_key(&self) -> Result<(), ModelError> {
        match &self.0.source {
            Source::Server(http) => http.check_key(&self.0.settings).await,
            Source::Script(_) => Ok(()),
        }
    }

    /// Sends a text without tools, and returns the text of the answer, with the whole answer.
    ///
    /// # Errors
    /// Returns the error of the last try.
    pub async fn ask_text(&self, system: &str, text: &str) -> Result<(String, ModelResponse), ModelError> {
        let messages = [crate::api::user_message(self.settings().api, text)];
        let answer = self.ask(&Request { system, messages: &messages, ..Request::default() }, &mut |_| {}).await?;
        Ok((answer.response.text().to_owned(), answer.response))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_counts_each_token_once() {
        let mut usage = Usage::default();
        (usage.input, usage.cached, usage.cache_writes, usage.output) = (1_000_000, 500_000, 100_000, 10_000);
        let prices = Prices { input: 3.0, cached: Some(0.3), cache_writes: Some(3.75), output: 15.0 };
        let cost = prices.cost(usage);
        assert!((cost - (0.4 * 3.0 + 0.5 * 0.3 + 0.1 * 3.75 + 0.01 * 15.0)).abs() < 1e-9, "{cost}");
        let plain = Prices { input: 3.0, output: 15.0, ..Prices::default() };
        assert!((plain.cost(usage) - 3.15).abs() < 1e-9);
    }
}
