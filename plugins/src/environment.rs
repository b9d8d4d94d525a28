//! What a plugin's program gets to know of the environment: what every program needs, and what `plugin.toml` names.

use std::process::Command;

use toolc::Env;
use toolc::hooks::REDACTED;

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
        for value in self.secrets(env) {
            text = text.replace(&value, REDACTED);
        }
        text
    }

    /// The same of a text that was cut off, maybe within a secret: the beginning of one at its end goes, too.
    pub(crate) fn redact_cut(&self, mut text: String, env: &Env) -> String {
        let values = self.secrets(env);
        let begun = |value: &String| {
            let lengths = (1..=value.len()).rev().filter(|length| value.is_char_boundary(*length));
            lengths.map(|length| &value[..length]).find(|start| text.ends_with(start)).map(str::len)
        };
        let Some(length) = values.iter().filter_map(begun).max() else { return self.redact(text, env) };
        let end = text.len() - length;
        // Nor is one left that lies across.
        let across = values.iter().flat_map(|value| text.match_indices(value.as_str()));
        let across = across.filter(|(start, value)| (start + 1..start + value.len()).contains(&end));
        let end = across.map(|(start, _)| start).min().unwrap_or(end);
        text.truncate(end);
        self.redact(text, env) + REDACTED
    }

    /// The longest first: one may be the beginning of another.
    fn secrets(&self, env: &Env) -> Vec<String> {
        let secrets = self.names.iter().filter(|(_, is_secret)| *is_secret);
        let values: Vec<String> = secrets.filter_map(|(name, _)| env.var(name)).collect();
        let mut values: Vec<String> =
            values.iter().flat_map(|value| [value.as_str(), value.trim()]).map(str::to_owned).collect();
        values.retain(|value| !value.is_empty());
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        values
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
        assert_eq!(passed.redact_cut("abc plai".into(), &env), "[secret] plai");
        assert_eq!(passed.redact_cut("plain abcde".into(), &env), "plain [secret]");
        assert_eq!(passed.redact_cut("abc abcdef".into(), &env), "[secret] [secret]");
        assert_eq!(passed.redact_cut("xyzabc\n".into(), &env), "[secret][secret]\n");
        assert_eq!(passed.redact_cut("plain xy".into(), &env), "plain [secret]");
    }
}
