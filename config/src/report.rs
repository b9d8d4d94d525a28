//! What the checks of several tables need.

use toolc_tables::codes;
use toolc_tables::diagnostic::{At, Diagnostic, Sink};

/// Reports an invalid value: what is wrong, what was expected, and what to do.
pub(crate) fn report<T>(sink: &Sink, at: &At<T>, message: &str, label: &str, help: &str) {
    sink.push(Diagnostic::new(codes::INVALID_VALUE, at.place, message).label(label).help(help));
}

/// Returns whether a list contains a name.
pub(crate) fn is_in(names: &[At<String>], name: &str) -> bool {
    names.iter().any(|other| other.value == name)
}
