//! Why files are not a skill.

use std::fmt;

use super::PathFault;

/// Why files are not a skill, or an archive is not unpacked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BundleError {
    /// A path, as it may be shown, and what is wrong with it.
    Path(String, PathFault),
    /// Two paths that are one on some system.
    Collision(String, String),
    /// More files than this.
    TooManyFiles(usize),
    /// A file with more than this number of bytes.
    FileTooLarge(String, usize),
    /// More than this number of bytes together.
    TooLarge(usize),
    /// The content is more than this number of times larger than the archive.
    Bomb(usize),
    /// A link.
    Link(String),
    /// Neither a file nor a folder, such as a device.
    Special(String),
    /// The file is encrypted.
    Encrypted(String),
    /// The archive is damaged, or of another kind than zip and tar.gz.
    Archive(String),
    /// `SKILL.md` is missing; a file whose name differs in case only.
    NoSkillFile(Option<String>),
    /// The archive has several skills, in these folders.
    SeveralSkills(Vec<String>),
    /// A file that must be UTF-8.
    NotText(String),
    /// A file or folder cannot be read, for this reason.
    Unreadable(String, String),
}

impl BundleError {
    pub(super) fn path(path: &str, fault: PathFault) -> Self {
        // A path that is refused may have characters that change a terminal.
        Self::Path(path.chars().take(200).flat_map(char::escape_debug).collect(), fault)
    }
}

impl fmt::Display for BundleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path, fault) => write!(f, "the path `{path}` cannot be on every system: {fault}"),
            Self::Collision(one, other) => write!(f, "the paths `{one}` and `{other}` are the same on some systems"),
            Self::TooManyFiles(most) => write!(f, "it has more than {most} files"),
            Self::FileTooLarge(path, most) => write!(f, "the file `{path}` has more than {most} bytes"),
            Self::TooLarge(most) => write!(f, "its files have more than {most} bytes together"),
            Self::Bomb(times) => write!(f, "its content is more than {times} times larger than the archive"),
            Self::Link(path) => write!(f, "`{path}` is a link; a skill has only files and folders"),
            Self::Special(path) => write!(f, "`{path}` is neither a file nor a folder"),
            Self::Encrypted(path) => write!(f, "the file `{path}` is encrypted"),
            Self::Archive(reason) => write!(f, "the archive cannot be read as zip or tar.gz: {reason}"),
            Self::NoSkillFile(Some(similar)) => {
                write!(f, "it has no file `SKILL.md`, but `{similar}`: its author must rename it")
            }
            Self::NoSkillFile(None) => f.write_str("it has no file `SKILL.md`"),
            Self::SeveralSkills(folders) => {
                write!(f, "it has several skills, in the folders {}: name one", folders.join(", "))
            }
            Self::NotText(path) => write!(f, "the file `{path}` is not UTF-8"),
            Self::Unreadable(path, reason) => write!(f, "`{path}` cannot be read: {reason}"),
        }
    }
}

impl std::error::Error for BundleError {}
