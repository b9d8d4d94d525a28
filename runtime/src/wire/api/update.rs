//! Tools that change within a conversation. If the definitions in a request change, the prompt cache is lost, so some APIs accept the
//! change as a message at the end of the conversation instead.

use serde_json::value::RawValue;

use crate::session::turn::Turn;
use crate::wire::Api;

/// How a conversation continues after its tools have changed: see [`Api::tool_update`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ToolUpdate {
    /// Both turns have the same definitions. Send those that the conversation began with.
    Unchanged,
    /// Append messages, and send the definitions that the conversation began with.
    Append(AppendedTools),
    /// Send the definitions of the later turn. The prompt cache is lost.
    Replace,
}

/// A change of the tools as messages.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AppendedTools {
    /// The messages to append to the conversation, after the last message of the user or the last results. May be empty. Anthropic
    /// refuses them elsewhere: the next message must be the model's. If the model [paused](crate::wire::Stop::Paused), append them only
    /// after its next response.
    pub messages: Vec<Box<RawValue>>,
    /// The beta features to name in the header `anthropic-beta`, in this request and all later ones of the conversation.
    pub betas: &'static [&'static str],
    /// The `tool_choice` of this request and of later ones, until the next change. If it is `None`, send no `tool_choice`, and drop that
    /// of an earlier change.
    pub tool_choice: Option<Box<RawValue>>,
}

impl Api {
    /// Returns how a conversation continues if its tools change from those of `earlier` to those of `later`. Both must be turns of the same
    /// session, in a dialect of this API. Run calls with `later`, which refuses a tool that was removed.
    ///
    /// Anthropic and OpenAI's Responses accept added and removed tools as messages, and Anthropic also accepts changed definitions. The
    /// other APIs accept no such messages.
    ///
    /// ```
    /// use toolc::wire::{Api, ToolUpdate};
    /// use toolc::{RawValue, Turn};
    ///
    /// /// Returns the definitions for the next request. `sent` are those of the request before. A host also sends `betas` and `tool_choice`.
    /// fn definitions(
    ///     api: Api,
    ///     sent: String,
    ///     earlier: &Turn,
    ///     later: &Turn,
    ///     conversation: &mut Vec<Box<RawValue>>,
    /// ) -> String {
    ///     match api.tool_update(earlier, later) {
    ///         ToolUpdate::Append(appended) => conversation.extend(appended.messages),
    ///         ToolUpdate::Replace => return later.request_tools(),
    ///         _ => {}
    ///     }
    ///     sent
    /// }
    /// # let turn = toolc::Registry::new().session().build().unwrap().turn_blocking(toolc::Dialect::OpenAi);
    /// # let api = Api::from_dialect(toolc::Dialect::OpenAi).unwrap();
    /// # assert_eq!(definitions(api, "[]".to_owned(), &turn, &turn, &mut Vec::new()), "[]");
    /// ```
    pub fn tool_update(self, earlier: &Turn, later: &Turn) -> ToolUpdate {
        let changes = later.changes_since(earlier);
        if changes.is_empty() {
            // The list of deferred tools may differ.
            let is_same = earlier.definitions() == later.definitions();
            return if is_same { ToolUpdate::Unchanged } else { ToolUpdate::Replace };
        }
        // The tools of the vendor are part of the request, not of the conversation.
        if earlier.vendor_tools() != later.vendor_tools() {
            return ToolUpdate::Replace;
        }
        (self.vendor().tool_update)(later, &changes).map_or(ToolUpdate::Replace, ToolUpdate::Append)
    }
}

