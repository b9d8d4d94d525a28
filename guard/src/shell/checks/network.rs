//! What commands send, and with whom they connect.

use super::{Piece, is_dump, is_filled, sends_data};
use crate::codes::Code;
use crate::hosts::{self, Address, Standing};
use crate::shell::command::Plain;
use crate::tables::{hosts as host_table, names};
use crate::unit::{Found, Judged};

/// The devices with which a shell connects.
const DEVICES: [&str; 2] = ["/dev/tcp/", "/dev/udp/"];

/// Returns whether a command sends nothing, or only a constant.
fn is_constant(command: &Plain) -> bool {
    matches!(command.name.as_str(), "" | ":" | "true" | "echo" | "printf")
        && command.program.is_empty() == command.name.is_empty()
        && !command.arguments.iter().any(|word| word.contains('$'))
}

impl Piece<'_> {
    /// All variables of the environment that are sent.
    pub(super) fn environment(&self, command: &Plain, judged: &mut Judged) {
        let is_fed = command.fed_by.iter().filter_map(|id| self.commands.get(*id as usize)).any(is_dump);
        if Self::is_sender(command) && is_fed {
            judged.found.push(self.found(
                command,
                Code::SendsEnvironment,
                "The command sends the environment, the history or the clipboard of the user.",
            ));
        }
    }

    /// An address with a scheme.
    fn address(&self, command: &Plain, address: &Address, judged: &mut Judged) {
        let is_sender = Self::is_sender(command);
        let message = match address.standing() {
            Standing::Number if is_sender => Some("The command connects with a bare IP address.".to_owned()),
            Standing::Hiding(what) if is_sender => {
                Some(format!("The command connects with {}, a service that {what}.", address.host))
            }
            _ => None,
        };
        judged.found.extend(message.map(|message| self.found(command, Code::SuspiciousHost, message)));
        if hosts::looks_alike(&address.host) {
            let message = "The host is written with letters of different scripts.";
            judged.found.push(self.found(command, Code::LookAlike, message));
        }
    }

    /// Addresses that hide their owner, and addresses that get data.
    pub(super) fn addresses(&self, command: &Plain, judged: &mut Judged) {
        let is_sender = Self::is_sender(command);
        for word in command.arguments.iter().filter(|word| word.contains("://")) {
            for address in hosts::addresses(word) {
                self.address(command, &address, judged);
                if let Some(found) = toolc_scan::metadata_address(&word[address.at.clone()]).filter(|_| is_sender) {
                    judged.found.push(self.found(
                        command,
                        Code::CloudMetadata,
                        format!("The command asks {} for the credentials of a machine.", found.address),
                    ));
                }
            }
            let to_messenger = is_sender
                && host_table::MESSENGERS
                    .iter()
                    .any(|messenger| word.contains(messenger) && is_filled(word, messenger));
            if to_messenger && sends_data(command) {
                judged.found.push(self.found(
                    command,
                    Code::SuspiciousHost,
                    "The command sends data to a fixed channel of a messenger, which is not the user's.",
                ));
            }
        }
        // A number without a scheme: `curl 203.0.113.5/x`, `nc 203.0.113.5 4444`.
        let bare = command.arguments.iter().find(|word| {
            let host = word.split(['/', ':']).next().unwrap_or_default();
            host.chars().filter(|letter| *letter == '.').count() == 3 && hosts::standing(host) == Standing::Number
        });
        let connects =
            matches!(command.name.as_str(), "curl" | "wget" | "nc" | "ncat" | "socat" | "telnet" | "iwr" | "irm");
        if connects && bare.is_some() {
            judged.found.push(self.found(
                command,
                Code::SuspiciousHost,
                "The command connects with a bare IP address.",
            ));
        }
        let hiding =
            command.arguments.iter().map(|word| word.rsplit('@').next().unwrap_or_default()).find_map(|word| {
                let host = word.split(['/', ':']).next().unwrap_or_default();
                match hosts::standing(host) {
                    Standing::Hiding(what) if !word.contains("://") => Some(what),
                    _ => None,
                }
            });
        if let Some(what) = hiding.filter(|_| is_sender) {
            judged.found.push(self.found(
                command,
                Code::SuspiciousHost,
                format!("The command connects with a service that {what}."),
            ));
        }
    }

    /// Data in names that are looked up.
    pub(super) fn look_ups(&self, command: &Plain, judged: &mut Judged) {
        let is_built = |word: &String| {
            word.contains("$()") && word.contains('.')
                || word.contains('$') && word.split('.').count() >= 3 && word.starts_with('$')
        };
        if !names::LOOK_UPS.contains(&command.name.as_str()) || !command.arguments.iter().any(is_built) {
            return;
        }
        let feeding = || command.fed_by.iter().filter_map(|id| self.commands.get(*id as usize));
        let has_data = feeding().any(|feeding| {
            matches!(
                feeding.name.as_str(),
                "cat" | "base64" | "xxd" | "env" | "printenv" | "whoami" | "hostname" | "head" | "od" | "id"
            )
        });
        if has_data {
            judged.found.push(self.found(
                command,
                Code::SendsSecrets,
                "The command puts data into a name that it looks up, which sends them to the owner of the domain.",
            ));
        }
    }

    /// Returns the commands around a place whose redirections name a device of the network.
    fn of_device(&self, at: usize) -> impl Iterator<Item = &Plain> {
        let names = |word: &String| DEVICES.iter().any(|device| word.contains(device));
        let is_around = move |command: &&Plain| command.at.start <= at + 24 && at <= command.at.end + 24;
        self.commands
            .iter()
            .filter(is_around)
            .filter(move |command| command.reads.iter().chain(&command.writes).any(names))
    }

    /// Returns whether a command around a place writes data to a device of the network.
    fn sends_to_device(&self, at: usize) -> bool {
        self.of_device(at).any(|command| {
            command.writes.iter().any(|word| word.contains("/dev/tcp/") || word.contains("/dev/udp/"))
                && !is_constant(command)
        })
    }

    /// Returns whether the commands around a place only try whether a port is open: nothing is read, and nothing but a constant is sent.
    fn is_port_test(&self, at: usize) -> bool {
        let mut tests = self.of_device(at).peekable();
        let line_start = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        let line_end = self.text[at..].find('\n').map_or(self.text.len(), |end| at + end);
        let is_kept_open = self.text[line_start..line_end].contains("<>");
        tests.peek().is_some() && tests.all(is_constant) && !is_kept_open
    }

    /// Shells that are connected with the network.
    pub(super) fn connections(&self, judged: &mut Judged) {
        for device in DEVICES {
            for (at, _) in self.text.match_indices(device) {
                let rest = &self.text[at + device.len()..];
                let host = rest.split(['/', ' ', '\n', '"', '\'']).next().unwrap_or_default();
                let line = self.text[..at].rsplit('\n').next().unwrap_or_default();
                let is_variable = host.starts_with('$');
                let is_local = hosts::standing(host) == Standing::Local && !is_variable
                    || is_variable && !line.contains("-i") && !self.sends_to_device(at)
                    || self.is_port_test(at);
                if !is_local {
                    let range = self.start + at..self.start + at + device.len() + host.len();
                    judged.found.push(Found::in_unit(
                        self.unit,
                        Code::RemoteControl,
                        range,
                        "The command opens a connection by a device of the shell.",
                    ));
                }
            }
        }
        for command in &self.commands {
            let runs_program = matches!(command.name.as_str(), "nc" | "ncat" | "netcat")
                && command.arguments.iter().any(|word| matches!(word.as_str(), "-e" | "-c" | "--exec" | "--sh-exec"))
                || command.name == "socat"
                    && command.arguments.iter().any(|word| {
                        word.to_lowercase().starts_with("exec:") || word.to_lowercase().starts_with("system:")
                    });
            let from_pipe = matches!(command.name.as_str(), "nc" | "ncat" | "netcat")
                && command
                    .fed_by
                    .iter()
                    .filter_map(|id| self.commands.get(*id as usize))
                    .any(|other| matches!(other.name.as_str(), "sh" | "bash" | "zsh"));
            if runs_program || from_pipe {
                judged.found.push(self.found(
                    command,
                    Code::RemoteControl,
                    "The command connects a shell with the network.",
                ));
            }
        }
    }
}
