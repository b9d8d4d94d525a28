//! An array parameter without `maxItems`. Off by default, because most arrays are short.
//!
//! ## Why is this bad
//! A model that repeats itself can send thousands of items, and the handler processes all of them.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! lint.unbounded-array = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.paths]
//! type = "array"
//! description = "The files, from the project's root."
//! items = { type = "string" }
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! lint.unbounded-array = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.paths]
//! type = "array"
//! description = "The files, from the project's root."
//! items = { type = "string" }
//! maxItems = 20
//! ```

use toolc::__gen::table::Type;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("A009", "unbounded-array", None, Check::Tool(check));

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for schema in tool.parameter_schemas() {
        // An array with an `enum` is bounded.
        let is_array = schema.types.contains(&Type::Array) && schema.choices.is_empty() && schema.constant.is_none();
        if is_array && schema.bounds.max_items.is_none() {
            let message = format!("the number of items of `{}` is unlimited", tool.name());
            sink.push(
                Diagnostic::new(codes::UNBOUNDED_ARRAY, schema.place, message)
                    .help("set `maxItems` to what the handler can process in one call"),
            );
        }
    }
}
