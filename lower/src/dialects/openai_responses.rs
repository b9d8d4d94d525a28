//! OpenAI's Responses. It applies strict mode if `strict` is absent, so that is always written.

use serde_json::{Value, json};
use toolc::__gen::VendorFields;

use super::definition::{entry, string};
use super::limits::{Confidence, Refused, limit, of_runtime};
use super::{CodeLimits, Dialect, Extensions, ListSize, SearchLimits, ToolDefinition, ToolLimits, Vendor, openai};
use crate::conditional_json::CondJson;

/// The date on which the sources of the limits were read.
const READ_ON: &str = "2026-11-21";

const FIELDS: VendorFields = VendorFields::RESPONSES;
const FUNCTION_TOOL: &str = "openai 3.57.0, types/responses/function_tool_param.py";

/// The record of this dialect.
pub(super) const DIALECT: Dialect = Dialect {
    name: "openai-responses",
    feature: Some("openai-responses"),
    variant: "OpenAiResponses",
    about: "OpenAI's Responses, with `\"strict\": false`.",
    envelope: definition,
    tool: ToolLimits {
        tool_name: limit(
            openai::NAME,
            Confidence::Medium,
            READ_ON,
            "openai-openapi, FunctionToolParam: no length at the top level; 64 as in Chat",
        ),
        code_only_tools: None,
        ..openai::DIALECT.tool
    },
    extensions: Extensions {
        callers: of_runtime(FIELDS.callers, Confidence::High, openai::EXTENSIONS_READ_ON, FUNCTION_TOOL),
        code_result: of_runtime(FIELDS.code_result, Confidence::High, openai::EXTENSIONS_READ_ON, FUNCTION_TOOL),
        background: of_runtime(FIELDS.background, Confidence::High, openai::EXTENSIONS_READ_ON, FUNCTION_TOOL),
        text_input: limit(
            openai::CUSTOM,
            Confidence::High,
            openai::EXTENSIONS_READ_ON,
            "openai 3.57.0, types/responses/custom_tool_param.py",
        ),
        ..Extensions::NONE
    },
    code: CodeLimits {
        background_calls: limit(
            Refused,
            Confidence::Medium,
            openai::EXTENSIONS_READ_ON,
            "OpenAI's guide to async tool calling, as several who read it in 2026-10 report",
        ),
        ..CodeLimits::NONE
    },
    search: SearchLimits {
        advised_from: limit(
            ListSize { tools: 20, tokens: None },
            Confidence::Medium,
            openai::EXTENSIONS_READ_ON,
            "OpenAI's guide to function calling",
        ),
        needs_deferred_tool: limit(
            Refused,
            Confidence::Medium,
            openai::EXTENSIONS_READ_ON,
            "a live error of 2026-09, justrach/codegraff#746",
        ),
        advised_undeferred: limit(
            "fewer than 20",
            Confidence::Medium,
            openai::EXTENSIONS_READ_ON,
            "OpenAI's guide to function calling",
        ),
        namespace_functions: limit(10, Confidence::High, openai::EXTENSIONS_READ_ON, "OpenAI's guide to tool search"),
    },
    vendor: Some(Vendor::OpenAi),
    ..openai::DIALECT
};

fn definition(tool: &ToolDefinition<'_>) -> CondJson {
    let mut entries = vec![
        entry("type", string(if tool.text_input.is_some() { openai::CUSTOM } else { "function" })),
        entry("name", string(tool.name)),
        entry("description", CondJson::Text(tool.description.clone())),
    ];
    if let Some(text) = tool.text_input {
        let of_grammar = |grammar: Value| json!({ "type": "grammar", "syntax": grammar["syntax"], "definition": grammar["definition"] });
        entries.push(entry("format", openai::format(text, of_grammar).into()));
    } else {
        entries.push(entry("parameters", tool.parameters.json()));
        entries.push(entry("strict", Value::from(false).into()));
    }
    entries.extend(tool.extensions.iter().cloned());
    CondJson::Object(entries)
}
