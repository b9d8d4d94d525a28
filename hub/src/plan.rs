//! What an update changes, before it does.
//!
//! Three versions of a file count: the installed one (base), the one on the disk now (local), and the one that the source has now (upstream).

use std::collections::BTreeSet;

use crate::bundle::{Bundle, BundleFile, Digest, LocalFiles, OddFile};
use crate::judge::Refused;
use crate::merge::{diff, merge};
use crate::name::SkillName;
use crate::source::Fetched;

/// How a skill differs from what was installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateState {
    /// Neither the files on the disk nor the files of the source have changed.
    Unchanged,
    /// The source has changed.
    UpstreamMoved,
    /// The files on the disk have changed.
    EditedLocally,
    /// Both have changed.
    Both,
    /// The folder is missing: the lock can restore it.
    Missing,
    /// The source does not have the skill any more. It stays installed.
    RemovedUpstream,
}

/// What an update does with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileAction {
    /// Adds it.
    Add,
    /// Replaces it: it was not edited.
    Replace,
    /// Removes it: it was not edited, and the source does not have it any more.
    Remove,
    /// Merges the changes of both sides.
    Merge,
    /// Leaves it, since both sides have changed it in ways that do not fit together. The file next to it with the version of the source, if
    /// the source still has one.
    Conflict(Option<String>),
}

/// A file that an update changes, or in which it finds a conflict. Files that were only edited locally are left as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The path in the folder of the skill.
    pub path: String,
    /// What happens.
    pub action: FileAction,
    /// From the file on the disk to its new content, or to the version of the source, as a unified diff.
    pub diff: String,
    /// The content that the file on the disk must still have, and whether it can be run.
    pub(crate) before: Option<(Vec<u8>, bool)>,
    /// What is written, and where.
    pub(crate) write: Option<BundleFile>,
}

impl FileChange {
    /// Returns whether the file itself is moved away.
    pub(crate) fn takes(&self) -> bool {
        self.before.is_some() && !matches!(self.action, FileAction::Conflict(_))
    }
}

/// What an update of a skill changes.
#[derive(Debug, Clone)]
pub struct UpdatePlan {
    /// The skill.
    pub name: SkillName,
    /// How it differs from what was installed.
    pub state: UpdateState,
    /// The installed commit or version.
    pub from: String,
    /// The commit or version of the source. Empty if it was not asked.
    pub to: String,
    /// The files, sorted by their paths.
    pub files: Vec<FileChange>,
    /// What is in the folder and cannot be part of a skill, such as links. It is left as it is.
    pub odd: Vec<OddFile>,
    /// Why the guard refuses the new version, unless a person accepts the findings.
    pub refused: Option<Refused>,
    pub(crate) fetched: Option<Fetched>,
    /// The digest in the lock for which the plan was made.
    pub(crate) locked: Digest,
}

impl UpdatePlan {
    /// Returns whether applying the plan changes something.
    pub fn has_update(&self) -> bool {
        matches!(self.state, UpdateState::UpstreamMoved | UpdateState::Both)
    }

    /// Returns the files in which both sides have changed the same.
    pub fn conflicts(&self) -> impl Iterator<Item = &FileChange> {
        self.files.iter().filter(|file| matches!(file.action, FileAction::Conflict(_)))
    }
}

/// Returns what an update does with the files. Without a base, each file that differs is a conflict.
pub(crate) fn changes(base: Option<&Bundle>, local: &LocalFiles, upstream: &Bundle) -> Vec<FileChange> {
    let base_files = base.map(Bundle::files).unwrap_or_default();
    let all: BTreeSet<&str> = base_files.iter().chain(upstream.files()).map(|file| file.path.as_str()).collect();
    // Names next to a file that are free.
    let mut used: BTreeSet<String> = local.files.keys().cloned().collect();
    used.extend(local.odd.iter().map(|odd| odd.path.clone()));
    used.extend(all.iter().map(|path| (*path).to_owned()));
    // A file that is removed leaves room for another one.
    let stays = |name: &str| {
        let is_edited = state(local.files.get(name)) != state(base.and_then(|base| base.file(name)));
        is_edited || upstream.file(name).is_some()
    };
    let change = |path: &str| {
        let parent = file_above(local, path, &stays);
        let sides = Sides {
            base: base.and_then(|base| base.file(path)),
            local: local.files.get(path),
            upstream: upstream.file(path),
            is_blocked: local.odd.iter().any(|odd| odd.path == path)
                || is_folder(local, path, &stays)
                || parent.is_some(),
            parent,
        };
        sides.change(path, &mut used)
    };
    all.into_iter().filter_map(change).collect()
}

