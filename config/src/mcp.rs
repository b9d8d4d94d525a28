//! The MCP servers of `[mcp.servers]`: what follows from their values, and what the table of keys cannot express.

use std::path::{Path, PathBuf};

use toolc_tables::checks::{filled, is_in, report};
use toolc_tables::diagnostic::{At, Diagnostic, Sink};
use toolc_tables::{Setting, codes, default_values};

use crate::env_file::is_name;
use crate::keys::{McpOauthTable, McpServer, McpServerTable, McpTable};

/// The maximum length of a name, which leaves room for the names of tools.
const MAX_NAME: usize = 32;

/// Where an MCP server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpTransport<'s> {
    /// A program, with which standard streams connect.
    Stdio {
        /// The program.
        command: &'s str,
    },
    /// An address for streamable HTTP.
    Http {
        /// The address.
        url: &'s str,
    },
}

impl McpServer {
    /// Returns a server with the defaults of all other keys.
    pub fn new(name: String) -> Self {
        Self { name, ..default_values::<McpServerTable>() }
    }

    /// Returns where the server is.
    pub fn transport(&self) -> McpTransport<'_> {
        match (&self.command, &self.url) {
            (_, Some(url)) => McpTransport::Http { url },
            (command, None) => McpTransport::Stdio { command: command.as_deref().unwrap_or_default() },
        }
    }

    /// Returns the variables that the program gets: the name in the program, and the variable that holds the value.
    pub fn passed_variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.env.iter().map(|entry| passed(entry))
    }

    /// Returns whether the configuration says that the value of a variable in `env` is secret, or that it is not.
    pub fn says_secret(&self, name: &str) -> Option<bool> {
        self.variables.iter().find(|variable| variable.name == name).map(|variable| variable.secret)
    }

    /// Returns the variables of the environment whose values the server gets.
    pub fn variables(&self) -> Vec<&str> {
        let program = self.passed_variables().map(|(_, source)| source);
        let headers = self.headers.iter().map(|(_, variable)| variable);
        let http = headers.chain(&self.bearer_variable).chain(&self.oauth.client_secret_variable);
        program.chain(http.map(String::as_str)).collect()
    }
}

/// Returns the name in the program and the variable that holds the value, of `NAME` or `NAME=OTHER`.
fn passed(entry: &str) -> (&str, &str) {
    entry.split_once('=').unwrap_or((entry, entry))
}

/// Returns a path, with the home folder of the user for `~/`.
pub fn expanded(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}

/// Reports the mistakes of servers.
pub(crate) fn check(table: &McpTable, sink: &Sink) {
    for server in &table.servers {
        check_server(server, sink);
    }
    for address in [&table.npm_registry, &table.pypi, &table.osv].into_iter().filter_map(Setting::written) {
        check_address(&address, sink);
    }
}

fn check_server(server: &McpServerTable, sink: &Sink) {
    if !is_server_name(&server.name.value) {
        let message = format!("`{}` is not the name of a server", server.name.value.escape_debug());
        let help = "the name is a part of the names of its tools, `mcp__NAME__TOOL`";
        let label = format!("expected at most {MAX_NAME} letters, digits, `-` and single `_`");
        report(sink, &server.name, &message, &label, help);
    }
    let only_of = |key: &str, is_set: bool, place: &At<String>, other: &str| {
        if is_set {
            let message = format!("`{key}` of the server `{}` has no effect", server.name.value);
            report(sink, place, &message, &format!("it needs `{other}`"), "remove it");
        }
    };
    match (&server.command, &server.url) {
        (Some(command), None) => {
            only_of("headers", !server.headers.is_empty(), command, "url");
            only_of("bearer_variable", server.bearer_variable.is_some(), command, "url");
            only_of("oauth", server.oauth.is_set(), command, "url");
            check_program(server, command, sink);
        }
        (None, Some(url)) => {
            only_of("args", !server.args.is_empty(), url, "command");
            only_of("env", !server.env.is_empty(), url, "command");
            only_of("directory", server.directory.is_some(), url, "command");
            check_address(url, sink);
            check_credentials(server, url, sink);
        }
        (Some(_), Some(url)) => {
            report(sink, url, "a server with both `command` and `url`", "expected one of them", "remove one of them");
        }
        (None, None) if server.refused.has("command", true) || server.refused.has("url", true) => {}
        (None, None) => {
            let help = "write `command = \"...\"` for a program, or `url = \"https://...\"`";
            let message = format!("the server `{}` has neither `command` nor `url`", server.name.value);
            report(sink, &server.name, &message, "", help);
        }
    }
    for variable in &server.variables {
        let name = &variable.name;
        if !server.env.iter().any(|entry| passed(&entry.value).0 == name.value) {
            let message = format!("`env` of the server `{}` has no such variable", server.name.value);
            report(
                sink,
                name,
                &message,
                "expected the name of a variable in `env`",
                "add it to `env`, or remove the table",
            );
        }
    }
    for name in server.include.iter().filter(|name| is_in(&server.exclude, &name.value)) {
        report(
            sink,
            name,
            &format!("the tool `{}` is both included and excluded", name.value),
            "",
            "remove one of them",
        );
    }
}

