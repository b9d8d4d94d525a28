//! The dialect `openai`: OpenAI's Chat Completions API without strict mode.

use serde_json::{Value, json};

use super::Syntax;
use super::definition::{entry, string};
use super::limits::{Confidence, NameGrammar, Refused, limit};
use super::{
    CodeLimits, Dialect, Extensions, Language, RequestLimits, SchemaSubset, SearchLimits, TextInput, ToolDefinition,
    ToolLimits,
};
use crate::conditional_json::CondJson;
use crate::schema::Spelling;

/// The date on which the sources of the limits were read.
const READ_ON: &str = "2026-11-21";

/// Names of tools, in every API of OpenAI.
pub(super) const NAME: NameGrammar = NameGrammar { first: "_-", rest: "_-", starts_with_digit: true, max_length: 64 };

/// The date on which the types of the SDK were read.
pub(super) const EXTENSIONS_READ_ON: &str = "2026-11-27";

/// The type of tools whose input is plain text.
pub(super) const CUSTOM: &str = "custom";

/// The record of this dialect.
pub(super) const DIALECT: Dialect = Dialect {
    name: "openai",
    feature: None,
    variant: "OpenAi",
    about: "OpenAI's Chat Completions. `strict` is absent.",
    envelope: |tool| chat(tool, None),
    omits_empty_parameters: false,
    language: Language::Json,
    schema: SchemaSubset::NONE,
    spelling: Spelling::JSON_SCHEMA,
    tool: ToolLimits {
        tool_name: limit(NAME, Confidence::High, READ_ON, "openai-openapi, FunctionObject"),
        max_description: limit(
            1024,
            Confidence::Medium,
            READ_ON,
            "enforced until early 2025 (dated issues); the specification says nothing",
        ),
        root_keywords: limit(
            &["oneOf", "anyOf", "allOf", "enum", "not", "const"],
            Confidence::High,
            READ_ON,
            "live errors from 2025-06 to 2026-08; const since 2026-08",
        ),
        engine_patterns: limit(
            Refused,
            Confidence::High,
            "2026-11-29",
            "live errors of 2026: agigante80/actual-mcp-server#293, Dokploy/mcp#45, Dokploy/mcp#72",
        ),
        code_only_tools: limit(
            Refused,
            Confidence::High,
            READ_ON,
            "chat_completion_function_tool_param.py has no field for callers",
        ),
        ..ToolLimits::NONE
    },
    extensions: Extensions {
        text_input: limit(
            CUSTOM,
            Confidence::High,
            EXTENSIONS_READ_ON,
            "openai 3.57.0, types/chat/chat_completion_custom_tool_param.py",
        ),
        ..Extensions::NONE
    },
    code: CodeLimits::NONE,
    request: RequestLimits {
        max_tools: limit(128, Confidence::Medium, READ_ON, "enforced from 2024 to 2025-11 (dated issues)"),
        advised_tools: limit(20, Confidence::Medium, READ_ON, "OpenAI's guide to function calling"),
        ..RequestLimits::NONE
    },
    search: SearchLimits::NONE,
    vendor: None,
    lenient: None,
};

/// Writes a definition of Chat Completions.
pub(super) fn chat(tool: &ToolDefinition<'_>, strict: Option<bool>) -> CondJson {
    if let Some(text) = tool.text_input {
        let custom = CondJson::object([
            ("name", string(tool.name)),
            ("description", CondJson::Text(tool.description.clone())),
            ("format", format(text, |grammar| json!({ "type": "grammar", "grammar": grammar })).into()),
        ]);
        return CondJson::object([("type", string(CUSTOM)), (CUSTOM, custom)]);
    }
    let mut function = vec![
        entry("name", string(tool.name)),
        entry("description", CondJson::Text(tool.description.clone())),
        entry("parameters", tool.parameters.json()),
    ];
    function.extend(strict.map(|strict| entry("strict", Value::from(strict).into())));
    CondJson::object([("type", string("function")), ("function", CondJson::Object(function))])
}

/// Returns the format of a plain text. `of_grammar` wraps its syntax and definition.
pub(super) fn format(text: TextInput<'_>, of_grammar: impl FnOnce(Value) -> Value) -> Value {
    match text.syntax {
        Syntax::Text => json!({ "type": "text" }),
        syntax => of_grammar(json!({ "syntax": syntax.word(), "definition": text.definition })),
    }
}
