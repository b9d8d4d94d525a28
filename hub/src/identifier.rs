//! How people name a skill of a source.
//!
//! | identifier | skill |
//! |---|---|
//! | `openai/skills/pdf` | the skill `pdf` in the repository `openai/skills` of GitHub, in any folder |
//! | `github:OWNER/REPOSITORY/PATH@REF` | the folder `PATH` at a branch, a tag or a commit; without `PATH`, the only skill of the repository |
//! | `https://github.com/OWNER/REPOSITORY/tree/REF/PATH` | the same |
//! | `market:OWNER/REPOSITORY/PLUGIN/SKILL@REF` | a skill of a plugin of a Claude marketplace; without `SKILL`, its only one |
//! | `market:./FOLDER#PLUGIN/SKILL` | the same, of a marketplace in a folder |
//! | `clawhub:SLUG@VERSION` | a skill of ClawHub; without a version, the latest |
//! | `lobehub:ID` | an agent of LobeHub, turned into a skill |
//! | `https://HOST/.well-known/skills/NAME` | a skill that a site lists in its `index.json` |
//! | `https://HOST/PATH#FOLDER` | a `SKILL.md`, or an archive; the folder in it, if it has several skills |
//! | `./FOLDER` | a folder on this machine; also `../FOLDER` and `/FOLDER` |

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use toolc_redact::is_credential;
use url::{Host, Url};

use crate::bundle::check_name;

/// A repository of GitHub.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Repository {
    /// The person or organization.
    pub owner: String,
    /// The name.
    pub name: String,
}

/// Where a Claude marketplace is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum MarketPlace {
    /// In a repository, at a branch, a tag or a commit, or at its default branch.
    Repository(Repository, Option<String>),
    /// In a folder on this machine.
    Folder(PathBuf),
}

/// A skill of a source. [The module](self) documents how it is written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Identifier {
    /// A folder in a repository.
    GitHub {
        /// The repository.
        repository: Repository,
        /// The path of the folder, or only its name. Empty for the only skill of the repository.
        path: String,
        /// A branch, a tag or a commit. `None` for the default branch.
        reference: Option<String>,
    },
    /// A skill of a plugin.
    Market {
        /// The marketplace.
        place: MarketPlace,
        /// The name of the plugin.
        plugin: String,
        /// The name of the skill. `None` if the plugin has one.
        skill: Option<String>,
    },
    /// A skill of ClawHub.
    ClawHub {
        /// Its name there.
        slug: String,
        /// The version. `None` for the latest.
        version: Option<String>,
    },
    /// An agent of LobeHub.
    LobeHub {
        /// Its name there.
        id: String,
    },
    /// A skill that a site lists in `/.well-known/skills/index.json`.
    WellKnown {
        /// The address of the folder of the skill.
        url: Url,
    },
    /// A file or an archive.
    Url {
        /// Its address, without a fragment.
        url: Url,
        /// The folder in the archive.
        folder: Option<String>,
    },
    /// A folder on this machine.
    Folder(PathBuf),
}

impl Identifier {
    /// Returns the same skill, with folders of this machine that are relative to a directory.
    #[must_use]
    pub fn in_directory(&self, directory: &Path) -> Self {
        match self {
            Self::Folder(folder) => Self::Folder(directory.join(folder)),
            Self::Market { place: MarketPlace::Folder(folder), plugin, skill } => Self::Market {
                place: MarketPlace::Folder(directory.join(folder)),
                plugin: plugin.clone(),
                skill: skill.clone(),
            },
            other => other.clone(),
        }
    }
}

/// Why a text does not name a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidIdentifier {
    /// The text, shortened.
    pub text: String,
    /// What is wrong with it, and what to write.
    pub reason: String,
}

