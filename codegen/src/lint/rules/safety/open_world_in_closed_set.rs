//! A closed toolset that contains a tool with access to the outside world. `closed = true` allows no tool with
//! `open_world = true`. The tags and name endings `offline`, `closed-world` and `air-gapped` allow only tools with
//! `open_world = false`.
//!
//! ## Why is this bad
//! Through one such tool, data that the other tools read can leak, and untrusted content can enter.
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

use crate::lint::codes;
use crate::lint::promises::{self, is_named_or_tagged};
use crate::catalog::{Tool, Toolset};
use crate::diagnostic::{Level, Place, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule =
    Rule::new("A004", "open-world-in-closed-set", Some(Level::Warning), Check::Catalog(check));

const CLOSED: &[&str] = &["offline", "closed-world", "air-gapped", "airgapped", "no-network"];

fn check(lint: &Lint<'_>, sink: &Sink) {
    let help = "remove the tool, or set `open_world = false` in its annotations if that is true";
    let report = |promises: &dyn Fn(&Toolset) -> Option<&'static str>, breaks: &dyn Fn(&Tool) -> Option<Violation>| {
        promises::check(lint, codes::OPEN_WORLD_IN_CLOSED_SET, promises, breaks, help, sink);
    };
    let is_offline = |set: &Toolset| is_named_or_tagged(set, CLOSED).then_some("is declared offline");
    report(&is_offline, &|tool| says_open(tool).or_else(|| may_be_open(tool)));
    // `closed` may only mean that the tools are listed one by one, so a missing annotation is not reported.
    let is_closed = |set: &Toolset| (set.manifest.closed && is_offline(set).is_none()).then_some("is closed");
    report(&is_closed, &says_open);
}

/// What is wrong with a tool, and the place that declares it.
type Violation = (&'static str, Place);

fn says_open(tool: &Tool) -> Option<Violation> {
    let open_world = tool.manifest.annotations.open_world.as_ref()?;
    open_world.value.then_some(("has `open_world = true`", open_world.place))
}

fn may_be_open(tool: &Tool) -> Option<Violation> {
    let annotations = &tool.manifest.annotations;
    let place = annotations.place.unwrap_or(tool.manifest.name.place);
    annotations.open_world.is_none().then_some(("does not declare `open_world = false`", place))
}
