//! The form that git makes of a command, by what is in the repository: the branch that a name overwrites, and a folder that git takes
//! for a repository although it is not called `.git`.

use std::borrow::Cow;

use crate::judge::components::PathWord;
use crate::judge::line::Line;
use crate::judge::lookups::Lookups;
use crate::reading::Command;
use crate::syntax::{Part, Word};

/// The maximum size of a file in which git lists its branches, in bytes.
const MAX_BYTES: usize = 1 << 20;
/// The maximum number of folders above a directory in which a repository is looked for.
const MAX_FOLDERS: usize = 64;
/// What is in the folder of a repository.
const PARTS: &[&str] = &["HEAD", "objects", "refs"];

/// Returns a command of git in the form in which the repository makes its effect visible. `None` if it is the same.
pub(super) fn form(line: &Line<'_>, command: &Command) -> Option<Command> {
    let lookups = line.lookups.as_ref()?;
    let name = command.program.name()?;
    if line.programs.get(name).map_or(name, |program| if program.name.is_empty() { name } else { program.name })
        != "git"
    {
        return None;
    }
    let directory = directory(line, command)?;
    let found = Repository::of(&directory, lookups)?;
    if found.is_bare && found.is_below_start(line) {
        let mut form = command.clone();
        form.words.insert(1, Word::plain(&format!("--git-dir={}/.", found.folder), command.span));
        return Some(form);
    }
    let forced = Forced::of(command)?;
    found.overwrites(&forced.branch, lookups).then_some(forced.form)
}

/// Returns the directory in which git looks for a repository: `git -C FOLDER -C FOLDER`.
fn directory(line: &Line<'_>, command: &Command) -> Option<String> {
    let mut path = PathWord::new(&Word::plain(".", command.span), command, line);
    let mut words = command.words.iter().skip(1);
    while let Some(option) = words.next().and_then(Word::text).filter(|text| text.starts_with('-')) {
        match &*option {
            "-C" => {
                let folder = words.next()?;
                let is_relative =
                    matches!(folder.parts.first(), Some(Part::Literal { text, .. }) if !text.starts_with('/'));
                path = if is_relative { path.relative(folder, line) } else { PathWord::new(folder, command, line) };
            }
            "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--config-env" | "--super-prefix" => {
                words.next();
            }
            _ => {}
        }
    }
    path.text()
}

/// The repository in which a command acts.
struct Repository {
    /// The folder with its settings.
    folder: String,
    /// Whether it has no folder `.git`.
    is_bare: bool,
}

impl Repository {
    /// Returns the repository that git finds from a directory.
    fn of(directory: &str, lookups: &Lookups<'_>) -> Option<Self> {
        let mut directory = directory.trim_end_matches('/');
        for _ in 0..MAX_FOLDERS {
            let folder = format!("{directory}/.git");
            match lookups.entry(&folder) {
                Some(crate::Entry::File { .. }) => {
                    let text = lookups.text(&folder, MAX_BYTES)?;
                    let target = text.strip_prefix("gitdir:")?.trim();
                    return Some(Self { folder: joined(directory, target), is_bare: false });
                }
                Some(_) => return Some(Self { folder, is_bare: false }),
                None => {}
            }
            if !directory.ends_with("/.git")
                && PARTS.iter().all(|part| lookups.entry(&format!("{directory}/{part}")).is_some())
            {
                return Some(Self { folder: directory.to_owned(), is_bare: true });
            }
            directory = directory.rsplit_once('/')?.0;
        }
        None
    }

    /// Returns whether the line starts outside of the repository. One in which it starts is that of the user.
    fn is_below_start(&self, line: &Line<'_>) -> bool {
        !format!("{}/", line.start_path()).starts_with(&format!("{}/", self.folder))
    }

    /// Returns whether a branch exists, and is not the current one.
    fn overwrites(&self, branch: &str, lookups: &Lookups<'_>) -> bool {
        let read = |folder: &str, file: &str| lookups.text(&format!("{folder}/{file}"), MAX_BYTES);
        let reference = format!("refs/heads/{branch}");
        let is_current = |head: String| head.strip_prefix("ref:").is_some_and(|name| name.trim() == reference);
        if read(&self.folder, "HEAD").is_some_and(is_current) {
            return false;
        }
        // A worktree has its branches in the folder of the repository.
        let shared = read(&self.folder, "commondir")
            .map_or_else(|| self.folder.clone(), |path| joined(&self.folder, path.trim()));
        let is_packed = |list: String| list.lines().any(|line| line.split(' ').nth(1) == Some(reference.as_str()));
        lookups.entry(&format!("{shared}/{reference}")).is_some()
            || lookups.entry(&format!("{shared}/reftable")).is_some()
            || lookups.entry(&format!("{shared}/packed-refs")).is_some()
                && read(&shared, "packed-refs").is_none_or(is_packed)
    }
}

/// A command that moves or copies a branch onto another one by force.
struct Forced {
    /// The other branch.
    branch: String,
    /// The command with both branches, as `branch -M FROM TO`.
    form: Command,
}

impl Forced {
    fn of(command: &Command) -> Option<Self> {
        let texts: Vec<Option<Cow<'_, str>>> = command.words.iter().map(Word::text).collect();
        let start = texts.iter().position(|text| text.as_deref() == Some("branch"))? + 1;
        let has = |names: &[&str]| texts[start..].iter().flatten().any(|text| names.contains(&&**text));
        let is_forced = has(&["-M", "-C", "-mf", "-fm", "-cf", "-fc"])
            || has(&["-m", "-c", "--move", "--copy"]) && has(&["-f", "--force"]);
        let is_operand = |index: &usize| texts[*index].as_ref().is_none_or(|text| !text.starts_with('-'));
        let operands: Vec<usize> = (start..texts.len()).filter(is_operand).collect();
        let (from, to) = match operands.as_slice() {
            [to] => (None, *to),
            [from, to] => (Some(*from), *to),
            _ => return None,
        };
        let branch = texts[to].as_ref().filter(|_| is_forced)?.clone().into_owned();
        let mut form = command.clone();
        let plain = |text| Word::plain(text, command.span);
        let from = from.map_or_else(|| plain("HEAD"), |from| command.words[from].clone());
        form.words.truncate(start);
        form.words.extend([plain("-M"), from, command.words[to].clone()]);
        Some(Self { branch, form })
    }
}

/// Returns a path, which can be relative to a folder.
fn joined(folder: &str, path: &str) -> String {
    if path.starts_with('/') { path.to_owned() } else { format!("{folder}/{path}") }
}
