//! Skills in repositories of GitHub.
//!
//! A repository needs two requests to the API: for the commit, and for the list of all files. The files are fetched one by one, and each is
//! compared with the SHA-1 in that list.

mod auth;
mod host;
mod publish;
mod snapshot;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use serde::Deserialize;
use url::Url;

pub use auth::{AppAuth, GitHubAuth, InvalidKey};
pub use host::GitHubHost;
pub use publish::PullRequest;

pub(crate) use publish::Commit;
pub(crate) use snapshot::Snapshot;

use host::{accept, headers};
use snapshot::{Entry, Tree, identifier};

use super::{Description, Fetched, Hit, Origin, Source, SourceKind, rank};
use crate::bundle::{Bundle, BundleError, BundleFile, GitId, Heading, Limits, SKILL_FILE, relative};
use crate::fault::{SourceError, SourceFault};
use crate::identifier::{Identifier, Repository};
use crate::secret::Secret;
use crate::trust::Trust;
use crate::web::{Web, join, line};

/// The maximum number of skills of a repository whose descriptions a search reads.
const MAX_READ: usize = 150;
/// For how long the list of the files of a repository is used again.
const FRESH: Duration = Duration::from_mins(1);
/// The list of groups of a repository, which is optional.
const GROUPS_FILE: &str = "skills.sh.json";

/// Skills in repositories of GitHub.
#[derive(Debug)]
pub struct GitHub {
    web: Web,
    host: GitHubHost,
    auth: GitHubAuth,
    limits: Limits,
    /// The repositories that are searched.
    taps: RwLock<Vec<Repository>>,
    /// The repositories that were asked for, by name and reference.
    snapshots: Mutex<Snapshots>,
    /// Files that were fetched for a search, by their SHA-1.
    read: Mutex<BTreeMap<GitId, Arc<[u8]>>>,
}

/// Lists of files by repository and reference, each with the time at which it was asked for.
type Snapshots = BTreeMap<(String, Option<String>), (Instant, Arc<Snapshot>)>;

/// A group of `skills.sh.json`.
#[derive(Deserialize)]
struct Group {
    title: String,
    #[serde(default)]
    skills: Vec<String>,
}

#[derive(Deserialize)]
struct Groups {
    #[serde(default)]
    groupings: Vec<Group>,
}

#[derive(Deserialize)]
struct Comparison {
    status: String,
}

impl GitHub {
    pub(crate) fn new(web: Web, host: GitHubHost, auth: GitHubAuth, limits: Limits) -> Self {
        let (taps, snapshots, read) = Default::default();
        Self { web, host, auth, limits, taps, snapshots, read }
    }

    /// Sets the repositories that are searched.
    pub(crate) fn set_taps(&self, taps: Vec<Repository>) {
        *self.taps.write().unwrap_or_else(PoisonError::into_inner) = taps;
    }

