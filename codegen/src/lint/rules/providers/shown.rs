//! A tool's arguments as a dialect has them: what limits of size are about.

use crate::catalog::Tool;
use crate::lower::Dialect;
use crate::lower::narrow::{Narrowed, narrow};
use crate::schema::Schema;

/// The schema of a tool's arguments in a dialect.
pub(super) fn narrowed<'t>(dialect: &Dialect, tool: &'t Tool) -> Narrowed<'t> {
    narrow(&tool.manifest.params, &tool.manifest.defs, dialect.language, dialect.plain_root, dialect.keys)
}

/// Every schema that is sent, definitions included.
pub(super) fn schemas<'n>(narrowed: &'n Narrowed<'_>) -> Vec<&'n Schema> {
    let needed = narrowed.defs.needed_by([&*narrowed.schema]);
    let defs = narrowed.defs.iter().filter(|(id, _)| needed[id.0]).map(|(_, def)| &def.schema);
    [&*narrowed.schema].into_iter().chain(defs).flat_map(Schema::walk).collect()
}
