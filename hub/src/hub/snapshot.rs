//! Installs everything again: from the lock, or from one file with the lock and the taps.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Hub;
use super::install::{Placed, folders};
use crate::bundle::folded;
use crate::error::HubError;
use crate::journal::Draft;
use crate::lock::{Lock, LockedSkill};
use crate::name::SkillName;
use crate::place::exists;
use crate::source::{Fetched, Origin};
use crate::taps::Tap;
use crate::trust::Trust;

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
    /// Installs each skill of the lock whose folder is missing, at the commit or version in the lock. Files with another digest are
    /// refused.
    ///
    /// # Errors
    /// If the lock is damaged. What fails for one skill does not keep others from being installed.
    pub fn restore(&self) -> Result<Vec<(SkillName, Restored)>, HubError> {
        self.restore_all(&self.lock()?)
    }

    /// Returns what is installed and searched, for another machine.
    ///
    /// # Errors
    /// If the lock or the list of taps is damaged.
    pub fn export(&self) -> Result<Snapshot, HubError> {
        Ok(Snapshot { made: Timestamp::now(), lock: self.lock()?, taps: self.taps()? })
    }

    /// Adds the taps of a snapshot, and installs its skills. A skill that the hub has already installed is left as it is.
    ///
    /// # Errors
    /// If the lock or the list of taps is damaged. What fails for one skill does not keep others from being installed.
    pub fn import(&self, snapshot: &Snapshot) -> Result<Vec<(SkillName, Restored)>, HubError> {
        for tap in &snapshot.taps {
            self.add_tap(tap)?;
        }
        self.restore_all(&snapshot.lock)
    }

    fn restore_all(&self, wanted: &Lock) -> Result<Vec<(SkillName, Restored)>, HubError> {
        let lock = self.lock()?;
        let mut done = Vec::new();
        for (name, skill) in &wanted.skills {
            let is_present = lock.skills.get(name).is_some_and(|own| exists(&self.place.at(&own.folder.to_string())));
            let restored = if is_present {
                Restored::Present
            } else {
                // The person's own entry counts more than the entry of a snapshot.
                let skill = lock.skills.get(name).unwrap_or(skill);
                self.restore_one(name, skill).map_or_else(Restored::Failed, |()| Restored::Installed)
            };
            done.push((name.clone(), restored));
        }
        Ok(done)
    }

    fn restore_one(&self, name: &SkillName, skill: &LockedSkill) -> Result<(), HubError> {
        let Fetched { bundle, origin } = self.sources.fetch(&skill.identifier, Some(&skill.version))?;
        let (expected, got) = (skill.digest, bundle.digest());
        if expected != got {
            return Err(HubError::Digest { name: name.clone(), expected, got });
        }
        let trust = least(skill, &origin);
        let (accepted, _) = self.decide(name.as_str(), &bundle, trust, &skill.accepted)?;
        let (_exclusive, lock) = self.begin()?;
        let is_same = |other: &std::path::PathBuf| {
            other.file_name().is_some_and(|other| folded(&other.to_string_lossy()) == folded(name.as_str()))
        };
        if let Some(other) = folders(self.place.skills()).into_iter().find(is_same) {
            return Err(HubError::Occupied(other, self.foreign_owner(name.as_str())?));
        }
        let skill = LockedSkill { trust, accepted, ..skill.clone() };
        let mut draft = Draft::new(&self.place, format!("restore {name}"))?;
        self.place_skill(&mut draft, name, Placed { bundle: &bundle, skill }, &lock)?;
        self.commit(draft)
    }
}

/// Returns the lower trust: a lock is edited by hand, and a source may have lost its trust.
fn least(skill: &LockedSkill, origin: &Origin) -> Trust {
    if skill.trust == Trust::Trusted { origin.trust } else { Trust::Community }
}
