//! `toolc skills history` and `undo`.

use std::fmt::Write as _;

use toolc_config::Home;
use toolc_skills::{Ledger, LedgerEntry};

use crate::ground::ask::print;
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::ground::tell::tell;

/// Prints the changes, the latest first, or one with its differences. Returns the exit status.
pub(super) fn show(home: &Home, id: Option<u64>, as_json: bool) -> Result<u8> {
    let ledger = Ledger::new(home.skills());
    let mut entries = ledger.entries().map_err(|error| Error::Invalid(error.to_string()))?;
    if let Some(id) = id {
        entries.retain(|entry| entry.id == id);
        if entries.is_empty() {
            tell!("error: the history has no change {id}");
            return Ok(1);
        }
    }
    let mut text = String::new();
    for entry in entries.iter().rev() {
        if as_json {
            let line = serde_json::to_string(entry).map_err(|error| Error::Invalid(error.to_string()))?;
            let _ = writeln!(text, "{line}");
        } else {
            text += &line(entry);
        }
    }
    if let ([entry], Some(_), false) = (&entries[..], id, as_json) {
        let diff = ledger.diff(entry).map_err(|error| Error::Invalid(error.to_string()))?;
        let _ = write!(text, "\n{}", show::lines(&diff));
    }
    if text.is_empty() {
        text += "no skill was changed yet\n";
    }
    print(&text).map(|()| 0)
}

/// Undoes a change. Returns the exit status.
pub(super) fn undo(home: &Home, id: u64) -> Result<u8> {
    match Ledger::new(home.skills()).undo(id, "person") {
        Ok(entry) => print(&format!("undone: `toolc skills undo {}` restores the change\n", entry.id)).map(|()| 0),
        Err(error) => {
            tell!("error: {error}");
            Ok(1)
        }
    }
}

fn line(entry: &LedgerEntry) -> String {
    let by = if entry.by.is_empty() { String::new() } else { format!(" by {}", show::one_line(&entry.by)) };
    let files = show::counted(entry.files.len(), "file");
    format!("{:>4}  {}  {}{by} ({files})\n", entry.id, show::one_line(&entry.time), show::one_line(&entry.what))
}
