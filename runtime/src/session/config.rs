//! What a session's host has set for all of its calls: who watches, who is asked, how long they may take, how much is
//! said, where the rest is kept.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::availability::selection::ToolSelection;
use crate::call::approval::Approver;
use crate::call::approval::SessionApprovals;
use crate::call::hooks;
use crate::call::hooks::{CallInfo, Hook, HostError};
use crate::data::env::Env;
use crate::observe::trace;
use crate::result::limit::ResultLimits;
use crate::result::output::attempt;
use crate::result::spill::SpillStore;
use crate::run::cancel::CancelHandle;
use crate::run::progress::ProgressSink;
use crate::run::task::Task;

pub(crate) struct SessionConfig {
    /// What the host calls the session.
    pub(crate) id: String,
    /// The toolsets that the session grants, and those that it takes away.
    pub(crate) choice: ToolSelection,
    /// What the tools are offered in.
    pub(crate) env: Env,
    /// Stops the session's calls.
    pub(crate) cancel: CancelHandle,
    /// The task of calls that name none.
    pub(crate) task: Task,
    /// How long a call may take whose tool does not say.
    pub(crate) timeout: Duration,
    pub(crate) progress: Option<ProgressSink>,
    pub(crate) hooks: Vec<Arc<dyn Hook>>,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    /// How long it is waited for.
    pub(crate) patience: Duration,
    pub(crate) allowed: SessionApprovals,
    pub(crate) limits: ResultLimits,
    pub(crate) spill: Option<Arc<dyn SpillStore>>,
    #[cfg(feature = "search")]
    pub(crate) search: Option<crate::render::search_tools::ToolSearch>,
}

impl SessionConfig {
    /// Notes a fault: every hook is told, and one that fails at that, too, has had its chance.
    pub(crate) fn note(&self, call: &CallInfo<'_>, fault: &HostError<'_>) {
        trace::fault(call, fault);
        for hook in &self.hooks {
            let _ = attempt(|| {
                hook.fault(call, fault);
                Ok(())
            });
        }
    }
}

impl Default for SessionConfig {
    fn default() -> Self {
        Self {
            id: String::new(),
            choice: ToolSelection::default(),
            env: Env::process(),
            cancel: CancelHandle::new(),
            task: Task::new(Task::DEFAULT),
            timeout: Duration::from_mins(5),
            progress: None,
            hooks: Vec::new(),
            approver: None,
            patience: Duration::from_mins(1),
            allowed: SessionApprovals::default(),
            limits: ResultLimits::default(),
            spill: None,
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
            .field("choice", &self.choice)
            .field("timeout", &self.timeout)
            .field("hooks", &hooks)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
