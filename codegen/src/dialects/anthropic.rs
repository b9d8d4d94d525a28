//! Anthropic: Messages, and its strict tools.

use super::{Budget, Name, Provider, Sure, limit};

const READ: &str = "2026-11-21";

/// Messages, not strict.
pub(super) const MESSAGES: Provider = Provider {
    tool_name: limit(
        Name { first: "_-", others: "_-", digit_first: true, longest: 128 },
        Sure::High,
        READ,
        "Anthropic's documentation of tools; live errors to 2026-09 (64 until about 2025-03)",
    ),
    parameter_name: limit(
        Name { first: "_.-", others: "_.-", digit_first: true, longest: 64 },
        Sure::High,
        READ,
        "live errors of 2026; one bad key fails the whole request",
    ),
    refused_at_root: limit(&["oneOf", "allOf", "anyOf"], Sure::High, READ, "Anthropic's SDK; live errors to 2026-05"),
    advised_sentences: limit(3, Sure::Medium, READ, "Anthropic's guide to tools: at least three or four"),
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
        Sure::High,
        READ,
        "Anthropic's documentation of structured outputs",
    ),
    recursion: limit(false, Sure::High, READ, "Anthropic's documentation of structured outputs"),
    closed_objects: limit(true, Sure::High, READ, "Anthropic's documentation of structured outputs"),
    min_items: limit(&[0, 1], Sure::High, READ, "Anthropic's documentation of structured outputs"),
    budget: limit(
        Budget { tools: 20, optional: 24, unions: 16 },
        Sure::High,
        READ,
        "Anthropic's documentation of structured outputs; live errors",
    ),
    ..MESSAGES
};
