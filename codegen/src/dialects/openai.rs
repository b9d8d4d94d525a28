//! OpenAI: Chat Completions, its strict mode, and Responses.

use serde_json::Value;

use super::definition::{entry, string};
use super::limits::{Confidence, NameGrammar, Refused, Size, limit};
use super::schema_subset::{Enums, Refs};
use super::{Dialect, RequestLimits, SchemaSubset, ToolDefinition, ToolLimits};
use crate::conditional_json::CondJson;
use crate::schema::Spelling;

const READ: &str = "2026-11-21";

const GUIDE: &str = "OpenAI's guide to structured outputs";

const NAME: NameGrammar = NameGrammar { first: "_-", rest: "_-", starts_with_digit: true, max_length: 64 };

/// Chat Completions, not strict.
pub(super) const CHAT: Dialect = Dialect {
    name: "openai",
    feature: None,
    variant: "OpenAi",
    about: "OpenAI's Chat Completions. `strict` is absent.",
    envelope: |tool| chat(tool, None),
    schema: SchemaSubset::NONE,
    spelling: Spelling::JSON_SCHEMA,
    tool: ToolLimits {
        tool_name: limit(NAME, Confidence::High, READ, "openai-openapi, FunctionObject"),
        max_description: limit(
            1024,
            Confidence::Medium,
            READ,
            "enforced until early 2025 (dated issues); the specification says nothing",
        ),
        root_keywords: limit(
            &["oneOf", "anyOf", "allOf", "enum", "not", "const"],
            Confidence::High,
            READ,
            "live errors from 2025-06 to 2026-08; const since 2026-08",
        ),
        ..ToolLimits::NONE
    },
    request: RequestLimits {
        max_tools: limit(128, Confidence::Medium, READ, "enforced from 2024 to 2025-11 (dated issues)"),
        advised_tools: limit(20, Confidence::Medium, READ, "OpenAI's guide to function calling"),
        ..RequestLimits::NONE
    },
};

/// Chat Completions, strict.
pub(super) const STRICT: Dialect = Dialect {
    name: "openai-strict",
    feature: Some("openai-strict"),
    variant: "OpenAiStrict",
    about: "OpenAI's Chat Completions with `\"strict\": true`.",
    envelope: |tool| chat(tool, Some(true)),
    schema: SchemaSubset {
        keywords: limit(
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
            "OpenAI's guide to structured outputs: minLength and maxLength are not on its list; live errors for oneOf, allOf",
        ),
        formats: limit(
            &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
            Confidence::High,
            READ,
            GUIDE,
        ),
        refs: limit(
            Refs::Alone { recursive: true },
            Confidence::High,
            READ,
            "openai-python, lib/_pydantic.py, for siblings; OpenAI's guide to structured outputs for recursion",
        ),
        enums: limit(Enums::Scalars, Confidence::Low, READ, "the guide has no enum of arrays or objects"),
        open_objects: limit(Refused, Confidence::High, READ, GUIDE),
        optional_properties: limit(Refused, Confidence::High, READ, GUIDE),
        untyped_arrays: limit(Refused, Confidence::Low, READ, "the guide names the type of every value"),
        max_depth: limit(10, Confidence::High, READ, GUIDE),
        ..SchemaSubset::NONE
    },
    spelling: Spelling { says_required: true, ..Spelling::JSON_SCHEMA },
    tool: ToolLimits {
        max_size: limit(
            Size { properties: 5_000, text: 120_000, enum_values: 1_000, long_enum: 250, long_enum_text: 15_000 },
            Confidence::High,
            READ,
            GUIDE,
        ),
        ..CHAT.tool
    },
    ..CHAT
};

/// Responses. It applies strict mode if `strict` is absent, which is why that is always written.
pub(super) const RESPONSES: Dialect = Dialect {
    name: "openai-responses",
    feature: Some("openai-responses"),
    variant: "OpenAiResponses",
    about: "OpenAI's Responses, with `\"strict\": false`.",
    envelope: responses,
    tool: ToolLimits {
        tool_name: limit(
            NAME,
            Confidence::Medium,
            READ,
            "openai-openapi, FunctionToolParam: no length at the top level; 64 as in Chat",
        ),
        ..CHAT.tool
    },
    ..CHAT
};

/// A definition of Chat Completions.
pub(super) fn chat(tool: &ToolDefinition<'_>, strict: Option<bool>) -> CondJson {
    let mut function = vec![
        entry("name", string(tool.name)),
        entry("description", CondJson::Text(tool.description.clone())),
        entry("parameters", tool.parameters.json()),
    ];
    function.extend(strict.map(|strict| entry("strict", Value::from(strict).into())));
    CondJson::object([("type", string("function")), ("function", CondJson::Object(function))])
}

fn responses(tool: &ToolDefinition<'_>) -> CondJson {
    CondJson::object([
        ("type", string("function")),
        ("name", string(tool.name)),
        ("description", CondJson::Text(tool.description.clone())),
        ("parameters", tool.parameters.json()),
        ("strict", Value::from(false).into()),
    ])
}
