//! The questions about a model: its provider, the address, the key and its name. The answers are tested before they are written.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use toolc::Env;
use toolc_config::{Home, set_model};
use toolc_model::{ErrorKind, ListedModel, Model, ModelError};

use super::local::{self, LocalServer};
use super::providers::{self, Place, Provider};
use super::questions::{ChosenProvider, Questions, named_model};
use super::{MAX_TRIES, SetupArgs, save_variable};
use crate::ground::error::{Error, Result};
use crate::ground::executor;
use crate::ground::show;
use crate::ground::tell::tell;
use crate::models;

/// The time limit for the list of models.
const LIST_LIMIT: Duration = Duration::from_secs(15);
/// The time limit for the answer to the test: one try may take half of it until it begins. A server may load its model first.
const TRIAL_LIMIT: Duration = Duration::from_mins(2);
/// The maximum number of tokens of the answer to the test. Some models think before they answer.
const TRIAL_TOKENS: u32 = 200;

/// What has become of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// No model was named.
    Skipped,
    /// The model was written. It answered the test, or the test was skipped.
    Written,
    /// The model was written, but did not answer the test.
    Unanswered,
    /// The server refuses the key or the model, or no address could be reached. Nothing was written.
    Refused,
}

/// Asks for one model.
pub(super) struct ModelAsker<'a> {
    pub(super) args: &'a SetupArgs,
    pub(super) home: &'a Home,
    pub(super) questions: &'a Questions,
    /// The variables of the profile, with the key that was typed.
    pub(super) env: Env,
}

/// Where the model is.
enum Start {
    Nowhere,
    /// A model that was named with its API.
    Model(Box<Model>),
    Provider(&'static Provider, Option<LocalServer>),
}

/// A server whose models were asked for.
enum Server {
    /// A model without a name, and the models of the server. None if it does not list them.
    Found(Box<Model>, Vec<ListedModel>),
    End(Outcome),
}

/// What came of the request that tests a model.
enum Trial {
    Works,
    NotTested,
    NoAnswer,
    KeyRefused,
    ModelRefused,
}

impl ModelAsker<'_> {
    /// Asks for the model, tests it, and writes it.
    pub(super) fn run(mut self) -> Result<Outcome> {
        match self.start()? {
            Start::Nowhere => Ok(Outcome::Skipped),
            Start::Model(model) => {
                self.ask_for_key(&model)?;
                let name = Some(model.name().to_owned());
                self.settle(&model, &[], name)
            }
            Start::Provider(provider, found) => match self.server(provider, found)? {
                Server::End(outcome) => Ok(outcome),
                Server::Found(model, listed) => self.settle(&model, &listed, self.args.model.clone()),
            },
        }
    }

    fn start(&self) -> Result<Start> {
        let other = if self.args.base_url.is_some() { providers::find("other") } else { None };
        if let Some(provider) = self.args.provider.or(other) {
            return Ok(Start::Provider(provider, None));
        }
        if let Some(text) = &self.args.model {
            let (api, name) = named_model(text).ok_or_else(|| {
                format!("`--model {text}` does not say where the model is: add `--provider NAME`, or write API:NAME")
            })?;
            return Ok(Start::Model(self.vendors_model(api, name)));
        }
        let found = if self.questions.is_silent || self.args.offline { Vec::new() } else { local::find(&self.env)? };
        Ok(match self.questions.provider(&found)? {
            None => Start::Nowhere,
            Some(ChosenProvider::Model(api, name)) => Start::Model(self.vendors_model(api, name)),
            Some(ChosenProvider::Provider(provider)) => {
                Start::Provider(provider, found.into_iter().find(|server| server.provider == provider))
            }
        })
    }

    fn vendors_model(&self, api: toolc_model::Api, name: String) -> Box<Model> {
        Box::new(Model { key_variable: self.args.key_variable.clone(), ..Model::new(api, name) })
    }

