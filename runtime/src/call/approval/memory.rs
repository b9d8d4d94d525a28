//! The rules that a person has approved for a session, each below a directory.

use std::sync::{Mutex, PoisonError};

/// The approvals of a session.
#[derive(Debug, Default)]
pub(crate) struct CommandMemory(Mutex<Vec<Grant>>);

/// An approval of a rule for a tool. It covers a directory or file, with everything below it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Grant {
    tool: String,
    rule: String,
    words: Option<Vec<String>>,
    root: String,
}

/// The rule and the paths of a finding. An approval covers them; a later finding needs an approval that does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FindingScope {
    pub(crate) rule: String,
    /// The words of the command, if the rule is about every program: an answer about one command says nothing about others.
    pub(crate) words: Option<Vec<String>>,
    /// The files and folders of the command, as absolute paths without `.` and `..`, or else its working directory. `None` if
    /// they are not certain.
    pub(crate) paths: Option<Vec<String>>,
}

impl CommandMemory {
    /// Returns whether an earlier approval covers this finding about a command of `tool`.
    pub(crate) fn covers(&self, tool: &str, scope: &FindingScope) -> bool {
        let Some(paths) = scope.paths.as_ref().filter(|paths| !paths.is_empty()) else { return false };
        let grants = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        paths.iter().all(|path| {
            let is_about = |grant: &Grant| grant.tool == tool && grant.rule == scope.rule && grant.words == scope.words;
            grants.iter().any(|grant| is_about(grant) && is_below(path, &grant.root))
        })
    }

    /// Returns a description of each approval.
    pub(crate) fn descriptions(&self) -> Vec<String> {
        let grants = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let describe = |Grant { tool, rule, words, root }: &Grant| match words {
            None => format!("commands of `{tool}` about which {rule} asks, below {root}"),
            Some(words) => format!("`{}` of `{tool}`, about which {rule} asks, below {root}", words.join(" ")),
        };
        grants.iter().map(describe).collect()
    }

    /// Approves findings about a command of `tool` that runs in `directory`. The approval covers everything below the directory,
    /// and below paths of the command that are elsewhere.
    pub(crate) fn approve(&self, tool: &str, directory: &str, scopes: &[FindingScope]) {
        let mut grants = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for scope in scopes {
            let elsewhere = scope.paths.iter().flatten().map(String::as_str).filter(|path| !is_below(path, directory));
            for root in std::iter::once(directory).chain(elsewhere) {
                let grant = Grant {
                    tool: tool.to_owned(),
                    rule: scope.rule.clone(),
                    words: scope.words.clone(),
                    root: root.to_owned(),
                };
                if !grants.contains(&grant) {
                    grants.push(grant);
                }
            }
        }
    }
}

/// Returns whether a path is `root` or below it. Both are absolute, without `.` and `..`.
fn is_below(path: &str, root: &str) -> bool {
    let root = root.trim_end_matches('/');
    path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(rule: &str, paths: &[&str]) -> FindingScope {
        FindingScope {
            rule: rule.to_owned(),
            words: None,
            paths: Some(paths.iter().map(|&path| path.to_owned()).collect()),
        }
    }

    #[test]
    fn an_approval_covers_a_rule_below_its_directory() {
        let memory = CommandMemory::default();
        memory.approve("terminal", "/w/app", &[scope("delete", &["/w/app/build"])]);
        let covers = |tool, rule, paths: &[&str]| memory.covers(tool, &scope(rule, paths));
        assert!(covers("terminal", "delete", &["/w/app/build", "/w/app/deep/in/it", "/w/app"]));
        assert_eq!(memory.descriptions(), ["commands of `terminal` about which delete asks, below /w/app"]);
        for path in ["/w/app2", "/w", "/w/ap", "/", "/w/other/app"] {
            assert!(!covers("terminal", "delete", &["/w/app/build", path]), "{path}");
        }
        assert!(!covers("terminal", "push", &["/w/app"]) && !covers("other", "delete", &["/w/app"]));
        assert!(!covers("terminal", "delete", &[]));
        assert!(!memory.covers("terminal", &FindingScope { paths: None, ..scope("delete", &[]) }));
    }

    #[test]
    fn paths_elsewhere_are_approved_by_themselves() {
        let memory = CommandMemory::default();
        memory.approve("terminal", "/w/app", &[scope("delete", &["/w/app/build", "/srv/old"])]);
        let covers = |path| memory.covers("terminal", &scope("delete", &[path]));
        assert_eq!(["/srv/old/x", "/srv/old", "/srv", "/srv/older"].map(covers), [true, true, false, false]);
    }

    #[test]
    fn an_approval_of_exact_words_covers_no_others() {
        let memory = CommandMemory::default();
        let words = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        let of = |own| FindingScope { words: own, ..scope("unknown", &["/w"]) };
        memory.approve("terminal", "/w", &[of(words(&["make", "test"]))]);
        assert!(memory.covers("terminal", &of(words(&["make", "test"]))));
        assert_eq!(memory.descriptions(), ["`make test` of `terminal`, about which unknown asks, below /w"]);
        assert!(!memory.covers("terminal", &of(words(&["make"]))) && !memory.covers("terminal", &of(None)));
    }

    #[test]
    fn everything_is_below_the_root() {
        assert!(is_below("/", "/") && is_below("/etc", "/") && !is_below("/", "/etc"));
    }
}
