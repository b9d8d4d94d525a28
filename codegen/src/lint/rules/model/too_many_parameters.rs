//! A tool with more than 24 parameters, or than `budgets.parameters` in `toolc.toml`. Those within others do not count.
//!
//! ## Why is this bad
//! Every parameter is sent with every request, and each one more is one more to get wrong. Some strict modes take no more
//! than 24 optional ones in a whole request.
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
//! description = "How many lines to return at most."
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
//! description = "How many lines to return at most."
//! ```

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("M018", "too-many-parameters", Some(Level::Warning), Check::Tool(check));

/// Where the project does not say.
const MOST: u32 = 24;

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let most = lint.settings().most_parameters.unwrap_or(MOST) as usize;
    let parameters = &tool.manifest.params.properties;
    if let Some(first) = parameters.get(most) {
        let message = format!("`{}` has {} parameters, where at most {most} should be", tool.name(), parameters.len());
        sink.push(
            Diagnostic::new(Code::TOO_MANY_PARAMETERS, first.name.place, message)
                .label("the first one too many")
                .help("divide the tool, put what goes together into one object, or raise `budgets.parameters` in `toolc.toml`"),
        );
    }
}
