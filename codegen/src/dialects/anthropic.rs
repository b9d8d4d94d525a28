//! Anthropic: Messages, and its strict tools.

use serde_json::Value;

use super::definition::{entry, string};
use super::limits::{Confidence, NameGrammar, Refused, Total, limit};
use super::schema_subset::{Enums, Refs};
use super::{Dialect, RequestLimits, SchemaSubset, ToolDefinition, ToolLimits};
use crate::conditional_json::CondJson;
use crate::schema::Spelling;

const READ: &str = "2026-11-21";

const STRUCTURED: &str = "Anthropic's documentation of structured outputs";

/// Messages, not strict.
pub(super) const MESSAGES: Dialect = Dialect {
    name: "anthropic",
    feature: Some("anthropic"),
    variant: "Anthropic",
    about: "Anthropic's Messages. `strict` is absent.",
    envelope: |tool| messages(tool, None),
    schema: SchemaSubset::NONE,
    spelling: Spelling::JSON_SCHEMA,
    tool: ToolLimits {
        tool_name: limit(
            NameGrammar { first: "_-", rest: "_-", starts_with_digit: true, max_length: 128 },
            Confidence::High,
            READ,
            "Anthropic's documentation of tools; live errors to 2026-09 (64 until about 2025-03)",
        ),
        parameter_name: limit(
            NameGrammar { first: "_.-", rest: "_.-", starts_with_digit: true, max_length: 64 },
            Confidence::High,
            READ,
            "live errors of 2026; one bad key fails the whole request",
        ),
        root_keywords: limit(
            &["oneOf", "allOf", "anyOf"],
            Confidence::High,
            READ,
            "Anthropic's SDK; live errors to 2026-05",
        ),
        advised_sentences: limit(3, Confidence::Medium, READ, "Anthropic's guide to tools: at least three or four"),
        ..ToolLimits::NONE
    },
    request: RequestLimits::NONE,
};

/// Strict tools.
pub(super) const STRICT: Dialect = Dialect {
    name: "anthropic-strict",
    feature: Some("anthropic-strict"),
    variant: "AnthropicStrict",
    about: "Anthropic's Messages with `\"strict\": true`.",
    envelope: |tool| messages(tool, Some(true)),
    schema: SchemaSubset {
        keywords: limit(
            &["title", "enum", "minItems", "format", "anyOf"],
            Confidence::High,
            READ,
            "Anthropic's documentation of structured outputs, which refuses numeric and length bounds and maxItems; its SDK keeps these",
        ),
        formats: limit(
            &["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
            Confidence::Medium,
            READ,
            "Anthropic's SDK keeps these",
        ),
        max_min_items: limit(1, Confidence::High, READ, STRUCTURED),
        refs: limit(Refs::Alone { recursive: false }, Confidence::High, READ, STRUCTURED),
        enums: limit(Enums::Scalars, Confidence::High, READ, STRUCTURED),
        type_lists: limit(Refused, Confidence::Medium, READ, "Anthropic's SDK reads no list of types"),
        open_objects: limit(Refused, Confidence::High, READ, STRUCTURED),
        untyped_arrays: limit(Refused, Confidence::Low, READ, "the documentation names the type of every value"),
        ..SchemaSubset::NONE
    },
    request: RequestLimits {
        max_total: limit(
            Total { tools: 20, optional: 24, unions: 16 },
            Confidence::High,
            READ,
            "Anthropic's documentation of structured outputs; live errors",
        ),
        ..RequestLimits::NONE
    },
    ..MESSAGES
};

fn messages(tool: &ToolDefinition<'_>, strict: Option<bool>) -> CondJson {
    let mut entries = vec![
        entry("name", string(tool.name)),
        entry("description", CondJson::Text(tool.description.clone())),
        entry("input_schema", tool.parameters.json()),
    ];
    entries.extend(strict.map(|strict| entry("strict", Value::from(strict).into())));
    CondJson::Object(entries)
}
