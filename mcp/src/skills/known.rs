//! The last list of the skills of each server: asked for when it connects, when it says that its resources have changed, and when a host
//! asks. Only what was accepted is used.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::SKILL_MD;
use tokio::sync::watch;

use super::entry::{LeftOutSkill, ServerSkill};
use super::listing::{self, SkillListing};
use super::{connected, declares};
use crate::call::{Caller, Live, Status};
use crate::error::{ErrorKind, McpError};
use crate::pins::{SkillDefinition, SkillReview, definition};
use crate::report::{LeftOut, ServerReport, SkillReport};
use crate::settings::Server;

/// The time limit of a list.
const LIST_TIMEOUT: Duration = Duration::from_secs(30);
/// The minimum time between two lists, so that a server that always announces changes is not asked all the time.
const LIST_PAUSE: Duration = Duration::from_secs(1);
/// The time between two looks at what is known.
const POLL: Duration = Duration::from_millis(10);

/// What is known about the skills of a server.
#[derive(Debug, Clone, Default)]
pub(crate) enum Known {
    /// The server is not connected, or has not answered yet.
    #[default]
    Nothing,
    /// There are no skills: the server does not offer any, or cannot be used.
    None,
    /// The last list that the server has given since it was connected.
    Listed(Arc<SkillListing>),
}

/// A server, and the skills that it has listed.
#[derive(Debug)]
pub(crate) struct SkillServer {
    pub(crate) caller: Arc<Caller>,
    server: Arc<Server>,
    report: Arc<Mutex<ServerReport>>,
    known: watch::Sender<Known>,
    /// Held while the server is asked.
    turn: tokio::sync::Mutex<()>,
}

impl SkillServer {
    pub(crate) fn new(caller: Arc<Caller>, server: Arc<Server>, report: Arc<Mutex<ServerReport>>) -> Self {
        let (known, turn) = (watch::Sender::default(), tokio::sync::Mutex::default());
        Self { caller, server, report, known, turn }
    }

    /// Lists the skills whenever the server has connected or announces a change, until the servers are stopped.
    pub(crate) async fn follow(self: Arc<Self>) {
        let mut status = self.caller.status.clone();
        loop {
            let is_usable = !matches!(&*status.borrow_and_update(), Status::Unusable(_));
            let Some(live) = connected(&self.caller) else {
                self.known.send_replace(if is_usable { Known::Nothing } else { Known::None });
                if status.changed().await.is_err() {
                    return;
                }
                continue;
            };
            loop {
                self.refresh(&live).await;
                tokio::select! {
                    changed = status.changed() => match changed {
                        Ok(()) => break,
                        Err(_) => return,
                    },
                    () = live.client.resources_changed.notified() => tokio::time::sleep(LIST_PAUSE).await,
                }
            }
        }
    }

    /// Asks the server for its skills. Returns the list, unless the server has none. If the server does not answer to the end, this is the last
    /// list that it has given, with the problem.
    pub(crate) async fn refresh(&self, live: &Live) -> Option<Arc<SkillListing>> {
        let _turn = self.turn.lock().await;
        if !declares(live) {
            self.known.send_replace(Known::None);
            self.report.lock().unwrap_or_else(PoisonError::into_inner).skills = None;
            return None;
        }
        let read = tokio::time::timeout(LIST_TIMEOUT, listing::read(&self.caller, live)).await;
        let listing = read.unwrap_or_else(|_| {
            let seconds = LIST_TIMEOUT.as_secs();
            SkillListing::failed(&self.caller, format!("it did not list its skills within {seconds} s"))
        });
        let listing = Arc::new(match self.last() {
            Some(last) if listing.has_failed && !last.has_failed => self.kept(&last, listing.problem),
            _ => self.reviewed(listing),
        });
        self.known.send_replace(Known::Listed(Arc::clone(&listing)));
        Some(listing)
    }

    /// Returns the last list of the server, if it has given one since it was connected.
    pub(crate) fn last(&self) -> Option<Arc<SkillListing>> {
        match self.known() {
            Known::Listed(listing) => Some(listing),
            Known::Nothing | Known::None => None,
        }
    }

