//! Explains why a connection could not be made, and what to do.

use std::io;
use std::io::ErrorKind;
use std::process::{Command, Stdio};

use super::target::{SSH, Target, variables};

/// Returns the error for the message of `ssh`.
pub(super) fn error(target: &Target, message: &str) -> io::Error {
    let host = target.known_as();
    let known = target.known_hosts.display();
    let has = |part: &str| message.contains(part);
    let (kind, text) = if has("HOST IDENTIFICATION HAS CHANGED") || has("REVOKED HOST KEY") {
        let sent = message.lines().find_map(fingerprint);
        let sent = sent.map_or_else(String::new, |sent| format!(" to {sent}"));
        let text = format!(
            "the host key of `{host}` has changed{sent}: another machine may pretend to be this host. Only if you know why the key \
             has changed, remove the old one with `ssh-keygen -R '{host}' -f '{known}'`, and add the new one"
        );
        (ErrorKind::PermissionDenied, text)
    } else if has("host key is known for") || has("Host key verification failed") {
        let sent = host_key(target);
        let sent = sent.map_or_else(String::new, |sent| format!(": it is {sent}"));
        let text = format!(
            "the host key of `{host}` is not in `{known}`{sent}. Compare this fingerprint with the output of `ssh-keygen -l -f \
             /etc/ssh/ssh_host_ed25519_key.pub` on that machine; then add the key: `ssh-keyscan{} {} >> '{known}'`. If you trust the network, \
             `host_keys = \"accept-new\"` adds keys at the first connection",
            target.port.map_or_else(String::new, |port| format!(" -p {port}")),
            target.host
        );
        (ErrorKind::PermissionDenied, text)
    } else if has("Permission denied") {
        let text = match &target.key {
            Some(key) => format!(
                "`{}` does not accept the key `{}`: check the user, and that the public key is in `~/.ssh/authorized_keys` there. A \
                 key with a passphrase must be in an agent (`ssh-add`), and a key file must be readable only for you ({})",
                target.display_name(),
                key.display(),
                last_line(message)
            ),
            None => format!(
                "`{}` accepts none of your keys: set the key and the user, and check that the public key is in \
                 `~/.ssh/authorized_keys` there. A key with a passphrase must be in an agent (`ssh-add`) ({})",
                target.display_name(),
                last_line(message)
            ),
        };
        (ErrorKind::PermissionDenied, text)
    } else if has("Could not resolve hostname") {
        (
            ErrorKind::NotFound,
            format!("the host `{}` has no address: check its name ({})", target.host, last_line(message)),
        )
    } else if has("Connection refused") || has("timed out") || has("No route to host") || has("unreachable") {
        let text = format!(
            "`{host}` cannot be reached: check the host and the port, and that an SSH server runs there ({})",
            last_line(message)
        );
        (ErrorKind::ConnectionRefused, text)
    } else {
        let message = if message.is_empty() { "`ssh` printed no error message" } else { message };
        (ErrorKind::Other, format!("`{host}` cannot be reached: {message}"))
    };
    io::Error::new(kind, text)
}

fn last_line(message: &str) -> &str {
    message.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().trim()
}

/// Returns the fingerprint in a line.
fn fingerprint(line: &str) -> Option<&str> {
    let rest = &line[line.find("SHA256:")?..];
    let end = rest.find(|letter: char| letter.is_whitespace() || letter == '.').unwrap_or(rest.len());
    Some(&rest[..end])
}

/// Connects again with debug messages, and returns the host key that they contain.
fn host_key(target: &Target) -> Option<String> {
    let mut command = Command::new(SSH);
    command.env_clear().envs(variables()).args(target.options("DEBUG1").ok()?).args(["-T", "-S", "none", "--"]);
    let output = command.args([&target.host, "exit"]).stdin(Stdio::null()).output().ok()?;
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = messages.lines().find_map(|line| line.split_once("Server host key: "))?.1;
    let (kind, _) = line.split_once(' ')?;
    Some(format!("{kind} {}", fingerprint(line)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HostKeys;

    fn target() -> Target {
        Target {
            host: "example.org".to_owned(),
            user: Some("me".to_owned()),
            port: Some(2222),
            key: None,
            known_hosts: "/h/known_hosts".into(),
            host_keys: HostKeys::Strict,
            config_file: None,
        }
    }

    #[test]
    fn each_reason_says_what_to_do() {
        let changed =
            "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nThe fingerprint is\nSHA256:abc/+d.\nPlease\n";
        for (said, kind, parts) in [
            (
                changed,
                ErrorKind::PermissionDenied,
                &["has changed to SHA256:abc/+d:", "ssh-keygen -R '[example.org]:2222'"][..],
            ),
            (
                "x\nme@example.org: Permission denied (publickey).",
                ErrorKind::PermissionDenied,
                &["`me@[example.org]:2222` accepts none of your keys", "denied (publickey).)"],
            ),
            (
                "ssh: Could not resolve hostname example.org: Name or service not known",
                ErrorKind::NotFound,
                &["the host `example.org` has no address"],
            ),
            (
                "ssh: connect to host example.org port 2222: Connection refused",
                ErrorKind::ConnectionRefused,
                &["check the host and the port"],
            ),
            ("something else", ErrorKind::Other, &["cannot be reached: something else"]),
            ("", ErrorKind::Other, &["`ssh` printed no error message"]),
        ] {
            let error = error(&target(), said);
            assert_eq!(error.kind(), kind, "{error}");
            assert!(parts.iter().all(|part| error.to_string().contains(part)), "{error}");
        }
    }
}
