//! Servers that have not listed their tools when a session begins. Their tools are added to the session later.

use std::sync::{Arc, Mutex, PoisonError};

use toolc_mcp::{ServerReport, ServerState, Servers};

use super::settings;
use crate::ground::show;

/// The servers whose tools are still missing in a session. Clones share the list.
#[derive(Clone, Default)]
pub(crate) struct LateServers {
    names: Arc<Mutex<Vec<String>>>,
    reports: Option<Arc<dyn Fn() -> Vec<ServerReport> + Send + Sync>>,
}

impl LateServers {
    pub(super) fn new(servers: &Servers) -> Self {
        let reports = servers.watch();
        let late = reports().into_iter().filter(|report| report.state == ServerState::Starting);
        let names = Arc::new(Mutex::new(late.map(|report| report.name).collect()));
        Self { names, reports: Some(Arc::new(reports)) }
    }

    /// Returns messages about the servers that have listed their tools, or have failed, since the last call.
    pub(crate) fn news(&self) -> Vec<String> {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(reports) = self.reports.as_ref().filter(|_| !names.is_empty()) else { return Vec::new() };
        let is_new = |report: &ServerReport| report.state != ServerState::Starting && names.contains(&report.name);
        let new: Vec<ServerReport> = reports().into_iter().filter(is_new).collect();
        names.retain(|name| !new.iter().any(|report| report.name == *name));
        new.iter().map(message).collect()
    }
}

fn message(report: &ServerReport) -> String {
    if let Some(problem) = settings::problem(report) {
        // A note must be a single line.
        return problem.replace("\n    ", "; ");
    }
    let (name, count) = (show::one_line(&report.name), report.tools.len());
    let added = if count == 1 { "tool is added" } else { "tools are added" };
    format!("the MCP server `{name}` has started: {count} {added}")
}
