//! `toolc skills update` and `audit`.

use std::fmt::Write as _;

use clap::Args;
use serde_json::{Value, json};
use toolc_hub::{
    AuditRow, DiskState, FileAction, FileChange, Hub, HubError, PlannedUpdate, SkillName, UpdatePlan, UpdateState,
};

use super::console::Console;
use super::shown::{self, Accept, Answers, REFUSED};
use crate::ground::error::Result;
use crate::ground::show;

/// The arguments of `skills update`.
#[derive(Debug, Args)]
pub(super) struct UpdateArgs {
    /// The names. Default: all skills that the hub has installed.
    names: Vec<SkillName>,
    /// Show what would change, and change nothing.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    answers: Answers,
    /// Print one line of JSON.
    #[arg(long)]
    json: bool,
}

/// What was done with a planned update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// The skill is as its source has it.
    Current,
    /// The files were updated.
    Updated,
    /// There is an update, which was not applied.
    Pending,
    /// It could not be compared with its source, or the guard or the person refused it.
    Refused,
}

/// Shows what updates change, asks, and applies them. Returns the exit status.
pub(super) fn run(args: &UpdateArgs, hub: &Hub, console: &dyn Console) -> Result<u8> {
    let planned: Vec<PlannedUpdate> = if args.names.is_empty() {
        hub.plan_updates()?
    } else {
        args.names.iter().map(|name| (name.clone(), hub.plan_update(name))).collect()
    };
    let refused = planned.iter().filter_map(|(_, plan)| plan.as_ref().ok()?.refused.as_ref());
    args.answers.accept.check(refused.flat_map(|refused| &refused.findings))?;
    if planned.is_empty() && !args.json {
        return console.print("the hub has installed no skills\n").map(|()| 0);
    }
    let (mut all, mut status) = (Vec::new(), 0);
    for (name, plan) in planned {
        let (row, outcome) = match plan {
            Ok(plan) => {
                if !args.json {
                    console.print(&text(&plan))?;
                } else if !args.answers.yes && !args.dry_run && plan.has_update() {
                    console.note(text(&plan).trim_end());
                }
                let outcome = apply(args, &plan, hub, console)?;
                (plan_json(&plan), outcome)
            }
            Err(error) => (json!({ "name": name, "error": error.to_string() }), failed(&name, error, console)?),
        };
        if outcome == Outcome::Refused {
            status = REFUSED;
        }
        let mut row = row;
        row["updated"] = json!(outcome == Outcome::Updated);
        all.push(row);
    }
    if args.json {
        console.print(&format!("{}\n", json!({ "skills": all })))?;
    }
    Ok(status)
}

/// Reports why a skill cannot be compared with its source.
fn failed(name: &SkillName, error: HubError, console: &dyn Console) -> Result<Outcome> {
    let error = match error {
        HubError::Source(error) => format!("{name}: {error}"),
        error => return shown::refused(error, console).map(|_| Outcome::Refused),
    };
    console.note(&format!("error: {}", show::one_line(&error)));
    Ok(Outcome::Refused)
}

/// Applies an update, if the guard and the person allow it.
fn apply(args: &UpdateArgs, plan: &UpdatePlan, hub: &Hub, console: &dyn Console) -> Result<Outcome> {
    if !plan.has_update() {
        let cannot = matches!(plan.state, UpdateState::Missing | UpdateState::RemovedUpstream);
        // Without names, such a skill does not keep others from being up to date.
        return Ok(if cannot && !args.names.is_empty() { Outcome::Refused } else { Outcome::Current });
    }
    let name = &plan.name;
    let command = format!("toolc skills update {name}");
    if let Some(refused) = &plan.refused
        && !args.answers.accept.covers(refused, &command, console)
    {
        return Ok(Outcome::Refused);
    }
    if args.dry_run {
        return Ok(Outcome::Pending);
    }
    if !console.confirm(&format!("Update {name}?"), args.answers.yes)? {
        console.note(&format!("{name} was not updated"));
        return Ok(Outcome::Refused);
    }
    match hub.apply_update(plan, &args.answers.accept.ids) {
        Ok(true) => {
            if !args.json {
                console.print(&format!("updated: {name}; `toolc skills undo` undoes it\n"))?;
            }
            Ok(Outcome::Updated)
        }
        Ok(false) => Ok(Outcome::Current),
        Err(error) => shown::refused(error, console).map(|_| Outcome::Refused),
    }
}

/// Returns what an update changes, with the differences.
fn text(plan: &UpdatePlan) -> String {
    let name = &plan.name;
    let versions = || format!("{} -> {}", shown::short(&plan.from), shown::short(&plan.to));
    let mut text = match plan.state {
        UpdateState::Unchanged => format!("{name}: up to date\n"),
        UpdateState::EditedLocally => format!("{name}: up to date, and edited here\n"),
        UpdateState::UpstreamMoved => format!("{name}: {}\n", versions()),
        UpdateState::Both => format!("{name}: {}, and edited here\n", versions()),
        UpdateState::Missing => format!("{name}: its folder is missing: `toolc skills restore` installs it again\n"),
        UpdateState::RemovedUpstream => format!("{name}: the source does not have it any more; it stays installed\n"),
    };
    for file in &plan.files {
        let _ = writeln!(text, "  {}: {}", show::one_line(&file.path), show::one_line(&action(file).1));
    }
    for odd in &plan.odd {
        let _ = writeln!(
            text,
            "  {}: left as it is: {}",
            show::one_line(&odd.path),
            show::one_line(&odd.error.to_string())
        );
    }
    for file in &plan.files {
        text += &show::lines(&file.diff);
    }
    text += &plan.refused.as_ref().map(shown::refusal).unwrap_or_default();
    text
}

