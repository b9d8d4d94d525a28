//! The links inside of folders that a program reads with everything in them, and in which it follows links: `grep -R`, `cp -rL`, `zip -r`.

use std::borrow::Cow;

use crate::file_system::Entry;
use crate::judge::file::FileWord;
use crate::judge::lookups::Lookups;
use crate::judge::subject::Subject;
use crate::syntax::Word;

/// Programs that follow links in folders, each with the options with which they do.
const FOLLOWERS: &[(&str, &[&str])] = &[
    ("7z", &["-l"]),
    ("bsdtar", &["-L", "-h", "--dereference"]),
    ("chmod", &["-L"]),
    ("cp", &["-L", "--dereference"]),
    ("diff", &["-r", "--recursive"]),
    ("egrep", &["-R", "--dereference-recursive"]),
    ("fd", &["-L", "--follow"]),
    ("fdfind", &["-L", "--follow"]),
    ("fgrep", &["-R", "--dereference-recursive"]),
    ("find", &["-L", "-follow"]),
    ("gcp", &["-L", "--dereference"]),
    ("gfind", &["-L", "-follow"]),
    ("grep", &["-R", "--dereference-recursive"]),
    ("gtar", &["-h", "--dereference"]),
    ("pax", &["-L"]),
    ("rg", &["-L", "--follow"]),
    ("rsync", &["-L", "--copy-links", "--copy-unsafe-links", "-k", "--copy-dirlinks"]),
    ("scp", &["-r"]),
    ("tar", &["-h", "--dereference"]),
    ("ugrep", &["-R", "-S", "--dereference", "--dereference-recursive"]),
    ("zip", &["-r", "--recurse-paths"]),
    ("zstd", &["-r"]),
];
/// The maximum number of names that are looked at. What follows in a larger folder is not known.
const MAX_NAMES: usize = 512;
/// The maximum depth of folders in a folder.
const MAX_DEPTH: usize = 4;
/// The maximum number of links.
const MAX_LINKS: usize = 32;

impl<'a> Subject<'a> {
    /// Returns the links in folders that the command reads with everything in them, if it follows these links.
    pub(super) fn followed_links(&self) -> Vec<Cow<'a, Word>> {
        let (Some(lookups), Some(name)) = (&self.line.lookups, self.command.program.name()) else { return Vec::new() };
        let Some((_, options)) = FOLLOWERS.iter().find(|(own, _)| *own == name) else { return Vec::new() };
        if !self.certainly_has_option(options) {
            return Vec::new();
        }
        let mut look = Look { lookups, names: MAX_NAMES, links: Vec::new() };
        let files = self.operand_files();
        let folders: Vec<String> = files.iter().flat_map(FileWord::real_paths).collect();
        for folder in &folders {
            look.look(folder, MAX_DEPTH);
        }
        // `rg -L KEY` searches the working directory.
        if !folders.iter().any(|folder| matches!(lookups.entry(folder), Some(Entry::Folder { .. }))) {
            look.look(self.line.start_path(), MAX_DEPTH);
        }
        look.links.iter().map(|path| Cow::Owned(Word::plain(path, self.command.span))).collect()
    }
}

/// A look at folders.
struct Look<'l> {
    lookups: &'l Lookups<'l>,
    /// The number of names that may still be looked at.
    names: usize,
    links: Vec<String>,
}

impl Look<'_> {
    fn look(&mut self, folder: &str, depth: usize) {
        let names = self.lookups.some_names(folder, self.names);
        self.names -= names.len().min(self.names);
        for entry in names {
            let path = format!("{}/{}", folder.trim_end_matches('/'), entry.name);
            if entry.is_link && self.links.len() < MAX_LINKS {
                self.links.push(path);
            } else if entry.is_folder && depth > 0 && self.names > 0 {
                self.look(&path, depth - 1);
            }
        }
    }
}
