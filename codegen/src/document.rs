//! Files whose keys another crate declares, such as the configuration of a host. They are read and checked as manifests are: every
//! mistake in one run, with its place, and with the nearest key.
//!
//! The crate declares its keys with the macros `table!` and `words!`, and the kinds in [`kinds`]. The JSON Schema and the
//! documentation follow from the same declaration.

use crate::diagnostic::{InvalidFile, Sink};
use crate::manifest;
use crate::source::Sources;

#[cfg(feature = "emit")]
pub use crate::manifest::keys::docs_table::table as docs_table;
pub use crate::manifest::keys::json_schema::table as json_schema;
pub use crate::manifest::keys::kinds::{self, HasKeys};
pub use crate::manifest::keys::{Key, KeyType};
pub use crate::manifest::{ReadTable, Reader};

/// The maximum number of bytes of a file.
pub const MAX_BYTES: usize = 1 << 20;

/// A file that has been read.
#[derive(Debug)]
pub struct Document<T> {
    /// The values of its keys.
    pub table: T,
    sources: Sources,
}

impl<T: ReadTable> Document<T> {
    /// Reads a file. `noun` is how messages refer to it, and `path` is shown in them. `check` reports what the table of keys cannot
    /// express.
    ///
    /// # Errors
    /// Returns all findings.
    pub fn read(
        noun: &'static str,
        path: &str,
        text: &str,
        check: impl FnOnce(&T, &Sink),
    ) -> Result<Self, InvalidFile> {
        let (sources, sink) = (Sources::file("document.toml", path, text), Sink::default());
        let table = manifest::document::<T>(noun, &sources, &sink);
        if let Some(table) = &table {
            check(table, &sink);
        }
        sink.into_result(&sources)?;
        let table = table.unwrap_or_else(|| unreachable!("a file with syntax errors has findings"));
        Ok(Self { table, sources })
    }

    /// Checks the values of a file with what is known only later, such as the names of tools.
    ///
    /// # Errors
    /// Returns all findings.
    pub fn check(&self, check: impl FnOnce(&T, &Sink)) -> Result<(), InvalidFile> {
        let sink = Sink::default();
        check(&self.table, &sink);
        sink.into_result(&self.sources)
    }
}
