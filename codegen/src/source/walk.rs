//! Finds the files below a folder. Links are followed, and each folder is entered once, whatever links lead to it: the number of
//! paths through folders that link to one another is not bounded by their number. What links lead to is limited, because a link can
//! lead to everything on a machine.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::is_source;
use super::path::relative_or_lossy;

/// The maximum size of a manifest. It keeps every offset within 32 bits.
pub(super) const MAX_BYTES: u64 = 4 << 20;
/// The maximum number of files and folders to which all links together lead.
const MAX_ENTRIES: usize = 10_000;
/// The maximum number of bytes of the manifests among them.
const MAX_LINKED_BYTES: u64 = 64 << 20;
/// The maximum number of folders in one another to which a link leads.
const MAX_DEPTH: usize = 32;
/// The number of links beyond a limit after which no other one is followed.
const MAX_REFUSED: usize = 16;
/// Folders whose files are made by the system while they are read.
const SYSTEM_FOLDERS: [&str; 2] = ["/proc", "/sys"];

/// Something below a folder.
#[derive(Debug)]
pub(crate) enum Found {
    /// A file, or whatever is neither a file nor a folder that was entered. A link has the type of its target.
    Entry(PathBuf, FileType),
    /// A link to a folder that contains it.
    Loop(PathBuf),
    /// Another path of something that is found elsewhere.
    Again(PathBuf, PathBuf),
    /// A link whose target cannot be read.
    Broken(PathBuf, io::Error),
    /// A link to something that is not walked.
    Refused(PathBuf, Refusal),
    /// Something that cannot be read.
    Unreadable(walkdir::Error),
}

/// Why a link is not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    Entries,
    Bytes,
    Depth,
    System,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entries => write!(f, "links can lead to at most {MAX_ENTRIES} files and folders in all"),
            Self::Bytes => write!(f, "links can lead to manifests of at most {MAX_LINKED_BYTES} bytes in all"),
            Self::Depth => write!(f, "links can lead to at most {MAX_DEPTH} folders in one another"),
            Self::System => f.write_str("the system makes its files while they are read"),
        }
    }
}

/// Returns everything below a folder, sorted by path. Hidden files and folders belong to other programs, and are left out.
pub(crate) fn walk(folder: &Path) -> Vec<Found> {
    let root = folder.parent().unwrap_or(folder).to_owned();
    let mut walk = Walk { home: real(folder), root, ..Walk::default() };
    let budget = if folder.is_symlink() { Budget::OF_LINKS } else { Budget::UNLIMITED };
    if let Err(refusal) = walk.enter(folder, &real(folder), budget) {
        walk.found.push(Found::Refused(folder.to_owned(), refusal));
    }
    while let Some((link, within)) = walk.links.pop_front() {
        walk.follow(link, &within);
    }
    walk.found.sort_by(|one, other| one.path().cmp(&other.path()));
    walk.found
}

impl Found {
    /// Returns the path, or `None` if it is unknown.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Entry(path, _)
            | Self::Loop(path)
            | Self::Again(path, _)
            | Self::Broken(path, _)
            | Self::Refused(path, _) => Some(path),
            Self::Unreadable(error) => error.path(),
        }
    }
}

/// How much may still be found.
#[derive(Debug, Clone, Copy)]
struct Budget {
    entries: usize,
    bytes: u64,
    depth: usize,
}

impl Budget {
    const OF_LINKS: Self = Self { entries: MAX_ENTRIES, bytes: MAX_LINKED_BYTES, depth: MAX_DEPTH };
    const UNLIMITED: Self = Self { entries: usize::MAX, bytes: u64::MAX, depth: usize::MAX };

    fn take_entry(&mut self, depth: usize) -> Result<(), Refusal> {
        if depth > self.depth {
            return Err(Refusal::Depth);
        }
        self.entries = self.entries.checked_sub(1).ok_or(Refusal::Entries)?;
        Ok(())
    }

    fn take_bytes(&mut self, bytes: u64) -> Result<(), Refusal> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or(Refusal::Bytes)?;
        Ok(())
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::OF_LINKS
    }
}

#[derive(Default)]
struct Walk {
    /// The folder of the project.
    root: PathBuf,
    /// The folder where the walk begins, without links.
    home: PathBuf,
    /// What links may still lead to.
    budget: Budget,
    /// The number of links that were refused.
    refused: usize,
    /// The path at which each folder was entered, by its path without links.
    folders: BTreeMap<PathBuf, PathBuf>,
    /// The path at which each linked file was found, by its path without links.
    files: BTreeMap<PathBuf, PathBuf>,
    /// The links that are still to be followed, each with its folder without links. They come after all other files, so that a
    /// file is found at its own path.
    links: VecDeque<(PathBuf, PathBuf)>,
    found: Vec<Found>,
}

