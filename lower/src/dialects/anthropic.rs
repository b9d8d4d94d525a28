//! The dialect `anthropic`: Anthropic's Messages API without `strict`.

use serde_json::Value;
use toolc::__gen::VendorFields;

use super::definition::{entry, string};
use super::limits::{Confidence, NameGrammar, Refused, limit, of_runtime};
use super::{
    CodeLimits, Dialect, Extensions, Language, ListSize, RequestLimits, SchemaSubset, SearchLimits, ToolDefinition,
    ToolLimits, Vendor,
};
use crate::conditional_json::CondJson;
use crate::schema::Spelling;

/// The date on which the sources of the limits were read.
const READ_ON: &str = "2026-11-21";

/// The date on which the types of the SDK were read.
const EXTENSIONS_READ_ON: &str = "2026-11-27";

const TOOL_PARAM: &str = "anthropic 2.14.0, types/tool_param.py";

const TOOL_SEARCH: &str = "Anthropic's documentation of tool search, as of 2026-09";

/// Where Anthropic documents calls by code.
pub(super) const CALLS_BY_CODE: &str = "Anthropic's documentation of programmatic tool calling, as of 2026-09";

/// The record of this dialect.
pub(super) const DIALECT: Dialect = Dialect {
    name: "anthropic",
    feature: Some("anthropic"),
    variant: "Anthropic",
    about: "Anthropic's Messages. `strict` is absent.",
    envelope: |tool| messages(tool, None),
    omits_empty_parameters: false,
    language: Language::Json,
    schema: SchemaSubset::NONE,
    spelling: Spelling::JSON_SCHEMA,
    tool: ToolLimits {
        tool_name: limit(
            NameGrammar { first: "_-", rest: "_-", starts_with_digit: true, max_length: 128 },
            Confidence::High,
            READ_ON,
            "Anthropic's documentation of tools; live errors to 2026-09 (64 until about 2025-03)",
        ),
        parameter_name: limit(
            NameGrammar { first: "_.-", rest: "_.-", starts_with_digit: true, max_length: 64 },
            Confidence::High,
            READ_ON,
            "live errors of 2026; one bad key fails the whole request",
        ),
        root_keywords: limit(
            &["oneOf", "allOf", "anyOf"],
            Confidence::High,
            READ_ON,
            "Anthropic's SDK; live errors to 2026-05",
        ),
        advised_sentences: limit(3, Confidence::Medium, READ_ON, "Anthropic's guide to tools: at least three or four"),
        ..ToolLimits::NONE
    },
    extensions: Extensions {
        examples: limit("input_examples", Confidence::High, EXTENSIONS_READ_ON, TOOL_PARAM),
        callers: of_runtime(VendorFields::MESSAGES.callers, Confidence::High, EXTENSIONS_READ_ON, TOOL_PARAM),
        ..Extensions::NONE
    },
    code: CodeLimits {
        recursive_parameters: limit(Refused, Confidence::High, EXTENSIONS_READ_ON, CALLS_BY_CODE),
        max_wait_seconds: limit(240, Confidence::High, EXTENSIONS_READ_ON, CALLS_BY_CODE),
        ..CodeLimits::NONE
    },
    request: RequestLimits {
        duplicate_names: limit(
            Refused,
            Confidence::High,
            EXTENSIONS_READ_ON,
            "live errors from 2025-06 to 2026-05, among them danny-avila/LibreChat#13162",
        ),
        ..RequestLimits::NONE
    },
    search: SearchLimits {
        advised_from: limit(
            ListSize { tools: 10, tokens: Some(10_000) },
            Confidence::High,
            EXTENSIONS_READ_ON,
            TOOL_SEARCH,
        ),
        advised_undeferred: limit("3 to 5", Confidence::High, EXTENSIONS_READ_ON, TOOL_SEARCH),
        ..SearchLimits::NONE
    },
    vendor: Some(Vendor::Anthropic),
    lenient: None,
};

/// Returns a tool's definition for the Messages API. `strict` is omitted if it is `None`.
pub(super) fn messages(tool: &ToolDefinition<'_>, strict: Option<bool>) -> CondJson {
    let mut entries = vec![
        entry("name", string(tool.name)),
        entry("description", CondJson::Text(tool.description.clone())),
        entry("input_schema", tool.parameters.json()),
    ];
    entries.extend(strict.map(|strict| entry("strict", Value::from(strict).into())));
    entries.extend(tool.extensions.iter().cloned());
    CondJson::Object(entries)
}