    /// Returns an earlier list, with the problem that the server has now, which is reported.
    fn kept(&self, last: &SkillListing, problem: Option<String>) -> SkillListing {
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(skills) = &mut report.skills {
            skills.problem.clone_from(&problem);
        }
        let problem = problem.map(|problem| format!("{problem}; what the server listed before is used"));
        SkillListing { problem, ..last.clone() }
    }

    /// Returns a list without the skills that were not accepted as they are now, and reports on them.
    fn reviewed(&self, mut listing: SkillListing) -> SkillListing {
        name_apart(&mut listing.skills);
        let definitions: Vec<SkillDefinition> = listing.skills.iter().map(skill_definition).collect();
        let SkillReview { accepted, held_back, removed, problem } =
            self.server.pinning.review_skills(&self.server, &definitions, listing.problem.is_none());
        listing.listed = definitions;
        listing.skills.retain(|skill| accepted.contains(&skill.uri));
        listing.held_back = held_back;
        let left_out =
            |LeftOutSkill { skill, reason }: &LeftOutSkill| LeftOut { tool: skill.clone(), reason: reason.clone() };
        let report = SkillReport {
            used: listing.skills.iter().map(|skill| skill.label.clone()).collect(),
            left_out: listing.left_out.iter().map(left_out).collect(),
            held_back: listing.held_back.clone(),
            removed,
            problem: listing.problem.clone().or(problem),
        };
        self.report.lock().unwrap_or_else(PoisonError::into_inner).skills = Some(report);
        listing
    }

    /// Returns an entry that the server gives now, if it was accepted as it is.
    ///
    /// # Errors
    /// Returns an error if it is held back.
    pub(crate) fn check(&self, skill: ServerSkill) -> Result<ServerSkill, McpError> {
        let review = self.server.pinning.review_skills(&self.server, &[skill_definition(&skill)], false);
        if review.accepted.contains(&skill.uri) {
            return Ok(skill);
        }
        let (server, why) = (&self.caller.server, review.held_back.first().map(crate::pins::HeldBack::reason));
        let why = why.unwrap_or_default();
        let text = format!(
            "the skill `{}` of the MCP server `{server}` is held back: {why}; `toolc mcp diff {server}` shows it",
            skill.label
        );
        Err(McpError::new(ErrorKind::NotAccepted, text))
    }

    /// Returns what is known, without asking the server.
    pub(crate) fn known(&self) -> Known {
        self.known.borrow().clone()
    }

    /// Returns whether the server is connected and has not said yet which skills it has.
    pub(crate) fn is_listing(&self) -> bool {
        matches!(self.known(), Known::Nothing) && connected(&self.caller).is_some()
    }

    /// Waits as long as the server is connected and has not said yet which skills it has, until the deadline.
    pub(crate) fn wait(&self, deadline: Instant) {
        while self.is_listing() && Instant::now() < deadline {
            std::thread::sleep(POLL);
        }
    }

    /// Returns the skills of the last list as they are compared with what was accepted.
    pub(crate) fn definitions(&self) -> Option<Vec<SkillDefinition>> {
        self.last().map(|listing| listing.listed.clone())
    }
}

/// Names the skills of a server apart: by path, or by address if several have the same path.
fn name_apart(skills: &mut [ServerSkill]) {
    let (mut paths, mut twice) = (BTreeSet::new(), BTreeSet::new());
    for skill in skills.iter() {
        if !paths.insert(skill.path.clone()) {
            twice.insert(skill.path.clone());
        }
    }
    for skill in skills.iter_mut().filter(|skill| twice.contains(&skill.path)) {
        skill.label = skill.uri.trim_end_matches(SKILL_MD).trim_end_matches('/').to_owned();
    }
}

fn skill_definition(skill: &ServerSkill) -> SkillDefinition {
    let files: BTreeMap<&str, &str> = skill.files.iter().map(|file| (&*file.path, &*file.digest)).collect();
    let whole = definition(&skill.front_matter, files);
    SkillDefinition { uri: skill.uri.clone(), label: skill.label.clone(), whole }
}
