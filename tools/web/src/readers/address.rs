//! Addresses that may be shown to a third party.

use std::error::Error;
use std::fmt;

use toolc_net::AddressPolicy;
use toolc_redact::{is_credential, is_secret, words};
use url::{Host, Url};

/// Words in the names of parameters whose values are secret.
const WORDS: &[&str] = &[
    "access",
    "apikey",
    "assertion",
    "auth",
    "authorization",
    "bearer",
    "code",
    "cookie",
    "credential",
    "credentials",
    "hash",
    "hdnea",
    "hdnts",
    "hmac",
    "jsessionid",
    "jwt",
    "key",
    "magic",
    "nonce",
    "oobcode",
    "otp",
    "pass",
    "passcode",
    "passwd",
    "password",
    "phpsessid",
    "pin",
    "policy",
    "pwd",
    "saml",
    "secret",
    "session",
    "sessionid",
    "sid",
    "sig",
    "sign",
    "signature",
    "sso",
    "ticket",
    "token",
    "tokens",
];
/// Names that are secret as a whole, without `-` and `_`.
const NAMES: &[&str] = &["accesskeyid", "awsaccesskeyid", "googleaccessid", "keypairid", "samlresponse", "relaystate"];
/// Words of names that contain one of [`WORDS`] and are harmless.
const HARMLESS: &[&str] =
    &["keyword", "keywords", "zipcode", "postcode", "countrycode", "langcode", "languagecode", "colorcode"];
/// Endings of names without separators, such as `accesstoken`.
const ENDINGS: &[&str] = &["apikey", "password", "secret", "signature", "token", "sessionid"];
/// The minimum length of a part of a path that can be a secret by its look alone.
const MIN_RANDOM: usize = 24;
/// Endings of the names of hosts that only a private network knows.
const PRIVATE: &[&str] = &[
    "localhost",
    "local",
    "internal",
    "intranet",
    "lan",
    "home",
    "corp",
    "private",
    "home.arpa",
    "localdomain",
    "onion",
];

/// Why an address is not sent to a third party.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Withheld {
    /// It has a user or a password.
    Credentials,
    /// The value of this parameter is secret, or looks like it.
    Parameter(String),
    /// A part of its path looks like a secret.
    Path,
    /// Its fragment, which no server gets, looks like a secret.
    Fragment,
    /// Its host is in a private network.
    PrivateHost,
    /// It is not an address of `http` or `https`.
    Scheme,
}

impl fmt::Display for Withheld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Credentials => f.write_str("the address has a user or a password"),
            Self::Parameter(name) => write!(f, "the parameter `{name}` of the address may be secret"),
            Self::Path => f.write_str("a part of the path looks like a secret"),
            Self::Fragment => f.write_str("the part after `#` looks like a secret"),
            Self::PrivateHost => f.write_str("the host is in a private network"),
            Self::Scheme => f.write_str("the address is not one of http or https"),
        }?;
        f.write_str(", so that it is not sent to another service")
    }
}

impl Error for Withheld {}

/// An address without a secret, of a host that is not in a private network as far as its name says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicAddress(Url);

impl PublicAddress {
    /// Checks an address. Its fragment is left out, unless a site has its pages there.
    ///
    /// # Errors
    /// If it is not sent to a third party.
    pub fn new(url: &Url) -> Result<Self, Withheld> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Withheld::Scheme);
        }
        if let Some(withheld) = holds_secret(url) {
            return Err(withheld);
        }
        if is_private(url) {
            return Err(Withheld::PrivateHost);
        }
        let mut url = url.clone();
        if !url.fragment().is_some_and(|fragment| fragment.starts_with(['/', '!'])) {
            url.set_fragment(None);
        }
        Ok(Self(url))
    }

    /// Returns the address.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// Returns which part of an address is secret, or looks like it.
