//! What a person looks at before they accept tools of a server: the differences from what was accepted before.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, IsTerminal as _, Write as _};

use toolc::Registry;
use toolc::suggest::suggestion;
use toolc_config::{Home, McpServer};
use toolc_mcp::{Server, ServerReport, Servers, State};

use super::package;
use crate::ground::ask;
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::person::Person;
use crate::profile::Profile;
use crate::sources::servers::settings;

/// Starts servers for review: those with these names, also disabled ones, or all that are enabled. One whose command line or address has
/// changed since it was accepted is only started if the person agrees, or with `yes`.
pub(super) fn started(profile: &Profile, names: &[String], yes: bool) -> Result<Servers> {
    let configured = &profile.config().mcp_servers;
    let known = || configured.iter().map(|server| server.name.as_str());
    if let Some(unknown) = names.iter().find(|name| !known().any(|known| known == name.as_str())) {
        return Err(Error::Invalid(format!("no MCP server is called `{unknown}`{}", suggestion(unknown, known()))));
    }
    if toolc_process::is_inside_a_tool() {
        return Err(Error::Invalid("MCP servers are not started inside a tool".to_owned()));
    }
    let is_meant = |server: &&McpServer| if names.is_empty() { server.enabled } else { names.contains(&server.name) };
    let mut servers = Vec::new();
    for server in configured.iter().filter(is_meant) {
        let mut server = settings::server(server, profile, &[], true);
        // Otherwise, the report says that it is not started.
        server.pinning.for_review = yes || agrees_to_start(&server)?;
        servers.push(server);
    }
    let answering = Person::at_the_terminal().answering(None);
    let servers =
        Servers::start(servers, &Registry::new(), &profile.env(), &answering).map_err(|error| error.to_string())?;
    servers.wait_until_started();
    Ok(servers)
}

/// Asks whether to start a server in another way than the one that was accepted. Without a terminal, the answer is no.
fn agrees_to_start(server: &Server) -> Result<bool> {
    let Ok(change) = server.changed_start() else { return Ok(false) };
    let Some(change) = change else { return Ok(true) };
    if !io::stdin().is_terminal() {
        return Ok(false);
    }
    let (name, lines) = (show::one_line(&server.name), show::lines(&change.lines.join("\n")));
    eprintln!("the command line or address of `{name}` has changed since it was accepted:\n{lines}");
    confirm("Start it now? [y/N] ")
}

/// Accepts the tools of servers that nothing was accepted of before.
pub(super) fn lock(profile: &Profile, names: &[String]) -> Result<u8> {
    let is_locked = |name: &str| profile.home.mcp_lock(name).exists();
    if let Some(locked) = names.iter().find(|name| is_locked(name)) {
        return Err(Error::Invalid(format!(
            "`{locked}` was accepted before: `toolc mcp accept {locked}` shows and accepts changes"
        )));
    }
    let configured = profile.config().mcp_servers.iter().filter(|server| server.enabled);
    let new = || configured.map(|server| server.name.clone()).filter(|name| !is_locked(name)).collect();
    let names = if names.is_empty() { new() } else { names.to_vec() };
    if names.is_empty() {
        return ask::print("no server is new\n").map(|()| 0);
    }
    package::fix(profile, &names)?;
    let profile = Profile::read(profile.home.clone())?;
    let servers = started(&profile, &names, false)?;
    for report in servers.reports() {
        check_connected(&report)?;
        let suspicious = report.held_back.iter().filter(|held| !held.findings.is_empty());
        let suspicious: Vec<&str> = suspicious.map(|held| held.tool.as_str()).collect();
        let held = report.held_back.iter().map(|held| &held.tool).filter(|tool| !suspicious.contains(&tool.as_str()));
        let accepted = report.tools.iter().map(|tool| &tool.own_name).chain(held).cloned();
        let accepted =
            servers.accept(&report.name, Some(&accepted.collect::<Vec<_>>())).map_err(|error| error.to_string())?;
        let mut text = format!("{}: {} tools are accepted\n", report.name, accepted.len());
        for tool in suspicious {
            let _ = writeln!(text, "  held back, for its suspicious texts: {}", show::one_line(tool));
        }
        ask::print(&text)?;
    }
    Ok(0)
}

/// Shows what differs from what was accepted.
pub(super) fn diff(profile: &Profile, names: &[String]) -> Result<u8> {
    let servers = started(profile, names, false)?;
    let mut has_difference = false;
    for report in &servers.reports() {
        check_connected(report)?;
        let name = &report.name;
        let text = if profile.home.mcp_lock(name).exists() {
            differences(report, &[])
        } else {
            format!(
                "nothing was accepted of it before\n{}",
                definitions(&servers.definitions(name).map_err(|error| error.to_string())?, &[])
            )
        };
        has_difference |= !text.is_empty();
        ask::print(&if text.is_empty() { format!("{name}: no difference\n") } else { format!("{name}:\n{text}") })?;
    }
    Ok(u8::from(has_difference))
}

