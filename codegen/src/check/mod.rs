//! The check stage: finds errors that need the whole catalog. Each check has a file here and an entry in `CHECKS`. What compiles but
//! is bad practice is reported by the [linter](crate::lint).

mod aliases;
mod commands;
mod conditions;
mod cycles;
mod defaults;
mod keys;
mod plain;
mod plugin;
mod requires;
#[cfg(feature = "emit")]
mod rust_names;
mod size;
mod toolsets;

use std::ops::Deref;

use rayon::prelude::*;

use crate::catalog::Catalog;
use crate::diagnostic::{Diagnostic, Level, Sink};

/// Checks the whole catalog and reports errors.
type Check = fn(&Catalog, &Sink);

const CHECKS: &[Check] = &[
    aliases::check,
    conditions::check,
    cycles::check,
    defaults::check,
    keys::check,
    plugin::check,
    requires::check,
    #[cfg(feature = "emit")]
    rust_names::check,
    size::check,
    toolsets::check,
    commands::check,
];

/// A catalog without errors: the only input of the emitters.
#[derive(Debug)]
pub struct Checked(Catalog);

impl Deref for Checked {
    type Target = Catalog;

    fn deref(&self) -> &Catalog {
        &self.0
    }
}

impl Checked {
    /// Returns `None` if one of the findings is an error.
    pub(crate) fn new(catalog: Catalog, found: &[Diagnostic]) -> Option<Self> {
        if found.iter().any(|found| found.level == Level::Error) { None } else { Some(Self(catalog)) }
    }
}

/// Runs every check.
pub(crate) fn check(catalog: &Catalog, sink: &Sink) {
    CHECKS.par_iter().with_max_len(1).for_each(|check| check(catalog, sink));
}
