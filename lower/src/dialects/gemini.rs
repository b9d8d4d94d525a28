//! Gemini's function declarations with `parametersJsonSchema`, which its SDK recommends.

use super::definition::{entry, string};
use super::limits::{Confidence, NameGrammar, Refused, limit};
use super::{
    CodeLimits, Dialect, Extensions, Language, RequestLimits, SchemaSubset, SearchLimits, ToolDefinition, ToolLimits,
};
use crate::conditional_json::CondJson;
use crate::schema::Spelling;
use crate::text::condition::Condition;

/// The date on which the sources of the limits were read.
const READ_ON: &str = "2026-11-21";

const PARAMETER: NameGrammar = NameGrammar { first: "_", rest: "_", starts_with_digit: false, max_length: 64 };

/// The record of this dialect.
pub(super) const DIALECT: Dialect = Dialect {
    name: "gemini",
    feature: Some("gemini"),
    variant: "Gemini",
    about: "Gemini's function declarations, with `parametersJsonSchema` and `responseJsonSchema`. A tool without parameters has no `parametersJsonSchema`.",
    envelope: |tool| declaration(tool, "parametersJsonSchema", "responseJsonSchema"),
    omits_empty_parameters: true,
    language: Language::Json,
    schema: SchemaSubset::NONE,
    spelling: Spelling::JSON_SCHEMA,
    tool: ToolLimits {
        tool_name: limit(
            NameGrammar { first: "_", rest: "_.:-", starts_with_digit: false, max_length: 64 },
            Confidence::High,
            READ_ON,
            "python-genai, types.py (128 there); a live error of 2025-11 (64)",
        ),
        parameter_name: limit(PARAMETER, Confidence::High, READ_ON, "python-genai, types.py"),
        nested_name: limit(PARAMETER, Confidence::High, READ_ON, "python-genai, types.py"),
        ref_siblings: limit(
            Refused,
            Confidence::Medium,
            "2026-11-29",
            "live errors of 2026: anomalyco/opencode#12295, su-kaka/gcli2api#374",
        ),
        code_only_tools: limit(
            Refused,
            Confidence::High,
            READ_ON,
            "python-genai's FunctionDeclaration has no field for callers",
        ),
        ..ToolLimits::NONE
    },
    extensions: Extensions::NONE,
    code: CodeLimits::NONE,
    request: RequestLimits {
        max_tools: limit(512, Confidence::High, READ_ON, "python-genai, types.py"),
        advised_tools: limit(20, Confidence::High, READ_ON, "Gemini's guide to function calling: 10 to 20"),
        ..RequestLimits::NONE
    },
    search: SearchLimits::NONE,
    vendor: None,
    lenient: None,
};

/// Writes a function declaration. A tool without parameters has no entry for them, because an empty object is refused.
pub(super) fn declaration(tool: &ToolDefinition<'_>, parameters: &str, response: &str) -> CondJson {
    let mut entries =
        vec![entry("name", string(tool.name)), entry("description", CondJson::Text(tool.description.clone()))];
    if tool.has_parameters != Some(Condition::Or(Vec::new())) {
        entries.push((tool.has_parameters.clone(), parameters.to_owned(), tool.parameters.json()));
    }
    entries.extend(tool.returns.as_ref().map(|returns| entry(response, returns.json())));
    CondJson::Object(entries)
}