/// Returns the word for what happens to a file, and a text about it.
fn action(file: &FileChange) -> (&'static str, String) {
    match &file.action {
        FileAction::Add => ("add", "is added".to_owned()),
        FileAction::Replace => ("replace", "is replaced".to_owned()),
        FileAction::Remove => ("remove", "is removed".to_owned()),
        FileAction::Merge => ("merge", "gets the changes of the source; your edits stay".to_owned()),
        FileAction::Conflict(Some(next_to)) => {
            ("conflict", format!("your version stays; the source's version is put next to it as {next_to}"))
        }
        FileAction::Conflict(None) => ("conflict", "your version stays; the source has removed the file".to_owned()),
    }
}

fn plan_json(plan: &UpdatePlan) -> Value {
    let state = match plan.state {
        UpdateState::Unchanged => "unchanged",
        UpdateState::UpstreamMoved => "upstream-moved",
        UpdateState::EditedLocally => "edited-locally",
        UpdateState::Both => "both",
        UpdateState::Missing => "missing",
        UpdateState::RemovedUpstream => "removed-upstream",
    };
    let file = |file: &FileChange| {
        let next_to = if let FileAction::Conflict(next_to) = &file.action { next_to.as_ref() } else { None };
        json!({ "path": file.path, "action": action(file).0, "next_to": next_to, "diff": file.diff })
    };
    let findings = plan.refused.as_ref().map(|refused| &*refused.findings).unwrap_or_default();
    json!({
        "name": plan.name,
        "state": state,
        "from": plan.from,
        "to": plan.to,
        "files": plan.files.iter().map(file).collect::<Vec<_>>(),
        "odd": plan.odd.iter().map(|odd| json!({ "path": odd.path, "reason": odd.error.to_string() })).collect::<Vec<_>>(),
        "findings": shown::findings_json(findings),
    })
}

/// The arguments of `skills audit`.
#[derive(Debug, Args)]
pub(super) struct AuditArgs {
    #[command(flatten)]
    pub(super) accept: Accept,
    /// Print one line of JSON.
    #[arg(long)]
    json: bool,
}

/// Judges again what is installed, and compares it with the lock. Returns the exit status.
pub(super) fn audit(args: &AuditArgs, hub: &Hub, console: &dyn Console) -> Result<u8> {
    let mut rows = hub.audit()?;
    if !args.accept.ids.is_empty() {
        args.accept.check(rows.iter().filter_map(|row| row.verdict.as_ref()).flat_map(shown::found))?;
        console.check_open()?;
        for row in &rows {
            hub.accept(row, &args.accept.ids)?;
        }
        rows = hub.audit()?;
    }
    if args.json {
        let rows: Vec<Value> = rows.iter().map(audit_json).collect();
        console.print(&format!("{}\n", json!({ "skills": rows })))?;
    } else {
        let mut text: String = rows.iter().map(audit_text).collect();
        if rows.is_empty() {
            text += "the hub has installed no skills\n";
        }
        console.print(&text)?;
    }
    for row in &rows {
        if let Some(Err(refused)) = &row.verdict {
            shown::refused_skill(&row.name, args.accept.remedy(refused, "toolc skills audit"), console);
        }
    }
    let is_good = |row: &AuditRow| matches!(row.verdict, Some(Ok(_)));
    Ok(if rows.iter().all(is_good) { 0 } else { REFUSED })
}

/// Returns the word for how files compare with the lock, and a text about it.
pub(super) fn disk_state(state: &DiskState) -> (&'static str, String) {
    match state {
        DiskState::Intact => ("intact", "as it was installed".to_owned()),
        DiskState::Edited => ("edited", "edited here".to_owned()),
        DiskState::Odd(error) => ("odd", format!("with something that a skill cannot have: {error}")),
        DiskState::Unreadable(error) => ("unreadable", format!("its folder cannot be read: {error}")),
        DiskState::Missing => ("missing", "its folder is missing: `toolc skills restore` installs it again".to_owned()),
    }
}

fn audit_text(row: &AuditRow) -> String {
    let mut text = format!("{}: {}\n", row.name, show::one_line(&disk_state(&row.state).1));
    if let Some(Err(refused)) = &row.verdict {
        text += &shown::refusal(refused);
    }
    text
}

fn audit_json(row: &AuditRow) -> Value {
    let verdict = row.verdict.as_ref().map(|verdict| if verdict.is_ok() { "allowed" } else { "refused" });
    let findings = row.verdict.as_ref().map(shown::found).unwrap_or_default();
    json!({
        "name": row.name, "state": disk_state(&row.state).0, "verdict": verdict, "findings": shown::findings_json(findings),
    })
}
