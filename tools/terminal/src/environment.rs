//! What a command may know of the environment: everything but credentials, which a model has no need to see
//! and no way to keep to itself.
//!
//! Judged by name, and by value only where that is a URL with a password in it. Files with credentials are
//! not this module's business.

use std::env;
use std::ffi::OsString;
use std::process::Command;

/// Words (between `_` and the like) that make a name a credential's.
const WORDS: &[&str] =
    &["APIKEY", "AUTH", "AUTHORIZATION", "BEARER", "COOKIE", "DSN", "KEY", "KEYS", "PASS", "PASSPHRASE", "PAT", "PWD"];
/// What such a word may also end with.
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
/// Words with such an ending that are not secrets.
const INNOCENT: &[&str] = &["DONKEY", "HOTKEY", "HOTKEYS", "MONKEY", "TURKEY"];
/// What such a word may also begin with.
const BEGINNINGS: &[&str] = &["CREDENTIAL", "PASSWORD", "SECRET"];
/// Families of which some members have harmless names, and none is needed.
const PREFIXES: &[&str] = &["AWS_"];
/// The shell's own.
const HARMLESS: &[&str] = &["PWD"];

/// Names that the host lets through all the same.
#[derive(Debug, Default)]
pub(super) struct Passed(Vec<String>);

impl Passed {
    pub(super) fn add(&mut self, name: String) {
        self.0.push(name);
    }

    /// Takes the credentials out of what `command` inherits.
    pub(super) fn apply(&self, command: &mut Command) {
        self.strip(command, env::vars_os());
        // No user can answer, and git asks on the terminal even if standard input is closed.
        command.env("GIT_TERMINAL_PROMPT", "0");
    }

    fn strip(&self, command: &mut Command, inherited: impl Iterator<Item = (OsString, OsString)>) {
        for (name, value) in inherited {
            if !self.passes(&name.to_string_lossy(), &value.to_string_lossy()) {
                command.env_remove(name);
            }
        }
    }

    fn passes(&self, name: &str, value: &str) -> bool {
        self.0.iter().any(|passed| passed.eq_ignore_ascii_case(name)) || !(is_credential(name) || has_password(value))
    }
}

fn is_credential(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    if HARMLESS.contains(&&*name) {
        return false;
    }
    PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || name.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| {
            // `API_KEY_2`, `TOKENV1`
            let word = match word.trim_end_matches(|c: char| c.is_ascii_digit()) {
                counted if counted.len() < word.len() => counted.strip_suffix('V').unwrap_or(counted),
                plain => plain,
            };
            !INNOCENT.contains(&word)
                && (WORDS.contains(&word)
                    || ENDINGS.iter().any(|ending| word.ends_with(ending))
                    || BEGINNINGS.iter().any(|beginning| word.starts_with(beginning)))
        })
}

/// As in `postgres://user:password@host/`, or `AccountName=a;AccountKey=k`.
fn has_password(value: &str) -> bool {
    let named = |pair: &str| pair.split_once('=').is_some_and(|(name, value)| is_credential(name) && !value.is_empty());
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
    fn credentials_are_known_by_name() {
        let credentials = "OPENAI_API_KEY openai_api_key GITHUB_TOKEN NPMTOKEN TOKEN AWS_ACCESS_KEY_ID AWS_PROFILE \
            DB_PASSWORD PGPASSWORD DB_PASS MYSQL_PWD GH_PAT SSH_AUTH_SOCK BASIC_AUTH SENTRY_DSN SECRET SECRET_VALUE \
            GOOGLE_APPLICATION_CREDENTIALS STRIPE_SECRET_KEY APIKEY npm_config__authToken ENCRYPTION_KEYS \
            API_KEY1 GITHUB_TOKEN2 TOKENV2 API_KEY_3 ACCESSKEY SSHKEY MY_CREDS AUTH_JWT GOOGLE_KEYFILE_JSON";
        for name in credentials.split_whitespace() {
            assert!(is_credential(name), "{name}");
        }
        let harmless = "PATH PWD OLDPWD HOME LANG GIT_AUTHOR_NAME KEYBOARD_LAYOUT MONKEY TOKENIZERS_PARALLELISM \
            XAUTHORITY PASSENGER_ENV CARGO_HOME COMPASS_URL HOTKEY2 V8_FLAGS";
        for name in harmless.split_whitespace() {
            assert!(!is_credential(name), "{name}");
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
    fn only_credentials_are_taken_out_and_a_host_may_pass_some() {
        let mut passed = Passed::default();
        passed.add("ssh_auth_sock".to_owned());
        let vars = [
            ("PATH", "/bin"),
            ("SSH_AUTH_SOCK", "/tmp/agent"),
            ("GITHUB_TOKEN", "x"),
            ("DATABASE_URL", "postgres://me:pw@db/x"),
        ];
        let mut command = Command::new("env");
        passed.strip(&mut command, vars.into_iter().map(|(name, value)| (name.into(), value.into())));
        let removed: Vec<_> = command.get_envs().collect();
        assert_eq!(removed, [("DATABASE_URL".as_ref(), None), ("GITHUB_TOKEN".as_ref(), None)]);
    }
}
