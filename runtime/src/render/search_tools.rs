//! The three tools of tool search: their definitions, and the threshold from which they replace other definitions.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::data::behaviour::Annotations;
use crate::data::dialect::{Dialect, RuntimeTool};
use crate::data::table::Table;
use crate::data::tokens::estimated_tokens;

/// The size of definitions from which tool search defers tools: see
/// [`SessionBuilder::tool_search`](crate::SessionBuilder::tool_search).
///
/// ```
/// use toolc::search::ToolSearch;
///
/// let default = ToolSearch::default(); // above 20,000 tokens
/// let for_small_model = ToolSearch::for_context(32_000); // above 3,200 tokens
/// let always = ToolSearch::with_threshold(0); // whenever a tool may be deferred
/// # let _ = (default, for_small_model, always);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolSearch {
    /// In estimated tokens.
    threshold: usize,
}

impl Default for ToolSearch {
    /// Defers tools if their definitions take more than 20,000 tokens: a tenth of the context of most models of 2026.
    fn default() -> Self {
        Self::with_threshold(20_000)
    }
}

impl ToolSearch {
    /// Defers tools if their definitions take more than a tenth of a model's context of `context_tokens`.
    pub const fn for_context(context_tokens: usize) -> Self {
        Self::with_threshold(context_tokens / 10)
    }

    /// Defers tools if the definitions of all deferrable tools take more than this number of
    /// [estimated tokens](estimated_tokens).
    pub const fn with_threshold(tokens: usize) -> Self {
        Self { threshold: tokens }
    }

    /// Returns whether definitions of this many bytes are deferred.
    pub(crate) const fn defers(self, bytes: usize) -> bool {
        bytes > 0 && estimated_tokens(bytes) > self.threshold
    }
}

pub(crate) const CALL: &str = "tool_call";
pub(crate) const DESCRIBE: &str = "tool_describe";
pub(crate) const SEARCH: &str = "tool_search";

/// The default number of search results.
pub(crate) const DEFAULT_HITS: i64 = 5;
/// The maximum number of search results.
const MAX_HITS: i64 = 20;
/// The maximum number of tools in one `tool_describe` call.
const MAX_DESCRIBED: i64 = 10;
/// The maximum number of toolsets in the description of `tool_search`.
const MAX_NAMED_TOOLSETS: usize = 30;

/// One of the three tools.
pub(crate) struct SearchTool {
    pub(crate) name: &'static str,
    schema: Value,
    pub(crate) table: Table,
}

impl SearchTool {
    fn new(name: &'static str, schema: Value) -> Self {
        let mut table = Table::from_schema(&schema).unwrap_or_else(|why| unreachable!("{name}: {why}"));
        // The arguments of the inner call may contain secrets.
        for property in &mut table.properties {
            if *property.name == *"arguments" {
                property.secret = true;
            }
        }
        Self { name, schema, table }
    }
}

/// The three tools, by name.
pub(crate) static SEARCH_TOOLS: LazyLock<[SearchTool; 3]> = LazyLock::new(|| {
    [
        SearchTool::new(
            CALL,
            json!({
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "The name of the tool, as tool_search returned it."},
                    "arguments": {
                        "type": "object",
                        "description": "The arguments of the tool, as tool_describe defines them.",
                        "additionalProperties": true,
                    },
                },
                "required": ["name", "arguments"],
                "additionalProperties": false,
            }),
        ),
        SearchTool::new(
            DESCRIBE,
            json!({
                "type": "object",
                "properties": {
                    "names": {
                        "type": "array",
                        "description": "The names of tools, as tool_search returned them.",
                        "items": {"type": "string"},
                        "minItems": 1,
                        "maxItems": MAX_DESCRIBED,
                    },
                },
                "required": ["names"],
                "additionalProperties": false,
            }),
        ),
        SearchTool::new(
            SEARCH,
            json!({
                "type": "object",
                "properties": {
                    "query": {"type": "string", "description": "A few keywords: the action and its object."},
                    "limit": {
                        "type": "integer",
                        "description": "The maximum number of tools to return.",
                        "default": DEFAULT_HITS,
                        "minimum": 1,
                        "maximum": MAX_HITS,
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
    let description = |name| match name {
        CALL => {
            "Call a tool that is not listed here, by its name. First find it with tool_search, and read its definition \
                 with tool_describe."
                .to_owned()
        }
        DESCRIBE => "Read the definitions of tools that are not listed here: what they do, and which arguments they \
                     take. Call these tools with tool_call."
            .to_owned(),
        _ => {
            let more = if toolsets.len() > MAX_NAMED_TOOLSETS { ", and others" } else { "" };
            let named = toolsets.iter().take(MAX_NAMED_TOOLSETS).copied().collect::<Vec<_>>().join(", ");
            format!(
                "Search {count} more tools, which are not listed here. They belong to: {named}{more}. Returns names and \
                 descriptions, the best match first. Search before you say that something cannot be done."
            )
        }
    };
    SEARCH_TOOLS.each_ref().map(|SearchTool { name, schema, .. }| {
        let annotations = match *name {
            CALL => Annotations::DEFAULT,
            _ => Annotations::DEFAULT.with_read_only(true).with_destructive(false).with_open_world(false),
        };
        let tool = RuntimeTool { name, title: "", description: &description(name), annotations, schema };
        let definition = dialect.written(dialect.define(&tool).to_string().into());
        (*name, definition.unwrap_or_default().into_owned())
    })
}
