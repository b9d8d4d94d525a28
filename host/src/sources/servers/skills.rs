//! The skills of MCP servers, for the tools of sessions. They are text from outside: scanned, marked, and only read.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value};
use toolc::cancel::CancellationToken;
use toolc_mcp::{ErrorKind, ServerSkill, ServerSkills, SkillListing};
use toolc_skills::{OutsideList, OutsideSkill, OutsideSkills};

use crate::ground::{executor, show};

/// The time that a list of skills waits for the servers.
const LIST_LIMIT: Duration = Duration::from_secs(5);
/// The time that the view of a file waits for its server. A call of the tool may take 30 seconds.
const READ_LIMIT: Duration = Duration::from_secs(25);
/// The maximum number of problems of a server that are listed.
const MAX_PROBLEMS: usize = 10;

/// The skills of the servers of a host.
pub(crate) struct SkillsOfServers {
    skills: ServerSkills,
    /// The servers whose skills the model reads without a question.
    trusted: BTreeSet<String>,
    /// The last lists, and what was made of them.
    last: Mutex<(Vec<Arc<SkillListing>>, Arc<OutsideList>)>,
}

impl SkillsOfServers {
    pub(super) fn new(skills: ServerSkills, trusted: BTreeSet<String>) -> Self {
        Self { skills, trusted, last: Mutex::default() }
    }

    /// Returns what the tools see of the last lists.
    fn list(&self) -> Arc<OutsideList> {
        let listings = self.skills.known();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = last.0.len() == listings.len() && last.0.iter().zip(&listings).all(|(a, b)| Arc::ptr_eq(a, b));
        if !is_same {
            let mut skills = OutsideList::default();
            for listing in &listings {
                self.add(listing, &mut skills);
            }
            *last = (listings, Arc::new(skills));
        }
        Arc::clone(&last.1)
    }

    fn add(&self, listing: &SkillListing, list: &mut OutsideList) {
        let server = &listing.server;
        let mut problems = Vec::new();
        for skill in &listing.skills {
            match OutsideSkill::new(server, &skill.label, &skill.front_matter) {
                Ok(mut outside) => {
                    outside.version = skill.fingerprint();
                    outside.files = skill.files.iter().map(|file| (file.path.clone(), file.size)).collect();
                    outside.is_trusted = self.trusted.contains(server);
                    list.skills.push(outside);
                }
                Err(why) => problems.push(format!("the skill `{}` cannot be used: {why}", skill.label)),
            }
        }
        problems.extend(
            listing.left_out.iter().map(|skill| format!("the skill {} cannot be used: {}", skill.skill, skill.reason)),
        );
        problems.extend(listing.held_back.iter().map(|held| {
            format!("the skill `{}` is held back until the user has seen it: `toolc mcp diff {server}`", held.tool)
        }));
        let shown = listing.problem.iter().chain(&problems).take(MAX_PROBLEMS);
        list.problems.extend(shown.map(|problem| show::one_line(&format!("MCP server `{server}`: {problem}"))));
    }

    /// Returns the skill of the last lists with a name.
    fn find(&self, wanted: &OutsideSkill) -> Option<ServerSkill> {
        let listings = self.skills.known();
        let listing = listings.into_iter().find(|listing| listing.server == wanted.server)?;
        let is_wanted = |skill: &&ServerSkill| {
            wanted.name().strip_prefix(&*wanted.server).and_then(|rest| rest.strip_prefix(':')) == Some(&*skill.label)
        };
        // The server can have listed another version in the meantime.
        listing.skills.iter().find(is_wanted).filter(|skill| skill.fingerprint() == wanted.version).cloned()
    }

    /// Asks the servers for their skills, for a limited time.
    fn ask(&self, cancellation: &CancellationToken) {
        let Ok(runtime) = executor() else { return };
        runtime.block_on(async {
            tokio::select! {
                biased;
                () = cancellation.cancelled() => {}
                _ = tokio::time::timeout(LIST_LIMIT, self.skills.list()) => {}
            }
        });
    }
}

impl OutsideSkills for SkillsOfServers {
    fn known(&self) -> Arc<OutsideList> {
        self.list()
    }

    fn refresh(&self, cancellation: &CancellationToken) -> Arc<OutsideList> {
        self.ask(cancellation);
        self.list()
    }

    fn read(&self, skill: &OutsideSkill, path: &str, cancellation: &CancellationToken) -> Result<String, String> {
        let changed = || "it has changed: list the skills again, and then read it".to_owned();
        let found = self.find(skill).ok_or_else(changed)?;
        let runtime = executor().map_err(|error| error.to_string())?;
        let read = runtime.block_on(async {
            tokio::select! {
                biased;
                () = cancellation.cancelled() => Err("the call was cancelled".to_owned()),
                read = tokio::time::timeout(READ_LIMIT, self.skills.read(&found, path)) => {
                    read.map_err(|_| format!("the server did not answer within {} s", READ_LIMIT.as_secs()))
                }
            }
        })?;
        let content = match read {
            Ok(content) => content,
            Err(error) => {
                let is_changed = error.kind() == ErrorKind::Unverified;
                if is_changed {
                    self.ask(cancellation);
                }
                let advice =
                    if is_changed { format!("; if the skill was updated, {}", changed()) } else { String::new() };
                return Err(format!("{error}{advice}"));
            }
        };
        let Some(text) = content.text else { return Err(format!("`{path}` is not text")) };
        if content.removed > 0 {
            let count = show::counted(content.removed, "invisible character");
            return Err(format!("`{path}` is held back, because it has {count}"));
        }
        match toolc_scan::problem(&text) {
            None => Ok(text),
            Some(problem) => Err(format!("`{path}` is held back, because its text is suspicious: {problem}")),
        }
    }
}

/// Reads the front matter of a `SKILL.md`, with every field.
pub(crate) fn front_matter(text: &str) -> Result<Map<String, Value>, String> {
    let fields = toolc_skill::fields(text.as_bytes()).map_err(|error| error.to_string())?;
    let field =
        |(key, value)| Ok((key, serde_json::to_value(value).map_err(|error: serde_json::Error| error.to_string())?));
    fields.into_iter().map(field).collect()
}
