//! Installs everything again: from the lock, or from one file with the lock and the taps.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Hub;
use super::install::Placed;
use crate::bundle::Bundle;
use crate::error::HubError;
use crate::journal::Draft;
use crate::judge::{Accepted, Decision, Finding, Refused, for_files, settle};
use crate::lock::{Lock, LockedSkill};
use crate::name::SkillName;
use crate::place::exists;
use crate::source::{Fetched, Origin};
use crate::taps::Tap;
use crate::trust::Trust;

/// The maximum size of what one change installs, in skills of the maximum size.
const MAX_SKILLS: usize = 8;
/// The maximum number of skills, and of taps, that the name of a change has.
const MAX_NAMED: usize = 4;

/// What is installed, and which repositories are searched, as one file for another machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// When it was made.
    pub made: Timestamp,
    /// What is installed.
    pub lock: Lock,
    /// The repositories that are searched.
    pub taps: Vec<Tap>,
}

/// What was done for a skill of a lock or a snapshot.
#[derive(Debug)]
pub enum Restored {
    /// It was installed, at the version in the lock.
    Installed,
    /// Its folder exists, and was left as it is.
    Present,
    /// It was not installed, for this reason.
    Failed(HubError),
}

/// The skills of a lock or a snapshot, fetched and judged, but not installed.
#[derive(Debug)]
pub struct RestorePlan {
    /// What is done, such as "restore".
    verb: &'static str,
    skills: Vec<(SkillName, Planned)>,
    /// The new taps.
    taps: Vec<Tap>,
}

#[derive(Debug)]
enum Planned {
    Present,
    Failed(HubError),
    Fetched(Box<Candidate>),
}

/// A skill that can be installed, unless the guard refuses it.
#[derive(Debug)]
struct Candidate {
    bundle: Bundle,
    /// The entry of the lock, with the findings that the person has accepted before.
    skill: LockedSkill,
    verdict: Result<Accepted, Refused>,
}

impl Candidate {
    /// Decides, with these findings accepted.
    fn decide(&self, accept: &[String]) -> Result<Decision, Refused> {
        let digest = self.bundle.digest();
        let accepted: Vec<_> = self.skill.accepted.iter().cloned().chain(for_files(accept, digest)).collect();
        settle(self.verdict.clone(), digest, &accepted)
    }
}

impl RestorePlan {
    /// Returns the findings because of which the guard refuses skills, with those that the lock accepts.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        let refused = self.skills.iter().filter_map(|(_, planned)| match planned {
            Planned::Fetched(candidate) => candidate.verdict.as_ref().err(),
            Planned::Present | Planned::Failed(_) => None,
        });
        refused.flat_map(|refused| &refused.findings)
    }

    /// Returns what the change does, in a few words.
    fn what(&self, installed: &[&SkillName]) -> String {
        let mut parts: Vec<String> = installed.iter().take(MAX_NAMED).map(ToString::to_string).collect();
        let more = installed.len() - parts.len();
        parts.extend((more > 0).then(|| format!("{more} more")));
        parts.extend(self.taps.iter().take(MAX_NAMED).map(|tap| format!("the tap {tap}")));
        let more = self.taps.len().saturating_sub(MAX_NAMED);
        parts.extend((more > 0).then(|| format!("{more} more taps")));
        format!("{} {}", self.verb, parts.join(", "))
    }
}

impl Snapshot {
    /// Reads the text of a snapshot.
    ///
    /// # Errors
    /// If it is damaged. The message has the line and the column.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Returns the text.
    pub fn text(&self) -> String {
        crate::place::json_text(self)
    }
}

impl Hub {
    /// Fetches and judges each skill of the lock whose folder is missing, at the commit or version in the lock.
    ///
    /// # Errors
    /// If the lock is damaged. What fails for one skill does not keep others from being installed.
    pub fn plan_restore(&self) -> Result<RestorePlan, HubError> {
        let lock = self.lock()?;
        Ok(RestorePlan { verb: "restore", skills: self.plan_all(&lock, &lock), taps: Vec::new() })
    }

    /// Returns what is installed and searched, for another machine.
    ///
    /// # Errors
    /// If the lock or the list of taps is damaged.
    pub fn export(&self) -> Result<Snapshot, HubError> {
        Ok(Snapshot { made: Timestamp::now(), lock: self.lock()?, taps: self.taps()? })
    }

    /// Fetches and judges the skills of a snapshot. A skill that the hub has already installed is left as it is. What its author has
    /// accepted counts nothing here.
    ///
    /// # Errors
    /// If the lock or the list of taps is damaged. What fails for one skill does not keep others from being installed.
    pub fn plan_import(&self, snapshot: &Snapshot) -> Result<RestorePlan, HubError> {
        let mut wanted = snapshot.lock.clone();
        wanted.skills.values_mut().for_each(|skill| skill.accepted.clear());
        let own: Vec<Tap> = self.taps()?;
        let taps = snapshot.taps.iter().filter(|tap| !own.contains(tap)).cloned().collect();
        Ok(RestorePlan { verb: "import", skills: self.plan_all(&wanted, &self.lock()?), taps })
    }

