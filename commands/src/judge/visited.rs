//! The folders to which the line goes. After a `cd` that may not run, a relative path can lead to files in any of them.

use crate::judge::components::PathWord;
use crate::judge::line::Line;
use crate::reading::{Command, Directory};
use crate::syntax::{Part, Word};

/// The maximum number of folders that are tried.
const MAX_FOLDERS: usize = 16;

impl Line<'_> {
    /// Returns the folders to which the line goes, if they are certain.
    fn visited(&self) -> &[PathWord] {
        self.visited.get_or_init(|| {
            let mut folders: Vec<PathWord> = Vec::new();
            for command in self.ids().map(|id| self.reading.command(id)).filter(|command| command.changes_directory()) {
                let is_option = |word: &&Word| word.text().is_some_and(|text| text.starts_with(['-', '+']));
                let Some(word) = command.arguments().iter().find(|word| !is_option(word)) else { continue };
                let in_others = in_folders(word, command, self, &folders);
                let own = PathWord::new(word, command, self);
                folders.extend(in_others.into_iter().chain([own]).filter(|path| !path.can_be_anything()));
                folders.truncate(MAX_FOLDERS);
            }
            folders
        })
    }
}

impl PathWord {
    /// Returns the paths of a word in the folders to which the line goes, if its directory is not certain.
    pub(crate) fn in_visited(word: &Word, command: &Command, line: &Line<'_>) -> Vec<Self> {
        if command.directory == Directory::Unknown {
            in_folders(word, command, line, line.visited())
        } else {
            Vec::new()
        }
    }
}

fn in_folders(word: &Word, command: &Command, line: &Line<'_>, folders: &[PathWord]) -> Vec<PathWord> {
    let is_relative = match word.parts.first() {
        Some(Part::Literal { text, .. }) => !text.is_empty() && !text.starts_with('/'),
        Some(Part::Glob(_)) => true,
        _ => false,
    };
    if command.directory != Directory::Unknown || !is_relative {
        return Vec::new();
    }
    folders.iter().map(|folder| folder.relative(word, line)).collect()
}
