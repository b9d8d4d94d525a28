//! Publishes a skill of this machine: checks it, packs it, and proposes it to a repository of GitHub.
//!
//! ClawHub is left out: its API documents the address for a new version, but not the fields of the payload.

use std::fmt;
use std::path::Path;

use toolc_redact::Redactor;

use super::Hub;
use crate::bundle::{Bundle, Limits, SKILL_FILE, zip};
use crate::error::HubError;
use crate::identifier::Repository;
use crate::judge::{Accepted, Refused};
use crate::name::SkillName;
use crate::source::{Commit, PullRequest, join_names};
use crate::trust::Trust;
use crate::web::line;

/// The maximum length of a description, in characters (agentskills.io).
const MAX_DESCRIPTION: usize = 1_024;

/// What keeps a skill from being published.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The name in `SKILL.md` is not one.
    Name(String),
    /// The name in `SKILL.md`, and the other name of the folder.
    Folder(String, String),
    /// The description is missing.
    NoDescription,
    /// The description has more characters than this.
    LongDescription(usize),
    /// A file has something that looks like a password or a key.
    Secret(String),
    /// The guard of those who install it refuses it.
    Refused(Refused),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(reason) => write!(f, "{SKILL_FILE}: `name`: {reason}"),
            Self::Folder(name, folder) => {
                write!(f, "{SKILL_FILE}: the name is `{name}`, but the folder is `{folder}`: they must be equal")
            }
            Self::NoDescription => {
                write!(f, "{SKILL_FILE}: `description` is missing: say what the skill does and when to use it")
            }
            Self::LongDescription(most) => write!(f, "{SKILL_FILE}: `description` has more than {most} characters"),
            Self::Secret(path) => write!(f, "{path}: it has something that looks like a password or a key: remove it"),
            Self::Refused(refused) => {
                f.write_str("the guard refuses it:")?;
                refused.findings.iter().try_for_each(|finding| write!(f, "\n  {finding}"))
            }
        }
    }
}

/// A skill that can be published.
#[derive(Debug, Clone)]
pub struct Package {
    /// The name.
    pub name: SkillName,
    /// The files.
    pub bundle: Bundle,
    /// What the guard wants the author to know.
    pub notes: Accepted,
}

impl Package {
    /// Returns a zip of the files.
    ///
    /// # Errors
    /// If it cannot be written, which does not happen within the limits of a bundle.
    pub fn archive(&self) -> std::io::Result<Vec<u8>> {
        zip(&self.bundle)
    }
}

impl Hub {
    /// Checks a folder as those will who install it.
    ///
    /// # Errors
    /// If the folder cannot be a skill. What its author can correct is the inner error: all problems at once.
    pub fn package(&self, folder: &Path) -> Result<Result<Package, Vec<Problem>>, HubError> {
        let wrong = |error| HubError::Bundle(folder.to_owned(), error);
        let bundle = Bundle::read(folder, &Limits::default()).map_err(wrong)?;
        let heading = bundle.heading();
        let mut problems = Vec::new();
        let name = published_name(&heading.name);
        let absolute = std::fs::canonicalize(folder).map_err(HubError::io("read", folder))?;
        let own = absolute.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        match &name {
            Ok(name) if name.as_str() != own => problems.push(Problem::Folder(name.to_string(), own)),
            Ok(_) => {}
            Err(reason) => problems.push(Problem::Name(reason.clone())),
        }
        match heading.description.chars().count() {
            0 => problems.push(Problem::NoDescription),
            length if length > MAX_DESCRIPTION => problems.push(Problem::LongDescription(MAX_DESCRIPTION)),
            _ => {}
        }
        problems.extend(secrets(&bundle));
        let verdict = self.judge.judge(&bundle, Trust::Community);
        Ok(match (name, verdict) {
            (Ok(name), Ok(notes)) if problems.is_empty() => Ok(Package { name, bundle, notes }),
            (_, verdict) => {
                problems.extend(verdict.err().map(Problem::Refused));
                Err(problems)
            }
        })
    }

    /// Proposes a skill to a repository of GitHub: a branch `skill/NAME-DIGEST` with the files below `folder`, and a pull request to the
    /// default branch.
    ///
    /// # Errors
    /// If there is no token that may write to the repository, or the same files were already proposed. For a repository of others, fork
    /// it, and name the fork.
    pub fn publish(&self, package: &Package, repository: &Repository, folder: &str) -> Result<PullRequest, HubError> {
        let name = &package.name;
        let digest = package.bundle.digest().to_string();
        let description = line(&package.bundle.heading().description, MAX_DESCRIPTION);
        let commit = Commit {
            bundle: &package.bundle,
            folder: &join_names(folder.trim_matches('/'), name.as_str()),
            branch: &format!("skill/{name}-{}", &digest["sha256:".len()..][..8]),
            title: &format!("Add the skill {name}"),
            text: &format!("{description}\n\nDigest: `{digest}`\n"),
        };
        Ok(self.sources.github().publish(repository, &commit)?)
    }
}

/// Reads a name that every program accepts: agentskills.io allows letters, digits and single hyphens inside.
fn published_name(text: &str) -> Result<SkillName, String> {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let name: SkillName = text.parse()?;
    let is_portable = text.bytes().all(is_part) && !text.contains("--") && !text.ends_with('-');
    if is_portable {
        Ok(name)
    } else {
        Err(format!("`{text}` must have only letters, digits, and single hyphens inside"))
    }
}

/// Returns the files with a text that has the format of a vendor's key.
fn secrets(bundle: &Bundle) -> Vec<Problem> {
    let has_secret = |text: &str| Redactor::new([], [text.to_owned()]).text(text) != text;
    let files = bundle.files().iter().filter(|file| str::from_utf8(&file.bytes).is_ok_and(has_secret));
    files.map(|file| Problem::Secret(file.path.clone())).collect()
}
