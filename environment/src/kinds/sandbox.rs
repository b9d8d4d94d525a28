//! A sandbox on this machine.

use super::{Context, KindResult, boxed::boxed};
use super::{FilesOf, KindSettings, Record};

pub(super) const KIND: Record = Record {
    name: "sandbox",
    about: "A sandbox on this machine, which sees only the current directory and the installed programs, without network.",
    files: FilesOf::Task,
    secrets: &[],
};

/// The kind has no settings.
#[derive(Debug)]
pub(super) struct Settings;

impl KindSettings for Settings {
    fn kind(&self, _: &Context<'_>) -> KindResult {
        Ok(boxed(crate::SandboxKind::default()))
    }
}
