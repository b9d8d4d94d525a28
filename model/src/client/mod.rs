//! The client of a model, for the agent's loop and for tools.

mod answer;
mod http;
mod listed;
#[cfg(test)]
mod misbehaving;
mod network;
mod retry;
mod script;
#[cfg(test)]
mod server;
mod settings;
#[cfg(test)]
mod tests;
mod wait;

use std::sync::Arc;
use std::time::{Duration, Instant};

use toolc::wire::ModelResponse;

use crate::api::{Api, user_message};
use crate::error::{ErrorKind, ModelError};
use crate::key::Key;
use crate::model::Model;
use crate::request::{ModelParameters, Request};
use http::Http;
use retry::Retries;
use settings::{Limits, Settings};

pub use answer::{Answer, Event};
pub use listed::ListedModel;
pub use script::{Script, ScriptError};

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
    /// Returns a client of a model, with its key, unless the server needs none. It connects when it is first used.
    pub fn new(model: Model, key: Option<Key>) -> Self {
        Self::with_settings(Settings { model, key, limits: Limits::default() })
    }

    fn with_settings(settings: Settings) -> Self {
        let http = Http::new(&settings);
        Self(Arc::new(Inner { settings, source: Source::Server(http) }))
    }

    /// Returns a client that gives the answers of a script instead of asking a model, for tests and experiments.
    pub fn scripted(script: Script) -> Self {
        let model = Model { context_tokens: script.context_tokens(), ..Model::new(Api::ChatCompletions, "script") };
        let settings = Settings { model, key: None, limits: Limits::default() };
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
            Source::Server(_) => Self::with_settings(self.0.settings.clone()),
            Source::Script(script) => Self::scripted(script.restarted()),
        }
    }

    /// Returns a client whose answers have at most `max` tokens, or fewer if the [`Model`] says so. It has connections of its own. The
    /// answers of a script do not change.
    #[must_use]
    pub fn with_max_output_tokens(&self, max: u32) -> Self {
        let settings = &self.0.settings;
        let max = settings.model.max_output_tokens.map_or(max, |before| before.min(max));
        let model = Model { max_output_tokens: Some(max), ..settings.model.clone() };
        match self.0.source {
            Source::Server(_) => Self::with_settings(Settings { model, ..settings.clone() }),
            Source::Script(_) => self.clone(),
        }
    }

    /// Returns the model.
    pub fn model(&self) -> &Model {
        &self.0.settings.model
    }

    /// Sends a request, and returns the answer. Passes text and retries to `on_event` as they happen. Retries the request after
    /// [transient](ModelError::is_transient) failures.
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
        let Settings { model, limits, .. } = settings;
        let parameters = ModelParameters { name: model.name(), max_output_tokens: model.max_output_tokens };
        let unwritable =
            |error| ModelError::new(ErrorKind::Refused, format!("the request cannot be written as JSON: {error}"));
        let body = (model.api.record().body)(&parameters, request).map_err(unwritable)?;
        let mut retries = Retries::new(*limits, model.retries, model.answer_timeout);
        loop {
            let (start, begin) = (Instant::now(), retries.time_to_begin());
            let response = http.attempt(settings, request.betas, &body, begin, on_event).await;
            match response.and_then(|response| http.answered(response, request.may_be_empty)) {
                Ok(response) => return Ok(Answer { response, elapsed: start.elapsed(), tries: retries.tries() }),
                Err(error) => {
                    let wait = retries.next(error, begin)?;
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

    /// Asks the server for the list of its models, which costs nothing. The whole list must arrive within the limit. The request is not
    /// retried. The models have the order of their names, and those that answer no conversation are left out if the server says so.
    ///
    /// # Errors
    /// Returns an error of the kind [`Unauthorized`](crate::ErrorKind::Unauthorized) if the server refuses the key, of the kind
    /// [`Unreachable`](crate::ErrorKind::Unreachable) if there is no server, and of another kind if it has no such list.
    pub async fn models(&self, limit: Duration) -> Result<Vec<ListedModel>, ModelError> {
        match &self.0.source {
            Source::Server(http) => http.models(&self.0.settings, limit).await,
            Source::Script(_) => Ok(Vec::new()),
        }
    }

    /// Sends a text without tools, and returns the text of the answer, with the whole answer.
    ///
    /// # Errors
    /// Returns the error of the last try.
    pub async fn ask_text(&self, system: &str, text: &str) -> Result<(String, ModelResponse), ModelError> {
        let messages = [user_message(self.model().api, text)];
        let answer = self.ask(&Request { system, messages: &messages, ..Request::default() }, &mut |_| {}).await?;
        Ok((answer.response.text().to_owned(), answer.response))
    }
}
