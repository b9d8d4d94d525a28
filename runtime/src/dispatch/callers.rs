//! Who may call a tool. A vendor shows a tool to the model with this in mind, but does not enforce it.

use crate::call::ToolCall;
use crate::call::origin::Caller;
use crate::data::behaviour::Callers;
use crate::registration::ids::ToolId;
use crate::result::error::{ErrorKind, ToolError};
use crate::session::turn::Turn;

impl Turn {
    /// Returns an error if the caller may not call the tool. Scripts are checked elsewhere. In a dialect for code mode, all calls come from
    /// code that the host runs, which may call every tool that it was shown.
    #[inline]
    pub(super) fn check_caller(&self, id: ToolId, request: &ToolCall<'_>) -> Result<(), ToolError> {
        let Callers { model, code } = self.plan(id).callers;
        match request.caller() {
            _ if !self.dialect().is_json() => Ok(()),
            Caller::Model if !model => Err(self.refuse_caller(id, "the model", "call it from code")),
            Caller::Program { .. } if !code => Err(self.refuse_caller(id, "code", "call it directly")),
            _ => Ok(()),
        }
    }

    #[cold]
    fn refuse_caller(&self, id: ToolId, who: &str, instead: &str) -> ToolError {
        let text = format!("{who} cannot call `{}`: {instead}", self.dialect_name(id));
        ToolError::with_kind(ErrorKind::Refused, text)
    }
}
