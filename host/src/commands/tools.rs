//! `toolc tools`: lists the toolsets and the missing requirements of tools, and switches toolsets and tools on and off.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use toolc::suggest::suggestion;
use toolc::{Dialect, Registry, Turn};
use toolc_cli::Selection;
use toolc_config::{Edited, Home, List, edit_list};

use crate::assembly::{Host, Needs, Purpose, enabled_toolsets};
use crate::ground::error::{Error, Result};
use crate::ground::{ask, show};
use crate::options::ToolOptions;
use crate::person::Person;
use crate::profile::Profile;
use crate::sources::servers::Wait;

/// The last part of the help.
const EXIT_STATUS: &str = "\
In the list, [✓] marks a tool that is on and available, [!] a tool that is on but not available, and [ ] a tool that is off.
`enable` and `disable` change config.toml, and keep its comments.

Exit status:
  0  success
  2  a name is unknown, config.toml cannot be used, or the command runs inside a tool";

/// The arguments of `tools`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub(crate) struct ToolsArgs {
    #[command(subcommand)]
    command: Option<ToolsCommand>,
    /// Print one line of JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum ToolsCommand {
    /// Switch toolsets and tools on.
    Enable {
        /// The names.
        #[arg(required = true)]
        names: Vec<String>,
    },
    /// Switch toolsets and tools off.
    Disable {
        /// The names.
        #[arg(required = true)]
        names: Vec<String>,
    },
}

impl ToolsArgs {
    /// Runs the command, and returns the exit status.
    pub(crate) fn run(&self, options: &ToolOptions, home: Home) -> Result<u8> {
        let profile = Profile::read(home)?;
        let needs = Needs { person: Person::at_the_terminal(), ..Needs::new(Purpose::Show, Wait::UntilStarted) };
        let host = Host::assemble(profile, options, needs)?;
        match &self.command {
            None => {
                let list = Listing::new(&host)?;
                ask::print(&if self.json { format!("{}\n", list.json()) } else { list.text() })?;
            }
            Some(ToolsCommand::Enable { names }) => change(&host, names, true)?,
            Some(ToolsCommand::Disable { names }) => change(&host, names, false)?,
        }
        Ok(0)
    }
}

/// Returns the toolsets and tools of a host as JSON.
///
/// # Errors
/// If the configuration names what does not exist.
pub(super) fn listed(host: &Host) -> Result<Value> {
    Ok(Listing::new(host)?.json())
}

/// Switches toolsets and tools on or off.
fn change(host: &Host, names: &[String], on: bool) -> Result<()> {
    ask::require_person("switch tools on and off")?;
    let Host { profile, registry, .. } = host;
    let defaults = enabled_toolsets(&profile.config().tools);
    let (mut add, mut remove) = (Vec::new(), Vec::new());
    let found = names.iter().map(|name| Named::find(registry, name)).collect::<Result<Vec<_>>>()?;
    for found in &found {
        let (enabled, disabled, name, is_tool) = match found {
            Named::Toolset(name) => (List::Enable, List::Disable, name.as_str(), false),
            Named::Tool(name) => (List::EnableTools, List::DisableTools, name.as_str(), true),
        };
        if !on {
            remove.push((enabled, name));
            add.push((disabled, name));
            continue;
        }
        remove.push((disabled, name));
        if !is_enabled(host, name, is_tool)? {
            // A list in the configuration replaces the default, so the default must be in the list.
            for default in &defaults {
                if !add.contains(&(List::Enable, default)) {
                    add.push((List::Enable, default));
                }
            }
            add.push((enabled, name));
        }
    }
    let edited = edit_list(&profile.home, &add, &remove)?;
    let path = profile.home.config();
    ask::print(&match edited {
        Edited::Changed => format!("changed: {}\n", path.display()),
        Edited::Unchanged => "nothing to change\n".to_owned(),
    })
}

/// What a name on the command line stands for.
enum Named {
    Toolset(String),
    /// The tool's own name.
    Tool(String),
}

impl Named {
    /// If a name is both a toolset and a tool, returns the toolset, which usually has more tools.
    fn find(registry: &Registry, name: &str) -> Result<Self> {
        if registry.toolset(name).is_some() {
            return Ok(Self::Toolset(name.to_owned()));
        }
        if let Some(tool) = registry.tool_called(name) {
            return Ok(Self::Tool(tool.name.into_owned()));
        }
        let mut known: Vec<String> = registry.toolsets().iter().map(ToString::to_string).collect();
        known.extend(registry.tools().iter().map(ToString::to_string));
        let similar = suggestion(name, known.iter().map(String::as_str));
        Err(Error::Invalid(format!("unknown toolset or tool `{name}`{similar}")))
    }
}

