//! This machine.

use toolc_tables::checks;
use toolc_tables::diagnostic::Sink;
use toolc_tables::kinds::Text;
use toolc_tables::table;

use super::{Context, KindResult, boxed::boxed};
use super::{FilesOf, KindSettings, Record, text};

pub(super) const KIND: Record =
    Record { name: "local", about: "This machine, with your rights.", files: FilesOf::ThisMachine, secrets: &[] };

table! {
    /// This machine.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Settings {
        /// The directory in which tools begin: absolute, or beginning with `~/`. Default: the one in which `toolc` was started.
        directory: Text,
    }
}

impl KindSettings for Settings {
    fn check(&self, sink: &Sink) {
        checks::path(self.directory.as_ref(), "`directory`", sink);
    }

    fn directory(&self) -> Option<&str> {
        text(self.directory.as_ref())
    }

    fn kind(&self, _: &Context<'_>) -> KindResult {
        Ok(boxed(crate::LocalKind))
    }
}
