//! Gemini: `parametersJsonSchema`, and the subset of `OpenAPI` that `parameters` takes.

use super::{Confidence, NameGrammar, Provider, limit};

const READ: &str = "2026-11-21";

/// `parametersJsonSchema`, which its SDK recommends.
pub(super) const JSON_SCHEMA: Provider = Provider {
    tool_name: limit(
        NameGrammar { first: "_", rest: "_.:-", starts_with_digit: false, max_length: 64 },
        Confidence::High,
        READ,
        "python-genai, types.py (128 there); a live error of 2025-11 (64)",
    ),
    parameter_name: limit(PARAMETER, Confidence::High, READ, "python-genai, types.py"),
    nested_name: limit(PARAMETER, Confidence::High, READ, "python-genai, types.py"),
    tools: limit(512, Confidence::High, READ, "python-genai, types.py"),
    advised_tools: limit(20, Confidence::High, READ, "Gemini's guide to function calling: 10 to 20"),
    ..Provider::new("gemini")
};

const PARAMETER: NameGrammar = NameGrammar { first: "_", rest: "_", starts_with_digit: false, max_length: 64 };

/// `parameters`.
pub(crate) const OPENAPI: Provider = Provider {
    dialect: "gemini-openapi",
    supported: limit(
        &[
            "type",
            "format",
            "title",
            "description",
            "nullable",
            "default",
            "example",
            "enum",
            "items",
            "minItems",
            "maxItems",
            "properties",
            "required",
            "minProperties",
            "maxProperties",
            "propertyOrdering",
            "minimum",
            "maximum",
            "minLength",
            "maxLength",
            "pattern",
            "anyOf",
        ],
        Confidence::High,
        READ,
        "python-genai, types.py, Schema",
    ),
    refused: limit(
        &["const", "oneOf", "allOf", "not", "patternProperties", "propertyNames", "if"],
        Confidence::Medium,
        READ,
        "absent in python-genai's Schema; issues of its users",
    ),
    lone_any_of: limit(true, Confidence::High, READ, "python-genai; issues (Vertex)"),
    recursion: limit(false, Confidence::High, READ, "there is no `$ref` in python-genai's Schema"),
    string_enums: limit(true, Confidence::High, READ, "python-genai, types.py, Schema; issues"),
    array_items: limit(true, Confidence::High, READ, "issues of its users"),
    object_properties: limit(true, Confidence::Medium, READ, "issues of its users"),
    ..JSON_SCHEMA
};
