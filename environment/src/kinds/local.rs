//! This machine.

use toolc_tables::checks;
use toolc_tables::diagnostic::Sink;
use toolc_tables::kinds::{Flag, Text};
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
        /// Whether toolc's home folder is hidden from commands, scripts, background processes and plugins, where the system allows it
        /// (Linux).
        hide_home: Flag = true,
    }
}

impl KindSettings for Settings {
    fn check(&self, sink: &Sink) {
        checks::path(self.directory.as_ref(), "`directory`", sink);
    }

    fn directory(&self) -> Option<&str> {
        text(self.directory.as_ref())
    }

    /// Its settings always apply.
    fn is_configured(&self) -> bool {
        true
    }

    fn kind(&self, context: &Context<'_>) -> KindResult {
        Ok(boxed(self.local_kind(context)))
    }
}

impl Settings {
    /// Returns the kind with these settings.
    pub fn local_kind(&self, context: &Context<'_>) -> crate::LocalKind {
        let kind = crate::LocalKind::default();
        let hidden = if self.hide_home.value { Some(context.hidden.clone()) } else { context.hidden.only_places() };
        hidden.into_iter().fold(kind, crate::LocalKind::hiding)
    }
}
