//! The MCP servers of the profile: starts the servers that a command needs, and selects their tools for sessions.

mod late;
mod sampling;
pub(crate) mod settings;
mod skills;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

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
pub(crate) use skills::{SkillsOfServers, front_matter};

/// The prefix of the names of all tools of servers.
const PREFIX: &str = "mcp__";
/// The tools that list and read skills.
const SKILL_TOOLS: [&str; 2] = ["skills_list", "skill_view"];

/// The servers that a command needs.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NeededServers<'n> {
    All,
    /// The server of the tool with this name, if it is a tool of a server.
    ForTool(&'n str),
}

/// How long a command waits for its servers to start.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wait<'s> {
    /// Until each server has listed its tools or has failed, because the command shows the tools.
    UntilStarted,
    /// For the time that the configuration sets, because a session can begin without servers. If the selection or the configuration names
    /// a single tool of a server, waits until this server has started.
    AsSession(&'s Selection),
    /// Like `AsSession`, but the session waits itself, at its first turn: see [`LateServers::wait`]. Until [`LateServers::release`], the servers
    /// may not have started.
    AtFirstTurn(&'s Selection),
}

/// The servers that this process has started.
pub(crate) struct McpServers {
    servers: Option<Servers>,
    late: LateServers,
    /// The names of all servers of the configuration, including servers that were not started.
    configured: BTreeSet<String>,
    /// The servers that were not started, each with the reason.
    not_started: Vec<(String, &'static str)>,
}

impl NeededServers<'_> {
    fn includes(self, server: &str) -> bool {
        match self {
            Self::All => true,
            // The tools of the tool search can call the tools of any server, and any server can have skills.
            Self::ForTool(tool) if tool.starts_with("tool_") || SKILL_TOOLS.contains(&tool) => true,
            Self::ForTool(tool) => server_name(tool) == Some(server),
        }
    }
}

impl McpServers {
    /// Starts the servers that are enabled and needed, and waits for them as `wait` says.
    ///
    /// # Errors
    /// Returns an error if the registry already has their names, or no thread can be started.
    pub(crate) fn start(
        profile: &Profile,
        registry: &Registry,
        needed: NeededServers<'_>,
        wait: Wait<'_>,
        answering: &Answering,
    ) -> Result<Self> {
        let config = profile.config();
        let (mut disabled, mut named) = (config.tools.disable_tools.clone(), config.tools.enable_tools.clone());
        if let Wait::AsSession(selection) | Wait::AtFirstTurn(selection) = wait {
            // Disabled tools must not be added to the session later.
            disabled.extend_from_slice(&selection.disable_tools);
            named.extend_from_slice(&selection.enable_tools);
        }
        let configured = config.mcp.servers.iter().map(|server| server.name.clone()).collect();
        let (mut to_start, mut not_started) = (Vec::new(), Vec::new());
        for server in &config.mcp.servers {
            let name = server.name.clone();
            if !server.enabled {
                not_started.push((name, "the server is disabled"));
            } else if toolc_process::is_inside_a_tool() {
                // The server could be this program, which would start itself endlessly.
                not_started.push((name, "this program runs inside a tool"));
            } else if needed.includes(&server.name) {
                to_start.push(settings::server(server, profile, &disabled, false));
            }
        }
        settings::report_first_starts(&to_start);
        let began = Instant::now();
        let servers = if to_start.is_empty() {
            None
        } else {
            let is_named = |server: &str| named.iter().any(|tool| server_name(tool) == Some(server));
            // The first prompt comes before the servers, unless the session needs one of them.
            let can_be_late =
                matches!(wait, Wait::AtFirstTurn(_)) && !to_start.iter().any(|server| is_named(&server.name));
            let servers = Servers::prepare(to_start, registry, &profile.env(), answering);
            let servers = servers.map_err(|error| error.to_string())?;
            if !can_be_late {
                servers.releaser()();
            }
            match wait {
                Wait::UntilStarted => servers.wait_until_started(),
                Wait::AsSession(_) => servers.wait_for(config.mcp.start_wait, is_named),
                Wait::AtFirstTurn(_) if can_be_late => {}
                Wait::AtFirstTurn(_) => servers.wait_for(Duration::ZERO, is_named),
            }
            Some(servers)
        };
        let deadline = matches!(wait, Wait::AtFirstTurn(_)).then(|| began + config.mcp.start_wait);
        if let Some(servers) = servers.as_ref().filter(|_| !matches!(wait, Wait::AtFirstTurn(_))) {
            servers.wait_for_skills((began + config.mcp.start_wait).saturating_duration_since(Instant::now()));
        }
        let late = servers.as_ref().map(|servers| LateServers::new(servers, deadline)).unwrap_or_default();
        Ok(Self { servers, late, configured, not_started })
    }

    /// Returns the toolsets of the servers that were started.
    pub(crate) fn toolsets(&self) -> Vec<String> {
        self.reports().iter().map(|report| toolset_name(&report.name)).collect()
    }

    /// Removes the names of toolsets and tools of servers that are not registered: a server that was not started or has failed must not
    /// make the configuration invalid. Tools that the configuration disables are not registered either.
    pub(crate) fn remove_unregistered(&self, selection: &mut Selection, registry: &Registry) {
        let is_known = |name: &String| !belongs_to_server(name, &self.configured) || registry.toolset(name).is_some();
        let is_known_tool =
            |name: &String| !belongs_to_server(name, &self.configured) || registry.tool_called(name).is_some();
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
            // The text contains texts of the servers.
            text: show::lines(&text.join("\n\n")),
            problems: reports.iter().filter_map(settings::problem).collect(),
        })
    }

    /// Returns the servers that have not listed their tools yet.
    pub(crate) fn late(&self) -> LateServers {
        self.late.clone()
    }

    /// Returns the skills of the servers that were started, if there are any.
    pub(crate) fn skills(&self, config: &Config) -> Option<SkillsOfServers> {
        let trusted = config.mcp.servers.iter().filter(|server| server.trusted).map(|server| server.name.clone());
        Some(SkillsOfServers::new(self.servers.as_ref()?.skills(front_matter), trusted.collect()))
    }

    /// Returns messages about servers about which the person can do something, without those for which the session still waits.
    pub(crate) fn problems(&self) -> Vec<String> {
        let awaited = self.late.awaited();
        let reports = self.reports().into_iter().filter(|report| !awaited.contains(&report.name));
        reports.filter_map(|report| settings::warning(&report)).collect()
    }

    /// Stops the servers.
    pub(crate) fn stop(self) {
        drop(self.servers);
    }

    fn reports(&self) -> Vec<ServerReport> {
        self.servers.as_ref().map(Servers::reports).unwrap_or_default()
    }
}

/// Returns the name of the server in the name of a tool.
fn server_name(tool: &str) -> Option<&str> {
    Some(tool.strip_prefix(PREFIX)?.split_once("__")?.0)
}

/// Returns whether a name is the toolset or a tool of a server of the configuration.
fn belongs_to_server(name: &str, configured: &BTreeSet<String>) -> bool {
    server_name(name).or_else(|| name.strip_prefix("mcp-")).is_some_and(|server| configured.contains(server))
}

/// Returns the names of toolsets and tools of servers in a configuration. The tools of a server are known only after it has started.
pub(crate) fn server_names_in_config(config: &Config) -> Vec<&str> {
    let configured: BTreeSet<String> =
        config.mcp.servers.iter().map(|server: &McpServer| server.name.clone()).collect();
    let tools = &config.tools;
    let names = tools.enable.iter().chain(&tools.disable).chain(&tools.enable_tools).chain(&tools.disable_tools);
    names.map(String::as_str).filter(|name| belongs_to_server(name, &configured)).collect()
}
