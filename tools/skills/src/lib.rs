//! Handlers of the shipped toolset `skills`: list, read and write skills.
//!
//! A skill is a folder with instructions for a kind of task, in the format of agentskills.io, which [`toolc_skill`] reads. [`Skills`] has
//! those of a profile. Changes go through the [`Ledger`], so that each can be undone, and [`SkillChangeHook`] asks a person before a
//! change to which a guard objects. [`seed`] copies the skills that ship with the program, [`index`] is the list with which a conversation
//! begins, and [`load`] reads skills that a person, a job or a task names.
//!
//! [`OutsideSkills`] are those of MCP servers, which are only read, and about which [`OutsideSkillHook`] asks.

mod bundled;
mod error;
mod hook;
mod ledger;
mod list;
mod load;
mod manage;
mod outside;
mod prompt;
mod root;
mod skills;
#[cfg(test)]
mod tests;
mod view;

use toolc::{Call, ToolError};
use toolc_catalog::skills::{SkillsTools, skill_manage, skill_view, skills_list};

pub use bundled::{seed, shipped};
pub use error::SkillError;
pub use hook::{OutsideSkillHook, SkillChangeHook, SkillFiles, SkillGuard};
pub use ledger::{Ledger, LedgerEntry, LedgerFile, StoredContent};
pub use load::{LoadedSkill, LoadedSkills, MAX_LOADED, fence, load, name_problem};
pub use outside::{OutsideList, OutsideSkill, OutsideSkills, OutsideText, ReadLater};
pub use prompt::{index, outside_index};
pub use skills::Skills;
pub use view::ViewLog;

/// The handler of the toolset `skills`. It uses the [`Skills`] of the session.
#[derive(Debug, Clone, Copy, Default)]
pub struct SkillsHandlers;

impl SkillsTools for SkillsHandlers {
    fn skill_manage(&self, args: skill_manage::Args, call: &Call<'_>) -> Result<skill_manage::Returns, ToolError> {
        manage::manage(&args, call)
    }

    fn skill_view(&self, args: skill_view::Args, call: &Call<'_>) -> Result<skill_view::Returns, ToolError> {
        view::view(&args, call)
    }

    fn skills_list(&self, args: skills_list::Args, call: &Call<'_>) -> Result<skills_list::Returns, ToolError> {
        list::list(&args, call)
    }
}
