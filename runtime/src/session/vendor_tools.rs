//! The vendors' own tools that a request needs besides the definitions of a turn.

use crate::session::turn::Turn;

impl Turn {
    /// Returns the vendor's own tools that a request with the [definitions](Self::definitions) needs, each as the JSON text of an item
    /// of `tools`:
    ///
    /// - the vendor's search, if tools are deferred for it: see [`ToolSearch::by_vendor`](crate::search::ToolSearch::by_vendor)
    /// - the tool that runs code, if code may call a tool of the turn: see [`Callers`](crate::behaviour::Callers)
    ///
    /// Neither needs a beta header.
    pub fn vendor_tools(&self) -> Vec<&'static str> {
        let by_code = |id| self.plan(id).callers.code;
        let code_tool = self.dialect().shape().code_tool;
        let code_tool = code_tool.filter(|_| self.tool_ids().iter().any(|&id| by_code(id)));
        self.deferral().vendor_tool().into_iter().chain(code_tool).collect()
    }

    /// Returns the [definitions](Self::definitions) together with the [tools of the vendor](Self::vendor_tools): the text of one JSON
    /// array, for the key `tools` of a request. In a dialect that [is not JSON](crate::Dialect::is_json), this is the same as the
    /// definitions.
    pub fn request_tools(&self) -> String {
        let mut tools = self.definitions().to_owned();
        for tool in self.vendor_tools() {
            if tools.pop() == Some(']') {
                if !tools.ends_with('[') {
                    tools.push(',');
                }
                tools.push_str(tool);
                tools.push(']');
            }
        }
        tools
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::data::behaviour::Callers;
    use crate::data::dialect::Dialect;
    use crate::provider::dynamic::DynamicTool;
    use crate::registry::Registry;
    use crate::result::output::ToolOutput;

    fn turn(dialect: Dialect, callers: &[(&'static str, Callers)]) -> Turn {
        let registry = Registry::new();
        for (name, callers) in callers {
            let schema = json!({"type": "object"});
            let tool = DynamicTool::sync(*name, "Does it.", schema, |_, _| Ok(ToolOutput::text("")));
            registry.add(tool.callers(*callers).build().unwrap()).unwrap();
        }
        registry.session().build().unwrap().turn_blocking(dialect)
    }

    #[test]
    fn a_request_has_the_code_tool_if_code_may_call_a_tool() {
        for (dialect, kind) in
            [(Dialect::Anthropic, "code_execution_20260120"), (Dialect::OpenAiResponses, "programmatic_tool_calling")]
        {
            let with = turn(dialect, &[("a", Callers::MODEL), ("b", Callers::BOTH)]);
            let tools: Value = serde_json::from_str(&with.request_tools()).unwrap();
            assert_eq!((tools.as_array().unwrap().len(), &tools[2]["type"]), (3, &json!(kind)));
            let without = turn(dialect, &[("a", Callers::MODEL)]);
            assert_eq!(without.request_tools(), without.definitions());
        }
        let none = turn(Dialect::OpenAi, &[("b", Callers::BOTH)]);
        assert_eq!((none.vendor_tools().len(), &*none.request_tools()), (0, none.definitions()));
    }
}
