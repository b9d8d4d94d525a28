//! The configuration of a session: hooks, approver, time limits, limits of results, and storage.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::availability::selection::ToolSelection;
use crate::call::approval::Approver;
use crate::call::approval::SessionApprovals;
#[cfg(feature = "approval")]
use crate::call::approval::{memory::CommandMemory, policy::CommandApproval, queue::QuestionQueue};
use crate::call::hooks;
use crate::call::hooks::{CallInfo, Hook, HostError};
use crate::call::permissions::Permissions;
use crate::env::Env;
use crate::observe::trace;
use crate::result::limit::ResultLimits;
use crate::result::output::attempt;
use crate::result::spill::SpillStore;
use crate::run::cancel::CancelHandle;
use crate::run::progress::ProgressSink;
use crate::run::task::Task;
use crate::run::values::HostValues;

pub(crate) struct SessionConfig {
    /// The id of the session.
    pub(crate) id: String,
    /// The toolsets that the session enables and disables.
    pub(crate) selection: ToolSelection,
    /// The folder in which the host keeps what belongs to the user.
    pub(crate) home: Option<PathBuf>,
    /// The host's values for handlers.
    pub(crate) values: HostValues,
    /// The environment of the tools.
    pub(crate) env: Env,
    /// The handle that cancels the session's calls.
    pub(crate) cancel: CancelHandle,
    /// The task of calls that have no task of their own.
    pub(crate) task: Task,
    /// The time limit of calls, for tools that declare none.
    pub(crate) timeout: Duration,
    pub(crate) progress: Option<ProgressSink>,
    pub(crate) hooks: Vec<Arc<dyn Hook>>,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    /// The time limit of the approver.
    pub(crate) approval_timeout: Duration,
    pub(crate) approvals: SessionApprovals,
    /// Rules about calls of any tool.
    pub(crate) permissions: Option<Arc<dyn Permissions>>,
    /// How commands are judged, or `None` if they are not.
    #[cfg(feature = "approval")]
    pub(crate) commands: Option<CommandApproval>,
    #[cfg(feature = "approval")]
    pub(crate) command_memory: CommandMemory,
    /// The calls that wait for the approver, if commands are judged.
    #[cfg(feature = "approval")]
    pub(crate) questions: QuestionQueue,
    pub(crate) limits: ResultLimits,
    pub(crate) spill_store: Option<Arc<dyn SpillStore>>,
    /// The name of the tool with which the model reads stored results.
    pub(crate) spill_reader: Option<String>,
    /// Whether the host links to stored results, so that they are stored even if no tool can read them.
    pub(crate) links_spilled: bool,
    #[cfg(feature = "search")]
    pub(crate) search: Option<crate::render::search_tools::ToolSearch>,
}

impl SessionConfig {
    /// Reports a failure of a part of the host to every hook. Failures of `on_host_error` itself are ignored.
    pub(crate) fn report_host_error(&self, call: &CallInfo<'_>, error: &HostError<'_>) {
        trace::host_error(call, error);
        for hook in &self.hooks {
            let _ = attempt(|| {
                hook.on_host_error(call, error);
                Ok(())
            });
        }
    }
}

impl Default for SessionConfig {
    fn default() -> Self {
        Self {
            id: String::new(),
            selection: ToolSelection::default(),
            home: None,
            values: HostValues::new(),
            env: Env::process(),
            cancel: CancelHandle::new(),
            task: Task::new(Task::DEFAULT),
            timeout: Duration::from_mins(5),
            progress: None,
            hooks: Vec::new(),
            approver: None,
            approval_timeout: Duration::from_mins(1),
            approvals: SessionApprovals::default(),
            permissions: None,
            #[cfg(feature = "approval")]
            commands: None,
            #[cfg(feature = "approval")]
            command_memory: CommandMemory::default(),
            #[cfg(feature = "approval")]
            questions: QuestionQueue::default(),
            limits: ResultLimits::default(),
            spill_store: None,
            spill_reader: None,
            links_spilled: false,
            #[cfg(feature = "search")]
            search: None,
        }
    }
}

impl fmt::Debug for SessionConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hooks: Vec<&str> = self.hooks.iter().map(|hook| hooks::name(&**hook)).collect();
        f.debug_struct("SessionConfig")
            .field("id", &self.id)
            .field("selection", &self.selection)
            .field("timeout", &self.timeout)
            .field("hooks", &hooks)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
