//! A tool whose name lacks the word with which the names of most tools of its home toolset begin, as in `weather_now` and
//! `weather_forecast`. Off by default, because a prefix is a matter of taste.
//!
//! ## Why is this bad
//! Among the tools of many toolsets, a common prefix shows a model which tools belong together.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! lint.name-without-prefix = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/web_history.toml
//! toolset = "web"
//! ```
//!
//! ```toml
//! # manifests/tools/bookmarks.toml
//! toolset = "web"
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! lint.name-without-prefix = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/web_history.toml
//! toolset = "web"
//! ```
//!
//! ```toml
//! # manifests/tools/web_bookmarks.toml
//! toolset = "web"
//! ```

use std::collections::BTreeMap;

use crate::lint::codes;
use crate::diagnostic::{Diagnostic, Sink};
use crate::lint::verbs::words;
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("M028", "name-without-prefix", None, Check::Catalog(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    for (_, toolset) in lint.toolsets().filter(|(_, toolset)| toolset.home_tools.len() > 2) {
        let names: Vec<_> = toolset.home_tools.iter().map(|id| (*id, words(lint[*id].name()))).collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for first in names.iter().filter_map(|(_, name)| name.first()) {
            *counts.entry(first).or_default() += 1;
        }
        let Some((prefix, count)) = counts.into_iter().max_by_key(|(_, count)| *count) else { continue };
        // Two of three tools make a rule.
        if count < 2 || 3 * count < 2 * names.len() {
            continue;
        }
        for (id, name) in names.iter().filter(|(_, name)| !name.iter().any(|word| *word == prefix)) {
            let tool = &lint[*id];
            let message = format!("`{}` lacks the prefix `{prefix}_` of the other tools of `{}`", tool.name(), toolset.name());
            sink.push(
                Diagnostic::new(codes::NAME_WITHOUT_PREFIX, tool.manifest.name.place, message)
                    .help(format!("rename it to `{prefix}_{}`", name.join("_"))),
            );
        }
    }
}
