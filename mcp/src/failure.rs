//! Why a connection could not be opened, or a request got no answer, in words for a person.

use std::error::Error;
use std::fmt::Write as _;

use reqwest::StatusCode;
use rmcp::model::{ErrorCode, ErrorData, ProtocolVersion};
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::streamable_http_client::StreamableHttpError;
use serde_json::Value;

use crate::digits;
use crate::http::CONNECT;
use crate::message::UNREADABLE;
use crate::secrets::SecretRedactor;
use crate::visible::{visible, whole_beginning};

/// The maximum number of characters of a reason.
const MAX_REASON: usize = 2_000;

/// The maximum number of characters of the data of an error.
const MAX_DATA: usize = 2_000;
/// The code of an error that asks to open an address.
pub(crate) const ADDRESS_REQUIRED: i32 = -32042;

/// The beginning of the protocol library's error about an answer that is valid JSON, but not a message.
const UNPARSED: &str = "could not parse JSON response as ServerJsonRpcMessage: ";

/// Returns why a connection could not be opened.
pub(crate) fn start_reason(error: &ClientInitializeError, redactor: &SecretRedactor) -> String {
    display_text(&start_error_text(error), redactor)
}

/// Returns an error with its causes as one text, without secrets.
pub(crate) fn reason(error: &(dyn Error + 'static), redactor: &SecretRedactor) -> String {
    display_text(&error_text(error), redactor)
}

/// Returns a text of a server without secrets, and with every character that controls a terminal visible.
pub(crate) fn display_text(text: &str, redactor: &SecretRedactor) -> String {
    visible(&redactor.text(text)).chars().take(MAX_REASON).collect()
}

/// Returns whether the connection ended before it was open.
pub(crate) fn closed_during_start(error: &ClientInitializeError) -> bool {
    match error {
        ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. } => true,
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => closed_during_start(fallback),
        _ => false,
    }
}

/// Returns the versions of the protocol that a server names when it refuses the one of this program.
pub(crate) fn supported_versions(error: &ClientInitializeError) -> impl Iterator<Item = ProtocolVersion> {
    let named = match error {
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => server_supported.clone(),
        ClientInitializeError::JsonRpcError(ErrorData { data: Some(data), .. }) => named_versions(data),
        _ => Vec::new(),
    };
    named.into_iter()
}

fn named_versions(data: &Value) -> Vec<ProtocolVersion> {
    let versions = data["supported"].as_array().into_iter().flatten();
    versions.filter_map(|version| serde_json::from_value(version.clone()).ok()).collect()
}

/// Returns the newest version that this program knows of those that a server names when it refuses the version of a request.
pub(crate) fn supported_instead(error: &ServiceError) -> Option<ProtocolVersion> {
    let ServiceError::McpError(refused) = error else { return None };
    let data = refused.data.as_ref().filter(|_| refused.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION)?;
    let known = named_versions(data).into_iter().filter(|version| ProtocolVersion::KNOWN_VERSIONS.contains(version));
    known.max_by(|a, b| a.as_str().cmp(b.as_str()))
}

fn start_error_text(error: &ClientInitializeError) -> String {
    let versions = |versions: &[ProtocolVersion]| {
        versions.iter().take(10).map(ProtocolVersion::as_str).collect::<Vec<_>>().join(", ")
    };
    match error {
        ClientInitializeError::LegacyFallbackFailed { discover, fallback } => match (&**discover, &**fallback) {
            (ClientInitializeError::JsonRpcError(new), ClientInitializeError::JsonRpcError(old))
                if ![new, old].iter().any(|error| error.code == UNREADABLE) =>
            {
                format!("the server refuses `server/discover` ({}) and `initialize` ({})", refusal(new), refusal(old))
            }
            (_, fallback) => start_error_text(fallback),
        },
        ClientInitializeError::JsonRpcError(error) if error.code == UNREADABLE => {
            format!("the server gives an answer that cannot be read: {}", error.message)
        }
        ClientInitializeError::JsonRpcError(error) => format!("the server refuses the connection: {}", refusal(error)),
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            format!("the server knows other versions of the protocol: {}", versions(server_supported))
        }
        ClientInitializeError::ExpectedInitResult(_) | ClientInitializeError::ExpectedInitResponse(_) => {
            "the server does not answer `initialize` with a version of the protocol".to_owned()
        }
        ClientInitializeError::ConflictInitResponseId(expected, got)
        | ClientInitializeError::UncorrelatedErrorResponse { expected, received: got } => {
            format!("the server answers the request `{got}`, and was asked `{expected}`")
        }
        ClientInitializeError::TransportError { error, .. } => error_text(error.error.as_ref()),
        ClientInitializeError::ConnectionClosed(_) => "the server has closed the connection".to_owned(),
        error => error_text(error),
    }
}

fn refusal(error: &ErrorData) -> String {
    format!("{}, code {}", error_reason(error), error.code.0)
}

/// Returns why a server refuses a request: the message of its error, and the data, which often names the cause.
pub(crate) fn error_reason(error: &ErrorData) -> String {
    let message = error.message.trim();
    // An address that a person must open is not for the model.
    let data = error.data.as_ref().filter(|_| error.code.0 != ADDRESS_REQUIRED).and_then(data_text);
    match (message, data) {
        ("", None) => "the server gives no reason".to_owned(),
        ("", Some(data)) => data,
        (message, Some(data)) if !message.contains(&data) => format!("{message} (data: {data})"),
        (message, _) => message.to_owned(),
    }
}

