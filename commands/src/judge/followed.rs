//! The links and hard links inside of folders that a program reads with everything in them: `grep -R`, `cp -rL`, `zip -r`.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use crate::file_system::Entry;
use crate::judge::file::FileWord;
use crate::judge::folders::{Roots, names};
use crate::judge::lookups::{LastLink, Lookups};
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
/// Programs that read the files in a folder, each with the options with which they do. Without options, they always do.
const READERS: &[(&str, &[&str])] = &[
    ("ack", &[]),
    ("ag", &[]),
    ("bsdtar", &["-c", "-r", "-u", "--create", "--append", "--update"]),
    ("cp", &["-r", "-R", "-a", "--recursive", "--archive"]),
    ("diff", &["-r", "--recursive"]),
    ("egrep", &["-r", "-R", "--recursive", "--dereference-recursive"]),
    ("fd", &["-x", "-X", "--exec", "--exec-batch"]),
    ("fdfind", &["-x", "-X", "--exec", "--exec-batch"]),
    ("fgrep", &["-r", "-R", "--recursive", "--dereference-recursive"]),
    ("find", &["-exec", "-execdir"]),
    ("gcp", &["-r", "-R", "-a", "--recursive", "--archive"]),
    ("gfind", &["-exec", "-execdir"]),
    ("grep", &["-r", "-R", "--recursive", "--dereference-recursive"]),
    ("gtar", &["-c", "-r", "-u", "--create", "--append", "--update"]),
    ("pax", &["-w"]),
    ("rg", &[]),
    ("rsync", &["-r", "-a", "--recursive", "--archive"]),
    ("scp", &["-r"]),
    ("tar", &["-c", "-r", "-u", "--create", "--append", "--update"]),
    ("ugrep", &["-r", "-R", "--recursive", "--dereference-recursive"]),
    ("zip", &["-r", "--recurse-paths"]),
    ("zstd", &["-r"]),
];
/// The maximum number of names that are looked at. What follows in a larger folder is not known.
const MAX_NAMES: usize = 4_096;
/// The maximum depth of folders in a folder.
const MAX_DEPTH: usize = 16;
/// The maximum number of links.
const MAX_LINKS: usize = 32;
/// The time after which no more names are looked at, for a slow file system.
const MAX_TIME: Duration = Duration::from_millis(100);

impl<'a> Subject<'a> {
    /// Returns the files in folders that the command reads with everything in them, which can be protected under other paths: links,
    /// if the command follows them, and hard links to protected files.
    pub(super) fn followed_links(&self) -> Vec<Cow<'a, Word>> {
        self.files.followed.get_or_init(|| self.find_followed_links()).iter().cloned().map(Cow::Owned).collect()
    }

    fn find_followed_links(&self) -> Vec<Word> {
        let (Some(lookups), Some(name)) = (&self.line.lookups, self.command.program.name()) else { return Vec::new() };
        let options = |list: &'static [(&str, &[&str])]| list.iter().find(|(own, _)| *own == name).map(|(_, own)| *own);
        let follows = options(FOLLOWERS).is_some_and(|own| self.certainly_has_option(own));
        let reads = options(READERS).is_some_and(|own| own.is_empty() || self.certainly_has_option(own));
        let roots = self.line.roots();
        // Protected files seldom have hard links, so that usually no folder is looked through.
        let hard_links = (reads && lookups.have_hard_links(roots)).then_some(roots);
        if !follows && hard_links.is_none() {
            return Vec::new();
        }
        let end = Instant::now() + MAX_TIME;
        let (links, seen, open) = Default::default();
        let mut look = Look { lookups, roots, follows, hard_links, names: MAX_NAMES, links, seen, open, end };
        let files = self.operand_files();
        let folders: Vec<String> = files.iter().flat_map(FileWord::real_paths).collect();
        for folder in &folders {
            look.look(folder, MAX_DEPTH);
        }
        // `rg -L KEY` searches the working directory.
        if !folders.iter().any(|folder| matches!(lookups.entry(folder), Some(Entry::Folder { .. }))) {
            look.look(self.line.start_path(), MAX_DEPTH);
        }
        while let Some((folder, depth)) = look.open.pop() {
            look.look(&folder, depth);
        }
        look.links.iter().map(|path| Word::plain(path, self.command.span)).collect()
    }
}

/// A look at folders.
struct Look<'l> {
    lookups: &'l Lookups<'l>,
    roots: &'l Roots,
    /// Whether links count.
    follows: bool,
    /// If hard links to protected files count: the folders with which the patterns of places can begin.
    hard_links: Option<&'l Roots>,
    /// The number of names that may still be looked at.
    names: usize,
    links: Vec<String>,
    /// The folders to which links lead, and those of them that are still to be looked at, each with the depth that is left.
    seen: Vec<String>,
    open: Vec<(String, usize)>,
    /// When the look ends.
    end: Instant,
}

impl Look<'_> {
    fn look(&mut self, folder: &str, depth: usize) {
        if Instant::now() > self.end {
            return;
        }
        let names = self.lookups.some_names(folder, self.names);
        self.names -= names.len().min(self.names);
        for entry in names {
            let path = format!("{}/{}", folder.trim_end_matches('/'), entry.name);
            let is_found = match self.hard_links {
                _ if entry.is_link => self.follows,
                Some(roots) => !entry.is_folder && self.lookups.is_hard_link(&path, roots),
                None => false,
            };
            if is_found && self.links.len() < MAX_LINKS {
                if entry.is_link && depth > 0 {
                    self.add_target(&path, depth - 1);
                }
                self.links.push(path);
            } else if entry.is_folder && depth > 0 && self.names > 0 {
                self.look(&path, depth - 1);
            }
        }
    }

    /// Adds the folder to which a link leads, once. It can have other links.
    fn add_target(&mut self, link: &str, depth: usize) {
        let real = self.lookups.resolve(&names(link), LastLink::Followed, self.roots);
        let folder: String = real.iter().flat_map(|name| ["/", name]).collect();
        if !self.seen.contains(&folder) {
            self.seen.push(folder.clone());
            self.open.push((folder, depth));
        }
    }
}
