//! OpenAI: Chat Completions, its strict mode, Responses.

use super::{Confidence, NameGrammar, Provider, Size, limit};

const READ: &str = "2026-11-21";

const NAME: NameGrammar = NameGrammar { first: "_-", rest: "_-", starts_with_digit: true, max_length: 64 };

/// Chat Completions, not strict.
pub(super) const CHAT: Provider = Provider {
    tool_name: limit(NAME, Confidence::High, READ, "openai-openapi, FunctionObject"),
    description_chars: limit(
        1024,
        Confidence::Medium,
        READ,
        "enforced until early 2025 (dated issues); the specification says nothing",
    ),
    tools: limit(128, Confidence::Medium, READ, "enforced from 2024 to 2025-11 (dated issues)"),
    advised_tools: limit(20, Confidence::Medium, READ, "OpenAI's guide to function calling"),
    refused_at_root: limit(
        &["oneOf", "anyOf", "allOf", "enum", "not", "const"],
        Confidence::High,
        READ,
        "live errors from 2025-06 to 2026-08; const since 2026-08",
    ),
    lone_ref: limit(true, Confidence::High, READ, "openai-python, lib/_pydantic.py"),
    ..Provider::new("openai")
};

/// Chat Completions, strict.
pub(crate) const STRICT: Provider = Provider {
    dialect: "openai-strict",
    refused: limit(
        &["allOf", "not", "dependentRequired", "dependentSchemas", "if", "then", "else", "oneOf"],
        Confidence::High,
        READ,
        "OpenAI's guide to structured outputs; live errors",
    ),
    supported: limit(
        &[
            "type",
            "title",
            "description",
            "properties",
            "required",
            "additionalProperties",
            "items",
            "anyOf",
            "enum",
            "const",
            "$ref",
            "$defs",
            "pattern",
            "format",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "minItems",
            "maxItems",
        ],
        Confidence::Medium,
        READ,
        "OpenAI's guide to structured outputs: minLength and maxLength are not on its list",
    ),
    formats: limit(
        &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
        Confidence::High,
        READ,
        "OpenAI's guide to structured outputs",
    ),
    recursion: limit(true, Confidence::Medium, READ, "OpenAI's guide to structured outputs"),
    closed_objects: limit(true, Confidence::High, READ, "OpenAI's guide to structured outputs"),
    all_required: limit(true, Confidence::High, READ, "OpenAI's guide to structured outputs"),
    size: limit(
        Size {
            properties: 5_000,
            depth: 10,
            text: 120_000,
            enum_values: 1_000,
            long_enum: 250,
            long_enum_text: 15_000,
        },
        Confidence::High,
        READ,
        "OpenAI's guide to structured outputs",
    ),
    ..CHAT
};

/// Responses. It tries strict where `strict` is left out, which is why that is always written.
pub(super) const RESPONSES: Provider = Provider {
    dialect: "openai-responses",
    tool_name: limit(
        NAME,
        Confidence::Medium,
        READ,
        "openai-openapi, FunctionToolParam: no length at the top level; 64 as in Chat",
    ),
    ..CHAT
};
