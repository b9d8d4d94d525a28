//! The machine to connect to, and the options and variables of `ssh` for it.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::HostKeys;

use super::line::{is_plain, path_value};

/// The program.
pub(super) const SSH: &str = "ssh";
/// The variables of this process that `ssh` gets. It does not send them to the other machine.
const VARIABLES: &[&str] = &["HOME", "LOGNAME", "PATH", "SSH_AUTH_SOCK", "USER"];

/// The machine to connect to, and how to connect.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) host: String,
    pub(super) user: Option<String>,
    pub(super) port: Option<u16>,
    pub(super) key: Option<PathBuf>,
    pub(super) known_hosts: PathBuf,
    pub(super) host_keys: HostKeys,
    pub(super) config_file: Option<PathBuf>,
}

/// Options that settings cannot change. `ssh` uses the first value of an option, so a configuration file cannot change them either.
const OPTIONS: &[&str] = &[
    "BatchMode=yes",
    "CheckHostIP=no",
    "ClearAllForwardings=yes",
    "ConnectTimeout=10",
    "ConnectionAttempts=1",
    "ControlPersist=no",
    "EscapeChar=none",
    "ForwardAgent=no",
    "ForwardX11=no",
    "GlobalKnownHostsFile=/dev/null",
    "HashKnownHosts=no",
    "PermitLocalCommand=no",
    // `ssh` closes a connection if the server does not answer for 45 seconds.
    "ServerAliveCountMax=3",
    "ServerAliveInterval=15",
    "Tunnel=no",
    "UpdateHostKeys=no",
    "VerifyHostKeyDNS=no",
];

/// Returns the variables that `ssh` gets.
pub(super) fn variables() -> Vec<(OsString, OsString)> {
    VARIABLES.iter().filter_map(|name| Some((OsString::from(name), env::var_os(name)?))).collect()
}

impl Target {
    /// Returns the options of `ssh`.
    ///
    /// # Errors
    /// If a setting cannot be an option, or a file is missing.
    pub(super) fn options(&self, log_level: &str) -> io::Result<Vec<OsString>> {
        for (name, text) in [("host", Some(&self.host)), ("user", self.user.as_ref())] {
            if let Some(text) = text.filter(|text| !is_plain(text)) {
                return Err(invalid(format!("`{text}` is not the name of a {name} for SSH")));
            }
        }
        if let Some((user, host)) = self.host.split_once('@') {
            return Err(invalid(format!(
                "the host `{}` contains a user: set the host `{host}` and the user `{user}`",
                self.host
            )));
        }
        let mut options: Vec<OsString> = vec!["-F".into()];
        options.push(match &self.config_file {
            None => "none".into(),
            Some(path) => existing("the configuration file", path)?.into(),
        });
        let mut option = |value: OsString| options.extend(["-o".into(), value]);
        option(format!("LogLevel={log_level}").into());
        for value in OPTIONS {
            option(value.into());
        }
        option(match self.host_keys {
            HostKeys::Strict => "StrictHostKeyChecking=yes".into(),
            HostKeys::AcceptNew => "StrictHostKeyChecking=accept-new".into(),
        });
        option(path_value("UserKnownHostsFile", self.known_hosts.as_os_str())?);
        if let Some(key) = &self.key {
            option(path_value("IdentityFile", existing("the key", key)?.as_os_str())?);
            option("IdentitiesOnly=yes".into());
        }
        if let Some(port) = self.port {
            option(format!("Port={port}").into());
        }
        if let Some(user) = &self.user {
            option(format!("User={user}").into());
        }
        Ok(options)
    }

    /// Returns the host and the port in the form of the file `known_hosts`.
    pub(super) fn known_as(&self) -> String {
        match self.port {
            None | Some(22) => self.host.clone(),
            Some(port) => format!("[{}]:{port}", self.host),
        }
    }

    /// Returns the machine as messages name it.
    pub(super) fn display_name(&self) -> String {
        let user = self.user.as_ref().map_or_else(String::new, |user| format!("{user}@"));
        format!("{user}{}", self.known_as())
    }
}

fn existing<'p>(what: &str, path: &'p Path) -> io::Result<&'p Path> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(path),
        Ok(_) => Err(invalid(format!("{what} `{}` for SSH is not a file", path.display()))),
        Err(error) => {
            let text = format!("{what} `{}` for SSH cannot be read: {error}", path.display());
            Err(io::Error::new(error.kind(), text))
        }
    }
}

fn invalid(text: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target() -> Target {
        Target {
            host: "example.org".to_owned(),
            user: None,
            port: None,
            key: None,
            known_hosts: "/h/known hosts".into(),
            host_keys: HostKeys::Strict,
            config_file: None,
        }
    }

    fn text(target: &Target) -> String {
        let words = target.options("ERROR").unwrap();
        words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn nothing_is_forwarded_and_an_unknown_key_is_refused_by_default() {
        let text = text(&target());
        assert!(text.starts_with("-F none -o LogLevel=ERROR -o BatchMode=yes"), "{text}");
        for option in [
            "StrictHostKeyChecking=yes",
            "ForwardAgent=no",
            "ForwardX11=no",
            "ClearAllForwardings=yes",
            "PermitLocalCommand=no",
            "UserKnownHostsFile=\"/h/known hosts\"",
        ] {
            assert!(text.contains(&format!("-o {option}")), "{text}");
        }
        assert!(!text.contains("IdentityFile") && !text.contains("Port") && !text.contains("User="), "{text}");
    }

    #[test]
    fn settings_become_options() {
        let key = tempfile::NamedTempFile::new().unwrap();
        let target = Target {
            user: Some("me".to_owned()),
            port: Some(2222),
            key: Some(key.path().to_owned()),
            host_keys: HostKeys::AcceptNew,
            ..target()
        };
        let text = text(&target);
        let key = format!("-o IdentityFile=\"{}\" -o IdentitiesOnly=yes -o Port=2222 -o User=me", key.path().display());
        assert!(text.ends_with(&key), "{text}");
        assert!(text.contains("StrictHostKeyChecking=accept-new"), "{text}");
        assert_eq!(
            (target.known_as(), target.display_name()),
            ("[example.org]:2222".into(), "me@[example.org]:2222".into())
        );
    }

    #[test]
    fn a_setting_that_cannot_be_an_option_is_refused() {
        let refusal = |target: Target| target.options("ERROR").unwrap_err().to_string();
        for host in ["", "-oProxyCommand=x", "a b"] {
            let text = refusal(Target { host: host.to_owned(), ..target() });
            assert!(text.contains("is not the name of a host"), "{text}");
        }
        let text = refusal(Target { host: "me@a".to_owned(), ..target() });
        assert!(text.contains("set the host `a` and the user `me`"), "{text}");
        let text = refusal(Target { user: Some("-x".to_owned()), ..target() });
        assert!(text.contains("is not the name of a user"), "{text}");
        let text = refusal(Target { key: Some("/missing/key".into()), ..target() });
        assert!(text.contains("the key `/missing/key` for SSH cannot be read"), "{text}");
        let text = refusal(Target { config_file: Some("/".into()), ..target() });
        assert!(text.contains("is not a file"), "{text}");
    }
}
