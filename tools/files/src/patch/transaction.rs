//! Writes all files or none: if a file cannot be written, the files that were written before it are restored.

use std::io;
use std::path::{Path, PathBuf};

use toolc_environment::Files;
use toolc_environment::files::{Expected, Metadata, Permissions, Version, WriteOptions};

/// A file to write or to remove.
#[derive(Debug)]
pub(super) struct Write {
    pub(super) path: PathBuf,
    /// The old content, or `None` if the file does not exist.
    pub(super) before: Option<(Metadata, String)>,
    /// The new content, or `None` to remove the file.
    pub(super) after: Option<String>,
    /// The permissions that a new file gets.
    pub(super) permissions: Option<Permissions>,
}

/// A failure to write one of the files.
#[derive(Debug)]
pub(super) struct CommitError {
    /// The file that could not be written.
    pub(super) path: PathBuf,
    pub(super) error: io::Error,
    /// The files that were written earlier and restored, with their new metadata, or `None` for a file that did not exist before.
    pub(super) restored: Vec<(PathBuf, Option<Metadata>)>,
    /// The files that were written earlier and could not be restored.
    pub(super) not_restored: Vec<PathBuf>,
}

/// Writes the files in their order. Returns the metadata of each file, or `None` for a removed file.
pub(super) fn commit(files: &dyn Files, writes: &[Write]) -> Result<Vec<Option<Metadata>>, CommitError> {
    let mut created = Vec::new();
    let mut written = Vec::new();
    for write in writes {
        match apply(files, write, &mut created) {
            Ok(metadata) => written.push(metadata),
            Err(error) => {
                let mut failure =
                    CommitError { path: write.path.clone(), error, restored: Vec::new(), not_restored: Vec::new() };
                for (write, metadata) in writes.iter().zip(written).rev() {
                    match restore(files, write, metadata) {
                        Ok(metadata) => failure.restored.push((write.path.clone(), metadata)),
                        Err(_) => failure.not_restored.push(write.path.clone()),
                    }
                }
                for dir in created.iter().rev() {
                    // A directory is kept if another program has put a file into it.
                    let _ = files.remove_folder(dir);
                }
                return Err(failure);
            }
        }
    }
    Ok(written)
}

fn apply(files: &dyn Files, write: &Write, created: &mut Vec<PathBuf>) -> io::Result<Option<Metadata>> {
    let before = write.before.as_ref().map(|(metadata, _)| metadata);
    match (&write.after, before) {
        (None, Some(before)) => files.remove(&write.path, before.version).map(|()| None),
        (None, None) => Ok(None),
        (Some(content), before) => {
            if let (None, Some(folder)) = (before, write.path.parent()) {
                created.extend(files.create_folders(folder)?);
            }
            let permissions = before.map(|before| before.permissions).or(write.permissions);
            save(files, &write.path, content, before.map(|before| before.version), permissions)
        }
    }
}

/// Undoes a write. `written` is the metadata of the file after the write, or `None` if the write removed it.
fn restore(files: &dyn Files, write: &Write, written: Option<Metadata>) -> io::Result<Option<Metadata>> {
    match (&write.before, written) {
        (Some((metadata, content)), written) => {
            save(files, &write.path, content, written.map(|written| written.version), Some(metadata.permissions))
        }
        (None, Some(written)) => files.remove(&write.path, written.version).map(|()| None),
        (None, None) => Ok(None),
    }
}

