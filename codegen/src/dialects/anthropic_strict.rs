//! The dialect `anthropic-strict`: Anthropic's Messages API in strict mode.

use super::limits::{Confidence, Refused, Total, limit};
use super::schema_subset::{Enums, Refs};
use super::{Dialect, RequestLimits, SchemaSubset, anthropic};

const READ: &str = "2026-11-21";

const STRUCTURED: &str = "Anthropic's documentation of structured outputs";

/// The record.
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
    ..anthropic::DIALECT
};
