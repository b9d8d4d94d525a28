//! Gemini: `parametersJsonSchema`, and the subset of `OpenAPI` that `parameters` takes.

use super::{Name, Provider, Sure, limit};

const READ: &str = "2026-11-21";

/// `parametersJsonSchema`, which its SDK recommends.
pub(super) const JSON_SCHEMA: Provider = Provider {
    tool_name: limit(
        Name { first: "_", others: "_.:-", digit_first: false, longest: 64 },
        Sure::High,
        READ,
        "python-genai, types.py (128 there); a live error of 2025-11 (64)",
    ),
    parameter_name: limit(PARAMETER, Sure::High, READ, "python-genai, types.py"),
    nested_name: limit(PARAMETER, Sure::High, READ, "python-genai, types.py"),
    tools: limit(512, Sure::High, READ, "python-genai, types.py"),
    advised_tools: limit(20, Sure::High, READ, "Gemini's guide to function calling: 10 to 20"),
    ..Provider::new("gemini")
};

const PARAMETER: Name = Name { first: "_", others: "_", digit_first: false, longest: 64 };

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
        Sure::High,
        READ,
        "python-genai, types.py, Schema",
    ),
    refused: limit(
        &["const", "oneOf", "allOf", "not", "patternProperties", "propertyNames", "if"],
        Sure::Medium,
        READ,
        "absent in python-genai's Schema; issues of its users",
    ),
    lone_any_of: limit(true, Sure::High, READ, "python-genai; issues (Vertex)"),
    recursion: limit(false, Sure::High, READ, "there is no `$ref` in python-genai's Schema"),
    string_enums: limit(true, Sure::High, READ, "python-genai, types.py, Schema; issues"),
    array_items: limit(true, Sure::High, READ, "issues of its users"),
    object_properties: limit(true, Sure::Medium, READ, "issues of its users"),
    ..JSON_SCHEMA
};
