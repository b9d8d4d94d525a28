//! A toolset without a tool that may be deferred, in a project whose requests contain a vendor's tool search. It is reported if the
//! toolset is large, which the record of the dialect defines (`advised_from`), or if the vendor refuses such a request
//! (`needs_deferred_tool`). A toolset with tools that are added at run time is not checked.
//!
//! ## Why is this bad
//! The tool search finds nothing. Every request contains all definitions, which is what the search should avoid.
//!
//! - Anthropic advises tool search in these cases, among others: "You have 10 or more tools available. Your tool definitions consume more
//!   than 10k tokens." (Tool search tool, as of 2026-09.)
//! - OpenAI: "Use tool search to defer large or infrequently used parts of your tool surface instead of exposing everything up
//!   front." (Function calling, as of 2026-09.) It refuses a request whose search has nothing to find: `tools.tool_search requires
//!   at least one deferred tool.` (A live error of 2026-09, justrach/codegraff#746.)
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
//! defer = false
//! ```
//!
//! ```toml
//! # manifests/tools/count_words.toml
//! defer = false
//! ```
//!
//! ```toml
//! # manifests/tools/list_marks.toml
//! defer = false
//! ```
//!
//! ```toml
//! # manifests/tools/show_pages.toml
//! defer = false
//! ```
//!
//! ```toml
//! # manifests/tools/check_dates.toml
//! defer = false
//! ```
//!
//! ```toml
//! # manifests/tools/inspect_fonts.toml
//! defer = false
//! ```
//!
//! ```toml
//! # manifests/tools/view_notes.toml
//! defer = false
//! ```
//!
//! ```toml
//! # manifests/tools/query_tables.toml
//! defer = false
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! defer = false
//! ```
//!
//! ```toml
//! # manifests/tools/write_file.toml
//! defer = false
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
//!
//! ```toml
//! # manifests/tools/write_file.toml
//! defer = false
//! ```

use crate::lint::codes;
use crate::diagnostic::{Diagnostic, Level, Sink, ticked};
use crate::lint::vendor_tools::SearchedToolset;
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("P021", "nothing-deferred", Some(Level::Warning), Check::Output(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    for mut searched in lint.searched_toolsets() {
        searched.retain(|one| {
            one.deferrable == 0 && (one.is_large || one.dialect.search.needs_deferred_tool().is_some())
        });
        let Some(SearchedToolset { id, tools, tokens, place, .. }) = searched.first() else { continue };
        let toolset = &lint[*id];
        let names: Vec<&str> = searched.iter().map(|one| one.dialect.name).collect();
        let (name, names) = (toolset.name(), ticked(&names, ", "));
        let message = format!(
            "no tool of `{name}` may be deferred, so the tool search of {names} finds none of its {tools} tools; their definitions need about {tokens} tokens"
        );
        let found = Diagnostic::new(codes::NOTHING_DEFERRED, toolset.manifest.name.place, message)
            .related(*place, "the tool search is listed here")
            .help("remove `defer = false` from tools that few conversations need");
        let refusal = searched.iter().find_map(|one| Some((one.dialect.name, one.dialect.search.needs_deferred_tool()?)));
        sink.push(match refusal {
            Some((dialect, limit)) => found
                .level(lint.level_of(&limit))
                .help(format!("`{dialect}` refuses a tool search without a deferred tool ({})", limit.source)),
            None => found,
        });
    }
}