impl fmt::Display for InvalidIdentifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` does not name a skill: {}", self.text, self.reason)
    }
}

impl std::error::Error for InvalidIdentifier {}

impl FromStr for Repository {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((owner, name)) = text.split_once('/') else {
            return Err("expected a repository as OWNER/NAME".to_owned());
        };
        let is_owner = !owner.is_empty()
            && owner.len() <= 39
            && !owner.starts_with('-')
            && owner.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        if !is_owner {
            return Err(format!("`{}` is not the name of a person or organization on GitHub", owner.escape_debug()));
        }
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let is_name = !name.is_empty() && name.len() <= 100 && name.bytes().all(is_part) && name != "." && name != "..";
        if !is_name {
            return Err(format!("`{}` is not the name of a repository on GitHub", name.escape_debug()));
        }
        Ok(Self { owner: owner.to_owned(), name: name.to_owned() })
    }
}

impl fmt::Display for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

impl FromStr for Identifier {
    type Err = InvalidIdentifier;

    fn from_str(text: &str) -> Result<Self, InvalidIdentifier> {
        let text = text.trim();
        // An address may have a password before its `@`, and secrets in its parameters.
        let without_parameters = text.split('?').next().unwrap_or_default();
        let shown = if text.contains("://") { without_parameters.rsplit('@').next().unwrap_or_default() } else { text };
        let shown: String = shown.chars().take(200).flat_map(char::escape_debug).collect();
        let invalid = |reason: String| InvalidIdentifier { text: shown.clone(), reason };
        if let Some(rest) = text.strip_prefix("github:") {
            return github(rest).map_err(invalid);
        }
        if let Some(rest) = text.strip_prefix("market:") {
            return market(rest).map_err(invalid);
        }
        if let Some(rest) = text.strip_prefix("clawhub:") {
            return clawhub(rest).map_err(invalid);
        }
        if let Some(id) = text.strip_prefix("lobehub:") {
            return slug(id).map(|id| Self::LobeHub { id }).map_err(invalid);
        }
        if text.starts_with("https://") || text.starts_with("http://") {
            return address(text).map_err(invalid);
        }
        if is_folder(text) {
            return Ok(Self::Folder(PathBuf::from(text)));
        }
        if text.contains('/') && !text.contains(':') {
            return github(text).map_err(invalid);
        }
        Err(invalid(
            "write OWNER/REPOSITORY/SKILL, clawhub:SLUG, lobehub:ID, market:OWNER/REPOSITORY/PLUGIN, https://ADDRESS or ./FOLDER"
                .to_owned(),
        ))
    }
}

fn is_folder(text: &str) -> bool {
    text == "." || text == ".." || text.starts_with("./") || text.starts_with("../") || Path::new(text).is_absolute()
}

/// Reads `OWNER/REPOSITORY/PATH@REF`.
fn github(text: &str) -> Result<Identifier, String> {
    let (text, reference) = with_reference(text)?;
    let (repository, path) = repository_and_path(text)?;
    checked_path(path)?;
    Ok(Identifier::GitHub { repository, path: path.to_owned(), reference })
}

fn repository_and_path(text: &str) -> Result<(Repository, &str), String> {
    let mut slashes = text.match_indices('/').skip(1);
    let (repository, path) = slashes.next().map_or((text, ""), |(at, _)| (&text[..at], &text[at + 1..]));
    Ok((repository.parse()?, path.trim_end_matches('/')))
}

/// Splits at the last `@` that is not at the beginning of a name.
fn with_reference(text: &str) -> Result<(&str, Option<String>), String> {
    let at = text.rfind('@').filter(|at| *at > 0 && !text[..*at].ends_with('/'));
    let Some(at) = at else { return Ok((text, None)) };
    Ok((&text[..at], Some(reference(&text[at + 1..])?)))
}

/// Checks the name of a branch, a tag or a commit (`git check-ref-format`).
fn reference(text: &str) -> Result<String, String> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./+#".contains(&byte);
    let is_valid = !text.is_empty()
        && text.len() <= 200
        && text.bytes().all(is_part)
        && !text.contains("..")
        && !text.contains("//")
        && !text.starts_with(['/', '-', '.'])
        && !text.ends_with(['/', '.']);
    if is_valid {
        Ok(text.to_owned())
    } else {
        Err(format!("`{}` is not a branch, tag or commit", text.escape_debug()))
    }
}

fn checked_path(path: &str) -> Result<(), String> {
    let wrong = |name: &str| check_name(name).err().map(|fault| format!("the path `{path}` is wrong: {fault}"));
    let names = path.split('/').filter(|_| !path.is_empty());
    names.into_iter().find_map(wrong).map_or(Ok(()), Err)
}

/// Reads `OWNER/REPOSITORY/PLUGIN/SKILL@REF` or `FOLDER#PLUGIN/SKILL`.
fn market(text: &str) -> Result<Identifier, String> {
    let in_folder = text.split_once('#').filter(|(folder, _)| is_folder(folder));
    let (place, names) = if let Some((folder, names)) = in_folder {
        (MarketPlace::Folder(PathBuf::from(folder)), names.to_owned())
    } else {
        let (text, reference) = with_reference(text)?;
        let (repository, names) = repository_and_path(text)?;
        (MarketPlace::Repository(repository, reference), names.to_owned())
    };
    let (plugin, skill) = names.split_once('/').map_or((names.as_str(), None), |(plugin, skill)| (plugin, Some(skill)));
    let name =
        |name: &str| check_name(name).map_err(|fault| format!("the name `{}` is wrong: {fault}", name.escape_debug()));
    name(plugin)?;
    skill.map_or(Ok(()), name)?;
    Ok(Identifier::Market { place, plugin: plugin.to_owned(), skill: skill.map(str::to_owned) })
}

