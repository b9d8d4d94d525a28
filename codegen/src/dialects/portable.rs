//! What every provider takes: the intersection of all the others.

use super::{Confidence, Limit, NameGrammar, Provider, limit, llamacpp};

const READ: &str = "2026-11-21";
const SOURCE: &str = "the intersection of the other dialects";

/// The intersection.
pub(super) const PORTABLE: Provider = Provider {
    tool_name: limit(
        NameGrammar { first: "_", rest: "_-", starts_with_digit: false, max_length: 64 },
        Confidence::High,
        READ,
        SOURCE,
    ),
    parameter_name: limit(PARAMETER, Confidence::High, READ, SOURCE),
    nested_name: limit(PARAMETER, Confidence::High, READ, SOURCE),
    description_chars: limit(1024, Confidence::Medium, READ, SOURCE),
    tools: limit(128, Confidence::Medium, READ, SOURCE),
    advised_tools: limit(20, Confidence::Medium, READ, SOURCE),
    refused_at_root: limit(&["oneOf", "anyOf", "allOf", "enum", "not", "const"], Confidence::High, READ, SOURCE),
    lone_ref: limit(true, Confidence::High, READ, SOURCE),
    array_items: limit(true, Confidence::High, READ, SOURCE),
    pattern: Some(llamacpp::PATTERN),
    ..Provider::new("portable")
};

const PARAMETER: NameGrammar = NameGrammar { first: "_", rest: "_", starts_with_digit: false, max_length: 64 };

/// What clients put before a name, which counts: `mcp__SERVER__`. The length is that of a server's name of usual length.
pub const CLIENT_PREFIX: Limit<usize> = Limit {
    value: "mcp__".len() + 16 + "__".len(),
    source: "codex#1289, claude-code#16425: names of 64 characters and more once a client adds its prefix",
    verified_on: READ,
    confidence: Confidence::Medium,
};
