//! Errors of requests to a model.

use std::fmt;
use std::time::Duration;

use toolc::wire::{self, WireError};

use crate::key::Key;

/// The maximum length of a text of a server in an error, in characters.
const MAX_QUOTE_CHARS: usize = 300;

/// Parts of messages with which servers and gateways report that a conversation is too long, in lower case.
const OVERFLOWS: &[&str] = &[
    "prompt is too long",
    "prompt too long",
    "prompt is too large",
    "maximum context length",
    "maximum prompt length",
    "context length exceeded",
    "context_length_exceeded",
    "context length of only",
    "exceeds the context window",
    "exceed the context window",
    "context window exceeded",
    "exceeds the available context size",
    "context size has been exceeded",
    "exceeds the maximum number of tokens",
    "exceed context limit",
    "exceeds the context length",
    "input is too long",
    "input length exceeds",
    "input token count exceeds",
    "inputs must have less than",
    "`inputs` tokens +",
    "too many tokens",
    "reduce the length of the messages",
    "string too long",
    "string_above_max_length",
    "content length exceed",
    "allowed content length",
    "maximum content length",
    "content too large",
    "entity too large",
    "payload too large",
    "payload size exceeds",
    "payload exceeds",
    "request too large",
    "request is too large",
    "request_too_large",
    "request too long",
    "request size exceeds",
    "request body too large",
    "request body is too large",
    "request body exceeds",
    "request exceeds the maximum size",
    "body too large",
    "total message size",
];

/// The advice if an account has no quota left.
const QUOTA: &str = "; check the plan and the billing of this key's account";

/// The error of a request to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelError {
    kind: ErrorKind,
    message: String,
    retry_after: Option<Duration>,
}

/// The kinds of [`ModelError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The server cannot be reached.
    Unreachable,
    /// The server did not answer in time.
    TimedOut,
    /// The connection ended before the answer was complete.
    Broken,
    /// The server refused the request because it gets too many.
    RateLimited,
    /// The server, or a proxy in front of it, failed.
    ServerFailed,
    /// The key is missing or wrong, has no quota left, or does not allow the request.
    Unauthorized,
    /// The conversation is too long for the model.
    ContextOverflow,
    /// The conversation before a thinking block has changed, so the server refuses the block. Send the request again [without
    /// thinking](crate::without_thinking).
    StaleThinking,
    /// The server refuses the thinking that it has sent. Send the request, and all later ones, [without
    /// thinking](crate::without_thinking).
    UnwantedThinking,
    /// The conversation refers to a tool that the request does not define. Send the request again [without such
    /// references](crate::without_tool_references).
    UndefinedTool,
    /// The server refused the request for another reason, or the settings are invalid: for example, the base URL is not a URL.
    Refused,
    /// The answer was cut off at a token limit, within a call.
    CutOff,
    /// The model stopped without an answer, for another reason than a limit or a refusal: without a text and without a call, or with a
    /// malformed call of Gemini's.
    NoAnswer,
    /// The answer does not match the API.
    Unreadable,
    /// The script has no more answers, or its next answer is an error.
    Script,
}

impl ModelError {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry_after: None }
    }

    /// Returns the kind.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the time that the server asked to wait, if it named one.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Returns whether the failure is transient: the same request may succeed later.
    pub fn is_transient(&self) -> bool {
        matches!(
            self.kind,
            ErrorKind::Unreachable
                | ErrorKind::TimedOut
                | ErrorKind::Broken
                | ErrorKind::RateLimited
                | ErrorKind::ServerFailed
                | ErrorKind::NoAnswer
        )
    }

    /// Returns the error about a model that stopped without an answer.
    pub(crate) fn no_answer(host: &str, reason: &str) -> Self {
        let reason = if reason.is_empty() { "it named no reason" } else { reason };
        Self::new(ErrorKind::NoAnswer, format!("the model of {host} stopped without an answer: {reason}"))
    }

    /// Sets the time that the server asked to wait.
    pub(crate) fn with_wait(mut self, wait: Option<Duration>) -> Self {
        self.retry_after = wait;
        self
    }

    pub(crate) fn after_tries(mut self, tries: u32) -> Self {
        if tries > 1 {
            self.message += &format!(" (after {tries} tries)");
        }
        self
    }

    pub(crate) fn with_timeout(mut self, timeout: Duration) -> Self {
        self.message += &format!("; an answer must begin within {timeout:?} (`answer_timeout`)");
        self
    }

    pub(crate) fn with_long_wait(mut self, wait: Duration) -> Self {
        self.message += &format!("; it asks to wait {} seconds: try again later", wait.as_secs());
        self
    }

    /// Removes the key, which some servers repeat in their messages.
    pub(crate) fn without_key(mut self, key: Option<&Key>) -> Self {
        if let Some(key) = key {
            self.message = key.hidden_in(&self.message);
        }
        self
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ModelError {}

/// A text with which the servers of an API refuse a request, and the kind of the error.
pub(crate) struct Refusal {
    pub(crate) kind: ErrorKind,
    /// A part of the message.
    pub(crate) text: &'static str,
}

/// A response whose body has been read.
pub(crate) struct Responded<'a> {
    pub(crate) host: &'a str,
    pub(crate) wire: wire::Api,
    pub(crate) refusals: &'static [Refusal],
    pub(crate) status: u16,
    /// The variable that holds the key.
    pub(crate) key_variable: Option<&'a str>,
}

