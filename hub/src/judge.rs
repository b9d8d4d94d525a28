//! The guard, as the hub sees it: another crate judges the files of a skill.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::bundle::{Bundle, Digest};
use crate::trust::Trust;

/// Judges the files of a skill. A closure of the same form is one.
pub trait Judge {
    /// Decides whether a skill from such a source may be installed.
    ///
    /// # Errors
    /// With the reasons against it.
    fn judge(&self, bundle: &Bundle, trust: Trust) -> Result<Accepted, Refused>;
}

impl<F: Fn(&Bundle, Trust) -> Result<Accepted, Refused>> Judge for F {
    fn judge(&self, bundle: &Bundle, trust: Trust) -> Result<Accepted, Refused> {
        self(bundle, trust)
    }
}

/// Something that the guard has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The stable name of its kind and place, by which a person accepts it.
    pub id: String,
    /// The file.
    pub file: String,
    /// The line, from 1, or 0 for the whole file.
    pub line: usize,
    /// What was found, and why that is bad.
    pub reason: String,
    /// Whether a person may install the skill nevertheless.
    pub can_be_accepted: bool,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, file, line, reason, can_be_accepted } = self;
        let line = if *line > 0 { format!(":{line}") } else { String::new() };
        let never = if *can_be_accepted { "" } else { " (cannot be accepted)" };
        write!(f, "{file}{line}: {reason} [{id}]{never}")
    }
}

/// The verdict that a skill may be installed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Accepted {
    /// What the person should see nevertheless.
    pub notes: Vec<Finding>,
}

/// The verdict that a skill must not be installed, unless a person accepts each of these findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The reasons against it.
    pub findings: Vec<Finding>,
}

/// A finding that a person has accepted, for the files with one digest only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptedFinding {
    /// The finding.
    pub id: String,
    /// The files in which it was found.
    pub digest: Digest,
}

/// What was decided about a skill that may be installed: the accepted findings that the guard would refuse, and what the person should see.
pub(crate) type Decision = (Vec<AcceptedFinding>, Accepted);

/// Returns the entries of a lock for findings that a person accepts for the files with a digest.
pub(crate) fn for_files(ids: &[String], digest: Digest) -> Vec<AcceptedFinding> {
    ids.iter().map(|id| AcceptedFinding { id: id.clone(), digest }).collect()
}

/// Judges a skill, of which a person accepts some findings.
pub(crate) fn decide(
    judge: &dyn Judge,
    bundle: &Bundle,
    trust: Trust,
    accepted: &[AcceptedFinding],
) -> Result<Decision, Refused> {
    settle(judge.judge(bundle, trust), bundle.digest(), accepted)
}

/// Decides about files that were judged, of which a person accepts some findings.
pub(crate) fn settle(
    verdict: Result<Accepted, Refused>,
    digest: Digest,
    accepted: &[AcceptedFinding],
) -> Result<Decision, Refused> {
    let refused = match verdict {
        Ok(notes) => return Ok((Vec::new(), notes)),
        Err(refused) => refused,
    };
    let is_accepted = |finding: &Finding| {
        let fits = |one: &AcceptedFinding| one.id == finding.id && one.digest == digest;
        finding.can_be_accepted && accepted.iter().any(fits)
    };
    // A refusal without a reason cannot be accepted.
    if refused.findings.is_empty() || !refused.findings.iter().all(is_accepted) {
        return Err(refused);
    }
    let used = refused.findings.iter().map(|finding| AcceptedFinding { id: finding.id.clone(), digest });
    Ok((used.collect(), Accepted { notes: refused.findings.clone() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::{BundleFile, Limits};

    fn bundle(text: &str) -> Bundle {
        let file = BundleFile { path: "SKILL.md".to_owned(), bytes: text.as_bytes().to_vec(), is_executable: false };
        Bundle::new(vec![file], &Limits::default()).expect("it is a skill")
    }

    #[test]
    fn findings_are_accepted_one_by_one_and_only_for_the_same_files() {
        let finding = |id: &str, can_be_accepted| Finding {
            id: id.to_owned(),
            file: "SKILL.md".to_owned(),
            line: 1,
            reason: "it is bad".to_owned(),
            can_be_accepted,
        };
        let findings = std::cell::RefCell::new(vec![finding("a", true), finding("b", true)]);
        let judge = |_: &Bundle, _: Trust| Err::<Accepted, _>(Refused { findings: findings.borrow().clone() });
        let (one, other) = (bundle("one"), bundle("other"));
        let accept = |ids: &[&str], bundle: &Bundle| -> Vec<AcceptedFinding> {
            ids.iter().map(|id| AcceptedFinding { id: (*id).to_owned(), digest: bundle.digest() }).collect()
        };
        let decide = |bundle: &Bundle, accepted: &[AcceptedFinding]| decide(&judge, bundle, Trust::Community, accepted);
        assert!(decide(&one, &[]).is_err());
        assert!(decide(&one, &accept(&["a"], &one)).is_err());
        assert_eq!(decide(&one, &accept(&["a", "b", "c"], &one)).expect("both are accepted").0.len(), 2);
        assert!(decide(&other, &accept(&["a", "b"], &one)).is_err());
        findings.borrow_mut().push(finding("c", false));
        assert!(decide(&one, &accept(&["a", "b", "c"], &one)).is_err());
        findings.borrow_mut().clear();
        assert!(decide(&one, &accept(&["a", "b", "c"], &one)).is_err());
    }
}
