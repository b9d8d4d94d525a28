//! Checks command rules, and tries their examples.

use crate::catalog::Catalog;
use crate::commands::{self, Scope};
use crate::diagnostic::Sink;

pub(super) fn check(catalog: &Catalog, sink: &Sink) {
    let is_incomplete = !catalog.has_all_commands();
    commands::check(&Scope { manifests: catalog.commands(), user: None, is_incomplete }, sink);
}
