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

pub use check::Trust;
pub use edit::{NewParameter, NewRule};
pub use file::PermissionFile;
pub use keys::{PermissionsTable, Verdict};
pub use lint::{KnownTools, mistakes, warnings};
pub use paths::{PathSource, Paths, WrittenPaths};
pub use rule::{Origin, Permission};
pub use session::{Answer, AnswerStore, SessionPermissions, Verdicts};
pub use set::PermissionSet;
