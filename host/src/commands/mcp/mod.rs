//! `toolc mcp`: lists, tests, adds and removes the MCP servers of the profile, and accepts their tools.

mod import;
mod list;
mod login;
mod package;
mod review;
pub(crate) mod serve;
mod served_skills;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;
use toolc::redaction::without_secrets;
use toolc_config::{EnvFile, Home, McpServer, McpTransport, add_server, enable_server, remove_server};
use toolc_mcp::ServerState;

pub(super) use list::{ListedServer, listed};
use serve::ServeArgs;

use crate::ground::ask;
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::options::ToolOptions;
use crate::profile::Profile;

/// The last part of the help.
const EXIT_STATUS: &str = "\
`add` and `remove` change config.toml, and keep its comments. Values of variables belong in .env. The tools and texts that you
accept from a server are recorded in mcp/NAME.lock.json in the home folder, and what was last seen of it in mcp/NAME.state.json. Without
a command, the servers are listed.

Exit status:
  0  success
  1  test: a server, or one of its tools, cannot be used; diff: there are differences; accept: the answer was no; import: the answer was
     no, or a server was not added
  2  the command line is wrong, a name is unknown, config.toml cannot be used, or the command runs inside a tool";

/// The arguments of `mcp`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    command: Option<McpCommand>,
}

#[derive(Debug, Subcommand)]
enum McpCommand {
    /// Serve tools and skills to MCP clients, on the standard streams or over HTTP. Clients are asked about calls that need approval.
    Serve(Box<ServeArgs>),
    /// List the servers with what was last seen of them, and whether they could start. None is started, and no address is asked.
    List {
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Start servers, including disabled ones, and report on them and their tools.
    Test {
        /// The names. Default: all servers that are enabled.
        names: Vec<String>,
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Add a server, without starting it.
    Add(AddArgs),
    /// Remove a server, and forget what you have accepted from it.
    Remove {
        /// The name.
        name: String,
    },
    /// Enable a server, so that commands start it.
    Enable {
        /// The name.
        name: String,
    },
    /// Disable a server, so that no command starts it.
    Disable {
        /// The name.
        name: String,
    },
    /// Add the servers of Claude Desktop (`claude_desktop_config.json`) or VS Code (`mcp.json`, `settings.json`), as disabled. Values of
    /// variables are written to .env.
    Import {
        /// The file.
        file: PathBuf,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
    },
    /// Log in to a server over HTTP, in a browser.
    Login {
        /// The name.
        name: String,
        /// An OAuth scope to request, in addition to the scopes that the server names. Can be repeated.
        #[arg(long = "scope", value_name = "SCOPE")]
        scopes: Vec<String>,
    },
    /// Log out: remove the tokens of the last login to a server.
    Logout {
        /// The name.
        name: String,
    },
    /// Start new servers, and accept their current tools, except tools with suspicious texts.
    Lock {
        /// The names. Default: all enabled servers without accepted tools.
        names: Vec<String>,
    },
    /// Start servers, and show the differences from what you have accepted.
    Diff {
        /// The names. Default: all servers that are enabled.
        names: Vec<String>,
    },
    /// Start a server, show the differences from what you have accepted, ask, and accept them.
    Accept {
        /// The name of the server.
        name: String,
        /// The tools, by their names at the server. Default: all tools, and the server itself.
        tools: Vec<String>,
        /// Do not ask before starting a server whose command line has changed, or before accepting the differences.
        #[arg(long)]
        yes: bool,
    },
}

/// The arguments of `mcp add`.
#[derive(Debug, Args)]
struct AddArgs {
    /// The name of the server. The names of its tools contain it.
    name: String,
    /// The address of a server with streamable HTTP.
    #[arg(long, value_name = "URL", conflicts_with_all = ["command", "env", "directory"], required_unless_present = "command")]
    url: Option<String>,
    /// A header of each request, and the variable that holds its value. Can be repeated.
    #[arg(long = "header", value_name = "HEADER=VARIABLE", requires = "url")]
    headers: Vec<String>,
    /// The variable that holds a bearer token.
    #[arg(long = "bearer", value_name = "VARIABLE", requires = "url")]
    bearer: Option<String>,
    /// A variable that is passed to the program. Can be repeated.
    #[arg(long, value_name = "NAME[=OTHER]")]
    env: Vec<String>,
    /// The working directory of the program.
    #[arg(long, value_name = "DIR")]
    directory: Option<String>,
    /// Add the server as disabled.
    #[arg(long)]
    disabled: bool,
    /// The program and its arguments, after `--`.
    #[arg(last = true)]
    command: Vec<String>,
}

impl McpArgs {
    /// Runs the command, and returns the exit status.
    pub(crate) fn run(&self, options: &ToolOptions, home: Home) -> Result<u8> {
        match self.command.as_ref().unwrap_or(&McpCommand::List { json: false }) {
            McpCommand::Serve(args) => args.run(options, home),
            McpCommand::List { json } => list::list(&Profile::read(home)?, *json),
            McpCommand::Test { names, json } => test(&Profile::read(home)?, names, *json),
            McpCommand::Add(args) => {
                ask::require_person("add an MCP server")?;
                home.check_exists()?;
                let (server, note) = package::pin_new_server(&Profile::read(home.clone())?, args.server()?)?;
                add_server(&home, &server)?;
                ask::print(&format!("added: {}\n{note}`toolc mcp test {}` starts it once\n", args.name, args.name))
                    .map(|()| 0)
            }
            McpCommand::Enable { name } => enable(&home, name, true),
            McpCommand::Disable { name } => enable(&home, name, false),
            McpCommand::Import { file, yes } => {
                ask::require_person("add MCP servers")?;
                import::import(&home, file, *yes)
            }
            McpCommand::Login { name, scopes } => {
                ask::require_person("log in at an MCP server")?;
                login::log_in(&Profile::read(home)?, name, scopes)
            }
            McpCommand::Logout { name } => {
                ask::require_person("log out of an MCP server")?;
                login::log_out(&Profile::read(home)?, name)
            }
            McpCommand::Lock { names } => {
                ask::require_person("accept tools of an MCP server")?;
                review::lock(&Profile::read(home)?, names)
            }
            McpCommand::Diff { names } => review::diff(&Profile::read(home)?, names),
            McpCommand::Accept { name, tools, yes } => {
                ask::require_person("accept tools of an MCP server")?;
                review::accept(&Profile::read(home)?, name, tools, *yes)
            }
            McpCommand::Remove { name } => {
                ask::require_person("remove an MCP server")?;
                home.check_exists()?;
                let kept = kept_variables(&home, name)?;
                remove_server(&home, name)?;
                review::forget(&home, name)?;
                ask::print(&format!("removed: {name}\n{kept}")).map(|()| 0)
            }
        }
    }
}

impl AddArgs {
    fn server(&self) -> Result<McpServer> {
        let server = McpServer { enabled: !self.disabled, ..McpServer::new(self.name.clone()) };
        match (&self.url, self.command.split_first()) {
            (Some(url), _) => Ok(McpServer {
                url: Some(url.clone()),
                headers: self.headers.iter().map(|header| parse_pair(header)).collect::<Result<_, _>>()?,
                bearer_variable: self.bearer.clone(),
                ..server
            }),
            (None, Some((command, args))) => Ok(McpServer {
                command: Some(command.clone()),
                args: args.to_vec(),
                env: self.env.clone(),
                directory: self.directory.clone(),
                ..server
            }),
            (None, None) => Err(Error::Invalid("pass the program after `--`, or an address with `--url`".to_owned())),
        }
    }
}

/// Returns a line about the variables of a server that stay in `.env`, without those that other servers use.
fn kept_variables(home: &Home, name: &str) -> Result<String> {
    let (profile, env) = (Profile::read(home.clone())?, EnvFile::read(home)?);
    let servers = &profile.config().mcp.servers;
    let is_used = |variable: &str| {
        servers.iter().filter(|server| server.name != name).any(|server| server.variables().contains(&variable))
    };
    let of_server = servers.iter().filter(|server| server.name == name).flat_map(McpServer::variables);
    let kept: Vec<&str> =
        of_server.filter(|variable| env.names().any(|known| known == *variable) && !is_used(variable)).collect();
    if kept.is_empty() {
        return Ok(String::new());
    }
    let kept = show::one_line(&kept.join(", "));
    Ok(format!(
        "these variables stay in {}: {kept}. Remove their lines if nothing else needs them\n",
        home.env().display()
    ))
}

fn parse_pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| "expected `HEADER=VARIABLE`".to_owned())?;
    Ok((name.to_owned(), value.to_owned()))
}