    /// Finds the server: asks for its address and its key, as far as they are needed, and for its models.
    fn server(&mut self, provider: &'static Provider, found: Option<LocalServer>) -> Result<Server> {
        let variable = self.args.key_variable.clone();
        let mut wants_key = variable.as_deref().map_or(provider.needs_key(), |variable| !variable.is_empty());
        let known = self.args.base_url.clone().or_else(|| found.map(|server| server.base_url));
        let known = known.map(with_scheme);
        let mut base_url = known.or_else(|| local::address(provider, &self.env)).or_else(|| provider.base_url());
        let mut must_ask = base_url.is_none() && provider.place == Place::Anywhere;
        for _ in 0..MAX_TRIES {
            if must_ask {
                if self.questions.is_silent {
                    let word = provider.word;
                    tell!(
                        "error: the address of the provider `{word}` is missing: pass `--base-url URL`, such as http://localhost:8000/v1"
                    );
                    return Ok(Server::End(Outcome::Refused));
                }
                let prompt = "address (base URL, such as http://localhost:8000/v1; empty: none)";
                base_url = self.questions.value(prompt, false)?.map(with_scheme);
                if base_url.is_none() {
                    return Ok(Server::End(Outcome::Skipped));
                }
            }
            if let Some(problem) = base_url.as_deref().and_then(address_problem) {
                tell!("error: {problem}");
                must_ask = true;
                continue;
            }
            let model = provider.model(base_url.clone(), variable.as_deref(), wants_key);
            if self.args.offline || !self.ask_for_key(&model)? {
                return Ok(Server::Found(Box::new(model), Vec::new()));
            }
            let error = match self.list(&model)? {
                Ok((model, listed)) => return Ok(Server::Found(Box::new(model), listed)),
                Err(error) => error,
            };
            let text = show::one_line(&error.to_string());
            match error.kind() {
                ErrorKind::Unauthorized => {
                    tell!("error: the server refuses the key: {text}");
                    wants_key = true;
                    self.forget_key(&provider.model(base_url.clone(), variable.as_deref(), true));
                }
                ErrorKind::Unreachable | ErrorKind::TimedOut if !provider.needs_key() => {
                    tell!("error: the address could not be reached: {text}");
                    must_ask = true;
                }
                _ => {
                    tell!("warning: the models could not be listed: {text}");
                    return Ok(Server::Found(Box::new(model), Vec::new()));
                }
            }
            if self.questions.is_silent {
                break;
            }
        }
        Ok(Server::End(Outcome::Refused))
    }

    /// Asks a server for its models. If the address has no list, tries it with `/v1`, which many addresses need. Returns the model with the
    /// address that has the list.
    fn list(&self, model: &Model) -> Result<Result<(Model, Vec<ListedModel>), ModelError>> {
        let runtime = executor()?;
        let ask = |model: &Model| -> Result<_> {
            let client = models::client(model, &self.env)?;
            Ok(runtime.block_on(client.models(LIST_LIMIT)))
        };
        let error = match ask(model)? {
            Ok(listed) => return Ok(Ok((model.clone(), listed))),
            Err(error) => error,
        };
        if let (Some(url), ErrorKind::Refused | ErrorKind::Unreadable) = (&model.base_url, error.kind()) {
            let longer = Model { base_url: Some(format!("{}/v1", url.trim_end_matches('/'))), ..model.clone() };
            if let Ok(listed) = ask(&longer)? {
                tell!("the models are listed at {}; this address is used", show::one_line(longer.base_url()));
                return Ok(Ok((longer, listed)));
            }
        }
        Ok(Err(error))
    }

    /// Asks for the key of a model, unless it needs none or has one. Returns whether requests can be sent.
    fn ask_for_key(&mut self, model: &Model) -> Result<bool> {
        let Some(variable) = model.key_variable() else { return Ok(true) };
        if self.env.var(variable).is_some_and(|key| !key.trim().is_empty()) {
            return Ok(true);
        }
        if !self.questions.is_silent {
            tell!("\n{}: the key for {}", show::one_line(variable), show::one_line(model.base_url()));
        }
        if let Some(key) = self.questions.value(variable, true)? {
            self.env = self.env.clone().with_secret(variable, key);
            return Ok(true);
        }
        tell!("note: without the key in {}, nothing is tested", show::one_line(variable));
        Ok(false)
    }

    /// Forgets the key of a model, so that it is asked for again.
    fn forget_key(&mut self, model: &Model) {
        if let Some(variable) = model.key_variable() {
            self.env = self.env.clone().with_secret(variable, "");
        }
    }

    /// Asks for the name of a model of a server, tests the model, and writes it.
    fn settle(&mut self, server: &Model, listed: &[ListedModel], name: Option<String>) -> Result<Outcome> {
        let mut next = name;
        for _ in 0..MAX_TRIES {
            let Some(name) = next.take().map_or_else(|| self.name(listed), |name| Ok(Some(name)))? else {
                return Ok(Outcome::Skipped);
            };
            let known = listed.iter().find(|model| model.name == name);
            let context_tokens = known.and_then(|model| model.context_tokens);
            let model = Model { model: name, alias: self.args.name.clone(), context_tokens, ..server.clone() };
            match self.trial(&model)? {
                Trial::Works | Trial::NotTested => return self.write(&model).map(|()| Outcome::Written),
                Trial::NoAnswer => return self.write(&model).map(|()| Outcome::Unanswered),
                Trial::KeyRefused => {
                    self.forget_key(&model);
                    if !self.ask_for_key(&model)? {
                        return Ok(Outcome::Refused);
                    }
                    next = Some(model.model);
                }
                Trial::ModelRefused if self.questions.is_silent => return Ok(Outcome::Refused),
                Trial::ModelRefused => {}
            }
        }
        Ok(Outcome::Refused)
    }

