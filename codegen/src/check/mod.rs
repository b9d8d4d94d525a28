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
mod program;
mod requires;
#[cfg(feature = "emit")]
mod rust_names;
mod size;
mod toolsets;

use std::ops::Deref;

use rayon::prelude::*;

use crate::catalog::{Catalog, Tool};
use crate::diagnostic::{Diagnostic, Level, Sink};

/// Checks the whole catalog and reports errors.
type Check = fn(&Catalog, &Sink);

const CHECKS: &[Check] = &[
    aliases::check,
    cycles::check,
    keys::check,
    plugin::check,
    program::check,
    requires::check,
    #[cfg(feature = "emit")]
    rust_names::check,
    toolsets::check,
    commands::check,
];

/// Checks one tool and reports errors. If the manifest is [plain](crate::manifest::LazyManifest::is_plain), they may depend on nothing
/// else, because the check does not run again while the file is unchanged.
type ToolCheck = fn(&Catalog, &Tool, &Sink);

const TOOL_CHECKS: &[ToolCheck] = &[
    aliases::check_tool,
    conditions::check_tool,
    defaults::check_tool,
    keys::check_tool,
    #[cfg(feature = "emit")]
    rust_names::check_tool,
    size::check_tool,
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
    /// Replaces the folders of other languages that are given.
    ///
    /// # Errors
    /// Returns why one of them cannot be used.
    #[cfg(feature = "cli")]
    pub(crate) fn replace_folders(&mut self, python: Option<&str>, typescript: Option<&str>) -> Result<(), String> {
        self.0.replace_folders(python, typescript)
    }

    /// Returns `None` if one of the findings is an error.
    pub(crate) fn new(catalog: Catalog, found: &[Diagnostic]) -> Option<Self> {
        if found.iter().any(|found| found.level == Level::Error) { None } else { Some(Self(catalog)) }
    }
}

/// Runs every check.
pub(crate) fn check(catalog: &Catalog, sink: &Sink) {
    CHECKS.par_iter().with_max_len(1).for_each(|check| check(catalog, sink));
    let changed: Vec<&Tool> = catalog.tools().map(|(_, tool)| tool).filter(|tool| !tool.manifest.is_kept).collect();
    changed.par_iter().for_each(|tool| TOOL_CHECKS.iter().for_each(|check| check(catalog, tool, sink)));
}
