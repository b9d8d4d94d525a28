//! Accounts at services: where their keys and addresses come from, and how a request carries the key.

use std::error::Error;
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use toolc_net::HeaderValue;
use url::Url;

use super::outcome::Outcome;

/// The variables with keys and addresses: of an environment, or of a configuration.
pub trait Variables {
    /// Returns the value of a variable.
    fn var(&self, name: &str) -> Option<String>;
}

impl<F: Fn(&str) -> Option<String>> Variables for F {
    fn var(&self, name: &str) -> Option<String> {
        self(name)
    }
}

/// Whether an account needs a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyUse {
    /// Every request needs it.
    Required,
    /// Only the public service needs it, and an instance of the user does not.
    Public,
    /// Requests without it are served, but fewer of them.
    Optional,
}

/// Where a request carries the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPlace {
    /// In the header `Authorization`.
    Bearer,
    /// In this header, whose name is in lower case.
    Header(&'static str),
    /// In this parameter of the address.
    Parameter(&'static str),
}

/// How a service says that a request has failed, where this is not what the status means in general.
#[derive(Debug, Clone, Copy)]
pub struct Sign {
    /// The status, or 0 for any status.
    pub status: u16,
    /// A part of the answer's message, in lower case. An empty text is part of every message.
    pub part: &'static str,
    /// What it means.
    pub outcome: Outcome,
    /// What a person can do.
    pub advice: &'static str,
}

/// A service, and how it knows its customers.
#[derive(Debug)]
pub struct Account {
    /// The name in a configuration, such as `brave`.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// The variables with the key. The first that is set counts.
    pub key_variables: &'static [&'static str],
    /// Whether a key is needed.
    pub key_use: KeyUse,
    /// Where the key is sent.
    pub key_place: KeyPlace,
    /// The header of requests without a key, if they need one.
    pub keyless: Option<(&'static str, &'static str)>,
    /// The variables with the address of another instance. The first that is set counts.
    pub base_variables: &'static [&'static str],
    /// The address of the public service. Without one, a variable must name an instance.
    pub base: Option<&'static str>,
    /// Variables with settings, each with the value that counts if it is not set.
    pub settings: &'static [(&'static str, &'static str)],
    /// The time of a request, if it takes longer than those of other services.
    pub patience: Option<Duration>,
    /// The service's own signs of failures. The first that fits counts.
    pub signs: &'static [Sign],
}

/// A key. It is not shown.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Key(String);

impl Key {
    /// Returns the key itself.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

/// An account with its key and address.
#[derive(Debug, Clone)]
pub struct Access {
    account: &'static Account,
    base: Url,
    key: Option<Key>,
    /// The value of the header `Authorization` for an instance whose address has a user and a password.
    basic: Option<Key>,
    settings: Vec<(&'static str, String)>,
    is_named: bool,
}

/// Why an account cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotConfigured {
    /// No key: one of these variables must be set.
    Key(&'static str, &'static [&'static str]),
    /// No address: one of these variables must be set.
    Base(&'static str, &'static [&'static str]),
    /// The key in this variable has white space or another character that no key has.
    InvalidKey(&'static str, &'static str),
    /// The value of this variable is not an address of `http` or `https`.
    InvalidBase(&'static str, &'static str),
}

impl NotConfigured {
    /// Returns whether nothing is set, rather than something wrong.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Key(..) | Self::Base(..))
    }
}

impl fmt::Display for NotConfigured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(name, variables) => write!(f, "`{name}` needs a key: set {}", variables.join(" or ")),
            Self::Base(name, variables) => {
                write!(f, "`{name}` needs the address of an instance: set {}", variables.join(" or "))
            }
            Self::InvalidKey(name, variable) => {
                write!(
                    f,
                    "the key for `{name}` in {variable} contains white space or another invalid character: copy it again"
                )
            }
            Self::InvalidBase(name, variable) => {
                write!(
                    f,
                    "the address for `{name}` in {variable} is not a valid address: write it as https://HOST or https://HOST/PATH"
                )
            }
        }
    }
}

impl Error for NotConfigured {}

impl Account {
    /// An account without names, whose key is required and sent as a bearer token.
    pub const BARE: Self = Self {
        name: "",
        title: "",
        key_variables: &[],
        key_use: KeyUse::Required,
        key_place: KeyPlace::Bearer,
        keyless: None,
        base_variables: &[],
        base: None,
        settings: &[],
        patience: None,
        signs: &[],
    };

