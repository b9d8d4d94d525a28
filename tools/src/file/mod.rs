//! The file tools: read, write, edit, search.
//!
//! [`open`] and [`sniff`] keep reading from hanging on a device or flooding a context with bytes, [`guard`]
//! says what may be written, [`store`] writes it atomically, and [`seen`] notices what changed meanwhile.

mod guard;
mod open;
mod patch;
mod read;
mod search;
mod seen;
mod sniff;
mod store;
mod timed;
mod write;

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use toolc::{Call, ToolResult};
use toolc_catalog::file::{FileTools, patch as patch_tool, read_file, search_files, write_file};

use crate::Handlers;

/// What the file tools keep for all tasks.
#[derive(Debug, Default)]
pub(crate) struct State {
    guard: guard::Guard,
    writing: Mutex<()>,
}

impl State {
    /// See [`Handlers::writable`].
    pub(crate) fn open_up(&mut self, dir: PathBuf) {
        self.guard.open_up(dir);
    }

    /// Held from reading a file to writing it back, so that two edits at once are both kept.
    fn write_lock(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FileTools for Handlers {
    fn patch(&self, args: patch_tool::Args, call: &Call<'_>) -> ToolResult {
        patch::patch(self, &args, call)
    }

    fn read_file(&self, args: read_file::Args, call: &Call<'_>) -> ToolResult {
        read::read(self, &args, call)
    }

    fn search_files(&self, args: search_files::Args, _: &Call<'_>) -> ToolResult {
        search::search(&self.place, &args)
    }

    fn write_file(&self, args: write_file::Args, call: &Call<'_>) -> ToolResult {
        write::write(self, &args, call)
    }
}
