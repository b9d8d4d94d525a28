//! Definitions for the search of a vendor: deferred tools are marked, so that the model sees them after it has found them.

use std::fmt::Write as _;

use crate::data::dialect::{VendorListing, VendorSearch};
use crate::registration::ids::ToolId;
use crate::registration::rendered::RenderedDefinitions;
use crate::render::DefinitionsRenderer;
use crate::render::listing::first_sentence;
use crate::text::json;

impl DefinitionsRenderer<'_> {
    /// Returns the `deferrable` tools that are deferred for the vendor's search. At least one tool of the turn is not deferred, so that the
    /// model sees what a definition looks like. If all tools are deferrable, this is the tool with the smallest definition.
    pub(crate) fn deferred_by_vendor(self, mut deferrable: Vec<ToolId>) -> Vec<ToolId> {
        if deferrable.len() == self.tools.len() {
            let smallest = deferrable.iter().copied().min_by_key(|&id| (self.definitions[id].max_len(), id));
            deferrable.retain(|&id| Some(id) != smallest);
        }
        deferrable
    }

    /// Renders the definitions of all tools. The `deferred` tools are marked. If the vendor has namespaces, they are in namespaces.
    pub(crate) fn render_for_vendor_search(self, deferred: &[ToolId], search: &VendorSearch) -> RenderedDefinitions {
        let is_deferred = |id: &ToolId| deferred.binary_search(id).is_ok();
        let mut output = RenderedDefinitions::begin(self.dialect, 0);
        if search.listing == VendorListing::Namespaces {
            for &id in self.tools.iter().filter(|id| !is_deferred(id)) {
                self.push_definition(id, &mut output);
            }
            self.push_namespaces(deferred, &mut output);
        } else {
            for &id in self.tools {
                if is_deferred(&id) {
                    let mut text = String::new();
                    self.write_deferred(id, search.listing, &mut text);
                    output.push(self.dialect, &text);
                } else {
                    self.push_definition(id, &mut output);
                }
            }
        }
        output.close(self.dialect)
    }

    /// Appends a namespace for each home toolset of the deferred tools, sorted by name.
    fn push_namespaces(self, deferred: &[ToolId], output: &mut RenderedDefinitions) {
        let mut by_toolset: Vec<(&str, ToolId)> =
            deferred.iter().map(|&id| (&*self.state.tool(id).toolset, id)).collect();
        by_toolset.sort_unstable();
        for tools in by_toolset.chunk_by(|(a, _), (b, _)| a == b) {
            let toolset = tools[0].0;
            let mut text = String::from(r#"{"type":"namespace","name":"#);
            json::push_string(&mut text, toolset);
            text.push_str(r#","description":"#);
            match self.state.toolset_description(toolset) {
                "" => json::push_string(&mut text, &format!("The tools of `{toolset}`.")),
                description => json::push_string(&mut text, description),
            }
            text.push_str(r#","tools":["#);
            for (at, (_, id)) in tools.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                self.write_deferred(*id, VendorListing::Namespaces, &mut text);
            }
            text.push_str("]}");
            output.push(self.dialect, &text);
        }
    }

    /// Writes the definition of a deferred tool.
    fn write_deferred(self, id: ToolId, listing: VendorListing, out: &mut String) {
        self.write(id, out);
        // A definition is an object with entries.
        if out.ends_with('}') {
            out.pop();
            out.push_str(r#","defer_loading":true"#);
            if listing == VendorListing::ShortDescriptions {
                let _ = write!(out, r#","short_description":"#);
                json::push_string(out, &first_sentence(&self.state.tool(id).description));
            }
            out.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::call::ToolCall;
    use crate::data::catalog::Toolset;
    use crate::data::dialect::Dialect;
    use crate::fakes::wait;
    use crate::provider::dynamic::{DynamicTool, DynamicTools};
    use crate::registry::Registry;
    use crate::result::error::ErrorKind;
    use crate::result::output::ToolOutput;
    use crate::search::ToolSearch;
    use crate::session::turn::Turn;

    /// Returns a turn in which tool search defers every tool that may be deferred.
    fn turn_in(dialect: Dialect, all_may_be_deferred: bool) -> Turn {
        let tool = |name: &'static str, toolset: &'static str, defer| {
            let schema = json!({"type": "object", "properties": {}});
            let tool = DynamicTool::sync(name, "Does it. In detail.", schema, |_, _| Ok(ToolOutput::text("done")));
            tool.toolset(toolset).defer(defer)
        };
        let mut crm = Toolset::new("crm");
        crm.description = "Customers and orders.".into();
        let tools = DynamicTools::new()
            .tools([tool("find_order", "crm", true), tool("ask", "talk", all_may_be_deferred)])
            .tools([tool("add_order", "crm", true), tool("zip", "files", true)])
            .toolset(crm);
        let registry = Registry::new();
        registry.add(tools.build().unwrap()).unwrap();
        let session = registry.session().tool_search(ToolSearch::with_threshold(0).by_vendor());
        session.build().unwrap().turn_blocking(dialect)
    }

    fn tools(turn: &Turn) -> Vec<Value> {
        serde_json::from_str(&turn.request_tools()).unwrap()
    }

    #[test]
    fn deferred_tools_are_marked_and_the_request_has_the_search() {
        let tools = tools(&turn_in(Dialect::Anthropic, false));
        let deferred = tools.iter().filter(|tool| tool["defer_loading"] == true).map(|tool| &tool["name"]);
        assert_eq!(deferred.collect::<Vec<_>>(), ["add_order", "find_order", "zip"]);
        assert_eq!(tools.last().unwrap()["type"], "tool_search_tool_bm25_20251119");
    }

    #[test]
    fn responses_has_a_namespace_for_each_home_toolset() {
        let tools = tools(&turn_in(Dialect::OpenAiResponses, false));
        let [ask, crm, files, search] = tools.as_slice() else { panic!("{tools:?}") };
        assert_eq!((&ask["name"], ask.get("defer_loading")), (&json!("ask"), None));
        assert_eq!((&crm["type"], &crm["description"]), (&json!("namespace"), &json!("Customers and orders.")));
        assert_eq!(crm["tools"].as_array().unwrap().len(), 2);
        assert_eq!((&files["name"], &files["description"]), (&json!("files"), &json!("The tools of `files`.")));
        assert_eq!((&files["tools"][0]["defer_loading"], search), (&json!(true), &json!({"type": "tool_search"})));
    }

    #[test]
    fn interactions_shows_the_first_sentence_of_a_deferred_tool() {
        let tools = tools(&turn_in(Dialect::GeminiInteractions, false));
        assert_eq!(tools[0]["short_description"], "Does it.");
    }

    #[test]
    fn one_tool_is_never_deferred() {
        let turn = turn_in(Dialect::Anthropic, true);
        let tools = tools(&turn);
        let shown = tools.iter().filter(|tool| tool["input_schema"].is_object() && tool.get("defer_loading").is_none());
        assert_eq!(shown.map(|tool| &tool["name"]).collect::<Vec<_>>(), ["ask"], "the smallest");
        assert_eq!(turn.deferred().count(), 3);
    }

    #[test]
    fn the_tools_of_toolc_are_absent_and_deferred_tools_can_be_called() {
        let turn = turn_in(Dialect::Anthropic, false);
        let search = wait(turn.call(&ToolCall::new("tool_search", r#"{"queries":["order"]}"#)));
        assert_eq!(search.error, Some(ErrorKind::UnknownTool));
        assert_eq!(wait(turn.call(&ToolCall::new("find_order", "{}"))).json, "\"done\"");
        let elsewhere = turn_in(Dialect::OpenAi, false);
        assert!(elsewhere.definitions().contains("tool_search") && elsewhere.vendor_tools().is_empty());
    }
}
