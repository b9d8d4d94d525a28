//! This machine.

use super::{Context, KindResult, boxed::boxed};
use super::{FilesOf, KindSettings, Record};

pub(super) const KIND: Record =
    Record { name: "local", about: "This machine, with your rights.", files: FilesOf::ThisMachine, secrets: &[] };

/// The kind has no settings.
#[derive(Debug)]
pub(super) struct Settings;

impl KindSettings for Settings {
    fn kind(&self, _: &Context<'_>) -> KindResult {
        Ok(boxed(crate::LocalKind))
    }
}
