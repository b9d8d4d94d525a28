//! `toolc mcp lock`, `diff` and `accept`: shows how servers differ from what was accepted, and accepts their tools and skills.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, IsTerminal as _};
use std::time::Duration;

use toolc::Registry;
use toolc::suggest::suggestion;
use toolc_config::{Home, McpServer};
use toolc_mcp::{HeldBack, Server, ServerReport, ServerState, Servers};

use super::package;
use crate::ground::ask;
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::ground::tell::{tell, tell_part};
use crate::person::Person;
use crate::profile::Profile;
use crate::sources::servers::settings;

/// How long the skills of servers are waited for.
const SKILLS_LIMIT: Duration = Duration::from_secs(30);

/// Starts servers for review: the named servers, even if they are disabled, or all enabled servers. A server whose command line or
/// address has changed since it was accepted is only started if the person agrees, or with `yes`.
pub(super) fn start_servers(profile: &Profile, names: &[String], yes: bool) -> Result<Servers> {
    let configured = &profile.config().mcp.servers;
    let known = || configured.iter().map(|server| server.name.as_str());
    if let Some(unknown) = names.iter().find(|name| !known().any(|known| known == name.as_str())) {
        return Err(Error::Invalid(format!("no MCP server is named `{unknown}`{}", suggestion(unknown, known()))));
    }
    if toolc_process::is_inside_a_tool() {
        return Err(Error::Invalid(
            "MCP servers cannot be started inside a tool: run this command in a terminal".to_owned(),
        ));
    }
    let is_selected =
        |server: &&McpServer| if names.is_empty() { server.enabled } else { names.contains(&server.name) };
    let mut servers = Vec::new();
    for server in configured.iter().filter(is_selected) {
        let mut server = settings::server(server, profile, &[], true);
        // A server that may not start is reported as not started.
        server.pinning.for_review = yes || confirm_start(&server)?;
        servers.push(server);
    }
    settings::report_first_starts(&servers);
    let answering = Person::at_the_terminal().answering(None);
    let servers =
        Servers::start(servers, &Registry::new(), &profile.env(), &answering).map_err(|error| error.to_string())?;
    servers.wait_until_started();
    servers.wait_for_skills(SKILLS_LIMIT);
    Ok(servers)
}

/// Asks whether to start a server whose command line or address differs from the accepted one. Without a terminal, the answer is no.
fn confirm_start(server: &Server) -> Result<bool> {
    let Ok(change) = server.changed_start() else { return Ok(false) };
    let Some(change) = change else { return Ok(true) };
    if !io::stdin().is_terminal() {
        return Ok(false);
    }
    let (name, lines) = (show::one_line(&server.name), show::lines(&change.lines.join("\n")));
    tell!("the command line or address of `{name}` has changed since it was accepted:\n{lines}");
    ask::confirm("Start it now?")
}

/// Accepts the tools of servers without accepted tools.
pub(super) fn lock(profile: &Profile, names: &[String]) -> Result<u8> {
    let is_locked = |name: &str| profile.home.mcp_lock(name).exists();
    if let Some(locked) = names.iter().find(|name| is_locked(name)) {
        return Err(Error::Invalid(format!(
            "the server `{locked}` already has accepted tools: `toolc mcp accept {locked}` shows and accepts changes"
        )));
    }
    let configured = profile.config().mcp.servers.iter().filter(|server| server.enabled);
    let new = || configured.map(|server| server.name.clone()).filter(|name| !is_locked(name)).collect();
    let names = if names.is_empty() { new() } else { names.to_vec() };
    if names.is_empty() {
        return ask::print("all servers already have accepted tools\n").map(|()| 0);
    }
    package::pin_configured(profile, &names)?;
    let profile = Profile::read(profile.home.clone())?;
    let servers = start_servers(&profile, &names, false)?;
    for report in servers.reports() {
        check_connected(&report)?;
        let (held_skills, used_skills) = match &report.skills {
            Some(skills) => (&skills.held_back[..], &skills.used[..]),
            None => Default::default(),
        };
        let used_tools = report.tools.iter().map(|tool| &tool.own_name);
        let tools: Vec<String> = used_tools.chain(harmless(&report.held_back)).cloned().collect();
        let skills: Vec<String> = used_skills.iter().chain(harmless(held_skills)).cloned().collect();
        servers.accept_each(&report.name, &tools, &skills).map_err(|error| error.to_string())?;
        let mut text = format!("{}: {}", report.name, show::counted(tools.len(), "tool"));
        if !skills.is_empty() {
            let _ = write!(text, " and {}", show::counted(skills.len(), "skill"));
        }
        text.push_str(" accepted\n");
        for held in report.held_back.iter().chain(held_skills).filter(|held| !held.findings.is_empty()) {
            let _ = writeln!(text, "  held back, because its texts are suspicious: {}", show::one_line(&held.tool));
        }
        ask::print(&text)?;
    }
    Ok(0)
}

/// Returns the names of what is held back without a suspicious text.
fn harmless(held: &[HeldBack]) -> impl Iterator<Item = &String> {
    held.iter().filter(|held| held.findings.is_empty()).map(|held| &held.tool)
}

