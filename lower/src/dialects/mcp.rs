//! MCP's `tools/list`, revision 2026-07-28: any schema of draft 2020-12 whose root is an object.

use serde_json::{Value, json};
use toolc::behaviour::Annotations;

use super::definition::{entry, string};
use super::limits::{Confidence, HeaderRules, NameGrammar, Refused, limit};
use super::{
    CodeLimits, Dialect, Extensions, Language, RequestLimits, SchemaSubset, SearchLimits, ToolDefinition, ToolLimits,
};
use crate::conditional_json::CondJson;
use crate::schema::Spelling;

/// The date on which the sources of the limits were read.
const READ_ON: &str = "2026-11-21";

/// The date on which the rules of headers and lists were read.
const RULES_READ_ON: &str = "2026-11-27";

/// The record of this dialect.
pub(super) const DIALECT: Dialect = Dialect {
    name: "mcp",
    feature: Some("mcp"),
    variant: "Mcp",
    about: "MCP's `tools/list`, with `title`, `icons`, `outputSchema` (from `returns`) and all four `annotations`.",
    envelope: definition,
    omits_empty_parameters: false,
    language: Language::Json,
    schema: SchemaSubset::NONE,
    spelling: Spelling { says_mcp_headers: true, ..Spelling::JSON_SCHEMA },
    tool: ToolLimits {
        tool_name: limit(
            NameGrammar { first: "_.-", rest: "_.-", starts_with_digit: true, max_length: 128 },
            Confidence::High,
            READ_ON,
            "the specification of 2026-07-28, Tools",
        ),
        // `mcp__SERVER__`, with a server's name of usual length.
        client_prefix: limit(
            "mcp__".len() + 16 + "__".len(),
            Confidence::Medium,
            READ_ON,
            "codex#1289, claude-code#16425: names of 64 characters and more once a client adds its prefix",
        ),
        headers: limit(
            HeaderRules {
                punctuation: "!#$%&'*+-.^_`|~",
                types: &["integer", "string", "boolean"],
                max_integer: (1 << 53) - 1,
            },
            Confidence::High,
            RULES_READ_ON,
            "the specification of 2026-07-28, Tools, x-mcp-header",
        ),
        ..ToolLimits::NONE
    },
    extensions: Extensions {
        meta: limit("_meta", Confidence::High, READ_ON, "the specification of 2026-07-28, Tools"),
        ..Extensions::NONE
    },
    code: CodeLimits::NONE,
    request: RequestLimits {
        varying_lists: limit(
            Refused,
            Confidence::High,
            RULES_READ_ON,
            "the specification of 2026-07-28, Tools, Capabilities",
        ),
        ..RequestLimits::NONE
    },
    search: SearchLimits::NONE,
    vendor: None,
    lenient: None,
};

fn definition(tool: &ToolDefinition<'_>) -> CondJson {
    let Annotations { read_only, destructive, idempotent, open_world, .. } = tool.annotations;
    let hints = json!({
        "readOnlyHint": read_only, "destructiveHint": destructive, "idempotentHint": idempotent,
        "openWorldHint": open_world,
    });
    let mut entries = vec![entry("name", string(tool.name))];
    entries.extend(tool.title.map(|title| entry("title", string(title))));
    entries.push(entry("description", CondJson::Text(tool.description.clone())));
    entries.push(entry("inputSchema", tool.parameters.json()));
    entries.extend(tool.returns.as_ref().map(|returns| entry("outputSchema", returns.json())));
    entries.push(entry("annotations", hints.into()));
    if !tool.icons.is_empty() {
        let icons: Vec<Value> = tool.icons.iter().map(|source| icon(source)).collect();
        entries.push(entry("icons", Value::from(icons).into()));
    }
    entries.extend(tool.extensions.iter().cloned());
    CondJson::Object(entries)
}

/// Returns the entry of a picture. Its type follows from the address, if it says it.
fn icon(source: &str) -> Value {
    let of_data = source.strip_prefix("data:").and_then(|rest| rest.split([';', ',']).next());
    let path = source.split(['?', '#']).next().unwrap_or_default();
    let of_file = path.rsplit_once('.').and_then(|(_, extension)| match extension {
        "png" => Some("image/png"),
        "jpg" | "jpeg" => Some("image/jpeg"),
        "svg" => Some("image/svg+xml"),
        "webp" => Some("image/webp"),
        _ => None,
    });
    match of_data.or(of_file) {
        Some(media_type) => json!({ "src": source, "mimeType": media_type }),
        None => json!({ "src": source }),
    }
}
