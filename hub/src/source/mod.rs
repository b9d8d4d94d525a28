//! Where skills are from. Each source is an adapter in a file of its own.

mod clawhub;
mod folder;
mod github;
mod lobehub;
mod marketplace;
mod skills_sh;
mod sources;
mod url;
mod wellknown;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use clawhub::ClawHub;
pub use folder::Folder;
pub use github::{AppAuth, GitHub, GitHubAuth, GitHubHost, InvalidKey, PullRequest};
pub use lobehub::LobeHub;
pub use marketplace::Marketplace;
pub use skills_sh::SkillsSh;
pub use sources::{Found, Settings, Sources};
pub use url::UrlSource;
pub use wellknown::WellKnown;

pub(crate) use github::{Commit, join_names};

use crate::bundle::{Bundle, GitId};
use crate::fault::{SourceError, SourceFault};
use crate::identifier::Identifier;
use crate::trust::Trust;

/// A kind of source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SourceKind {
    /// Folders in repositories of GitHub.
    GitHub,
    /// Claude marketplaces.
    Marketplace,
    /// clawhub.ai.
    ClawHub,
    /// Agents of lobehub.com.
    LobeHub,
    /// The search of skills.sh. What it finds is on GitHub.
    #[serde(rename = "skills.sh")]
    SkillsSh,
    /// Lists of skills that sites publish.
    #[serde(rename = "well-known")]
    WellKnown,
    /// Single files and archives.
    Url,
    /// Folders on this machine.
    Folder,
}

impl fmt::Display for SourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::GitHub => "GitHub",
            Self::Marketplace => "a Claude marketplace",
            Self::ClawHub => "ClawHub",
            Self::LobeHub => "LobeHub",
            Self::SkillsSh => "skills.sh",
            Self::WellKnown => "the list of a site",
            Self::Url => "an address",
            Self::Folder => "a folder",
        })
    }
}

/// A skill that a search has found. Its texts are from outside, on one line each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// What to install.
    pub id: Identifier,
    /// The name.
    pub name: String,
    /// The description, or nothing.
    pub description: String,
    /// The source.
    pub source: SourceKind,
    /// The trust in the source.
    pub trust: Trust,
    /// The group to which the source assigns it.
    pub group: Option<String>,
    /// The number of installations that the source has counted.
    pub installs: Option<u64>,
}

/// What a source says about a skill, without its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// The skill. If it has the name of several, `contains` lists them.
    pub id: Identifier,
    /// The name.
    pub name: String,
    /// The description, or nothing.
    pub description: String,
    /// The source.
    pub source: SourceKind,
    /// The trust in the source.
    pub trust: Trust,
    /// The commit or the version that would be installed now.
    pub version: String,
    /// The page for people.
    pub url: String,
    /// The paths and sizes of the files, if the source says them.
    pub files: Vec<(String, u64)>,
    /// The skills of a plugin or a repository with several.
    pub contains: Vec<Identifier>,
    /// What a person must know, such as that the source finds it suspicious.
    pub warnings: Vec<String>,
}

/// Where the files of a skill are from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The source.
    pub source: SourceKind,
    /// The skill at its newest version: an update asks for it. A branch or a tag that a person has named is part of it.
    pub id: Identifier,
    /// The address at which a person can see these files.
    pub url: String,
    /// The path in the repository or the archive. Empty for its root.
    pub path: String,
    /// The commit or the version. A source without versions has the digest of the files.
    pub version: String,
    /// The name of the folder for git, if it is in a repository.
    pub tree: Option<GitId>,
    /// The trust in the source at this commit.
    pub trust: Trust,
    /// Whether the files were made from something else than a skill.
    pub is_converted: bool,
    /// What a person must know.
    pub warnings: Vec<String>,
}

/// The files of a skill, and where they are from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The files.
    pub bundle: Bundle,
    /// Where they are from.
    pub origin: Origin,
}

/// A source of skills.
pub trait Source: Send + Sync {
    /// Returns the kind.
    fn kind(&self) -> SourceKind;

    /// Returns at most `limit` skills that fit a query, the best first. A source that cannot be searched has none.
    ///
    /// # Errors
    /// If the source cannot be asked.
    fn search(&self, query: &str, limit: usize) -> Result<Vec<Hit>, SourceError>;

    /// Returns what the source says about a skill.
    ///
    /// # Errors
    /// If the skill does not exist, or the source cannot be asked.
    fn inspect(&self, id: &Identifier) -> Result<Description, SourceError>;

    /// Returns the files of a skill: at `version`, or the newest.
    ///
    /// # Errors
    /// If the skill or the version does not exist, the source cannot be asked, or the files are not a skill.
    fn fetch(&self, id: &Identifier, version: Option<&str>) -> Result<Fetched, SourceError>;
}

/// Returns the error of a source for an identifier of another one.
pub(crate) fn not_of(source: SourceKind, id: &Identifier) -> SourceError {
    SourceError::new(id, SourceFault::Unsupported(format!("{source} has no such identifiers")))
}

/// Returns whether a skill has all words of a query, and how well it fits: lower is better.
pub(crate) fn rank(query: &str, name: &str, description: &str) -> Option<u8> {
    let (query, name) = (query.to_lowercase(), name.to_lowercase());
    let text = format!("{name} {}", description.to_lowercase());
    let has_all = query.split_whitespace().all(|word| text.contains(word));
    has_all.then(|| match query.trim() {
        query if name == query => 0,
        query if name.contains(query) => 1,
        _ => 2,
    })
}

#[cfg(test)]
mod tests {
    use super::rank;

    #[test]
    fn a_skill_fits_if_it_has_all_words() {
        assert_eq!(rank("PDF", "pdf", ""), Some(0));
        assert_eq!(rank("pdf", "pdf-tools", ""), Some(1));
        assert_eq!(rank("read pdf", "documents", "Reads PDF files"), Some(2));
        assert_eq!(rank("read word", "documents", "Reads PDF files"), None);
        assert_eq!(rank("", "any", ""), Some(1));
    }
}
