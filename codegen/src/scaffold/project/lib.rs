//! The tools of this project: `manifests/` declares them, this file has their handlers.

#[rustfmt::skip]
mod generated;

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::PathBuf;

use generated::notes::{add_note, archive_notes, find_notes};
use generated::{Handlers, NotesTools};
use serde_json::json;
use toolc::{Call, ToolError, ToolOutput, ToolProvider, ToolResult};

/// Returns all tools, to add to a `toolc::Registry`. Notes are lines of `file`.
pub fn tools(file: impl Into<PathBuf>) -> Box<dyn ToolProvider> {
    generated::provider(Handlers {
        notes: NotesHandlers { file: file.into() },
    })
}

struct NotesHandlers {
    file: PathBuf,
}

impl NotesHandlers {
    /// Returns the notes, the oldest first.
    fn read(&self) -> io::Result<Vec<String>> {
        match fs::read_to_string(&self.file) {
            Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    fn append(&self, note: &str) -> io::Result<()> {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.file)?;
        file.write_all(format!("{note}\n").as_bytes())
    }
}

// The arguments have been read, repaired and validated. Without a method for each tool, the crate does not compile.
impl NotesTools for NotesHandlers {
    async fn add_note(&self, args: add_note::Args, _: &Call<'_>) -> ToolResult {
        let mut note = args.text.replace(['\n', '\r'], " ");
        for tag in args.tags.unwrap_or_default() {
            note += &format!(" #{tag}");
        }
        let failed = |error| ToolError::new(format!("failed to write the notes: {error}"));
        self.append(&note).map_err(failed)?;
        ToolOutput::json(&json!({ "notes": self.read().map_err(failed)?.len() }))
    }

    fn archive_notes(&self, _: archive_notes::Args, call: &Call<'_>) -> ToolResult {
        // Its manifest requires the variable. A handler reads a key in the same way.
        let file = call.env().var("NOTES_ARCHIVE").unwrap_or_default();
        let failed = |error| ToolError::new(format!("failed to archive the notes: {error}"));
        let notes = self.read().map_err(failed)?;
        let text: String = notes.iter().map(|note| format!("{note}\n")).collect();
        fs::write(file, text).map_err(failed)?;
        ToolOutput::json(&json!({ "notes": notes.len() }))
    }

    fn find_notes(&self, args: find_notes::Args, _: &Call<'_>) -> ToolResult {
        let word = args.word.to_lowercase();
        let mut notes = self
            .read()
            .map_err(|error| ToolError::new(format!("failed to read the notes: {error}")))?;
        notes.retain(|note| note.to_lowercase().contains(&word));
        notes.reverse();
        let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
        let more = notes.len() > limit;
        notes.truncate(limit);
        ToolOutput::json(&json!({ "notes": notes, "more": more }))
    }
}
