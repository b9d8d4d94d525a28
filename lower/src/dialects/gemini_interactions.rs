//! Gemini's Interactions API, whose functions have a JSON Schema in `parameters`.

use super::definition::{entry, string};
use super::limits::{Confidence, limit};
use super::{Dialect, ToolDefinition, ToolLimits, Vendor, gemini};
use crate::conditional_json::CondJson;

/// The date on which the sources of the limits were read.
const READ_ON: &str = "2026-11-27";

/// The record of this dialect.
pub(super) const DIALECT: Dialect = Dialect {
    name: "gemini-interactions",
    feature: Some("gemini-interactions"),
    variant: "GeminiInteractions",
    about: "Gemini's Interactions API, with a JSON Schema in `parameters`.",
    envelope: function,
    omits_empty_parameters: false,
    tool: ToolLimits {
        ignored_keywords: limit(
            &["minLength", "maxLength", "minProperties", "maxProperties", "uniqueItems"],
            Confidence::High,
            READ_ON,
            "google-genai 3.6.1, types/interactions/function.py: these are ignored",
        ),
        ..gemini::DIALECT.tool
    },
    vendor: Some(Vendor::Gemini),
    ..gemini::DIALECT
};

fn function(tool: &ToolDefinition<'_>) -> CondJson {
    CondJson::Object(vec![
        entry("type", string("function")),
        entry("name", string(tool.name)),
        entry("description", CondJson::Text(tool.description.clone())),
        entry("parameters", tool.parameters.json()),
    ])
}
