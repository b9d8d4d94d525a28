//! The three tools of tool search: how a model is told of them, and what they answer.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::args::{self, Limits, SlotBuffer};
use crate::call::hooks::ToolResult;
use crate::registry::dynamic::definition;
use crate::segment::Segment;
use crate::table::Table;
use crate::{Dialect, ErrorKind, ToolCall, ToolError, ToolOutput, Turn};

const CALL: &str = "tool_call";
const DESCRIBE: &str = "tool_describe";
pub(crate) const SEARCH: &str = "tool_search";

/// Hits that a search gives where the model does not say how many.
const HITS: i64 = 5;
/// Hits that a model may ask for.
const MOST_HITS: i64 = 20;
/// Tools that are described at once.
const MOST_DESCRIBED: i64 = 10;
/// Characters of a description that a hit comes with.
const SHOWN: usize = 300;
/// Toolsets that are named to give the model an idea.
const NAMED: usize = 30;

struct Bridge {
    name: &'static str,
    schema: Value,
    table: Table,
}

impl Bridge {
    fn new(name: &'static str, schema: Value) -> Self {
        let mut table = Table::from_schema(&schema).unwrap_or_else(|why| unreachable!("{name}: {why}"));
        // What is sent for another tool may be that one's secret, wherever a model puts it.
        table.properties.iter_mut().for_each(|property| property.secret |= *property.name == *"arguments");
        Self { name, schema, table }
    }
}

/// By name.
static BRIDGES: LazyLock<[Bridge; 3]> = LazyLock::new(|| {
    [
        Bridge::new(
            CALL,
            json!({
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "The tool's name, as tool_search gave it."},
                    "arguments": {
                        "type": "object",
                        "description": "Its arguments, as tool_describe says that they have to be.",
                        "additionalProperties": true,
                    },
                },
                "required": ["name", "arguments"],
                "additionalProperties": false,
            }),
        ),
        Bridge::new(
            DESCRIBE,
            json!({
                "type": "object",
                "properties": {
                    "names": {
                        "type": "array",
                        "description": "Names of tools, as tool_search gave them.",
                        "items": {"type": "string"},
                        "minItems": 1,
                        "maxItems": MOST_DESCRIBED,
                    },
                },
                "required": ["names"],
                "additionalProperties": false,
            }),
        ),
        Bridge::new(
            SEARCH,
            json!({
                "type": "object",
                "properties": {
                    "query": {"type": "string", "description": "A few words: what is to be done, and with what."},
                    "limit": {
                        "type": "integer",
                        "description": "How many tools to return at most.",
                        "default": HITS,
                        "minimum": 1,
                        "maximum": MOST_HITS,
                    },
                },
                "required": ["query"],
                "additionalProperties": false,
            }),
        ),
    ]
});

/// How the three tools are defined, by name, where they stand for this many tools of these toolsets.
pub(crate) fn definitions(dialect: Dialect, count: usize, toolsets: &[&str]) -> [(&'static str, String); 3] {
    let about = |name| match name {
        CALL => "Call a tool that is not listed here, by its name. Search for it and read how it is called first: \
                 tool_search, tool_describe."
            .to_owned(),
        DESCRIBE => "Read the definitions of tools that are not listed here: what they do, and which arguments they \
                     take. Then call them with tool_call."
            .to_owned(),
        _ => {
            let more = if toolsets.len() > NAMED { ", and others" } else { "" };
            let named = toolsets.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
            format!(
                "Search for tools that are not listed here: there are {count} more, about {named}{more}. Returns names \
                 and what they are for, the best fit first. Search before you say that something cannot be done."
            )
        }
    };
    BRIDGES
        .each_ref()
        .map(|bridge| (bridge.name, definition(dialect, bridge.name, &about(bridge.name), &bridge.schema).to_string()))
}

/// All the text of a definition, whatever its conditions.
pub(super) fn whole(segments: &[Segment]) -> String {
    let mut text = String::new();
    crate::segment::render(segments, crate::segment::Atoms::MAX, &[], &mut text);
    text
}

/// The call that a call of `tool_call` is about.
pub(crate) struct Bridged<'r> {
    name: Cow<'r, str>,
    arguments: Cow<'r, str>,
}