/// Returns whether a path is a folder on the disk in which something stays.
fn is_folder(local: &LocalFiles, path: &str, stays: &dyn Fn(&str) -> bool) -> bool {
    let below = format!("{path}/");
    let is_inside = |name: &String| name.starts_with(&below);
    local.odd.iter().any(|odd| is_inside(&odd.path)) || local.files.keys().any(|name| is_inside(name) && stays(name))
}

/// Returns the path of a file, or of something else, that stays where a path needs a folder.
fn file_above<'p>(local: &LocalFiles, path: &'p str, stays: &dyn Fn(&str) -> bool) -> Option<&'p str> {
    let parents = path.match_indices('/').map(|(at, _)| &path[..at]);
    let is_file = |parent: &&str| {
        local.odd.iter().any(|odd| odd.path == **parent) || local.files.contains_key(*parent) && stays(parent)
    };
    parents.into_iter().find(is_file)
}

/// The three versions of a file.
struct Sides<'f> {
    base: Option<&'f BundleFile>,
    local: Option<&'f BundleFile>,
    upstream: Option<&'f BundleFile>,
    /// Whether something else is at the path, such as a link.
    is_blocked: bool,
    /// The path of a file that stays where a folder is needed.
    parent: Option<&'f str>,
}

impl Sides<'_> {
    fn change(&self, path: &str, used: &mut BTreeSet<String>) -> Option<FileChange> {
        let (base, local, upstream) = (state(self.base), state(self.local), state(self.upstream));
        if upstream == base || (upstream == local && !self.is_blocked) {
            return None;
        }
        let made = |action, write: Option<BundleFile>| {
            let (before, after) = (local, state(write.as_ref().or(self.upstream)));
            let diff = diff(path, before.map(|(bytes, _)| bytes), after.map(|(bytes, _)| bytes));
            let diff = mode_diff(path, before, after) + &diff;
            Some(FileChange {
                path: path.to_owned(),
                action,
                diff,
                before: local.map(|(bytes, is_executable)| (bytes.to_vec(), is_executable)),
                write,
            })
        };
        if local == base && !self.is_blocked {
            return match (local, self.upstream) {
                (None, Some(file)) => made(FileAction::Add, Some(file.clone())),
                (_, Some(file)) => made(FileAction::Replace, Some(file.clone())),
                (_, None) => made(FileAction::Remove, None),
            };
        }
        if let Some(merged) = self.merged() {
            return made(FileAction::Merge, Some(merged));
        }
        let next_to = self.upstream.map(|file| {
            let path = match self.parent {
                Some(parent) => {
                    let folder = free(&format!("{parent}.upstream"), used);
                    free(&format!("{folder}{}", &path[parent.len()..]), used)
                }
                None => free(&format!("{path}.upstream"), used),
            };
            used.insert(path.clone());
            BundleFile { path, ..file.clone() }
        });
        made(FileAction::Conflict(next_to.as_ref().map(|file| file.path.clone())), next_to)
    }

    fn merged(&self) -> Option<BundleFile> {
        let (base, local, upstream) = (self.base?, self.local?, self.upstream?);
        let text = |file: &'_ BundleFile| String::from_utf8(file.bytes.clone()).ok();
        let bytes = merge(&text(base)?, &text(local)?, &text(upstream)?)?.into_bytes();
        let is_changed = upstream.state().1 != base.state().1;
        let is_executable = if is_changed { upstream.is_executable } else { local.is_executable };
        Some(BundleFile { path: upstream.path.clone(), bytes, is_executable })
    }
}

/// Returns what counts of a version of a file.
fn state(file: Option<&BundleFile>) -> Option<(&[u8], bool)> {
    file.map(BundleFile::state)
}

/// Returns a line for a file that becomes a program, or ceases to be one, with the modes of git.
fn mode_diff(path: &str, before: Option<(&[u8], bool)>, after: Option<(&[u8], bool)>) -> String {
    match (before, after) {
        (Some((_, false)), Some((_, true))) => format!("{path}: old mode 100644, new mode 100755\n"),
        (Some((_, true)), Some((_, false))) => format!("{path}: old mode 100755, new mode 100644\n"),
        _ => String::new(),
    }
}