impl Walk {
    /// Enters a folder: `path` leads to it, and `real` has no links. Returns what is left of the budget.
    ///
    /// # Errors
    /// If the folder has more than the budget allows. Nothing in it is found then.
    fn enter(&mut self, path: &Path, real: &Path, mut budget: Budget) -> Result<Budget, Refusal> {
        if SYSTEM_FOLDERS.iter().any(|folder| real.starts_with(folder)) {
            return Err(Refusal::System);
        }
        let mut folders = vec![(real.to_owned(), path.to_owned())];
        let (mut links, mut found) = (Vec::new(), Vec::new());
        // Not sorted: a folder beyond the limit is not read to its end.
        let mut entries = WalkDir::new(path).min_depth(1).into_iter();
        while let Some(entry) = entries.next() {
            budget.take_entry(entry.as_ref().map_or(0, walkdir::DirEntry::depth))?;
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    found.extend((!error.path().is_some_and(is_hidden)).then_some(Found::Unreadable(error)));
                    continue;
                }
            };
            let (kind, entry) = (entry.file_type(), entry.into_path());
            if is_hidden(&entry) {
                if kind.is_dir() {
                    entries.skip_current_dir();
                }
                continue;
            }
            let here = real.join(entry.strip_prefix(path).unwrap_or(&entry));
            if kind.is_symlink() {
                links.push((entry, here.parent().map(Path::to_owned).unwrap_or_default()));
                continue;
            }
            if kind.is_dir() {
                if let Some(first) = self.folders.get(&here) {
                    found.push(Found::Again(entry, first.clone()));
                    entries.skip_current_dir();
                    continue;
                }
                folders.push((here, entry.clone()));
            } else if budget.bytes < u64::MAX {
                budget.take_bytes(self.bytes(&entry))?;
            }
            found.push(Found::Entry(entry, kind));
        }
        links.sort();
        self.folders.extend(folders);
        self.links.extend(links);
        self.found.extend(found);
        Ok(budget)
    }

    /// Returns the number of bytes that are read of a file.
    fn bytes(&self, path: &Path) -> u64 {
        let is_read = is_source(&relative_or_lossy(&self.root, path));
        let about = is_read.then(|| fs::metadata(path).ok()).flatten();
        about.filter(fs::Metadata::is_file).map_or(0, |about| about.len().min(MAX_BYTES + 1))
    }

    /// Enters the folder to which a link leads, or counts the file.
    fn enter_link(&mut self, link: &Path, target: &Path, is_folder: bool) -> Result<(), Refusal> {
        let mut budget = self.budget;
        budget.take_entry(0)?;
        if self.refused > MAX_REFUSED {
            return Err(Refusal::Entries);
        }
        if is_folder {
            budget = self.enter(link, target, budget)?;
        } else {
            budget.take_bytes(self.bytes(link))?;
        }
        self.budget = budget;
        Ok(())
    }

    /// Follows a link in the folder `within`.
    fn follow(&mut self, link: PathBuf, within: &Path) {
        let target = fs::canonicalize(&link).and_then(|target| Ok((fs::metadata(&target)?.file_type(), target)));
        let (kind, target) = match target {
            Ok(target) => target,
            Err(error) => return self.found.push(Found::Broken(link, error)),
        };
        if !kind.is_dir() {
            let is_found = |name: &std::ffi::OsStr| !name.to_string_lossy().starts_with('.');
            let in_folder = target.parent().zip(target.file_name()).filter(|(_, name)| is_found(name));
            let in_folder = in_folder.and_then(|(folder, name)| Some(self.folders.get(folder)?.join(name)));
            let first = in_folder.or_else(|| self.files.get(&target).cloned());
            self.files.entry(target.clone()).or_insert_with(|| link.clone());
            match first {
                Some(first) => self.found.push(Found::Again(link, first)),
                None => self.find_link(link, &target, kind),
            }
            return;
        }
        if within.starts_with(&target) || self.home.starts_with(&target) {
            self.found.push(Found::Loop(link));
        } else if let Some(first) = self.folders.get(&target) {
            self.found.push(Found::Again(link, first.clone()));
        } else {
            self.find_link(link, &target, kind);
        }
    }

    fn find_link(&mut self, link: PathBuf, target: &Path, kind: FileType) {
        let entered = self.enter_link(&link, target, kind.is_dir());
        self.refused += usize::from(entered.is_err());
        self.found.push(match entered {
            Ok(()) => Found::Entry(link, kind),
            Err(refusal) => Found::Refused(link, refusal),
        });
    }
}

/// Returns a path without links, or the path itself if it cannot be resolved.
fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}
