//! Writes a skill into a repository of GitHub, as a branch and a pull request.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::GitHub;
use super::host::headers;
use crate::bundle::Bundle;
use crate::fault::{SourceError, SourceFault};
use crate::identifier::Repository;
use crate::web::line;

/// What is written into a repository.
#[derive(Debug)]
pub(crate) struct Commit<'b> {
    /// The files.
    pub(crate) bundle: &'b Bundle,
    /// The folder for them in the repository.
    pub(crate) folder: &'b str,
    /// The name of the new branch.
    pub(crate) branch: &'b str,
    /// The message of the commit, and the title of the pull request.
    pub(crate) title: &'b str,
    /// The text of the pull request.
    pub(crate) text: &'b str,
}

/// A pull request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PullRequest {
    /// Its number.
    pub number: u64,
    /// Its page.
    #[serde(rename = "html_url")]
    pub page: String,
}

#[derive(Deserialize)]
struct Info {
    default_branch: String,
}

#[derive(Deserialize)]
struct Object {
    sha: String,
}

#[derive(Deserialize)]
struct Reference {
    object: Object,
}

#[derive(Deserialize)]
struct BaseCommit {
    tree: Object,
}

impl GitHub {
    /// Adds the files of a skill to a repository, in a new branch, and opens a pull request to the default branch.
    ///
    /// Nothing is visible in the repository before the branch is made, which is the last step but one.
    ///
    /// # Errors
    /// If there is no token, it may not write, or the branch exists.
    pub(crate) fn publish(&self, repository: &Repository, commit: &Commit<'_>) -> Result<PullRequest, SourceError> {
        let advice = "set GITHUB_TOKEN to a token that may write contents and pull requests of the repository";
        let token = self.token()?;
        let token = token.ok_or_else(|| SourceError::new(repository, SourceFault::Auth(advice.to_owned())))?;
        let url = |names: &[&str]| self.host.repository(repository, names);
        let headers = || headers(Some(&token));
        let info: Info = self.web.json(&url(&[]), headers())?;
        let names: Vec<&str> = ["git", "ref", "heads"].into_iter().chain(info.default_branch.split('/')).collect();
        let head: Reference = self.web.json(&url(&names), headers())?;
        let base: BaseCommit = self.web.json(&url(&["git", "commits", &head.object.sha]), headers())?;
        let post = |names: &[&str], body: &Value| self.web.post::<Value>(&url(names), headers(), body);
        let mut entries = Vec::new();
        for file in commit.bundle.files() {
            let body = json!({ "content": STANDARD.encode(&file.bytes), "encoding": "base64" });
            let blob = sha(&url(&["git", "blobs"]), &post(&["git", "blobs"], &body)?)?;
            let path = super::join_names(commit.folder, &file.path);
            let mode = if file.is_executable { "100755" } else { "100644" };
            entries.push(json!({ "path": path, "mode": mode, "type": "blob", "sha": blob }));
        }
        let names = ["git", "trees"];
        let tree = sha(&url(&names), &post(&names, &json!({ "base_tree": base.tree.sha, "tree": entries }))?)?;
        let names = ["git", "commits"];
        let body = json!({ "message": commit.title, "tree": tree, "parents": [head.object.sha] });
        let new = sha(&url(&names), &post(&names, &body)?)?;
        post(&["git", "refs"], &json!({ "ref": format!("refs/heads/{}", commit.branch), "sha": new }))?;
        let body =
            json!({ "title": commit.title, "head": commit.branch, "base": info.default_branch, "body": commit.text });
        let mut request: PullRequest = self.web.post(&url(&["pulls"]), headers(), &body)?;
        request.page = line(&request.page, 500);
        Ok(request)
    }
}

fn sha(url: &Url, answer: &Value) -> Result<String, SourceError> {
    let text = answer.get("sha").and_then(Value::as_str).map(str::to_owned);
    text.ok_or_else(|| SourceError::broken(url, "the answer has no `sha`"))
}