/// Writes a file, if it has this version, or, without a version, if it does not exist.
fn save(
    files: &dyn Files,
    path: &Path,
    content: &str,
    version: Option<Version>,
    permissions: Option<Permissions>,
) -> io::Result<Option<Metadata>> {
    let expected = version.map_or(Expected::Nothing, Expected::Version);
    files.write(path, content.as_bytes(), &WriteOptions { expected, permissions }).map(Some)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs;
    use std::sync::Mutex;

    use toolc_environment::LocalFiles;
    use toolc_environment::files::{FileAbilities, LineRange, Lines, Places, VersionMismatch};
    use toolc_environment::search::{Found, Search};

    use super::*;

    /// Local files on which changes fail after a number of successful changes.
    #[derive(Debug)]
    struct Failing {
        /// The number of changes that still succeed.
        left: Mutex<usize>,
        /// Whether only one operation fails.
        once: bool,
    }

    impl Failing {
        fn new(left: usize, once: bool) -> Self {
            Self { left: Mutex::new(left), once }
        }

        fn check(&self) -> io::Result<()> {
            let mut left = self.left.lock().unwrap();
            if *left == 0 {
                *left = if self.once { usize::MAX } else { 0 };
                return Err(io::ErrorKind::StorageFull.into());
            }
            *left -= 1;
            Ok(())
        }
    }

    impl Files for Failing {
        fn abilities(&self) -> FileAbilities {
            LocalFiles.abilities()
        }

        fn places(&self) -> io::Result<Places> {
            LocalFiles.places()
        }

        fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
            LocalFiles.resolve(path)
        }

        fn metadata(&self, path: &Path) -> io::Result<Metadata> {
            LocalFiles.metadata(path)
        }

        fn list(&self, folder: &Path, max: usize) -> io::Result<Vec<OsString>> {
            LocalFiles.list(folder, max)
        }

        fn read(&self, path: &Path, from: u64, max: usize) -> io::Result<(Vec<u8>, Metadata)> {
            LocalFiles.read(path, from, max)
        }

        fn read_lines(&self, path: &Path, range: &LineRange) -> io::Result<Lines> {
            LocalFiles.read_lines(path, range)
        }

        fn check_writable(&self, path: &Path) -> io::Result<Metadata> {
            LocalFiles.check_writable(path)
        }

        fn write(&self, path: &Path, content: &[u8], options: &WriteOptions) -> io::Result<Metadata> {
            self.check()?;
            LocalFiles.write(path, content, options)
        }

        fn remove(&self, path: &Path, version: Version) -> io::Result<()> {
            self.check()?;
            LocalFiles.remove(path, version)
        }

        fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
            self.check()?;
            LocalFiles.rename(from, to)
        }

        fn create_folders(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
            self.check()?;
            LocalFiles.create_folders(path)
        }

        fn remove_folder(&self, path: &Path) -> io::Result<()> {
            self.check()?;
            LocalFiles.remove_folder(path)
        }

        fn search(&self, search: &Search<'_>) -> io::Result<Found> {
            LocalFiles.search(search)
        }
    }

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::TempDir::new().unwrap();
        let path = dir.path().canonicalize().unwrap();
        (dir, path)
    }

    fn writes(dir: &Path) -> Vec<Write> {
        let before = |name: &str| {
            fs::write(dir.join(name), "old").unwrap();
            Some((LocalFiles.metadata(&dir.join(name)).unwrap(), "old".to_owned()))
        };
        let write = |name: &str, before, after: Option<&str>| Write {
            path: dir.join(name),
            before,
            after: after.map(str::to_owned),
            permissions: None,
        };
        vec![
            write("a", before("a"), Some("new")),
            write("b/c/new", None, Some("new")),
            write("gone", before("gone"), None),
            write("d", before("d"), Some("new")),
        ]
    }

    fn tree(dir: &Path) -> Vec<(PathBuf, String)> {
        let mut found = Vec::new();
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                found.push((path.clone(), String::new()));
                found.extend(tree(&path));
            } else {
                found.push((path.clone(), fs::read_to_string(&path).unwrap()));
            }
        }
        found.sort();
        found
    }

    #[test]
    fn whichever_operation_fails_everything_is_restored() {
        // There are five changes: one creates the folders, and four write or remove files.
        for fails in 0..5 {
            let (_dir, dir) = folder();
            let writes = writes(&dir);
            let before = tree(&dir);
            let failure = commit(&Failing::new(fails, true), &writes).unwrap_err();
            assert_eq!(failure.error.kind(), io::ErrorKind::StorageFull);
            assert_eq!(tree(&dir), before, "after {fails} operations");
            assert!(failure.not_restored.is_empty());
        }
        let (_dir, dir) = folder();
        let metadata = commit(&Failing::new(5, false), &writes(&dir)).unwrap();
        assert_eq!(metadata.iter().map(Option::is_some).collect::<Vec<_>>(), [true, true, false, true]);
        let names: Vec<_> =
            tree(&dir).into_iter().map(|(path, text)| (path.file_name().unwrap().to_owned(), text)).collect();
        assert_eq!(
            names,
            [("a", "new"), ("b", ""), ("c", ""), ("new", "new"), ("d", "new")].map(|(n, t)| (n.into(), t.into()))
        );
    }

    #[test]
    fn files_that_cannot_be_restored_are_named() {
        let (_dir, dir) = folder();
        let failure = commit(&Failing::new(1, false), &writes(&dir)).unwrap_err();
        assert_eq!((failure.path, failure.not_restored), (dir.join("b/c/new"), vec![dir.join("a")]));
    }

    #[test]
    fn what_another_program_changes_in_the_meantime_is_kept() {
        let (_dir, dir) = folder();
        let writes = writes(&dir);
        fs::write(dir.join("d"), "changed").unwrap();
        let before = tree(&dir);
        let failure = commit(&LocalFiles, &writes).unwrap_err();
        assert!(VersionMismatch::is_cause_of(&failure.error), "{}", failure.error);
        assert_eq!((failure.path, tree(&dir)), (dir.join("d"), before));
    }
}
