//! Check: what is wrong with a catalog although every part of it could be read. A rule is a file here and a line in
//! [`RULES`].

mod budgets;
mod commands;
mod conditions;
mod cycles;
mod defaults;
mod definitions;
mod descriptions;
mod keys;
mod plain;
mod plugin;
mod requires;
mod rust_names;
mod size;
mod toolsets;

use std::ops::Deref;

use crate::catalog::Catalog;
use crate::diagnostic::Sink;
use crate::parallel;

/// Looks at the whole catalog and reports what it finds.
type Rule = fn(&Catalog, &Sink);

const RULES: &[Rule] = &[
    conditions::check,
    cycles::check,
    defaults::check,
    definitions::check,
    descriptions::check,
    keys::check,
    plugin::check,
    requires::check,
    rust_names::check,
    size::check,
    toolsets::check,
    commands::check,
];

/// Those that look at what comes out, which there is only where nothing is an error.
const LAST: &[Rule] = &[budgets::check];

/// A catalog without errors: the only thing that output is made from.
#[derive(Debug)]
pub struct Checked(Catalog);

impl Deref for Checked {
    type Target = Catalog;

    fn deref(&self) -> &Catalog {
        &self.0
    }
}

/// Runs every rule. None where anything before or now was an error.
pub fn check(catalog: Catalog, sink: &Sink) -> Option<Checked> {
    parallel::map(RULES, |rule| rule(&catalog, sink));
    for rule in LAST.iter().filter(|_| !sink.has_errors()) {
        rule(&catalog, sink);
    }
    (!sink.has_errors()).then_some(Checked(catalog))
}
