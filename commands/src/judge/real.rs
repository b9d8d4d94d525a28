//! Where paths lead in the file system: through links, mounts and hard links.

use std::rc::Rc;

use crate::judge::components::{Component, PathWord};
use crate::judge::line::Line;
use crate::judge::links::keeps_links;
use crate::judge::lookups::{LastLink, Lookups};
use crate::reading::Command;
use crate::rules::pattern;
use crate::syntax::Word;

/// The maximum number of paths that one path can lead to. A line with more needs a person.
const MAX_PATHS: usize = 1_024;
/// The maximum number of patterns in a path that are compared with the links in a folder.
const MAX_GLOBS: usize = 3;

/// How the rest of a path is resolved.
#[derive(Clone, Copy)]
struct Resolve {
    /// The number of patterns that may still be compared with the names in a folder.
    globs: usize,
    /// Whether the path differs from those that were found before. Otherwise, one of them stands for it.
    is_other: bool,
    last: LastLink,
}

impl PathWord {
    /// Returns the paths to which a word leads in the file system, where it has these paths as text. Empty if the file system is not
    /// known, or the paths lead nowhere else.
    pub(crate) fn real_paths(word: &Word, texts: &[&Self], command: &Command, line: &Line<'_>) -> Vec<Self> {
        if line.lookups.is_none() {
            return Vec::new();
        }
        let last = if keeps_links(command) { LastLink::Kept } else { LastLink::Followed };
        let physical = Self::physical(word, command, line);
        let mut found: Vec<Self> = Vec::new();
        let mut open: Vec<Self> = texts.iter().map(|&path| path.clone()).chain(physical).rev().collect();
        let has_other_roots = line.real_roots() != line.roots();
        while let Some(path) = open.pop() {
            for real in path.resolved(last, line) {
                let is_new = has_other_roots || !texts.contains(&&real);
                if is_new && found.len() >= MAX_PATHS {
                    line.lookups.iter().for_each(Lookups::exhaust);
                } else if is_new && !found.contains(&real) {
                    // A link of the file system can lead to one that the line makes.
                    open.extend(real.through_links(command, line));
                    found.push(real);
                }
            }
        }
        found
    }

    /// Returns the folders to which this path leads, as a `..` after it sees them. A pattern at its end can stand for several links.
    pub(super) fn real_folders(self, command: &Command, line: &Line<'_>) -> Vec<Self> {
        let linked = self.through_links_to_folder(command, line).into_iter().next().unwrap_or(self);
        let found = linked.resolved(LastLink::Followed, line);
        if found.is_empty() { vec![linked] } else { found }
    }

    /// Returns the paths to which this one leads in the file system. A pattern of the shell can also stand for a link.
    fn resolved(&self, last: LastLink, line: &Line<'_>) -> Vec<Self> {
        let mut found = Vec::new();
        if self.tail.is_none() {
            let how = Resolve { globs: MAX_GLOBS, is_other: true, last };
            self.resolve_components(&[], &self.components, how, line, &mut found);
        }
        found
    }

    fn resolve_components(
        &self,
        before: &[Rc<str>],
        components: &[Component],
        how: Resolve,
        line: &Line<'_>,
        found: &mut Vec<Self>,
    ) {
        let Some(lookups) = &line.lookups else { return };
        let is_name = |component: &&Component| matches!(component, Component::Name(name) if !name.contains('\0'));
        let count = components.iter().take_while(is_name).count();
        let (names, rest) = components.split_at(count);
        let names = names.iter().filter_map(|component| match component {
            Component::Name(name) => Some(Rc::clone(name)),
            _ => None,
        });
        let names: Vec<Rc<str>> = before.iter().cloned().chain(names).collect();
        let written = names;
        let names =
            lookups.resolve(&written, if rest.is_empty() { how.last } else { LastLink::Followed }, line.roots());
        let is_other = how.is_other || names != written;
        if is_other && found.len() >= MAX_PATHS {
            lookups.exhaust();
            return;
        }
        if is_other {
            let own = names.iter().cloned().map(Component::Name).chain(rest.iter().cloned());
            found.push(Self::simplified(own.collect(), self.depends_on_cd, None));
        }
        let [Component::Glob(glob), after @ ..] = rest else { return };
        if after.is_empty() && how.last == LastLink::Kept {
            return;
        }
        let Some(globs) = how.globs.checked_sub(1) else {
            if is_other {
                lookups.exhaust();
            }
            return;
        };
        let folder: String = names.iter().flat_map(|name| ["/", name]).collect();
        let is_hidden = |name: &str| name.starts_with('.') && !glob.starts_with('.');
        for entry in lookups.names_in(if folder.is_empty() { "/" } else { &folder }) {
            // A link can be in a folder that the pattern stands for.
            let is_on_the_way = || entry.is_folder && !after.is_empty() && lookups.have_room();
            // A pattern can also stand for a second path of a protected file.
            let is_protected = || {
                let is_file = after.is_empty() && !entry.is_folder;
                is_file && lookups.is_hard_link(&format!("{folder}/{}", entry.name), line.roots())
            };
            if is_hidden(&entry.name)
                || !pattern::matches(glob, &entry.name)
                || !entry.is_link && !is_on_the_way() && !is_protected()
            {
                continue;
            }
            let names: Vec<Rc<str>> = names.iter().cloned().chain([Rc::from(entry.name)]).collect();
            let how = Resolve { globs, is_other: entry.is_link, ..how };
            self.resolve_components(&names, after, how, line, found);
        }
    }
}
