//! A toolset that is closed off and resolves to a tool that meets what nobody here controls. It is closed off by
//! `closed = true`, and then holds no tool that says `open_world = true`; or by a tag or the end of its name, `offline`,
//! `closed-world` or `air-gapped`, and then holds none that does not say `open_world = false`.
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

use crate::lint::promises::{self, is_named_or_tagged};
use crate::catalog::{Tool, Toolset};
use crate::diagnostic::{Code, Level, Place, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule =
    Rule::new("A004", "open-world-in-closed-set", Some(Level::Warning), Check::Catalog(check));

const CLOSED: &[&str] = &["offline", "closed-world", "air-gapped", "airgapped", "no-network"];

fn check(lint: &Lint<'_>, sink: &Sink) {
    let help = "take the tool out, or say `open_world = false` in its annotations, if that is so";
    let report = |promises: &dyn Fn(&Toolset) -> Option<&'static str>, breaks: &dyn Fn(&Tool) -> Option<Said>| {
        promises::check(lint, Code::OPEN_WORLD_IN_CLOSED_SET, promises, breaks, help, sink);
    };
    let is_apart = |set: &Toolset| is_named_or_tagged(set, CLOSED).then_some("is called closed to the world");
    report(&is_apart, &|tool| says_open(tool).or_else(|| may_be_open(tool)));
    // Who closed it listed its tools one by one, and may have meant no more than that.
    let is_closed = |set: &Toolset| (set.manifest.closed && is_apart(set).is_none()).then_some("is closed");
    report(&is_closed, &says_open);
}

/// What is wrong with a tool, and where it says so.
type Said = (&'static str, Place);

fn says_open(tool: &Tool) -> Option<Said> {
    let said = tool.manifest.annotations.open_world.as_ref()?;
    said.value.then_some(("is open to the world", said.place))
}

fn may_be_open(tool: &Tool) -> Option<Said> {
    let said = &tool.manifest.annotations;
    let place = said.place.unwrap_or(tool.manifest.name.place);
    said.open_world.is_none().then_some(("does not say that it is not open to the world", place))
}
