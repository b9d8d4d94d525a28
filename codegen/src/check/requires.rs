//! Checks requirements: their conditions must refer to facts only, and variables must have valid names.

use crate::catalog::{Atom, Catalog};
use crate::diagnostic::{At, Code, Diagnostic, Sink};
use crate::text::atoms::{AtomId, When};
use crate::text::condition::Condition;

pub(super) fn check(catalog: &Catalog, sink: &Sink) {
    let tools = catalog.tools().map(|(_, tool)| (&tool.manifest.requires.when, &tool.atoms));
    let toolsets = catalog.toolsets().map(|(_, toolset)| (&toolset.manifest.requires.when, &toolset.atoms));
    for (when, atoms) in tools.chain(toolsets) {
        // A condition with an unknown name has no atoms, and was reported.
        if let Some(when) = when.as_ref().filter(|when| refers_to_tools(&when.value, atoms)) {
            sink.push(
                Diagnostic::new(
                    Code::REQUIRES_WHEN,
                    when.place,
                    "the condition of a requirement can refer to facts only",
                )
                .help("list tools in `tools` (all are required) or `any_tools` (one is required)"),
            );
        }
    }
    for variable in catalog.variables() {
        check_variable(&variable.name, sink);
    }
}

fn refers_to_tools(when: &When, atoms: &[Atom]) -> bool {
    match when {
        Condition::Atom(AtomId(atom)) => matches!(atoms.get(*atom), Some(Atom::Tool(_) | Atom::External(_))),
        Condition::Not(inner) => refers_to_tools(inner, atoms),
        Condition::And(parts) | Condition::Or(parts) => parts.iter().any(|part| refers_to_tools(part, atoms)),
    }
}

/// Checks the name of an environment variable: a name as in POSIX, also in lower case.
pub(super) fn check_variable(name: &At<String>, sink: &Sink) {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if name.value.starts_with(|letter: char| letter.is_ascii_digit())
        || name.value.is_empty()
        || !name.value.chars().all(is_part)
    {
        let message = format!("`{}` is not a valid name of an environment variable", name.value);
        sink.push(
            Diagnostic::new(Code::INVALID_NAME, name.place, message)
                .label("expected letters, digits and `_`, not starting with a digit"),
        );
    }
}
