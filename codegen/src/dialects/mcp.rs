//! MCP, revision 2026-07-28: any schema of draft 2020-12 whose root is an object.

use super::{Name, Provider, Sure, limit};

/// What its specification says.
pub(super) const MCP: Provider = Provider {
    tool_name: limit(
        Name { first: "_.-", others: "_.-", digit_first: true, longest: 128 },
        Sure::High,
        "2026-11-21",
        "the specification of 2026-07-28, Tools",
    ),
    ..Provider::new("mcp")
};
