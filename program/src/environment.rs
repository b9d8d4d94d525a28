//! The environment of a program: the variables that most programs need, and those that its manifest names.

use std::process::Command;

use toolc::Env;
use toolc::hooks::REDACTED;
use toolc::redaction::Redactor;

/// The variables that a manifest passes to its program.
#[derive(Debug, Clone, Default)]
pub struct PassedVariables {
    /// The names, each with whether its value is a secret.
    pub names: Vec<(String, bool)>,
}

impl PassedVariables {
    /// Replaces the environment of `command` by the allowed variables of `env`.
    pub fn apply(&self, command: &mut Command, env: &Env) {
        command.env_clear().envs(self.values(env));
    }

    /// Returns the allowed variables of `env`.
    pub fn values(&self, env: &Env) -> Vec<(String, String)> {
        let named = self.names.iter().map(|(name, _)| name.as_str());
        toolc_process::baseline(named, |name| env.var(name)).into_iter().collect()
    }

    /// Redacts the values of secrets in a text that the program wrote: short ones as they are, others also encoded.
    pub fn redact(&self, mut text: String, env: &Env) -> String {
        let values = self.secrets(env);
        for value in &values {
            text = text.replace(value, REDACTED);
        }
        Redactor::of_values(&values).text(&text).into_owned()
    }

    /// Does the same as [`redact`](Self::redact) for a text that was cut off, perhaps within a secret: also redacts the first part of a
    /// secret at the end of the text.
    pub fn redact_cut(&self, mut text: String, env: &Env) -> String {
        let values = self.secrets(env);
        // Returns the length of the longest prefix of `value` that the text ends with.
        let cut_length = |value: &String| {
            let lengths = (1..=value.len()).rev().filter(|length| value.is_char_boundary(*length));
            lengths.map(|length| &value[..length]).find(|prefix| text.ends_with(prefix)).map(str::len)
        };
        let Some(length) = values.iter().filter_map(cut_length).max() else {
            let redactor = Redactor::of_values(&values);
            let mut stream = redactor.stream();
            let certain = stream.push(&text);
            let is_cut = certain.len() < redactor.text(&text).len();
            return self.redact(certain, env) + if is_cut { REDACTED } else { "" };
        };
        let end = text.len() - length;
        // If `end` is within another, complete secret, cut before that one.
        let occurrences = values.iter().flat_map(|value| text.match_indices(value.as_str()));
        let around_end = occurrences.filter(|(start, value)| (start + 1..start + value.len()).contains(&end));
        let end = around_end.map(|(start, _)| start).min().unwrap_or(end);
        text.truncate(end);
        self.redact(text, env) + REDACTED
    }

    /// Returns the values of secrets, with and without surrounding white space. The longest comes first, because one can be a prefix of
    /// another.
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
    fn a_program_gets_common_and_named_variables() {
        let passed = PassedVariables { names: vec![("KEY".into(), true), ("UNSET".into(), true)] };
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
    fn overlapping_and_cut_off_secrets_are_redacted() {
        let names = [("SHORT", true), ("LONG", true), ("PADDED", true), ("PLAIN", false)];
        let passed = PassedVariables { names: names.map(|(name, secret)| (name.to_owned(), secret)).into() };
        let env = Env::empty().with_var("SHORT", "abc").with_var("LONG", "abcdef").with_var("PADDED", "xyz\n");
        let env = env.with_var("PLAIN", "plain");
        assert_eq!(passed.redact("abcdef abc xyz plain".into(), &env), "[secret] [secret] [secret] plain");
        assert_eq!(passed.redact_cut("abc plai".into(), &env), "[secret] plai");
        assert_eq!(passed.redact_cut("plain abcde".into(), &env), "plain [secret]");
        assert_eq!(passed.redact_cut("abc abcdef".into(), &env), "[secret] [secret]");
        assert_eq!(passed.redact_cut("xyzabc\n".into(), &env), "[secret][secret]\n");
        assert_eq!(passed.redact_cut("plain xy".into(), &env), "plain [secret]");
        // `abcdef` as hexadecimal digits and in Base64.
        assert_eq!(passed.redact("616263646566 YWJjZGVm".into(), &env), "[secret] [secret]");
        assert_eq!(passed.redact_cut("616263646566 6162636465".into(), &env), "[secret] [secret]");
    }
}
