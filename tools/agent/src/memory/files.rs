//! Notes in two files of a folder, which people can read and edit.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use toolc::ToolError;

use super::change::SEPARATOR;
use super::{Change, MemoryStore, MemoryTarget};

/// The maximum size of a file, in bytes. People can edit the file, and every conversation reads it.
const MAX_BYTES: u64 = 64 << 10;
/// How long to wait while another process writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Notes in the files `MEMORY.md` and `USER.md` of a folder, which is created with the first note. A line with only `§` separates entries.
///
/// A file is replaced as a whole, while a lock is held. Processes that write at the same time lose nothing, and if a process is killed,
/// the file has the content before or after the change.
#[derive(Debug, Clone)]
pub struct FileMemory {
    folder: PathBuf,
}

impl FileMemory {
    /// Returns the notes in a folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Returns the file of a target.
    pub fn path(&self, target: MemoryTarget) -> PathBuf {
        self.folder.join(match target {
            MemoryTarget::Memory => "MEMORY.md",
            MemoryTarget::User => "USER.md",
        })
    }

    fn read(&self, target: MemoryTarget) -> Result<Vec<String>, ToolError> {
        let path = self.path(target);
        let text = read(&path).map_err(|error| failed("read", &path, &error))?;
        Ok(parse(&text))
    }

    /// Waits until no other process or thread writes. The lock is released when the file is closed, even if the process is killed.
    fn lock(&self) -> Result<File, ToolError> {
        let path = self.folder.join("lock");
        let failed = |error: &io::Error| failed("lock", &path, error);
        create_folder(&self.folder).map_err(|error| failed(&error))?;
        let file = private_file_options().open(&path).map_err(|error| failed(&error))?;
        let started = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(error)) => return Err(failed(&error)),
                Err(TryLockError::WouldBlock) if started.elapsed() > BUSY_TIMEOUT => {
                    return Err(failed(&io::Error::other("another process holds the lock: try again later")));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(2)),
            }
        }
    }
}

impl MemoryStore for FileMemory {
    fn entries(&self, target: MemoryTarget) -> Result<Vec<String>, ToolError> {
        self.read(target)
    }

    fn change(&self, target: MemoryTarget, change: &mut Change<'_>) -> Result<Vec<String>, ToolError> {
        let _lock = self.lock()?;
        let before = self.read(target)?;
        let entries = change(before.clone())?;
        if entries != before {
            let path = self.path(target);
            write(&path, &text(&entries)).map_err(|error| failed("write", &path, &error))?;
        }
        Ok(entries)
    }
}

fn failed(action: &str, path: &Path, error: &io::Error) -> ToolError {
    ToolError::new(format!("failed to {action} {}: {error}", path.display()))
}

fn parse(text: &str) -> Vec<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<&str> = text.lines().collect();
    let parts = lines.split(|line| line.trim() == SEPARATOR).map(|lines| lines.join("\n").trim().to_owned());
    parts.filter(|entry| !entry.is_empty()).collect()
}

fn text(entries: &[String]) -> String {
    let mut text = entries.join(&format!("\n{SEPARATOR}\n"));
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// Reads a file. A missing file counts as empty.
fn read(path: &Path) -> io::Result<String> {
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(String::new());
        }
        Err(error) => return Err(error),
    };
    // Only regular files are read, because reading a pipe could block.
    if !meta.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!("the file has more than {MAX_BYTES} bytes: shorten it")));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("the file is not UTF-8"))
}

/// Replaces a file, or the target of a link. The caller holds the lock, so no other process uses the temporary file. A temporary file of
/// a killed process is overwritten.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let new = target.with_extension("md.new");
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = private_file_options().create_new(true).open(&new)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    drop(file);
    fs::rename(&new, &target)?;
    // A rename is durable only after the folder is synced. Not every system can open a folder.
    if let Some(folder) = target.parent().and_then(|folder| File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Returns options that create a file that only this user can read.
fn private_file_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_as_they_were_written_and_as_people_edit_them() {
        let entries = vec!["one".to_owned(), "two\n  with § in a line\n\nand a gap".to_owned()];
        assert_eq!(parse(&text(&entries)), entries);
        assert_eq!(parse("\u{feff}one\r\n §  \r\n\r\n§\r\ntwo\r\nlines\r\n"), ["one", "two\nlines"]);
        assert_eq!((parse(""), parse("§\n§")), (Vec::<String>::new(), Vec::new()));
    }
}