/// Returns the definition of a tool after the change.
#[cfg(any(feature = "wire-anthropic", feature = "wire-openai"))]
pub(super) fn definition(later: &Turn, change: &crate::call::changes::ToolChange<'_>) -> Option<serde_json::Value> {
    let id = later.find(change.name)?;
    serde_json::from_str(&later.definition(id)).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::data::dialect::Dialect;
    use crate::provider::dynamic::DynamicTool;
    use crate::registry::Registry;
    use crate::result::output::ToolOutput;
    use crate::search::ToolSearch;

    fn registry(names: &[&'static str], description: &'static str) -> Registry {
        let registry = Registry::new();
        for name in names {
            let schema = json!({"type": "object", "properties": {}});
            let tool = DynamicTool::sync(*name, description, schema, |_, _| Ok(ToolOutput::text("")));
            registry.add(tool.build().unwrap()).unwrap();
        }
        registry
    }

    fn turn(names: &[&'static str], dialect: Dialect) -> Turn {
        registry(names, "Does it.").session().build().unwrap().turn_blocking(dialect)
    }

    fn appended(api: Api, dialect: Dialect, before: &[&'static str], after: &[&'static str]) -> AppendedTools {
        match api.tool_update(&turn(before, dialect), &turn(after, dialect)) {
            ToolUpdate::Append(appended) => appended,
            other => panic!("{other:?}"),
        }
    }

    fn json(text: &RawValue) -> Value {
        serde_json::from_str(text.get()).unwrap()
    }

    #[test]
    fn anthropic_takes_added_and_removed_tools_as_blocks_of_a_system_message() {
        let update = appended(Api::Anthropic, Dialect::Anthropic, &["mail", "zip"], &["draw", "zip"]);
        let expected = json!({"role": "system", "content": [
            {"type": "tool_removal", "tool": {"type": "tool_reference", "name": "mail"}},
            {"type": "tool_addition", "tool": {"type": "tool_definition", "definition": {
                "name": "draw", "description": "Does it.", "input_schema": {"type": "object", "properties": {}},
            }}},
        ]});
        assert_eq!(json(&update.messages[0]), expected);
        assert!(update.messages.len() == 1 && update.betas.len() == 2 && update.tool_choice.is_none());
    }

    #[test]
    fn responses_takes_added_tools_as_an_item_and_removed_ones_as_a_choice() {
        let dialect = Dialect::OpenAiResponses;
        let update = appended(Api::Responses, dialect, &["mail", "zip"], &["draw", "zip"]);
        assert_eq!(json(&update.messages[0])["tools"][0]["name"], "draw");
        let choice = json(update.tool_choice.as_deref().unwrap());
        let expected = json!([{"type": "function", "name": "draw"}, {"type": "function", "name": "zip"}]);
        assert_eq!((&choice["type"], &choice["tools"]), (&json!("allowed_tools"), &expected));
        assert!(appended(Api::Responses, dialect, &["mail", "zip"], &["zip"]).messages.is_empty());
    }

    #[test]
    fn only_anthropic_takes_a_changed_definition() {
        for (api, dialect) in [(Api::Anthropic, Dialect::Anthropic), (Api::Responses, Dialect::OpenAiResponses)] {
            let other = registry(&["mail"], "Sends it.").session().build().unwrap().turn_blocking(dialect);
            match api.tool_update(&turn(&["mail"], dialect), &other) {
                ToolUpdate::Append(appended) if api == Api::Anthropic => {
                    let block = &json(&appended.messages[0])["content"][0];
                    assert_eq!(block["tool"]["definition"]["description"], "Sends it.", "{block}");
                }
                ToolUpdate::Replace if api == Api::Responses => {}
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_request_that_needs_other_tools_of_the_vendor_has_the_new_definitions() {
        let dialect = Dialect::Anthropic;
        let searched = registry(&["mail", "zip"], "Does it.").session();
        let searched = searched.tool_search(ToolSearch::with_threshold(0).by_vendor()).build().unwrap();
        let later = searched.turn_blocking(dialect);
        assert!(!later.vendor_tools().is_empty());
        assert!(matches!(Api::Anthropic.tool_update(&turn(&["zip"], dialect), &later), ToolUpdate::Replace));
    }

    #[test]
    fn other_apis_get_the_new_definitions() {
        for (api, dialect) in [(Api::ChatCompletions, Dialect::OpenAi), (Api::Gemini, Dialect::Gemini)] {
            let [before, after] = [&["mail"][..], &["mail", "zip"]].map(|names| turn(names, dialect));
            assert!(matches!(api.tool_update(&before, &after), ToolUpdate::Replace));
            assert!(matches!(api.tool_update(&after, &after), ToolUpdate::Unchanged));
        }
    }
}
