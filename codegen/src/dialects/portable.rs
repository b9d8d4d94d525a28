//! What every provider takes: the intersection of all the others.

use super::{Limit, Name, Provider, Sure, limit, llamacpp};

const READ: &str = "2026-11-21";
const SOURCE: &str = "the intersection of the other dialects";

/// The intersection.
pub(super) const PORTABLE: Provider = Provider {
    tool_name: limit(Name { first: "_", others: "_-", digit_first: false, longest: 64 }, Sure::High, READ, SOURCE),
    parameter_name: limit(PARAMETER, Sure::High, READ, SOURCE),
    nested_name: limit(PARAMETER, Sure::High, READ, SOURCE),
    description_chars: limit(1024, Sure::Medium, READ, SOURCE),
    tools: limit(128, Sure::Medium, READ, SOURCE),
    advised_tools: limit(20, Sure::Medium, READ, SOURCE),
    refused_at_root: limit(&["oneOf", "anyOf", "allOf", "enum", "not", "const"], Sure::High, READ, SOURCE),
    lone_ref: limit(true, Sure::High, READ, SOURCE),
    array_items: limit(true, Sure::High, READ, SOURCE),
    pattern: Some(llamacpp::PATTERN),
    ..Provider::new("portable")
};

const PARAMETER: Name = Name { first: "_", others: "_", digit_first: false, longest: 64 };

/// What clients put before a name, which counts: `mcp__SERVER__`. The length is that of a server's name of usual length.
pub const CLIENT_PREFIX: Limit<usize> = Limit {
    value: "mcp__".len() + 16 + "__".len(),
    source: "codex#1289, claude-code#16425: names of 64 characters and more once a client adds its prefix",
    verified_on: READ,
    sure: Sure::Medium,
};
