//! Who may call a tool. Vendors do not enforce the list of callers, so the runtime does.

use crate::call::ToolCall;
use crate::call::origin::Caller;
use crate::data::behaviour::Callers;
use crate::registration::ids::ToolId;
use crate::result::error::{ErrorKind, ToolError};
use crate::session::turn::Turn;

impl Turn {
    /// Returns an error if the caller may not call the tool. Scripts are checked elsewhere. In a dialect that is not for a model's API, the
    /// caller is unknown: an MCP client, or code that the host runs, may call every tool that is shown.
    #[inline]
    pub(super) fn check_caller(&self, id: ToolId, request: &ToolCall<'_>) -> Result<(), ToolError> {
        let Callers { model, code } = self.plan(id).callers;
        match request.caller() {
            _ if !self.dialect().is_of_model_api() => Ok(()),
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::call::origin::{CallKind, CallOrigin};
    use crate::data::dialect::Dialect;
    use crate::provider::dynamic::DynamicTool;
    use crate::registry::Registry;
    use crate::result::output::ToolOutput;

    fn turn(dialect: Dialect) -> Turn {
        let registry = Registry::new();
        for (name, callers) in [("by_model", Callers::MODEL), ("by_code", Callers::CODE), ("by_both", Callers::BOTH)] {
            let schema = json!({"type": "object"});
            let tool = DynamicTool::sync(name, "Ends.", schema, |_, _| Ok(ToolOutput::text("ran")));
            registry.add(tool.callers(callers).build().unwrap()).unwrap();
        }
        registry.session().build().unwrap().turn_blocking(dialect)
    }

    #[test]
    fn a_caller_that_the_tool_does_not_list_is_refused() {
        let turn = turn(Dialect::Anthropic);
        let mut code = CallOrigin::of(CallKind::Function);
        code.program = Some("p1".to_owned());
        for (name, by_model, by_code) in [("by_model", true, false), ("by_code", false, true), ("by_both", true, true)]
        {
            let direct = turn.call_blocking(&ToolCall::new(name, "{}"));
            let from_code = turn.call_blocking(&ToolCall::new(name, "{}").with_origin(&code));
            for (response, may_call) in [(direct, by_model), (from_code, by_code)] {
                assert_eq!(response.error, (!may_call).then_some(ErrorKind::Refused), "{name}: {}", response.json);
            }
        }
    }

    #[test]
    fn every_shown_tool_can_be_called_if_the_caller_is_unknown() {
        for dialect in [Dialect::Mcp, Dialect::TypeScript] {
            let turn = turn(dialect);
            for name in ["by_model", "by_code", "by_both"] {
                assert_eq!(turn.call_blocking(&ToolCall::new(name, "{}")).json, "\"ran\"", "{dialect:?}: {name}");
            }
        }
    }

    #[test]
    fn a_tool_for_code_alone_is_hidden_where_the_model_would_call_it() {
        for dialect in [Dialect::OpenAi, Dialect::Gemini, Dialect::GeminiInteractions] {
            let shown: Vec<String> = turn(dialect).tools().map(str::to_owned).collect();
            assert_eq!(shown, ["by_both", "by_model"], "{dialect:?}");
        }
    }
}
