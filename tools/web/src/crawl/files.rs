//! The files of a crawl: a row for each page, and the state with which a later call continues.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use toolc_redact::Redactor;

use super::frontier::Frontier;
use super::scope::ScopeSettings;

/// The maximum size of a state, in bytes.
const MAX_STATE: u64 = 256 << 20;
/// The maximum length of the name of a crawl.
const MAX_NAME: usize = 64;
/// How long a call that continues a crawl waits for another one to end.
const LOCK_TIME: Duration = Duration::from_secs(3);
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
    /// Before the text that it is about: long rows are often read in part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) warning: Option<&'p str>,
    pub(super) markdown: &'p str,
}

/// The files of a crawl, in the folder of results. They are named as the other results are, so that they are deleted with
/// them. The rows are locked, so that two calls do not
/// continue one crawl at the same time.
#[derive(Debug)]
pub(super) struct CrawlFiles {
    folder: PathBuf,
    name: String,
    file: File,
    rows: usize,
    bytes: u64,
}

/// The state, as it is written to the disk. The rows after `bytes` belong to pages that it does not know as visited: a process was killed.
#[derive(Debug, Serialize, Deserialize)]
struct State<S, F> {
    bytes: u64,
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
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        let name = format!("{:032x}", u128::from_ne_bytes(bytes));
        let file = private().create_new(true).append(true).open(rows_path(folder, &name))?;
        lock(&file)?;
        Ok(Self { folder: folder.to_owned(), name, file, rows: 0, bytes: 0 })
    }

    /// Opens the files of an earlier crawl. Rows that its state does not know are removed: their pages are visited again.
    ///
    /// # Errors
    /// If there is no such crawl, its files are damaged, or another call continues it.
    pub(super) fn open(folder: &Path, name: &str) -> Result<(Self, ScopeSettings, Frontier), String> {
        let gone = || {
            format!(
                "there is no crawl `{name}` to continue: it has ended completely, or its files were deleted; start one with `url`"
            )
        };
        if name.is_empty() || name.len() > MAX_NAME || !name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(gone());
        }
        let damaged = |error: &dyn std::fmt::Display| {
            format!("the files of the crawl `{name}` are damaged ({error}): start it again with `url`")
        };
        let open = private().read(true).append(true).open(rows_path(folder, name));
        let file = open.map_err(|_| gone())?;
        wait_for_lock(&file).map_err(|error| match error {
            TryLockError::WouldBlock => format!("another call continues the crawl `{name}`: wait until it has ended"),
            TryLockError::Error(error) => damaged(&error),
        })?;
        let path = state_path(folder, name);
        let size = fs::metadata(&path).map_err(|_| gone())?.len();
        if size > MAX_STATE {
            return Err(damaged(&format_args!("its state has {size} bytes")));
        }
        let text = fs::read(&path).map_err(|_| gone())?;
        let State { bytes, scope, mut frontier } =
            serde_json::from_slice::<State<ScopeSettings, Frontier>>(&text).map_err(|error| damaged(&error))?;
        let found = file.metadata().map_err(|error| damaged(&error))?.len();
        if found < bytes {
            return Err(damaged(&format_args!("the rows have {found} bytes, and had {bytes}")));
        }
        file.set_len(bytes).map_err(|error| damaged(&error))?;
        let rows = count_rows(&file).map_err(|error| damaged(&error))?;
        frontier.settle();
        Ok((Self { folder: folder.to_owned(), name: name.to_owned(), file, rows, bytes }, scope, frontier))
    }

    /// Adds a row without the secrets of the session. Returns its size in bytes.
    ///
    /// # Errors
    /// If it cannot be written. The file has whole rows only, unless it cannot be cut either.
    pub(super) fn add(&mut self, row: &Row<'_>, redactor: &Redactor) -> io::Result<usize> {
        let row = serde_json::to_string(row)?;
        let mut line = redactor.text(&row).into_owned();
        line.push('\n');
        if let Err(error) = self.file.write_all(line.as_bytes()) {
            let _ = self.file.set_len(self.bytes);
            return Err(error);
        }
        self.rows += 1;
        self.bytes += line.len() as u64;
        Ok(line.len())
    }

    /// Writes the state.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn save(&self, scope: &ScopeSettings, frontier: &Frontier) -> io::Result<()> {
        let path = state_path(&self.folder, &self.name);
        let new = path.with_extension("new");
        let state = serde_json::to_vec(&State { bytes: self.bytes, scope, frontier })?;
        private().create(true).truncate(true).write(true).open(&new)?.write_all(&state)?;
        fs::rename(new, path)
    }

    /// Deletes the state, because nothing is left to be visited.
    pub(super) fn forget(&self) {
        let _ = fs::remove_file(state_path(&self.folder, &self.name));
    }

    /// Deletes all files, because there are no rows.
    pub(super) fn delete(self) {
        self.forget();
        let _ = fs::remove_file(self.rows_path());
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

/// Locks the rows, unless the file system has no locks.
fn lock(file: &File) -> Result<(), TryLockError> {
    match file.try_lock() {
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        locked => locked,
    }
}

/// Locks the rows, and waits for a moment: a crawl that was cancelled still saves its state.
fn wait_for_lock(file: &File) -> Result<(), TryLockError> {
    let end = Instant::now() + LOCK_TIME;
    loop {
        match lock(file) {
            Err(TryLockError::WouldBlock) if Instant::now() < end => thread::sleep(Duration::from_millis(20)),
            locked => return locked,
        }
    }
}

/// Counts the rows.
fn count_rows(file: &File) -> io::Result<usize> {
    let (mut reader, mut row, mut rows) = (BufReader::new(file), Vec::new(), 0);
    while reader.read_until(b'\n', &mut row)? > 0 {
        row.clear();
        rows += 1;
    }
    Ok(rows)
}
