//! Anthropic: Messages, and its strict tools.

use super::{Budget, Confidence, NameGrammar, Provider, limit};

const READ: &str = "2026-11-21";

/// Messages, not strict.
pub(super) const MESSAGES: Provider = Provider {
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
    refused_at_root: limit(
        &["oneOf", "allOf", "anyOf"],
        Confidence::High,
        READ,
        "Anthropic's SDK; live errors to 2026-05",
    ),
    advised_sentences: limit(3, Confidence::Medium, READ, "Anthropic's guide to tools: at least three or four"),
    ..Provider::new("anthropic")
};

/// Strict tools.
pub(super) const STRICT: Provider = Provider {
    dialect: "anthropic-strict",
    refused: limit(
        &[
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "minLength",
            "maxLength",
            "maxItems",
        ],
        Confidence::High,
        READ,
        "Anthropic's documentation of structured outputs",
    ),
    recursion: limit(false, Confidence::High, READ, "Anthropic's documentation of structured outputs"),
    closed_objects: limit(true, Confidence::High, READ, "Anthropic's documentation of structured outputs"),
    min_items: limit(&[0, 1], Confidence::High, READ, "Anthropic's documentation of structured outputs"),
    budget: limit(
        Budget { tools: 20, optional: 24, unions: 16 },
        Confidence::High,
        READ,
        "Anthropic's documentation of structured outputs; live errors",
    ),
    ..MESSAGES
};
