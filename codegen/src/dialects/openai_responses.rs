//! OpenAI's Responses. It applies strict mode if `strict` is absent, so that is always written.

use serde_json::Value;

use super::definition::string;
use super::limits::{Confidence, limit};
use super::{Dialect, ToolDefinition, ToolLimits, openai};
use crate::conditional_json::CondJson;

/// The date on which the sources of the limits were read.
const READ_ON: &str = "2026-11-21";

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
        ..openai::DIALECT.tool
    },
    ..openai::DIALECT
};

fn definition(tool: &ToolDefinition<'_>) -> CondJson {
    CondJson::object([
        ("type", string("function")),
        ("name", string(tool.name)),
        ("description", CondJson::Text(tool.description.clone())),
        ("parameters", tool.parameters.json()),
        ("strict", Value::from(false).into()),
    ])
}
