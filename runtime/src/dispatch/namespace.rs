//! The namespaces of calls. A conversation can also have tools of other providers: of a server whose tools the vendor lists, or of a toolset
//! of the vendor that the host runs. These may have the names of tools of the turn, and only the namespace distinguishes them.

use crate::call::ToolCall;
use crate::registration::ids::ToolId;
use crate::result::error::{ErrorKind, ToolError};
use crate::session::turn::Turn;
use crate::text::display::short_name;

impl Turn {
    /// Returns an error if the call names a namespace other than that of the tool's definition in this turn. A call without a namespace is
    /// for the tools of the turn. Anthropic names only its own toolsets (`BetaToolUseBlock` of anthropic 2.14.0), and OpenAI the namespace
    /// that holds the definition (`NamespaceToolParam` of openai 3.57.0, both read on 2026-11-28).
    #[inline]
    pub(super) fn check_namespace(&self, call: &ToolCall<'_>) -> Result<(), ToolError> {
        if call.origin().namespace.is_empty() { Ok(()) } else { self.check_named(call) }
    }

    #[cold]
    fn check_named(&self, call: &ToolCall<'_>) -> Result<(), ToolError> {
        let namespace = &*call.origin().namespace;
        let tool = self.resolve_name(call.name());
        let own = tool.and_then(|id| self.namespace(id));
        if own == Some(namespace) {
            return Ok(());
        }
        let text = format!("unknown tool `{}` in the namespace `{}`", short_name(call.name()), short_name(namespace));
        let text = match (tool.map(|id| self.dialect_name(id)), own) {
            (Some(name), Some(own)) => format!("{text}: `{name}` is in the namespace `{own}`"),
            (Some(name), None) => format!("{text}: `{name}` has no namespace"),
            (None, _) => text,
        };
        Err(ToolError::with_kind(ErrorKind::UnknownTool, text))
    }

    /// Returns the namespace that holds the definition of a tool.
    fn namespace(&self, id: ToolId) -> Option<&str> {
        self.deferral().has_namespace(id).then(|| &*self.state().tool(id).toolset)
    }
}

#[cfg(all(test, feature = "search"))]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::call::origin::{CallKind, CallOrigin};
    use crate::data::dialect::Dialect;
    use crate::provider::dynamic::{DynamicTool, DynamicTools};
    use crate::registry::Registry;
    use crate::result::output::ToolOutput;
    use crate::search::ToolSearch;

    /// Returns a turn with the tools `ask`, which is always shown, and `find`.
    fn turn(dialect: Dialect, search: ToolSearch) -> Turn {
        let tool = |name: &'static str, toolset: &'static str| {
            let schema = json!({"type": "object", "properties": {}});
            DynamicTool::sync(name, "Does it.", schema, |_, _| Ok(ToolOutput::text("ran"))).toolset(toolset)
        };
        let registry = Registry::new();
        let tools = DynamicTools::new().tool(tool("ask", "talk").defer(false)).tool(tool("find", "crm"));
        registry.add(tools.build().unwrap()).unwrap();
        registry.session().tool_search(search).build().unwrap().turn_blocking(dialect)
    }

    /// Returns the answers to a call as a single call and in a batch.
    fn answers(turn: &Turn, kind: CallKind, name: &str, arguments: &str, namespace: &str) -> [String; 2] {
        let mut origin = CallOrigin::of(kind);
        namespace.clone_into(&mut origin.namespace);
        let call = ToolCall::new(name, arguments).with_origin(&origin);
        [turn.call_blocking(&call), turn.batch_blocking(&[call]).remove(0).response].map(|response| response.json)
    }

    #[test]
    fn a_call_in_the_namespace_of_others_runs_no_tool_of_the_same_name() {
        for dialect in [Dialect::Anthropic, Dialect::OpenAiResponses, Dialect::OpenAi] {
            let turn = turn(dialect, ToolSearch::with_threshold(10_000));
            for kind in [CallKind::Function, CallKind::Text] {
                for answer in answers(&turn, kind, "find", "{}", "browser") {
                    let text = "unknown tool `find` in the namespace `browser`: `find` has no namespace";
                    assert_eq!(answer, json!({"error": text, "kind": "unknown_tool"}).to_string(), "{dialect:?}");
                }
            }
            // `crm` is its toolset, but the definitions have no namespaces.
            assert!(answers(&turn, CallKind::Function, "find", "{}", "crm")[0].contains("has no namespace"));
            assert_eq!(answers(&turn, CallKind::Function, "find", "{}", "")[1], "\"ran\"");
        }
    }

    #[test]
    fn a_call_in_the_namespace_of_its_definition_runs_the_tool() {
        let turn = turn(Dialect::OpenAiResponses, ToolSearch::with_threshold(0).by_vendor());
        assert!(turn.definitions().contains(r#"{"type":"namespace","name":"crm""#));
        for (name, namespace) in [("find", "crm"), ("Find", "crm"), ("find", "")] {
            assert_eq!(answers(&turn, CallKind::Function, name, "{}", namespace), ["\"ran\"", "\"ran\""]);
        }
        for (name, namespace, error) in [
            ("find", "talk", "`find` is in the namespace `crm`"),
            ("ask", "talk", "`ask` has no namespace"),
            ("zip", "crm", "unknown tool `zip` in the namespace `crm`\""),
        ] {
            for answer in answers(&turn, CallKind::Function, name, "{}", namespace) {
                assert!(answer.contains(error), "{answer}");
            }
        }
    }

    #[test]
    fn a_call_of_tool_call_in_the_namespace_of_others_runs_nothing() {
        let turn = turn(Dialect::Anthropic, ToolSearch::with_threshold(0));
        let calls = r#"{"calls":[{"name":"find","arguments":{}}]}"#;
        assert_eq!(answers(&turn, CallKind::Function, "tool_call", calls, "")[0], "\"ran\"");
        for answer in answers(&turn, CallKind::Function, "tool_call", calls, "computer") {
            assert!(answer.contains("unknown tool `tool_call` in the namespace `computer`"), "{answer}");
        }
    }
}
