//! Sandboxes of the service Daytona.

#[cfg(all(unix, feature = "daytona"))]
use std::time::Duration;

use toolc_tables::checks;
use toolc_tables::diagnostic::Sink;
use toolc_tables::kinds::{Count, Flag, Text, Word};
use toolc_tables::table;

#[cfg(all(unix, feature = "daytona"))]
use super::boxed::boxed;
#[cfg(unix)]
use super::{Context, KindResult};
use super::{FilesOf, KindSettings, Record, text};
use crate::HostKeys;

pub(super) const KIND: Record = Record {
    name: "daytona",
    about: "A sandbox of the service Daytona, which has no files of this machine.",
    files: FilesOf::Service,
    secrets: &[KEY],
};

/// The variable with the key of the service.
const KEY: &str = "DAYTONA_API_KEY";

table! {
    /// Sandboxes of the service Daytona. The key of the service is the variable `DAYTONA_API_KEY`.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Settings {
        /// The snapshot from which a sandbox is made. Default: Daytona's default snapshot.
        snapshot: Text,
        /// The directory of the sandbox in which tools begin, absolute or relative to the home. Default: the home.
        directory: Text,
        /// Whether programs have a network, which reaches the Internet.
        network: Flag = false,
        /// The maximum lifetime of a sandbox in minutes, after which the service deletes it.
        max_minutes: Count = 120,
        /// The maximum number of sandboxes that the processes of this profile have at a time.
        max_sandboxes: Count = 8,
        /// The region. Default: the region of the organization.
        target: Text,
        /// The id of the organization, if the key belongs to several.
        organization: Text,
        /// The address of the service. Default: `https://app.daytona.io/api`.
        url: Text,
        /// The file with the host keys of the SSH gateway that are accepted. Default: `known_hosts` in the home folder of toolc.
        known_hosts: Text,
        /// What happens if the host key of the gateway is unknown. A changed key is always refused.
        host_keys: Word<HostKeys> = HostKeys::Strict,
    }
}

impl KindSettings for Settings {
    fn check(&self, sink: &Sink) {
        checks::encrypted_address(self.url.as_ref(), "url", "https://app.daytona.io/api", sink);
        checks::path(self.known_hosts.as_ref(), "`known_hosts`", sink);
    }

    fn directory(&self) -> Option<&str> {
        text(self.directory.as_ref())
    }

    fn place(&self) -> Option<String> {
        Some("of a sandbox on another machine".to_owned())
    }

    #[cfg(all(unix, feature = "daytona"))]
    fn kind(&self, context: &Context<'_>) -> KindResult {
        let known_hosts =
            text(self.known_hosts.as_ref()).map_or_else(|| context.known_hosts.to_owned(), context.expand_home);
        let key = (context.variable)(KEY).unwrap_or_default();
        let mut kind = crate::DaytonaKind::new(key, known_hosts).network(self.network.value).copies(context.copies());
        kind = kind.host_keys(self.host_keys.value);
        kind = kind.lifetime(Duration::from_mins(self.max_minutes.value.into()));
        kind = kind.max_sandboxes(self.max_sandboxes.value as usize);
        if let Some(snapshot) = text(self.snapshot.as_ref()) {
            kind = kind.snapshot(snapshot);
        }
        if let Some(directory) = text(self.directory.as_ref()) {
            kind = kind.directory(directory);
        }
        if let Some(target) = text(self.target.as_ref()) {
            kind = kind.target(target);
        }
        if let Some(id) = text(self.organization.as_ref()) {
            kind = kind.organization(id);
        }
        match text(self.url.as_ref()) {
            Some(url) => Ok(boxed(kind.url(url))),
            None => Ok(boxed(kind)),
        }
    }

    #[cfg(all(unix, not(feature = "daytona")))]
    fn kind(&self, _: &Context<'_>) -> KindResult {
        super::boxed::unsupported("this program was built without the feature `daytona`")
    }
}
