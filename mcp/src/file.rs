//! Small files in the home folder: the definitions that were accepted, the tokens of a login, the versions of packages.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use serde::Serialize;

/// Reads a file of at most `limit` bytes. Returns `None` if it does not exist.
///
/// # Errors
/// Returns an error if the file cannot be read, is longer, or is not a regular file.
pub(crate) fn read(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    // Opening a pipe would wait for a program that writes to it.
    match fs::metadata(path) {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Err(io::Error::other("it is not a file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::other(format!("it has more than {limit} bytes")));
    }
    Ok(Some(bytes))
}

/// Replaces a file by a value as JSON, as a whole or not at all. Only this user can read it.
///
/// # Errors
/// Returns an error if the file cannot be written. In this case, the previous file is kept.
pub(crate) fn write(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    // A temporary file can only be read by this user.
    let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(folder)?;
    file.write_all(&serde_json::to_vec_pretty(value)?)?;
    file.write_all(b"\n")?;
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_at_most_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b.json");
        assert!(read(&path, 10).unwrap().is_none());
        write(&path, &"12345").unwrap();
        assert_eq!(read(&path, 8).unwrap().unwrap(), b"\"12345\"\n");
        assert!(read(&path, 7).is_err_and(|error| error.to_string().contains("more than 7 bytes")));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_not_a_regular_file_is_refused_without_waiting() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read(folder.path(), 10).is_err());
        let pipe = folder.path().join("pipe");
        match std::process::Command::new("mkfifo").arg(&pipe).status() {
            Ok(status) if status.success() => assert!(read(&pipe, 10).is_err()),
            _ => toolc_test_support::Missing::program("mkfifo").skip(),
        }
    }
}
