//! Searches files of this machine with ripgrep's engine.
//!
//! [`walk`] selects the files, and [`content`] searches one file.

mod content;
mod walk;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use self::content::{FileSearch, Outcome};
use super::folder::Folder;
use crate::search::{Found, FoundFile, Page, Results, Search};

/// Searches below a root.
pub(super) fn search(search: &Search<'_>) -> io::Result<Found> {
    let Search { root, globs, content, limits, may_read } = *search;
    // Without this check, a missing root would count as an unreadable file.
    fs::symlink_metadata(root)?;
    let mut content = content.map(FileSearch::new);
    let mut page = Page::new(limits);
    let (mut files, mut unreadable) = (Vec::new(), 0);
    let mut folder = LastFolder::default();
    for entry in walk::walk(root) {
        if page.must_end() {
            break;
        }
        let Ok(entry) = entry else {
            unreadable += 1;
            continue;
        };
        if !walk::is_selected(&entry, root, globs) {
            continue;
        }
        let path = entry.into_path();
        if may_read.is_some_and(|may_read| !may_read(&path)) {
            unreadable += 1;
            continue;
        }
        let Some(content) = &mut content else {
            page.add(FoundFile { path, ..FoundFile::default() }, &mut files);
            continue;
        };
        let Ok(file) = folder.open(&path) else {
            unreadable += 1;
            continue;
        };
        match (content.search(file, &mut page), content.results()) {
            (Outcome::Unreadable, _) => unreadable += 1,
            (Outcome::Searched { count: 0, .. }, _) => {}
            (Outcome::Searched { lines, .. }, Results::Lines) if lines.is_empty() => {}
            (Outcome::Searched { count, lines }, Results::Lines) => files.push(FoundFile { path, lines, count }),
            (Outcome::Searched { count, .. }, _) => page.add(FoundFile { path, lines: Vec::new(), count }, &mut files),
        }
    }
    Ok(Found { files, total: page.total(), kept: page.kept(), partial: page.is_partial(), unreadable })
}

/// The folder of the last file. Most of the time, the next file is in the same folder.
#[derive(Debug, Default)]
struct LastFolder(Option<(PathBuf, Folder)>);

impl LastFolder {
    /// Opens a file that the walk has found to be regular.
    fn open(&mut self, path: &Path) -> io::Result<fs::File> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let folder = match self.0.take() {
            Some((last, folder)) if last == parent => folder,
            _ => Folder::open(parent)?,
        };
        let file = folder.read_checked(name);
        self.0 = Some((parent.to_owned(), folder));
        file
    }
}
