//! A server that speaks the part of GitHub's API that the hub uses, from GitHub's description of its REST API.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolc_hub::{Bundle, BundleFile, GitHubHost, GitId, Limits};

use super::server::{Reply, Request, Server};

/// The files of a repository at a commit.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// Repositories, each with its commits. The last one is the head of the branch `main`.
#[derive(Clone, Default)]
pub(crate) struct Repositories(Arc<Mutex<BTreeMap<String, Vec<Files>>>>);

pub(crate) fn files(list: &[(&str, &str)]) -> Files {
    list.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
}

/// Returns the text of a skill.
pub(crate) fn skill(name: &str, description: &str, text: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n\n{text}\n")
}

impl Repositories {
    /// Serves the repositories below `/api/v3`, and their files below `/raw`.
    pub(crate) fn serve(&self, server: &Server) {
        let own = self.clone();
        server.on(move |request| own.answer(request));
    }

    /// Returns where the hub finds them.
    pub(crate) fn host(server: &Server) -> GitHubHost {
        GitHubHost { raw: Some(server.url("/raw")), ..GitHubHost::enterprise(server.url("")) }
    }

    /// Adds a commit, and returns its name.
    pub(crate) fn commit(&self, repository: &str, files: Files) -> String {
        let mut all = self.0.lock().expect("no test panics with it");
        let commits = all.entry(repository.to_owned()).or_default();
        commits.push(files);
        commit_name(commits.len() - 1)
    }

    fn answer(&self, request: &Request) -> Option<Reply> {
        let all = self.0.lock().expect("no test panics with it");
        let names: Vec<&str> = request.path.trim_start_matches('/').split('/').collect();
        match names[..] {
            ["raw", owner, name, commit, ref path @ ..] => {
                let files = commit_files(all.get(&format!("{owner}/{name}"))?, commit)?;
                files.get(&path.join("/")).map(|bytes| Reply::new(200, bytes.clone()))
            }
            ["api", "v3", "repos", owner, name, ref rest @ ..] => api(all.get(&format!("{owner}/{name}"))?, rest),
            _ => None,
        }
    }
}

fn commit_name(index: usize) -> String {
    format!("{:040x}", index + 1)
}

fn commit_files<'c>(commits: &'c [Files], reference: &str) -> Option<&'c Files> {
    match reference {
        "HEAD" | "main" => commits.last(),
        _ => commits.iter().enumerate().find(|(index, _)| commit_name(*index) == reference).map(|(_, files)| files),
    }
}

fn api(commits: &[Files], rest: &[&str]) -> Option<Reply> {
    match rest {
        ["commits", reference] => {
            let files = commit_files(commits, reference)?;
            let index = commits.iter().rposition(|other| std::ptr::eq(other, files))?;
            Some(Reply::new(200, commit_name(index)))
        }
        ["git", "trees", commit] => Some(Reply::json(&tree(commit_files(commits, commit)?))),
        ["git", "blobs", id] => {
            let mut all = commits.iter().flat_map(BTreeMap::values);
            all.find(|bytes| GitId::of_blob(bytes).to_string() == *id).map(|bytes| Reply::new(200, bytes.clone()))
        }
        ["compare", range] => {
            let commit = range.strip_prefix("HEAD...")?;
            commit_files(commits, commit).map(|_| Reply::json(&json!({ "status": "behind" })))
        }
        _ => None,
    }
}

fn ends_with(path: &str, extension: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, other)| other == extension)
}

fn tree(files: &Files) -> Value {
    let mut entries = Vec::new();
    for (path, bytes) in files {
        // A name shows what kind of file it is.
        let mode = match path {
            path if ends_with(path, "link") => "120000",
            path if ends_with(path, "sh") => "100755",
            _ => "100644",
        };
        let sha = GitId::of_blob(bytes).to_string();
        entries.push(json!({ "path": path, "mode": mode, "type": "blob", "sha": sha, "size": bytes.len() }));
        if let Some(folder) = path.strip_suffix("/SKILL.md") {
            let sha = bundle(files, folder).tree().to_string();
            entries.push(json!({ "path": folder, "mode": "040000", "type": "tree", "sha": sha }));
        }
    }
    let is_skill = files.contains_key("SKILL.md");
    let sha = if is_skill { bundle(files, "").tree().to_string() } else { "f".repeat(40) };
    json!({ "sha": sha, "tree": entries, "truncated": false })
}

/// Returns the skill in a folder of a repository.
pub(crate) fn bundle(files: &Files, folder: &str) -> Bundle {
    let all = files.iter().map(|(path, bytes)| BundleFile {
        path: path.clone(),
        bytes: bytes.clone(),
        is_executable: ends_with(path, "sh"),
    });
    let limits = Limits { files: 10_000, ..Limits::default() };
    Bundle::from_folder(all.collect(), folder, &limits).expect("it is a skill")
}
