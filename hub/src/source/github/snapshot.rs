//! The files of a repository at one commit.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::bundle::{GitId, SKILL_FILE, skill_folders};
use crate::fault::SourceFault;
use crate::identifier::{Identifier, Repository};

/// Folders in which repositories have their skills. The first with a skill of a name counts.
const KNOWN_FOLDERS: &[&str] =
    &["skills", "skills/.curated", "skills/.system", ".agents/skills", ".claude/skills", "skills/.experimental", ""];

/// The answer to a request for a tree.
#[derive(Debug, Deserialize)]
pub(super) struct Tree {
    sha: String,
    #[serde(default, rename = "tree")]
    entries: Vec<Entry>,
    /// Whether the list is longer than GitHub sends at once.
    #[serde(default)]
    pub(super) truncated: bool,
}

impl Tree {
    /// Returns the SHA-1 of a folder in it.
    pub(super) fn into_folder(self, name: &str) -> Option<String> {
        self.entries.into_iter().find(|entry| entry.kind == "tree" && entry.path == name).map(|entry| entry.sha)
    }

    /// Returns the list with paths from the root of the repository, at a path of which it is the folder.
    pub(super) fn below(mut self, path: &str) -> Self {
        for entry in &mut self.entries {
            entry.path = format!("{path}/{}", entry.path);
        }
        let folder = Entry {
            path: path.to_owned(),
            mode: "040000".to_owned(),
            kind: "tree".to_owned(),
            sha: self.sha.clone(),
            size: 0,
        };
        self.entries.push(folder);
        self
    }
}

/// A file or a folder of a repository.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Entry {
    path: String,
    pub(super) mode: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) sha: String,
    #[serde(default)]
    pub(super) size: u64,
}

/// The files of a repository at one commit.
#[derive(Debug, Clone)]
pub(crate) struct Snapshot {
    pub(super) commit: String,
    /// Whether the commit is on the default branch of the repository that was asked for.
    pub(super) is_official: bool,
    /// Files and folders by their paths.
    pub(super) entries: BTreeMap<String, Entry>,
}

impl Snapshot {
    pub(super) fn new(commit: String, is_official: bool, tree: Tree) -> Self {
        let root =
            Entry { path: String::new(), mode: "040000".to_owned(), kind: "tree".to_owned(), sha: tree.sha, size: 0 };
        let entries = tree.entries.into_iter().chain([root]).map(|entry| (entry.path.clone(), entry)).collect();
        Self { commit, is_official, entries }
    }

    /// Returns the name of a folder for git.
    pub(super) fn folder_id(&self, folder: &str) -> Option<GitId> {
        self.entries.get(folder).filter(|entry| entry.kind == "tree")?.sha.parse().ok()
    }

    /// Returns the files and links in a folder, by their paths in the repository.
    pub(super) fn inside<'s>(&'s self, folder: &'s str) -> impl Iterator<Item = (&'s str, &'s Entry)> {
        let all = self.entries.iter().filter(|(_, entry)| entry.kind != "tree");
        all.filter(move |(path, _)| crate::bundle::relative(path, folder).is_some())
            .map(|(path, entry)| (path.as_str(), entry))
    }

    /// Returns whether a folder is a skill.
    pub(crate) fn is_skill(&self, folder: &str) -> bool {
        let path = if folder.is_empty() { SKILL_FILE.to_owned() } else { format!("{folder}/{SKILL_FILE}") };
        self.entries.get(&path).is_some_and(|entry| entry.kind == "blob")
    }

    /// Returns the folders of all skills.
    pub(crate) fn skills(&self) -> Vec<&str> {
        skill_folders(self.entries.keys().map(String::as_str))
    }

    /// Returns the folder of the skill that a person means with a path or a name.
    pub(super) fn find(
        &self,
        repository: &Repository,
        wanted: &str,
        reference: Option<&str>,
    ) -> Result<String, SourceFault> {
        if self.is_skill(wanted) {
            return Ok(wanted.to_owned());
        }
        let known = KNOWN_FOLDERS.iter().map(|folder| format!("{folder}/{wanted}"));
        let known = known.map(|path| path.trim_start_matches('/').to_owned()).find(|path| self.is_skill(path));
        if let Some(path) = known.filter(|_| !wanted.is_empty()) {
            return Ok(path);
        }
        let is_meant =
            |folder: &&str| wanted.is_empty() || folder.strip_suffix(wanted).is_some_and(|rest| rest.ends_with('/'));
        let found: Vec<&str> = self.skills().into_iter().filter(is_meant).collect();
        match found[..] {
            [] => Err(SourceFault::NotFound(format!("{repository} has no skill {wanted:?} at {}", self.commit))),
            [folder] => Ok(folder.to_owned()),
            _ => Err(SourceFault::Several(
                found.iter().take(50).map(|folder| identifier(repository, folder, reference)).collect(),
            )),
        }
    }
}

pub(super) fn identifier(repository: &Repository, path: &str, reference: Option<&str>) -> Identifier {
    Identifier::GitHub {
        repository: repository.clone(),
        path: path.to_owned(),
        reference: reference.map(str::to_owned),
    }
}
