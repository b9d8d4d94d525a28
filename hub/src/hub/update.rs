//! Plans and applies updates.

use std::fs;

use super::Hub;
use super::install::{locked, named};
use crate::bundle::{Bundle, is_executable, write_file};
use crate::error::HubError;
use crate::fault::SourceFault;
use crate::journal::Draft;
use crate::judge::for_files;
use crate::lock::LockedSkill;
use crate::name::SkillName;
use crate::place::Place;
use crate::plan::{UpdatePlan, UpdateState, changes};
use crate::source::Fetched;

/// A skill, and what its update changes, or why that is unknown.
pub type PlannedUpdate = (SkillName, Result<UpdatePlan, HubError>);

impl Hub {
    /// Compares an installed skill with its source.
    ///
    /// # Errors
    /// If the hub has not installed it, or the source cannot be asked.
    pub fn plan_update(&self, name: &SkillName) -> Result<UpdatePlan, HubError> {
        let lock = self.lock()?;
        let skill = lock.skills.get(name).ok_or_else(|| HubError::NotInstalled(name.clone()))?;
        let plan = |state, fetched: Option<Fetched>| UpdatePlan {
            name: name.clone(),
            state,
            from: skill.version.clone(),
            to: fetched.as_ref().map(|fetched| fetched.origin.version.clone()).unwrap_or_default(),
            files: Vec::new(),
            odd: Vec::new(),
            refused: None,
            fetched,
            locked: skill.digest,
        };
        let unreadable = |error| HubError::Bundle(self.place.at(&skill.folder.to_string()), error);
        let Some(local) = self.local(skill).map_err(unreadable)? else { return Ok(plan(UpdateState::Missing, None)) };
        let fetched = match self.sources.fetch(&skill.identifier, None) {
            Err(error) if matches!(error.fault, SourceFault::NotFound(_)) => {
                return Ok(plan(UpdateState::RemovedUpstream, None));
            }
            fetched => fetched?,
        };
        let bundle = local.clone().bundle(&self.limits).ok();
        let base = self.base(name, skill).map(|base| named(&base, name).into_owned());
        let is_edited = bundle.as_ref().is_none_or(|bundle| !self.is_installed(bundle, skill));
        let is_moved = !skill.is_of(&fetched.bundle);
        let state = match (is_moved, is_edited) {
            (false, false) => UpdateState::Unchanged,
            (true, false) => UpdateState::UpstreamMoved,
            (false, true) => UpdateState::EditedLocally,
            (true, true) => UpdateState::Both,
        };
        let mut plan = plan(state, Some(fetched));
        if let Some(fetched) = plan.fetched.as_ref().filter(|_| is_moved) {
            let base = base.or(bundle.filter(|_| !is_edited));
            plan.files = changes(base.as_ref(), &local, &named(&fetched.bundle, name));
            plan.refused = self.judge.judge(&fetched.bundle, fetched.origin.trust).err();
        }
        plan.odd = local.odd;
        Ok(plan)
    }

    /// Compares all installed skills with their sources.
    ///
    /// # Errors
    /// If the lock is damaged.
    pub fn plan_updates(&self) -> Result<Vec<PlannedUpdate>, HubError> {
        let lock = self.lock()?;
        Ok(lock.skills.into_keys().map(|name| (name.clone(), self.plan_update(&name))).collect())
    }

    /// Applies a plan. Local edits stay; in a conflict, the version of the source is put next to the file. `accept` has the ids of the
    /// findings that the person accepts. Returns whether something has changed.
    ///
    /// # Errors
    /// If the guard refuses the new version, or the files have changed since the plan was made. Nothing is changed then.
    pub fn apply_update(&self, plan: &UpdatePlan, accept: &[String]) -> Result<bool, HubError> {
        let Some(Fetched { bundle, origin }) = plan.fetched.as_ref().filter(|_| plan.has_update()) else {
            return Ok(false);
        };
        let name = &plan.name;
        let (accepted, _) = self.decide(name.as_str(), bundle, origin.trust, &for_files(accept, bundle.digest()))?;
        let (_exclusive, lock) = self.begin()?;
        let skill = lock.skills.get(name).ok_or_else(|| HubError::NotInstalled(name.clone()))?;
        if skill.digest != plan.locked {
            return Err(HubError::Stale(self.place.lock_file()));
        }
        let folder = skill.folder.to_string();
        let mut draft = Draft::new(&self.place, format!("update {name}"))?;
        for change in &plan.files {
            let path = format!("{folder}/{}", change.path);
            self.check_unchanged(&path, change.before.as_ref())?;
            if change.takes() {
                draft.take(&path)?;
            }
        }
        // A new file may be where a folder was.
        for file in plan.files.iter().filter_map(|change| change.write.as_ref()) {
            draft.put(&format!("{folder}/{}", file.path), |path| write_file(path, file))?;
        }
        self.replace_base(&mut draft, name, bundle)?;
        let updated =
            LockedSkill { installed: skill.installed, ..locked(skill.folder.clone(), bundle, origin, accepted) };
        draft.set(name, Some(updated), &lock);
        self.commit(draft)?;
        Ok(true)
    }

    /// Returns the files of a skill as they were installed, if their digest is still the one in the lock.
    pub(super) fn base(&self, name: &SkillName, skill: &LockedSkill) -> Option<Bundle> {
        let base = Bundle::read(&self.place.at(&Place::base(name)), &self.limits).ok()?;
        Some(base).filter(|base| base.digest() == skill.digest)
    }

    /// Fails if a file is not as it was when the plan was made.
    fn check_unchanged(&self, path: &str, before: Option<&(Vec<u8>, bool)>) -> Result<(), HubError> {
        // A file inside a link is not a file of the skill.
        if let Err(error @ HubError::Link(_)) = self.place.check_parents(path, &[]) {
            return Err(error);
        }
        let path = self.place.at(path);
        let now = match fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_file() => fs::read(&path).ok().map(|bytes| (bytes, is_executable(&meta))),
            _ => None,
        };
        if now.as_ref() == before { Ok(()) } else { Err(HubError::Stale(path)) }
    }
}
