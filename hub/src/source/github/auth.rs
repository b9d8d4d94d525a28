//! Who asks GitHub: an anonymous client, a person by a token, or a GitHub App.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jiff::Timestamp;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::host::headers;
use crate::fault::{SourceError, SourceFault};
use crate::secret::Secret;
use crate::web::{Web, join};

/// The variables with a token. The first that is set counts.
const TOKENS: &[&str] = &["GITHUB_TOKEN", "GH_TOKEN"];
/// The variables of a GitHub App: its number, the number of its installation, and the text of its private key in PEM.
const APP: [&str; 3] = ["GITHUB_APP_ID", "GITHUB_APP_INSTALLATION_ID", "GITHUB_APP_PRIVATE_KEY"];
/// How long a signed request for a token is valid. GitHub allows ten minutes.
const VALID: Duration = Duration::from_mins(9);
/// How much the clock of this machine may be ahead of GitHub's.
const CLOCK: Duration = Duration::from_mins(1);

/// Gives the token of a person, such as by running `gh auth token`.
type Program = dyn Fn() -> Option<Secret> + Send + Sync;

/// Who asks GitHub.
#[derive(Clone, Default)]
pub enum GitHubAuth {
    /// Requests without a token: 60 an hour.
    #[default]
    Anonymous,
    /// A token of a person.
    Token(Secret),
    /// An installation of a GitHub App.
    App(Arc<AppAuth>),
    /// A program that is asked for the token of a person before each request. Without an answer, requests are anonymous.
    Program(Arc<Program>),
}

impl fmt::Debug for GitHubAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Anonymous => "Anonymous",
            Self::Token(_) => "Token",
            Self::App(_) => "App",
            Self::Program(_) => "Program",
        })
    }
}

impl GitHubAuth {
    /// Takes the token in `GITHUB_TOKEN` or `GH_TOKEN`, or the GitHub App in `GITHUB_APP_ID`, `GITHUB_APP_INSTALLATION_ID` and
    /// `GITHUB_APP_PRIVATE_KEY` (a text in PEM), or asks `program`.
    ///
    /// # Errors
    /// If a variable has a value that cannot be right. The message does not contain it.
    pub fn from_variables(
        variable: &dyn Fn(&str) -> Option<String>,
        program: impl Fn() -> Option<Secret> + Send + Sync + 'static,
    ) -> Result<Self, String> {
        let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        if let Some((name, value)) = TOKENS.iter().find_map(|name| Some((name, set(name)?))) {
            let token = Secret::new(&value);
            return token.map(Self::Token).ok_or_else(|| format!("{name} has a character that no token has"));
        }
        match APP.map(set) {
            [None, None, None] => Ok(Self::Program(Arc::new(program))),
            [Some(app), Some(installation), Some(key)] => {
                let number =
                    |name: &str, text: &str| text.trim().parse().map_err(|_| format!("{name} must be a number"));
                let (app, installation) = (number(APP[0], &app)?, number(APP[1], &installation)?);
                let auth = AppAuth::new(app, installation, &key);
                auth.map(|auth| Self::App(Arc::new(auth))).map_err(|reason| format!("{}: {reason}", APP[2]))
            }
            _ => Err(format!("a GitHub App needs all of {}", APP.join(", "))),
        }
    }

    /// Returns the token for requests to the API.
    pub(super) fn token(&self, web: &Web, api: &Url) -> Result<Option<Secret>, SourceError> {
        match self {
            Self::Anonymous => Ok(None),
            Self::Token(token) => Ok(Some(token.clone())),
            Self::App(app) => app.token(web, api).map(Some),
            Self::Program(program) => Ok(program()),
        }
    }
}

/// An installation of a GitHub App.
pub struct AppAuth {
    app: u64,
    installation: u64,
    key: RsaKeyPair,
    /// The last token, and until when it is valid.
    token: Mutex<Option<(Secret, Timestamp)>>,
}

/// Why the private key of an App cannot be used. The text does not contain the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidKey(String);

impl fmt::Display for InvalidKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidKey {}

/// The answer to a request for a token.
#[derive(Deserialize)]
struct InstallationToken {
    token: String,
    expires_at: Timestamp,
}

impl AppAuth {
    /// Takes the number of an App and of its installation, and the private key in PEM, as GitHub makes it (PKCS #1) or as PKCS #8.
    ///
    /// # Errors
    /// If the key cannot be read.
    pub fn new(app: u64, installation: u64, private_key: &str) -> Result<Self, InvalidKey> {
        Ok(Self { app, installation, key: key_pair(private_key)?, token: Mutex::default() })
    }

    fn token(&self, web: &Web, api: &Url) -> Result<Secret, SourceError> {
        let mut kept = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        let soon = Timestamp::now() + CLOCK;
        if let Some((token, _)) = kept.as_ref().filter(|(_, end)| *end > soon) {
            return Ok(token.clone());
        }
        let installation = self.installation.to_string();
        let url = join(api, ["app", "installations", &installation, "access_tokens"]);
        let wrong = |reason: &str| SourceError::new(&url, SourceFault::Auth(reason.to_owned()));
        let signed = self.signed(SystemTime::now()).ok_or_else(|| wrong("the key cannot sign"))?;
        let answer: InstallationToken = web.post(&url, headers(Some(&signed)), &json!({}))?;
        let token = Secret::new(&answer.token).ok_or_else(|| wrong("the token of the installation is damaged"))?;
        *kept = Some((token.clone(), answer.expires_at));
        Ok(token)
    }

    /// Returns a signed claim to be the App (RFC 7519, with RS256).
    fn signed(&self, now: SystemTime) -> Option<Secret> {
        let now = now.duration_since(UNIX_EPOCH).ok()?;
        let (from, to) = (now.saturating_sub(CLOCK).as_secs(), (now + VALID).as_secs());
        let claims = json!({ "iat": from, "exp": to, "iss": self.app.to_string() });
        let parts =
            [json!({ "alg": "RS256", "typ": "JWT" }), claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string()));
        let text = parts.join(".");
        let mut signature = vec![0; self.key.public().modulus_len()];
        self.key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), text.as_bytes(), &mut signature).ok()?;
        Secret::new(&format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

/// Reads a private RSA key in PEM (RFC 7468).
fn key_pair(pem: &str) -> Result<RsaKeyPair, InvalidKey> {
    // A variable may have `\n` in place of the ends of lines.
    let pem = pem.replace("\\n", "\n");
    let (kinds, wrong) =
        (["RSA PRIVATE KEY", "PRIVATE KEY"], "expected a private RSA key in PEM, with its lines BEGIN and END");
    let body = kinds.iter().enumerate().find_map(|(index, kind)| {
        let (_, rest) = pem.split_once(&format!("-----BEGIN {kind}-----"))?;
        let (body, _) = rest.split_once(&format!("-----END {kind}-----"))?;
        Some((index, body.split_whitespace().collect::<String>()))
    });
    let wrong = || InvalidKey(wrong.to_owned());
    let (kind, body) = body.ok_or_else(wrong)?;
    let der = STANDARD.decode(body).map_err(|_| wrong())?;
    let read = if kind == 0 { RsaKeyPair::from_der(&der) } else { RsaKeyPair::from_pkcs8(&der) };
    read.map_err(|error| InvalidKey(format!("the private key is not accepted: {error}")))
}
