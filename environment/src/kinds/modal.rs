//! Sandboxes of the service Modal.

#[cfg(unix)]
use std::time::Duration;

use toolc_tables::checks;
use toolc_tables::diagnostic::Sink;
use toolc_tables::kinds::{Count, Flag, Text};
use toolc_tables::table;

#[cfg(unix)]
use super::{Context, KindResult, boxed::boxed};
use super::{FilesOf, KindSettings, Record, text};
#[cfg(unix)]
use crate::{Leases, ModalKind};

pub(super) const KIND: Record = Record {
    name: "modal",
    about: "A sandbox of the service Modal, which has no files of this machine.",
    files: FilesOf::Service,
    secrets: &TOKEN,
};

/// The variables with the token of the service.
const TOKEN: [&str; 2] = ["MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET"];

table! {
    /// Sandboxes of the service Modal. Its token is in the variables `MODAL_TOKEN_ID` and `MODAL_TOKEN_SECRET`, or in `~/.modal.toml`.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Settings {
        /// The Python that has the SDK of Modal.
        python: Text = "python3",
        /// The app of Modal to which the sandboxes belong. It is made if it does not exist.
        app: Text = "toolc",
        /// The image, which must have a POSIX shell with the usual programs. Default: Modal's default image, with Debian and Python.
        image: Text,
        /// The absolute path of the directory of the sandbox in which tools begin. It is created.
        directory: Text = "/root/work",
        /// Whether programs have a network, which reaches the Internet.
        network: Flag = false,
        /// The maximum lifetime of a sandbox in minutes, after which the service ends it.
        max_minutes: Count = 120,
        /// The maximum memory, in MiB.
        max_memory_mib: Count = 2048,
        /// The maximum number of processors.
        max_processors: Count = 2,
        /// The maximum number of sandboxes of the app that run at a time.
        max_sandboxes: Count = 8,
        /// The address of the service. Default: `https://api.modal.com`.
        url: Text,
    }
}

impl KindSettings for Settings {
    fn check(&self, sink: &Sink) {
        checks::encrypted_address(self.url.as_ref(), "url", "https://api.modal.com", sink);
        checks::text(self.python.written().as_ref(), "python", sink);
        checks::text(self.app.written().as_ref(), "app", sink);
        checks::text(self.image.as_ref(), "image", sink);
        if let Some(directory) = self.directory.written().filter(|directory| !directory.value.trim().starts_with('/')) {
            let help = "the directory is created in the sandbox";
            checks::report(sink, &directory, "`directory` is not absolute", "expected `/...`", help);
        }
    }

    fn directory(&self) -> Option<&str> {
        Some(self.directory.value.trim())
    }

    fn place(&self) -> Option<String> {
        Some("of a sandbox on another machine".to_owned())
    }

    fn doctor_settings(&self) -> Vec<(&'static str, String)> {
        vec![("python", self.python.value.clone()), ("app", self.app.value.clone())]
    }

    #[cfg(unix)]
    fn kind(&self, context: &Context<'_>) -> KindResult {
        Ok(boxed(self.modal(context)))
    }

    #[cfg(unix)]
    fn leases(&self, leases: Leases, context: &Context<'_>) -> Leases {
        leases.modal(self.modal(context))
    }
}

#[cfg(unix)]
impl Settings {
    fn modal(&self, context: &Context<'_>) -> ModalKind {
        let mut kind = ModalKind::default()
            .python((context.expand_home)(self.python.value.trim()))
            .app(self.app.value.trim())
            .directory(self.directory.value.trim())
            .network(self.network.value)
            .lifetime(Duration::from_mins(self.max_minutes.value.into()))
            .max_memory(u64::from(self.max_memory_mib.value) << 20)
            .max_processors(self.max_processors.value.into())
            .max_sandboxes(self.max_sandboxes.value)
            .copies(context.copies());
        if let Some(image) = text(self.image.as_ref()) {
            kind = kind.image(image);
        }
        if let Some(url) = text(self.url.as_ref()) {
            kind = kind.url(url);
        }
        let token = TOKEN.iter().filter_map(|name| Some((*name, (context.variable)(name)?)));
        token.fold(kind, |kind, (name, value)| kind.variable(name, value))
    }
}