    /// Returns the list of the files of a repository. A repository is asked once a minute.
    pub(crate) fn snapshot(
        &self,
        repository: &Repository,
        reference: Option<&str>,
        path: &str,
    ) -> Result<Arc<Snapshot>, SourceError> {
        let key = (repository.to_string().to_lowercase(), reference.map(str::to_owned));
        let kept = || self.snapshots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, snapshot)) = kept().get(&key).filter(|(asked, _)| asked.elapsed() < FRESH) {
            return Ok(Arc::clone(snapshot));
        }
        let token = self.token()?;
        let (commit, is_moved) = self.commit(repository, reference, token.as_ref())?;
        let is_official = !is_moved
            && match reference {
                None => true,
                // GitHub serves the commits of all forks as if they were in this repository.
                Some(_) if self.host.trust(repository) == Trust::Trusted => {
                    self.is_on_default_branch(repository, &commit, token.as_ref())?
                }
                Some(_) => false,
            };
        let tree = self.tree(repository, &commit, true, token.as_ref())?;
        if tree.truncated {
            let part = self.part(repository, &commit, path, token.as_ref())?;
            return Ok(Arc::new(Snapshot::new(commit, is_official, part)));
        }
        let snapshot = Arc::new(Snapshot::new(commit, is_official, tree));
        kept().insert(key, (Instant::now(), Arc::clone(&snapshot)));
        Ok(snapshot)
    }

    fn token(&self) -> Result<Option<Secret>, SourceError> {
        self.auth.token(&self.web, &self.host.api)
    }

    /// Returns the commit of a reference, and whether the repository has moved.
    fn commit(
        &self,
        repository: &Repository,
        reference: Option<&str>,
        token: Option<&Secret>,
    ) -> Result<(String, bool), SourceError> {
        let names: Vec<&str> = ["commits"].into_iter().chain(reference.unwrap_or("HEAD").split('/')).collect();
        let url = self.host.repository(repository, &names);
        let mut headers = headers(token);
        headers.push(accept("application/vnd.github.sha"));
        let answer = self.web.get(&url, headers)?;
        let commit = String::from_utf8_lossy(&answer.body).trim().to_owned();
        commit.parse::<GitId>().map_err(|error| SourceError::broken(&url, error))?;
        Ok((commit, !answer.redirected_from.is_empty()))
    }

    fn is_on_default_branch(
        &self,
        repository: &Repository,
        commit: &str,
        token: Option<&Secret>,
    ) -> Result<bool, SourceError> {
        let url = self.host.repository(repository, &["compare", &format!("HEAD...{commit}")]);
        let found: Comparison = self.web.json(&url, headers(token))?;
        Ok(matches!(found.status.as_str(), "behind" | "identical"))
    }

    fn tree(
        &self,
        repository: &Repository,
        id: &str,
        is_deep: bool,
        token: Option<&Secret>,
    ) -> Result<Tree, SourceError> {
        let mut url = self.host.repository(repository, &["git", "trees", id]);
        if is_deep {
            url.set_query(Some("recursive=1"));
        }
        self.web.json(&url, headers(token))
    }

    /// Returns the folder at a path of a repository whose list is too long, as if it were the only one.
    fn part(
        &self,
        repository: &Repository,
        commit: &str,
        path: &str,
        token: Option<&Secret>,
    ) -> Result<Tree, SourceError> {
        let missing = |what: String| SourceError::new(repository, SourceFault::NotFound(what));
        if path.is_empty() {
            let text = "the repository has more files than GitHub lists at once: name the path of the skill";
            return Err(SourceError::new(repository, SourceFault::Unsupported(text.to_owned())));
        }
        let mut id = commit.to_owned();
        for name in path.split('/') {
            let tree = self.tree(repository, &id, false, token)?;
            let found = tree.into_folder(name);
            id = found.ok_or_else(|| missing(format!("it has no folder {path:?}; name the whole path")))?;
        }
        let tree = self.tree(repository, &id, true, token)?;
        if tree.truncated {
            return Err(SourceError::new(
                repository,
                SourceFault::Bundle(BundleError::TooManyFiles(self.limits.files)),
            ));
        }
        Ok(tree.below(path))
    }

    /// Fetches files of a repository, and compares each with its SHA-1.
    fn blobs(&self, repository: &Repository, snapshot: &Snapshot, paths: &[&str]) -> Result<Vec<Vec<u8>>, SourceError> {
        let token = self.token()?;
        let entry = |path: &str| {
            let missing = || SourceError::new(repository, SourceFault::NotFound(format!("it has no file {path:?}")));
            snapshot.entries.get(path).ok_or_else(missing)
        };
        let mut urls = Vec::new();
        for path in paths {
            urls.push(self.blob_url(repository, &snapshot.commit, path, &entry(path)?.sha, token.is_some()));
        }
        let mut headers = if token.is_some() || self.host.raw.is_none() { headers(token.as_ref()) } else { Vec::new() };
        headers.push(accept("application/vnd.github.raw+json"));
        let answers = self.web.get_all(&urls, &headers)?;
        let mut found = Vec::new();
        for ((path, url), answer) in paths.iter().zip(&urls).zip(answers) {
            let (expected, got) = (&entry(path)?.sha, GitId::of_blob(&answer.body).to_string());
            if *expected != got {
                let reason = format!("the file {path:?} has the SHA-1 {got}, but the repository lists {expected}");
                return Err(SourceError::broken(url, reason));
            }
            found.push(answer.body);
        }
        Ok(found)
    }

    /// Returns the address of a file. A token is sent to the API only.
    fn blob_url(&self, repository: &Repository, commit: &str, path: &str, sha: &str, has_token: bool) -> Url {
        match &self.host.raw {
            Some(raw) if !has_token => {
                let names = [repository.owner.as_str(), &repository.name, commit].into_iter();
                join(raw, names.chain(path.split('/')))
            }
            _ => self.host.repository(repository, &["git", "blobs", sha]),
        }
    }

    /// Returns a file as text, if it exists.
    pub(crate) fn text(
        &self,
        repository: &Repository,
        snapshot: &Snapshot,
        path: &str,
    ) -> Result<Option<String>, SourceError> {
        if !snapshot.entries.contains_key(path) {
            return Ok(None);
        }
        let bytes = self.blobs(repository, snapshot, &[path])?.pop().unwrap_or_default();
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Returns the headings of skills, by their folders. Each file is fetched once.
    pub(crate) fn headings(
        &self,
        repository: &Repository,
        snapshot: &Snapshot,
        folders: &[&str],
    ) -> Result<Vec<Heading>, SourceError> {
        let kept = || self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let files: Vec<(String, GitId)> = folders
            .iter()
            .filter_map(|folder| {
                let path = join_names(folder, SKILL_FILE);
                let id = snapshot.entries.get(&path)?.sha.parse().ok()?;
                Some((path, id))
            })
            .collect();
        let missing: Vec<&(String, GitId)> = files.iter().filter(|(_, id)| !kept().contains_key(id)).collect();
        let paths: Vec<&str> = missing.iter().map(|(path, _)| path.as_str()).collect();
        let fetched = self.blobs(repository, snapshot, &paths)?;
        kept().extend(missing.iter().zip(fetched).map(|((_, id), bytes)| (*id, bytes.into())));
        let kept = kept();
        Ok(files.iter().map(|(_, id)| Heading::read(&String::from_utf8_lossy(&kept[id]))).collect())
    }

    pub(crate) fn trust(&self, repository: &Repository, snapshot: &Snapshot) -> Trust {
        if snapshot.is_official { self.host.trust(repository) } else { Trust::Community }
    }

    /// Fetches the folder of a skill.
    pub(crate) fn bundle(
        &self,
        repository: &Repository,
        snapshot: &Snapshot,
        folder: &str,
    ) -> Result<Bundle, SourceError> {
        let subject = format!("{repository}/{folder}");
        let entries: Vec<(&str, &Entry)> = snapshot.inside(folder).collect();
        self.check(folder, &entries).map_err(SourceError::bundle(&subject))?;
        let paths: Vec<&str> = entries.iter().map(|(path, _)| *path).collect();
        let contents = self.blobs(repository, snapshot, &paths)?;
        let files = entries.iter().zip(contents).map(|((path, entry), bytes)| BundleFile {
            path: relative(path, folder).unwrap_or(path).to_owned(),
            bytes,
            is_executable: entry.mode == "100755",
        });
        let bundle = Bundle::new(files.collect(), &self.limits).map_err(SourceError::bundle(&subject))?;
        match snapshot.folder_id(folder) {
            Some(listed) if listed != bundle.tree() => {
                let reason = format!("the folder has the SHA-1 {}, but the repository lists {listed}", bundle.tree());
                Err(SourceError::broken(subject, reason))
            }
            _ => Ok(bundle),
        }
    }

    /// Checks what is known before anything is fetched.
    fn check(&self, folder: &str, entries: &[(&str, &Entry)]) -> Result<(), BundleError> {
        let limits = &self.limits;
        if entries.len() > limits.files {
            return Err(BundleError::TooManyFiles(limits.files));
        }
        if entries.iter().map(|(_, entry)| entry.size).sum::<u64>() > limits.bytes as u64 {
            return Err(BundleError::TooLarge(limits.bytes));
        }
        for (path, entry) in entries {
            let path = relative(path, folder).unwrap_or(path).to_owned();
            match (entry.kind.as_str(), entry.mode.as_str()) {
                ("blob", "100644" | "100755" | "100664") if entry.size > limits.file_bytes as u64 => {
                    return Err(BundleError::FileTooLarge(path, limits.file_bytes));
                }
                ("blob", "100644" | "100755" | "100664") => {}
                ("blob", "120000") => return Err(BundleError::Link(path)),
                _ => return Err(BundleError::Special(path)),
            }
        }
        Ok(())
    }

    /// Returns the group of each skill, by its name.
    fn groups(&self, repository: &Repository, snapshot: &Snapshot) -> Result<BTreeMap<String, String>, SourceError> {
        let text = self.text(repository, snapshot, GROUPS_FILE)?;
        // The file is only for the order of a page. One that cannot be read has no groups.
        let groups = text.and_then(|text| serde_json::from_str::<Groups>(&text).ok());
        let groups = groups.into_iter().flat_map(|groups| groups.groupings);
        Ok(groups.flat_map(|group| group.skills.into_iter().map(move |skill| (skill, group.title.clone()))).collect())
    }

    fn search_in(&self, repository: &Repository, query: &str) -> Result<Vec<(u8, Hit)>, SourceError> {
        let snapshot = self.snapshot(repository, None, "")?;
        let folders: Vec<&str> = snapshot.skills().into_iter().take(MAX_READ).collect();
        let (headings, groups) = (self.headings(repository, &snapshot, &folders)?, self.groups(repository, &snapshot)?);
        let hits = folders.iter().zip(headings).filter_map(|(folder, heading)| {
            let last = folder.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(&repository.name);
            let group = groups.get(last).map(|title| line(title, 100));
            let text = format!("{last} {} {}", heading.description, group.as_deref().unwrap_or_default());
            let name = if heading.name.is_empty() { last } else { &heading.name };
            let rank = rank(query, name, &text)?;
            let hit = Hit {
                id: identifier(repository, folder, None),
                name: line(name, 100),
                description: line(&heading.description, 1_024),
                source: SourceKind::GitHub,
                trust: self.trust(repository, &snapshot),
                group,
                installs: None,
            };
            Some((rank, hit))
        });
        Ok(hits.collect())
    }

    /// Describes the folder of a skill.
    pub(crate) fn describe(
        &self,
        id: Identifier,
        repository: &Repository,
        snapshot: &Snapshot,
        folder: &str,
    ) -> Result<Description, SourceError> {
        let heading = self.headings(repository, snapshot, &[folder])?.pop().unwrap_or_default();
        let sizes = snapshot
            .inside(folder)
            .map(|(path, entry)| (relative(path, folder).unwrap_or(path).to_owned(), entry.size));
        Ok(Description {
            id,
            name: line(&heading.name, 100),
            description: line(&heading.description, 1_024),
            source: SourceKind::GitHub,
            trust: self.trust(repository, snapshot),
            version: snapshot.commit.clone(),
            url: self.host.page(repository, &snapshot.commit, folder),
            files: sizes.collect(),
            contains: Vec::new(),
            warnings: Vec::new(),
        })
    }

    /// Fetches the folder of a skill, and says where it is from.
    pub(crate) fn fetched(
        &self,
        id: Identifier,
        repository: &Repository,
        snapshot: &Snapshot,
        folder: &str,
    ) -> Result<Fetched, SourceError> {
        let origin = Origin {
            source: SourceKind::GitHub,
            id,
            url: self.host.page(repository, &snapshot.commit, folder),
            path: folder.to_owned(),
            version: snapshot.commit.clone(),
            tree: snapshot.folder_id(folder),
            trust: self.trust(repository, snapshot),
            is_converted: false,
            warnings: Vec::new(),
        };
        Ok(Fetched { bundle: self.bundle(repository, snapshot, folder)?, origin })
    }
}

