//! The form that git makes of a command, by what is in the repository: the branch that a name overwrites, and a folder that git takes
//! for a repository although it is not called `.git`.

use std::borrow::Cow;

use crate::judge::components::PathWord;
use crate::judge::line::Line;
use crate::judge::lookups::Lookups;
use crate::judge::sources::is_written;
use crate::judge::subject::Subject;
use crate::judge::writes::{in_folder, url_name};
use crate::reading::Command;
use crate::syntax::{CommandId, Part, Word};

/// The maximum size of a file in which git lists its branches, in bytes.
const MAX_BYTES: usize = 1 << 20;
/// The maximum number of folders above a directory in which a repository is looked for.
const MAX_FOLDERS: usize = 64;
/// What is in the folder of a repository.
const PARTS: &[&str] = &["HEAD", "objects", "refs"];

/// Returns a command of git in the form in which the repository makes its effect visible. `None` if it is the same.
pub(super) fn form(line: &Line<'_>, command: &Command) -> Option<Command> {
    // Without a file system, only another command of the line can make a repository.
    let can_differ = line.lookups.is_some() || line.reading.commands.len() > 1;
    if !can_differ || !is_git(line, command) {
        return None;
    }
    if let Some(directory) = directory(line, command) {
        return form_in(line, command, &directory);
    }
    // After a `cd` that may not run, git can act in any folder to which the line goes.
    let here = Word::plain(".", command.span);
    let visited = PathWord::in_visited(&here, command, line);
    visited.iter().filter_map(PathWord::text).find_map(|directory| form_in(line, command, &directory))
}

/// Returns the form of a command of git in a directory.
fn form_in(line: &Line<'_>, command: &Command, directory: &str) -> Option<Command> {
    if let Some(folder) = made_folder(line, directory) {
        return Some(with_folder(command, &folder));
    }
    let lookups = line.lookups.as_ref()?;
    let found = Repository::of(directory, lookups)?;
    if found.is_bare && found.is_below_start(line) {
        return Some(with_folder(command, &found.folder));
    }
    let forced = Forced::of(command)?;
    found.overwrites(&forced.branch, lookups).then_some(forced.form)
}

fn is_git(line: &Line<'_>, command: &Command) -> bool {
    let name = command.program.name().unwrap_or_default();
    line.programs.get(name).map_or(name, |program| if program.name.is_empty() { name } else { program.name }) == "git"
}

/// Returns the command with the option that names the folder of its repository.
fn with_folder(command: &Command, folder: &str) -> Command {
    let mut form = command.clone();
    form.words.insert(1, Word::plain(&format!("--git-dir={folder}/."), command.span));
    form
}

/// Returns the folder that git takes for a bare repository in a directory, if the line has made it: its settings are those of the line.
fn made_folder(line: &Line<'_>, directory: &str) -> Option<String> {
    let is_below_start = |folder: &&str| {
        format!("{folder}/").starts_with(&format!("{}/", line.start_path().trim_end_matches('/')))
            && *folder != line.start_path()
    };
    if line.reading.commands.len() < 2 || !is_below_start(&directory) {
        return None;
    }
    let folders = std::iter::successors(Some(directory), |folder| Some(folder.rsplit_once('/')?.0));
    for folder in folders.take_while(is_below_start).take(MAX_FOLDERS) {
        let is_made = is_written(line, &format!("{folder}/HEAD"))
            || is_written(line, &format!("{folder}/config")) && line.ids().any(|id| makes_bare(line, id, folder));
        if is_made || line.ids().any(|id| copies_bare(line, id, folder)) {
            return Some(folder.to_owned());
        }
    }
    None
}

/// Returns whether a command is `git init --bare FOLDER` or the like.
fn makes_bare(line: &Line<'_>, id: CommandId, folder: &str) -> bool {
    let command = line.reading.command(id);
    let has = |names: &[&str]| command.words.iter().any(|word| word.text().is_some_and(|text| names.contains(&&*text)));
    let is_folder = |word: &Word| PathWord::new(word, command, line).text().as_deref() == Some(folder);
    is_git(line, command)
        && has(&["init", "clone"])
        && has(&["--bare", "--mirror"])
        && command.words.last().is_some_and(is_folder)
}

/// Returns whether a command copies or moves a bare repository to this folder.
fn copies_bare(line: &Line<'_>, id: CommandId, folder: &str) -> bool {
    let (command, Some(lookups)) = (line.reading.command(id), &line.lookups) else { return false };
    if !matches!(command.program.name(), Some("cp" | "gcp" | "gmv" | "mv" | "rsync")) {
        return false;
    }
    let subject = Subject::new(line, id);
    let mut sources: Vec<&Word> = subject.operands().collect();
    let Some(last) = sources.pop() else { return false };
    let path = |word: &Word| PathWord::new(word, command, line).text();
    sources.iter().any(|source| {
        let below = url_name(source).and_then(|name| path(&in_folder(last, &name)));
        [path(last), below].iter().flatten().any(|target| target == folder)
            && path(source)
                .and_then(|source| Repository::of(&source, lookups).filter(|found| found.folder == source))
                .is_some_and(|found| found.is_bare)
    })
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
                path =
                    if is_relative { path.relative(&folder.parts, line) } else { PathWord::new(folder, command, line) };
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
