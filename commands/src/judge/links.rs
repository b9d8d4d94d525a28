//! The links that a line makes: what is written to `x/passwd` after `ln -s /etc x` is written to `/etc/passwd`.

use std::borrow::Cow;

use crate::judge::components::PathWord;
use crate::judge::flow::Link;
use crate::judge::line::Line;
use crate::judge::subject::Subject;
use crate::judge::writes::{in_folder, url_name};
use crate::reading::Command;
use crate::syntax::Word;

/// The maximum number of links that are followed.
const MAX_LINKS: usize = 16;
/// The maximum number of paths that one path can lead to.
const MAX_PATHS: usize = 16;

impl Link {
    /// Returns the links that a line makes.
    fn all(line: &Line<'_>) -> Vec<Self> {
        let mut links = Vec::new();
        for id in line.ids() {
            let is_source = match line.reading.command(id).program.name() {
                _ if makes_links(line.reading.command(id)) => true,
                // What was in a folder that gets another name is below that name.
                Some("mv" | "gmv" | "mount") => true,
                Some("cp" | "gcp") => {
                    let subject = Subject::new(line, id);
                    subject.has_option(&["-l", "-s", "--link", "--symbolic-link"])
                }
                _ => false,
            };
            if is_source {
                Self::of_command(&Subject::new(line, id), &mut links);
            }
        }
        links
    }

    fn of_command(subject: &Subject<'_>, links: &mut Vec<Self>) {
        let (command, line) = (subject.command, subject.line);
        let mut targets: Vec<&Word> = subject.operands().collect();
        let folder = subject.values(&["-t", "--target-directory"]).next();
        let last = match folder {
            Some(folder) => Some(folder),
            None if targets.len() > 1 => targets.pop().map(Cow::Borrowed),
            // `ln -s TARGET` makes a link in the working directory.
            None => None,
        };
        for target in targets {
            let in_last = url_name(target).map(|name| match &last {
                Some(folder) => in_folder(folder, &name),
                None => name,
            });
            for path in last.as_deref().into_iter().chain(&in_last) {
                if links.len() >= MAX_LINKS {
                    return;
                }
                let path = PathWord::new(path, command, line);
                // A relative target begins in the folder of the link, or in the working directory for a hard link.
                let targets = [path.sibling(target), Some(PathWord::new(target, command, line))];
                let targets = targets.into_iter().flatten();
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
    matches!(command.program.name(), Some("gln" | "gmv" | "grm" | "ln" | "mv" | "rm" | "rmdir" | "unlink"))
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
                if found.len() < MAX_PATHS && path != *self && !found.contains(&path) {
                    found.push(path);
                }
            }
            next += 1;
            if next > found.len() {
                return found;
            }
        }
    }
}
