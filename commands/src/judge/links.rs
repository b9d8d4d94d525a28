//! The links that a line makes: what is written to `x/passwd` after `ln -s /etc x` is written to `/etc/passwd`.

use std::borrow::Cow;

use crate::file_system::Entry;
use crate::judge::components::PathWord;
use crate::judge::flow::Link;
use crate::judge::line::Line;
use crate::judge::subject::Subject;
use crate::judge::writes::{in_folder, url_name};
use crate::reading::Command;
use crate::syntax::Word;

/// The maximum number of links that are followed. A line on this machine with more needs a person.
const MAX_LINKS: usize = 256;
/// The maximum number of paths that one path can lead to. A line on this machine with more needs a person.
const MAX_PATHS: usize = 32;

impl Link {
    /// Returns the links that a line makes.
    fn all(line: &Line<'_>) -> Vec<Self> {
        let mut links = Vec::new();
        for id in line.ids() {
            match line.reading.command(id).program.name() {
                // What was in a folder that gets another name is below that name.
                Some("ln" | "gln" | "link" | "mv" | "gmv" | "mount") => {
                    Self::of_command(&Subject::new(line, id), |_| true, &mut links);
                }
                Some("cp" | "gcp") => {
                    let subject = Subject::new(line, id);
                    let links_all = subject.has_option(&["-l", "-s", "--link", "--symbolic-link"]);
                    // The copy of a link is a link.
                    let is_link = |path: &PathWord| {
                        let entry = path.text().and_then(|path| line.lookups.as_ref()?.entry(&path));
                        matches!(entry, Some(Entry::Link(_)))
                    };
                    Self::of_command(&subject, |target| links_all || is_link(target), &mut links);
                }
                _ => {}
            }
        }
        links
    }

    /// Adds the links that a command makes to these targets.
    fn of_command(subject: &Subject<'_>, is_target: impl Fn(&PathWord) -> bool, links: &mut Vec<Self>) {
        let (command, line) = (subject.command, subject.line);
        let mut targets: Vec<&Word> = subject.operands().collect();
        let folder = subject.values(&["-t", "--target-directory"]).next();
        let folder_is_named = folder.is_some();
        let last = match folder {
            Some(folder) => Some(folder),
            None if targets.len() > 1 => targets.pop().map(Cow::Borrowed),
            // `ln -s TARGET` makes a link in the working directory.
            None => None,
        };
        let is_folder = folder_is_named || targets.len() > 1;
        for target in targets {
            let in_last = url_name(target).map(|name| match &last {
                Some(folder) => in_folder(folder, &name),
                None => name,
            });
            for path in last.as_deref().filter(|_| !is_folder).into_iter().chain(&in_last) {
                if links.len() >= MAX_LINKS {
                    line.lookups.as_ref().inspect(|lookups| lookups.exhaust());
                    return;
                }
                let path = PathWord::new(path, command, line);
                // A relative target begins in the folder of the link, or in the working directory for a hard link.
                let (sibling, own) = (path.sibling(target), PathWord::new(target, command, line));
                let targets = sibling.filter(|path| *path != own).into_iter().chain([own]).filter(&is_target);
                links.extend(targets.map(|target| Self { path: path.clone(), target, made_by: command.span }));
            }
        }
    }
}

/// Returns whether a program makes links.
pub(super) fn makes_links(command: &Command) -> bool {
    matches!(command.program.name(), Some("ln" | "gln" | "link"))
}

/// Returns whether a program acts on the link that it is given, not on the file that the link leads to.
pub(super) fn keeps_links(command: &Command) -> bool {
    match command.program.name() {
        // `rm -r LINK/` empties the folder.
        Some("grm" | "rm") => {
            let is_inside = |word: &Word| {
                let end = word.certain_end();
                end.ends_with('/') || end.ends_with("/.")
            };
            !command.arguments().iter().any(is_inside)
        }
        Some("gln" | "gmv" | "ln" | "mv" | "rmdir" | "unlink") => true,
        _ => false,
    }
}

impl PathWord {
    /// Returns the other paths of a file whose path leads through links that the line makes.
    pub(crate) fn through_links(&self, command: &Command, line: &Line<'_>) -> Vec<Self> {
        self.through_links_of_others(keeps_links(command), command, line)
    }

    /// Returns the other paths of the folder of a file: a link at its end is followed.
    pub(super) fn through_links_to_folder(&self, command: &Command, line: &Line<'_>) -> Vec<Self> {
        self.through_links_of_others(false, command, line)
    }

    fn through_links_of_others(&self, keeps_links: bool, command: &Command, line: &Line<'_>) -> Vec<Self> {
        let links = line.links.get_or_init(|| Link::all(line));
        let mut found: Vec<Self> = Vec::new();
        if links.is_empty() {
            return found;
        }
        let mut next = 0;
        loop {
            let path = if next == 0 { self } else { &found[next - 1] };
            let others = links.iter().filter(|link| link.made_by != command.span);
            let new: Vec<Self> =
                others.filter_map(|link| path.through(&link.path, &link.target, keeps_links)).collect();
            for path in new {
                if path == *self || found.contains(&path) {
                    continue;
                }
                if found.len() >= MAX_PATHS {
                    line.lookups.as_ref().inspect(|lookups| lookups.exhaust());
                    return found;
                }
                found.push(path);
            }
            next += 1;
            if next > found.len() {
                return found;
            }
        }
    }
}
