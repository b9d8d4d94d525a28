#![doc = include_str!("../README.md")]

mod check;
mod edit;
mod file;
mod host_pattern;
mod keys;
mod lint;
mod narrow;
mod parameter;
mod paths;
mod rule;
mod session;
mod set;

use serde_json::Value;
use toolc_tables::{HasKeys as _, file_schema};

pub use edit::{EditError, NewParameter, NewRule, without_rule};
pub use file::PermissionFile;
pub use keys::{PermissionsTable, Verdict};
pub use lint::{KnownTools, hints, mistakes, warnings};
pub use paths::{PathSource, Paths, WrittenPaths};
pub use rule::{Origin, Permission, Trust};
pub use session::{Answer, AnswerStore, SessionPermissions, Verdicts};
pub use set::PermissionSet;
pub use toolc_tables::diagnostic::InvalidFile;

/// Returns the JSON Schema of `permissions.toml`.
pub fn schema() -> Value {
    file_schema("permissions.toml", PermissionsTable::KEYS)
}
