//! `toolc skills history` and `undo`.

use serde_json::json;
use toolc_config::Home;
use toolc_skills::{Ledger, LedgerEntry};

use super::console::Console;
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::profile::Profile;
use crate::sources::hub;

/// Prints the changes, the latest first, or one with its differences. Returns the exit status.
pub(super) fn show(profile: &Profile, id: Option<u64>, as_json: bool, console: &dyn Console) -> Result<u8> {
    let ledger = Ledger::new(profile.home.skills());
    let entries = ledger.entries().map_err(|error| Error::Invalid(error.to_string()))?;
    if let Some(id) = id {
        let Some(entry) = entries.iter().find(|entry| entry.id == id) else {
            console.note(&format!("error: the history has no change {id}"));
            return Ok(1);
        };
        if as_json {
            return console.print(&json_line(entry)?).map(|()| 0);
        }
        let diff = ledger.diff(entry).map_err(|error| Error::Invalid(error.to_string()))?;
        return console.print(&format!("{}\n{}", line(entry), show::lines(&diff))).map(|()| 0);
    }
    let mut rows = Vec::new();
    for entry in &entries {
        rows.push((entry.time.clone(), if as_json { json_line(entry)? } else { line(entry) }));
    }
    // The changes by the hub have no numbers: the last one is undone first.
    for change in hub::open_without_sources(profile)?.undoable()? {
        let time = change.time.to_string();
        let row = if as_json {
            format!("{}\n", json!({ "hub": change.id, "time": time, "what": change.what }))
        } else {
            format!(" hub  {time}  {}\n", show::one_line(&change.what))
        };
        rows.push((time, row));
    }
    rows.sort_by(|(one, _), (other, _)| other.cmp(one));
    let text: String = rows.into_iter().map(|(_, row)| row).collect();
    console.print(if text.is_empty() { "no skill was changed yet\n" } else { &text }).map(|()| 0)
}

/// Undoes a change of the model or of a person. Returns the exit status.
pub(super) fn undo(home: &Home, id: u64, console: &dyn Console) -> Result<u8> {
    match Ledger::new(home.skills()).undo(id, "person") {
        Ok(entry) => {
            console.print(&format!("undone: `toolc skills undo {}` restores the change\n", entry.id)).map(|()| 0)
        }
        Err(error) => {
            console.note(&format!("error: {error}"));
            Ok(1)
        }
    }
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
