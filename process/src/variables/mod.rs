//! The environment variables of the programs that a host starts. This is the one place that decides which of the host's own
//! variables they get.

mod credentials;

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};

use credentials::{has_password, is_credential};

/// Variables that every program gets, if they are set.
const BASELINE: &[&str] = &[
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

/// Variables without which most programs fail on Windows.
const BASELINE_ON_WINDOWS: &[&str] = &[
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

/// Decides which environment variables a program gets.
///
/// A program that a model controls, such as a shell, [inherits](Self::removed) everything except credentials. Any other program gets
/// a [baseline](baseline), and what it asks for by name.
///
/// ```
/// use toolc_process::ChildVariables;
///
/// let variables = ChildVariables::default().pass("SSH_AUTH_SOCK").keep_back(["CRM_ACCOUNT"]);
/// assert!(variables.passes("PATH", "/bin") && variables.passes("SSH_AUTH_SOCK", "/tmp/agent"));
/// assert!(!variables.passes("GITHUB_TOKEN", "x") && !variables.passes("CRM_ACCOUNT", "x"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct ChildVariables {
    /// Names that are passed on, although they look like those of credentials.
    passed: BTreeSet<String>,
    /// Names that are never passed on.
    kept_back: BTreeSet<String>,
}

impl ChildVariables {
    /// Passes a variable on, although its name or value looks like a credential. The case of `name` is ignored.
    #[must_use]
    pub fn pass(mut self, name: &str) -> Self {
        self.passed.insert(name.to_ascii_uppercase());
        self
    }

    /// Never passes these variables on, not even those of [`pass`](Self::pass). The case of the names is ignored.
    #[must_use]
    pub fn keep_back<N: AsRef<str>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.kept_back.extend(names.into_iter().map(|name| name.as_ref().to_ascii_uppercase()));
        self
    }

    /// Returns whether a variable is passed on.
    pub fn passes(&self, name: &str, value: &str) -> bool {
        let key = name.to_ascii_uppercase();
        !self.kept_back.contains(&key) && (self.passed.contains(&key) || !(is_credential(name) || has_password(value)))
    }

    /// Returns the names of those of these variables that a program does not inherit.
    pub fn removed<'v>(&self, own: &'v [(OsString, OsString)]) -> impl Iterator<Item = &'v OsString> {
        own.iter().filter(|(name, value)| self.removes(name, value)).map(|(name, _)| name)
    }

    /// Returns whether a program does not inherit a variable.
    pub fn removes(&self, name: &OsStr, value: &OsStr) -> bool {
        !self.passes(&name.to_string_lossy(), &value.to_string_lossy())
    }
}

/// Returns the variables of a program that inherits none: those that most programs need, and those that it asks for. `value` looks
/// them up.
pub fn baseline<'n>(
    named: impl IntoIterator<Item = &'n str>,
    value: impl Fn(&str) -> Option<String>,
) -> Vec<(String, String)> {
    let usual = BASELINE.iter().chain(BASELINE_ON_WINDOWS.iter().filter(|_| cfg!(windows))).copied();
    usual.chain(named).filter_map(|name| Some((name.to_owned(), value(name)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_removed_unless_they_are_passed_on() {
        let variables = ChildVariables::default().pass("ssh_auth_sock").pass("OWN").keep_back(["own", "Account"]);
        let vars = [
            ("PATH", "/bin"),
            ("SSH_AUTH_SOCK", "/tmp/agent"),
            ("GITHUB_TOKEN", "x"),
            ("DATABASE_URL", "postgres://me:pw@db/x"),
            ("OWN", "x"),
            ("ACCOUNT", "x"),
        ]
        .map(|(name, value)| (name.into(), value.into()));
        let removed: Vec<_> = variables.removed(&vars).collect();
        assert_eq!(removed, ["GITHUB_TOKEN", "DATABASE_URL", "OWN", "ACCOUNT"]);
    }

    #[test]
    fn a_baseline_has_usual_and_named_variables_that_are_set() {
        let value = |name: &str| (name != "UNSET" && !name.starts_with("LC_")).then(|| name.to_lowercase());
        let names: Vec<String> = baseline(["KEY", "UNSET"], value).into_iter().map(|(name, _)| name).collect();
        assert!(names.starts_with(&["PATH".to_owned(), "HOME".to_owned()]), "{names:?}");
        assert_eq!(names.last().map(String::as_str), Some("KEY"));
    }
}
