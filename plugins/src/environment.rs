//! What a plugin's program gets to know of the environment: what every program needs, and what `plugin.toml` names.

use std::process::Command;

use toolc::{Env, HIDDEN};

/// What every program gets, where it is set.
const ALWAYS: &[&str] = &[
    "PATH",
    "HOME",
    "LANG",
    "TMPDIR",
    "TZ",
    "LC_ADDRESS",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_IDENTIFICATION",
    "LC_MEASUREMENT",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NAME",
    "LC_NUMERIC",
    "LC_PAPER",
    "LC_TELEPHONE",
    "LC_TIME",
];

/// Without these, hardly a program of Windows runs.
const ON_WINDOWS: &[&str] = &[
    "APPDATA",
    "COMSPEC",
    "LOCALAPPDATA",
    "PATHEXT",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERPROFILE",
    "WINDIR",
];

/// The further variables that a plugin's program gets.
#[derive(Debug, Default)]
pub(crate) struct Passed {
    /// Their names, each with whether its value must not be shown.
    pub(crate) names: Vec<(String, bool)>,
}

impl Passed {
    /// Gives `command` what it may know of `env`, and nothing else.
    pub(crate) fn apply(&self, command: &mut Command, env: &Env) {
        command.env_clear();
        let always = ALWAYS.iter().chain(ON_WINDOWS.iter().filter(|_| cfg!(windows))).copied();
        for name in always.chain(self.names.iter().map(|(name, _)| name.as_str())) {
            if let Some(value) = env.var(name) {
                command.env(name, value);
            }
        }
    }

    /// A text of the program without the secrets that it got.
    pub(crate) fn redact(&self, mut text: String, env: &Env) -> String {
        let secrets = self.names.iter().filter(|(_, is_secret)| *is_secret);
        let mut values: Vec<String> = secrets.filter_map(|(name, _)| env.var(name)).collect();
        // One may be the beginning of another.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        for value in values.iter().flat_map(|value| [value.as_str(), value.trim()]).filter(|value| !value.is_empty()) {
            text = text.replace(value, HIDDEN);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_gets_what_it_needs_and_what_is_named() {
        let passed = Passed { names: vec![("KEY".into(), true), ("UNSET".into(), true)] };
        let env =
            Env::empty().with_var("PATH", "/bin").with_var("LC_ALL", "C").with_var("KEY", "k").with_var("OTHER", "o");
        let mut command = Command::new("run");
        command.env("OTHER", "o");
        passed.apply(&mut command, &env);
        let got: Vec<_> =
            command.get_envs().map(|(name, value)| (name.to_str(), value.and_then(|v| v.to_str()))).collect();
        assert_eq!(
            got,
            [("KEY", "k"), ("LC_ALL", "C"), ("PATH", "/bin")].map(|(name, value)| (Some(name), Some(value)))
        );
    }

    #[test]
    fn no_secret_is_left_whatever_others_begin_with() {
        let names = [("SHORT", true), ("LONG", true), ("PADDED", true), ("PLAIN", false)];
        let passed = Passed { names: names.map(|(name, secret)| (name.to_owned(), secret)).into() };
        let env = Env::empty().with_var("SHORT", "abc").with_var("LONG", "abcdef").with_var("PADDED", "xyz\n");
        let env = env.with_var("PLAIN", "plain");
        assert_eq!(passed.redact("abcdef abc xyz plain".into(), &env), "[secret] [secret] [secret] plain");
    }
}
