//! The transport over streamable HTTP.

mod answer;
mod client;
mod events;

use std::collections::HashMap;
use std::time::Duration;

use reqwest::header::{HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use toolc::Env;

pub(crate) use client::HttpClient;

use crate::error::{ErrorKind, McpError};
use crate::stdio::MAX_MESSAGE;

/// The time limit for opening a connection.
pub(crate) const CONNECT: Duration = Duration::from_secs(10);
/// The maximum length of the text of an HTTP error.
const MAX_ERROR: usize = 4 << 10;

/// Returns the client and the settings of the transport to an address. Redirects are not followed: they would carry the credentials to
/// another address.
///
/// # Errors
/// Returns an error if the address or a header is not valid, a variable is not set, or credentials would be sent without encryption.
pub(crate) fn transport(
    url: &str,
    headers: &[(String, String)],
    bearer: Option<&str>,
    env: &Env,
) -> Result<(HttpClient, StreamableHttpClientTransportConfig), McpError> {
    let parsed = server_address(url)?;
    let has_credentials = bearer.is_some() || !headers.is_empty();
    if has_credentials && parsed.scheme() != "https" && !is_loopback(&parsed) {
        let message = "the headers and the token would be sent without encryption: use `https://`";
        return Err(McpError::new(ErrorKind::Settings, message));
    }
    let mut custom = HashMap::new();
    for (name, variable) in headers {
        let invalid =
            |what| McpError::new(ErrorKind::Settings, format!("the {what} of the header `{name}` is not valid"));
        let header: HeaderName = name.parse().map_err(|_| invalid("name"))?;
        let mut value = HeaderValue::from_str(&set_variable(env, variable)?).map_err(|_| invalid("value"))?;
        value.set_sensitive(true);
        custom.insert(header, value);
    }
    let mut config = StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(custom)
        .max_sse_event_size(MAX_MESSAGE)
        .max_json_response_size(MAX_MESSAGE)
        .max_error_response_size(MAX_ERROR);
    if let Some(variable) = bearer {
        config = config.auth_header(set_variable(env, variable)?);
    }
    prepare_tls();
    let client = reqwest::Client::builder()
        .connect_timeout(CONNECT)
        .redirect(Policy::none())
        .user_agent(concat!("toolc/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(not_prepared)?;
    Ok((HttpClient::new(client), config))
}

/// Reads the address of a server.
pub(crate) fn server_address(url: &str) -> Result<reqwest::Url, McpError> {
    reqwest::Url::parse(url).map_err(|error| {
        McpError::new(ErrorKind::Settings, format!("`url` is not an address: {error}")).caused_by(error)
    })
}

/// Returns the value of a variable that the settings name.
pub(crate) fn set_variable(env: &Env, variable: &str) -> Result<String, McpError> {
    let value = env.var(variable).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    value.ok_or_else(|| {
        McpError::new(ErrorKind::Settings, format!("the variable {variable} is not set: add it to .env"))
    })
}

/// Returns the error for a client that cannot be made.
pub(crate) fn not_prepared(error: reqwest::Error) -> McpError {
    McpError::new(ErrorKind::System, format!("failed to prepare HTTP: {error}")).caused_by(error)
}

/// Chooses the library for cryptography.
pub(crate) fn prepare_tls() {
    // Another part of the process may have chosen one already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Returns whether an address is one of this machine.
pub(crate) fn is_loopback(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(url: &str, headers: &[(String, String)], bearer: Option<&str>) -> String {
        let env = Env::empty().with_secret("TOKEN", "hunter2").with_secret("BROKEN", "hunter2\n\nx");
        transport(url, headers, bearer, &env).err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[tokio::test]
    async fn credentials_are_sent_only_with_encryption_or_to_this_machine() {
        for url in ["http://example.com/mcp", "http://10.0.0.1/mcp", "http://127.0.0.1.example.com/"] {
            assert!(refused(url, &[], Some("TOKEN")).contains("without encryption"), "{url}");
            assert_eq!(refused(url, &[], None), "");
        }
        for url in ["https://example.com/mcp", "http://localhost:80/", "http://127.0.0.1/", "http://[::1]:5/"] {
            assert_eq!(refused(url, &[], Some("TOKEN")), "", "{url}");
        }
    }

    #[tokio::test]
    async fn messages_do_not_show_values() {
        let header = |name: &str, variable: &str| [(name.to_owned(), variable.to_owned())];
        let url = "https://example.com/";
        assert!(refused(url, &[], Some("MISSING")).contains("MISSING is not set"));
        for message in [refused(url, &header("X-Key", "BROKEN"), None), refused(url, &header("a b", "TOKEN"), None)] {
            assert!(message.contains("is not valid") && !message.contains("hunter2"), "{message}");
        }
        assert!(refused("not an address", &[], None).contains("is not an address"));
    }
}