pub fn holds_secret(url: &Url) -> Option<Withheld> {
    if !url.username().is_empty() || url.password().is_some() {
        return Some(Withheld::Credentials);
    }
    if let Some((name, _)) = url.query_pairs().find(|(name, value)| is_secret_pair(name, value)) {
        return Some(Withheld::Parameter(name.chars().take(60).collect()));
    }
    let segments = url.path().split(['/', ';', '=', ',']);
    if segments.map(decoded).any(|segment| looks_secret(&segment) && !is_public_hash(&segment)) {
        return Some(Withheld::Path);
    }
    let fragment = url.fragment().filter(|fragment| !fragment.is_empty())?;
    let mut pairs = url::form_urlencoded::parse(fragment.trim_start_matches(['/', '!', '?']).as_bytes());
    let has_pair = pairs.any(|(name, value)| is_secret_pair(&name, &value));
    let has_part = fragment.split(['/', '&', '?', '=', ';']).map(decoded).any(|part| looks_secret(&part));
    (has_pair || has_part).then_some(Withheld::Fragment)
}

fn is_secret_pair(name: &str, value: &str) -> bool {
    // A nested address may have a secret.
    let nested = Url::parse(value).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let has_nested = nested.is_some_and(|url| holds_secret(&url).is_some());
    has_nested || looks_secret(value) || (!value.is_empty() && is_secret_name(name))
}

fn is_secret_name(name: &str) -> bool {
    let lower = name.to_lowercase();
    let joined: String = lower.chars().filter(char::is_ascii_alphanumeric).collect();
    if HARMLESS.contains(&joined.as_str()) {
        return false;
    }
    // Clouds begin the names of what signs an address with these.
    let is_of_cloud = ["x-amz-", "x-goog-", "x-oss-", "x-ms-", "x-cos-"].iter().any(|prefix| lower.starts_with(prefix));
    let has_word = words(name).map(str::to_lowercase).any(|word| WORDS.contains(&word.as_str()));
    is_of_cloud || has_word || NAMES.contains(&joined.as_str()) || ENDINGS.iter().any(|ending| joined.ends_with(ending))
}

/// Returns whether a value has the format of a key or token, or is a long random text.
fn looks_secret(value: &str) -> bool {
    let is_long = value.len() >= MIN_RANDOM && !is_readable(value);
    is_credential("", value) || (is_long && (is_secret("", value) || is_random(value)))
}

/// Returns whether a text is words, such as the end of most addresses of articles, or a number that a server counts.
fn is_readable(value: &str) -> bool {
    let is_word =
        |word: &str| word.len() <= 20 && (word.bytes().all(|byte| byte.is_ascii_digit()) || has_few_changes(word));
    value.split(['-', '_', '.', ' ', '+', ':', '~']).all(is_word)
}

/// Returns whether a word has letters of one case, perhaps after a capital, and digits at most at its end.
fn has_few_changes(word: &str) -> bool {
    let kind = |letter: char| (letter.is_ascii_digit(), letter.is_uppercase());
    let kinds: Vec<_> = word.chars().map(kind).collect();
    kinds.windows(2).filter(|pair| pair[0] != pair[1]).count() <= 2
}

/// Returns whether a text is of the characters of a key, with digits and letters in turn.
fn is_random(value: &str) -> bool {
    let is_of_key = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.+/=~".contains(&byte));
    let has = |test: fn(&u8) -> bool| value.bytes().any(|byte| test(&byte));
    is_of_key && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}

/// Returns whether a text is a UUID or a hash, such as that of a commit: in a path, most of them are public.
fn is_public_hash(value: &str) -> bool {
    let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'));
    let is_uuid = value.len() == 36 && value.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
    (is_uuid && is_hex(&value.replace('-', "").to_lowercase())) || (matches!(value.len(), 32 | 40) && is_hex(value))
}

fn decoded(text: &str) -> String {
    let pair = format!("a={}", text.replace('+', "%2B").replace('&', "%26"));
    url::form_urlencoded::parse(pair.as_bytes()).next().map(|(_, value)| value.into_owned()).unwrap_or_default()
}

