//! The comparison of two snapshots: all findings with their places and levels, and the version that they ask for.

use std::fmt;

use toolc_codegen::Failure;

use crate::accepted::Accepted;
use crate::changes::changes;
use crate::codes::{Level, Tier};
use crate::finding::Finding;
use crate::places::Places;
use crate::snapshot::Snapshot;
use crate::turns::turns;

/// The result of a comparison.
#[derive(Debug)]
pub struct Comparison {
    /// Where the old side was read from.
    pub before: String,
    /// The number of tools of the old side and of the new one.
    pub tools: [usize; 2],
    /// The changes: the most serious tier first, then by entry.
    pub findings: Vec<Finding>,
    /// What is wrong with the file of accepted changes, and what could not be compared.
    pub notes: Vec<String>,
}

/// The part of a version number that has to grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bump {
    /// Nothing has changed.
    None,
    /// Only words have changed.
    Patch,
    /// Something is new, or behaves differently.
    Minor,
    /// Something breaks.
    Major,
}

impl fmt::Display for Bump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        })
    }
}

impl Comparison {
    /// Returns the number of findings of a tier, those that are accepted included.
    pub fn count(&self, tier: Tier) -> usize {
        self.findings.iter().filter(|found| found.code.tier == tier).count()
    }

    /// Returns the part of the version that has to grow. Accepted changes count: they are changes for those who use the tools.
    pub fn bump(&self) -> Bump {
        let of = |finding: &Finding| match finding.code.tier {
            Tier::Wire | Tier::Source => Bump::Major,
            Tier::Behaviour | Tier::Additive => Bump::Minor,
            Tier::Wording => Bump::Patch,
        };
        self.findings.iter().map(of).max().unwrap_or(Bump::None)
    }

    /// Returns whether a finding is denied and not accepted.
    pub fn breaks(&self) -> bool {
        self.findings.iter().any(|found| found.level == Level::Deny && found.accepted.is_none())
    }
}

/// Compares two snapshots with the levels of the tiers.
///
/// # Errors
/// If the schema of a tool cannot be read.
pub fn compare(before: &Snapshot, after: &Snapshot) -> Result<Comparison, Failure> {
    compare_with(before, after, &Accepted::default(), "")
}

/// Compares two snapshots. `today` decides which acceptances have expired.
pub(crate) fn compare_with(
    before: &Snapshot,
    after: &Snapshot,
    accepted: &Accepted,
    today: &str,
) -> Result<Comparison, Failure> {
    let (changed, shown) = rayon::join(|| changes(before, after), || turns(before, after));
    let mut findings = changed?;
    findings.extend(shown);
    findings.sort_by(|a, b| {
        let key = |found: &Finding| {
            (found.code.tier, found.list, found.name.clone(), found.code.id, found.at.clone(), found.reason.clone())
        };
        key(a).cmp(&key(b))
    });
    let notes = accepted.apply(&mut findings, today);
    if let Some(project) = &after.project {
        let places = Places::new(project);
        for finding in &mut findings {
            finding.place = places.of(finding);
        }
    }
    let tools = [before.tools().len(), after.tools().len()];
    Ok(Comparison { before: before.origin.clone(), tools, findings, notes })
}
