//! The MCP servers of the profile: starts those that a command needs, and says which of their tools a session gets.

mod late;
mod sampling;
pub(crate) mod settings;

use std::collections::BTreeSet;

use serde_json::json;
use toolc::Registry;
use toolc_cli::{DoctorSection, Selection};
use toolc_config::{Config, McpServer};
use toolc_mcp::{Answering, ServerReport, Servers, toolset_name};

use crate::ground::error::Result;
use crate::ground::show;
use crate::profile::Profile;
pub(crate) use late::LateServers;
pub(crate) use sampling::ModelSampler;

/// What the name of every tool of a server begins with.
const PREFIX: &str = "mcp__";

/// The servers that a command needs.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Needed<'n> {
    All,
    /// The one to which the tool of this name belongs, if it is a tool of a server.
    OfTool(&'n str),
}

/// How long a command waits for its servers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wait<'s> {
    /// Until each has listed its tools or has failed: the command is about what they list.
    UntilStarted,
    /// For the time of the configuration, because a session goes on without them. Servers of which the selection or the configuration names
    /// single tools are waited for: the tools of a selection do not change.
    AsSession(&'s Selection),
}

/// The servers that this process has started.
pub(crate) struct McpServers {
    servers: Option<Servers>,
    late: LateServers,
    /// The names of the servers of the configuration, also of those that are not started.
    configured: BTreeSet<String>,
    /// Those that are not started, each with the reason.
    not_started: Vec<(String, &'static str)>,
}

impl Needed<'_> {
    fn has(self, server: &str) -> bool {
        match self {
            Self::All => true,
            // With the tools of tool search, a call reaches the tools of any server.
            Self::OfTool(tool) if tool.starts_with("tool_") => true,
            Self::OfTool(tool) => server_of(tool) == Some(server),
        }
    }
}

impl McpServers {
    /// Starts the servers that are enabled and needed, and waits until each has listed its tools, or has failed.
    ///
    /// # Errors
    /// Returns a message if the registry has their names already, or no thread can be started.
    pub(crate) fn start(
        profile: &Profile,
        registry: &Registry,
        needed: Needed<'_>,
        wait: Wait<'_>,
        answering: &Answering,
    ) -> Result<Self> {
        let config = profile.config();
        let (mut disabled, mut named) = (config.tools.disable_tools.clone(), config.tools.enable_tools.clone());
        if let Wait::AsSession(selection) = wait {
            // They must not join the session later.
            disabled.extend_from_slice(&selection.disable_tools);
            named.extend_from_slice(&selection.enable_tools);
        }
        let configured = config.mcp_servers.iter().map(|server| server.name.clone()).collect();
        let (mut started, mut not_started) = (Vec::new(), Vec::new());
        for server in &config.mcp_servers {
            let name = server.name.clone();
            if !server.enabled {
                not_started.push((name, "it is disabled"));
            } else if toolc_process::is_inside_a_tool() {
                // The server could be this program, which would start itself endlessly.
                not_started.push((name, "a tool has started this program"));
            } else if needed.has(&server.name) {
                started.push(settings::server(server, profile, &disabled, false));
            }
        }
        let servers = if started.is_empty() {
            None
        } else {
            let servers =
                Servers::start(started, registry, &profile.env(), answering).map_err(|error| error.to_string())?;
            match wait {
                Wait::UntilStarted => servers.wait_until_started(),
                Wait::AsSession(_) => {
                    let is_named = |server: &str| named.iter().any(|tool| server_of(tool) == Some(server));
                    servers.wait_for(config.mcp_start_wait, is_named);
                }
            }
            Some(servers)
        };
        let late = servers.as_ref().map(LateServers::of).unwrap_or_default();
        Ok(Self { servers, late, configured, not_started })
    }

    /// Returns the toolsets of the servers that were started.
    pub(crate) fn toolsets(&self) -> Vec<String> {
        self.reports().iter().map(|report| toolset_name(&report.name)).collect()
    }

    /// Removes names of servers' toolsets and tools that are not registered: a server that is not started, or has failed, must not
    /// make the configuration invalid. Tools that the configuration disables are not registered in the first place.
    pub(crate) fn remove_unregistered(&self, selection: &mut Selection, registry: &Registry) {
        let is_known = |name: &String| !is_of_server(name, &self.configured) || registry.toolset(name).is_some();
        let is_known_tool = |name: &String| !is_of_server(name, &self.configured) || registry.tool(name).is_some();
        selection.enable.retain(is_known);
        selection.disable.retain(is_known);
        selection.enable_tools.retain(is_known_tool);
        selection.disable_tools.retain(is_known_tool);
    }

    /// Returns the section on the servers for the report of `doctor`, if the configuration has servers.
    pub(crate) fn section(&self) -> Option<DoctorSection> {
        if self.configured.is_empty() {
            return None;
        }
        let reports = self.reports();
        let not_started =
            self.not_started.iter().map(|(name, reason)| format!("MCP server `{name}`: not started: {reason}"));
        let text: Vec<String> = reports.iter().map(ServerReport::to_string).chain(not_started).collect();
        let not_started = self.not_started.iter().map(|(name, reason)| json!({ "name": name, "reason": reason }));
        Some(DoctorSection {
            key: "mcp".to_owned(),
            json: json!({ "servers": reports, "not_started": not_started.collect::<Vec<_>>() }),
            // Parts of it are words of the servers.
            text: show::lines(&text.join("\n\n")),
            problems: reports.iter().filter_map(settings::problem).collect(),
        })
    }

    /// Returns those that have not listed their tools yet.
    pub(crate) fn late(&self) -> LateServers {
        self.late.clone()
    }

    /// Returns messages about servers that cannot be used, and tools that are left out.
    pub(crate) fn problems(&self) -> Vec<String> {
        self.reports().iter().filter_map(settings::problem).collect()
    }

    /// Ends the servers.
    pub(crate) fn stop(self) {
        drop(self.servers);
    }

    fn reports(&self) -> Vec<ServerReport> {
        self.servers.as_ref().map(Servers::reports).unwrap_or_default()
    }
}

/// Returns the name of the server to which a tool belongs, by the name of the tool.
fn server_of(tool: &str) -> Option<&str> {
    Some(tool.strip_prefix(PREFIX)?.split_once("__")?.0)
}

/// Returns whether a name belongs to a server of the configuration: that of its toolset, or that of one of its tools.
fn is_of_server(name: &str, configured: &BTreeSet<String>) -> bool {
    server_of(name).or_else(|| name.strip_prefix("mcp-")).is_some_and(|server| configured.contains(server))
}

/// Returns the names in a configuration that belong to its servers, whose tools are known only after they were started.
pub(crate) fn names_of_servers(config: &Config) -> Vec<&str> {
    let configured: BTreeSet<String> =
        config.mcp_servers.iter().map(|server: &McpServer| server.name.clone()).collect();
    let tools = &config.tools;
    let names = tools.enable.iter().chain(&tools.disable).chain(&tools.enable_tools).chain(&tools.disable_tools);
    names.map(String::as_str).filter(|name| is_of_server(name, &configured)).collect()
}
