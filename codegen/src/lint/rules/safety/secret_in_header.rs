//! A parameter with `secret = true` and `x-mcp-header`.
//!
//! ## Why is this bad
//! Every program on the way can read a header: load balancers, proxies and their logs. The specification: "Server developers **SHOULD NOT**
//! mark sensitive parameters (passwords, API keys, tokens, PII) with `x-mcp-header`, as header values are visible to network
//! intermediaries." (MCP 2026-07-28, Tools.)
//!
//! ## Example
//! ```toml
//! # manifests/tools/write_file.toml
//! [params.password]
//! type = "string"
//! description = "The password that encrypts the document."
//! secret = true
//! x-mcp-header = "Password"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/write_file.toml
//! [params.password]
//! type = "string"
//! description = "The password that encrypts the document."
//! secret = true
//! ```

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Edit, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule =
    Rule::new("A013", "secret-in-header", Some(Level::Warning), Check::Tool(check)).fixable();

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for parameter in tool.parameters().filter(|parameter| parameter.secret) {
        let Some(header) = &parameter.mcp_header else { continue };
        let message = format!("the secret `{}` of `{}` is repeated in a header", parameter.name.value, tool.name());
        sink.push(
            Diagnostic::new(codes::SECRET_IN_HEADER, header.place, message)
                .related(parameter.name.place, "this parameter is secret")
                .help("remove `x-mcp-header`")
                .fix(Edit::Remove(header.place)),
        );
    }
}