fn enable(home: &Home, name: &str, enabled: bool) -> Result<u8> {
    ask::require_person("enable and disable MCP servers")?;
    home.check_exists()?;
    enable_server(home, name, enabled)?;
    let state = if enabled { "enabled" } else { "disabled" };
    ask::print(&format!("{state}: {}\n", show::one_line(name))).map(|()| 0)
}

/// Returns the command line or the address of a server, without what seems to be secret.
pub(super) fn location(server: &McpServer) -> String {
    let location = match server.transport() {
        McpTransport::Stdio { command } => {
            let words = std::iter::once(command).chain(server.args.iter().map(String::as_str));
            shlex::try_join(words).unwrap_or_else(|_| command.to_owned())
        }
        McpTransport::Http { url } => url.to_owned(),
    };
    without_secrets(&location, &[])
}

fn test(profile: &Profile, names: &[String], as_json: bool) -> Result<u8> {
    let servers = review::start_servers(profile, names, false)?;
    let mut reports = servers.reports();
    drop(servers);
    // A test makes one attempt: what has failed is not started again.
    for report in reports.iter_mut().filter(|report| report.state == ServerState::Restarting) {
        report.state = ServerState::Failed;
    }
    if as_json {
        ask::print(&format!("{}\n", json!(reports)))?;
    } else {
        let texts: Vec<String> = reports.iter().map(|report| show::lines(&report.to_string())).collect();
        ask::print(&(texts.join("\n\n") + "\n"))?;
    }
    Ok(u8::from(reports.iter().any(toolc_mcp::ServerReport::has_problem)))
}
