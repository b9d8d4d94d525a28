//! A home toolset with many tools that may be deferred, in a project whose requests contain OpenAI's tool search. In OpenAI's requests, the
//! tools of a home toolset become one namespace. Reported only if `dialects` lists `openai-responses`. The record of the dialect has the
//! number of functions from which a namespace is reported (`namespace_functions`).
//!
//! ## Why is this bad
//! The search finds a namespace and loads its functions. The more functions a namespace has, the less the search saves, and the less the
//! name and the description of the namespace say about each function. OpenAI: "keep each namespace to fewer than 10 functions". (Tool
//! search, as of 2026-09.)
//!
//! The description of the toolset becomes that of the namespace. A manifest requires a description, and so does OpenAI (openai 3.57.0,
//! `types/responses/namespace_tool_param.py`).
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["openai-responses"]
//! vendor_tools.openai = ["tool_search"]
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
//! defer = true
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["openai-responses"]
//! vendor_tools.openai = ["tool_search"]
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
use crate::catalog::ToolId;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};
use crate::lower::accepts;

pub(super) const RULE: Rule = Rule::new("P022", "large-namespace", Some(Level::Warning), Check::Output(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    for dialect in lint.listed_dialects() {
        let (Some(limit), Some(search)) = (dialect.search.namespace_functions(), lint.tool_search(dialect)) else { continue };
        for (_, toolset) in lint.toolsets().filter(|(_, toolset)| toolset.declared) {
            let is_deferrable = |id: &&ToolId| lint[**id].manifest.defer && accepts(dialect, &lint[**id]);
            let count = toolset.home_tools.iter().filter(is_deferrable).count();
            if count >= limit.value {
                let (name, dialect, most) = (toolset.name(), dialect.name, limit.value);
                let message = format!("the namespace `{name}` of `{dialect}` has {count} functions, but the vendor advises fewer than {most}");
                sink.push(
                    Diagnostic::new(codes::LARGE_NAMESPACE, toolset.manifest.name.place, message)
                        .related(search, "the tool search is listed here")
                        .help("split the toolset by what its tools are about, or set `defer = false` in the tools that most conversations need"),
                );
            }
        }
    }
}
