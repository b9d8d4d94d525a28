//! The three tools of tool search: when they replace definitions, and their own definitions.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::data::dialect::Dialect;
use crate::data::table::Table;
use crate::data::tokens::estimated_tokens;

/// The threshold of tool search: see [`SessionBuilder::tool_search`](crate::SessionBuilder::tool_search).
///
/// ```
/// use toolc::search::ToolSearch;
///
/// let of_a_small_model = ToolSearch::of_context(32_000); // from 3,200 tokens on
/// let of_any_model = ToolSearch::default(); // from 20,000 tokens on
/// let as_soon_as_there_is_one_to_defer = ToolSearch::above(0);
/// # let _ = (of_a_small_model, of_any_model, as_soon_as_there_is_one_to_defer);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolSearch {
    above: usize,
}

impl Default for ToolSearch {
    /// Returns a threshold of 20,000 tokens: a tenth of the context of most models of 2026.
    fn default() -> Self {
        Self::above(20_000)
    }
}

impl ToolSearch {
    /// Returns a threshold of a tenth of a context of this many tokens.
    pub const fn of_context(tokens: usize) -> Self {
        Self::above(tokens / 10)
    }

    /// Returns a threshold of this many [tokens](estimated_tokens) for the definitions of all deferrable tools.
    pub const fn above(tokens: usize) -> Self {
        Self { above: tokens }
    }

    /// Returns whether definitions of this many bytes are deferred.
    pub(crate) const fn defers(self, bytes: usize) -> bool {
        bytes > 0 && estimated_tokens(bytes) > self.above
    }
}

pub(crate) const CALL: &str = "tool_call";
pub(crate) const DESCRIBE: &str = "tool_describe";
pub(crate) const SEARCH: &str = "tool_search";

/// The default number of search results.
pub(crate) const HITS: i64 = 5;
/// The maximum number of search results.
const MOST_HITS: i64 = 20;
/// The maximum number of tools in one `tool_describe` call.
const MOST_DESCRIBED: i64 = 10;
/// The maximum number of toolsets that the descriptions name as a hint.
const NAMED: usize = 30;

pub(crate) struct Bridge {
    pub(crate) name: &'static str,
    schema: Value,
    pub(crate) table: Table,
}

impl Bridge {
    fn new(name: &'static str, schema: Value) -> Self {
        let mut table = Table::from_schema(&schema).unwrap_or_else(|why| unreachable!("{name}: {why}"));
        // The arguments for another tool may be secret, wherever the model puts them.
        table.properties.iter_mut().for_each(|property| property.secret |= *property.name == *"arguments");
        Self { name, schema, table }
    }
}

/// The three tools, by name.
pub(crate) static BRIDGES: LazyLock<[Bridge; 3]> = LazyLock::new(|| {
    [
        Bridge::new(
            CALL,
            json!({
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "The tool's name, as tool_search gave it."},
                    "arguments": {
                        "type": "object",
                        "description": "Its arguments, as tool_describe defines them.",
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

/// Returns the definitions of the three tools, by name, for this many deferred tools of these toolsets.
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
        .map(|bridge| (bridge.name, dialect.define(bridge.name, &about(bridge.name), &bridge.schema).to_string()))
}
