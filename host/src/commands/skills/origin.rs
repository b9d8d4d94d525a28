//! Where the skills of the home folder were installed from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolc_hub::{DiskState, Hub, Owner, SkillRow};

use super::update::disk_state;
use crate::ground::error::Result;
use crate::ground::show;

/// Where the skills of the home folder were installed from, by their folders.
#[derive(Debug, Default)]
pub(super) struct Origins {
    rows: BTreeMap<PathBuf, Owner>,
    /// The skills of the lock whose folder is missing.
    missing: Vec<String>,
    /// The folders of skills that ship with the program.
    shipped: BTreeSet<PathBuf>,
}

impl Origins {
    /// Reads the locks of the hub and of other programs. `shipped` are the folders of skills that ship with the program.
    ///
    /// # Errors
    /// If a lock cannot be read.
    pub(super) fn read(hub: &Hub, shipped: BTreeSet<PathBuf>) -> Result<Self> {
        let is_missing = |row: &SkillRow| matches!(&row.owner, Owner::Hub(_, DiskState::Missing));
        let (missing, found): (Vec<SkillRow>, Vec<SkillRow>) = hub.list()?.into_iter().partition(is_missing);
        Ok(Self {
            rows: found.into_iter().map(|row| (row.folder, row.owner)).collect(),
            missing: missing.into_iter().map(|row| row.name).collect(),
            shipped,
        })
    }

    /// Returns the names of the skills that were installed and whose folder is missing.
    pub(super) fn missing(&self) -> &[String] {
        &self.missing
    }

    /// Returns a text such as `from github:o/r/a, edited here`, or nothing if the person or the model has written the skill.
    pub(super) fn text(&self, folder: &Path) -> Option<String> {
        match self.rows.get(folder) {
            Some(Owner::Hub(skill, state)) => {
                let state =
                    if *state == DiskState::Intact { String::new() } else { format!(", {}", disk_state(state).1) };
                Some(show::one_line(&format!("from {}{state}", skill.identifier)))
            }
            Some(Owner::Other(owner, _)) => {
                Some(show::one_line(&format!("another program's, from {}", owner.skill.source)))
            }
            Some(Owner::Local) | None => self.shipped.contains(folder).then(|| "ships with toolc".to_owned()),
        }
    }

    /// Returns the same as JSON. `null` if the person or the model has written the skill.
    pub(super) fn json(&self, folder: &Path) -> Value {
        match self.rows.get(folder) {
            Some(Owner::Hub(skill, state)) => json!({
                "by": "hub",
                "source": skill.source,
                "id": skill.identifier,
                "url": skill.url,
                "version": skill.version,
                "trust": skill.trust,
                "installed": skill.installed,
                "updated": skill.updated,
                "state": disk_state(state).0,
            }),
            Some(Owner::Other(owner, is_unchanged)) => json!({
                "by": "other", "source": owner.skill.source, "lock": owner.lock, "unchanged": is_unchanged,
            }),
            Some(Owner::Local) | None if self.shipped.contains(folder) => json!({ "by": "toolc" }),
            Some(Owner::Local) | None => Value::Null,
        }
    }
}
