//! A tool that only reads, and bounds its result neither by `max_result_chars` nor by a parameter such as `limit`. Off by
//! default: hosts bound every result, and a tool may be brief by nature.
//!
//! ## Why is this bad
//! One call can fill what a model can hold. The host's limit then cuts wherever it falls; what the tool itself leaves out, it
//! can leave out well.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! lint.unbounded-result = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/web_search.toml
//! max_result_chars = 20_000
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! lint.unbounded-result = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! max_result_chars = 50_000
//! ```
//!
//! ```toml
//! # manifests/tools/web_search.toml
//! max_result_chars = 20_000
//! ```

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::lint::verbs::words;
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("A008", "unbounded-result", None, Check::Tool(check));

/// Parameters by which a caller asks for so much and no more.
const BOUNDS: &[&str] = &["count", "first", "head", "last", "limit", "lines", "max", "maximum", "size", "tail", "top"];

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let manifest = &tool.manifest;
    let bounds = |name: &str| words(name).iter().any(|word| BOUNDS.contains(&&**word));
    if manifest.annotations.value().read_only
        && manifest.max_result_chars.is_none()
        && !tool.parameters().any(|parameter| bounds(&parameter.name.value))
    {
        let message = format!("nothing bounds what `{}` returns", tool.name());
        sink.push(
            Diagnostic::new(Code::UNBOUNDED_RESULT, manifest.name.place, message)
                .help("set `max_result_chars`, or take a parameter such as `limit`"),
        );
    }
}
