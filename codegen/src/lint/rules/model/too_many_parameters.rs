//! A tool with more than 24 parameters, or more than `budgets.parameters` in `toolc.toml`. Nested properties do not
//! count.
//!
//! ## Why is this bad
//! Every parameter is sent with every request, and is one more that a model can get wrong. Some strict modes allow
//! only 24 optional parameters in a whole request.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! budgets.parameters = 1
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.path]
//! type = "string"
//! description = "The file, from the project's root."
//!
//! [params.limit]
//! type = "integer"
//! description = "The maximum number of lines to return."
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! budgets.parameters = 2
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.path]
//! type = "string"
//! description = "The file, from the project's root."
//!
//! [params.limit]
//! type = "integer"
//! description = "The maximum number of lines to return."
//! ```

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("M018", "too-many-parameters", Some(Level::Warning), Check::Tool(check));

/// The default of `budgets.parameters`.
const DEFAULT_MAX: u32 = 24;

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let max = lint.settings().max_parameters.unwrap_or(DEFAULT_MAX) as usize;
    let parameters = &tool.manifest.params.properties;
    if let Some(first) = parameters.get(max) {
        let message = format!("`{}` has {} parameters, but at most {max} are allowed", tool.name(), parameters.len());
        sink.push(
            Diagnostic::new(codes::TOO_MANY_PARAMETERS, first.name.place, message)
                .label("the first parameter above the limit")
                .help("split the tool, group related parameters in an object, or raise `budgets.parameters` in `toolc.toml`"),
        );
    }
}
