//! Gemini: `parametersJsonSchema`, and the subset of `OpenAPI` that `parameters` accepts.

use super::definition::{entry, string};
use super::limits::{Confidence, NameGrammar, Refused, limit};
use super::schema_subset::{Enums, Refs};
use super::{Dialect, RequestLimits, SchemaSubset, ToolDefinition, ToolLimits};
use crate::conditional_json::CondJson;
use crate::schema::Spelling;
use crate::text::condition::Condition;

const READ: &str = "2026-11-21";

const SCHEMA: &str = "python-genai, types.py, Schema";

const PARAMETER: NameGrammar = NameGrammar { first: "_", rest: "_", starts_with_digit: false, max_length: 64 };

/// `parametersJsonSchema`, which its SDK recommends.
pub(super) const JSON_SCHEMA: Dialect = Dialect {
    name: "gemini",
    feature: Some("gemini"),
    variant: "Gemini",
    about: "Gemini's function declarations, with `parametersJsonSchema` and `responseJsonSchema`. A tool without parameters has no `parametersJsonSchema`.",
    envelope: |tool| declaration(tool, "parametersJsonSchema", "responseJsonSchema"),
    schema: SchemaSubset::NONE,
    spelling: Spelling::JSON_SCHEMA,
    tool: ToolLimits {
        tool_name: limit(
            NameGrammar { first: "_", rest: "_.:-", starts_with_digit: false, max_length: 64 },
            Confidence::High,
            READ,
            "python-genai, types.py (128 there); a live error of 2025-11 (64)",
        ),
        parameter_name: limit(PARAMETER, Confidence::High, READ, "python-genai, types.py"),
        nested_name: limit(PARAMETER, Confidence::High, READ, "python-genai, types.py"),
        ..ToolLimits::NONE
    },
    request: RequestLimits {
        max_tools: limit(512, Confidence::High, READ, "python-genai, types.py"),
        advised_tools: limit(20, Confidence::High, READ, "Gemini's guide to function calling: 10 to 20"),
        ..RequestLimits::NONE
    },
};

/// `parameters`.
pub(super) const OPENAPI: Dialect = Dialect {
    name: "gemini-openapi",
    feature: Some("gemini-openapi"),
    variant: "GeminiOpenApi",
    about: "Gemini's function declarations for servers that expect the OpenAPI subset: `parameters` and `response`, with types in capitals. A tool without parameters has no `parameters`.",
    envelope: |tool| declaration(tool, "parameters", "response"),
    schema: SchemaSubset {
        keywords: limit(
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
            SCHEMA,
        ),
        formats: limit(&["date-time", "int32", "int64", "float", "double"], Confidence::Medium, READ, SCHEMA),
        refs: limit(Refs::Never, Confidence::High, READ, "there is no `$ref` in python-genai's Schema"),
        enums: limit(Enums::Strings, Confidence::High, READ, "python-genai, types.py, Schema; issues of its users"),
        type_lists: limit(Refused, Confidence::High, READ, SCHEMA),
        union_siblings: limit(Refused, Confidence::High, READ, "python-genai; issues of its users (Vertex)"),
        open_objects: limit(Refused, Confidence::High, READ, "no `additionalProperties` in python-genai's Schema"),
        empty_objects: limit(Refused, Confidence::Medium, READ, "issues of its users"),
        untyped_arrays: limit(Refused, Confidence::High, READ, "issues of its users"),
        ..SchemaSubset::NONE
    },
    spelling: Spelling { openapi: true, says_closed: false, says_required: false },
    tool: ToolLimits {
        root_keywords: limit(
            &["oneOf", "anyOf", "allOf"],
            Confidence::High,
            READ,
            "python-genai's Schema has no oneOf and allOf, and properties stand next to no anyOf",
        ),
        ..JSON_SCHEMA.tool
    },
    ..JSON_SCHEMA
};

/// A function declaration. A tool without parameters has no entry for them, because an empty object is refused.
fn declaration(tool: &ToolDefinition<'_>, parameters: &str, response: &str) -> CondJson {
    let mut entries =
        vec![entry("name", string(tool.name)), entry("description", CondJson::Text(tool.description.clone()))];
    if tool.has_parameters != Some(Condition::Or(Vec::new())) {
        entries.push((tool.has_parameters.clone(), parameters.to_owned(), tool.parameters.json()));
    }
    entries.extend(tool.returns.as_ref().map(|returns| entry(response, returns.json())));
    CondJson::Object(entries)
}
