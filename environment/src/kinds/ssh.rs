//! Another machine.

use toolc_tables::checks;
use toolc_tables::diagnostic::{At, Sink};
use toolc_tables::kinds::{Count, Text, Word};
use toolc_tables::table;

#[cfg(unix)]
use super::{Context, KindResult, boxed::boxed};
use super::{FilesOf, KindSettings, Record, RequiredSetting, text};
use crate::HostKeys;

pub(super) const KIND: Record = Record {
    name: "ssh",
    about: "Another machine, with the rights of your user there.",
    files: FilesOf::OtherMachine,
    secrets: &[],
};

table! {
    /// Another machine.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Settings {
        /// The name or address of the machine. It needs Linux, and a POSIX shell with the usual programs. Needed for the kind `ssh`.
        host: Text,
        /// The user on that machine. Default: the name of your user on this machine.
        user: Text,
        /// The port of the SSH server. Default: that of `config_file`, or 22.
        port: Count,
        /// The file with your private key. Default: the keys of your user and of its SSH agent.
        key: Text,
        /// The directory of that machine in which tools begin. Default: the home of the user.
        directory: Text,
        /// The file with the host keys that are accepted. Default: `known_hosts` in the home folder of toolc.
        known_hosts: Text,
        /// What happens if the host key is unknown. A changed key is always refused.
        host_keys: Word<HostKeys> = HostKeys::Strict,
        /// A configuration file of OpenSSH, such as `~/.ssh/config`, which can name jump hosts. Default: no file is read.
        config_file: Text,
    }
}

impl KindSettings for Settings {
    fn required(&self) -> Option<RequiredSetting<'_>> {
        let value = text(self.host.as_ref());
        Some(RequiredSetting { what: "the name of a machine", key: "environment.ssh.host", value })
    }

    fn check(&self, sink: &Sink) {
        if let Some(port) = self.port.as_ref().filter(|port| port.value > u16::MAX.into()) {
            checks::report(
                sink,
                port,
                "`port` is not a port",
                "expected a number from 1 to 65535",
                "omit `port` to use 22",
            );
        }
        check_name(self.host.as_ref(), "host", sink);
        check_name(self.user.as_ref(), "user", sink);
        for (path, key) in [(&self.key, "key"), (&self.known_hosts, "known_hosts"), (&self.config_file, "config_file")]
        {
            checks::path(path.as_ref(), &format!("`{key}`"), sink);
        }
    }

    fn directory(&self) -> Option<&str> {
        text(self.directory.as_ref())
    }

    fn place(&self) -> Option<String> {
        text(self.host.as_ref()).map(|host| format!("on the machine {host}"))
    }

    #[cfg(unix)]
    fn kind(&self, context: &Context<'_>) -> KindResult {
        let known_hosts =
            text(self.known_hosts.as_ref()).map_or_else(|| context.known_hosts.to_owned(), context.expand_home);
        let mut kind = crate::SshKind::new(text(self.host.as_ref()).unwrap_or_default(), known_hosts);
        kind = kind.host_keys(self.host_keys.value);
        if let Some(user) = text(self.user.as_ref()) {
            kind = kind.user(user);
        }
        if let Some(port) = self.port.as_ref().and_then(|port| u16::try_from(port.value).ok()) {
            kind = kind.port(port);
        }
        if let Some(key) = text(self.key.as_ref()) {
            kind = kind.key((context.expand_home)(key));
        }
        if let Some(directory) = text(self.directory.as_ref()) {
            kind = kind.directory(directory);
        }
        if let Some(path) = text(self.config_file.as_ref()) {
            kind = kind.config_file((context.expand_home)(path));
        }
        Ok(boxed(kind))
    }
}

/// Reports a text that cannot be the name of a host or a user.
fn check_name(name: Option<&At<String>>, key: &str, sink: &Sink) {
    let Some(name) = checks::filled(name) else { return };
    let is_plain = |text: &str| !text.contains(|letter: char| letter.is_control() || letter.is_whitespace());
    let value = name.value.trim();
    if value.starts_with('-') || value.contains(['@', '/']) || !is_plain(value) {
        let found = format!("`{key}` is not the name of a {key}");
        let help = "set the user and the port with the keys `user` and `port`";
        checks::report(sink, name, &found, "expected a name without spaces, `@` and `/`", help);
    }
}
