//! The server that MCP's conformance suite tests: the tools of the project `tests/projects/conformance` over streamable HTTP, at a free
//! port of this machine. Prints the address, and serves until its input ends.

mod handlers;

#[path = "../../projects/conformance/generated/rust/lib.rs"]
#[rustfmt::skip]
mod generated;

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr};

use toolc::Registry;
use toolc_mcp::server::{HttpAccess, HttpServer, PATH, ToolServer};

use handlers::ConformanceHandlers;

#[tokio::main]
async fn main() -> io::Result<()> {
    let registry = Registry::new();
    let tools = generated::provider(generated::Handlers { conformance: ConformanceHandlers });
    registry.add(tools).map_err(io::Error::other)?;
    let server = ToolServer::new("toolc-conformance", env!("CARGO_PKG_VERSION"), move || Ok(registry.session()));
    let listening = HttpServer::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), HttpAccess::default()).await?;
    println!("http://{}{PATH}", listening.address()?);
    io::stdout().flush()?;
    let ended = tokio::task::spawn_blocking(|| io::stdin().read_to_end(&mut Vec::new()));
    server.serve_http(listening, async move { drop(ended.await) }).await
}
