//! Finds the files below a folder. Links are followed, and each folder is entered once, whatever links lead to it: the number of
//! paths through folders that link to one another is not bounded by their number.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

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
    /// Something that cannot be read.
    Unreadable(walkdir::Error),
}

/// Returns everything below a folder, sorted by path. Hidden files and folders belong to other programs, and are left out.
pub(crate) fn walk(folder: &Path) -> Vec<Found> {
    let mut walk = Walk { home: real(folder), ..Walk::default() };
    walk.enter(folder, &real(folder));
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
            Self::Entry(path, _) | Self::Loop(path) | Self::Again(path, _) | Self::Broken(path, _) => Some(path),
            Self::Unreadable(error) => error.path(),
        }
    }
}

#[derive(Default)]
struct Walk {
    /// The folder where the walk begins, without links.
    home: PathBuf,
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
    /// Enters a folder: `path` leads to it, and `real` has no links.
    fn enter(&mut self, path: &Path, real: &Path) {
        self.folders.insert(real.to_owned(), path.to_owned());
        let mut entries = WalkDir::new(path).min_depth(1).sort_by_file_name().into_iter();
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.found.extend((!error.path().is_some_and(is_hidden)).then_some(Found::Unreadable(error)));
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
                self.links.push_back((entry, here.parent().map(Path::to_owned).unwrap_or_default()));
                continue;
            }
            if kind.is_dir() {
                if let Some(first) = self.folders.get(&here) {
                    self.found.push(Found::Again(entry, first.clone()));
                    entries.skip_current_dir();
                    continue;
                }
                self.folders.insert(here, entry.clone());
            }
            self.found.push(Found::Entry(entry, kind));
        }
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
            self.files.entry(target).or_insert_with(|| link.clone());
            return self.found.push(match first {
                Some(first) => Found::Again(link, first),
                None => Found::Entry(link, kind),
            });
        }
        if within.starts_with(&target) || self.home.starts_with(&target) {
            self.found.push(Found::Loop(link));
        } else if let Some(first) = self.folders.get(&target) {
            self.found.push(Found::Again(link, first.clone()));
        } else {
            self.found.push(Found::Entry(link.clone(), kind));
            self.enter(&link, &target);
        }
    }
}

/// Returns a path without links, or the path itself if it cannot be resolved.
fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}
