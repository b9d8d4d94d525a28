//! The files of a crawl: a row for each page, and the state with which a later call continues.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::frontier::Frontier;
use super::scope::ScopeSettings;

/// The maximum size of a state, in bytes.
const MAX_STATE: u64 = 256 << 20;
/// What the names of the files begin with.
const PREFIX: &str = "web_crawl-";

/// A page.
#[derive(Debug, Serialize)]
pub(super) struct Row<'p> {
    pub(super) url: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<&'p str>,
    pub(super) depth: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) published: Option<&'p str>,
    pub(super) markdown: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) warning: Option<&'p str>,
}

/// The files of a crawl, in the folder of results. They are deleted with the other results.
#[derive(Debug)]
pub(super) struct CrawlFiles {
    folder: PathBuf,
    name: String,
    file: File,
    rows: usize,
}

#[derive(Debug, Serialize, Deserialize)]
struct State<S, F> {
    scope: S,
    frontier: F,
}

impl CrawlFiles {
    /// Makes the file of rows of a new crawl, which only this user can read.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub(super) fn create(folder: &Path) -> io::Result<Self> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        let name = format!("{:016x}", u64::from_ne_bytes(bytes));
        let file = private().create_new(true).append(true).open(rows_path(folder, &name))?;
        Ok(Self { folder: folder.to_owned(), name, file, rows: 0 })
    }

    /// Opens the files of an earlier crawl.
    ///
    /// # Errors
    /// If there is no such crawl, or its files are damaged.
    pub(super) fn open(folder: &Path, name: &str) -> Result<(Self, ScopeSettings, Frontier), String> {
        let gone = || format!("there is no crawl `{name}`, or it was deleted: start it again with `url`");
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(gone());
        }
        let damaged = |error: &dyn std::fmt::Display| format!("the files of the crawl `{name}` are damaged: {error}");
        let path = state_path(folder, name);
        let size = fs::metadata(&path).map_err(|_| gone())?.len();
        if size > MAX_STATE {
            return Err(damaged(&format!("its state has {size} bytes")));
        }
        let text = fs::read(&path).map_err(|_| gone())?;
        let State { scope, frontier } = serde_json::from_slice(&text).map_err(|error| damaged(&error))?;
        let rows_path = rows_path(folder, name);
        let rows = BufReader::new(File::open(&rows_path).map_err(|_| gone())?).split(b'\n');
        let rows =
            rows.map(|row| row.map(drop)).collect::<io::Result<Vec<()>>>().map_err(|error| damaged(&error))?.len();
        let file = OpenOptions::new().append(true).open(rows_path).map_err(|error| damaged(&error))?;
        Ok((Self { folder: folder.to_owned(), name: name.to_owned(), file, rows }, scope, frontier))
    }

    /// Adds a row.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn add(&mut self, row: &Row<'_>) -> io::Result<()> {
        let mut line = serde_json::to_vec(row)?;
        line.push(b'\n');
        self.file.write_all(&line)?;
        self.rows += 1;
        Ok(())
    }

    /// Writes the state.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn save(&self, scope: &ScopeSettings, frontier: &Frontier) -> io::Result<()> {
        let path = state_path(&self.folder, &self.name);
        let new = path.with_extension("new");
        let state = serde_json::to_vec(&State { scope, frontier })?;
        private().create(true).truncate(true).write(true).open(&new)?.write_all(&state)?;
        fs::rename(new, path)
    }

    /// Returns the name with which the crawl is continued.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of rows.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the path of the rows.
    pub(super) fn rows_path(&self) -> PathBuf {
        rows_path(&self.folder, &self.name)
    }
}

fn rows_path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{PREFIX}{name}.jsonl"))
}

fn state_path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{PREFIX}{name}.state.json"))
}

/// Returns options with which a new file can be read by this user only.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
