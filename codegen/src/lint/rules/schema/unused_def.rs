//! A definition in `$defs` that the schemas of the tool do not use.
//!
//! ## Why is this bad
//! No model sees it, and a change to it has no effect. Usually another change made it unnecessary, or the author forgot
//! a `$ref`.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.from]
//! type = "integer"
//! description = "Where to start reading."
//!
//! [schema."$defs".place]
//! type = "integer"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.from]
//! "$ref" = "#/$defs/place"
//! description = "Where to start reading."
//!
//! [schema."$defs".place]
//! type = "integer"
//! ```

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("S012", "unused-def", Some(Level::Warning), Check::Tool(check));

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let manifest = &tool.manifest;
    // An unreadable `$ref` may refer to any definition.
    if manifest.schemas().any(|schema| schema.has_errors) {
        return;
    }
    let needed = manifest.defs.reachable_from([&manifest.params].into_iter().chain(&manifest.returns));
    for (_, def) in manifest.defs.iter().filter(|(id, _)| !needed[id.0]) {
        let message = format!("the definition `{}` is not used", def.name.value);
        sink.push(
            Diagnostic::new(Code::UNUSED_DEF, def.name.place, message)
                .help(format!("remove it, or refer to it: `\"$ref\" = \"#/$defs/{}\"`", def.name.value)),
        );
    }
}
