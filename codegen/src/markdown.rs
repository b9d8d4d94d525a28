//! Renders Markdown from templates. A template is next to the code that uses it.

use minijinja::{Environment, Value};

/// Renders a template of this crate.
pub(crate) fn render(template: &str, context: Value) -> String {
    Environment::new()
        .render_str(template, context)
        .unwrap_or_else(|error| unreachable!("the template is part of this crate: {error:#}"))
}
