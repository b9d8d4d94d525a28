//! The MCP server, from a client's side.

pub(crate) const EXAMPLE: &str = "mcp_server";
