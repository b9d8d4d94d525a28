//! `toolc mcp list`: the servers of the configuration, and what is recorded about them without starting them.

use std::fmt::Write as _;

use serde_json::{Value, json};
use toolc::redaction::without_secrets;
use toolc_config::{McpServer, McpTransport};
use toolc_mcp::{LastSeen, SeenConnection, Server};

use super::location;
use crate::ground::ask;
use crate::ground::error::Result;
use crate::ground::{show, time};
use crate::profile::Profile;
use crate::sources::servers::settings;

/// Prints the list, and returns the exit status.
pub(super) fn list(profile: &Profile, as_json: bool) -> Result<u8> {
    let servers = listed(profile);
    if as_json {
        let servers: Vec<Value> = servers.iter().map(ListedServer::json).collect();
        return ask::print(&format!("{}\n", json!(servers))).map(|()| 0);
    }
    ask::print(&text(&servers)).map(|()| 0)
}

/// Returns the servers of the configuration with what is recorded about them.
pub(crate) fn listed(profile: &Profile) -> Vec<ListedServer<'_>> {
    profile.config().mcp.servers.iter().map(|server| ListedServer::new(server, profile)).collect()
}

/// Returns the list as text.
fn text(servers: &[ListedServer<'_>]) -> String {
    if servers.is_empty() {
        return "no MCP server is configured: `toolc mcp add NAME -- PROGRAM` adds one\n".to_owned();
    }
    servers.iter().map(ListedServer::text).collect()
}

/// A server of the configuration.
pub(crate) struct ListedServer<'p> {
    server: &'p McpServer,
    settings: Server,
    /// The program that would run.
    program: Option<String>,
    /// Why it would not start.
    obstacle: Option<String>,
    /// The variables that it gets and that are not set.
    unset: Vec<&'p str>,
    has_login: bool,
    seen: Option<LastSeen>,
}

impl<'p> ListedServer<'p> {
    fn new(server: &'p McpServer, profile: &Profile) -> Self {
        let settings = settings::server(server, profile, &[], false);
        let env = profile.env();
        let is_unset = |name: &&str| env.os_var(name).is_none_or(|value| value.is_empty());
        Self {
            program: settings.program(&env).map(|path| path.display().to_string()),
            obstacle: settings.obstacle(&env),
            unset: server.variables().into_iter().filter(is_unset).collect(),
            has_login: profile.home.mcp_tokens(&server.name).exists(),
            seen: settings.last_seen(),
            settings,
            server,
        }
    }

    fn is_address(&self) -> bool {
        matches!(self.server.transport(), McpTransport::Http { .. })
    }

    fn text(&self) -> String {
        let Self { server, program, obstacle, unset, has_login, seen, settings } = self;
        let state = if server.enabled { "" } else { " (disabled)" };
        let mut text = format!("{}{state}: {}\n", show::one_line(&server.name), show::one_line(&location(server)));
        let mut line = |label: &str, what: &str| {
            let _ = writeln!(text, "    {label}: {}", show::one_line(what));
        };
        match (obstacle, program) {
            (Some(obstacle), _) => line("would not start", obstacle),
            (None, Some(program)) => line("program", program),
            (None, None) => {}
        }
        for variable in unset {
            line("not set", &format!("the variable {variable}: add it to .env"));
        }
        if self.is_address() && server.bearer_variable.is_none() {
            let login = if *has_login { "the tokens of the last one are kept" } else { "none" };
            line("login", login);
        }
        if settings.is_first_start() {
            line("package", "the first start may download it");
        }
        let seen = seen.as_ref();
        let other = if seen.is_some_and(|seen| seen.settings_have_changed) { ", with other settings" } else { "" };
        match seen.and_then(|seen| seen.connection.as_ref()) {
            Some(connection) => line("last connection", &format!("{}{other}", described(connection))),
            None => line("last connection", "none"),
        }
        if let Some(problem) = seen.and_then(|seen| seen.problem.as_ref()) {
            let what = without_secrets(&problem.text, &[]);
            line("last problem", &format!("{}{other}: {what}", time::text(problem.time())));
        }
        text
    }

    /// Returns the server as JSON.
    pub(crate) fn json(&self) -> Value {
        let Self { server, program, obstacle, unset, has_login, seen, .. } = self;
        let seen = seen.as_ref();
        let mut connection = json!(seen.and_then(|seen| seen.connection.as_ref()));
        if let Some(at) = seen.and_then(|seen| Some(seen.connection.as_ref()?.time())) {
            connection["time"] = time::text(at).into();
        }
        let problem = seen
            .and_then(|seen| seen.problem.as_ref())
            .map(|problem| json!({ "time": time::text(problem.time()), "text": without_secrets(&problem.text, &[]) }));
        json!({
            "name": server.name,
            "enabled": server.enabled,
            "trusted": server.trusted,
            "at": location(server),
            "program": program,
            "obstacle": obstacle,
            "unset_variables": unset,
            "has_login": has_login,
            "last_connection": connection,
            "last_problem": problem,
            "settings_have_changed": seen.is_some_and(|seen| seen.settings_have_changed),
        })
    }
}

/// Describes a connection: `2026-11-30T10:00:00Z: everything 1.0, protocol 2025-11-25 with a handshake, 11 tools, started in 812 ms`.
fn described(connection: &SeenConnection) -> String {
    let SeenConnection { server, protocol, has_handshake, start_ms, tools, left_out, held_back, .. } = connection;
    let mut text = format!("{}: {}", time::text(connection.time()), server.as_deref().unwrap_or("unnamed"));
    if let Some(protocol) = protocol {
        let form = if *has_handshake { "with a handshake" } else { "stateless" };
        let _ = write!(text, ", protocol {protocol} {form}");
    }
    let _ = write!(text, ", {}", show::counted(*tools, "tool"));
    for (count, what) in [(left_out, "left out"), (held_back, "held back")] {
        if *count > 0 {
            let _ = write!(text, ", {count} {what}");
        }
    }
    if let Some(milliseconds) = start_ms {
        let _ = write!(text, ", started in {milliseconds} ms");
    }
    text
}
