//! Installs and uninstalls skills.

use std::borrow::Cow;
use std::fs;
use std::path::PathBuf;

use jiff::Timestamp;

use super::Hub;
use crate::bundle::{Bundle, SKILL_FILE, folded};
use crate::error::HubError;
use crate::foreign::{ForeignLock, ForeignOwner};
use crate::identifier::Identifier;
use crate::journal::Draft;
use crate::judge::{Accepted, AcceptedFinding, Decision, Finding, Refused, decide, for_files};
use crate::lock::{Lock, LockedSkill};
use crate::name::{SkillFolder, SkillName};
use crate::place::{HUB, Place, exists};
use crate::source::{Fetched, Origin};
use crate::trust::Trust;

/// A skill as a source has it, judged but not installed.
#[derive(Debug, Clone)]
pub struct Preview {
    /// The files, and where they are from.
    pub fetched: Fetched,
    /// What the guard says.
    pub verdict: Result<Accepted, Refused>,
}

/// How a skill is installed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InstallOptions {
    /// The name, in place of the skill's own.
    pub name: Option<SkillName>,
    /// The category: a folder around the folder of the skill.
    pub category: Option<SkillName>,
    /// The findings that the person accepts, by their ids. They are accepted for these files only.
    pub accept: Vec<String>,
}

/// A skill that was installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The name.
    pub name: SkillName,
    /// The folder.
    pub folder: PathBuf,
    /// The commit or the version.
    pub version: String,
    /// The trust in the source.
    pub trust: Trust,
    /// What the source and the guard want the person to know.
    pub warnings: Vec<String>,
}

/// Files that are put into a folder, with their entry of the lock.
pub(super) struct Placed<'b> {
    pub(super) bundle: &'b Bundle,
    pub(super) skill: LockedSkill,
}

impl Hub {
    /// Fetches and judges a skill without installing it.
    ///
    /// # Errors
    /// If the source has no such skill for us.
    pub fn preview(&self, id: &Identifier) -> Result<Preview, HubError> {
        let fetched = self.sources.fetch(id, None)?;
        let verdict = self.judge.judge(&fetched.bundle, fetched.origin.trust);
        Ok(Preview { fetched, verdict })
    }

    /// Installs the files of a preview.
    ///
    /// # Errors
    /// If the guard refuses them, the name is in use, or something cannot be written.
    pub fn install(&self, preview: &Preview, options: &InstallOptions) -> Result<Installed, HubError> {
        let Fetched { bundle, origin } = &preview.fetched;
        let name = match &options.name {
            Some(name) => name.clone(),
            None => name_of(bundle, origin).map_err(HubError::Name)?,
        };
        let accept = for_files(&options.accept, bundle.digest());
        let (accepted, notes) = self.decide(name.as_str(), bundle, origin.trust, &accept)?;
        let (_exclusive, lock) = self.begin()?;
        let folder = SkillFolder::new(options.category.clone(), name.clone());
        self.check_free(&folder, &lock)?;
        let skill = locked(folder, bundle, origin, accepted);
        let installed = self.installed(&skill, &name, origin, &notes.notes);
        let mut draft = Draft::new(&self.place, format!("install {name}"))?;
        self.place_skill(&mut draft, &name, Placed { bundle, skill }, &lock)?;
        self.commit(draft)?;
        Ok(installed)
    }

    /// Removes a skill. [`Hub::undo`] returns it, with what was edited in it.
    ///
    /// # Errors
    /// If the hub has not installed it.
    pub fn uninstall(&self, name: &SkillName) -> Result<(), HubError> {
        let (_exclusive, lock) = self.begin()?;
        let skill = lock.skills.get(name).ok_or_else(|| HubError::NotInstalled(name.clone()))?;
        let mut draft = Draft::new(&self.place, format!("uninstall {name}"))?;
        for path in [skill.folder.to_string(), Place::base(name)] {
            if exists(&self.place.at(&path)) {
                draft.take(&path)?;
            }
        }
        draft.set(name, None, &lock);
        self.commit(draft)
    }

    /// Judges files, of which a person accepts some findings.
    pub(super) fn decide(
        &self,
        name: &str,
        bundle: &Bundle,
        trust: Trust,
        accept: &[AcceptedFinding],
    ) -> Result<Decision, HubError> {
        let decided = decide(self.judge.as_ref(), bundle, trust, accept);
        decided.map_err(|refused| HubError::Refused(name.to_owned(), refused))
    }

    /// Stages the folder and the base of a skill. A base that exists is replaced.
    pub(super) fn place_skill(
        &self,
        draft: &mut Draft<'_>,
        name: &SkillName,
        placed: Placed<'_>,
        lock: &Lock,
    ) -> Result<(), HubError> {
        let named = named(placed.bundle, name);
        draft.put(&placed.skill.folder.to_string(), |path| named.write(path))?;
        self.replace_base(draft, name, placed.bundle)?;
        draft.set(name, Some(placed.skill), lock);
        Ok(())
    }

