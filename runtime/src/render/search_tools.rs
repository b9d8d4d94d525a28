//! The three tools of tool search: their definitions, and the threshold above which they replace other definitions.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::data::behaviour::{Annotations, Behaviour};
use crate::data::dialect::{Dialect, RuntimeTool};
use crate::data::table::Table;
use crate::text::tokens::estimated_tokens;

/// The settings of tool search: see [`SessionBuilder::tool_search`](crate::SessionBuilder::tool_search).
///
/// ```
/// use toolc::search::ToolSearch;
///
/// let default = ToolSearch::default(); // above 20,000 tokens; lists the deferred tools in at most 4,000
/// let for_small_model = ToolSearch::for_context(32_000); // above 3,200 tokens; lists them in at most 1,600
/// let always = ToolSearch::with_threshold(0); // whenever a tool may be deferred
/// let with_long_list = always.with_listing(10_000); // lists them in at most 10,000
/// # let _ = (default, for_small_model, always, with_long_list);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolSearch {
    /// The size above which tools are deferred, in estimated tokens of the definitions of all deferrable tools.
    threshold: usize,
    /// The maximum size of the list of deferred tools, in estimated tokens.
    listing: usize,
    /// Whether the vendor searches, if it can.
    by_vendor: bool,
}

impl Default for ToolSearch {
    /// Defers tools if the definitions of all deferrable tools take more than 20,000 tokens: a tenth of the context of most models of 2026.
    fn default() -> Self {
        Self::with_threshold(20_000)
    }
}

impl ToolSearch {
    /// The maximum size of the list of deferred tools, unless [`with_listing`](Self::with_listing) sets another, in estimated tokens.
    const MAX_LISTING: usize = 4_000;

    /// Defers tools if the definitions of all deferrable tools take more than a tenth of a model's context of `context_tokens`, and lists
    /// them in at most a twentieth of the context and at most 4,000 tokens.
    pub const fn for_context(context_tokens: usize) -> Self {
        let share = context_tokens / 20;
        let listing = if share < Self::MAX_LISTING { share } else { Self::MAX_LISTING };
        Self { threshold: context_tokens / 10, listing, by_vendor: false }
    }

    /// Defers tools if the definitions of all deferrable tools take more than this number of
    /// [estimated tokens](estimated_tokens).
    pub const fn with_threshold(tokens: usize) -> Self {
        Self { threshold: tokens, listing: Self::MAX_LISTING, by_vendor: false }
    }

    /// Sets the maximum size of the list of deferred tools in the definition of `tool_search`, in estimated tokens. At least one
    /// toolset is in the list.
    #[must_use]
    pub const fn with_listing(self, tokens: usize) -> Self {
        Self { listing: tokens, ..self }
    }

    /// Uses the vendor's search in dialects whose API has one: `Anthropic`, `AnthropicStrict`, `OpenAiResponses` and
    /// `GeminiInteractions`. The definitions then contain the deferred tools, marked as such. The request also needs the [vendor's own
    /// tools](crate::Turn::vendor_tools). In other dialects, and if the vendor's search does not accept so many tools, the model gets the
    /// three tools of toolc.
    #[must_use]
    pub const fn by_vendor(self) -> Self {
        Self { by_vendor: true, ..self }
    }

    /// Returns whether the vendor searches, if it can.
    pub(crate) const fn is_by_vendor(self) -> bool {
        self.by_vendor
    }

    /// Returns whether definitions of this many bytes are deferred.
    pub(crate) const fn defers(self, bytes: usize) -> bool {
        bytes > 0 && estimated_tokens(bytes) > self.threshold
    }

    /// Returns the maximum size of the list of deferred tools, in estimated tokens.
    pub(crate) const fn listing(self) -> usize {
        self.listing
    }
}

pub(crate) const CALL: &str = "tool_call";
pub(crate) const DESCRIBE: &str = "tool_describe";
pub(crate) const SEARCH: &str = "tool_search";

/// The default number of search results for each query.
pub(crate) const DEFAULT_HITS: i64 = 5;
/// The maximum number of search results for each query.
const MAX_HITS: i64 = 20;
/// The maximum number of queries in one `tool_search` call.
const MAX_QUERIES: usize = 5;
/// The maximum length of a query, in characters.
const MAX_QUERY_CHARS: usize = 200;
/// The maximum number of tools in one `tool_describe` call.
const MAX_DESCRIBED: usize = 10;
/// The maximum number of calls in one `tool_call` call.
pub(crate) const MAX_CALLS: usize = 10;

