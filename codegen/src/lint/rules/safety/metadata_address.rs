//! A default, an example or an allowed value that is the address of a cloud's metadata. Such are `169.254.169.254`,
//! `metadata.google.internal`, `fd00:ec2::254` and the like, also as one number, in octal or hexadecimal digits, and as an address of
//! version 6 that stands for one of version 4.
//!
//! ## Why is this bad
//! Whatever runs in the machine gets the credentials of the machine at this address, without a password. A model follows examples
//! and defaults, and the tool hands the answer to it.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.address]
//! type = "string"
//! description = "The server from which the file comes."
//! default = "http://0xA9FEA9FE/latest/meta-data/"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.address]
//! type = "string"
//! description = "The server from which the file comes."
//! default = "https://files.example/"
//! ```

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("A014", "metadata-address", Some(Level::Warning), Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for literal in lint.values(tool) {
        let Some(found) = toolc_scan::metadata_address(literal.value()) else { continue };
        let message = format!("a value of `{}` is the address of credentials in {}: {}", tool.name(), found.whose, found.address);
        sink.push(
            Diagnostic::new(codes::METADATA_ADDRESS, literal.place(found.span), message)
                .help("use an address of documentation, such as `https://example.com`; if the tool opens addresses, refuse this one"),
        );
    }
}