    pub(super) fn replace_base(
        &self,
        draft: &mut Draft<'_>,
        name: &SkillName,
        bundle: &Bundle,
    ) -> Result<(), HubError> {
        let base = Place::base(name);
        if exists(&self.place.at(&base)) {
            draft.take(&base)?;
        }
        draft.put(&base, |path| bundle.write(path))
    }

    fn installed(&self, skill: &LockedSkill, name: &SkillName, origin: &Origin, notes: &[Finding]) -> Installed {
        Installed {
            name: name.clone(),
            folder: self.place.at(&skill.folder.to_string()),
            version: skill.version.clone(),
            trust: skill.trust,
            warnings: origin.warnings.iter().cloned().chain(notes.iter().map(Finding::to_string)).collect(),
        }
    }

    /// Fails if a skill of this name exists anywhere, or its folder would be inside another skill.
    fn check_free(&self, folder: &SkillFolder, lock: &Lock) -> Result<(), HubError> {
        let name = folder.name();
        if let Some(skill) = lock.skills.get(name) {
            return Err(HubError::Installed(name.clone(), skill.identifier.to_string()));
        }
        self.check_place(folder)
    }

    /// Fails if something with this name is in the way, or the folder would be inside another skill.
    pub(super) fn check_place(&self, folder: &SkillFolder) -> Result<(), HubError> {
        let (name, path) = (folder.name(), folder.to_string());
        if let Some((category, _)) = path.split_once('/') {
            let category = self.place.at(category);
            if exists(&category.join(SKILL_FILE)) {
                return Err(HubError::Occupied(category, None));
            }
        }
        let skills = self.place.skills();
        for found in folders(skills).into_iter().chain([self.place.at(&path)]) {
            let is_same =
                found.file_name().is_some_and(|other| folded(&other.to_string_lossy()) == folded(name.as_str()));
            if is_same && exists(&found) {
                return Err(HubError::Occupied(found, self.foreign_owner(name.as_str())?));
            }
        }
        Ok(())
    }

    /// Returns the entry of a skill in the lock of another program.
    pub(super) fn foreign_owner(&self, name: &str) -> Result<Option<Box<ForeignOwner>>, HubError> {
        for path in &self.foreign {
            let lock = ForeignLock::read(path).map_err(HubError::io("read", path))?;
            if let Some(skill) = lock.and_then(|lock| lock.skills.get(name).cloned()) {
                return Ok(Some(Box::new(ForeignOwner { lock: path.clone(), skill })));
            }
        }
        Ok(None)
    }
}

/// Returns the files as they are installed under a name. A model finds a skill by the name in `SKILL.md`, so that the name of the folder
/// replaces another one there, also one that cannot be the name of a folder. Without a name there, the name of the folder counts anyway.
pub(super) fn named<'b>(bundle: &'b Bundle, name: &SkillName) -> Cow<'b, Bundle> {
    if bundle.heading().name == name.as_str() {
        Cow::Borrowed(bundle)
    } else {
        Cow::Owned(bundle.renamed(name.as_str()))
    }
}

/// Returns what is in the folder of all skills and in its categories.
pub(super) fn folders(skills: &std::path::Path) -> Vec<PathBuf> {
    let list = |folder: &std::path::Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.filter(|entry| entry.file_name() != HUB).map(|entry| entry.path()).collect()
    };
    let mut found = Vec::new();
    for entry in list(skills) {
        let is_folder = fs::symlink_metadata(&entry).is_ok_and(|meta| meta.is_dir());
        // A skill is not a category.
        if is_folder && !exists(&entry.join(SKILL_FILE)) {
            found.extend(list(&entry));
        }
        found.push(entry);
    }
    found.sort();
    found
}

/// Returns the name of a skill: its own, or the name of its folder in the source if its own cannot be the name of a folder.
fn name_of(bundle: &Bundle, origin: &Origin) -> Result<SkillName, String> {
    let last = origin.path.rsplit('/').next().unwrap_or_default();
    bundle.heading().name.parse().or_else(|reason| last.parse().map_err(|_| reason))
}

pub(super) fn locked(
    folder: SkillFolder,
    bundle: &Bundle,
    origin: &Origin,
    accepted: Vec<AcceptedFinding>,
) -> LockedSkill {
    // Fractions of a second say nothing to people who read the lock.
    let now = Timestamp::from_second(Timestamp::now().as_second()).unwrap_or_default();
    LockedSkill {
        folder,
        source: origin.source,
        identifier: origin.id.clone(),
        url: origin.url.clone(),
        path: origin.path.clone(),
        version: origin.version.clone(),
        tree: Some(origin.tree.unwrap_or_else(|| bundle.tree())),
        digest: bundle.digest(),
        trust: origin.trust,
        converted: origin.is_converted,
        installed: now,
        updated: now,
        accepted,
    }
}