/// Returns the data of an error as text, if there is any.
fn data_text(data: &Value) -> Option<String> {
    let text = match data {
        Value::Null => return None,
        Value::String(text) => text.trim().to_owned(),
        Value::Array(items) if items.is_empty() => return None,
        Value::Object(members) if members.is_empty() => return None,
        other => digits::unmarked(other.to_string()),
    };
    Some(whole_beginning(&text, MAX_DATA).into_owned()).filter(|text| !text.is_empty())
}

/// Returns what is wrong with an answer over HTTP, if it could not be read.
pub(crate) fn unreadable(error: &(dyn Error + 'static)) -> Option<String> {
    match http_error(error)? {
        StreamableHttpError::UnexpectedServerResponse(text) => {
            Some(format!("it is not a valid message: {}", text.strip_prefix(UNPARSED)?))
        }
        _ => None,
    }
}

fn http_error<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e StreamableHttpError<reqwest::Error>> {
    causes(error).find_map(|cause| cause.downcast_ref())
}

/// Returns an error and its causes.
fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    let source = |error: &&'e (dyn Error + 'static)| -> Option<&'e (dyn Error + 'static)> {
        let error: &'e (dyn Error + 'static) = *error;
        error.source()
    };
    std::iter::successors(Some(error), source)
}

/// Returns an error with its causes as one text.
fn error_text(error: &(dyn Error + 'static)) -> String {
    if let Some(error) = http_error(error) {
        return http_reason(error);
    }
    match error.downcast_ref() {
        Some(ServiceError::McpError(answer)) if answer.code == UNREADABLE => {
            return format!("the server gives an answer that cannot be read: {}", answer.message);
        }
        Some(ServiceError::McpError(refused)) => {
            return format!("the server refuses the request: {}", refusal(refused));
        }
        _ => {}
    }
    let mut text = String::new();
    for cause in causes(error).map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            let _ = write!(text, ": {cause}");
        }
    }
    text
}

fn http_reason(error: &StreamableHttpError<reqwest::Error>) -> String {
    match error {
        StreamableHttpError::Client(error) => request_reason(error),
        StreamableHttpError::HttpStatus(status) => {
            let name = StatusCode::from_u16(status.status).ok().and_then(|status| status.canonical_reason());
            let name = name.map(|name| format!(" {name}")).unwrap_or_default();
            format!("the server answers with HTTP {}{name}", status.status)
        }
        StreamableHttpError::UnexpectedServerResponse(text) => match text.strip_prefix(UNPARSED) {
            Some(problem) => format!("the server gives an answer that cannot be read: {problem}"),
            None => format!("the server answers with {text}"),
        },
        StreamableHttpError::UnexpectedContentType(kind) => {
            let kind = kind.as_deref().unwrap_or("no type");
            format!("the answer of the server is neither JSON nor a stream of events: {kind}")
        }
        error => {
            let source = error.source().map(ToString::to_string);
            let text = error.to_string();
            source
                .filter(|source| !text.contains(source))
                .map_or_else(|| text.clone(), |source| format!("{text}: {source}"))
        }
    }
}

/// Returns why a request got no answer.
fn request_reason(error: &reqwest::Error) -> String {
    let host = error.url().and_then(|url| url.host_str()).unwrap_or("the server");
    if error.is_timeout() {
        let seconds = CONNECT.as_secs();
        return format!("{host} did not answer within {seconds} s");
    }
    let Some(cause) = causes(error).skip(1).last() else { return error.to_string() };
    if causes(error).any(is_tls) {
        return format!("TLS with {host} failed: {cause}");
    }
    if error.is_connect() {
        return format!("failed to connect to {host}: {cause}");
    }
    format!("{host} did not answer: {cause}")
}

fn is_tls(error: &(dyn Error + 'static)) -> bool {
    if error.is::<rustls::Error>() {
        return true;
    }
    // `source()` of an I/O error skips the error that it contains.
    error.downcast_ref::<std::io::Error>().and_then(|error| error.get_ref()).is_some_and(|within| is_tls(within))
}

#[cfg(test)]
mod tests {
    use rmcp::model::ErrorCode;
    use toolc::{Env, Registry};

    use super::*;

    #[test]
    fn both_refusals_are_named() {
        let refused = |code, text: &str| {
            Box::new(ClientInitializeError::JsonRpcError(ErrorData::new(ErrorCode(code), text.to_owned(), None)))
        };
        let secrets = SecretRedactor::new(Registry::new().redactor(&Env::empty().with_secret("KEY", "hunter2hunter2")));
        let error = ClientInitializeError::LegacyFallbackFailed {
            discover: refused(-32601, "unknown"),
            fallback: refused(-32000, "the key hunter2hunter2 is \u{1b}[31mwrong\r\n"),
        };
        assert_eq!(
            start_reason(&error, &secrets),
            "the server refuses `server/discover` (unknown, code -32601) and `initialize` (the key [secret] is \\u{1b}[31mwrong, code \
             -32000)"
        );
    }
}