fn clawhub(text: &str) -> Result<Identifier, String> {
    let (name, version) = text.split_once('@').map_or((text, None), |(name, version)| (name, Some(version)));
    let version = version.map(|version| {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.+".contains(&byte);
        let is_valid = !version.is_empty() && version.len() <= 64 && version.bytes().all(is_part);
        if is_valid { Ok(version.to_owned()) } else { Err(format!("`{}` is not a version", version.escape_debug())) }
    });
    Ok(Identifier::ClawHub { slug: slug(name)?, version: version.transpose()? })
}

/// Checks a name of ClawHub or LobeHub, which is a part of addresses.
fn slug(text: &str) -> Result<String, String> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let is_valid = !text.is_empty() && text.len() <= 128 && text.bytes().all(is_part) && !text.starts_with('.');
    if is_valid { Ok(text.to_owned()) } else { Err("a name has only letters, digits, `-`, `_` and `.`".to_owned()) }
}

/// Reads an address of GitHub, of a well-known folder, or of a file.
fn address(text: &str) -> Result<Identifier, String> {
    let mut url = Url::parse(text).map_err(|error| error.to_string())?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("an address must not contain a user or a password".to_owned());
    }
    if let Some((name, _)) = url.query_pairs().find(|(name, value)| is_credential(name, value)) {
        let name = name.escape_debug();
        return Err(format!(
            "`{name}` in the address is a secret, and the lock would keep it: download the file, and name its folder"
        ));
    }
    let folder = url.fragment().filter(|folder| !folder.is_empty()).map(str::to_owned);
    url.set_fragment(None);
    let is_github = url.host() == Some(Host::Domain("github.com")) && url.port().is_none();
    let found = if is_github { github_address(url.path())? } else { None };
    if let Some(found) = found {
        return Ok(found);
    }
    let names: Vec<&str> = url.path().trim_end_matches('/').rsplit('/').take(3).collect();
    if let [name, "skills" | "agent-skills", ".well-known"] = names[..]
        && name != "index.json"
    {
        checked_path(name)?;
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&path);
        return Ok(Identifier::WellKnown { url });
    }
    checked_path(folder.as_deref().unwrap_or_default())?;
    Ok(Identifier::Url { url, folder })
}

/// Reads `/OWNER/REPOSITORY` and `/OWNER/REPOSITORY/tree/REF/PATH`. The name of a branch with a slash cannot be distinguished from a path.
fn github_address(path: &str) -> Result<Option<Identifier>, String> {
    let names: Vec<&str> = path.trim_matches('/').split('/').collect();
    let (repository, reference, path) = match names[..] {
        [owner, name] => ([owner, name], None, String::new()),
        [owner, name, "tree", at, ref path @ ..] | [owner, name, "blob", at, ref path @ .., "SKILL.md"] => {
            ([owner, name], Some(at), path.join("/"))
        }
        // Such as an archive.
        _ => return Ok(None),
    };
    let [owner, name] = repository;
    let repository = format!("{owner}/{}", name.strip_suffix(".git").unwrap_or(name)).parse()?;
    checked_path(&path)?;
    let reference = reference.map(self::reference).transpose()?;
    Ok(Some(Identifier::GitHub { repository, path, reference }))
}

