//! A parameter with `secret = true` that has a default, an example, or the values of an `enum`.
//!
//! ## Why is this bad
//! The value is committed and sent to every model, and all users who do not set the secret share it.
//!
//! ## Example
//! ```toml
//! # manifests/tools/write_file.toml
//! [params.password]
//! type = "string"
//! description = "The password that encrypts the document."
//! secret = true
//! default = "hunter2-Xk"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/write_file.toml
//! [params.password]
//! type = "string"
//! description = "The password that encrypts the document."
//! secret = true
//! ```

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Edit, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule =
    Rule::new("A061", "secret-with-value", Some(Level::Warning), Check::Tool(check)).fixable();

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for parameter in tool.parameters().filter(|parameter| parameter.secret) {
        let schema = &parameter.schema;
        let choices = schema.choices.iter().map(|choice| ("value", &choice.value));
        let values = schema.default.iter().map(|value| ("default", value));
        let values = values.chain(schema.examples.iter().map(|value| ("example", value)));
        let values = values.chain(choices).chain(schema.constant.iter().map(|value| ("value", value)));
        // No value, and an empty one, reveal nothing.
        for (noun, value) in values.filter(|(_, value)| value.value.as_str().is_none_or(|text| !text.is_empty()) && !value.value.is_null()) {
            let article = if noun == "example" { "an" } else { "a" };
            let message = format!("the secret `{}` of `{}` has {article} {noun}, which every model reads", parameter.name.value, tool.name());
            let found = Diagnostic::new(codes::SECRET_WITH_VALUE, value.place, message)
                .related(parameter.name.place, "this parameter is secret");
            let found = found.help(format!("remove the {noun}; read a shared secret from an environment variable"));
            sink.push(if noun == "value" { found } else { found.fix(Edit::Remove(value.place)) });
        }
    }
}
