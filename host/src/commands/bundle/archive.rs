//! Writes a bundle: a compressed archive that only its owner can read.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::ground::error::{Error, Result};
use crate::ground::time;

/// The folder in the archive.
const FOLDER: &str = "toolc-report";

/// A file of a bundle.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) text: String,
    /// What it is, in a few words.
    pub(super) about: &'static str,
}

/// Returns the path of a new bundle in the current directory: `toolc-report-20261130-101500.tar.gz`.
pub(super) fn default_path() -> PathBuf {
    let now = time::text(SystemTime::now());
    let digits: String = now.chars().filter(char::is_ascii_digit).take(14).collect();
    let (day, clock) = digits.split_at(digits.len().min(8));
    PathBuf::from(format!("{FOLDER}-{day}-{clock}.tar.gz"))
}

/// Writes the archive, as a whole or not at all. An existing file is replaced only with `force`.
pub(super) fn write(path: &Path, entries: &[Entry], force: bool) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let failed = |error: io::Error| Error::failed(format!("write {}", path.display()), error);
    // A temporary file can only be read by this user.
    let mut file = tempfile::Builder::new().prefix(".toolc-").tempfile_in(folder).map_err(failed)?;
    file.write_all(&packed(entries).map_err(failed)?).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    let kept = if force { file.persist(path) } else { file.persist_noclobber(path) };
    match kept {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(exists(path)),
        Err(error) => Err(failed(error.error)),
    }
}

/// Returns the error about a file that is already there.
pub(super) fn exists(path: &Path) -> Error {
    Error::Invalid(format!("{} already exists: name another file, or pass `--force` to replace it", path.display()))
}

/// Returns the bytes of the archive.
fn packed(entries: &[Entry]) -> io::Result<Vec<u8>> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for entry in entries {
        let mut header = tar::Header::new_gnu();
        header.set_size(entry.text.len() as u64);
        header.set_mode(0o600);
        header.set_mtime(now);
        archive.append_data(&mut header, format!("{FOLDER}/{}", entry.name), entry.text.as_bytes())?;
    }
    archive.into_inner()?.finish()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read as _;

    use super::*;

    #[test]
    fn an_archive_is_private_and_replaces_a_file_only_if_forced() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let path = folder.path().join("a.tar.gz");
        let entry = |text: &str| [Entry { name: "a/b.txt".to_owned(), text: text.to_owned(), about: "a text" }];
        write(&path, &entry("hello"), false).expect("it can be written");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&path).expect("it exists").permissions().mode() & 0o777, 0o600);
        }
        let before = fs::read(&path).expect("it can be read");
        let refused = write(&path, &entry("other"), false).expect_err("it exists");
        assert!(refused.to_string().contains("--force"), "{refused}");
        assert_eq!(fs::read(&path).expect("it can be read"), before);
        write(&path, &entry("other"), true).expect("it may be replaced");
        let packed = fs::read(&path).expect("it can be read");
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(&packed[..]));
        let mut files = archive.entries().expect("it is an archive");
        let mut file = files.next().expect("it has a file").expect("it can be read");
        assert_eq!(file.path().expect("it has a name").display().to_string(), "toolc-report/a/b.txt");
        let mut text = String::new();
        file.read_to_string(&mut text).expect("it is text");
        assert!(text == "other" && files.next().is_none());
        assert!(write(&folder.path().join("no/such/a.tar.gz"), &entry("x"), false).is_err());
        assert_eq!(fs::read_dir(folder.path()).expect("it can be read").count(), 1, "no temporary file is left");
    }

    #[test]
    fn the_name_of_a_bundle_has_the_time() {
        let name = default_path().display().to_string();
        assert!(name.starts_with("toolc-report-2") && name.ends_with(".tar.gz") && name.len() == 35, "{name}");
    }
}