    /// Takes the key and the address from variables.
    ///
    /// # Errors
    /// If one is missing or has a wrong form. The message contains neither.
    pub fn open(&'static self, variables: &dyn Variables) -> Result<Access, NotConfigured> {
        let (base, basic, has_own_base) = self.base(variables)?;
        let key = self.key(variables)?;
        let needs_key = match self.key_use {
            KeyUse::Required => true,
            KeyUse::Public => !has_own_base,
            KeyUse::Optional => false,
        };
        if needs_key && key.is_none() {
            return Err(NotConfigured::Key(self.name, self.key_variables));
        }
        let setting = |(name, usual): &(&'static str, &'static str)| {
            (*name, first(&[*name], variables).map_or_else(|| (*usual).to_owned(), |(_, value)| value))
        };
        let settings = self.settings.iter().map(setting).collect();
        Ok(Access { account: self, is_named: key.is_some() || has_own_base, base, key, basic, settings })
    }

    fn key(&self, variables: &dyn Variables) -> Result<Option<Key>, NotConfigured> {
        let Some((variable, key)) = first(self.key_variables, variables) else { return Ok(None) };
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(NotConfigured::InvalidKey(self.name, variable));
        }
        Ok(Some(Key(key)))
    }

    fn base(&self, variables: &dyn Variables) -> Result<(Url, Option<Key>, bool), NotConfigured> {
        let (variable, text, is_own) = match (first(self.base_variables, variables), self.base) {
            (Some((variable, text)), _) => (variable, text, true),
            (None, Some(base)) => ("", base.to_owned(), false),
            (None, None) => return Err(NotConfigured::Base(self.name, self.base_variables)),
        };
        let invalid = NotConfigured::InvalidBase(self.name, variable);
        let mut base = Url::parse(&text).map_err(|_| invalid.clone())?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(invalid);
        }
        let basic = basic(&base);
        if base.set_username("").and_then(|()| base.set_password(None)).is_err() {
            return Err(invalid);
        }
        base.set_query(None);
        base.set_fragment(None);
        Ok((base, basic, is_own))
    }
}

impl Access {
    /// Returns the account.
    pub fn account(&self) -> &'static Account {
        self.account
    }

    /// Returns whether variables name a key or an instance. Otherwise the service serves requests without a key, and should only be asked if
    /// the person has named it.
    pub fn is_named(&self) -> bool {
        self.is_named
    }

    /// Returns the address below which requests are sent.
    pub(crate) fn base(&self) -> &Url {
        &self.base
    }

    /// Returns the value of one of the account's [settings](Account::settings), or nothing.
    pub(crate) fn setting(&self, name: &str) -> &str {
        self.settings.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
    }

    pub(crate) fn key(&self) -> Option<&Key> {
        self.key.as_ref()
    }

    /// Returns the header with the credentials.
    pub(crate) fn header(&self) -> Option<(&'static str, HeaderValue)> {
        let (name, value) = match (&self.key, self.account.key_place) {
            (Some(key), KeyPlace::Bearer) => ("authorization", format!("Bearer {}", key.reveal())),
            (Some(key), KeyPlace::Header(name)) => (name, key.reveal().to_owned()),
            (Some(_), KeyPlace::Parameter(_)) | (None, _) => {
                let basic = self.basic.as_ref().map(|basic| ("authorization", basic.reveal().to_owned()));
                basic.or_else(|| self.account.keyless.map(|(name, value)| (name, value.to_owned())))?
            }
        };
        let mut value = HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        Some((name, value))
    }

    /// Returns the secrets that no message may contain.
    pub(crate) fn secrets(&self) -> Vec<String> {
        [&self.key, &self.basic].into_iter().flatten().map(|key| key.reveal().to_owned()).collect()
    }

    /// Returns a number that differs for other accounts, keys and instances.
    pub(crate) fn identity(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.account.name, self.base.as_str(), &self.key, &self.basic).hash(&mut hasher);
        hasher.finish()
    }
}

