//! MCP, revision 2026-07-28: any schema of draft 2020-12 whose root is an object.

use super::{Confidence, NameGrammar, Provider, limit};

/// What its specification says.
pub(super) const MCP: Provider = Provider {
    tool_name: limit(
        NameGrammar { first: "_.-", rest: "_.-", starts_with_digit: true, max_length: 128 },
        Confidence::High,
        "2026-11-21",
        "the specification of 2026-07-28, Tools",
    ),
    ..Provider::new("mcp")
};
