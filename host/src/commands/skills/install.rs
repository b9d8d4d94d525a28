//! `toolc skills install`, `uninstall` and `restore`.

use clap::Args;
use serde_json::json;
use toolc_hub::{
    Hub, HubError, Identifier, InstallOptions, Installed, InvalidIdentifier, Preview, RestorePlan, Restored, SkillName,
};

use super::Place;
use super::console::Console;
use super::shown::{self, Accept, Answers, REFUSED};
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
pub(super) fn run(args: &InstallArgs, place: &Place<'_>, hub: &Hub, console: &dyn Console) -> Result<u8> {
    // Here, because an error of the command line would repeat an address with a secret.
    let id: Identifier = args.id.parse().map_err(|error: InvalidIdentifier| Error::Invalid(error.to_string()))?;
    let preview = match hub.preview(&place.identifier(&id)) {
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
        let when = format!("new conversations list it; in an open chat, `/{name}` uses it");
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
    let accept = &args.answers.accept;
    accept.check(shown::found(&preview.verdict))?;
    if preview.verdict.as_ref().is_err_and(|refused| !accept.covers(refused, command, console)) {
        return Ok(None);
    }
    if !console.confirm("Install this skill?", args.answers.yes)? {
        console.note("nothing was installed");
        return Ok(None);
    }
    let (name, category) = (args.name.clone(), args.category.clone());
    match hub.install(preview, &InstallOptions { name, category, accept: accept.ids.clone() }) {
        Ok(installed) => Ok(Some(installed)),
        Err(error) => shown::refused(error, console).map(|_| None),
    }
}

/// Removes a skill of the hub. Returns the exit status.
pub(super) fn uninstall(name: &SkillName, hub: &Hub, console: &dyn Console) -> Result<u8> {
    console.check_open()?;
    match hub.uninstall(name) {
        Ok(()) => console
            .print(&format!("uninstalled: {name}; `toolc skills undo` returns it, with what was edited in it\n"))?,
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

/// Undoes a change of the hub, or without a number the last one. Returns the exit status.
pub(super) fn undo(hub: &Hub, id: Option<u64>, console: &dyn Console) -> Result<u8> {
    console.check_open()?;
    match hub.undo(id) {
        Ok(undone) => {
            let (what, by) = (show::one_line(&undone.what), undone.by);
            console.print(&format!("undone: {what}; `toolc skills undo {by}` repeats it\n"))?;
            Ok(0)
        }
        Err(error) => shown::refused(error, console),
    }
}

/// The arguments of `skills restore`.
#[derive(Debug, Args)]
pub(super) struct RestoreArgs {
    #[command(flatten)]
    accept: Accept,
    /// Print one line of JSON.
    #[arg(long)]
    json: bool,
}

/// Installs again what is in the lock and whose folder is missing. Returns the exit status.
pub(super) fn restore(args: &RestoreArgs, hub: &Hub, console: &dyn Console) -> Result<u8> {
    let plan = hub.plan_restore()?;
    args.accept.check(plan.findings())?;
    apply(plan, &args.accept, "toolc skills restore", args.json, hub, console)
}

/// Installs what was planned, and reports it. Returns the exit status.
pub(super) fn apply(
    plan: RestorePlan,
    accept: &Accept,
    command: &str,
    as_json: bool,
    hub: &Hub,
    console: &dyn Console,
) -> Result<u8> {
    console.check_open()?;
    let restored = hub.apply_restore(plan, &accept.ids)?;
    report(&restored, as_json, console)?;
    let mut status = 0;
    for (name, restored) in &restored {
        let Restored::Failed(error) = restored else { continue };
        status = REFUSED;
        if let HubError::Refused(_, refused) = error {
            shown::refused_skill(name, accept.remedy(refused, command), console);
        }
    }
    Ok(status)
}

/// Reports what was done for each skill of a lock.
fn report(restored: &[(SkillName, Restored)], as_json: bool, console: &dyn Console) -> Result<()> {
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
        console.print(&format!("{object}\n"))
    } else {
        let mut text = String::new();
        for (name, restored) in restored {
            let (outcome, error) = outcome(restored);
            let error = error.map(|error| format!(": {}", show::lines(&error))).unwrap_or_default();
            text += &format!("{name}: {outcome}{error}\n");
        }
        if restored.is_empty() {
            text += "there are no skills to install\n";
        }
        console.print(&text)
    }
}
