//! The dialect `typescript`: declarations for models that call tools from code.

use toolc::__gen::RESERVED_IDENTIFIERS;

use super::definition::{entry, string};
use super::limits::{Confidence, NameGrammar, limit};
use super::{
    CodeLimits, Dialect, Extensions, Language, RequestLimits, SchemaSubset, SearchLimits, ToolDefinition, ToolLimits,
};
use crate::conditional_json::CondJson;
use crate::schema::Spelling;

/// The date on which the sources of the limits were read.
const READ_ON: &str = "2026-11-27";

/// The record of this dialect.
pub(super) const DIALECT: Dialect = Dialect {
    name: "typescript",
    feature: Some("typescript"),
    variant: "TypeScript",
    about: "TypeScript declarations, for models that call tools from code: `declare namespace tools { function NAME(args: {...}): Promise<...>; }`. Not JSON.",
    envelope: definition,
    omits_empty_parameters: false,
    language: Language::TypeScript,
    schema: SchemaSubset::NONE,
    spelling: Spelling::JSON_SCHEMA,
    tool: ToolLimits {
        tool_name: limit(
            NameGrammar { first: "_$", rest: "_$", starts_with_digit: false, max_length: 64 },
            Confidence::High,
            READ_ON,
            "codex-rs, code-mode/src/description.rs: every other character becomes `_`; the length is that of portable names",
        ),
        reserved_names: limit(
            RESERVED_IDENTIFIERS,
            Confidence::High,
            READ_ON,
            "TypeScript 5.9 for words; codex-rs, code-mode, for `exec`, `wait` and `ALL_TOOLS`; the others are reserved by toolc",
        ),
        ..ToolLimits::NONE
    },
    extensions: Extensions::NONE,
    code: CodeLimits::NONE,
    request: RequestLimits::NONE,
    search: SearchLimits::NONE,
    vendor: None,
    lenient: None,
};

/// Writes what the runtime makes the declaration from.
fn definition(tool: &ToolDefinition<'_>) -> CondJson {
    let mut entries = vec![
        entry("name", string(tool.name)),
        entry("description", CondJson::Text(tool.description.clone())),
        entry("parameters", tool.parameters.json()),
    ];
    entries.extend(tool.returns.as_ref().map(|returns| entry("returns", returns.json())));
    CondJson::Object(entries)
}
