//! A definition in `$defs` that the schemas of the tool do not use. Equal definitions of several tools are reported once.
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

use rayon::prelude::*;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Edit, Level, Sink};
use crate::lint::{Check, Lint, Rule, copies};

pub(super) const RULE: Rule =
    Rule::new("S012", "unused-def", Some(Level::Warning), Check::Catalog(check)).fixable();

fn check(lint: &Lint<'_>, sink: &Sink) {
    let tools: Vec<&Tool> = lint.tools().map(|(_, tool)| tool).collect();
    // Plain manifests have no definitions.
    let tools: Vec<&Tool> = tools.into_iter().filter(|tool| !tool.manifest.is_plain()).collect();
    copies::report(tools.par_iter().flat_map_iter(|tool| unused(tool)).collect(), sink);
}

fn unused(tool: &Tool) -> Vec<(Option<copies::Key>, Diagnostic)> {
    let manifest = &tool.manifest;
    // An unreadable `$ref` may refer to any definition.
    if manifest.schemas().any(|schema| schema.has_errors) {
        return Vec::new();
    }
    let needed = manifest.defs.reachable_from([&manifest.params].into_iter().chain(&manifest.returns));
    let unused = manifest.defs.iter().filter(|(id, _)| !needed[id.0]).map(|(_, def)| {
        let message = format!("the definition `{}` is not used", def.name.value);
        let found = Diagnostic::new(codes::UNUSED_DEF, def.name.place, &message)
            .help(format!("remove it, or refer to it: `\"$ref\" = \"#/$defs/{}\"`", def.name.value))
            .fix(Edit::Remove(def.name.place));
        (Some(copies::key(&message, def, tool)), found)
    });
    unused.collect()
}
