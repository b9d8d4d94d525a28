//! Why a command cannot do its work.

use std::error::Error as StdError;
use std::fmt;

/// Why a command cannot do its work. The text says what is wrong and what to do.
#[derive(Debug)]
pub(crate) enum Error {
    /// The command line, an answer, a file or a setting of the user cannot be used as it is.
    Invalid(String),
    /// Only a person may do this, and a tool runs this command.
    NeedsPerson(String),
    /// An action failed. It completes "failed to ...".
    Failed { action: String, source: Box<dyn StdError + Send + Sync> },
    /// A part of this program failed, and its error says everything.
    Other(Box<dyn StdError + Send + Sync>),
}

/// The result of a part of a command.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Returns the error of an action, which completes "failed to ...".
    pub(crate) fn failed(action: impl Into<String>, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Failed { action: action.into(), source: source.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(text) | Self::NeedsPerson(text) => f.write_str(text),
            Self::Failed { action, source } => write!(f, "failed to {action}: {source}"),
            Self::Other(error) => error.fmt(f),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Invalid(_) | Self::NeedsPerson(_) => None,
            Self::Failed { source, .. } => Some(&**source),
            // Its text is the text of this error.
            Self::Other(error) => error.source(),
        }
    }
}

impl From<String> for Error {
    fn from(text: String) -> Self {
        Self::Invalid(text)
    }
}

impl From<&str> for Error {
    fn from(text: &str) -> Self {
        Self::Invalid(text.to_owned())
    }
}

/// Declares which errors of other crates a command passes on.
macro_rules! parts {
    ($($error:ty),* $(,)?) => {
        $(
            impl From<$error> for Error {
                fn from(error: $error) -> Self {
                    Self::Other(Box::new(error))
                }
            }
        )*
    };
}

parts! {
    std::io::Error,
    toolc::error::RegistryError,
    toolc::error::SessionError,
    toolc_cli::FactError,
    toolc_net::CertificateError,
    serde_json::Error,
    toolc_store::ScheduleError,
    toolc_config::ConfigError,
    toolc_hub::HubError,
    toolc_hub::SourceError,
    toolc_mcp::McpError,
    toolc_model::ModelError,
    toolc_model::ScriptError,
    toolc_store::BoardError,
    toolc_store::StoreError,
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn an_error_has_the_text_and_the_source_of_its_part() {
        let failed = Error::failed("read `x`", io::Error::other("it is gone"));
        assert_eq!(failed.to_string(), "failed to read `x`: it is gone");
        assert_eq!(failed.source().map(ToString::to_string).as_deref(), Some("it is gone"));
        let invalid = Error::from("no model is set".to_owned());
        assert!(invalid.to_string() == "no model is set" && invalid.source().is_none());
    }
}
