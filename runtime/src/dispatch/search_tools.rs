//! The three tools of tool search: their definitions and their results.

use serde_json::{Value, json};

use crate::args::{self, Limits, SlotBuffer};
use crate::call::ToolCall;
use crate::data::table::Table;
use crate::dispatch::prepared::InnerCall;
use crate::registration::ids::ToolId;
use crate::render::search_tools::{CALL, DEFAULT_HITS, DESCRIBE, SEARCH, SEARCH_TOOLS};
use crate::result::error::{ErrorKind, ToolError};
use crate::result::output::{ToolOutput, ToolResult};
use crate::session::turn::Turn;

/// The maximum length of descriptions in search results, in characters.
const MAX_DESCRIPTION_CHARS: usize = 300;

impl Turn {
    /// Returns the call inside `request`, if that is a readable call of `tool_call`.
    pub(super) fn inner_call<'r>(&self, request: &ToolCall<'r>) -> Option<InnerCall<'r>> {
        if self.deferred_ids().is_empty() || request.name() != CALL {
            return None;
        }
        let (name, arguments) = args::inner_call(request.arguments(), Limits::default())?;
        // `tool_call` cannot call the tools of tool search.
        if is_search_tool_name(&name) { None } else { Some(InnerCall { name, arguments }) }
    }

    /// Returns the name of the tool that searches tools, if the turn has it.
    pub(super) fn search_tool(&self) -> Option<&'static str> {
        if self.deferred_ids().is_empty() { None } else { Some(SEARCH) }
    }

    /// Returns whether `name` is one of the three tools, and the turn has them.
    #[cfg(feature = "wire-mcp")]
    pub(super) fn is_search_tool(&self, name: &str) -> bool {
        !self.deferred_ids().is_empty() && is_search_tool_name(name)
    }

    /// Returns the result of a call of one of the three tools, or `None` for any other tool.
    pub(super) fn search_tool_result(&self, request: &ToolCall<'_>) -> Option<ToolResult> {
        let tool = SEARCH_TOOLS.iter().find(|tool| tool.name == request.name())?;
        if self.deferred_ids().is_empty() {
            return None;
        }
        Some(match tool.name {
            SEARCH => self.answer_search(request, &tool.table),
            DESCRIBE => self.answer_describe(request, &tool.table),
            _ => refuse_call(request, &tool.table),
        })
    }

    fn answer_search(&self, request: &ToolCall<'_>, table: &Table) -> ToolResult {
        let args = arguments(request, table)?;
        let limit = args["limit"].as_i64().unwrap_or(DEFAULT_HITS);
        let query = args["query"].as_str().unwrap_or_default();
        let hits = self.search(query, usize::try_from(limit).unwrap_or_default());
        if hits.is_empty() {
            let text = "no tool matches: try other or fewer words, or the kind of data that the tool would work on";
            return ToolOutput::json(&json!({ "tools": [], "note": text }));
        }
        let tools: Vec<Value> = hits
            .iter()
            .filter_map(|hit| {
                let id = self.state().find(hit.tool)?;
                Some(json!({ "name": self.dialect_name(id), "description": self.short_description(id) }))
            })
            .collect();
        ToolOutput::json(&json!({ "tools": tools }))
    }

    /// Returns the beginning of a tool's description.
    fn short_description(&self, id: ToolId) -> String {
        let description = self.description(id);
        let mut letters = description.chars();
        let mut shown: String = letters.by_ref().take(MAX_DESCRIPTION_CHARS).collect();
        if letters.next().is_some() {
            shown.push('…');
        }
        shown
    }

    fn answer_describe(&self, request: &ToolCall<'_>, table: &Table) -> ToolResult {
        let args = arguments(request, table)?;
        let names = args["names"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let (mut tools, mut unknown) = (Vec::new(), Vec::new());
        for name in names {
            if let Some(id) = self.find(name) {
                tools.push(self.definition_value(id));
            } else if is_search_tool_name(name) {
                unknown.push(format!("`{name}` is already defined in the list of tools"));
            } else {
                unknown.push(self.unknown_tool(name).message().to_owned());
            }
        }
        if tools.is_empty() {
            return Err(ToolError::with_kind(ErrorKind::UnknownTool, unknown.join("; ")));
        }
        let mut output = json!({ "tools": tools });
        if !unknown.is_empty() {
            output["not_described"] = unknown.into();
        }
        ToolOutput::json(&output)
    }
}

/// Returns the error for a call of `tool_call` that does not name a tool.
fn refuse_call(request: &ToolCall<'_>, table: &Table) -> ToolResult {
    let args = arguments(request, table)?;
    let name = args["name"].as_str().unwrap_or_default();
    let text = if is_search_tool_name(name) {
        format!("`{name}` must be called directly, not with `{CALL}`")
    } else {
        r#"expected {"name": "...", "arguments": {...}} and nothing else"#.to_owned()
    };
    Err(ToolError::with_kind(ErrorKind::InvalidArguments, text))
}

fn is_search_tool_name(name: &str) -> bool {
    SEARCH_TOOLS.iter().any(|tool| tool.name == name)
}

fn arguments(request: &ToolCall<'_>, table: &Table) -> Result<Value, ToolError> {
    let mut buffer = SlotBuffer::default();
    let mut slots = args::read(request.arguments(), table, Limits::default(), &mut buffer)?;
    Ok(slots.value(0))
}
