//! The settings that differ between the agents of a process.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use toolc::Registry;
use toolc::approval::Approver;
use toolc_agent::BoardWorker;
use toolc_cli::Selection;
use toolc_store::SessionInfo;

use super::budget::Budget;
use super::calls::CallLog;
use super::event::Observer;
use super::undo::TurnChanges;
use crate::models::Spending;
use crate::sources::instructions::Instructions;

/// The tool with which a model starts helpers.
pub(super) const DELEGATE_TASK: &str = "delegate_task";

/// The tools that helpers do not have: these tools ask or write to the user, outlast the task, or call other tools from a script. Helpers
/// only read boards, because no card is assigned to them. `delegate_task` is added for helpers that may not start helpers.
const BLOCKED: [&str; 16] = [
    "clarify",
    "cronjob",
    "execute_code",
    "kanban_attach",
    "kanban_attach_url",
    "kanban_block",
    "kanban_comment",
    "kanban_complete",
    "kanban_create",
    "kanban_heartbeat",
    "kanban_link",
    "kanban_request_changes",
    "kanban_request_review",
    "kanban_unblock",
    "memory",
    "send_message",
];

/// The settings that differ between the agents of a process.
pub(crate) struct Plan<'a> {
    pub(crate) selection: &'a Selection,
    /// Toolsets to enable instead of the selected ones.
    pub(crate) toolsets: Option<Vec<String>>,
    pub(crate) source: &'static str,
    pub(crate) observer: Observer,
    /// The approver of calls that need approval.
    pub(crate) approver: Option<Arc<dyn Approver>>,
    /// A conversation to continue.
    pub(crate) resume: Option<&'a SessionInfo>,
    /// The card of a board that the agent works on. With a card, the toolset `kanban` is enabled as well.
    pub(crate) worker: Option<BoardWorker>,
    /// The settings of a helper, if the agent is one.
    pub(crate) helper: Option<HelperPlan>,
    /// The skills that a job or a card names.
    pub(crate) skills: Vec<String>,
}

impl Plan<'_> {
    /// Returns the name of the conversation, unless it is a new one.
    pub(super) fn name(&self) -> Option<&str> {
        match (&self.helper, self.resume) {
            (Some(helper), _) => Some(&helper.name),
            (None, Some(info)) => Some(&info.name),
            (None, None) => None,
        }
    }
}

/// The settings of the agent of a helper.
#[derive(Clone)]
pub(crate) struct HelperPlan {
    /// The name of the conversation and the task of the helper.
    pub(super) name: String,
    /// Where the calls of the helper are recorded.
    pub(super) calls: CallLog,
    /// How many levels of helpers may be below this one.
    pub(super) levels: u32,
    pub(super) budget: Arc<Budget>,
    pub(super) latest: Arc<AtomicU32>,
    /// The instructions of the parent.
    pub(super) instructions: Arc<Instructions>,
    /// What the turn of the parent has changed.
    pub(super) changes: TurnChanges,
    /// What the parent and its helpers may spend together.
    pub(super) spending: Option<Arc<Spending>>,
}

/// Returns the tools of the registry that are disabled for a helper with so many levels of helpers below it.
pub(super) fn blocked_tools(levels: u32, registry: &Registry) -> Vec<String> {
    let delegation = (levels == 0).then_some(DELEGATE_TASK);
    let blocked = BLOCKED.into_iter().chain(delegation);
    blocked.filter(|name| registry.tool(name).is_some()).map(ToOwned::to_owned).collect()
}