/// Returns the parts of an identifier of this source.
fn parts(id: &Identifier) -> Result<(&Repository, &str, Option<&str>), SourceError> {
    match id {
        Identifier::GitHub { repository, path, reference } => Ok((repository, path, reference.as_deref())),
        other => Err(super::not_of(SourceKind::GitHub, other)),
    }
}

impl Source for GitHub {
    fn kind(&self) -> SourceKind {
        SourceKind::GitHub
    }

    fn search(&self, query: &str, limit: usize) -> Result<Vec<Hit>, SourceError> {
        let (mut hits, mut failure) = (Vec::new(), None);
        let taps = self.taps.read().unwrap_or_else(PoisonError::into_inner).clone();
        for repository in &taps {
            match self.search_in(repository, query) {
                Ok(found) => hits.extend(found),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        hits.sort_by_key(|(rank, _)| *rank);
        match failure {
            Some(error) if hits.is_empty() => Err(error),
            _ => Ok(hits.into_iter().take(limit).map(|(_, hit)| hit).collect()),
        }
    }

    fn inspect(&self, id: &Identifier) -> Result<Description, SourceError> {
        let (repository, path, reference) = parts(id)?;
        let snapshot = self.snapshot(repository, reference, path)?;
        match snapshot.find(repository, path, reference) {
            Ok(folder) => self.describe(identifier(repository, &folder, reference), repository, &snapshot, &folder),
            Err(SourceFault::Several(contains)) => Ok(Description {
                id: id.clone(),
                name: repository.to_string(),
                description: String::new(),
                source: SourceKind::GitHub,
                trust: self.trust(repository, &snapshot),
                version: snapshot.commit.clone(),
                url: self.host.page(repository, &snapshot.commit, ""),
                files: Vec::new(),
                contains,
                warnings: Vec::new(),
            }),
            Err(fault) => Err(SourceError::new(id, fault)),
        }
    }

    fn fetch(&self, id: &Identifier, version: Option<&str>) -> Result<Fetched, SourceError> {
        let (repository, path, reference) = parts(id)?;
        let snapshot = self.snapshot(repository, version.or(reference), path)?;
        let found = snapshot.find(repository, path, reference);
        let folder = found.map_err(|fault| SourceError::new(id, fault))?;
        self.fetched(identifier(repository, &folder, reference), repository, &snapshot, &folder)
    }
}

/// Joins a folder of a repository, which may be its root, and a path in it.
pub(crate) fn join_names(folder: &str, path: &str) -> String {
    if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::TcpListener;
    use std::thread;

    use serde_json::json;
    use toolc_net::Client;

    use super::*;

    fn github(host: GitHubHost) -> GitHub {
        let web = Web::new(Client::configured("toolc-hub tests"));
        GitHub::new(web, host, GitHubAuth::Anonymous, Limits::default())
    }

    fn snapshot(is_official: bool) -> Snapshot {
        let tree = serde_json::from_value(json!({ "sha": "0" })).expect("it is a tree");
        Snapshot::new("0".repeat(40), is_official, tree)
    }

    #[test]
    fn a_repository_is_trusted_at_its_own_commits_only() {
        let github = github(GitHubHost::github_com());
        let repository: Repository = "openai/skills".parse().expect("it is a repository");
        assert_eq!(github.trust(&repository, &snapshot(true)), Trust::Trusted);
        // Such as a commit of a fork, or after the repository has moved.
        assert_eq!(github.trust(&repository, &snapshot(false)), Trust::Community);
        let other: Repository = "0penai/skills".parse().expect("it is a repository");
        assert_eq!(github.trust(&other, &snapshot(true)), Trust::Community);
    }

    /// GitHub compares a commit of a fork as `diverged` or `ahead`.
    #[test]
    fn a_commit_of_a_fork_is_not_on_the_default_branch() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let statuses = ["behind", "identical", "ahead", "diverged"];
        thread::spawn(move || {
            for (stream, status) in listener.incoming().map_while(Result::ok).zip(statuses) {
                let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
                assert!(lines.next().is_some_and(|line| line.contains("/repos/openai/skills/compare/HEAD...")));
                lines.find(String::is_empty).expect("the head ends");
                let body = json!({ "status": status }).to_string();
                let head = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
                (&stream).write_all((head + &body).as_bytes()).expect("failed to answer");
            }
        });
        let pages = Url::parse(&format!("http://127.0.0.1:{port}")).expect("it is an address");
        let github = github(GitHubHost::enterprise(pages));
        let repository: Repository = "openai/skills".parse().expect("it is a repository");
        let found =
            statuses.map(|_| github.is_on_default_branch(&repository, &"a".repeat(40), None).expect("it answers"));
        assert_eq!(found, [true, true, false, false]);
    }
}
