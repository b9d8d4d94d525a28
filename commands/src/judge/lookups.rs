//! What the judge asks the file system about the paths of one line, and where paths lead in it.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use crate::file_system::{Entry, FileId, FileSystem, NamedEntry};
use crate::judge::folders::Roots;
use crate::rules::{Root, RuleSet, is_plain_name};

/// The maximum number of questions about one line. A line with more needs a person.
const MAX_LOOKUPS: usize = 4_096;
/// The maximum number of links that one path can lead through, as for Linux.
const MAX_LINKS: usize = 40;
/// The maximum number of names that are read in a folder with links for which a pattern can stand.
const MAX_NAMES: usize = 4_096;
/// The maximum number of files in folders of places that are identified.
const MAX_FILES: usize = 2_048;
/// The maximum depth of folders whose files are identified.
const MAX_DEPTH: usize = 6;
/// The maximum number of other questions, with which the files of places and the files in a folder are identified. They do not count for
/// the line.
const MAX_IDENTIFIED: usize = 12_288;

/// What happens to a link at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LastLink {
    /// The link is followed: programs that read or write a file act on its target.
    Followed,
    /// The link is kept: `rm` and `mv` act on the link itself.
    Kept,
}

/// The questions about one line, with their answers.
pub(crate) struct Lookups<'a> {
    files: &'a dyn FileSystem,
    rules: &'a RuleSet<'a>,
    found: RefCell<HashMap<String, Option<Entry>>>,
    left: Cell<usize>,
    /// The number of questions with which files can still be identified.
    to_identify: Cell<usize>,
    /// The folders and files of places. Computed when first needed.
    known: OnceCell<Known>,
}

/// The folders and files of places.
#[derive(Default)]
struct Known {
    /// Their paths, by their identity.
    paths: HashMap<FileId, Vec<Rc<str>>>,
    /// The number of files in folders that were identified.
    files: usize,
    /// Whether there are more.
    are_more: bool,
    /// Whether one of the files has several paths.
    has_hard_links: bool,
}

impl<'a> Lookups<'a> {
    pub(crate) fn new(files: &'a dyn FileSystem, rules: &'a RuleSet<'a>) -> Self {
        let (left, to_identify) = (Cell::new(MAX_LOOKUPS), Cell::new(MAX_IDENTIFIED));
        Self { files, rules, found: RefCell::default(), left, to_identify, known: OnceCell::new() }
    }

    /// Returns whether the line has so many paths that some were compared only as they are written.
    pub(crate) fn are_exhausted(&self) -> bool {
        self.left.get() == 0
    }

    /// Asks no more.
    pub(crate) fn exhaust(&self) {
        self.left.set(0);
    }

    /// Returns what has a path.
    pub(crate) fn entry(&self, path: &str) -> Option<Entry> {
        if let Some(found) = self.found.borrow().get(path) {
            return found.clone();
        }
        let entry = self.ask(|files| files.entry(path)).flatten();
        self.found.borrow_mut().insert(path.to_owned(), entry.clone());
        entry
    }

    /// Returns the names in a folder.
    pub(crate) fn names_in(&self, folder: &str) -> Vec<NamedEntry> {
        self.names(folder, MAX_NAMES)
    }

    /// Returns whether many questions are left, so that some can be about what is rarely a link.
    pub(crate) fn have_room(&self) -> bool {
        self.left.get() > MAX_LOOKUPS / 2
    }

    /// Returns the names in a folder. A line about a folder with more than `limit` needs a person.
    fn names(&self, folder: &str, limit: usize) -> Vec<NamedEntry> {
        let names = self.ask(|files| files.names(folder, limit)).unwrap_or_default();
        if names.len() >= limit {
            self.exhaust();
        }
        names
    }

    /// Returns the text of a file that has at most `limit` bytes.
    pub(crate) fn text(&self, path: &str, limit: usize) -> Option<String> {
        self.ask(|files| files.text(path, limit)).flatten()
    }

    /// Returns the names in a folder, at most `limit` of them.
    pub(crate) fn some_names(&self, folder: &str, limit: usize) -> Vec<NamedEntry> {
        self.identifying(|files| files.names(folder, limit)).unwrap_or_default()
    }

