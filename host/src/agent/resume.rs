//! Continues recorded conversations.

use std::path::Path;

use clap::Args;
use toolc_store::{SessionInfo, Sessions};

use super::setup::{Setup, new_name};
use crate::ground::error::{Error, Result};

/// The options of commands that continue a recorded conversation.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ResumeArgs {
    /// Continue a recorded conversation: the latest one of this folder, or the one whose name begins with ID.
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    resume: Option<String>,
    /// Continue a copy of the conversation, and leave the recorded one as it is. Another process may work on that.
    #[arg(long, requires = "resume")]
    copy: bool,
}

impl ResumeArgs {
    /// Returns the conversation to continue, if any.
    ///
    /// # Errors
    /// If no conversation is found, or several, or the copy cannot be stored.
    pub(crate) fn find(&self, setup: &Setup) -> Result<Option<SessionInfo>> {
        let Some(name) = &self.resume else { return Ok(None) };
        let found = find_to_resume(&setup.sessions, Some(name), &setup.host.directory)?;
        if !self.copy {
            return Ok(Some(found));
        }
        let name = new_name();
        setup.sessions.copy(&found.name, &name)?;
        find_to_resume(&setup.sessions, Some(&name), &setup.host.directory).map(Some)
    }
}

/// Finds the conversation whose name begins with `name`, or the latest one of this folder.
///
/// # Errors
/// Returns an error if no conversation is found, or several.
pub(crate) fn find_to_resume(sessions: &Sessions, name: Option<&str>, directory: &Path) -> Result<SessionInfo> {
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        let all = sessions.list(1000)?;
        let here = directory.display().to_string();
        let found = all
            .into_iter()
            .find(|info| info.directory == here && !matches!(&*info.source, "batch" | "cron" | "kanban"));
        return found
            .ok_or_else(|| "no conversation of this folder is recorded: `toolc sessions list` lists all".to_owned())
            .map_err(Error::Invalid);
    };
    let mut found = sessions.find(name)?;
    match found.len() {
        0 => Err(Error::Invalid(format!(
            "no conversation has a name that begins with `{name}`: `toolc sessions list` lists all"
        ))),
        1 => Ok(found.remove(0)),
        count => {
            let names: Vec<String> = found.iter().take(5).map(|info| info.name.clone()).collect();
            Err(Error::Invalid(format!(
                "{count} conversations have a name that begins with `{name}`: type more of the name; the first are {}",
                names.join(", ")
            )))
        }
    }
}