    /// Returns the name that the person chooses. Without questions, a server with one model leaves no choice.
    fn name(&self, listed: &[ListedModel]) -> Result<Option<String>> {
        if !self.questions.is_silent {
            return self.questions.model(listed);
        }
        if let [only] = listed {
            return Ok(Some(only.name.clone()));
        }
        let names: Vec<String> = listed.iter().take(5).map(|model| show::one_line(&model.name)).collect();
        let listed = if names.is_empty() { String::new() } else { format!(", such as {}", names.join(", ")) };
        Err(Error::Invalid(format!("no model is named: pass `--model NAME`{listed}")))
    }

    /// Sends a short request to a model, and says what works, or which thing is wrong.
    fn trial(&self, model: &Model) -> Result<Trial> {
        let has_key = model
            .key_variable()
            .is_none_or(|variable| self.env.var(variable).is_some_and(|key| !key.trim().is_empty()));
        if self.args.offline || !has_key {
            return Ok(Trial::NotTested);
        }
        let short =
            Model { max_output_tokens: Some(TRIAL_TOKENS), answer_timeout: TRIAL_LIMIT, retries: 0, ..model.clone() };
        let (client, name, begun) = (models::client(&short, &self.env)?, show::one_line(model.name()), Instant::now());
        tell!("a test request is sent to {name} at {}", show::one_line(client.model().base_url()));
        let Err(error) = executor()?.block_on(client.ask_text("Answer in one word.", "Say OK.")) else {
            tell!("the model answers, after {:.1} s", begun.elapsed().as_secs_f32());
            return Ok(Trial::Works);
        };
        let text = show::one_line(&error.to_string());
        Ok(match error.kind() {
            ErrorKind::Unauthorized => {
                tell!("error: the server refuses the key: {text}");
                Trial::KeyRefused
            }
            ErrorKind::Refused => {
                tell!("error: the server refuses the model {name}: {text}");
                Trial::ModelRefused
            }
            ErrorKind::Unreachable => {
                tell!("warning: the address could not be reached: {text}");
                Trial::NoAnswer
            }
            _ => {
                tell!("warning: the model does not answer: {text}");
                Trial::NoAnswer
            }
        })
    }

    fn write(&self, model: &Model) -> Result<()> {
        set_model(self.home, model)?;
        tell!("written: {}", self.home.config().display());
        match model.key_variable() {
            Some(variable) => save_variable(self.home, variable, &self.env),
            None => Ok(()),
        }
    }
}

/// Returns an address that was typed, with a scheme: `http` for this machine, and `https` for others, because the key is sent there. Other text
/// stays as it is.
fn with_scheme(url: String) -> String {
    let authority = url.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let is_of_host = |letter: char| letter.is_ascii_alphanumeric() || "-.[]:".contains(letter);
    let has_port = port.is_some_and(|port| port.parse::<u16>().is_ok());
    if url.contains("://") || host.is_empty() || !host.chars().all(is_of_host) || port.is_some() && !has_port {
        return url;
    }
    let name = host.to_ascii_lowercase();
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().ok();
    let is_here = name == "localhost"
        || name.ends_with(".localhost")
        || address.is_some_and(|address| address.is_loopback() || address.is_unspecified());
    // A single word is more likely an answer to another question.
    match (is_here, has_port || name.contains('.')) {
        (true, _) => format!("http://{url}"),
        (false, true) => format!("https://{url}"),
        (false, false) => url,
    }
}

/// Says what is wrong with an address that was typed.
fn address_problem(url: &str) -> Option<&'static str> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let authority = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    if authority.is_empty() || url.contains(|c: char| c.is_whitespace() || c.is_control()) {
        Some("this is not an address: write it as http://HOST:PORT/v1 or https://HOST/v1")
    } else if authority.contains('@') {
        Some("this address contains a user or a password: write it without them, the key is asked for")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_scheme_and_a_host_and_no_secret() {
        for url in ["http://localhost:8000/v1", "https://example.com"] {
            assert_eq!(address_problem(url), None, "{url}");
        }
        for url in ["localhost", "http://", "http:///v1", "http://a b", "https://user:pass@host/v1", ""] {
            assert!(address_problem(url).is_some(), "{url}");
        }
    }

    #[test]
    fn an_address_without_a_scheme_gets_the_one_that_fits_its_host() {
        for (typed, address) in [
            ("localhost:18234", "http://localhost:18234"),
            ("localhost", "http://localhost"),
            ("127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
            ("[::1]:8000/v1", "http://[::1]:8000/v1"),
            ("0.0.0.0:8000", "http://0.0.0.0:8000"),
            ("models.localhost/v1", "http://models.localhost/v1"),
            ("api.example.com/v1", "https://api.example.com/v1"),
            ("gpu:8000", "https://gpu:8000"),
            ("192.168.1.5:8000", "https://192.168.1.5:8000"),
            ("https://localhost:1", "https://localhost:1"),
            ("hello", "hello"),
            ("user:pass@host.example", "user:pass@host.example"),
            ("localhost:99999", "localhost:99999"),
            ("", ""),
        ] {
            assert_eq!(with_scheme(typed.to_owned()), address);
        }
    }
}
