//! Judges again what is installed.

use super::Hub;
use super::install::named;
use crate::bundle::{Bundle, BundleError, LocalFiles};
use crate::error::HubError;
use crate::judge::{Accepted, Refused, decide};
use crate::lock::LockedSkill;
use crate::name::SkillName;

/// How the files of an installed skill compare with the lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiskState {
    /// They are the installed ones.
    Intact,
    /// They were changed.
    Edited,
    /// The folder has something that a skill cannot have, such as a link.
    Odd(BundleError),
    /// The folder is missing.
    Missing,
}

/// The result for one skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRow {
    /// The skill.
    pub name: SkillName,
    /// How its files compare with the lock.
    pub state: DiskState,
    /// What the guard says about the files on the disk, with the findings in the lock accepted. `None` if they cannot be judged.
    pub verdict: Option<Result<Accepted, Refused>>,
}

impl Hub {
    /// Judges the files of all installed skills, as they are on the disk, and compares them with the lock.
    ///
    /// # Errors
    /// If the lock is damaged.
    pub fn audit(&self) -> Result<Vec<AuditRow>, HubError> {
        let lock = self.lock()?;
        let audited = lock.skills.iter().map(|(name, skill)| {
            let (state, bundle) = self.on_disk(skill);
            // Files under a chosen name are judged as the source has them, because findings are accepted for those.
            let base = if state == DiskState::Intact { self.base(name, skill) } else { None };
            let verdict = base.or(bundle).map(|bundle| {
                decide(self.judge.as_ref(), &bundle, skill.trust, &skill.accepted).map(|(_, notes)| notes)
            });
            AuditRow { name: name.clone(), state, verdict }
        });
        Ok(audited.collect())
    }

    pub(super) fn disk_state(&self, skill: &LockedSkill) -> DiskState {
        self.on_disk(skill).0
    }

    /// Returns whether these are the files that were installed, perhaps under a chosen name.
    pub(super) fn is_installed(&self, bundle: &Bundle, skill: &LockedSkill) -> bool {
        let name = skill.folder.name();
        let is_same = |base: Bundle| named(&base, name).tree() == bundle.tree();
        skill.is_of(bundle) || self.base(name, skill).is_some_and(is_same)
    }

    fn on_disk(&self, skill: &LockedSkill) -> (DiskState, Option<Bundle>) {
        let folder = self.place.at(&skill.folder.to_string());
        let Ok(files) = LocalFiles::read(&folder, &self.limits) else { return (DiskState::Missing, None) };
        match files.bundle(&self.limits) {
            Ok(bundle) if self.is_installed(&bundle, skill) => (DiskState::Intact, Some(bundle)),
            Ok(bundle) => (DiskState::Edited, Some(bundle)),
            Err(error) => (DiskState::Odd(error), None),
        }
    }
}
