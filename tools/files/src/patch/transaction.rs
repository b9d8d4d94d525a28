//! Writes several files, or none: if one cannot be written, those before it are restored.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

use toolc_workspace::folder_of;

use crate::atomic_write;

/// A file to write or to remove.
#[derive(Debug)]
pub(super) struct Write {
    pub(super) path: PathBuf,
    /// The old content, or `None` if the file does not exist.
    pub(super) before: Option<(Metadata, String)>,
    /// The new content, or `None` to remove the file.
    pub(super) after: Option<String>,
    /// The file whose permissions a new file gets.
    pub(super) permissions: Option<Metadata>,
}

/// Where files are written.
pub(super) trait Disk {
    /// Replaces or creates a file, with the permissions of `old`, and returns its new metadata.
    fn save(&mut self, path: &Path, old: Option<&Metadata>, content: &str) -> io::Result<Metadata>;
    fn remove(&mut self, path: &Path) -> io::Result<()>;
    fn create_dir(&mut self, path: &Path) -> io::Result<()>;
    fn remove_dir(&mut self, path: &Path) -> io::Result<()>;
}

/// The file system of this process.
#[derive(Debug)]
pub(super) struct LocalDisk;

impl Disk for LocalDisk {
    fn save(&mut self, path: &Path, old: Option<&Metadata>, content: &str) -> io::Result<Metadata> {
        atomic_write::save(path, old, content.as_bytes())
    }

    fn remove(&mut self, path: &Path) -> io::Result<()> {
        let (folder, name) = folder_of(path)?;
        folder.remove(name)
    }

    fn create_dir(&mut self, path: &Path) -> io::Result<()> {
        let (folder, name) = folder_of(path)?;
        folder.create_folder(name)
    }

    fn remove_dir(&mut self, path: &Path) -> io::Result<()> {
        let (folder, name) = folder_of(path)?;
        folder.remove_folder(name)
    }
}

/// A failure to write one of the files.
#[derive(Debug)]
pub(super) struct CommitError {
    /// The file that could not be written.
    pub(super) path: PathBuf,
    pub(super) error: io::Error,
    /// The files that were written before and restored, with their new metadata, which is `None` for a file that did not exist.
    pub(super) restored: Vec<(PathBuf, Option<Metadata>)>,
    /// The files that were written before and could not be restored.
    pub(super) not_restored: Vec<PathBuf>,
}

/// Writes the files in their order, and returns the metadata of each, which is `None` for a removed one.
pub(super) fn commit(disk: &mut impl Disk, writes: &[Write]) -> Result<Vec<Option<Metadata>>, CommitError> {
    let mut created = Vec::new();
    let mut written = Vec::new();
    for (index, write) in writes.iter().enumerate() {
        match apply(disk, write, &mut created) {
            Ok(meta) => written.push(meta),
            Err(error) => {
                let mut failure =
                    CommitError { path: write.path.clone(), error, restored: Vec::new(), not_restored: Vec::new() };
                for write in writes[..index].iter().rev() {
                    match restore(disk, write) {
                        Ok(meta) => failure.restored.push((write.path.clone(), meta)),
                        Err(_) => failure.not_restored.push(write.path.clone()),
                    }
                }
                for dir in created.iter().rev() {
                    // A directory in which another program has put a file in the meantime stays.
                    let _ = disk.remove_dir(dir);
                }
                return Err(failure);
            }
        }
    }
    Ok(written)
}

fn apply(disk: &mut impl Disk, write: &Write, created: &mut Vec<PathBuf>) -> io::Result<Option<Metadata>> {
    let Some(content) = &write.after else {
        disk.remove(&write.path)?;
        return Ok(None);
    };
    if write.before.is_none() {
        let missing = write.path.ancestors().skip(1).take_while(|dir| !dir.exists()).collect::<Vec<_>>();
        for dir in missing.into_iter().rev() {
            disk.create_dir(dir)?;
            created.push(dir.to_owned());
        }
    }
    let old = write.before.as_ref().map(|(meta, _)| meta).or(write.permissions.as_ref());
    disk.save(&write.path, old, content).map(Some)
}

/// Undoes a write.
fn restore(disk: &mut impl Disk, write: &Write) -> io::Result<Option<Metadata>> {
    match &write.before {
        Some((meta, content)) => disk.save(&write.path, Some(meta), content).map(Some),
        None => disk.remove(&write.path).map(|()| None),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A disk on which an operation fails.
    struct Failing {
        /// The number of operations that succeed before.
        left: usize,
        /// Whether only one operation fails.
        once: bool,
    }

    impl Failing {
        fn check(&mut self) -> io::Result<()> {
            if self.left == 0 {
                self.left = if self.once { usize::MAX } else { 0 };
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.left -= 1;
            Ok(())
        }
    }

    impl Disk for Failing {
        fn save(&mut self, path: &Path, old: Option<&Metadata>, content: &str) -> io::Result<Metadata> {
            self.check()?;
            LocalDisk.save(path, old, content)
        }

        fn remove(&mut self, path: &Path) -> io::Result<()> {
            self.check()?;
            LocalDisk.remove(path)
        }

        fn create_dir(&mut self, path: &Path) -> io::Result<()> {
            self.check()?;
            LocalDisk.create_dir(path)
        }

        fn remove_dir(&mut self, path: &Path) -> io::Result<()> {
            self.check()?;
            LocalDisk.remove_dir(path)
        }
    }

    fn writes(dir: &Path) -> Vec<Write> {
        let before = |name: &str| {
            fs::write(dir.join(name), "old").unwrap();
            Some((fs::metadata(dir.join(name)).unwrap(), "old".to_owned()))
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
        // Two directories are created for four files.
        for fails in 0..6 {
            let dir = tempfile::TempDir::new().unwrap();
            let writes = writes(dir.path());
            let before = tree(dir.path());
            let failure = commit(&mut Failing { left: fails, once: true }, &writes).unwrap_err();
            assert_eq!(failure.error.kind(), io::ErrorKind::StorageFull);
            assert_eq!(tree(dir.path()), before, "after {fails} operations");
            assert!(failure.not_restored.is_empty());
        }
        let dir = tempfile::TempDir::new().unwrap();
        let metadata = commit(&mut Failing { left: 6, once: false }, &writes(dir.path())).unwrap();
        assert_eq!(metadata.iter().map(Option::is_some).collect::<Vec<_>>(), [true, true, false, true]);
        let names: Vec<_> =
            tree(dir.path()).into_iter().map(|(path, text)| (path.file_name().unwrap().to_owned(), text)).collect();
        assert_eq!(
            names,
            [("a", "new"), ("b", ""), ("c", ""), ("new", "new"), ("d", "new")].map(|(n, t)| (n.into(), t.into()))
        );
    }

    #[test]
    fn files_that_cannot_be_restored_are_named() {
        let dir = tempfile::TempDir::new().unwrap();
        let failure = commit(&mut Failing { left: 1, once: false }, &writes(dir.path())).unwrap_err();
        assert_eq!((failure.path, failure.not_restored), (dir.path().join("b/c/new"), vec![dir.path().join("a")]));
    }
}