/// Shows how servers differ from what was accepted.
pub(super) fn diff(profile: &Profile, names: &[String]) -> Result<u8> {
    let servers = start_servers(profile, names, false)?;
    let mut has_difference = false;
    for report in &servers.reports() {
        check_connected(report)?;
        let name = &report.name;
        let text = if profile.home.mcp_lock(name).exists() {
            differences(report, &[])
        } else {
            format!(
                "no tools of this server have been accepted yet\n{}{}",
                definitions(&servers.definitions(name).map_err(|error| error.to_string())?, &[], "tool"),
                definitions(&servers.skill_definitions(name), &[], "skill")
            )
        };
        has_difference |= !text.is_empty();
        ask::print(&if text.is_empty() { format!("{name}: no difference\n") } else { format!("{name}:\n{text}") })?;
    }
    Ok(u8::from(has_difference))
}

/// Shows the differences, asks, and accepts tools. If `tools` is empty, accepts all tools and the server itself.
pub(super) fn accept(profile: &Profile, name: &str, tools: &[String], yes: bool) -> Result<u8> {
    let servers = start_servers(profile, &[name.to_owned()], yes)?;
    let reports = servers.reports();
    let report = reports.first().ok_or_else(|| format!("no MCP server is named `{name}`"))?;
    check_connected(report)?;
    let listed = servers.definitions(name).map_err(|error| error.to_string())?;
    let skills = servers.skill_definitions(name);
    if let Some(unknown) = tools.iter().find(|tool| !listed.contains_key(*tool) && !skills.contains_key(*tool)) {
        return Err(Error::Invalid(unlisted_tool_message(report, unknown, &listed)));
    }
    let text = if profile.home.mcp_lock(name).exists() {
        differences(report, tools)
    } else {
        format!(
            "{}\nno tools of this server have been accepted yet\n{}{}",
            show::lines(&report.to_string()),
            definitions(&listed, tools, "tool"),
            definitions(&skills, tools, "skill")
        )
    };
    if text.is_empty() {
        return ask::print("no differences from what was accepted\n").map(|()| 0);
    }
    tell_part!("{text}");
    if !yes && !confirm_at_terminal()? {
        tell!("nothing was accepted");
        return Ok(1);
    }
    let accepted =
        servers.accept(name, Some(tools).filter(|tools| !tools.is_empty())).map_err(|error| error.to_string())?;
    if !tools.is_empty() && !report.server_changes.is_empty() {
        tell!("the server itself has changed, too: `toolc mcp accept {name}` without tools accepts this change");
    }
    ask::print(&format!("accepted: {}\n", show::one_line(&accepted.join(", ")))).map(|()| 0)
}

/// Returns the reason why a tool cannot be accepted.
fn unlisted_tool_message(report: &ServerReport, tool: &str, listed: &BTreeMap<String, String>) -> String {
    let (name, shown) = (&report.name, show::one_line(tool));
    if report.removed.iter().any(|removed| removed == tool) {
        return format!(
            "`{name}` no longer lists `{shown}`: `toolc mcp accept {name}` without tools accepts this change"
        );
    }
    if let Some(left_out) = report.left_out.iter().find(|left_out| left_out.tool == tool) {
        return format!("the tool `{shown}` of `{name}` cannot be used: {}", show::one_line(&left_out.reason));
    }
    let similar = suggestion(tool, listed.keys().map(String::as_str));
    format!("`{name}` lists no tool or skill `{shown}`{}", show::one_line(&similar))
}

/// Removes the accepted tools of a server, its tokens, and the records of its package and its last start.
pub(super) fn forget(home: &Home, name: &str) -> Result<()> {
    let files = [
        home.mcp_lock(name),
        home.mcp_package(name),
        home.mcp_tokens(name),
        home.mcp_protocol(name),
        home.mcp_state(name),
    ];
    for path in files {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Error::Invalid(format!("failed to remove {}: {error}", path.display())));
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_connected(report: &ServerReport) -> Result<()> {
    if report.state == ServerState::Connected { Ok(()) } else { Err(Error::Invalid(show::lines(&report.to_string()))) }
}

/// Returns the differences of these tools from what was accepted, with every character visible. If `tools` is empty, returns the
/// differences of all tools and of the server itself.
fn differences(report: &ServerReport, tools: &[String]) -> String {
    let mut text = String::new();
    let (all, is_selected) = (tools.is_empty(), |tool: &String| tools.is_empty() || tools.contains(tool));
    for change in report.server_changes.iter().filter(|_| all) {
        let _ = writeln!(text, "{}", show::lines(&change.to_string()));
    }
    for held in report.held_back.iter().filter(|held| is_selected(&held.tool)) {
        let _ = writeln!(text, "{}", show::lines(&held.to_string()));
    }
    for tool in report.removed.iter().filter(|_| all) {
        let _ = writeln!(text, "`{}`: the server no longer lists this tool (breaking)", show::one_line(tool));
    }
    let skills = report.skills.iter();
    for held in skills.clone().flat_map(|skills| &skills.held_back).filter(|held| is_selected(&held.tool)) {
        let _ = writeln!(text, "{}", show::lines(&held.to_string()));
    }
    for uri in skills.flat_map(|skills| &skills.removed).filter(|_| all) {
        let _ = writeln!(text, "{}: the server no longer lists this skill", show::one_line(uri));
    }
    text
}

/// Returns the full definitions of these tools or skills, with every character visible. If `tools` is empty, returns all.
fn definitions(listed: &BTreeMap<String, String>, tools: &[String], kind: &str) -> String {
    let mut text = String::new();
    for (tool, definition) in listed.iter().filter(|(tool, _)| tools.is_empty() || tools.contains(tool)) {
        let _ = write!(text, "`{}`: a new {kind}\n{}", show::one_line(tool), show::lines(definition));
    }
    text
}

fn confirm_at_terminal() -> Result<bool> {
    ask::require_terminal("the differences")?;
    ask::confirm("Accept these changes?")
}
