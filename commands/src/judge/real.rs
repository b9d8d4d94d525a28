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

    /// Returns the folder to which this path leads, as a `..` after it sees it.
    pub(super) fn into_real_folder(self, command: &Command, line: &Line<'_>) -> Self {
        let linked = self.through_links_to_folder(command, line).into_iter().next().unwrap_or(self);
        linked.resolved(LastLink::Followed, line).into_iter().next().unwrap_or(linked)
    }

    /// Returns the paths to which this one leads in the file system. A pattern of the shell can also stand for a link.
    fn resolved(&self, last: LastLink, line: &Line<'_>) -> Vec<Self> {
        let mut found = Vec::new();
        if self.tail.is_none() {
            self.resolve_components(&[], &self.components, MAX_GLOBS, last, line, &mut found);
        }
        found
    }

    fn resolve_components(
        &self,
        before: &[Rc<str>],
        components: &[Component],
        globs: usize,
        last: LastLink,
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
        let names = lookups.resolve(&names, if rest.is_empty() { last } else { LastLink::Followed }, line.roots());
        if found.len() >= MAX_PATHS {
            lookups.exhaust();
            return;
        }
        let own = names.iter().cloned().map(Component::Name).chain(rest.iter().cloned());
        found.push(Self::simplified(own.collect(), self.depends_on_cd, None));
        let [Component::Glob(glob), after @ ..] = rest else { return };
        if after.is_empty() && last == LastLink::Kept {
            return;
        }
        if globs == 0 {
            lookups.exhaust();
            return;
        }
        let folder: String = names.iter().flat_map(|name| ["/", name]).collect();
        let links = lookups.links_in(if folder.is_empty() { "/" } else { &folder });
        let is_hidden = |name: &str| name.starts_with('.') && !glob.starts_with('.');
        for link in links.into_iter().filter(|name| !is_hidden(name) && pattern::matches(glob, name)) {
            let names: Vec<Rc<str>> = names.iter().cloned().chain([Rc::from(link)]).collect();
            self.resolve_components(&names, after, globs - 1, last, line, found);
        }
    }
}