impl<'r> Bridged<'r> {
    /// As the model might have made it.
    pub(crate) fn request<'s>(&'s self, outer: &ToolCall<'s>) -> ToolCall<'s>
    where
        'r: 's,
    {
        outer.of(&self.name, &self.arguments)
    }
}

impl Turn {
    /// The call that `request` is about, if it is a call of `tool_call` that can be read.
    pub(crate) fn bridged<'r>(&self, request: &ToolCall<'r>) -> Option<Bridged<'r>> {
        if self.deferred_ids().is_empty() || request.name() != CALL {
            return None;
        }
        let (name, arguments) = args::bridged(request.arguments(), Limits::default())?;
        // What stands for tools stands for none of its own.
        (!BRIDGES.iter().any(|bridge| bridge.name == name)).then_some(Bridged { name, arguments })
    }

    /// Whether this is one of the three tools, and they are there.
    #[cfg(feature = "wire-mcp")]
    pub(crate) fn is_of_search(&self, name: &str) -> bool {
        !self.deferred_ids().is_empty() && BRIDGES.iter().any(|bridge| bridge.name == name)
    }

    /// What a call comes to of one of the three tools, if it is one of them.
    pub(crate) fn answer_of_search(&self, request: &ToolCall<'_>) -> Option<ToolResult> {
        let bridge = BRIDGES.iter().find(|bridge| bridge.name == request.name())?;
        if self.deferred_ids().is_empty() {
            return None;
        }
        Some(match bridge.name {
            SEARCH => self.answer_search(request, &bridge.table),
            DESCRIBE => self.answer_describe(request, &bridge.table),
            _ => refuse_call(request, &bridge.table),
        })
    }

    fn answer_search(&self, request: &ToolCall<'_>, table: &Table) -> ToolResult {
        let args = arguments(request, table)?;
        let limit = args["limit"].as_i64().unwrap_or(HITS);
        let query = args["query"].as_str().unwrap_or_default();
        let hits = self.search(query, usize::try_from(limit).unwrap_or_default());
        if hits.is_empty() {
            let text = "no tool fits: try other words, fewer of them, or what the tool would work on";
            return ToolOutput::json(&json!({ "tools": [], "note": text }));
        }
        let tools: Vec<Value> = hits
            .iter()
            .filter_map(|hit| {
                let id = self.state().find(hit.tool)?;
                Some(json!({ "name": self.called(id), "description": self.purpose(id) }))
            })
            .collect();
        ToolOutput::json(&json!({ "tools": tools }))
    }

    /// How a tool's description begins.
    fn purpose(&self, id: usize) -> String {
        let definition: Value = serde_json::from_str(&self.definition(id)).unwrap_or_default();
        let description = definition["function"]["description"].as_str().or(definition["description"].as_str());
        let mut letters = description.unwrap_or_default().chars();
        let mut shown: String = letters.by_ref().take(SHOWN).collect();
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
                tools.push(serde_json::from_str(&self.definition(id)).unwrap_or(Value::Null));
            } else if BRIDGES.iter().any(|bridge| bridge.name == name) {
                unknown.push(format!("`{name}` is listed with its definition"));
            } else {
                unknown.push(self.unknown(name).message().to_owned());
            }
        }
        if tools.is_empty() {
            return Err(ToolError::of(ErrorKind::UnknownTool, unknown.join("; ")));
        }
        let mut answer = json!({ "tools": tools });
        if !unknown.is_empty() {
            answer["not_described"] = unknown.into();
        }
        ToolOutput::json(&answer)
    }
}

/// Says what is wrong with a call of `tool_call` that leads nowhere.
fn refuse_call(request: &ToolCall<'_>, table: &Table) -> ToolResult {
    let args = arguments(request, table)?;
    let name = args["name"].as_str().unwrap_or_default();
    let text = if BRIDGES.iter().any(|bridge| bridge.name == name) {
        format!("`{name}` is called by itself, not by `{CALL}`")
    } else {
        r#"expected {"name": "...", "arguments": {...}} and nothing else"#.to_owned()
    };
    Err(ToolError::of(ErrorKind::InvalidArguments, text))
}

fn arguments(request: &ToolCall<'_>, table: &Table) -> Result<Value, ToolError> {
    let mut buffer = SlotBuffer::default();
    let mut slots = args::read(request.arguments(), table, Limits::default(), &mut buffer)?;
    Ok(slots.value(0))
}
