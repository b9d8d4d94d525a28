//! Calls that outlive the response of the model that they come from.

use std::sync::Arc;

use crate::call::ToolCall;
use crate::call::origin::CallOrigin;
use crate::run::cancel::{CancelEpoch, OwnedEpoch};
use crate::run::task::TaskInner;
use crate::run::values::HostValues;

/// An owned [`ToolCall`].
#[derive(Clone)]
pub(crate) struct OwnedToolCall {
    name: String,
    arguments: String,
    id: String,
    origin: CallOrigin,
    /// The task, with its cancel count at the start of the call.
    task: Option<(Arc<TaskInner>, OwnedEpoch)>,
    cancel: Option<OwnedEpoch>,
    values: Option<HostValues>,
    is_from_script: bool,
}

impl ToolCall<'_> {
    /// Returns an owned copy.
    pub(crate) fn to_owned_call(self) -> OwnedToolCall {
        OwnedToolCall {
            name: self.name.to_owned(),
            arguments: self.arguments.to_owned(),
            id: self.id.to_owned(),
            origin: self.origin.clone(),
            task: self.task.map(|(task, epoch)| (Arc::clone(task), epoch.to_owned_epoch())),
            cancel: self.cancel.map(CancelEpoch::to_owned_epoch),
            values: self.values.cloned(),
            is_from_script: self.is_from_script,
        }
    }
}

impl OwnedToolCall {
    pub(crate) fn borrow(&self) -> ToolCall<'_> {
        ToolCall {
            name: &self.name,
            arguments: &self.arguments,
            id: &self.id,
            origin: &self.origin,
            task: self.task.as_ref().map(|(task, epoch)| (task, epoch.borrow())),
            cancel: self.cancel.as_ref().map(OwnedEpoch::borrow),
            values: self.values.as_ref(),
            is_from_script: self.is_from_script,
        }
    }
}
