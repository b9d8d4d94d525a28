//! Names that say that a value is secret, and environment variables that are credentials.
//!
//! The judge must not use a variable that a command does not get, so what is removed from the environment of commands and what is
//! hidden from the judge are decided here, together. In texts, fewer names count: `--key 2` and `PASS` are mostly harmless there.

use crate::formats;
use crate::words::words;

/// Words that occur in names of credentials. A name is split into words at `_` and other symbols.
const WORDS: &[&str] =
    &["APIKEY", "AUTH", "AUTHORIZATION", "BEARER", "COOKIE", "DSN", "KEY", "KEYS", "PASS", "PASSPHRASE", "PAT", "PWD"];
/// Endings of such words.
const ENDINGS: &[&str] = &[
    "CREDS",
    "JWT",
    "KEY",
    "KEYFILE",
    "KEYS",
    "PASSCODE",
    "PASSWD",
    "PASSWORD",
    "PASSWORDS",
    "SECRET",
    "SECRETS",
    "TOKEN",
    "TOKENS",
    "WEBHOOK",
];
/// Words with such an ending that are not credentials.
const EXCEPTIONS: &[&str] = &["DONKEY", "HOTKEY", "HOTKEYS", "MONKEY", "TURKEY"];
/// Beginnings of such words.
const BEGINNINGS: &[&str] = &["CREDENTIAL", "PASSWORD", "SECRET"];
/// Prefixes of names that all count as credentials: some are secret without a telling name, and commands need none of them.
const PREFIXES: &[&str] = &["AWS_"];
/// Names that are not credentials, although they contain such a word: the shell sets them.
const NOT_CREDENTIALS: &[&str] = &["PWD"];

/// Returns whether an environment variable is a credential: by its name, such as `GITHUB_TOKEN`, because its value is a URL or
/// connection string with a password, or because its value has a key or token in the format of a vendor, or a private key.
///
/// The tool `terminal` removes such variables from the environment of commands, and the judge of commands does not know them.
pub fn is_credential(name: &str, value: &str) -> bool {
    is_credential_name(name) || has_password(value) || !formats::find(value).is_empty()
}

/// Returns whether the value of a variable that is set for a program is secret. Besides [credentials](is_credential), these are values with
/// a secret in a part that has a name, such as `https://example.com/?token=...`, and values that look random. A path, an address without a
/// password or a key, or a region is not secret, even if it has the name of a key, such as `KEY_FILE`.
pub fn is_secret(name: &str, value: &str) -> bool {
    let value = value.trim();
    let unquoted =
        |text: &str| text.trim_matches(|c: char| matches!(c, '"' | '\'' | '{' | '}' | '[' | ']' | ' ')).to_owned();
    let is_named = |part: &str| {
        // A host with a port is not a name with a value.
        let is_host = part.contains('.') && is_host(part);
        let pair = part.split_once('=').or_else(|| part.split_once(':')).filter(|_| !is_host);
        pair.is_some_and(|(name, value)| {
            let (name, value) = (unquoted(name), unquoted(value));
            // An address begins with the name of its scheme.
            !value.is_empty() && !value.starts_with("//") && (is_credential_name(&name) || is_random(&value))
        })
    };
    let is_bearer = |text: &str| {
        let word = text.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        matches!(word.as_str(), "bearer" | "basic") && text.split_whitespace().count() == 2
    };
    is_credential_name(name) && !is_place(name, value)
        || is_credential("", value)
        || is_random(value)
        || is_bearer(value)
        || value.split(['?', '&', ';', ',', '\n', '#']).any(is_named)
        || value.split_whitespace().any(is_named)
}

/// Returns whether the value of a variable with this name is where something is, such as a key: a path, an address or a region. The value
/// of a password never is.
fn is_place(name: &str, value: &str) -> bool {
    const PASSWORDS: [&str; 8] = ["password", "passwd", "passphrase", "passcode", "pass", "pwd", "secret", "secrets"];
    const WITH_KEYS: [&str; 3] = ["cookie", "dsn", "webhook"];
    const HOSTS: [&str; 7] = ["address", "domain", "endpoint", "host", "hostname", "server", "issuer"];
    let words: Vec<String> = words(name).map(str::to_lowercase).collect();
    let Some(last) = words.last().map(String::as_str) else { return false };
    let is_kept = PASSWORDS.contains(&last) || words.iter().any(|word| WITH_KEYS.contains(&word.as_str()));
    !is_kept && (is_path(value) || is_address(value) || is_region(value) || HOSTS.contains(&last) && is_host(value))
}

