//! A file that is read and checked.

use toml::Spanned;
use toml::de::DeTable;

use crate::diagnostic::{InvalidFile, Sink};
use crate::{Files, Form, HasValues, ReadTable, Reader, SourceId, normalized, syntax};

/// The maximum number of bytes of a file.
pub const MAX_BYTES: usize = 1 << 20;

/// A file that has been read.
#[derive(Debug)]
pub struct Document<T> {
    /// The values of its keys.
    pub table: T,
    file: File,
}

/// The only file to which places refer.
#[derive(Debug)]
struct File {
    path: String,
    text: String,
}

impl Files for File {
    fn text(&self, _: SourceId) -> &str {
        &self.text
    }

    fn display(&self, _: SourceId) -> String {
        self.path.clone()
    }
}

impl<T: ReadTable<()>> Document<T> {
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
        let file = File { path: path.to_owned(), text: normalized(text.to_owned()) };
        let sink = Sink::default();
        let table = syntax::parse(SourceId(0), &file.text, &sink).map(|document| {
            let form = Form { noun, keys: &[T::KEYS] };
            T::read(&Reader::document((SourceId(0), &file.text, ""), form, &document, (), &sink))
        });
        if let Some(table) = &table {
            check(table, &sink);
        }
        sink.into_result(&file)?;
        let table = table.unwrap_or_else(|| unreachable!("a file with syntax errors has findings"));
        Ok(Self { table, file })
    }

    /// Checks the values of a file with what is known only later, such as the names of tools.
    ///
    /// # Errors
    /// Returns all findings.
    pub fn check(&self, check: impl FnOnce(&T, &Sink)) -> Result<(), InvalidFile> {
        let sink = Sink::default();
        check(&self.table, &sink);
        sink.into_result(&self.file)
    }
}

impl<T: HasValues> Document<T> {
    /// Returns the values without their places.
    pub fn values(&self) -> T::Values {
        self.table.values().unwrap_or_else(|| unreachable!("a missing key is a finding"))
    }
}

/// Returns the values of a table without any keys, without their places.
///
/// # Panics
/// If a key is required.
pub fn default_values<T: ReadTable<()> + HasValues>() -> T::Values {
    defaults::<T>().values().unwrap_or_else(|| panic!("a required key has no default"))
}

/// Returns the values of a table without any keys.
pub fn defaults<T: ReadTable<()>>() -> T {
    let table = Spanned::new(0..0, DeTable::new());
    let form = Form { noun: "the table", keys: &[T::KEYS] };
    T::read(&Reader::document((SourceId(0), "", ""), form, &table, (), &Sink::default()))
}
