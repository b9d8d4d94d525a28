//! The skills of MCP servers, for the tools of sessions. They are text from outside: scanned, marked, and only read.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::oneshot;
use toolc::cancel::CancellationToken;
use toolc_guard::{Finding, Severity};
use toolc_mcp::{ErrorKind, ServerSkill, ServerSkills, SkillListing};
use toolc_skills::{OutsideList, OutsideSkill, OutsideSkills, OutsideText, ReadLater};

use crate::ground::{executor, show};
use crate::sources::guard::{self, Guard};
use crate::sources::skills::MAIN;

/// The time that a list of skills waits for the servers.
const LIST_LIMIT: Duration = Duration::from_secs(5);
/// The time that the view of a file waits for its server. A call of the tool may take 30 seconds.
const READ_LIMIT: Duration = Duration::from_secs(25);
/// The maximum number of problems of a server that are listed.
const MAX_PROBLEMS: usize = 10;

/// A text that was read: the name and the version of its skill, its path, and what it says.
type LastText = (String, String, String, OutsideText);

/// The skills of the servers of a host.
pub(crate) struct SkillsOfServers {
    skills: ServerSkills,
    /// The servers whose skills the model reads without a question.
    trusted: BTreeSet<String>,
    guard: Guard,
    /// The last lists, and what was made of them.
    last: Mutex<(Vec<Arc<SkillListing>>, Arc<OutsideList>)>,
    /// The last text: it is read before the person is asked, and again for the model.
    text: Mutex<Option<LastText>>,
}

impl SkillsOfServers {
    pub(super) fn new(skills: ServerSkills, trusted: BTreeSet<String>) -> Self {
        let (last, text) = Default::default();
        Self { skills, trusted, guard: Guard::of_strangers(), last, text }
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

    /// Asks the servers for their skills, for a limited time. Returns whether all have answered.
    async fn ask(&self) -> bool {
        tokio::time::timeout(LIST_LIMIT, self.skills.list()).await.is_ok()
    }

    /// Reads a file of a skill, unless it is the last one that was read.
    async fn text(&self, skill: &OutsideSkill, path: &str) -> Result<OutsideText, String> {
        let last = self.text.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((name, version, file, text)) = last
            && (&*name, &*version, &*file) == (skill.name(), &*skill.version, path)
        {
            return Ok(text);
        }
        let text = self.read_text(skill, path).await?;
        let last = (skill.name().to_owned(), skill.version.clone(), path.to_owned(), text.clone());
        *self.text.lock().unwrap_or_else(PoisonError::into_inner) = Some(last);
        Ok(text)
    }

    async fn read_text(&self, skill: &OutsideSkill, path: &str) -> Result<OutsideText, String> {
        let changed = || "it has changed: list the skills again, and then read it".to_owned();
        let found = self.find(skill).ok_or_else(changed)?;
        let read = tokio::time::timeout(READ_LIMIT, self.skills.read(&found, path)).await;
        let content = match read.map_err(|_| format!("the server did not answer within {} s", READ_LIMIT.as_secs()))? {
            Ok(content) => content,
            Err(error) => {
                let is_changed = error.kind() == ErrorKind::Unverified;
                if is_changed {
                    self.ask().await;
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
        if let Some(problem) = toolc_scan::problem(&text) {
            return Err(format!("`{path}` is held back, because its text is suspicious: {problem}"));
        }
        let objections = self.objections(&found, path, &text)?;
        Ok(OutsideText { text, objections })
    }

    /// Judges a text as a part of its skill, whose front matter says what it is for. Returns what the person must know.
    ///
    /// # Errors
    /// Returns what no person can accept.
    fn objections(&self, skill: &ServerSkill, path: &str, text: &str) -> Result<Vec<String>, String> {
        let front_matter = format!("---\n{}\n---\n", Value::Object(skill.front_matter.clone()));
        let main = (MAIN.to_owned(), front_matter.into_bytes());
        let files = [main].into_iter().filter(|_| path != MAIN).chain([(path.to_owned(), text.as_bytes().to_vec())]);
        let report = self.guard.inspect(&guard::files(files));
        let is_here = |finding: &&Finding| finding.path == path && finding.severity == Severity::Block;
        let found: Vec<&Finding> = report.findings.iter().filter(is_here).collect();
        match found.iter().find(|finding| !finding.is_acceptable()) {
            Some(never) => Err(format!("`{path}` is held back by the guard: {}", guard::what(never))),
            None => Ok(found.into_iter().map(guard::objection).collect()),
        }
    }
}

impl OutsideSkills for SkillsOfServers {
    fn known(&self) -> Arc<OutsideList> {
        self.list()
    }

    fn refresh(&self, cancellation: &CancellationToken) -> Arc<OutsideList> {
        let Ok(runtime) = executor() else { return self.list() };
        let is_answered = runtime.block_on(async {
            tokio::select! {
                biased;
                () = cancellation.cancelled() => true,
                is_answered = self.ask() => is_answered,
            }
        });
        let mut list = self.list();
        if !is_answered {
            let seconds = LIST_LIMIT.as_secs();
            let late =
                format!("not all MCP servers listed their skills within {seconds} s: what they listed before is shown");
            Arc::make_mut(&mut list).problems.push(late);
        }
        list
    }

    fn read(&self, skill: &OutsideSkill, path: &str, cancellation: &CancellationToken) -> Result<OutsideText, String> {
        let runtime = executor().map_err(|error| error.to_string())?;
        runtime.block_on(async {
            tokio::select! {
                biased;
                () = cancellation.cancelled() => Err("the call was cancelled".to_owned()),
                text = self.text(skill, path) => text,
            }
        })
    }

    /// Reads on a thread of its own, because a hook can run on any executor.
    fn read_later(self: Arc<Self>, skill: OutsideSkill, path: String) -> ReadLater {
        let (mut sender, receiver) = oneshot::channel();
        let work = move || {
            let read = executor().map_err(|error| error.to_string()).and_then(|runtime| {
                runtime.block_on(async {
                    tokio::select! {
                        biased;
                        () = sender.closed() => Err("the call was cancelled".to_owned()),
                        text = self.text(&skill, &path) => text,
                    }
                })
            });
            // A call that was cancelled waits no more.
            let _ = sender.send(read);
        };
        let started = std::thread::Builder::new().name("skill of a server".to_owned()).spawn(work);
        Box::pin(async move {
            started.map_err(|error| format!("no thread can be started: {error}"))?;
            receiver.await.unwrap_or_else(|_| Err("it could not be read".to_owned()))
        })
    }
}

/// Reads the front matter of a `SKILL.md`, with every field.
pub(crate) fn front_matter(text: &str) -> Result<Map<String, Value>, String> {
    let fields = toolc_skill::fields(text.as_bytes()).map_err(|error| error.to_string())?;
    let field =
        |(key, value)| Ok((key, serde_json::to_value(value).map_err(|error: serde_json::Error| error.to_string())?));
    fields.into_iter().map(field).collect()
}