    fn plan_all(&self, wanted: &Lock, lock: &Lock) -> Vec<(SkillName, Planned)> {
        let (most, mut bytes) = (self.limits.bytes.saturating_mul(MAX_SKILLS), 0);
        let plan = |(name, skill): (&SkillName, &LockedSkill)| {
            // The person's own entry counts more than the entry of a snapshot.
            let own = lock.skills.get(name);
            if own.is_some_and(|own| exists(&self.place.at(&own.folder.to_string()))) {
                return (name.clone(), Planned::Present);
            }
            if bytes >= most {
                return (name.clone(), Planned::Failed(HubError::TooMuch(most)));
            }
            let planned = match self.candidate(name, own.unwrap_or(skill)) {
                Ok(candidate) => {
                    bytes += candidate.bundle.files().iter().map(|file| file.bytes.len()).sum::<usize>();
                    Planned::Fetched(Box::new(candidate))
                }
                Err(error) => Planned::Failed(error),
            };
            (name.clone(), planned)
        };
        wanted.skills.iter().map(plan).collect()
    }

    /// Fetches and judges a skill of a lock. Files with another digest are refused. If its source does not have them, the files are taken that
    /// were kept when it was installed.
    fn candidate(&self, name: &SkillName, skill: &LockedSkill) -> Result<Candidate, HubError> {
        let (bundle, trust) = match self.sources.fetch(&skill.identifier, Some(&skill.version)) {
            Ok(Fetched { bundle, origin }) => (bundle, least(skill, &origin)),
            Err(error) if error.is_blocked() => return Err(error.into()),
            Err(error) => (self.base(name, skill).ok_or(error)?, skill.trust),
        };
        let (expected, got) = (skill.digest, bundle.digest());
        if expected != got {
            return Err(HubError::Digest { name: name.clone(), expected, got });
        }
        self.check_place(&skill.folder)?;
        let skill = LockedSkill { trust, ..skill.clone() };
        Ok(Candidate { verdict: self.judge.judge(&bundle, skill.trust), bundle, skill })
    }

    /// Installs the skills of a plan, and adds its taps, as one change. `accept` has the ids of the findings that the person accepts. No tap
    /// is added if the plan has skills, and each of them has failed.
    ///
    /// # Errors
    /// If the lock is damaged, or something cannot be written. Nothing is changed then.
    pub fn apply_restore(
        &self,
        mut plan: RestorePlan,
        accept: &[String],
    ) -> Result<Vec<(SkillName, Restored)>, HubError> {
        let (_exclusive, lock) = self.begin()?;
        let (mut done, mut placed) = (Vec::new(), Vec::new());
        for (name, planned) in std::mem::take(&mut plan.skills) {
            let restored = match planned {
                Planned::Present => Restored::Present,
                Planned::Failed(error) => Restored::Failed(error),
                Planned::Fetched(candidate) => match self.to_place(&name, *candidate, accept, &placed) {
                    Ok(ready) => {
                        placed.push((name.clone(), ready));
                        Restored::Installed
                    }
                    Err(error) => Restored::Failed(error),
                },
            };
            done.push((name, restored));
        }
        if !done.is_empty() && done.iter().all(|(_, restored)| matches!(restored, Restored::Failed(_))) {
            plan.taps.clear();
        }
        if !placed.is_empty() || !plan.taps.is_empty() {
            let names: Vec<&SkillName> = placed.iter().map(|(name, _)| name).collect();
            let mut draft = Draft::new(&self.place, plan.what(&names))?;
            for (name, (bundle, skill)) in placed {
                self.place_skill(&mut draft, &name, Placed { bundle: &bundle, skill }, &lock)?;
            }
            for tap in plan.taps {
                draft.set_tap(tap, true);
            }
            self.commit(draft)?;
            self.sources.set_taps(&self.taps()?);
        }
        Ok(done)
    }

    /// Returns the files of a planned skill with its entry of the lock, if the person accepts what the guard has found and its place is free.
    fn to_place(
        &self,
        name: &SkillName,
        candidate: Candidate,
        accept: &[String],
        placed: &[(SkillName, (Bundle, LockedSkill))],
    ) -> Result<(Bundle, LockedSkill), HubError> {
        let decided = candidate.decide(accept);
        let (accepted, _) = decided.map_err(|refused| HubError::Refused(name.to_string(), refused))?;
        let skill = LockedSkill { accepted, ..candidate.skill };
        self.check_place(&skill.folder)?;
        // A skill of the same change can be where this one has its category.
        let path = skill.folder.to_string();
        let is_inside = |other: &String| path.strip_prefix(&**other).is_some_and(|rest| rest.starts_with('/'));
        match placed.iter().map(|(_, (_, other))| other.folder.to_string()).find(is_inside) {
            Some(other) => Err(HubError::Occupied(self.place.at(&other), None)),
            None => Ok((candidate.bundle, skill)),
        }
    }
}

/// Returns the lower trust: a lock is edited by hand, and a source may have lost its trust.
fn least(skill: &LockedSkill, origin: &Origin) -> Trust {
    if skill.trust == Trust::Trusted { origin.trust } else { Trust::Community }
}
