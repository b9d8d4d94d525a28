//! A toolset that is closed off and resolves to a tool that meets what nobody here controls. It is closed off by
//! `closed = true`, or by a tag or the end of its name: `offline`, `closed-world`, `air-gapped`. A tool that does not say
//! `open_world = false` counts as open, as everywhere.
//!
//! ## Why is this bad
//! Through one such tool, whatever the others read can get out, and what strangers wrote comes in.
//!
//! ## Example
//! ```toml
//! # manifests/toolsets/desk.toml
//! closed = true
//! tools = ["read_file", "web_search"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/toolsets/desk.toml
//! closed = true
//! tools = ["read_file"]
//! ```

use super::vows::{self, is_called};
use crate::catalog::{Tool, Toolset};
use crate::diagnostic::{Code, Level, Place, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule =
    Rule::new("A004", "open-world-in-closed-set", Some(Level::Warning), Check::Catalog(check));

const CLOSED: &[&str] = &["offline", "closed-world", "air-gapped", "airgapped", "no-network"];

fn check(lint: &Lint<'_>, sink: &Sink) {
    let is_closed = |set: &Toolset| match (set.manifest.closed, is_called(set, CLOSED)) {
        (true, _) => Some("is closed"),
        (false, true) => Some("is called closed to the world"),
        (false, false) => None,
    };
    let help = "take the tool out, or say `open_world = false` in its annotations, if that is so";
    vows::check(lint, Code::OPEN_WORLD_IN_CLOSED_SET, is_closed, is_open, help, sink);
}

fn is_open(tool: &Tool) -> Option<(&'static str, Place)> {
    let said = &tool.manifest.annotations;
    said.value().open_world.then(|| match &said.open_world {
        Some(said) => ("is open to the world", said.place),
        None => ("does not say that it is not open to the world", said.place.unwrap_or(tool.manifest.name.place)),
    })
}