    /// Returns whether a protected file has several paths, so that a folder can have a hard link to it.
    pub(crate) fn have_hard_links(&self, roots: &Roots) -> bool {
        self.known.get_or_init(|| self.known_files(roots)).has_hard_links
    }

    /// Returns whether a path is a hard link to a protected file.
    pub(crate) fn is_hard_link(&self, path: &str, roots: &Roots) -> bool {
        match self.identifying(|files| files.entry(path)).flatten() {
            Some(Entry::File { id, has_other_paths: true }) => {
                self.known.get_or_init(|| self.known_files(roots)).paths.contains_key(&id)
            }
            _ => false,
        }
    }

    /// Asks a question that does not count for the line.
    fn identifying<T>(&self, ask: impl FnOnce(&dyn FileSystem) -> T) -> Option<T> {
        self.to_identify.set(self.to_identify.get().checked_sub(1)?);
        Some(ask(self.files))
    }

    fn ask<T>(&self, ask: impl FnOnce(&dyn FileSystem) -> T) -> Option<T> {
        let left = self.left.get().checked_sub(1)?;
        self.left.set(left);
        (left > 0).then(|| ask(self.files))
    }

    /// Returns the path without links that the file system has for this one. What does not exist is kept as it is. A folder that is mounted at a
    /// second path, and a file with several, have their paths in places, if they are in any.
    pub(crate) fn resolve(&self, names: &[Rc<str>], last: LastLink, roots: &Roots) -> Vec<Rc<str>> {
        let mut walk = Walk { path: Vec::with_capacity(names.len()), text: String::with_capacity(64) };
        let mut open: Vec<Rc<str>> = names.iter().rev().cloned().collect();
        let (mut links, mut is_missing) = (0, false);
        while let Some(name) = open.pop() {
            if &*name == ".." {
                walk.leave();
                is_missing = false;
                continue;
            }
            match walk.of_process(&name) {
                Some(OfProcess::Root) => {
                    walk.go_to(&[]);
                    continue;
                }
                Some(OfProcess::Directory) => {
                    walk.go_to(&roots.start);
                    continue;
                }
                // These are other files for the command than for this process.
                Some(OfProcess::Files) => is_missing = true,
                None => {}
            }
            walk.enter(name);
            if is_missing {
                continue;
            }
            let is_last = open.is_empty();
            match self.entry(&walk.text) {
                None => is_missing = true,
                Some(Entry::Link(_)) if walk.is_own_process() || is_last && last == LastLink::Kept => {}
                Some(Entry::Link(_)) if links == MAX_LINKS => is_missing = true,
                Some(Entry::Link(target)) => {
                    links += 1;
                    walk.leave();
                    if target.starts_with('/') {
                        walk.go_to(&[]);
                    }
                    open.extend(target.split('/').rev().filter(|name| !matches!(*name, "" | ".")).map(Rc::from));
                }
                Some(Entry::Folder { id, is_mounted: true } | Entry::File { id, has_other_paths: true }) => {
                    self.rename(id, &mut walk, roots);
                }
                Some(Entry::Folder { .. } | Entry::File { .. }) => {}
            }
        }
        walk.path
    }

    /// Replaces the path of a file by its path in a place, if it has one.
    fn rename(&self, id: FileId, walk: &mut Walk, roots: &Roots) {
        // What is mounted from elsewhere, such as a file system in memory, is in no place under another path.
        let device = |path: &str| match self.entry(path) {
            Some(Entry::Folder { id, .. } | Entry::File { id, .. }) => Some(id.device),
            _ => None,
        };
        let mut folders = ["/".to_owned(), text(&roots.home)].into_iter().chain(roots.own.as_deref().map(text));
        if !folders.any(|folder| device(&folder) == Some(id.device)) {
            return;
        }
        let known = self.known.get_or_init(|| self.known_files(roots));
        match known.paths.get(&id) {
            Some(path) if !known.paths.values().any(|path| *path == walk.path) => walk.go_to(path),
            // It could be one of those that were not identified.
            None if known.are_more => self.exhaust(),
            _ => {}
        }
    }

