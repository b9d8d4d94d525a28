//! `toolc skills history` and `undo`.

use serde_json::json;
use toolc_hub::Undoable;
use toolc_skills::{Ledger, LedgerEntry};

use super::console::Console;
use super::install;
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::profile::Profile;
use crate::sources::hub;

/// Prints the changes, the latest first, or one with its differences. Returns the exit status.
pub(super) fn show(profile: &Profile, id: Option<u64>, as_json: bool, console: &dyn Console) -> Result<u8> {
    let ledger = Ledger::new(profile.home.skills());
    let entries = ledger.entries().map_err(|error| Error::Invalid(error.to_string()))?;
    let of_hub = hub::open_without_sources(profile).and_then(|hub| Ok(hub.undoable()?));
    let of_hub = of_hub.unwrap_or_else(|error| {
        console.note(&format!("warning: the changes of the hub are not listed: {error}"));
        Vec::new()
    });
    if let Some(id) = id {
        return match (entries.iter().find(|entry| entry.id == id), of_hub.iter().find(|change| change.id == id)) {
            (Some(entry), _) if as_json => console.print(&json_line(entry)?).map(|()| 0),
            (Some(entry), _) => {
                let diff = ledger.diff(entry).map_err(|error| Error::Invalid(error.to_string()))?;
                console.print(&format!("{}\n{}", line(entry), show::lines(&diff))).map(|()| 0)
            }
            (None, Some(change)) => console.print(&hub_row(change, as_json)).map(|()| 0),
            (None, None) => Ok(no_change(id, console)),
        };
    }
    let mut rows = Vec::new();
    for entry in &entries {
        rows.push((entry.time.clone(), if as_json { json_line(entry)? } else { line(entry) }));
    }
    rows.extend(of_hub.iter().map(|change| (change.time.to_string(), hub_row(change, as_json))));
    rows.sort_by(|(one, _), (other, _)| other.cmp(one));
    let text: String = rows.into_iter().map(|(_, row)| row).collect();
    console.print(if text.is_empty() { "no skill was changed yet\n" } else { &text }).map(|()| 0)
}

/// Undoes a change with a number: of the model or of a person, or else of the hub. Returns the exit status.
pub(super) fn undo(profile: &Profile, id: u64, console: &dyn Console) -> Result<u8> {
    let ledger = Ledger::new(profile.home.skills());
    let entries = ledger.entries().map_err(|error| Error::Invalid(error.to_string()))?;
    if entries.iter().all(|entry| entry.id != id) {
        let hub = hub::open_without_sources(profile)?;
        if hub.undoable()?.iter().all(|change| change.id != id) {
            return Ok(no_change(id, console));
        }
        return install::undo(&hub, Some(id), console);
    }
    match ledger.undo(id, "person") {
        Ok(entry) => {
            console.print(&format!("undone: `toolc skills undo {}` restores the change\n", entry.id)).map(|()| 0)
        }
        Err(error) => {
            console.note(&format!("error: {error}"));
            Ok(1)
        }
    }
}

fn no_change(id: u64, console: &dyn Console) -> u8 {
    console.note(&format!("error: the history has no change {id}: `toolc skills history` lists them"));
    1
}

/// Returns the row of a change of the hub.
fn hub_row(change: &Undoable, as_json: bool) -> String {
    let Undoable { id, what, time, skills } = change;
    if as_json {
        return format!("{}\n", json!({ "hub": id, "time": time.to_string(), "what": what, "skills": skills }));
    }
    format!("{id}  {time}  {} (hub)\n", show::one_line(what))
}

fn json_line(entry: &LedgerEntry) -> Result<String> {
    let line = serde_json::to_string(entry).map_err(|error| Error::Invalid(error.to_string()))?;
    Ok(line + "\n")
}

fn line(entry: &LedgerEntry) -> String {
    let by = if entry.by.is_empty() { String::new() } else { format!(" by {}", show::one_line(&entry.by)) };
    let files = show::counted(entry.files.len(), "file");
    format!("{:>4}  {}  {}{by} ({files})\n", entry.id, show::one_line(&entry.time), show::one_line(&entry.what))
}
