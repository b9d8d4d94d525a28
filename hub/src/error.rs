//! Why the hub has not done what a person asked for.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::bundle::{BundleError, Digest};
use crate::fault::SourceError;
use crate::foreign::ForeignOwner;
use crate::judge::Refused;
use crate::name::SkillName;

/// Why the hub has not done what a person asked for. What was on the disk is unchanged.
#[derive(Debug)]
#[non_exhaustive]
pub enum HubError {
    /// The source has no such skill for us.
    Source(SourceError),
    /// The guard refuses the skill.
    Refused(String, Refused),
    /// No folder can have this name.
    Name(String),
    /// The hub has already installed a skill of this name, from this source.
    Installed(SkillName, String),
    /// The hub has not installed a skill of this name.
    NotInstalled(SkillName),
    /// Something that the hub does not own is at this path. The lock of another program, if that has installed it.
    Occupied(PathBuf, Option<Box<ForeignOwner>>),
    /// A path leads through a link, which the hub does not write through.
    Link(PathBuf),
    /// The files of a skill are not those in the lock.
    Digest {
        /// The skill.
        name: SkillName,
        /// The digest in the lock.
        expected: Digest,
        /// The digest of the files.
        got: Digest,
    },
    /// A file of the hub is damaged.
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A file of a skill has changed since the plan was made.
    Stale(PathBuf),
    /// The files cannot be a skill.
    Bundle(PathBuf, BundleError),
    /// No change is left that can be undone.
    NothingToUndo,
    /// No change that can be undone has this number.
    NoChange(u64),
    /// A change cannot be undone, because a skill has changed since. What it was, the skill, and the later change with its number.
    ChangedSince(String, SkillName, Option<(String, u64)>),
    /// The other skills of a change have this number of bytes, which is the most.
    TooMuch(usize),
    /// A change could not be completed, and all of it was undone. What it was, and why.
    RolledBack(String, String),
    /// A change could neither be completed nor undone; the next command tries again. What it was, and why.
    Unfinished(String, String),
    /// Another process changes the skills.
    Busy,
    /// A file or a folder cannot be read or written.
    Io {
        /// What failed, such as "write".
        action: &'static str,
        /// The file or the folder.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl HubError {
    /// Returns a function that adds an action and a path to an error.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Io { action, path, error }
    }
}

impl From<SourceError> for HubError {
    fn from(error: SourceError) -> Self {
        Self::Source(error)
    }
}

impl fmt::Display for HubError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(error) => fmt::Display::fmt(error, f),
            Self::Refused(name, refused) => {
                write!(f, "the guard refuses `{name}`:")?;
                refused.findings.iter().try_for_each(|finding| write!(f, "\n  {finding}"))
            }
            Self::Name(reason) => write!(f, "the skill has no usable name: {reason}; choose one"),
            Self::Installed(name, source) => {
                write!(f, "`{name}` is already installed, from {source}: update or uninstall it")
            }
            Self::NotInstalled(name) => write!(f, "the hub has not installed a skill `{name}`"),
            Self::Occupied(path, owner) => occupied(f, path, owner.as_deref()),
            Self::Link(path) => {
                write!(
                    f,
                    "{} is a link, and the hub does not write through links: replace it by a folder",
                    path.display()
                )
            }
            Self::Digest { name, expected, got } => write!(
                f,
                "the files of `{name}` are not those in the lock: expected {expected}, but the source has {got}; nothing was installed"
            ),
            Self::Damaged { path, line, reason } => write!(
                f,
                "{}:{line}: {reason}; correct the file, or move it away, and nothing is changed until then",
                path.display()
            ),
            Self::Stale(path) => {
                write!(f, "{} was changed after the update was shown: run the update again", path.display())
            }
            Self::Bundle(path, error) => write!(f, "{} is not a skill: {error}", path.display()),
            Self::NothingToUndo => f.write_str("no change of the hub is left to undo"),
            Self::NoChange(id) => write!(f, "the hub has no change {id} that can be undone"),
            Self::ChangedSince(what, name, later) => changed_since(f, what, name, later.as_ref()),
            Self::TooMuch(bytes) => write!(
                f,
                "the skills before it have {} MiB, the most that is installed at once: run the command again for the others",
                bytes >> 20
            ),
            Self::RolledBack(what, reason) => write!(f, "failed to {what}, and all of it was undone: {reason}"),
            Self::Unfinished(what, reason) => {
                write!(
                    f,
                    "failed to {what}, and to undo it: {reason}; mend that, and the next command of the hub finishes"
                )
            }
            Self::Busy => f.write_str("another process changes the skills: try again when it has finished"),
            Self::Io { action, path, error } => write!(f, "failed to {action} {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for HubError {}

fn occupied(f: &mut fmt::Formatter<'_>, path: &Path, owner: Option<&ForeignOwner>) -> fmt::Result {
    let path = path.display();
    match owner {
        None => write!(f, "{path} exists, and was not installed by the hub: move it away, or choose another name"),
        Some(ForeignOwner { lock, skill }) => write!(
            f,
            "{path} belongs to another program, which has installed it from {} and lists it in {}: remove it with that program, or choose \
             another name",
            skill.source,
            lock.display()
        ),
    }
}

fn changed_since(
    f: &mut fmt::Formatter<'_>,
    what: &str,
    name: &SkillName,
    later: Option<&(String, u64)>,
) -> fmt::Result {
    write!(f, "`{what}` cannot be undone, because ")?;
    match later {
        Some((later, id)) => write!(f, "`{later}` has changed `{name}` since: undo the change {id} first"),
        None => write!(
            f,
            "the entry of `{name}` in the lock is not the one that it has written: uninstall the skill, and install it again"
        ),
    }
}
