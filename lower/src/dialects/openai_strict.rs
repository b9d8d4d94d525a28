//! The dialect `openai-strict`: OpenAI's Chat Completions API in strict mode.

use super::limits::{Confidence, Refused, Size, limit};
use super::schema_subset::{Enums, Refs};
use super::{Dialect, SchemaSubset, ToolLimits, openai};
use crate::schema::Spelling;

/// The date on which the sources of the limits were read.
const READ_ON: &str = "2026-11-21";

const GUIDE: &str = "OpenAI's guide to structured outputs";

/// The record of this dialect.
pub(super) const DIALECT: Dialect = Dialect {
    name: "openai-strict",
    feature: Some("openai-strict"),
    variant: "OpenAiStrict",
    about: "OpenAI's Chat Completions with `\"strict\": true`.",
    envelope: |tool| openai::chat(tool, Some(true)),
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
            READ_ON,
            "OpenAI's guide to structured outputs: minLength and maxLength are not on its list; live errors for oneOf, allOf",
        ),
        formats: limit(
            &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
            Confidence::High,
            READ_ON,
            GUIDE,
        ),
        refs: limit(
            Refs::Alone { recursive: true },
            Confidence::High,
            READ_ON,
            "openai-python, lib/_pydantic.py, for siblings; OpenAI's guide to structured outputs for recursion",
        ),
        enums: limit(Enums::Scalars, Confidence::Low, READ_ON, "the guide has no enum of arrays or objects"),
        open_objects: limit(Refused, Confidence::High, READ_ON, GUIDE),
        optional_properties: limit(Refused, Confidence::High, READ_ON, GUIDE),
        untyped_arrays: limit(Refused, Confidence::Low, READ_ON, "the guide names the type of every value"),
        max_depth: limit(10, Confidence::High, READ_ON, GUIDE),
        ..SchemaSubset::NONE
    },
    spelling: Spelling { says_required: true, ..Spelling::JSON_SCHEMA },
    tool: ToolLimits {
        ignored_keywords: limit(
            &[
                "minimum",
                "maximum",
                "exclusiveMinimum",
                "exclusiveMaximum",
                "multipleOf",
                "pattern",
                "format",
                "minItems",
                "maxItems",
            ],
            Confidence::Medium,
            "2026-11-27",
            "Azure's guide to structured outputs, which supports none of these; OpenAI enforces them",
        ),
        max_size: limit(
            Size { properties: 5_000, text: 120_000, enum_values: 1_000, long_enum: 250, long_enum_text: 15_000 },
            Confidence::High,
            READ_ON,
            GUIDE,
        ),
        ..openai::DIALECT.tool
    },
    lenient: Some(&openai::DIALECT),
    ..openai::DIALECT
};
