//! Definitions that nothing leads to: most often the rest of a change, or a `$ref` that was forgotten.

use crate::catalog::Catalog;
use crate::diagnostic::{Code, Diagnostic, Sink};

pub(super) fn check(catalog: &Catalog, sink: &Sink) {
    for (_, tool) in catalog.tools() {
        let manifest = &tool.manifest;
        let needed = manifest.defs.needed_by([&manifest.params].into_iter().chain(&manifest.returns));
        for (_, def) in manifest.defs.iter().filter(|(id, _)| !needed[id.0]) {
            let message = format!("the definition `{}` is not used", def.name.value);
            sink.push(
                Diagnostic::new(Code::UNUSED_DEF, def.name.place, message)
                    .help(format!("take it out, or lead to it: `\"$ref\" = \"#/$defs/{}\"`", def.name.value)),
            );
        }
    }
}
