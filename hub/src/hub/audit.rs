//! Judges again what is installed.

use std::io;

use super::Hub;
use super::install::named;
use crate::bundle::{Bundle, BundleError, Digest, LocalFiles};
use crate::error::HubError;
use crate::journal::Draft;
use crate::judge::{Accepted, Refused, decide, for_files, settle};
use crate::lock::LockedSkill;
use crate::name::SkillName;
use crate::place::exists;

/// How the files of an installed skill compare with the lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiskState {
    /// They are the installed ones.
    Intact,
    /// They were changed.
    Edited,
    /// The folder has something that a skill cannot have, such as a link.
    Odd(BundleError),
    /// The folder cannot be read.
    Unreadable(BundleError),
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
    /// The digest of the files that were judged.
    digest: Option<Digest>,
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
            let judged = base.or(bundle);
            let digest = judged.as_ref().map(Bundle::digest);
            let verdict = judged.map(|bundle| {
                decide(self.judge.as_ref(), &bundle, skill.trust, &skill.accepted).map(|(_, notes)| notes)
            });
            AuditRow { name: name.clone(), state, verdict, digest }
        });
        Ok(audited.collect())
    }

    /// Accepts findings of an audited skill for its files as they were judged, such as for edited ones. Returns whether all findings are
    /// accepted now. Otherwise nothing is changed.
    ///
    /// # Errors
    /// If the skill is not installed any more, or something cannot be written.
    pub fn accept(&self, row: &AuditRow, ids: &[String]) -> Result<bool, HubError> {
        let (Some(Err(refused)), Some(digest)) = (&row.verdict, row.digest) else { return Ok(true) };
        let (_exclusive, lock) = self.begin()?;
        let skill = lock.skills.get(&row.name).ok_or_else(|| HubError::NotInstalled(row.name.clone()))?;
        let known = skill.accepted.iter().filter(|one| one.digest == digest).cloned();
        let accepted: Vec<_> = known.chain(for_files(ids, digest)).collect();
        let Ok((accepted, _)) = settle(Err(refused.clone()), digest, &accepted) else { return Ok(false) };
        let mut skill = skill.clone();
        // What was accepted of the files of the source stays, for updates and a restore. What was accepted of earlier edits does not.
        skill.accepted.retain(|one| one.digest == skill.digest && one.digest != digest);
        skill.accepted.extend(accepted);
        let mut draft = Draft::new(&self.place, format!("accept findings of {}", row.name))?;
        draft.set(&row.name, Some(skill), &lock);
        self.commit(draft)?;
        Ok(true)
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
        let files = match self.local(skill) {
            Ok(Some(files)) => files,
            Ok(None) => return (DiskState::Missing, None),
            Err(error) => return (DiskState::Unreadable(error), None),
        };
        match files.bundle(&self.limits) {
            Ok(bundle) if self.is_installed(&bundle, skill) => (DiskState::Intact, Some(bundle)),
            Ok(bundle) => (DiskState::Edited, Some(bundle)),
            Err(error) => (DiskState::Odd(error), None),
        }
    }

    /// Reads the files of an installed skill as they are now. `None` if its folder is missing.
    pub(super) fn local(&self, skill: &LockedSkill) -> Result<Option<LocalFiles>, BundleError> {
        let folder = self.place.at(&skill.folder.to_string());
        match LocalFiles::read(&folder, &self.limits) {
            Ok(files) => Ok(Some(files)),
            Err(error) if error.kind() == io::ErrorKind::NotFound && !exists(&folder) => Ok(None),
            Err(error) => Err(BundleError::Unreadable(folder.display().to_string(), error.to_string())),
        }
    }
}