fn is_private(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            let ends =
                |ending: &&str| name.strip_suffix(ending).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
            !name.contains('.') || PRIVATE.iter().any(ends)
        }
        Some(Host::Ipv4(address)) => AddressPolicy::default().check(address.into()).is_err(),
        Some(Host::Ipv6(address)) => AddressPolicy::default().check(address.into()).is_err(),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Option<Withheld> {
        PublicAddress::new(&Url::parse(text).expect(text)).err()
    }

    #[test]
    fn usual_addresses_are_shown_to_readers() {
        for text in [
            "https://example.com/",
            "https://example.com/a/b.html?id=17&page=2#part",
            "https://www.nytimes.com/2026/11/30/technology/a-long-title-of-an-article-with-many-words.html",
            "https://en.wikipedia.org/wiki/Rust_(programming_language)?oldid=1234567890",
            "https://github.com/rust-lang/rust/blob/0123456789abcdef0123456789abcdef01234567/src/lib.rs",
            "https://github.com/rust-lang/rust/issues/12345#issuecomment-1234567890",
            "https://example.com/123e4567-e89b-12d3-a456-426614174000",
            "https://docs.rs/serde_json/latest/serde_json/value/enum.Value.html#method.pointer",
            "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
            "https://example.com/search?q=how+to+rotate+a+token&keyword=password&zipcode=12345",
            "https://example.com/?utm_source=x&lang=de&x=1&y=2",
            "https://arxiv.org/abs/2401.01234v2",
            "https://stackoverflow.com/questions/12345678/how-do-i-compare-two-strings-in-rust-without-allocating",
            "https://doi.org/10.1145/3360322.3360995",
        ] {
            assert_eq!(check(text), None, "{text}");
        }
    }

    #[test]
    fn addresses_with_secrets_are_withheld() {
        let parameters = [
            "token",
            "access_token",
            "accessToken",
            "accesstoken",
            "api_key",
            "apikey",
            "apiKey",
            "key",
            "sig",
            "signature",
            "X-Amz-Signature",
            "X-Amz-Security-Token",
            "X-Amz-Credential",
            "X-Goog-Signature",
            "code",
            "password",
            "pwd",
            "auth",
            "session",
            "session_id",
            "PHPSESSID",
            "jwt",
            "oobCode",
            "client_secret",
            "ticket",
            "SAMLResponse",
            "Key-Pair-Id",
            "Policy",
            "hdnea",
            "reset_password_token",
        ];
        for name in parameters {
            let found = check(&format!("https://example.com/a?x=1&{name}=abc"));
            assert_eq!(found, Some(Withheld::Parameter(name.to_owned())), "{name}");
        }
        let jwt = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";
        let github = "ghp_0123456789abcdefABCDEF0123456789abcd";
        for (text, expected) in [
            ("https://u:p@example.com/".to_owned(), Withheld::Credentials),
            ("https://u@example.com/".to_owned(), Withheld::Credentials),
            (format!("https://example.com/reset/{jwt}"), Withheld::Path),
            (format!("https://example.com/{github}/x"), Withheld::Path),
            ("https://example.com/s/9fJ2kLmQ8sVx3ZbT7wRy5NcE1hGa".to_owned(), Withheld::Path),
            (format!("https://example.com/?q={github}"), Withheld::Parameter("q".to_owned())),
            ("https://example.com/?u=9fJ2kLmQ8sVx3ZbT7wRy5NcE1hGa".to_owned(), Withheld::Parameter("u".to_owned())),
            (
                "https://example.com/?next=https%3A%2F%2Fa.com%2F%3Ftoken%3Dx".to_owned(),
                Withheld::Parameter("next".to_owned()),
            ),
            ("https://example.com/#access_token=abc&expires_in=1".to_owned(), Withheld::Fragment),
            (format!("https://example.com/#/{github}"), Withheld::Fragment),
            ("https://example.com/%67hp_0123456789abcdefABCDEF0123456789abcd".to_owned(), Withheld::Path),
        ] {
            assert_eq!(check(&text), Some(expected), "{text}");
        }
    }

    #[test]
    fn private_hosts_are_withheld() {
        for text in [
            "http://localhost:8080/",
            "http://wiki/",
            "http://nas.local/",
            "http://a.corp/",
            "http://10.0.0.1/",
            "http://127.1/",
            "http://[::1]/",
            "http://169.254.169.254/",
            "http://db.internal./",
            "http://router.home.arpa/",
        ] {
            assert_eq!(check(text), Some(Withheld::PrivateHost), "{text}");
        }
        assert_eq!(check("https://corp.example.com/"), None);
        assert_eq!(check("file:///etc/passwd"), Some(Withheld::Scheme));
    }
}