/// Returns a name that no file has.
fn free(name: &str, used: &BTreeSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let free = std::iter::once(name.to_owned()).chain(numbered).find(|name| !used.contains(name));
    free.expect("there are infinitely many")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Limits;

    fn files(list: &[(&str, &str)]) -> Vec<BundleFile> {
        let file = |(path, text): &(&str, &str)| BundleFile {
            path: (*path).to_owned(),
            bytes: text.as_bytes().to_vec(),
            is_executable: false,
        };
        [&[("SKILL.md", "s")][..], list].concat().iter().map(file).collect()
    }

    /// Returns the actions, and the files on the disk after them.
    fn updated(
        base: &[(&str, &str)],
        local: &[(&str, &str)],
        upstream: &[(&str, &str)],
    ) -> (Vec<FileAction>, Vec<(String, String)>) {
        let bundle = |list| Bundle::new(files(list), &Limits::default()).expect("it is a skill");
        let mut disk = LocalFiles::default();
        disk.files.extend(files(local).into_iter().map(|file| (file.path.clone(), file)));
        let changes = changes(Some(&bundle(base)), &disk, &bundle(upstream));
        for change in &changes {
            if change.takes() {
                disk.files.remove(&change.path);
            }
            if let Some(file) = &change.write {
                assert!(disk.files.insert(file.path.clone(), file.clone()).is_none(), "{} is replaced", file.path);
            }
        }
        disk.files.remove("SKILL.md");
        let text = |file: BundleFile| (file.path, String::from_utf8(file.bytes).expect("it is text"));
        (changes.into_iter().map(|change| change.action).collect(), disk.files.into_values().map(text).collect())
    }

    #[test]
    fn each_side_keeps_its_changes() {
        let conflict = |path: &str| FileAction::Conflict(Some(path.to_owned()));
        let (three, edited, moved) = ("1\n2\n3\n", "1\n2\nlocal\n", "upstream\n2\n3\n");
        for (base, local, upstream, actions, after) in [
            (&[("a", "1")][..], &[("a", "1")][..], &[("a", "1")][..], vec![], &[("a", "1")][..]),
            (&[("a", "1")], &[("a", "L")], &[("a", "1")], vec![], &[("a", "L")]),
            (&[("a", "1")], &[("a", "1")], &[("a", "U")], vec![FileAction::Replace], &[("a", "U")]),
            (&[], &[], &[("a", "U")], vec![FileAction::Add], &[("a", "U")]),
            (&[("a", "1")], &[("a", "1")], &[], vec![FileAction::Remove], &[]),
            // A file here, and a folder at the source.
            (
                &[],
                &[("a", "mine")],
                &[("a/b", "1"), ("a/c", "2")],
                vec![conflict("a.upstream/b"), conflict("a.upstream/c")],
                &[("a", "mine"), ("a.upstream/b", "1"), ("a.upstream/c", "2")],
            ),
            (&[("a", "1")], &[("a", "1")], &[("a/b", "2")], vec![FileAction::Remove, FileAction::Add], &[("a/b", "2")]),
            (&[("a", "1")], &[("a", "X")], &[("a", "X")], vec![], &[("a", "X")]),
            (
                &[("a", three)],
                &[("a", edited)],
                &[("a", moved)],
                vec![FileAction::Merge],
                &[("a", "upstream\n2\nlocal\n")],
            ),
            (
                &[("a", "1")],
                &[("a", "L")],
                &[("a", "U")],
                vec![conflict("a.upstream")],
                &[("a", "L"), ("a.upstream", "U")],
            ),
            (&[], &[("a", "L")], &[("a", "U")], vec![conflict("a.upstream")], &[("a", "L"), ("a.upstream", "U")]),
            (&[("a", "1")], &[], &[("a", "U")], vec![conflict("a.upstream")], &[("a.upstream", "U")]),
            (&[("a", "1")], &[("a", "L")], &[], vec![FileAction::Conflict(None)], &[("a", "L")]),
            (&[("a", "1")], &[], &[("a", "1")], vec![], &[]),
            (&[], &[("l", "L")], &[("u", "U")], vec![FileAction::Add], &[("l", "L"), ("u", "U")]),
            (
                &[("a", "1")],
                &[("a", "L"), ("a.upstream", "old")],
                &[("a", "U")],
                vec![conflict("a.upstream-2")],
                &[("a", "L"), ("a.upstream", "old"), ("a.upstream-2", "U")],
            ),
            // A folder of the person is where the source has a file now.
            (&[], &[("a/b", "L")], &[("a", "U")], vec![conflict("a.upstream")], &[("a.upstream", "U"), ("a/b", "L")]),
        ] {
            let after: Vec<(String, String)> =
                after.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
            assert_eq!(updated(base, local, upstream), (actions, after), "{base:?} {local:?} {upstream:?}");
        }
    }
}
