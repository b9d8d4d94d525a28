//! What a host says of every call of a session: who watches, who is asked, how much is said, where the rest is kept.

use std::fmt;
use std::sync::Arc;

use crate::approval::Allowed;
use crate::{Approver, CallInfo, Fault, Hook, ResultLimits, Spill, hooks};

#[derive(Default)]
pub(crate) struct Host {
    pub(crate) hooks: Vec<Arc<dyn Hook>>,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    pub(crate) allowed: Allowed,
    pub(crate) limits: ResultLimits,
    pub(crate) spill: Option<Arc<dyn Spill>>,
}

impl Host {
    /// Notes a fault: every hook is told, and one that fails at that, too, has had its chance.
    pub(crate) fn note(&self, call: &CallInfo<'_>, fault: &Fault<'_>) {
        for hook in &self.hooks {
            let _ = hooks::attempt(|| {
                hook.fault(call, fault);
                Ok(())
            });
        }
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hooks: Vec<&str> = self.hooks.iter().map(|hook| hooks::name(&**hook)).collect();
        f.debug_struct("Host").field("hooks", &hooks).field("limits", &self.limits).finish_non_exhaustive()
    }
}
