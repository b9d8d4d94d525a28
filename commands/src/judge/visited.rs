//! The folders to which the line goes. After a `cd` that may not run, or can fail, a relative path can lead to files in any of them.

use crate::certainty::Match;
use crate::file_system::Entry;
use crate::judge::components::{Component, PathWord};
use crate::judge::line::Line;
use crate::judge::path_builder::is_working_directory;
use crate::reading::{Command, Directory};
use crate::syntax::{Part, Word};

/// The maximum number of folders that are tried.
const MAX_FOLDERS: usize = 16;
/// Programs that make the folders among their operands, or write links to folders.
const MAKERS: &[&str] = &["cp", "gcp", "git", "gln", "gmkdir", "gmv", "install", "ln", "mkdir", "mv", "tar", "unzip"];

impl<'a> Line<'a> {
    /// Returns the folders to which the line goes, if they are certain. On a known file system, the one in which it starts is the first.
    fn visited(&self) -> &[PathWord] {
        self.visited.get_or_init(|| {
            let start = self.start().iter().cloned().map(Component::Name).collect();
            let start = PathWord::simplified(start, true, None);
            let mut folders: Vec<PathWord> = self.lookups.iter().map(|_| start.clone()).collect();
            for (command, word) in self.goals() {
                let is_anywhere = command.directory == Directory::Unknown || self.lookups.is_some();
                let in_others = if is_anywhere { in_folders(word, self, &folders) } else { Vec::new() };
                let own = PathWord::new(word, command, self);
                let new = in_others.into_iter().chain([own]).filter(|path| !path.can_be_anything());
                for path in new {
                    if !folders.contains(&path) {
                        folders.push(path);
                    }
                }
                folders.truncate(MAX_FOLDERS);
            }
            folders
        })
    }

    /// Returns the commands that change the directory, each with the word that names the new one.
    fn goals(&self) -> impl Iterator<Item = (&'a Command, &'a Word)> {
        let reading = self.reading;
        let movers = self.ids().map(|id| reading.command(id)).filter(|command| command.changes_directory());
        movers.filter_map(|command| {
            let is_option = |word: &&Word| word.text().is_some_and(|text| text.starts_with(['-', '+']));
            Some((command, command.arguments().iter().find(|word| !is_option(word))?))
        })
    }

    /// Returns whether a `cd` fails, as far as the file system tells: its folder is missing, and the line does not make it.
    fn cd_fails(&self) -> Match {
        let Some(lookups) = &self.lookups else { return Match::No };
        *self.cd_fails.get_or_init(|| {
            let is_folder = |path: &String| matches!(lookups.entry(path), Some(Entry::Folder { .. }));
            Match::any(self.goals().map(|(command, word)| {
                let path = PathWord::new(word, command, self);
                if !path.is_known() {
                    return Match::Maybe;
                }
                let is_made = self.makes(&path);
                let mut folders = path.real_folders(command, self).into_iter().filter_map(|path| path.text());
                Match::from(!is_made && !folders.any(|path| is_folder(&path)))
            }))
        })
    }

    /// Returns whether the line makes a folder.
    fn makes(&self, folder: &PathWord) -> bool {
        let mut makers = self
            .ids()
            .map(|id| self.reading.command(id))
            .filter(|command| command.program.name().is_some_and(|name| MAKERS.contains(&name)));
        makers.any(|command| command.arguments().iter().any(|word| PathWord::new(word, command, self).is_same(folder)))
    }
}

impl PathWord {
    /// Returns the paths of a word in the folders to which the line goes, if the directory of its command is not certain.
    pub(crate) fn in_visited(word: &Word, command: &Command, line: &Line<'_>) -> Vec<Self> {
        let is_uncertain = match &command.directory {
            Directory::Unknown => true,
            Directory::At(_) => {
                line.cd_fails() != Match::No || word.parts.first().is_some_and(|part| is_earlier_directory(part, line))
            }
            Directory::Start | Directory::Within(_) => false,
        };
        if !is_uncertain {
            return Vec::new();
        }
        let mut paths = in_folders(word, line, line.visited());
        if let Some(at_start) = paths.first_mut().filter(|_| line.cd_fails() == Match::Yes) {
            at_start.depends_on_cd = false;
        }
        paths
    }
}

/// Returns the paths of a word in these folders, if it is relative to the directory.
fn in_folders(word: &Word, line: &Line<'_>, folders: &[PathWord]) -> Vec<PathWord> {
    let parts = match &word.parts[..] {
        parts @ [Part::Literal { text, .. }, ..] if !text.is_empty() && !text.starts_with('/') => parts,
        parts @ [Part::Glob(_), ..] => parts,
        // `$PWD/NAME`
        [first, rest @ ..] if is_working_directory(first, line) || is_earlier_directory(first, line) => rest,
        _ => return Vec::new(),
    };
    folders.iter().map(|folder| folder.relative(parts, line)).collect()
}

/// Returns whether a part is `$OLDPWD`, `~-`, or a variable with the path of a folder to which the line goes.
fn is_earlier_directory(part: &Part, line: &Line<'_>) -> bool {
    match part {
        Part::Variable { name, operation: None, .. } => {
            let is_directory = |value: &Word| matches!(&value.parts[..], [part] if is_working_directory(part, line));
            name == "OLDPWD" || line.only_value(name).is_some_and(is_directory)
        }
        Part::Tilde { user } => user == "-",
        _ => false,
    }
}