fn check_program(server: &McpServerTable, command: &At<String>, sink: &Sink) {
    let is_relative = |path: &str| path.contains('/') && !path.starts_with("~/") && !Path::new(path).is_absolute();
    let help = "a relative path would depend on the folder in which `toolc` is started";
    if is_relative(&command.value) {
        report(sink, command, "the path of the program is relative", "expected a name, `/...` or `~/...`", help);
    }
    if let Some(directory) = filled(server.directory.as_ref())
        && !(directory.value.starts_with("~/") || Path::new(&directory.value).is_absolute())
    {
        report(sink, directory, "the path of the working directory is relative", "expected `/...` or `~/...`", help);
    }
    for entry in &server.env {
        let (name, source) = passed(&entry.value);
        if !is_name(name) || !is_name(source) {
            let help = "write the value into `.env`, as `NAME=...`, and the name here";
            // Do not show it: it may be a secret.
            report(sink, entry, "not the name of a variable", "expected letters, digits and `_`", help);
        }
    }
}

impl McpOauthTable {
    /// Returns whether a key is set.
    fn is_set(&self) -> bool {
        let keys = [&self.client_id, &self.client_secret_variable, &self.client_metadata_url];
        keys.iter().any(|key| key.is_some()) || !self.scopes.is_empty()
    }
}

fn check_address(url: &At<String>, sink: &Sink) {
    let rest = url.value.strip_prefix("https://").or_else(|| url.value.strip_prefix("http://"));
    let authority = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    if authority.is_empty() || url.value.contains(|c: char| c.is_whitespace() || c.is_control()) {
        let help = "write the address of the server, such as `https://example.com/mcp`";
        report(sink, url, "`url` is not an address", "expected `https://...` or `http://...`", help);
    } else if authority.contains('@') {
        let help = "write the token into `.env`, and its name into `bearer_variable`";
        report(sink, url, "`url` contains a user or a password", "this file is not for secrets", help);
    }
}

fn check_credentials(server: &McpServerTable, url: &At<String>, sink: &Sink) {
    let oauth = &server.oauth;
    if server.bearer_variable.is_some() && oauth.is_set() {
        let message = format!("`oauth` of the server `{}` has no effect", server.name.value);
        report(sink, url, &message, "`bearer_variable` is its token", "remove one of them");
    }
    if let (None, Some(variable)) = (&oauth.client_id, &oauth.client_secret_variable) {
        let help = "write the id of the client into `client_id`";
        report(sink, variable, "a secret without the id of its client", "", help);
    }
    for address in oauth.client_metadata_url.iter().filter(|address| !address.value.starts_with("https://")) {
        let help = "the authorization server reads this document: write the address where it is published";
        report(sink, address, "`client_metadata_url` is not an address", "expected `https://...`", help);
    }
    let headers = server.headers.iter().map(|(_, variable)| variable);
    let variables = headers.chain(&server.bearer_variable).chain(&oauth.client_secret_variable);
    for variable in variables.filter(|variable| !is_name(&variable.value)) {
        let help = "write the value into `.env`, as `NAME=...`, and the name here";
        report(sink, variable, "not the name of a variable", "expected letters, digits and `_`", help);
    }
    for (name, _) in &server.headers {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if name.value.is_empty() || !name.value.chars().all(is_letter) {
            let found = Diagnostic::new(codes::INVALID_VALUE, name.place, "not the name of an HTTP header");
            sink.push(found.label("expected letters, digits and `-`").help("write a name such as `X-Api-Key`"));
        }
    }
}

