//! What only a look at the whole program shows.

use super::Sinks;
use crate::code::lex::{Kind, Token};
use crate::code::value::bits;
use crate::codes::Code;
use crate::hosts::Standing;
use crate::shell;
use crate::unit::{Found, Inner, Judged};
use crate::unmarked;
use crate::visible::looks_latin;

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

    /// An address that a page loads when it is assigned, such as the source of a picture: `image.src = x`.
    pub(super) fn loaded(&mut self, at: usize, judged: &mut Judged) {
        let is_place = |name: &str| matches!(name, "src" | "href" | "location" | "action" | "srcset");
        let program = self.program;
        let target = at.checked_sub(1).and_then(|before| program.token(before));
        let Some(target) = target.filter(|token| token.kind == Kind::Name && is_place(&token.text)) else { return };
        let start = target.at.start;
        let end = program.expression_end(at + 1);
        let value = self.flow.value(at + 1, end);
        let host = value.addresses.iter().find(|address| address.standing() != Standing::Local);
        if let Some(host) = host.filter(|_| value.has(bits::PAGE | bits::SECRET | bits::ENVIRONMENT)) {
            let message = format!("The page loads an address at {} that contains what it shows.", host.host);
            let close = program.token(end).map_or(start + 1, |token| token.at.start);
            let range = start..close.clamp(start + 1, start + 400);
            judged.found.push(Found::in_unit(self.unit, Code::SendsSecrets, range, message));
        }
    }

    /// Names with letters of another script, which a reader takes for other names.
    pub(super) fn names_that_look_alike(&self, judged: &mut Judged) {
        let is_odd = |token: &&Token| token.kind == Kind::Name && !token.text.is_ascii() && looks_latin(&token.text);
        if let Some(token) = self.program.tokens.iter().find(is_odd) {
            let message = "A name in the code mixes Latin letters with letters of another script that look like them.";
            judged.found.push(Found::in_unit(self.unit, Code::LookAlike, token.at.clone(), message));
        }
    }

    /// Addresses of payments in the clipboard that are replaced by others.
    pub(super) fn replaced_payments(&self, judged: &mut Judged) {
        const READING: &[&str] = &[".paste", ".read", "getclipboard", "pbpaste", "xclip -o", "xsel -o"];
        const WRITING: &[&str] = &[".copy", ".write", "setclipboard", "pbcopy", "xclip -i", "xsel -i"];
        let text = self.unit.text.to_ascii_lowercase();
        let has = |list: &[&str]| list.iter().any(|part| text.contains(part));
        let uses_clipboard = ["clip", "pbpaste", "xsel"].iter().any(|name| text.contains(name));
        let Some(at) = payment_pattern(&text).filter(|_| uses_clipboard && has(READING) && has(WRITING)) else {
            return;
        };
        let message = "The code replaces addresses of payments in the clipboard.";
        judged.found.push(Found::in_unit(self.unit, Code::Tampers, at..at + 1, message));
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
        judged.found.extend(shell::fetched(found, self.unit, &self.unit.text, &(at..at)));
    }

    /// A text that is a command by itself, such as a value of a table of commands.
    pub(super) fn constant(&mut self, at: usize, judged: &mut Judged) {
        let token = &self.program.tokens[at];
        let text = &token.text;
        if self.program.language.name == "awk" && text.starts_with("/inet") {
            let message = "The program opens a connection by a device of awk.";
            judged.found.push(Found::in_unit(self.unit, Code::RemoteControl, token.at.clone(), message));
        }
        let is_shell =
            self.program.language.name == "awk" && matches!(text.as_str(), "sh" | "bash" | "/bin/sh" | "/bin/bash");
        let fetches = |token: &Token| {
            token.kind == Kind::Text && ["curl ", "wget "].iter().any(|name| token.text.starts_with(name))
        };
        let is_piped = is_shell && at > 0 && self.program.is(at - 1, "|");
        if is_piped && self.program.tokens.iter().any(fetches) {
            let found =
                Found::in_unit(self.unit, Code::FetchAndRun, token.at.clone(), "The program runs what it downloads.");
            judged.found.extend(shell::fetched(found, self.unit, &self.unit.text, &token.at));
        }
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
            // A command inside of a statement: `COPY t FROM PROGRAM 'x'`, `!x`.
            let commands = unmarked::commands(text).into_iter().filter(|(at, ..)| *at > 0);
            judged.inner.extend(commands.map(|(_, text, _)| Inner { language: "sh", text, at: token.at.start }));
        }
    }
}

/// Returns where a text in lower case has a pattern for addresses of payments: of Bitcoin, of Ethereum, or an IBAN.
fn payment_pattern(text: &str) -> Option<usize> {
    const PATTERNS: &[&str] =
        &["0x[0", "0x[a", "bc1", "[13][a-", "^[13]", "[a-z]{2}\\d{2}", "[a-z]{2}[0-9]{2}", "iban"];
    PATTERNS.iter().filter_map(|pattern| text.find(pattern)).min()
}
