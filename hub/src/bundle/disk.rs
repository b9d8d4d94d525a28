//! The files of a skill on the disk, where people and other programs change them.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::{Bundle, BundleError, BundleFile, Limits, path};

/// The files in the folder of a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LocalFiles {
    /// The files that a bundle can have, by their paths.
    pub files: BTreeMap<String, BundleFile>,
    /// What a bundle cannot have, such as links. It is never changed.
    pub odd: Vec<OddFile>,
}

/// Something in the folder of a skill that a bundle cannot have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OddFile {
    /// The path in the folder, with `/`, as it may be shown.
    pub path: String,
    /// Why a bundle cannot have it.
    pub error: BundleError,
}

impl LocalFiles {
    /// Reads a folder. Links are not followed. What is beyond the limits is listed in `odd`, and not read.
    ///
    /// # Errors
    /// If the folder is not a folder, or cannot be listed.
    pub fn read(folder: &Path, limits: &Limits) -> io::Result<Self> {
        if !fs::symlink_metadata(folder)?.is_dir() {
            return Err(io::Error::other("it is not a folder"));
        }
        let mut found = Self::default();
        let mut room = limits.bytes;
        let mut waiting = vec![(folder.to_owned(), String::new())];
        while let Some((folder, prefix)) = waiting.pop() {
            for entry in fs::read_dir(folder)? {
                let entry = entry?;
                let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
                    let shown = format!("{prefix}{}", entry.file_name().to_string_lossy());
                    found.odd(&shown, BundleError::NotText(shown.clone()));
                    continue;
                };
                let shown = format!("{prefix}{name}");
                let meta = entry.metadata()?;
                match found.kind(&shown, &meta, room, limits) {
                    Err(error) => found.odd(&shown, error),
                    Ok(()) if meta.is_dir() => waiting.push((entry.path(), format!("{shown}/"))),
                    Ok(()) => match read_file(&entry.path(), limits.file_bytes) {
                        Ok(bytes) => {
                            room = room.saturating_sub(bytes.len());
                            let is_executable = is_executable(&meta);
                            found.files.insert(shown.clone(), BundleFile { path: shown, bytes, is_executable });
                        }
                        Err(error) => found.odd(&shown, BundleError::Unreadable(shown.clone(), error.to_string())),
                    },
                }
            }
        }
        Ok(found)
    }

    /// Checks whether a bundle can have a file or a folder.
    fn kind(&self, shown: &str, meta: &Metadata, room: usize, limits: &Limits) -> Result<(), BundleError> {
        path::check(shown, limits).map_err(|fault| BundleError::path(shown, fault))?;
        if meta.is_symlink() {
            return Err(BundleError::Link(shown.to_owned()));
        }
        if meta.is_dir() {
            return Ok(());
        }
        if !meta.is_file() {
            return Err(BundleError::Special(shown.to_owned()));
        }
        if self.files.len() >= limits.files {
            return Err(BundleError::TooManyFiles(limits.files));
        }
        if meta.len() > limits.file_bytes as u64 {
            return Err(BundleError::FileTooLarge(shown.to_owned(), limits.file_bytes));
        }
        if meta.len() > room as u64 {
            return Err(BundleError::TooLarge(limits.bytes));
        }
        Ok(())
    }

    fn odd(&mut self, shown: &str, error: BundleError) {
        if self.odd.len() < 100 {
            let path = shown.chars().flat_map(char::escape_debug).collect();
            self.odd.push(OddFile { path, error });
        }
    }

    /// Returns the files as a bundle.
    ///
    /// # Errors
    /// If the folder has something that a bundle cannot have, or has no `SKILL.md`.
    pub fn bundle(self, limits: &Limits) -> Result<Bundle, BundleError> {
        match self.odd.into_iter().next() {
            Some(odd) => Err(odd.error),
            None => Bundle::new(self.files.into_values().collect(), limits),
        }
    }
}

impl Bundle {
    /// Reads the folder of a skill.
    ///
    /// # Errors
    /// If it cannot be read, or has something that a bundle cannot have, such as a link.
    pub fn read(folder: &Path, limits: &Limits) -> Result<Self, BundleError> {
        let unreadable = |error: io::Error| BundleError::Unreadable(folder.display().to_string(), error.to_string());
        LocalFiles::read(folder, limits).map_err(unreadable)?.bundle(limits)
    }

    /// Writes the files into a new folder, and waits until they are on the disk.
    ///
    /// # Errors
    /// If the folder exists, or something cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir(folder)?;
        for file in self.files() {
            write_file(&join(folder, &file.path), file)?;
        }
        sync_folder(folder);
        Ok(())
    }
}

/// Returns the path of a file of a skill on this system.
pub(crate) fn join(folder: &Path, path: &str) -> PathBuf {
    folder.join(path.split('/').collect::<PathBuf>())
}

/// Writes a new file, and its folders.
pub(crate) fn write_file(path: &Path, content: &BundleFile) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if content.is_executable { 0o755 } else { 0o644 });
    let mut file = options.open(path)?;
    file.write_all(&content.bytes)?;
    file.sync_all()
}

/// Waits until the names in a folder are on the disk. Not every system can open a folder.
pub(crate) fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// Reads a file that may grow meanwhile.
fn read_file(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most { Err(io::Error::other("it grows while it is read")) } else { Ok(bytes) }
}

#[cfg(unix)]
pub(crate) fn is_executable(meta: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    meta.permissions().mode() & 0o100 != 0
}

/// Files have no such mode here.
#[cfg(not(unix))]
pub(crate) fn is_executable(_: &Metadata) -> bool {
    false
}
