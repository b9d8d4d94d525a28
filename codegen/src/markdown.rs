//! Markdown from templates, which are next to the code that fills them in.

use minijinja::{Environment, Value};

/// Fills in a template of this crate.
pub(crate) fn render(template: &str, context: Value) -> String {
    Environment::new()
        .render_str(template, context)
        .unwrap_or_else(|error| unreachable!("the template is part of this crate: {error:#}"))
}