/// Returns whether a server can have this name: the name of its tools must show where it ends.
pub(crate) fn is_server_name(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(is_letter)
        && !name.contains("__")
        && !name.ends_with('_')
        && name.len() <= MAX_NAME
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{ConfigFile, Home};

    fn read(text: &str) -> Result<Vec<McpServer>, String> {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home::at(folder.path());
        std::fs::write(home.config(), text).expect("failed to write");
        ConfigFile::read(&home).map(|file| file.config().mcp.servers.clone()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_server_is_a_program_or_an_address() {
        let servers = read(
            "[mcp.servers.fs]\ncommand = 'npx'\nargs = ['-y', 'x']\nenv = ['TOKEN', 'KEY=WORK_KEY']\ndirectory = '~/w'\n\
             exclude = ['write']\n[mcp.servers.fs.tools.run]\nshell = ['line']\n[mcp.servers.fs.tools.\"a.b\"]\njudge = false\n\
             [mcp.servers.web]\nurl = 'https://example.com/mcp'\nheaders = { X-Key = 'WEB_KEY' }\n\
             oauth = { scopes = ['read'] }\nsampling = true\nquestion_timeout = '30s'\n\
             enabled = false\ntrusted = true\nstart_timeout = '5s'\ncall_timeout = '1m'\ninclude = ['find']\n",
        );
        let servers = servers.expect("it is valid");
        let [fs, web] = servers.as_slice() else { panic!("two servers: {servers:?}") };
        assert_eq!(fs.transport(), McpTransport::Stdio { command: "npx" });
        assert_eq!((&*fs.args.join(" "), fs.directory.as_deref()), ("-y x", Some("~/w")));
        assert_eq!(fs.passed_variables().collect::<Vec<_>>(), [("TOKEN", "TOKEN"), ("KEY", "WORK_KEY")]);
        assert_eq!((fs.enabled, fs.trusted, fs.start_timeout), (true, false, Duration::from_secs(30)));
        assert_eq!((fs.include.len(), &*fs.exclude), (0, &["write".to_owned()][..]));
        let tools: Vec<_> = fs.tools.iter().map(|tool| (tool.name.as_str(), tool.shell.len(), tool.judge)).collect();
        assert_eq!(tools, [("run", 1, true), ("a.b", 0, false)]);
        assert_eq!(web.transport(), McpTransport::Http { url: "https://example.com/mcp" });
        assert_eq!((&*web.oauth.scopes, web.variables()), (&["read".to_owned()][..], vec!["WEB_KEY"]));
        assert_eq!((web.sampling, web.question_timeout), (true, Duration::from_secs(30)));
        assert_eq!((web.enabled, web.trusted, web.call_timeout), (false, true, Duration::from_mins(1)));
    }

    #[test]
    fn the_configuration_says_which_variables_are_secret() {
        let servers = read(
            "[mcp.servers.a]\ncommand = 'x'\nenv = ['A', 'B=C', 'D']\n[mcp.servers.a.variables.A]\nsecret = false\n\
             [mcp.servers.a.variables.B]\n",
        );
        let servers = servers.expect("it is valid");
        let said: Vec<_> = ["A", "B", "C", "D"].iter().map(|name| servers[0].says_secret(name)).collect();
        assert_eq!(said, [Some(false), Some(true), None, None]);
    }

    #[test]
    fn mistakes_are_reported_without_values() {
        for (text, part) in [
            ("[mcp.servers.a__b]\ncommand = 'x'", "is not the name of a server"),
            ("[mcp.servers.a]\n", "neither `command` nor `url`"),
            ("[mcp.servers.a]\ncommand = 'x'\nurl = 'https://x/'", "both `command` and `url`"),
            ("[mcp.servers.a]\ncommand = 'x'\nheaders = { A = 'B' }", "`headers` of the server `a` has no effect"),
            ("[mcp.servers.a]\nurl = 'https://x/'\nenv = ['A']", "`env` of the server `a` has no effect"),
            ("[mcp.servers.a]\ncommand = 'bin/x'", "the path of the program is relative"),
            ("[mcp.servers.a]\ncommand = ''", "`command` is empty"),
            ("[mcp.servers.a]\ncommand = 'x'\ndirectory = 'w'", "the path of the working directory is relative"),
            ("[mcp.servers.a]\ncommand = 'x'\nenv = ['A=hunter2 x']", "not the name of a variable"),
            ("[mcp.servers.a]\nurl = 'ftp://x'", "`url` is not an address"),
            ("[mcp.servers.a]\nurl = 'https://me:hunter2@x/'", "a user or a password"),
            ("[mcp.servers.a]\nurl = 'https://x/'\nbearer_variable = 'hunter2-'", "not the name of a variable"),
            (
                "[mcp.servers.a]\nurl = 'https://x/'\noauth = { client_secret_variable = 'A' }",
                "without the id of its client",
            ),
            (
                "[mcp.servers.a]\nurl = 'https://x/'\noauth = { client_metadata_url = 'x' }",
                "`client_metadata_url` is not an address",
            ),
            (
                "[mcp.servers.a]\nurl = 'https://x/'\nbearer_variable = 'A'\noauth = { client_id = 'x' }",
                "`oauth` of the server `a` has no effect",
            ),
            ("[mcp.servers.a]\ncommand = 'x'\noauth = { client_id = 'x' }", "`oauth` of the server `a` has no effect"),
            ("[mcp]\nosv = 'ftp://x'", "is not an address"),
            ("[mcp.servers.a]\nurl = 'https://x/'\nheaders = { 'a b' = 'B' }", "not the name of an HTTP header"),
            ("[mcp.servers.a]\ncommand = 'x'\nstart_timeout = '0s'", "must be longer than 0"),
            ("[mcp.servers.a]\ncommand = 'x'\npinning = 'none'", "pinning"),
            ("[mcp.servers.a]\ncommand = 'x'\ninclude = ['t']\nexclude = ['t']", "both included and excluded"),
            ("[mcp.servers.a]\ncomand = 'x'", "command"),
            (
                "[mcp.servers.a]\ncommand = 'x'\nenv = ['A']\n[mcp.servers.a.variables.B]\nsecret = false",
                "`env` of the server `a` has no such variable",
            ),
            ("[mcp.servers.a]\nurl = 'https://x/'\nheaders = { A = 7 }", "expected a string"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(part), "{part}: {error}");
        }
    }
}
