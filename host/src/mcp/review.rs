//! What a person looks at before they accept tools of a server: the differences from what was accepted before.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, IsTerminal as _, Write as _};

use toolc::Registry;
use toolc_config::{Home, McpServer};
use toolc_mcp::{ServerReport, Servers, State};

use super::{Person, package, settings};
use crate::profile::Profile;
use crate::{ask, show};

/// Starts servers for review: those with these names, also disabled ones, or all that are enabled.
pub(super) fn started(profile: &Profile, names: &[String]) -> Result<Servers, String> {
    let configured = &profile.config().mcp_servers;
    let known = || configured.iter().map(|server| server.name.as_str());
    if let Some(unknown) = names.iter().find(|name| !known().any(|known| known == name.as_str())) {
        let near = toolc::__gen::nearest(unknown, known());
        let question = toolc::__gen::did_you_mean(&near).map_or_else(String::new, |question| format!(": {question}"));
        return Err(format!("no MCP server is called `{unknown}`{question}"));
    }
    if toolc_process::is_inside_a_tool() {
        return Err("MCP servers are not started inside a tool".to_owned());
    }
    let is_meant = |server: &&McpServer| if names.is_empty() { server.enabled } else { names.contains(&server.name) };
    let meant = configured.iter().filter(is_meant);
    let servers = meant.map(|server| settings::server(server, profile, &[], true)).collect();
    let answering = Person::at_the_terminal().answering(None);
    let servers = Servers::start_answering(servers, &Registry::new(), &profile.env(), &answering)?;
    servers.wait_until_started();
    Ok(servers)
}

/// Accepts the tools of servers that nothing was accepted of before.
pub(super) fn lock(profile: &Profile, names: &[String]) -> Result<u8, String> {
    let is_locked = |name: &str| profile.home.mcp_lock(name).exists();
    if let Some(locked) = names.iter().find(|name| is_locked(name)) {
        return Err(format!("`{locked}` was accepted before: `toolc mcp accept {locked}` shows and accepts changes"));
    }
    let configured = profile.config().mcp_servers.iter().filter(|server| server.enabled);
    let new = || configured.map(|server| server.name.clone()).filter(|name| !is_locked(name)).collect();
    let names = if names.is_empty() { new() } else { names.to_vec() };
    if names.is_empty() {
        return ask::print("no server is new\n").map(|()| 0);
    }
    package::fix(profile, &names)?;
    let profile = Profile::read(profile.home.clone())?;
    let servers = started(&profile, &names)?;
    for report in servers.reports() {
        check_connected(&report)?;
        let suspicious = report.held_back.iter().filter(|held| !held.findings.is_empty());
        let suspicious: Vec<&str> = suspicious.map(|held| held.tool.as_str()).collect();
        let held = report.held_back.iter().map(|held| &held.tool).filter(|tool| !suspicious.contains(&tool.as_str()));
        let accepted = report.tools.iter().map(|tool| &tool.own_name).chain(held).cloned();
        let accepted = servers.accept(&report.name, Some(&accepted.collect::<Vec<_>>()))?;
        let mut text = format!("{}: {} tools are accepted\n", report.name, accepted.len());
        for tool in suspicious {
            let _ = writeln!(text, "  held back, for its suspicious texts: {}", show::one_line(tool));
        }
        ask::print(&text)?;
    }
    Ok(0)
}

/// Shows what differs from what was accepted.
pub(super) fn diff(profile: &Profile, names: &[String]) -> Result<u8, String> {
    let servers = started(profile, names)?;
    let reports = servers.reports();
    drop(servers);
    let mut has_difference = false;
    for report in &reports {
        check_connected(report)?;
        let text = differences(report);
        has_difference |= !text.is_empty();
        let name = &report.name;
        ask::print(&if text.is_empty() { format!("{name}: no difference\n") } else { format!("{name}:\n{text}") })?;
    }
    Ok(u8::from(has_difference))
}

/// Accepts tools, after the person has seen the differences.
pub(super) fn accept(profile: &Profile, name: &str, tools: &[String], yes: bool) -> Result<u8, String> {
    let servers = started(profile, &[name.to_owned()])?;
    let reports = servers.reports();
    let report = reports.first().ok_or_else(|| format!("no MCP server is called `{name}`"))?;
    check_connected(report)?;
    let text = differences(report);
    if text.is_empty() && profile.home.mcp_lock(name).exists() {
        return ask::print("nothing differs from what was accepted\n").map(|()| 0);
    }
    if text.is_empty() {
        eprintln!("{}\nnothing was accepted of it before", show::lines(&report.to_string()));
    }
    eprint!("{text}");
    if !yes && !confirm()? {
        eprintln!("nothing is accepted");
        return Ok(1);
    }
    let accepted = servers.accept(name, Some(tools).filter(|tools| !tools.is_empty()))?;
    ask::print(&format!("accepted: {}\n", show::one_line(&accepted.join(", ")))).map(|()| 0)
}

/// Removes what was accepted of a server, its tokens, and what is known about its package.
pub(super) fn forget(home: &Home, name: &str) -> Result<(), String> {
    for path in [home.mcp_lock(name), home.mcp_package(name), home.mcp_tokens(name)] {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(format!("failed to remove {}: {error}", path.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_connected(report: &ServerReport) -> Result<(), String> {
    if report.state == State::Connected { Ok(()) } else { Err(show::lines(&report.to_string())) }
}

/// Returns what differs from what was accepted, with every character visible.
fn differences(report: &ServerReport) -> String {
    let mut text = String::new();
    for change in &report.server_changes {
        let _ = writeln!(text, "{}", show::lines(&change.to_string()));
    }
    for held in &report.held_back {
        let _ = writeln!(text, "{}", show::lines(&held.to_string()));
    }
    for tool in &report.removed {
        let _ = writeln!(text, "`{}`: the server does not list it any more (breaking)", show::one_line(tool));
    }
    text
}

fn confirm() -> Result<bool, String> {
    if !io::stdin().is_terminal() {
        return Err("without a terminal, no user can be asked: look at the differences, and pass `--yes`".to_owned());
    }
    eprint!("Accept this? [y/N] ");
    io::stderr().flush().map_err(|error| error.to_string())?;
    Ok(ask::line()?.is_some_and(|answer| ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())))
}
