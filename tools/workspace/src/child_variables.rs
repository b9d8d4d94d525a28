//! The environment variables that programs inherit, if a model controls them.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};

use toolc::approval::is_credential;

/// Decides which environment variables a program gets.
///
/// A program that a model controls, such as a shell, [inherits](Self::removed) all variables except credentials. Any other
/// program gets the baseline of `toolc-process`, and the variables that it requests by name.
///
/// ```
/// use toolc_workspace::ChildVariables;
///
/// let variables = ChildVariables::default().pass("SSH_AUTH_SOCK").keep_back(["CRM_ACCOUNT"]);
/// assert!(variables.passes("PATH", "/bin") && variables.passes("SSH_AUTH_SOCK", "/tmp/agent"));
/// assert!(!variables.passes("GITHUB_TOKEN", "x") && !variables.passes("CRM_ACCOUNT", "x"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct ChildVariables {
    /// Names that are passed on, although they look like names of credentials.
    passed: BTreeSet<String>,
    /// Names that are never passed on.
    kept_back: BTreeSet<String>,
    /// Variables that every program gets.
    set: Vec<(OsString, OsString)>,
}

/// The variable with the directory to which `cd -` leads. That of this process would be where a person was, which the judge of commands
/// does not know.
const PREVIOUS_DIRECTORY: &str = "OLDPWD";

impl ChildVariables {
    /// Passes a variable on, although its name or value looks like a credential. The case of `name` is ignored.
    #[must_use]
    pub fn pass(mut self, name: &str) -> Self {
        self.passed.insert(name.to_ascii_uppercase());
        self
    }

    /// Never passes these variables on, not even if [`pass`](Self::pass) names them. The case of the names is ignored.
    #[must_use]
    pub fn keep_back<N: AsRef<str>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.kept_back.extend(names.into_iter().map(|name| name.as_ref().to_ascii_uppercase()));
        self
    }

    /// Sets a variable for every program, and replaces the value that the environment has.
    #[must_use]
    pub fn set(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        let name = name.into();
        self.set.retain(|(other, _)| *other != name);
        self.set.push((name, value.into()));
        self
    }

    /// Returns the variables that every program gets.
    pub fn all_set(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        self.set.iter().map(|(name, value)| (name, value))
    }

    /// Returns whether a variable is passed on.
    pub fn passes(&self, name: &str, value: &str) -> bool {
        let key = name.to_ascii_uppercase();
        key != PREVIOUS_DIRECTORY
            && !self.kept_back.contains(&key)
            && (self.passed.contains(&key) || !is_credential(name, value))
    }

    /// Returns the names of the given variables that a program does not inherit.
    pub fn removed<'v>(&self, variables: &'v [(OsString, OsString)]) -> impl Iterator<Item = &'v OsString> {
        variables.iter().filter(|(name, value)| self.removes(name, value)).map(|(name, _)| name)
    }

    /// Returns whether a program does not inherit a variable.
    pub fn removes(&self, name: &OsStr, value: &OsStr) -> bool {
        !self.passes(&name.to_string_lossy(), &value.to_string_lossy())
    }
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
    fn the_previous_directory_of_this_process_is_removed() {
        assert!(ChildVariables::default().pass("OLDPWD").removes("OLDPWD".as_ref(), "/home/me/.ssh".as_ref()));
    }
}
