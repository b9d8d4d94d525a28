//! Servers that have not listed their tools when a session begins. The first turn waits a moment for them; the tools of slower servers are
//! added to the session later.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use toolc_mcp::{ServerReport, ServerSkills, ServerState, Servers};

use super::settings;
use super::skills::front_matter;
use crate::ground::show;

/// The time between two looks at the state of the servers.
const POLL: Duration = Duration::from_millis(10);

/// The servers whose tools are still missing in a session. Clones share the list.
#[derive(Clone, Default)]
pub(crate) struct LateServers {
    names: Arc<Mutex<Vec<String>>>,
    reports: Option<Arc<dyn Fn() -> Vec<ServerReport> + Send + Sync>>,
    release: Option<Arc<dyn Fn() + Send + Sync>>,
    skills: Option<ServerSkills>,
    /// Until when the first turn waits, unless the servers were waited for before.
    deadline: Option<Instant>,
    /// Whether the end of the wait was reported.
    has_waited: Arc<AtomicBool>,
}

impl LateServers {
    pub(super) fn new(servers: &Servers, deadline: Option<Instant>) -> Self {
        let reports = servers.watch();
        let late = reports().into_iter().filter(|report| report.state == ServerState::Starting);
        let names = Arc::new(Mutex::new(late.map(|report| report.name).collect()));
        let release: Arc<dyn Fn() + Send + Sync> = Arc::new(servers.releaser());
        let (reports, release, skills) =
            (Some(Arc::new(reports) as Arc<_>), Some(release), Some(servers.skills(front_matter)));
        Self { names, reports, release, skills, deadline, has_waited: Arc::default() }
    }

    /// Starts the servers, if they are not started yet.
    pub(crate) fn release(&self) {
        self.release.iter().for_each(|release| release());
    }

    /// Returns the names of the servers for which the first turn will wait.
    pub(crate) fn awaited(&self) -> Vec<String> {
        let is_awaited = self.deadline.is_some() && !self.has_waited.load(Ordering::Relaxed);
        if is_awaited { self.names().clone() } else { Vec::new() }
    }

    /// Waits until the servers have listed their tools and skills or have failed, or until the time of the first turn has passed. Returns messages
    /// about servers that cannot be used, or are still starting, once. A server that has started is not mentioned.
    pub(crate) async fn wait(&self) -> Vec<String> {
        self.release();
        let (Some(deadline), Some(reports)) = (self.deadline, &self.reports) else { return Vec::new() };
        let is_late = |report: &ServerReport| self.names().contains(&report.name);
        let is_starting = |report: &ServerReport| report.state == ServerState::Starting && is_late(report);
        let is_listing = || self.skills.as_ref().is_some_and(ServerSkills::is_listing);
        while Instant::now() < deadline && (reports().iter().any(is_starting) || is_listing()) {
            tokio::time::sleep(POLL).await;
        }
        if self.has_waited.swap(true, Ordering::Relaxed) {
            return Vec::new();
        }
        let late: Vec<ServerReport> = reports().into_iter().filter(is_late).collect();
        self.names()
            .retain(|name| late.iter().any(|report| report.name == *name && report.state == ServerState::Starting));
        late.iter().filter_map(settings::warning).map(|warning| as_note(&warning)).collect()
    }

    /// Returns messages about the servers that have listed their tools, or have failed, since the last call.
    pub(crate) fn news(&self) -> Vec<String> {
        let mut names = self.names();
        let Some(reports) = self.reports.as_ref().filter(|_| !names.is_empty()) else { return Vec::new() };
        let is_new = |report: &ServerReport| report.state != ServerState::Starting && names.contains(&report.name);
        let new: Vec<ServerReport> = reports().into_iter().filter(is_new).collect();
        names.retain(|name| !new.iter().any(|report| report.name == *name));
        new.iter().map(message).collect()
    }

    fn names(&self) -> MutexGuard<'_, Vec<String>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn message(report: &ServerReport) -> String {
    if let Some(problem) = settings::warning(report) {
        return as_note(&problem);
    }
    let (name, count) = (show::one_line(&report.name), report.tools.len());
    let added = if count == 1 { "tool is added" } else { "tools are added" };
    format!("the MCP server `{name}` has started: {count} {added}")
}

/// Returns a message as a single line.
fn as_note(problem: &str) -> String {
    problem.replace("\n    ", "; ")
}