impl Responded<'_> {
    /// Returns the error about a response with a status other than success.
    pub(crate) fn failed(&self, body: &str, retry_after: Option<Duration>) -> ModelError {
        let status = self.status;
        let (code, message) = self.code_and_message(body);
        let is_overflow = code == "context_length_exceeded"
            || status == 413
            || !matches!(status, 401..=404) && reports_overflow(body);
        let kind = match status {
            _ if is_overflow => ErrorKind::ContextOverflow,
            400 | 422 => self.refusal(body).unwrap_or(ErrorKind::Refused),
            429 if code == "insufficient_quota" => ErrorKind::Unauthorized,
            429 => ErrorKind::RateLimited,
            401 | 403 | 407 => ErrorKind::Unauthorized,
            // It cannot do this, now or later.
            501 | 505 => ErrorKind::Refused,
            408 | 425 | 500.. => ErrorKind::ServerFailed,
            _ => ErrorKind::Refused,
        };
        let key_advice = match self.key_variable {
            Some(variable) => format!("; check the key of this model, in the variable `{variable}`"),
            None => "; the server wants a key: set `key_variable` of this model".to_owned(),
        };
        let advice = match (kind, status) {
            (ErrorKind::Unauthorized, 429) => QUOTA,
            (ErrorKind::Unauthorized, 407) => {
                "; the proxy asks for a user and a password: write them into its variable, such as HTTP_PROXY"
            }
            (ErrorKind::Unauthorized, _) => &key_advice,
            (_, 404) => "; check the name of the model and its base_url",
            (_, 300..400) => "; it redirects, and keys are not sent elsewhere: set base_url to the final address",
            _ => "",
        };
        ModelError { kind, message: message + advice, retry_after }
    }

    /// Returns the vendor's code for an error, which may be empty, and the message about it.
    fn code_and_message(&self, body: &str) -> (String, String) {
        let answered = format!("{} answered with status {}", self.host, self.status);
        match self.wire.parse(body) {
            Err(WireError::Api { kind, message }) => {
                let code = if kind.is_empty() { String::new() } else { format!(" ({kind})") };
                (kind, format!("{answered}{code}: {message}"))
            }
            Err(WireError::UnexpectedBody { description }) => (String::new(), format!("{answered} and {description}")),
            // JSON, but not an error of the API.
            _ => (String::new(), format!("{answered}: {}", quoted(body))),
        }
    }

    /// Returns the error about an answer with a successful status and without a body. Overloaded servers and gateways send it.
    pub(crate) fn empty(&self) -> ModelError {
        let Self { host, status, .. } = self;
        let message =
            format!("{host} answered with status {status} and an empty body; if this persists, check base_url");
        ModelError::new(ErrorKind::Broken, message)
    }

    /// Returns the error about an answer with a successful status that cannot be read.
    pub(crate) fn unreadable(&self, error: &WireError) -> ModelError {
        let Self { host, status, .. } = self;
        match error {
            WireError::UnexpectedBody { description } => {
                let answered = format!("{host} answered with status {status} and {description}");
                let advice = "check base_url, and whether a proxy or a login page is in between";
                ModelError::new(ErrorKind::Unreadable, format!("{answered}; {advice}"))
            }
            WireError::Api { kind: code, message } => {
                let advice = if code == "insufficient_quota" { QUOTA } else { "" };
                ModelError::new(self.kind_of_code(code, message), format!("{host}: {error}{advice}"))
            }
            WireError::EndedEarly { .. } => {
                ModelError::new(ErrorKind::Broken, format!("the answer of {host} broke off: {error}"))
            }
            WireError::CutOff { at_limit: true, .. } => ModelError::new(
                ErrorKind::CutOff,
                format!("the answer of {host} was cut off at a token limit: {error}"),
            ),
            WireError::CutOff { reason, .. } => self.cut_off(reason),
            _ => ModelError::new(
                ErrorKind::Unreadable,
                format!(
                    "the answer of {host} does not match the API: {error}; check base_url and the API of the model"
                ),
            ),
        }
    }

    /// Returns the error about an answer that ends within a call for another reason than a limit.
    fn cut_off(&self, reason: &str) -> ModelError {
        /// Parts of the words for a filter.
        const FILTERS: [&str; 9] =
            ["filter", "safety", "refus", "block", "prohibit", "recitation", "guardrail", "moderat", "spii"];
        let (host, word) = (&self.host, reason.to_ascii_lowercase());
        if word.contains("malformed") {
            let message = format!("the model of {host} wrote an invalid call ({reason}), which was not run");
            ModelError::new(ErrorKind::NoAnswer, message)
        } else if FILTERS.iter().any(|filter| word.contains(filter)) {
            let message = format!("a filter of {host} ended the answer within a call ({reason}), which was not run");
            ModelError::new(ErrorKind::Refused, message)
        } else {
            let message = format!("the answer of {host} ended within a call ({reason}), which was not run");
            ModelError::new(ErrorKind::Broken, message)
        }
    }

    /// Returns the kind of an error that the server has sent instead of an answer.
    fn kind_of_code(&self, code: &str, message: &str) -> ErrorKind {
        match code {
            "insufficient_quota" => ErrorKind::Unauthorized,
            // Routers send the status of their own server.
            "overloaded_error" | "server_error" | "api_error" | "timeout_error" | "gateway_timeout" | "UNAVAILABLE"
            | "INTERNAL" | "DEADLINE_EXCEEDED" | "408" | "425" | "500" | "502" | "503" | "504" | "529" => {
                ErrorKind::ServerFailed
            }
            "context_length_exceeded" | "request_too_large" | "413" => ErrorKind::ContextOverflow,
            _ if reports_overflow(message) => ErrorKind::ContextOverflow,
            // A text without a code, in a stream that had begun.
            "error" => self.refusal(message).unwrap_or(ErrorKind::ServerFailed),
            "rate_limit_error" | "rate_limit_exceeded" | "RESOURCE_EXHAUSTED" | "429" => ErrorKind::RateLimited,
            _ => self.refusal(message).unwrap_or(ErrorKind::Refused),
        }
    }

    /// Returns the kind of a refusal that only its text tells apart.
    fn refusal(&self, text: &str) -> Option<ErrorKind> {
        self.refusals.iter().find(|refusal| text.contains(refusal.text)).map(|refusal| refusal.kind)
    }
}