impl fmt::Display for Identifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = |reference: &Option<String>| reference.as_ref().map(|name| format!("@{name}")).unwrap_or_default();
        let below = |name: &str| if name.is_empty() { String::new() } else { format!("/{name}") };
        match self {
            Self::GitHub { repository, path, reference } => {
                write!(f, "github:{repository}{}{}", below(path), at(reference))
            }
            Self::Market { place, plugin, skill } => {
                let skill = below(skill.as_deref().unwrap_or_default());
                match place {
                    MarketPlace::Repository(repository, reference) => {
                        write!(f, "market:{repository}/{plugin}{skill}{}", at(reference))
                    }
                    MarketPlace::Folder(folder) => write!(f, "market:{}#{plugin}{skill}", folder.display()),
                }
            }
            Self::ClawHub { slug, version } => write!(f, "clawhub:{slug}{}", at(version)),
            Self::LobeHub { id } => write!(f, "lobehub:{id}"),
            Self::WellKnown { url } | Self::Url { url, folder: None } => write!(f, "{url}"),
            Self::Url { url, folder: Some(folder) } => write!(f, "{url}#{folder}"),
            Self::Folder(path) => write!(f, "{}", path.display()),
        }
    }
}

impl From<Identifier> for String {
    fn from(identifier: Identifier) -> Self {
        identifier.to_string()
    }
}

impl TryFrom<String> for Identifier {
    type Error = InvalidIdentifier;

    fn try_from(text: String) -> Result<Self, InvalidIdentifier> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_written_as_they_are_read() {
        for (text, written) in [
            ("openai/skills/pdf", "github:openai/skills/pdf"),
            ("o/r", "github:o/r"),
            ("github:o/r/a/b@v1.0", "github:o/r/a/b@v1.0"),
            ("o/r/a@feature/x", "github:o/r/a@feature/x"),
            ("o/r/@scope/a", "github:o/r/@scope/a"),
            ("https://github.com/o/r", "github:o/r"),
            ("https://github.com/o/r.git", "github:o/r"),
            ("https://github.com/o/r/tree/main/skills/a", "github:o/r/skills/a@main"),
            ("https://github.com/o/r/blob/main/a/SKILL.md", "github:o/r/a@main"),
            ("https://github.com/o/r/releases/download/v1/a.zip", "https://github.com/o/r/releases/download/v1/a.zip"),
            ("market:o/r/plugin", "market:o/r/plugin"),
            ("market:o/r/plugin/skill@main", "market:o/r/plugin/skill@main"),
            ("market:./folder#plugin/skill", "market:./folder#plugin/skill"),
            ("clawhub:gifgrep@1.2.0", "clawhub:gifgrep@1.2.0"),
            ("lobehub:web-dev", "lobehub:web-dev"),
            ("https://example.com/.well-known/skills/a/", "https://example.com/.well-known/skills/a"),
            ("https://example.com/a.zip#skills/a", "https://example.com/a.zip#skills/a"),
            ("https://github.com.evil.example/o/r", "https://github.com.evil.example/o/r"),
            ("./a", "./a"),
            (" /srv/skills/a ", "/srv/skills/a"),
        ] {
            let identifier: Identifier = text.parse().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(identifier.to_string(), written, "{text}");
            assert_eq!(written.parse(), Ok(identifier), "{text}");
        }
    }

    #[test]
    fn only_github_itself_is_github() {
        for text in ["https://github.com.evil.example/o/r", "https://github.com:8443/o/r", "https://xgithub.com/o/r"] {
            let identifier: Identifier = text.parse().expect("it is an address");
            assert!(matches!(identifier, Identifier::Url { .. }), "{text}");
        }
    }

    #[test]
    fn a_text_that_names_no_skill_is_refused_with_a_reason() {
        for text in [
            "",
            "pdf",
            "github:",
            "github:o",
            "github:o/..",
            "o/r/../x",
            "o/r/a@",
            "o/r/a@-x",
            "o/r/a@a..b",
            "o r/x/y",
            "market:o/r",
            "market:o/r/..",
            "clawhub:",
            "clawhub:a/b",
            "clawhub:..",
            "clawhub:a@",
            "clawhub:a@1?x=1",
            "lobehub:../x",
            "https://user:secret@example.com/x",
            "https://example.com/x.zip?access_token=secret@1",
            "https://example.com/x.zip?v=1&api_key=secret@1",
            "https://",
            "https://example.com/a.zip#../x",
            "ftp://example.com/x",
        ] {
            let error = text.parse::<Identifier>().expect_err(text);
            assert!(!error.reason.is_empty() && !error.to_string().contains("secret@"), "{text}: {error}");
        }
    }
}
