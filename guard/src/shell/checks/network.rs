//! What commands send, and with whom they connect.

use super::{Piece, is_filled, sends_data};
use crate::codes::Code;
use crate::hosts::{self, Address, Standing};
use crate::shell::command::Plain;
use crate::tables::{hosts as host_table, names};
use crate::unit::{Found, Judged};

impl Piece<'_> {
    /// All variables of the environment that are sent.
    pub(super) fn environment(&self, command: &Plain, judged: &mut Judged) {
        let is_dump = |other: &Plain| match other.name.as_str() {
            "env" | "printenv" | "export" | "set" => {
                other.arguments.iter().all(|word| matches!(word.as_str(), "-0" | "-p" | "--null"))
            }
            "declare" | "compgen" => {
                other.arguments.iter().any(|word| matches!(word.as_str(), "-x" | "-p" | "-xp" | "-e"))
            }
            "history" | "pbpaste" | "get-clipboard" => true,
            "xclip" | "xsel" => other.arguments.iter().any(|word| matches!(word.as_str(), "-o" | "--output" | "-b")),
            _ => false,
        };
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

    /// Shells that are connected with the network.
    pub(super) fn connections(&self, judged: &mut Judged) {
        for device in ["/dev/tcp/", "/dev/udp/"] {
            for (at, _) in self.text.match_indices(device) {
                let rest = &self.text[at + device.len()..];
                let host = rest.split(['/', ' ', '\n', '"', '\'']).next().unwrap_or_default();
                let line = self.text[..at].rsplit('\n').next().unwrap_or_default();
                let is_local = hosts::standing(host) == Standing::Local && !host.starts_with('$')
                    || host.starts_with('$') && !line.contains("-i");
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
