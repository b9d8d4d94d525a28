//! A read-only tool whose result is limited neither by `max_result_chars` nor by a parameter such as `limit`. Off by
//! default, because hosts limit every result, and many tools return little.
//!
//! ## Why is this bad
//! One call can fill the model's context. The host truncates a long result at an arbitrary place; the tool itself
//! could choose what to omit.
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

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Sink};
use crate::lint::verbs::words;
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("A008", "unbounded-result", None, Check::Tool(check));

/// Names of parameters that limit a result.
const BOUNDS: &[&str] = &["count", "first", "head", "last", "limit", "lines", "max", "maximum", "size", "tail", "top"];

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let manifest = &tool.manifest;
    let bounds = |name: &str| words(name).iter().any(|word| BOUNDS.contains(&&**word));
    if manifest.annotations.value().read_only
        && manifest.max_result_chars.is_none()
        && !tool.parameters().any(|parameter| bounds(&parameter.name.value))
    {
        let message = format!("the result of `{}` is unlimited", tool.name());
        sink.push(
            Diagnostic::new(codes::UNBOUNDED_RESULT, manifest.name.place, message)
                .help("set `max_result_chars`, or add a parameter such as `limit`"),
        );
    }
}