fn reports_overflow(text: &str) -> bool {
    let lower = text.to_lowercase();
    OVERFLOWS.iter().any(|overflow| lower.contains(overflow))
}

/// Returns the beginning of a text on one line, without control characters.
fn quoted(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String =
        words.join(" ").chars().filter(|letter| !letter.is_control()).take(MAX_QUOTE_CHARS + 1).collect();
    match line.char_indices().nth(MAX_QUOTE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(status: u16, body: &str) -> ModelError {
        let wire = wire::Api::ChatCompletions;
        Responded { host: "https://example.org", wire, refusals: &[], status, key_variable: Some("KEY") }
            .failed(body, None)
    }

    #[test]
    fn an_error_says_what_the_server_sent() {
        for (code, body, kind, message) in [
            (
                401,
                r#"{"error":{"code":"invalid_api_key","message":"Bad key"}}"#,
                ErrorKind::Unauthorized,
                "401 (invalid_api_key): Bad key; check the key of this model, in the variable `KEY`",
            ),
            (
                502,
                "<html><head><title>Bad\n gateway</title>",
                ErrorKind::ServerFailed,
                "502 and an HTML page with the title \"Bad gateway\"",
            ),
            (
                502,
                "<h1>Bad gateway</h1>",
                ErrorKind::ServerFailed,
                "502 and an HTML page with the title \"Bad gateway\"",
            ),
            (503, "", ErrorKind::ServerFailed, "503 and an empty body"),
            (
                500,
                "out of\u{1b}[2J memory",
                ErrorKind::ServerFailed,
                "500 and a text that begins with \"out of\\u{1b}[2J memory\"",
            ),
            (500, r#"{"detail":"out of memory"}"#, ErrorKind::ServerFailed, r#"500: {"detail":"out of memory"}"#),
            (
                429,
                r#"{"error":{"code":"insufficient_quota","message":"m"}}"#,
                ErrorKind::Unauthorized,
                "429 (insufficient_quota): m; check the plan",
            ),
            (429, r#"{"error":{"message":"slow down"}}"#, ErrorKind::RateLimited, "429: slow down"),
            (
                404,
                r#"{"error":{"message":"no such model"}}"#,
                ErrorKind::Refused,
                "404: no such model; check the name of the model",
            ),
            (302, "", ErrorKind::Refused, "302 and an empty body; it redirects"),
        ] {
            let error = status(code, body);
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.to_string().contains(message), "{error}");
        }
        assert!(status(500, &"x ".repeat(10_000)).to_string().chars().count() < 400);
        assert!(status(500, &format!(r#"["{}"]"#, "x ".repeat(10_000))).to_string().chars().count() < 400);
    }

    #[test]
    fn a_conversation_that_is_too_long_is_told_apart() {
        for (code, body) in [
            (400, r#"{"error":{"code":"context_length_exceeded","message":"m"}}"#),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
            ),
            (
                400,
                r#"{"error":{"status":"INVALID_ARGUMENT","message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}}"#,
            ),
            (400, r#"{"object":"error","message":"This model's maximum context length is 4096 tokens."}"#),
            (400, r#"{"error":{"message":"the request exceeds the available context size. try increasing it"}}"#),
            (413, r#"{"error":{"message":"Input is too long for requested model."}}"#),
            (413, r#"{"error":{"message":"Request entity too large","type":"request_too_large"}}"#),
            (413, "<html><head><title>413 Request Entity Too Large</title></head></html>"),
            (413, ""),
            (
                400,
                r#"{"error":{"message":"Request exceeds maximum allowed content length. RequestSize(bytes): 70000, Limit(bytes): 60000."}}"#,
            ),
            (
                400,
                r#"{"error":{"message":"Request payload size exceeds the limit: 20971520 bytes.","status":"INVALID_ARGUMENT"}}"#,
            ),
            (
                400,
                r#"{"error":{"message":"Invalid 'messages[1].content': string too long. Expected a string with maximum length 1048576","code":"string_above_max_length"}}"#,
            ),
            (
                400,
                r#"{"error":{"message":"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"}}"#,
            ),
            (
                400,
                r#"{"error":"This model's maximum prompt length is 131072 but the request contains 150000 tokens."}"#,
            ),
            (422, r#"{"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096"}"#),
            (
                429,
                r#"{"error":{"message":"Request too large for gpt-x in organization o on tokens per min (TPM): Limit 30000, Requested 35000.","code":"rate_limit_exceeded"}}"#,
            ),
            (500, r#"{"error":{"message":"context size has been exceeded"}}"#),
        ] {
            assert_eq!(status(code, body).kind(), ErrorKind::ContextOverflow, "{body}");
        }
        for (code, body, kind) in [
            (400, r#"{"error":{"message":"bad tools"}}"#, ErrorKind::Refused),
            (401, r#"{"error":{"message":"content length"}}"#, ErrorKind::Unauthorized),
            (404, r#"{"error":{"message":"no model with a context length exceeded"}}"#, ErrorKind::Refused),
            (
                429,
                r#"{"error":{"message":"Rate limit reached on tokens per min (TPM): Limit 30000, Used 29000"}}"#,
                ErrorKind::RateLimited,
            ),
            (407, "", ErrorKind::Unauthorized),
        ] {
            assert_eq!(status(code, body).kind(), kind, "{body}");
        }
    }
}