/// One of the three tools.
pub(crate) struct SearchTool {
    pub(crate) name: &'static str,
    schema: Value,
    /// The table by which the arguments are read.
    pub(crate) table: Table,
}

/// Returns the table by which arguments with this schema are read.
fn table(schema: &Value) -> Table {
    let mut table = Table::from_schema(schema).unwrap_or_else(|why| unreachable!("{schema}: {why}"));
    // The arguments of inner calls may contain secrets.
    for property in &mut table.properties {
        property.secret = matches!(&*property.name, "arguments" | "calls");
    }
    table
}

impl SearchTool {
    fn new(name: &'static str, schema: Value) -> Self {
        Self { name, table: table(&schema), schema }
    }
}

/// The three tools, by name.
pub(crate) static SEARCH_TOOLS: LazyLock<[SearchTool; 3]> = LazyLock::new(|| {
    [
        SearchTool {
            // Each call is read on its own, so that an invalid one does not spoil the others.
            table: table(&calls_schema(&json!({}))),
            ..SearchTool::new(CALL, calls_schema(&inner_call_schema()))
        },
        SearchTool::new(
            DESCRIBE,
            json!({
                "type": "object",
                "properties": {
                    "names": {
                        "type": "array",
                        "description": "The names of tools.",
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
                    "queries": {
                        "type": "array",
                        "description": "One query for each thing to find: a few keywords, the action and its object.",
                        "items": {"type": "string", "maxLength": MAX_QUERY_CHARS},
                        "minItems": 1,
                        "maxItems": MAX_QUERIES,
                    },
                    "limit": {
                        "type": "integer",
                        "description": "The maximum number of tools to return for each query.",
                        "default": DEFAULT_HITS,
                        "minimum": 1,
                        "maximum": MAX_HITS,
                    },
                },
                "required": ["queries"],
                "additionalProperties": false,
            }),
        ),
    ]
});

/// The table by which one of the calls of `tool_call` is read.
pub(crate) static INNER_CALL: LazyLock<Table> = LazyLock::new(|| table(&inner_call_schema()));

fn calls_schema(call: &Value) -> Value {
    json!({
        "type": "object",
        "properties": {
            "calls": {
                "type": "array",
                "description": "The calls. They are answered in this order, and each on its own.",
                "items": call,
                "minItems": 1,
                "maxItems": MAX_CALLS,
            },
        },
        "required": ["calls"],
        "additionalProperties": false,
    })
}

fn inner_call_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "The name of the tool."},
            "arguments": {
                "type": "object",
                "description": "The arguments of the tool, as tool_describe defines them.",
                "additionalProperties": true,
            },
        },
        "required": ["name", "arguments"],
        "additionalProperties": false,
    })
}

/// Returns the definitions of the three tools, by name, for this many deferred tools. `listing` says which.
pub(crate) fn definitions(dialect: Dialect, count: usize, listing: &str) -> [(&'static str, String); 3] {
    let description = |name| {
        match name {
        CALL => {
            "Call tools that are not listed here, by their names. First find them with tool_search, and read their definitions \
                 with tool_describe."
                .to_owned()
        }
        DESCRIBE => "Read the definitions of tools that are not listed here: what they do, and which arguments they \
                     take. Call these tools with tool_call."
            .to_owned(),
        _ => format!(
            "Search {count} more tools, which can be called with tool_call. Returns names and descriptions for each query, the best \
             match first. Search before you say that something cannot be done.\n\nThese tools are, by toolset:\n{listing}"
        ),
    }
    };
    SEARCH_TOOLS.each_ref().map(|SearchTool { name, schema, .. }| {
        let annotations = match *name {
            CALL => Annotations::DEFAULT,
            _ => Annotations::DEFAULT.with_read_only(true).with_destructive(false).with_open_world(false),
        };
        let behaviour = Behaviour::DEFAULT.with_annotations(annotations);
        let description = description(name);
        let tool = RuntimeTool {
            name,
            title: "",
            description: &description,
            behaviour: &behaviour,
            schema: Some(schema),
            is_lowered: false,
            returns: None,
            icons: None,
            meta: None,
        };
        let definition = dialect.written(dialect.define(&tool).to_string().into());
        (*name, definition.unwrap_or_default().into_owned())
    })
}