/// Returns whether a text is an absolute path, or one relative to a folder that it names. Some keys begin with `/`, too.
fn is_path(text: &str) -> bool {
    let drive = text.get(1..3).filter(|rest| matches!(*rest, ":\\" | ":/") && text.as_bytes()[0].is_ascii_alphabetic());
    let begins = ["/", "~/", "./", "../"].iter().any(|beginning| text.starts_with(beginning)) || drive.is_some();
    let path = text.strip_prefix(|c: char| c.is_ascii_alphabetic()).filter(|_| drive.is_some()).unwrap_or(text);
    let parts: Vec<&str> =
        path.trim_start_matches([':', '~']).split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    let is_part = |part: &&str| !is_random(part) && part.chars().all(|c| c.is_alphanumeric() || "_-. @()~".contains(c));
    let extension = parts.last().and_then(|last| last.rsplit_once('.')).map(|(_, extension)| extension);
    let is_file = extension.is_some_and(|extension| {
        (1..=5).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    });
    begins && parts.iter().all(is_part) && (is_file || parts.len() > 1 && !is_random(&parts.concat()))
}

/// Returns whether a text is an address, and no part of it looks like a key.
fn is_address(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let is_scheme =
        !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    is_scheme && is_host(host) && path.split(['/', '?', '&', '=', ',']).all(is_word)
}

/// Returns whether a part of an address is a word and no key.
fn is_word(part: &str) -> bool {
    /// The length from which a text with digits may be a key.
    const MAX: usize = 16;
    part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.~{}".contains(&byte))
        && !is_random(part)
        && (part.len() < MAX || part.len() <= 2 * MAX && !part.bytes().any(|byte| byte.is_ascii_digit()))
}

/// Returns whether a text is the name of a host, with or without a port.
fn is_host(text: &str) -> bool {
    let (host, port) = text.rsplit_once(':').unwrap_or((text, "0"));
    let is_label = |label: &str| !label.is_empty() && label.len() < 64 && !is_random(label);
    let bytes = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    port.parse::<u16>().is_ok()
        && host.bytes().all(bytes)
        && host.split('.').all(is_label)
        && (host.contains('.') || host.len() < 20)
}

/// Returns whether a text is a region of a cloud: `eu-west-3`, `europe-west1`, `us-gov-east-1a`.
fn is_region(text: &str) -> bool {
    const DIRECTIONS: [&str; 5] = ["north", "south", "east", "west", "central"];
    let is_short =
        text.len() <= 32 && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let parts: Vec<&str> = text.split('-').collect();
    let has_direction = |part: &&str| DIRECTIONS.iter().any(|direction| part.contains(direction));
    is_short && (1..=2).contains(&digits) && parts.len() > 1 && parts[1..].iter().any(has_direction)
}

/// Returns whether a text looks random, as keys and tokens do: at least 20 letters and digits of every kind, or at least 32 hexadecimal
/// digits.
fn is_random(text: &str) -> bool {
    const MIN: usize = 20;
    const MIN_HEX: usize = 32;
    if text.len() >= MIN_HEX && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return true;
    }
    let is_path = text.starts_with(['/', '.', '~']) || text.contains("//") || text.contains(":\\");
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"_-+/=.".contains(&byte);
    let has = |is_kind: fn(&u8) -> bool| text.bytes().filter(is_kind).count() >= 3;
    text.len() >= MIN
        && !is_path
        && text.bytes().all(is_letter)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
}

/// Returns whether the name of a variable, an option or a field says that its value is secret: `GITHUB_TOKEN`, `--api-key`.
pub(crate) fn is_secret_name(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "apikey",
        "auth",
        "authorization",
        "bearer",
        "cookie",
        "credential",
        "credentials",
        "creds",
        "dsn",
        "jwt",
        "passcode",
        "passphrase",
        "passwd",
        "password",
        "passwords",
        "pat",
        "secret",
        "secrets",
        "sig",
        "token",
        "tokens",
        "webhook",
    ];
    // These are secret only after another word: `DB_PASS`, but not `PASS`.
    const SUFFIXES: &[&str] = &["key", "keys", "pass", "pwd"];
    let parts: Vec<String> = words(name).map(str::to_lowercase).collect();
    let Some((last, before)) = parts.split_last() else { return false };
    let last = last.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let is_word =
        |word: &str| WORDS.contains(&word) || ["password", "secret", "token"].iter().any(|end| word.ends_with(end));
    is_word(last)
        || before.iter().any(|word| matches!(word.as_str(), "password" | "secret" | "credential"))
        || !before.is_empty() && SUFFIXES.contains(&last)
        || parts.first().is_some_and(|first| first == "aws") && parts.len() > 1
}

