//! Addresses that may be shown to a third party.

use std::error::Error;
use std::fmt;

use toolc_net::AddressPolicy;
use toolc_redact::{is_credential, words};
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
/// The minimum number of random letters and digits that make a value a secret by its look alone.
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
    /// The address has a user or a password.
    Credentials,
    /// The value of this parameter is secret, or looks like it.
    Parameter(String),
    /// A part of the path looks like a secret.
    Path,
    /// The fragment, which no server gets, looks like a secret.
    Fragment,
    /// The host is in a private network, as its name says.
    PrivateHost,
    /// The host is not found, has an address that is not public, or is shown a client certificate.
    NotPublic,
    /// The scheme is neither `http` nor `https`.
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
            Self::NotPublic => {
                f.write_str("the host is not found on the public Internet, or is for clients with a certificate")
            }
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
    if segments.map(decoded).any(|segment| looks_secret(&segment, is_public_hash)) {
        return Some(Withheld::Path);
    }
    let fragment = url.fragment().filter(|fragment| !fragment.is_empty())?;
    let mut pairs = url::form_urlencoded::parse(fragment.trim_start_matches(['/', '!', '?']).as_bytes());
    let has_pair = pairs.any(|(name, value)| is_secret_pair(&name, &value));
    let has_part = fragment.split(['/', '&', '?', '=', ';']).map(decoded).any(|part| looks_secret(&part, |_| false));
    (has_pair || has_part).then_some(Withheld::Fragment)
}

fn is_secret_pair(name: &str, value: &str) -> bool {
    // A nested address may have a secret.
    let nested = Url::parse(value).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let has_nested = nested.is_some_and(|url| holds_secret(&url).is_some());
    has_nested || looks_secret(value, |_| false) || (!value.is_empty() && is_secret_name(name))
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

/// Returns whether a value has the format of a key or token, or is mostly random. Parts of it can be public, although they are random.
fn looks_secret(value: &str, is_public: impl Fn(&str) -> bool) -> bool {
    let parts = value.split(|letter: char| !letter.is_alphanumeric());
    let random = parts.filter(|part| !is_word(part) && !is_public(part)).map(str::len).sum::<usize>();
    random >= MIN_RANDOM || (is_credential("", value) && !is_public(value))
}

/// Returns whether a part of a value is a word in some case, perhaps with a number before or after it, or is not of the letters of keys.
fn is_word(part: &str) -> bool {
    let letters = part.trim_matches(|letter: char| letter.is_ascii_digit());
    let capitals = letters.bytes().filter(u8::is_ascii_uppercase).count();
    let has_digit = letters.bytes().any(|byte| byte.is_ascii_digit());
    !part.is_ascii() || (!has_digit && (capitals * 3 <= letters.len() || capitals == letters.len()))
}

/// Returns whether a part of a path is a hash, such as that of a commit: most of them are public.
fn is_public_hash(part: &str) -> bool {
    matches!(part.len(), 32 | 40 | 64) && part.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'))
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
            "https://medium.com/@someone/how-we-made-our-compiler-fast-3f2a9c8b1d2e",
            "https://someone.notion.site/A-page-with-a-title-0123456789abcdef0123456789abcdef",
            "https://docs.spring.io/api/org/springframework/aop/AbstractSingletonProxyFactoryBean.html",
            "https://wiki.example.com/HowToCompareTwoStringsInRustWithoutAllocating",
            "https://zh.wikipedia.org/wiki/%E4%B8%AD%E5%8D%8E%E4%BA%BA%E6%B0%91%E5%85%B1%E5%92%8C%E5%9B%BD",
            "https://de.example.org/Donaudampfschifffahrtsgesellschaftskapitaen-1234567890123456789012345",
            "https://example.com/#:~:text=how%20to%20compare,two%20strings",
            "https://example.com/2026-11-30T10%3A00%3A00Z/README.ISO8601.txt",
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
            ("https://example.com/s/9fJ2kLmQ-8sVx3ZbT_7wRy5NcE.1hGa".to_owned(), Withheld::Path),
            ("https://hooks.example.com/services/T00/B00/kXq3TfZw9LmN2pRs8VbYc4Jd".to_owned(), Withheld::Path),
            ("https://docs.example.com/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit".to_owned(), Withheld::Path),
            ("https://example.com/?u=0123456789abcdef0123456789abcdef".to_owned(), Withheld::Parameter("u".to_owned())),
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