/// Accepts tools, after the person has seen the differences. Without tools, all of them, and the server itself.
pub(super) fn accept(profile: &Profile, name: &str, tools: &[String], yes: bool) -> Result<u8> {
    let servers = started(profile, &[name.to_owned()], yes)?;
    let reports = servers.reports();
    let report = reports.first().ok_or_else(|| format!("no MCP server is called `{name}`"))?;
    check_connected(report)?;
    let listed = servers.definitions(name).map_err(|error| error.to_string())?;
    if let Some(unknown) = tools.iter().find(|tool| !listed.contains_key(*tool)) {
        return Err(Error::Invalid(not_listed(report, unknown, &listed)));
    }
    let text = if profile.home.mcp_lock(name).exists() {
        differences(report, tools)
    } else {
        format!(
            "{}\nnothing was accepted of it before\n{}",
            show::lines(&report.to_string()),
            definitions(&listed, tools)
        )
    };
    if text.is_empty() {
        return ask::print("nothing differs from what was accepted\n").map(|()| 0);
    }
    eprint!("{text}");
    if !yes && !confirm_at_terminal()? {
        eprintln!("nothing is accepted");
        return Ok(1);
    }
    let accepted =
        servers.accept(name, Some(tools).filter(|tools| !tools.is_empty())).map_err(|error| error.to_string())?;
    if !tools.is_empty() && !report.server_changes.is_empty() {
        eprintln!("the server itself has changed, too: `toolc mcp accept {name}` without tools accepts that");
    }
    ask::print(&format!("accepted: {}\n", show::one_line(&accepted.join(", ")))).map(|()| 0)
}

/// Says why a tool cannot be accepted.
fn not_listed(report: &ServerReport, tool: &str, listed: &BTreeMap<String, String>) -> String {
    let (name, shown) = (&report.name, show::one_line(tool));
    if report.removed.iter().any(|removed| removed == tool) {
        return format!(
            "`{name}` does not list `{shown}` any more: `toolc mcp accept {name}` without tools accepts that"
        );
    }
    if let Some(left_out) = report.left_out.iter().find(|left_out| left_out.tool == tool) {
        return format!("the tool `{shown}` of `{name}` cannot be used: {}", show::one_line(&left_out.reason));
    }
    let similar = suggestion(tool, listed.keys().map(String::as_str));
    format!("`{name}` lists no tool `{shown}`{}", show::one_line(&similar))
}

/// Removes what was accepted of a server, its tokens, and what is known about its package.
pub(super) fn forget(home: &Home, name: &str) -> Result<()> {
    for path in [home.mcp_lock(name), home.mcp_package(name), home.mcp_tokens(name)] {
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
    if report.state == State::Connected { Ok(()) } else { Err(Error::Invalid(show::lines(&report.to_string()))) }
}

/// Returns what differs from what was accepted, with every character visible: of these tools only, or of all and of the server itself.
fn differences(report: &ServerReport, tools: &[String]) -> String {
    let mut text = String::new();
    let (all, is_meant) = (tools.is_empty(), |tool: &String| tools.is_empty() || tools.contains(tool));
    for change in report.server_changes.iter().filter(|_| all) {
        let _ = writeln!(text, "{}", show::lines(&change.to_string()));
    }
    for held in report.held_back.iter().filter(|held| is_meant(&held.tool)) {
        let _ = writeln!(text, "{}", show::lines(&held.to_string()));
    }
    for tool in report.removed.iter().filter(|_| all) {
        let _ = writeln!(text, "`{}`: the server does not list it any more (breaking)", show::one_line(tool));
    }
    text
}

/// Returns whole definitions, with every character visible: of these tools only, or of all.
fn definitions(listed: &BTreeMap<String, String>, tools: &[String]) -> String {
    let mut shown = String::new();
    for (tool, text) in listed.iter().filter(|(tool, _)| tools.is_empty() || tools.contains(tool)) {
        let _ = write!(shown, "`{}`: a new tool\n{}", show::one_line(tool), show::lines(text));
    }
    shown
}

fn confirm_at_terminal() -> Result<bool> {
    if !io::stdin().is_terminal() {
        return Err(Error::Invalid(
            "without a terminal, no user can be asked: look at the differences, and pass `--yes`".to_owned(),
        ));
    }
    confirm("Accept this? [y/N] ")
}

fn confirm(question: &str) -> Result<bool> {
    eprint!("{question}");
    io::stderr().flush()?;
    Ok(ask::line()?.is_some_and(|answer| ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())))
}
