//! `toolc skills install`, `uninstall` and `restore`.

use clap::Args;
use serde_json::json;
use toolc_hub::{
    Hub, HubError, Identifier, InstallOptions, Installed, InvalidIdentifier, Preview, Restored, SkillName,
};

use super::console::Console;
use super::shown::{self, Answers, REFUSED};
use crate::ground::error::{Error, Result};
use crate::ground::show;

/// The arguments of `skills install`.
#[derive(Debug, Args)]
pub(super) struct InstallArgs {
    /// The skill: OWNER/REPOSITORY/SKILL, market:OWNER/REPOSITORY/PLUGIN/SKILL, clawhub:SLUG, lobehub:ID, `https://ADDRESS`, or ./FOLDER.
    #[arg(value_name = "ID")]
    id: String,
    /// The name here. Default: the skill's own name.
    #[arg(long, value_name = "NAME")]
    name: Option<SkillName>,
    /// The category: a folder around the folder of the skill.
    #[arg(long, value_name = "CATEGORY")]
    category: Option<SkillName>,
    #[command(flatten)]
    answers: Answers,
    /// Print one line of JSON.
    #[arg(long)]
    json: bool,
}

/// Shows a skill, asks, and installs it. Returns the exit status.
pub(super) fn run(args: &InstallArgs, hub: &Hub, console: &dyn Console) -> Result<u8> {
    // Here, because an error of the command line would repeat an address with a secret.
    let id: Identifier = args.id.parse().map_err(|error: InvalidIdentifier| Error::Invalid(error.to_string()))?;
    let preview = match hub.preview(&id) {
        Ok(preview) => preview,
        Err(error) => return shown::refused(error, console),
    };
    if args.json {
        // The question follows what it is about.
        if !args.answers.yes {
            console.note(shown::preview(&preview).trim_end());
        }
    } else {
        console.print(&shown::preview(&preview))?;
    }
    let command = format!("toolc skills install {}", show::one_line(&id.to_string()));
    let installed = install(args, &preview, &command, hub, console)?;
    if args.json {
        let mut object = shown::preview_json(&preview);
        object["installed"] = installed.as_ref().map_or(
            serde_json::Value::Null,
            |installed| json!({ "name": installed.name, "folder": installed.folder, "version": installed.version }),
        );
        console.print(&format!("{object}\n"))?;
    } else if let Some(installed) = &installed {
        // The list of a conversation that has begun stays the same.
        let (name, folder) = (&installed.name, show::one_line(&installed.folder.display().to_string()));
        let when = format!("conversations that begin from now on list it; in a chat that is open, `/{name}` uses it");
        console.print(&format!("installed: {name}, in {folder}\n{when}\n"))?;
    }
    Ok(if installed.is_some() { 0 } else { REFUSED })
}

/// Installs what was shown, unless the guard or the person refuses it.
fn install(
    args: &InstallArgs,
    preview: &Preview,
    command: &str,
    hub: &Hub,
    console: &dyn Console,
) -> Result<Option<Installed>> {
    let refused = preview.verdict.as_ref().err();
    let is_allowed = refused.is_none_or(|refused| shown::is_accepted(refused, &args.answers.accept, command, console));
    let are_known = shown::are_known(&args.answers.accept, &refused.into_iter().collect::<Vec<_>>(), console);
    if !is_allowed || !are_known {
        return Ok(None);
    }
    if !console.confirm("Install this skill?", args.answers.yes)? {
        console.note("nothing was installed");
        return Ok(None);
    }
    let (name, category) = (args.name.clone(), args.category.clone());
    match hub.install(preview, &InstallOptions { name, category, accept: args.answers.accept.clone() }) {
        Ok(installed) => Ok(Some(installed)),
        Err(error) => shown::refused(error, console).map(|_| None),
    }
}

/// Removes a skill of the hub. Returns the exit status.
pub(super) fn uninstall(name: &SkillName, hub: &Hub, console: &dyn Console) -> Result<u8> {
    console.confirm("", true)?;
    match hub.uninstall(name) {
        Ok(()) => console.print(&format!(
            "uninstalled: {name}; `toolc skills undo` returns it, with what was edited in it, until the hub changes something else\n"
        ))?,
        Err(error @ HubError::NotInstalled(_)) => {
            let names: Vec<String> = hub.lock()?.skills.into_keys().map(|name| name.to_string()).collect();
            let similar = toolc::suggest::suggestion(name.as_str(), names.iter().map(String::as_str));
            console.note(&format!("error: {error}{similar}"));
            return Ok(REFUSED);
        }
        Err(error) => return shown::refused(error, console),
    }
    Ok(0)
}

/// Undoes the last change of the hub. Returns the exit status.
pub(super) fn undo(hub: &Hub, console: &dyn Console) -> Result<u8> {
    console.confirm("", true)?;
    match hub.undo() {
        Ok(what) => {
            console.print(&format!("undone: {}; `toolc skills undo` again repeats it\n", show::one_line(&what)))?;
            Ok(0)
        }
        Err(error) => shown::refused(error, console),
    }
}

/// Installs again what is in the lock and whose folder is missing. Returns the exit status.
pub(super) fn restore(hub: &Hub, as_json: bool, console: &dyn Console) -> Result<u8> {
    console.confirm("", true)?;
    report(&hub.restore()?, as_json, console)
}

/// Reports what was done for each skill of a lock. Returns the exit status.
pub(super) fn report(restored: &[(SkillName, Restored)], as_json: bool, console: &dyn Console) -> Result<u8> {
    let outcome = |restored: &Restored| match restored {
        Restored::Installed => ("installed", None),
        Restored::Present => ("present", None),
        Restored::Failed(error) => ("failed", Some(error.to_string())),
    };
    if as_json {
        let one = |(name, restored): &(SkillName, Restored)| {
            let (outcome, error) = outcome(restored);
            json!({ "name": name, "outcome": outcome, "error": error })
        };
        let object = json!({ "skills": restored.iter().map(one).collect::<Vec<_>>() });
        console.print(&format!("{object}\n"))?;
    } else {
        let mut text = String::new();
        for (name, restored) in restored {
            let (outcome, error) = outcome(restored);
            let error = error.map(|error| format!(": {}", show::lines(&error))).unwrap_or_default();
            text += &format!("{name}: {outcome}{error}\n");
        }
        if restored.is_empty() {
            text += "the lock has no skills\n";
        }
        console.print(&text)?;
    }
    let has_failed = restored.iter().any(|(_, restored)| matches!(restored, Restored::Failed(_)));
    Ok(if has_failed { REFUSED } else { 0 })
}