/// Returns whether a variable is a credential by its name.
fn is_credential_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    if NOT_CREDENTIALS.contains(&&*name) {
        return false;
    }
    PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || is_secret_name(&name)
        || name.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| {
            // Without a number, as in `API_KEY2` and `TOKENV1`.
            let word = match word.trim_end_matches(|c: char| c.is_ascii_digit()) {
                stem if stem.len() < word.len() => stem.strip_suffix('V').unwrap_or(stem),
                word => word,
            };
            !EXCEPTIONS.contains(&word)
                && (WORDS.contains(&word)
                    || ENDINGS.iter().any(|ending| word.ends_with(ending))
                    || BEGINNINGS.iter().any(|beginning| word.starts_with(beginning)))
        })
}

/// Returns whether a value contains a password, as `postgres://user:password@host/` and `AccountName=a;AccountKey=k` do.
fn has_password(value: &str) -> bool {
    let named =
        |pair: &str| pair.split_once('=').is_some_and(|(name, value)| is_credential_name(name) && !value.is_empty());
    if value.contains(';') && value.split(';').any(named) {
        return true;
    }
    let mut urls = value.split("://");
    urls.next();
    urls.any(|rest| {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let user = authority.rsplit_once('@').map(|(user, _)| user);
        user.and_then(|user| user.split_once(':')).is_some_and(|(_, password)| !password.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_recognised_by_name() {
        let credentials = "OPENAI_API_KEY openai_api_key GITHUB_TOKEN NPMTOKEN TOKEN AWS_ACCESS_KEY_ID AWS_PROFILE \
            DB_PASSWORD PGPASSWORD DB_PASS MYSQL_PWD GH_PAT SSH_AUTH_SOCK BASIC_AUTH SENTRY_DSN SECRET SECRET_VALUE \
            GOOGLE_APPLICATION_CREDENTIALS STRIPE_SECRET_KEY APIKEY npm_config__authToken ENCRYPTION_KEYS \
            API_KEY1 GITHUB_TOKEN2 TOKENV2 API_KEY_3 ACCESSKEY SSHKEY MY_CREDS AUTH_JWT GOOGLE_KEYFILE_JSON";
        for name in credentials.split_whitespace() {
            assert!(is_credential_name(name), "{name}");
        }
        let harmless = "PATH PWD OLDPWD HOME LANG GIT_AUTHOR_NAME KEYBOARD_LAYOUT MONKEY TOKENIZERS_PARALLELISM \
            XAUTHORITY PASSENGER_ENV CARGO_HOME COMPASS_URL HOTKEY2 V8_FLAGS";
        for name in harmless.split_whitespace() {
            assert!(!is_credential_name(name), "{name}");
        }
    }

    #[test]
    fn a_value_is_secret_if_its_name_its_form_or_a_part_says_so() {
        let random = "q7Rk2Zt9Lw4Xc8Vb1Nm5";
        for (name, value) in [
            ("TRACKER_TOKEN", "x"),
            ("DATABASE_URL", "postgres://me:hunter2@db.example.com/x"),
            ("ENDPOINT", "https://example.com/?token=hunter2"),
            ("ENDPOINT", "https://example.com/?page=1&api_key=hunter2"),
            ("OPTIONS", "region=eu; password=hunter2"),
            ("OPTIONS", "{\"apiKey\": \"hunter2\"}"),
            ("HEADER", "Authorization: Bearer hunter2"),
            ("HEADER", "Bearer hunter2"),
            ("ARGUMENTS", "--verbose --token=hunter2"),
            ("NOTES", random),
            ("NOTES", &format!("{random}/+aB1=")),
            ("NOTES", "0123456789abcdef0123456789abcdef"),
            // What only begins like a place.
            ("ACCESS_KEY", "/q7Rk2Zt9Lw/4Xc8Vb1Nm5QwErTy"),
            ("API_KEY", "/hunter2"),
            ("DB_PASSWORD", "/hunter2/hunter2"),
            ("CLIENT_SECRET", "https://example.com/hunter2"),
            ("CHAT_WEBHOOK_URL", "https://hooks.example.com/services/T0/B0/hunter"),
            ("TOKEN_URL", "https://me:hunter2@example.com/token"),
            ("TOKEN_URL", "https://example.com/?key=hunter2&api_key=hunter2"),
            ("TOKEN_URL", "https://example.com/bots/12345:hunter2hunter2"),
            ("TOKEN_URL", "https://example.com/q7rk2zt9lw4xc8vb"),
            ("API_KEY", "a-1"),
            ("API_KEY", "my.secret.word"),
        ] {
            assert!(is_secret(name, value), "{name} {value}");
        }
        for (name, value) in [
            ("NOTES", "/srv/notes"),
            ("NOTES", "/srv/Notes2026/Projects1234567890"),
            ("NOTES", "C:\\Users\\Me123\\Documents456"),
            ("NOTES", "~/Notes2026/Projects1234567890"),
            ("TRACKER", "https://issues.example.com"),
            ("TRACKER", "https://issues.example.com:8443/browse?project=AB&page=2"),
            ("TRACKER", "http://localhost:3000/mcp"),
            ("REGION", "eu-west-3"),
            ("LEVEL", "debug"),
            ("PORT", "8080"),
            ("HOST", "queue-7.eu-west-3.example.com"),
            ("FLAGS", "true"),
            ("ZONE", "Europe/Paris"),
            ("MODEL", "text-embedding-3-large"),
            ("PATHS", "/usr/bin:/bin"),
            ("LANGUAGE", "en_GB.UTF-8"),
            ("ID", "123e4567-e89b-12d3-a456-426614174000"),
            ("EMPTY", ""),
            ("GOOGLE_APPLICATION_CREDENTIALS", "/home/me/key.json"),
            ("KEY_FILE", "/etc/k.pem"),
            ("SSH_KEY", "~/.ssh/id_ed25519"),
            ("API_KEY_FILE", "C:\\Users\\Me\\key.txt"),
            ("PASSWORD_FILE", "/run/secrets/db_password"),
            ("TOKEN_CACHE", "./cache/tokens"),
            ("TOKEN_URL", "https://auth.example.com/oauth2/v2.0/token"),
            ("TOKEN_URL", "http://localhost:8080"),
            ("KEY_VAULT", "https://my-vault.example.net/"),
            ("AUTH_SERVER", "auth.example.com:8443"),
            ("AWS_REGION", "eu-central-1"),
            ("AWS_DEFAULT_REGION", "us-gov-east-1"),
            ("KEY_REGION", "europe-west1"),
        ] {
            assert!(!is_secret(name, value), "{name} {value}");
        }
    }

    // The values are concatenated, so that secret scanners do not report this file.
    #[test]
    fn values_in_the_format_of_a_key_are_credentials_whatever_their_name() {
        let rest = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
        for value in [
            format!("ghp_{rest}"),
            format!("-----BEGIN {} KEY-----\nMII\n", "PRIVATE"),
            format!("--header=x:sk-proj-{rest}"),
        ] {
            assert!(is_credential("NOTE", &value), "{value}");
        }
        for value in
            ["3f786850e387550fdab836ed7e6dc881de23001b", "123e4567-e89b-12d3-a456-426614174000", "/usr/bin:/bin"]
        {
            assert!(!is_credential("NOTE", value), "{value}");
        }
    }

    #[test]
    fn urls_with_a_password_are_credentials() {
        for value in ["postgres://me:pw@db/x", "a,redis://:pw@h:1", "http://u:p@ss@h", "AccountName=a;AccountKey=k=="] {
            assert!(has_password(value), "{value}");
        }
        for value in ["http://proxy:3128", "ssh://git@host:22/x", "https://h/a:b@c", "a:b@c", "x://", "", "http://u:@h"]
        {
            assert!(!has_password(value), "{value}");
        }
    }

    #[test]
    fn names_say_that_a_value_is_secret() {
        for name in
            ["GITHUB_TOKEN", "--api-key", "apiKey", "DB_PASS", "password", "AWS_PROFILE", "SECRET_1", "OPENAI_API_KEY2"]
        {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["PATH", "HOME", "PASS", "key", "MONKEY", "PWD", "LANG", "tokenizer", ""] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
