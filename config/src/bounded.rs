//! Reads files in the home folder with a limit on their size, unless others can change them, and writes them whole or not at all.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use crate::access;

/// Reads a text file of at most `max` bytes. Returns `None` if it does not exist.
pub(crate) fn read(path: &Path, max: usize) -> io::Result<Option<String>> {
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    // Reading a pipe could block.
    if !meta.is_file() {
        let what = if meta.is_dir() { "it is a folder" } else { "it is not a file" };
        return Err(io::Error::other(format!("{what}: move it away, and write a file there if one is needed")));
    }
    access::check_writers(path)?;
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(max as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > max {
        return Err(io::Error::other(format!("it has more than {max} bytes: make it smaller")));
    }
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].split(|byte| *byte == b'\n').count();
        io::Error::new(io::ErrorKind::InvalidData, format!("line {line} is not UTF-8: save the file as UTF-8"))
    })
}

/// Replaces the text of a file that only this user can read. If `path` is a link, its target is replaced.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().unwrap_or(Path::new("."));
    // A temporary file is readable only by this user from the beginning.
    let mut file = tempfile::Builder::new().prefix(".toolc-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|error| error.error)?;
    // The rename is on the disk only when the folder is synced. Not every system can open a folder.
    if let Ok(folder) = fs::File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}
