//! Lists the installed skills, and whose they are.

use std::path::{Path, PathBuf};

use super::Hub;
use super::audit::DiskState;
use super::install::folders;
use crate::bundle::{Bundle, SKILL_FILE};
use crate::error::HubError;
use crate::foreign::ForeignOwner;
use crate::lock::LockedSkill;

/// Who has installed a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// The hub.
    Hub(Box<LockedSkill>, DiskState),
    /// Another program. Whether its files are still those in its lock, if the lock says it.
    Other(Box<ForeignOwner>, Option<bool>),
    /// The person, or an agent.
    Local,
}

/// A skill in the folder of all skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillRow {
    /// The name of its folder.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// Who has installed it.
    pub owner: Owner,
}

impl Hub {
    /// Returns all skills in the folder, and the skills of the lock whose folder is missing, sorted by their names.
    ///
    /// # Errors
    /// If the lock is damaged, or the lock of another program cannot be read.
    pub fn list(&self) -> Result<Vec<SkillRow>, HubError> {
        let lock = self.lock()?;
        let mut rows = Vec::new();
        for (name, skill) in &lock.skills {
            let folder = self.place.at(&skill.folder.to_string());
            let state = self.disk_state(skill);
            rows.push(SkillRow { name: name.to_string(), folder, owner: Owner::Hub(Box::new(skill.clone()), state) });
        }
        for folder in folders(self.place.skills()) {
            let is_listed = rows.iter().any(|row| row.folder == folder);
            if is_listed || !folder.join(SKILL_FILE).is_file() {
                continue;
            }
            let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let owner = self.owner(&name, &folder)?;
            rows.push(SkillRow { name, folder, owner });
        }
        rows.sort_by(|a, b| (&a.name, &a.folder).cmp(&(&b.name, &b.folder)));
        Ok(rows)
    }

    fn owner(&self, name: &str, folder: &Path) -> Result<Owner, HubError> {
        let Some(owner) = self.foreign_owner(name)? else { return Ok(Owner::Local) };
        let tree = Bundle::read(folder, &self.limits).ok().map(|bundle| bundle.tree());
        let is_unchanged = tree.and_then(|tree| owner.skill.is_unchanged(tree));
        Ok(Owner::Other(owner, is_unchanged))
    }
}
