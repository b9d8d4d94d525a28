//! An optional parameter without a `default`, unless its description says what happens without it. Off by default,
//! because for many parameters the absence is what matters.
//!
//! ## Why is this bad
//! A model does not know what happens if it omits the parameter, and sends it to be safe.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! lint.optional-without-default = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "integer"
//! description = "The maximum number of lines to return."
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! lint.optional-without-default = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "integer"
//! description = "The maximum number of lines to return."
//! default = 500
//! ```

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("M027", "optional-without-default", None, Check::Tool(check));

/// Words with which a description says what happens without the parameter.
const EXPLANATIONS: &[&str] = &["by default", "default", "if absent", "if missing", "if not", "if omitted", "otherwise", "unless", "when absent", "when omitted", "without it"];

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let optional = tool.manifest.params.properties.iter().filter(|parameter| !parameter.required);
    for parameter in optional.filter(|parameter| parameter.schema.default.is_none()) {
        let text = parameter.schema.description.as_ref().and_then(|text| lint.full_text(tool, &text.value));
        let text = text.unwrap_or_default().to_lowercase();
        if !EXPLANATIONS.iter().any(|words| text.contains(words)) {
            let message = format!("the optional parameter `{}` of `{}` has no default", parameter.name.value, tool.name());
            sink.push(
                Diagnostic::new(codes::OPTIONAL_WITHOUT_DEFAULT, parameter.name.place, message)
                    .help("add `default`, or describe what happens without it"),
            );
        }
    }
}
