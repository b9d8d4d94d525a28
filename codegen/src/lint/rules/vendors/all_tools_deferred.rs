//! A large toolset whose tools may all be deferred, in a project whose requests contain a vendor's tool search. The record of the dialect
//! says which toolsets are large (`advised_from`). A toolset with tools that are added at run time is not checked.
//!
//! ## Why is this bad
//! A model that sees no tool must search before it can do anything, and does not know which tools exist.
//!
//! - Anthropic: "Keep your 3–5 most frequently used tools non-deferred so Claude can call them without searching first."
//!   (Tool search tool, as of 2026-09.)
//! - OpenAI: "Aim for fewer than 20 functions available at the start of a turn at any one time". (Function calling, as of
//!   2026-09.)
//!
//! If a request has no other tool, Anthropic even refuses it: `All tools have defer_loading set. At least one tool must be non-deferred.`
//! (Tool search tool, as of 2026-02.) Its own tool search counts as another tool. Anthropic also refuses `cache_control` on a deferred
//! tool, which no manifest can set.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! vendor_tools.anthropic = ["tool_search"]
//! lint.near-duplicate-descriptions = "allow"
//! ```
//!
//! ```toml
//! # manifests/tools/find_links.toml
//!
//! ```
//!
//! ```toml
//! # manifests/tools/count_words.toml
//!
//! ```
//!
//! ```toml
//! # manifests/tools/list_marks.toml
//!
//! ```
//!
//! ```toml
//! # manifests/tools/show_pages.toml
//!
//! ```
//!
//! ```toml
//! # manifests/tools/check_dates.toml
//!
//! ```
//!
//! ```toml
//! # manifests/tools/inspect_fonts.toml
//!
//! ```
//!
//! ```toml
//! # manifests/tools/view_notes.toml
//!
//! ```
//!
//! ```toml
//! # manifests/tools/query_tables.toml
//!
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! vendor_tools.anthropic = ["tool_search"]
//! lint.near-duplicate-descriptions = "allow"
//! ```
//!
//! ```toml
//! # manifests/tools/find_links.toml
//!
//! ```
//!
//! ```toml
//! # manifests/tools/count_words.toml
//!
//! ```
//!
//! ```toml
//! # manifests/tools/list_marks.toml
//!
//! ```
//!
//! ```toml
//! # manifests/tools/show_pages.toml
//!
//! ```
//!
//! ```toml
//! # manifests/tools/check_dates.toml
//!
//! ```
//!
//! ```toml
//! # manifests/tools/inspect_fonts.toml
//!
//! ```
//!
//! ```toml
//! # manifests/tools/view_notes.toml
//!
//! ```
//!
//! ```toml
//! # manifests/tools/query_tables.toml
//!
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! defer = false
//! ```

use crate::lint::codes;
use crate::diagnostic::{Diagnostic, Level, Sink, ticked};
use crate::lint::vendor_tools::SearchedToolset;
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("P020", "all-tools-deferred", Some(Level::Warning), Check::Output(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    for mut searched in lint.searched_toolsets() {
        searched.retain(|one| one.is_large && one.tools == one.deferrable);
        let advice = searched.iter().find_map(|one| Some((one.dialect.name, one.dialect.search.advised_undeferred()?)));
        let (Some((advising, advised)), Some(SearchedToolset { id, tools, place, .. })) = (advice, searched.first()) else {
            continue;
        };
        let toolset = &lint[*id];
        let names: Vec<&str> = searched.iter().map(|one| one.dialect.name).collect();
        let (name, names) = (toolset.name(), ticked(&names, ", "));
        let message = format!("all {tools} tools of `{name}` may be deferred: in {names}, a model could see none of them");
        sink.push(
            Diagnostic::new(codes::ALL_TOOLS_DEFERRED, toolset.manifest.name.place, message)
                .related(*place, "the tool search is listed here")
                .help("set `defer = false` in the tools that most conversations need")
                .help(format!("for `{advising}`, the vendor advises {} tools ({})", advised.value, advised.source)),
        );
    }
}
