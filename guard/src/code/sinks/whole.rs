//! What only a look at the whole program shows.

use super::Sinks;
use crate::code::lex::Kind;
use crate::codes::Code;
use crate::shell;
use crate::unit::{Found, Inner, Judged};

impl Sinks<'_, '_> {
    /// A shell whose input and output are a connection.
    pub(super) fn remote_shell(&self, judged: &mut Judged) {
        let (mut connects, mut joins, mut shell) = (false, false, None);
        for (at, token) in self.program.tokens.iter().enumerate() {
            match token.kind {
                Kind::Text => {
                    let first = token.text.split_whitespace().next().unwrap_or_default();
                    if matches!(
                        first,
                        "/bin/sh" | "/bin/bash" | "sh" | "bash" | "cmd.exe" | "cmd" | "/bin/zsh" | "powershell.exe"
                    ) && token.text.split_whitespace().count() <= 2
                    {
                        shell = shell.or(Some(token.at.clone()));
                    }
                }
                Kind::Name if self.program.begins_chain(at) => {
                    let Some(chain) = self.program.chain(at) else { continue };
                    connects |= matches!(
                        chain.path.as_str(),
                        "socket.socket"
                            | "socket.create_connection"
                            | "net.connect"
                            | "net.createConnection"
                            | "net.Socket"
                            | "net.Dial"
                            | "TCPSocket.new"
                            | "TCPSocket.open"
                            | "fsockopen"
                    );
                    joins |= matches!(chain.last(), "dup2" | "pipe" | "fileno" | "reopen");
                }
                _ => {}
            }
        }
        if let Some(at) = shell.filter(|_| connects && joins) {
            judged.found.push(Found::in_unit(
                self.unit,
                Code::RemoteControl,
                at,
                "The code connects a shell with the network.",
            ));
        }
    }

    /// Downloads that run, in statements of PowerShell, which need no brackets.
    pub(super) fn powershell(&self, judged: &mut Judged) {
        const LOADING: &[&str] = &[
            "downloadstring",
            "downloadfile",
            "downloaddata",
            "iwr ",
            "irm ",
            "invoke-webrequest",
            "invoke-restmethod",
            "start-bitstransfer",
            "curl ",
            "wget ",
            "curl.exe",
        ];
        const RUNNING: &[&str] =
            &["iex", "invoke-expression", "start-process", "::load(", "scriptblock]::create", "cmd /c"];
        let lower = self.unit.text.to_lowercase();
        let runs = |text: &str| RUNNING.iter().any(|word| text.contains(word));
        let Some(at) = LOADING.iter().filter_map(|word| lower.find(word)).min().filter(|_| runs(&lower)) else {
            return;
        };
        // Lower case can change the length of a text.
        let at = at.min(self.unit.text.len());
        let found = Found::in_unit(self.unit, Code::FetchAndRun, at..at + 1, "The code runs what it has downloaded.");
        judged.found.extend(shell::fetched(found, &self.unit.text, &(at..at)));
    }

    /// A text that is a command by itself, such as a value of a table of commands.
    pub(super) fn constant(&mut self, at: usize, judged: &mut Judged) {
        let token = &self.program.tokens[at];
        let text = &token.text;
        if text.len() < 12 || text.len() > 16 << 10 {
            return;
        }
        let fetches = (text.contains("curl ") || text.contains("wget "))
            && (text.contains("| sh")
                || text.contains("|sh")
                || text.contains("| bash")
                || text.contains("|bash")
                || text.contains("$(curl")
                || text.contains("| python"));
        let downloads = text.contains("DownloadString(")
            || text.contains("iex ") && text.contains("http")
            || text.contains("/dev/tcp/");
        if fetches || downloads {
            judged.inner.push(Inner { language: "sh", text: text.clone(), at: token.at.start });
        }
    }
}
