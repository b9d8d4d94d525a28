//! The three tools of tool search: their results, and the calls inside a call of `tool_call`.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::args::{self, Limits, SlotBuffer};
use crate::call::ToolCall;
use crate::call::response::CallResponse;
use crate::data::table::Table;
use crate::dispatch::expanded::{Inner, InnerCalls};
use crate::dispatch::guard::guard;
use crate::registration::RESERVED_TOOLS;
use crate::registration::ids::ToolId;
use crate::render::search_tools::{CALL, DEFAULT_HITS, DESCRIBE, INNER_CALL, MAX_CALLS, SEARCH, SEARCH_TOOLS};
use crate::result::error::{ErrorKind, ToolError};
use crate::result::output::{ToolOutput, ToolResult};
use crate::session::turn::Turn;
use crate::text::nearest::nearest;

/// The maximum length of descriptions in search results, in characters.
const MAX_DESCRIPTION_CHARS: usize = 300;
/// The maximum number of toolsets in the answer to a search without results.
const MAX_TOOLSETS: usize = 30;
/// The maximum length of the parameters in an error, in bytes: what a field of an error can hold.
const MAX_PARAMETERS: usize = 2_000;

impl Turn {
    /// Returns the names of the three tools, if the turn has them.
    pub(super) fn search_tool_names(&self) -> &'static [&'static str] {
        if self.has_search_tools() { &RESERVED_TOOLS } else { &[] }
    }

    /// Returns the call inside `request`, if that is a call of `tool_call` with one call, as most are.
    pub(super) fn only_inner_call<'r>(&self, request: &ToolCall<'r>) -> Option<(Cow<'r, str>, Cow<'r, str>)> {
        if !self.has_search_tools() || request.name() != CALL {
            return None;
        }
        let read = || args::only_inner_call(request.arguments(), Limits::default());
        guard(read, |_| None).map(|call| (call.name, call.arguments))
    }

    /// Returns the calls inside `request`, if that is a readable call of `tool_call`.
    pub(super) fn inner_calls<'r>(&self, request: &ToolCall<'r>) -> Option<InnerCalls<'r>> {
        if self.resolve_search_tool(request.name()) != Some(CALL) {
            return None;
        }
        inner_calls(request.arguments()).ok()
    }

    /// Runs the calls inside a call, and returns one response with all of theirs.
    pub(super) async fn call_several(&self, request: &ToolCall<'_>) -> CallResponse {
        let mut completed = self.batch(std::slice::from_ref(request)).await;
        let only = completed.pop().map(|completed| completed.response);
        only.unwrap_or_else(|| unreachable!("a batch answers each call"))
    }

    /// Returns the result of a call of one of the three tools, or `None` for any other tool.
    pub(super) fn search_tool_result(&self, request: &ToolCall<'_>) -> Option<ToolResult> {
        let name = self.resolve_search_tool(request.name())?;
        let text = request.arguments();
        Some(match name {
            SEARCH => self.answer_search(text),
            DESCRIBE => self.answer_describe(text),
            // The calls inside are run instead, unless they cannot be read, or are themselves inside a call.
            _ => Err(inner_calls(text).err().unwrap_or_else(|| {
                let text = format!("`{CALL}` must be called directly, not with `{CALL}`");
                ToolError::with_kind(ErrorKind::InvalidArguments, text)
            })),
        })
    }

    fn answer_search(&self, text: &str) -> ToolResult {
        let args = arguments(text, SEARCH)?;
        let limit = usize::try_from(args["limit"].as_i64().unwrap_or(DEFAULT_HITS)).unwrap_or_default();
        let queries = args["queries"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let (mut shown, mut has_miss, mut results) = (Vec::new(), false, Vec::new());
        for query in queries {
            let hits = self.search(query, limit);
            let ids = hits.iter().filter_map(|hit| self.state().find(hit.tool));
            let tools: Vec<Value> = ids.map(|id| self.hit(id, &mut shown)).collect();
            let mut result = json!({ "query": query, "tools": tools });
            if tools.is_empty() {
                has_miss = true;
                let near = nearest(&query.trim().replace(' ', "_"), self.callable_names());
                if !near.is_empty() {
                    result["did_you_mean"] = near.into();
                }
            }
            results.push(result);
        }
        let mut output = json!({ "results": results });
        if has_miss {
            output["note"] =
                "where nothing matches, search for fewer or other words. These toolsets have tools:".into();
            self.add_toolsets(&mut output);
        }
        ToolOutput::json(&output)
    }

    /// Returns a search result. A tool that an earlier query has found is only named.
    fn hit(&self, id: ToolId, shown: &mut Vec<ToolId>) -> Value {
        let name = self.dialect_name(id);
        if shown.contains(&id) {
            return json!({ "name": name });
        }
        shown.push(id);
        json!({ "name": name, "description": self.short_description(id) })
    }

    /// Adds the number of tools in each toolset that has any in this turn.
    fn add_toolsets(&self, output: &mut Value) {
        let mut counts = std::collections::BTreeMap::<&str, usize>::new();
        for id in self.tool_ids() {
            *counts.entry(&self.state().tool(*id).toolset).or_default() += 1;
        }
        let more = counts.len().saturating_sub(MAX_TOOLSETS);
        let toolsets = counts.into_iter().take(MAX_TOOLSETS);
        output["toolsets"] =
            toolsets.map(|(name, count)| (name.to_owned(), count.into())).collect::<Map<_, _>>().into();
        if more > 0 {
            output["more_toolsets"] = more.into();
        }
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

    fn answer_describe(&self, text: &str) -> ToolResult {
        let args = arguments(text, DESCRIBE)?;
        let names = args["names"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let (mut described, mut tools, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
        for name in names {
            if let Some(id) = self.resolve_name(name) {
                // Several spellings may name one tool.
                if !described.contains(&id) {
                    described.push(id);
                    tools.push(self.definition_value(id));
                }
            } else if let Some(name) = self.resolve_search_tool(name) {
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

    /// Adds the parameters of a deferred tool to an error about its arguments, because the model may not have seen them. Whether it
    /// has is unknown: a host may have shortened the conversation.
    #[cold]
    pub(super) fn with_definition(&self, id: ToolId, request: &ToolCall<'_>, error: ToolError) -> ToolError {
        if request.is_from_script() || !self.has_search_tools() || self.deferred_ids().binary_search(&id).is_err() {
            return error;
        }
        let message = format!(
            "{}. The tool is not listed: `{DESCRIBE}` returns its definition, with the parameters",
            error.message()
        );
        let definition = serde_json::from_str(&self.definition_json(id)).unwrap_or_default();
        let parameters = self.dialect().parameters_in(&definition);
        let error = error.with_message(message);
        match parameters.filter(|parameters| parameters.to_string().len() <= MAX_PARAMETERS) {
            Some(parameters) => error.with_field("parameters", parameters.clone()),
            None => error,
        }
    }
}

/// Reads the calls inside a call of `tool_call`: at least one, and at most [`MAX_CALLS`].
fn inner_calls(text: &str) -> Result<InnerCalls<'_>, ToolError> {
    let mut calls = Calls::default();
    let read = args::inner_calls(text, Limits::default(), &mut |call| calls.push(call));
    // The table says of `calls` only that it is a secret.
    if read.is_some() && !(1..=MAX_CALLS).contains(&calls.count) {
        return Err(args::wrong_count("/calls", 1, MAX_CALLS, calls.count));
    }
    if read.is_none() {
        calls = Calls::default();
        let args = arguments(text, CALL)?;
        for call in args["calls"].as_array().into_iter().flatten() {
            let text = match call {
                Value::String(text) => text.clone(),
                call => call.to_string(),
            };
            calls.push(args::into_owned(args::parse_call(&text)));
        }
    }
    let first = calls.first.ok_or_else(|| ToolError::new("no call can be read"))?;
    Ok(InnerCalls { first, rest: calls.rest })
}

/// Inner calls while they are read.
#[derive(Default)]
struct Calls<'r> {
    count: usize,
    first: Option<Inner<'r>>,
    rest: Vec<Inner<'r>>,
}

impl<'r> Calls<'r> {
    fn push(&mut self, call: args::ParsedCall<'r>) {
        self.count += 1;
        if self.first.is_none() {
            self.first = Some(inner(call));
        } else if self.count <= MAX_CALLS {
            self.rest.push(inner(call));
        }
    }
}

/// Returns an inner call. One that was not read is repaired, or else refused.
fn inner(call: args::ParsedCall<'_>) -> Inner<'_> {
    let (name, arguments) = match call {
        Ok(args::InnerCall { name, arguments }) => (name, arguments),
        Err(text) => match read(&text, &INNER_CALL) {
            Ok(repaired) => {
                let name = repaired["name"].as_str().unwrap_or_default().to_owned();
                (Cow::Owned(name), Cow::Owned(repaired["arguments"].to_string()))
            }
            Err(error) => return Inner::Refused(error),
        },
    };
    Inner::Call { name, arguments }
}

/// Reads the arguments of one of the three tools.
fn arguments(text: &str, name: &str) -> Result<Value, ToolError> {
    let tool = SEARCH_TOOLS.iter().find(|tool| tool.name == name);
    tool.map_or_else(|| unreachable!("{name} is one of the three"), |tool| read(text, &tool.table))
}

fn read(text: &str, table: &Table) -> Result<Value, ToolError> {
    let mut buffer = SlotBuffer::default();
    let mut slots = args::read(text, table, Limits::default(), &mut buffer)?;
    Ok(slots.value(0))
}
