//! Questions of servers to the person at the host, and what happens with the answers.
//!
//! A server can ask for input (elicitation), ask the person to open an address, or, with a login, need consent. The host decides how a
//! question is shown: see [`Asker`]. This module decides which questions are shown at all, checks the answers, and bounds both.

mod elicitation;
mod field;
mod questioner;
mod sampler;
mod sampling;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Map, Value};

pub use field::{Choice, Field, FieldKind, TextFormat};
pub(crate) use questioner::{MAX_ASKED, Questioner};
pub use sampler::{Sample, SampleFuture, SampleMessage, SampleRequest, Sampler};
pub(crate) use sampling::answer as answer_sampling;

/// Shows questions of servers to a person.
pub trait Asker: Send + Sync + fmt::Debug {
    /// Shows a question, and waits for the answer. Dropping the future withdraws the question. At most one question is open at a time.
    ///
    /// The server can have written every text of a question: make all of its characters visible.
    fn ask<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a>;
}

/// Who answers what servers ask.
#[derive(Debug, Clone, Default)]
pub struct Answering {
    /// The person. Without one, questions are declined.
    pub asker: Option<Arc<dyn Asker>>,
    /// The model, for servers whose settings allow [sampling](crate::Server::sampling).
    pub sampler: Option<Arc<dyn Sampler>>,
}

/// The answer of a person, as it is awaited.
pub type AnswerFuture<'a> = Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;

/// A question to the person.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Question {
    /// The name of the server in the configuration.
    pub server: String,
    /// The tools of the server that are running: the question belongs to one of them. Empty for a login.
    pub tools: Vec<String>,
    /// What the server says. Empty if this crate asks.
    pub message: String,
    /// What is asked.
    pub kind: QuestionKind,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum QuestionKind {
    /// Values of fields, which the server gets.
    Form(Vec<Field>),
    /// The values that were typed into these fields contain secrets of the host. The person decides whether they are sent.
    Secret(Vec<String>),
    /// The person should open an address in a browser. The program never opens it.
    Address(Address),
    /// The person should log in: open the address of an authorization server in a browser, which then returns to this machine.
    /// The question is withdrawn as soon as the browser returns. A person whose browser cannot reach this machine can answer with the
    /// address to which it was sent, as the value `redirect`.
    Login {
        /// The address to open.
        address: Address,
        /// The rights that are asked for.
        scopes: Vec<String>,
    },
    /// The server asks the host's model for an answer to this text.
    Sampling {
        /// The instructions for the model. May be empty.
        system: String,
        /// The messages, each with the role before it.
        messages: String,
        /// The maximum number of tokens of the answer.
        max_tokens: u32,
    },
    /// The model has answered with this text. The person decides whether the server gets it.
    SamplingAnswer(String),
    /// The package of the server could not be checked. The person decides whether it is run.
    Unchecked {
        /// The package with its version.
        package: String,
        /// Why it could not be checked.
        reason: String,
    },
}

/// An address on the web.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Address {
    /// The whole address, with a domain in ASCII.
    pub url: String,
    /// The domain with its port, if that is not the usual one.
    pub domain: String,
}

/// The answer of a person.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// Yes, with the values of the fields.
    Accept(Map<String, Value>),
    /// No.
    Decline,
    /// No answer: the person left the question, or is absent.
    Cancel,
}

impl Answer {
    /// Returns the answer "yes" to a question without fields.
    pub fn yes() -> Self {
        Self::Accept(Map::new())
    }
}

impl Question {
    /// Returns a question.
    pub(crate) fn new(server: &str, kind: QuestionKind) -> Self {
        Self { server: server.to_owned(), tools: Vec::new(), message: String::new(), kind }
    }
}

impl Address {
    /// Reads an address that a person can open: with `https://`, or with `http://` on this machine.
    ///
    /// # Errors
    /// Returns why it is refused.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        /// The maximum length of an address.
        const MAX: usize = 8 << 10;
        if text.len() > MAX {
            return Err(format!("the address has more than {MAX} bytes"));
        }
        let url = reqwest::Url::parse(text).map_err(|error| format!("it is not an address: {error}"))?;
        let host = url.host_str().unwrap_or_default();
        if url.scheme() != "https" && !(url.scheme() == "http" && crate::http::is_loopback(&url)) {
            return Err("the address does not begin with `https://`".to_owned());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("the address has a user name or a password in it, which can hide the domain".to_owned());
        }
        let domain = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        Ok(Self { domain, url: url.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_shows_its_domain_and_cannot_disguise_it() {
        let address = Address::read("https://exämple.com:8443/a?b=c").expect("it is valid");
        assert_eq!(
            (&*address.domain, &*address.url),
            ("xn--exmple-cua.com:8443", "https://xn--exmple-cua.com:8443/a?b=c")
        );
        assert!(Address::read("http://127.0.0.1:7/x").is_ok());
        let long = format!("https://a.com/{}", "x".repeat(10_000));
        for refused in
            ["javascript:alert(1)", "http://example.com/", "https://bank.com@evil.com/", "file:///etc", "x", &long]
        {
            assert!(Address::read(refused).is_err(), "{refused}");
        }
    }
}
