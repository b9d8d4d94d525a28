//! The dialect `anthropic-strict`: Anthropic's Messages API in strict mode.

use super::limits::{Confidence, Refused, Total, limit};
use super::schema_subset::{Enums, Refs};
use super::{CodeLimits, Dialect, Extensions, RequestLimits, SchemaSubset, ToolLimits, anthropic};

/// The date on which the sources of the limits were read.
const READ_ON: &str = "2026-11-21";

const STRUCTURED: &str = "Anthropic's documentation of structured outputs";

/// The record of this dialect.
pub(super) const DIALECT: Dialect = Dialect {
    name: "anthropic-strict",
    feature: Some("anthropic-strict"),
    variant: "AnthropicStrict",
    about: "Anthropic's Messages with `\"strict\": true`.",
    envelope: |tool| anthropic::messages(tool, Some(true)),
    schema: SchemaSubset {
        keywords: limit(
            &["title", "enum", "minItems", "format", "anyOf"],
            Confidence::High,
            READ_ON,
            "Anthropic's documentation of structured outputs, which refuses numeric and length bounds and maxItems; its SDK keeps these",
        ),
        formats: limit(
            &["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
            Confidence::Medium,
            READ_ON,
            "Anthropic's SDK keeps these",
        ),
        max_min_items: limit(1, Confidence::High, READ_ON, STRUCTURED),
        refs: limit(Refs::Alone { recursive: false }, Confidence::High, READ_ON, STRUCTURED),
        enums: limit(Enums::Scalars, Confidence::High, READ_ON, STRUCTURED),
        type_lists: limit(Refused, Confidence::Medium, READ_ON, "Anthropic's SDK reads no list of types"),
        open_objects: limit(Refused, Confidence::High, READ_ON, STRUCTURED),
        untyped_arrays: limit(Refused, Confidence::Low, READ_ON, "the documentation names the type of every value"),
        ..SchemaSubset::NONE
    },
    tool: ToolLimits {
        code_only_tools: limit(Refused, Confidence::High, READ_ON, "code cannot call a strict tool"),
        ..anthropic::DIALECT.tool
    },
    extensions: Extensions {
        // Code cannot call a strict tool.
        callers: None,
        ..anthropic::DIALECT.extensions
    },
    code: CodeLimits {
        strict_tools: limit(Refused, Confidence::High, "2026-11-27", anthropic::CALLS_BY_CODE),
        ..anthropic::DIALECT.code
    },
    request: RequestLimits {
        max_total: limit(
            Total { tools: 20, optional: 24, unions: 16 },
            Confidence::High,
            READ_ON,
            "Anthropic's documentation of structured outputs; live errors",
        ),
        ..anthropic::DIALECT.request
    },
    lenient: Some(&anthropic::DIALECT),
    ..anthropic::DIALECT
};
