//! A folder of skills, and a hub over it whose sources are on this machine.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use toolc_hub::{
    Accepted, Bundle, Finding, GitHubAuth, Hub, HubError, Identifier, InstallOptions, Installed, Refused, Settings,
    SkillName, Trust,
};
use toolc_net::{AddressPolicy, Client, Policy, Ports};

use super::github::Repositories;
use super::server::Server;

pub(crate) struct Home {
    folder: TempDir,
    pub(crate) server: Server,
    pub(crate) repositories: Repositories,
}

/// Refuses skills whose text has the word "malware" or "doubtful". Only the second can be accepted.
pub(crate) fn guard(bundle: &Bundle, _: Trust) -> Result<Accepted, Refused> {
    let mut findings = Vec::new();
    for file in bundle.files() {
        let text = String::from_utf8_lossy(&file.bytes).into_owned();
        for (word, can_be_accepted) in [("malware", false), ("doubtful", true)] {
            if let Some(line) = text.lines().position(|line| line.contains(word)) {
                findings.push(Finding {
                    id: format!("{word}:{}", file.path),
                    file: file.path.clone(),
                    line: line + 1,
                    reason: format!("it has the word {word}"),
                    can_be_accepted,
                });
            }
        }
    }
    if findings.is_empty() { Ok(Accepted::default()) } else { Err(Refused { findings }) }
}

/// Returns a client that may reach this machine, and nothing else that is not public.
pub(crate) fn client() -> Client {
    let addresses = AddressPolicy::new(vec!["127.0.0.1".parse().expect("a range")]);
    Client::new(Policy { addresses, ports: Ports::Any }, "toolc-hub tests")
}

pub(crate) fn settings(server: &Server) -> Settings {
    Settings {
        github: Repositories::host(server),
        clawhub: server.url("/clawhub/api/v1"),
        lobehub: server.url("/lobehub"),
        skills_sh: server.url("/skills-sh"),
        ..Settings::default()
    }
}

pub(crate) fn id(text: &str) -> Identifier {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn name(text: &str) -> SkillName {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

impl Home {
    pub(crate) fn new() -> Self {
        let (server, repositories) = (Server::start(), Repositories::default());
        repositories.serve(&server);
        Self { folder: tempfile::tempdir().expect("failed to make a folder"), server, repositories }
    }

    /// Returns another folder with the same sources.
    pub(crate) fn other(&self) -> Self {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        Self { folder, server: self.server.clone(), repositories: self.repositories.clone() }
    }

    pub(crate) fn skills(&self) -> PathBuf {
        self.folder.path().join("skills")
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.skills().join(path)
    }

    pub(crate) fn hub(&self) -> Hub {
        self.hub_with(GitHubAuth::Anonymous)
    }

    pub(crate) fn hub_with(&self, github_auth: GitHubAuth) -> Hub {
        let settings = Settings { github_auth, ..settings(&self.server) };
        Hub::open(self.skills(), client(), settings, guard).expect("failed to open the hub")
    }

    pub(crate) fn install(&self, text: &str) -> Result<Installed, HubError> {
        self.install_with(text, &InstallOptions::default())
    }

    pub(crate) fn install_with(&self, text: &str, options: &InstallOptions) -> Result<Installed, HubError> {
        let hub = self.hub();
        hub.install(&hub.preview(&id(text))?, options)
    }

    pub(crate) fn read(&self, path: &str) -> String {
        let path = self.path(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("it has one")).expect("failed to make a folder");
        fs::write(path, text).expect("failed to write");
    }

    /// Returns all files that people see, with their texts.
    pub(crate) fn visible(&self) -> BTreeMap<String, String> {
        let mut all = all_files(&self.skills());
        all.retain(|path, _| !path.starts_with(".hub/"));
        all
    }

    /// Runs a command that changes nothing, and completes what a killed process has left.
    pub(crate) fn recover(&self) -> Result<(), HubError> {
        self.hub().remove_tap(&"no/tap".parse().expect("it is a tap")).map(drop)
    }

    /// Fails if a change has left something unfinished.
    pub(crate) fn assert_clean(&self) {
        let all = all_files(&self.path(".hub"));
        let left: Vec<&String> =
            all.keys().filter(|path| path.starts_with("staging") || path.starts_with("journal")).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

/// Returns all files in a folder, with their texts.
pub(crate) fn all_files(folder: &Path) -> BTreeMap<String, String> {
    let (mut found, mut waiting) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(next).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("it is inside").display().to_string();
                found.insert(name, fs::read_to_string(&path).unwrap_or_default());
            }
        }
    }
    found
}