/// Returns whether a toolset or a tool is on, ignoring the lists of disabled names.
fn is_enabled(host: &Host, name: &str, is_tool: bool) -> Result<bool> {
    let mut selection = Selection::default();
    host.select(&mut selection);
    selection.disable.clear();
    selection.disable_tools.clear();
    let granted = tool_names(&turn(selection.builder(&host.registry)?, &host.profile)?);
    if is_tool {
        return Ok(granted.contains(name));
    }
    let members = tool_names(&turn(host.registry.session().enable([name]), &host.profile)?);
    Ok(members.is_subset(&granted))
}

fn turn(session: toolc::SessionBuilder, profile: &Profile) -> Result<Turn> {
    let session = session.env(profile.env()).build()?;
    Ok(session.turn_blocking(Dialect::Mcp))
}

/// Returns the names of the tools of a turn.
fn tool_names(turn: &Turn) -> BTreeSet<String> {
    turn.doctor().tools.iter().map(|tool| tool.tool.to_string()).collect()
}

/// The toolsets with their tools.
struct Listing {
    toolsets: Vec<ListedToolset>,
    profile: String,
}

struct ListedToolset {
    name: String,
    description: String,
    is_on: bool,
    tools: Vec<ListedTool>,
}

struct ListedTool {
    name: String,
    emoji: String,
    is_on: bool,
    /// The missing requirements.
    unmet: Vec<String>,
}

impl Listing {
    fn new(host: &Host) -> Result<Self> {
        let Host { profile, registry, .. } = host;
        let mut selection = Selection::default();
        host.select(&mut selection);
        let granted = tool_names(&turn(selection.builder(registry)?, profile)?);
        let everything = turn(registry.session().facts(profile.facts()), profile)?.doctor();
        let unmet = |name: &str| -> Vec<String> {
            let tool = everything.tools.iter().find(|tool| tool.tool == name);
            tool.into_iter().flat_map(|tool| &tool.unmet).map(ToString::to_string).collect()
        };
        let mut toolsets = Vec::new();
        for name in registry.toolsets() {
            let Some(info) = registry.toolset(&name) else { continue };
            let members = tool_names(&turn(registry.session().enable([&*name]), profile)?);
            let tools: Vec<ListedTool> = members
                .iter()
                .map(|tool| ListedTool {
                    emoji: registry.tool(tool).map(|tool| tool.emoji.to_string()).unwrap_or_default(),
                    is_on: granted.contains(tool),
                    unmet: unmet(tool),
                    name: tool.clone(),
                })
                .collect();
            toolsets.push(ListedToolset {
                name: name.to_string(),
                description: info.declared.description.to_string(),
                is_on: !tools.is_empty() && tools.iter().all(|tool| tool.is_on),
                tools,
            });
        }
        Ok(Self { toolsets, profile: profile.home.profile().to_string() })
    }

    fn text(&self) -> String {
        let mut text = format!("profile {}\n", self.profile);
        for toolset in &self.toolsets {
            let state = if toolset.is_on { "on" } else { "off" };
            let description = show::one_line(&toolset.description);
            let _ = writeln!(text, "\n{} ({state}): {description}", show::one_line(&toolset.name));
            for tool in &toolset.tools {
                let mark = match (tool.is_on, tool.unmet.is_empty()) {
                    (false, _) => "[ ]",
                    (true, true) => "[✓]",
                    (true, false) => "[!]",
                };
                let emoji = if tool.emoji.is_empty() { String::new() } else { format!(" {}", tool.emoji) };
                let unmet = if tool.unmet.is_empty() { String::new() } else { format!(": {}", tool.unmet.join("; ")) };
                let _ = writeln!(text, "  {mark}{emoji} {}{}", show::one_line(&tool.name), show::one_line(&unmet));
            }
        }
        text
    }

    fn json(&self) -> Value {
        let toolsets = self.toolsets.iter().map(|toolset| {
            let tools = toolset.tools.iter().map(
                |tool| json!({ "name": tool.name, "on": tool.is_on, "available": tool.unmet.is_empty(), "unmet": tool.unmet }),
            );
            json!({
                "name": toolset.name,
                "description": toolset.description,
                "on": toolset.is_on,
                "tools": tools.collect::<Vec<_>>(),
            })
        });
        json!({ "profile": self.profile, "toolsets": toolsets.collect::<Vec<_>>() })
    }
}
