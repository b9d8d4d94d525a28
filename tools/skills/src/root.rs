//! The folder of the skills that the model may write. Its files are read and replaced by paths that no link redirects.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The maximum size of a file, in bytes.
pub(crate) const MAX_FILE: usize = 1 << 20;
/// The maximum number of files of a skill, and the maximum depth of its folders.
const MAX_FILES: usize = 1_000;
const MAX_DEPTH: usize = 8;

/// A file: its bytes, and whether it is a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_executable: bool,
}

/// The folder `skills` of a home. Paths in it are relative, with `/` as separator, and have no part `..`.
#[derive(Debug, Clone)]
pub(crate) struct Root {
    folder: PathBuf,
}

impl Root {
    pub(crate) fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        relative.split('/').fold(self.folder.clone(), |path, part| path.join(part))
    }

    /// Reads a file. Returns `None` if it does not exist.
    ///
    /// # Errors
    /// If the path leads through a link, is not a file, or the file is larger than [`MAX_FILE`].
    pub(crate) fn read(&self, relative: &str) -> io::Result<Option<Content>> {
        let path = self.path(relative);
        self.check_links(relative)?;
        let meta = match fs::symlink_metadata(&path) {
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            meta => meta?,
        };
        if !meta.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let mut bytes = Vec::new();
        File::open(&path)?.take(MAX_FILE as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() > MAX_FILE {
            return Err(io::Error::other(format!("it is larger than {} KiB", MAX_FILE >> 10)));
        }
        Ok(Some(Content { bytes, is_executable: is_executable(&meta) }))
    }

    /// Replaces a file, or creates it with the folders on its path. If this fails, the file is unchanged.
    pub(crate) fn write(&self, relative: &str, content: &Content) -> io::Result<()> {
        let path = self.path(relative);
        let folder = path.parent().unwrap_or(&self.folder);
        self.check_links(relative)?;
        create_folders(folder)?;
        replace(&path, content)
    }

    /// Removes a file, and the folders that are empty then.
    pub(crate) fn remove(&self, relative: &str) -> io::Result<()> {
        let path = self.path(relative);
        self.check_links(relative)?;
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        for folder in path.ancestors().skip(1).take_while(|folder| *folder != self.folder) {
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Returns the paths of all files below a folder, or nothing if it does not exist.
    ///
    /// # Errors
    /// If there are too many, or one is neither a file nor a folder.
    pub(crate) fn files(&self, relative: &str) -> io::Result<Vec<String>> {
        self.check_links(relative)?;
        let (mut files, mut folders) = (Vec::new(), vec![(relative.to_owned(), 0)]);
        while let Some((folder, depth)) = folders.pop() {
            let entries = match fs::read_dir(self.path(&folder)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries?,
            };
            for entry in entries {
                let (name, kind) = entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?)))?;
                let name = name.to_str().ok_or_else(|| io::Error::other("a name in it is not UTF-8"))?;
                let path = format!("{folder}/{name}");
                match kind {
                    kind if kind.is_dir() && depth < MAX_DEPTH => folders.push((path, depth + 1)),
                    kind if kind.is_file() && files.len() < MAX_FILES => files.push(path),
                    kind if kind.is_file() || kind.is_dir() => return Err(io::Error::other("it has too many files")),
                    _ => return Err(io::Error::other(format!("`{path}` is neither a file nor a folder"))),
                }
            }
        }
        files.sort();
        Ok(files)
    }

    /// Fails if a part of the path is a link.
    fn check_links(&self, relative: &str) -> io::Result<()> {
        let mut path = self.folder.clone();
        for part in relative.split('/') {
            path.push(part);
            match fs::symlink_metadata(&path) {
                Ok(meta) if meta.is_symlink() => {
                    return Err(io::Error::other(format!("{} is a link", path.display())));
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
        Ok(())
    }
}

/// Files of a root with the changes that are planned for them.
#[derive(Debug)]
pub(crate) struct Overlay<'r> {
    root: &'r Root,
    /// The files that were read, before and after the changes.
    files: BTreeMap<String, (Option<Content>, Option<Content>)>,
}

/// The change of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileChange {
    pub(crate) path: String,
    pub(crate) before: Option<Content>,
    pub(crate) after: Option<Content>,
}

impl<'r> Overlay<'r> {
    pub(crate) fn new(root: &'r Root) -> Self {
        Self { root, files: BTreeMap::new() }
    }

    /// Returns the content of a file as it would be.
    pub(crate) fn read(&mut self, path: &str) -> io::Result<Option<&Content>> {
        if !self.files.contains_key(path) {
            let found = self.root.read(path)?;
            self.files.insert(path.to_owned(), (found.clone(), found));
        }
        Ok(self.files.get(path).and_then(|(_, after)| after.as_ref()))
    }

    pub(crate) fn set(&mut self, path: &str, content: Option<Content>) -> io::Result<()> {
        self.read(path)?;
        if let Some((_, after)) = self.files.get_mut(path) {
            *after = content;
        }
        Ok(())
    }

    /// Returns the paths of all files below a folder as they would be.
    pub(crate) fn list(&mut self, folder: &str) -> io::Result<Vec<String>> {
        let mut paths = self.root.files(folder)?;
        let prefix = format!("{folder}/");
        let is_gone = |path: &String| self.files.get(path).is_some_and(|(_, after)| after.is_none());
        paths.retain(|path| !is_gone(path));
        let new = self.files.iter().filter(|(path, (_, after))| path.starts_with(&prefix) && after.is_some());
        paths.extend(new.map(|(path, _)| path.clone()));
        paths.sort();
        paths.dedup();
        Ok(paths)
    }

    /// Returns the files that would change.
    pub(crate) fn changes(self) -> Vec<FileChange> {
        let changes = self.files.into_iter().map(|(path, (before, after))| FileChange { path, before, after });
        changes.filter(|change| change.before != change.after).collect()
    }
}

/// Replaces a file by way of a new one. The folder exists.
pub(crate) fn replace(path: &Path, content: &Content) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(folder)?;
    file.write_all(&content.bytes)?;
    if content.is_executable {
        make_executable(file.as_file())?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync(folder);
    Ok(())
}

/// Makes the changes in a folder durable, where the system can open folders.
pub(crate) fn sync(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// Creates a folder that only this user can read, and those around it.
pub(crate) fn create_folders(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(unix)]
fn is_executable(meta: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}

#[cfg(unix)]
fn make_executable(file: &File) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the other systems can fail")]
fn make_executable(_: &File) -> io::Result<()> {
    Ok(())
}
