//! Gemini's function declarations with `parameters`, which accepts a subset of `OpenAPI`.

use super::limits::{Confidence, Refused, limit};
use super::schema_subset::{Enums, Refs};
use super::{Dialect, SchemaSubset, ToolLimits, gemini};
use crate::schema::Spelling;

/// The date on which the sources of the limits were read.
const READ_ON: &str = "2026-11-21";

const SCHEMA: &str = "python-genai, types.py, Schema";

/// The record of this dialect.
pub(super) const DIALECT: Dialect = Dialect {
    name: "gemini-openapi",
    feature: Some("gemini-openapi"),
    variant: "GeminiOpenApi",
    about: "Gemini's function declarations for servers that expect the OpenAPI subset: `parameters` and `response`, with types in capitals. A tool without parameters has no `parameters`.",
    envelope: |tool| gemini::declaration(tool, "parameters", "response"),
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
            READ_ON,
            SCHEMA,
        ),
        formats: limit(&["date-time", "int32", "int64", "float", "double"], Confidence::Medium, READ_ON, SCHEMA),
        refs: limit(Refs::Never, Confidence::High, READ_ON, "there is no `$ref` in python-genai's Schema"),
        enums: limit(Enums::Strings, Confidence::High, READ_ON, "python-genai, types.py, Schema; issues of its users"),
        type_lists: limit(Refused, Confidence::High, READ_ON, SCHEMA),
        union_siblings: limit(Refused, Confidence::High, READ_ON, "python-genai; issues of its users (Vertex)"),
        open_objects: limit(Refused, Confidence::High, READ_ON, "no `additionalProperties` in python-genai's Schema"),
        empty_objects: limit(Refused, Confidence::Medium, READ_ON, "issues of its users"),
        untyped_arrays: limit(Refused, Confidence::High, READ_ON, "issues of its users"),
        ..SchemaSubset::NONE
    },
    spelling: Spelling { openapi: true, says_closed: false, ..Spelling::JSON_SCHEMA },
    tool: ToolLimits {
        root_keywords: limit(
            &["oneOf", "anyOf", "allOf"],
            Confidence::High,
            READ_ON,
            "python-genai's Schema has no oneOf and allOf, and properties stand next to no anyOf",
        ),
        ..gemini::DIALECT.tool
    },
    ..gemini::DIALECT
};