    /// Identifies the folders and files whose paths the places name, and the folders above them.
    fn known_files(&self, roots: &Roots) -> Known {
        let mut known = Known::default();
        for pattern in self.rules.place_patterns().all() {
            let root = match pattern.root {
                Root::System if pattern.rest.starts_with('*') => continue,
                Root::System => &[][..],
                Root::Home => &roots.home,
                Root::Own => roots.own.as_deref().unwrap_or_default(),
                Root::Start | Root::AboveOwn => continue,
            };
            let mut names = pattern.rest.split('/').filter(|name| !name.is_empty()).peekable();
            let mut walk = Walk::default();
            let mut exists = root.iter().all(|name| self.identify(name, &mut walk, &mut known));
            while let Some(name) = names.next_if(|name| is_plain_name(name)) {
                exists = exists && self.identify(&Rc::from(name), &mut walk, &mut known);
            }
            // All files below a folder of a home. Those of the system are too many.
            let has_all = matches!(names.next(), Some("*" | "**")) && names.next().is_none();
            if exists && has_all && pattern.root != Root::System && walk.path != roots.home {
                self.identify_all(&mut walk, MAX_DEPTH, &mut known);
            }
        }
        known
    }

    /// Goes to an entry of a folder, and identifies it. Returns whether it is a folder.
    fn identify(&self, name: &Rc<str>, walk: &mut Walk, known: &mut Known) -> bool {
        walk.enter(Rc::clone(name));
        match self.identifying(|files| files.entry(&walk.text)).flatten() {
            Some(Entry::Folder { id, .. }) => {
                known.paths.entry(id).or_insert_with(|| walk.path.clone());
                true
            }
            Some(Entry::File { id, has_other_paths }) => {
                known.has_hard_links |= has_other_paths;
                known.paths.entry(id).or_insert_with(|| walk.path.clone());
                false
            }
            Some(Entry::Link(_)) | None => false,
        }
    }

    fn identify_all(&self, walk: &mut Walk, depth: usize, known: &mut Known) {
        let left = MAX_FILES - known.files;
        let names = self.some_names(&walk.text, left + 1);
        known.are_more |= depth == 0 && !names.is_empty() || names.len() > left;
        for entry in names.into_iter().take(if depth == 0 { 0 } else { left }) {
            if known.files == MAX_FILES {
                known.are_more = true;
                return;
            }
            known.files += 1;
            let is_folder = self.identify(&Rc::from(entry.name), walk, known);
            if is_folder {
                self.identify_all(walk, depth - 1, known);
            }
            walk.leave();
        }
    }
}

/// A part of `/proc/PROCESS`.
enum OfProcess {
    Root,
    Directory,
    Files,
}

/// A path that grows and shrinks.
#[derive(Default)]
struct Walk {
    path: Vec<Rc<str>>,
    text: String,
}

impl Walk {
    fn enter(&mut self, name: Rc<str>) {
        self.text.push('/');
        self.text.push_str(&name);
        self.path.push(name);
    }

    fn leave(&mut self) {
        if let Some(name) = self.path.pop() {
            self.text.truncate(self.text.len() - name.len() - 1);
        }
    }

    fn go_to(&mut self, path: &[Rc<str>]) {
        self.path = path.to_vec();
        self.text = if path.is_empty() { String::new() } else { text(path) };
    }

    /// Returns whether the path is the link to the own process, which is another one for the command.
    fn is_own_process(&self) -> bool {
        matches!(self.path.as_slice(), [proc, own] if &**proc == "proc" && matches!(&**own, "self" | "thread-self"))
    }

    /// Returns what an entry of the folder of the own process is, if the link there says something else to the command.
    fn of_process(&self, name: &str) -> Option<OfProcess> {
        match name {
            _ if !self.is_own_process() => None,
            "root" => Some(OfProcess::Root),
            "cwd" => Some(OfProcess::Directory),
            "fd" => Some(OfProcess::Files),
            _ => None,
        }
    }
}

/// Returns a path as text.
fn text(names: &[Rc<str>]) -> String {
    if names.is_empty() { "/".to_owned() } else { names.iter().flat_map(|name| ["/", name]).collect() }
}
