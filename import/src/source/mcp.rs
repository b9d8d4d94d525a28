//! The tools of MCP servers.

use serde_json::Value;
use toolc_codegen::Failure;
use toolc_mcp::Endpoint;

use super::lists;
use crate::tool::Source;

/// Starts or reaches a server, and reads its tools.
///
/// # Errors
/// If it cannot be started or reached, or does not list its tools.
pub fn read(endpoint: &Endpoint) -> Result<Source, Failure> {
    let label = endpoint.label();
    let listed = endpoint.list_tools().map_err(|error| Failure::new(endpoint.failure(&error)))?;
    let mut source = lists::read(&Value::Array(listed.tools), &label);
    source.name = Some(endpoint.name());
    source.broken.extend(listed.left_out.into_iter().map(|(name, why)| (format!("/{name}"), why)));
    source.broken.extend(listed.cut_off.map(|why| (String::new(), format!("further tools are not read: {why}"))));
    Ok(source)
}