/// Returns the first variable that is set, and its value.
fn first(names: &[&'static str], variables: &dyn Variables) -> Option<(&'static str, String)> {
    names.iter().find_map(|name| {
        let value = variables.var(name)?.trim().to_owned();
        (!value.is_empty()).then_some((*name, value))
    })
}

/// Returns the credentials of an address with a user or a password (RFC 7617).
fn basic(base: &Url) -> Option<Key> {
    let decoded = |text: &str| percent_decoded(text);
    let (user, password) = (base.username(), base.password().unwrap_or_default());
    let pair = format!("{}:{}", decoded(user), decoded(password));
    (pair.len() > 1).then(|| Key(format!("Basic {}", STANDARD.encode(pair))))
}

fn percent_decoded(text: &str) -> String {
    // Both have a meaning in a query.
    let pair = format!("a={}", text.replace('+', "%2B").replace('&', "%26"));
    url::form_urlencoded::parse(pair.as_bytes()).next().map(|(_, value)| value.into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    static SERVICE: Account = Account {
        name: "service",
        title: "Service",
        key_variables: &["SERVICE_KEY", "OLD_SERVICE_KEY"],
        key_use: KeyUse::Public,
        base_variables: &["SERVICE_URL"],
        base: Some("https://api.service.example"),
        settings: &[("SERVICE_MODEL", "small")],
        ..Account::BARE
    };

    fn open(variables: &[(&str, &str)]) -> Result<Access, String> {
        let variable =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        SERVICE.open(&variable).map_err(|error| error.to_string())
    }

    fn header(access: &Access) -> Option<String> {
        access.header().map(|(name, value)| format!("{name}: {}", value.to_str().expect("text")))
    }

    #[test]
    fn a_key_comes_from_the_first_variable_that_is_set() {
        let access = open(&[("SERVICE_KEY", " "), ("OLD_SERVICE_KEY", " old-key\n")]).expect("a key");
        assert_eq!(header(&access).as_deref(), Some("authorization: Bearer old-key"));
        assert!(access.is_named() && access.base().as_str() == "https://api.service.example/");
        assert_eq!((access.setting("SERVICE_MODEL"), access.setting("OTHER")), ("small", ""));
        let error = open(&[]).expect_err("no key");
        assert_eq!(error, "`service` needs a key: set SERVICE_KEY or OLD_SERVICE_KEY");
    }

    #[test]
    fn an_instance_of_the_user_needs_no_key() {
        let access = open(&[("SERVICE_URL", "http://me:p%40ss@localhost:3002/v?q=1#f")]).expect("an instance");
        assert_eq!(access.base().as_str(), "http://localhost:3002/v");
        assert_eq!(header(&access).as_deref(), Some("authorization: Basic bWU6cEBzcw=="));
        for text in ["localhost:3002", "file:///etc", "://", "mailto:a@b"] {
            let error = open(&[("SERVICE_URL", text)]).expect_err(text);
            assert!(error.contains("SERVICE_URL is not a valid address"), "{text}: {error}");
        }
    }

    #[test]
    fn a_key_is_not_shown() {
        let access =
            open(&[("SERVICE_KEY", "hunter2-hunter2"), ("SERVICE_URL", "https://u:hunter2@h/")]).expect("valid");
        assert!(!format!("{access:?}").contains("hunter2"), "{access:?}");
        let error = open(&[("SERVICE_KEY", "hunter2\nX-Header: a")]).expect_err("an invalid key");
        assert!(error.contains("SERVICE_KEY") && !error.contains("hunter2"), "{error}");
    }
}
