//! A required parameter with a default.
//!
//! ## Why is this bad
//! The default is never used, because a call without the parameter is refused. A model that reads about a default
//! believes that it may omit the parameter.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "integer"
//! description = "How many lines to read."
//! required = true
//! default = 500
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "integer"
//! description = "How many lines to read."
//! required = true
//! ```

use toolc_lower::schema::Schema;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Edit, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule =
    Rule::new("S024", "required-with-default", Some(Level::Warning), Check::Tool(check)).fixable();

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let schemas = tool.manifest.argument_roots().flat_map(Schema::walk);
    for property in schemas.flat_map(|schema| &schema.properties).filter(|property| property.required) {
        let Some(default) = &property.schema.default else { continue };
        let message = format!("`{}` is required, so its default is never used", property.name.value);
        sink.push(
            Diagnostic::new(codes::REQUIRED_WITH_DEFAULT, default.place, message)
                .related(property.name.place, "required here")
                .help("remove the default, or `required` if the parameter may be omitted")
                .fix(Edit::Remove(default.place)),
        );
    }
}
