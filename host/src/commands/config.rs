//! `toolc config`: checks and shows the configuration of a profile.

use clap::{Args, Subcommand};
use serde_json::json;
use toolc_config::{
    Api, ConfigFile, Container, Daytona, EnvFile, Home, McpEndpoint, McpServer, McpTransport, Modal, Model, Ssh,
};

use crate::assembly::{check_names, registry_to_show};
use crate::ground::ask::print;

/// The end of the help.
const EXIT_STATUS: &str = "\
Exit status:
  0  success
  1  check: the configuration has mistakes
  2  the command line is wrong, or show: the configuration has mistakes";

/// The arguments of `config`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Check config.toml and .env, and report all mistakes.
    Check,
    /// Show the configuration: the values of config.toml, and the defaults of the other keys. Values of .env are not shown.
    Show {
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print the path of config.toml.
    Path,
    /// Print the JSON Schema of config.toml, for editors.
    Schema,
}

impl ConfigArgs {
    /// Runs the command, and returns the exit status.
    pub(crate) fn run(&self, home: &Home) -> Result<u8, String> {
        match &self.command {
            ConfigCommand::Path => {
                home.check_exists()?;
                print(&format!("{}\n", home.config().display())).map(|()| 0)
            }
            ConfigCommand::Schema => print(&format!("{:#}\n", toolc_config::schema())).map(|()| 0),
            ConfigCommand::Show { json } => {
                home.check_exists()?;
                show(home, *json).map(|()| 0)
            }
            ConfigCommand::Check => {
                let problems = problems(home);
                for problem in &problems {
                    eprintln!("error: {problem}\n");
                }
                if !problems.is_empty() {
                    return Ok(1);
                }
                print(&format!("{}: no mistakes\n", home.config().display()))?;
                Ok(0)
            }
        }
    }
}

/// Returns all problems of the files of a profile.
fn problems(home: &Home) -> Vec<String> {
    let mut problems: Vec<String> = home.check_exists().err().into_iter().collect();
    match ConfigFile::read(home) {
        Ok(file) => {
            problems.extend(
                registry_to_show(home, file.config(), &[]).and_then(|registry| check_names(&file, &registry)).err(),
            );
        }
        Err(problem) => problems.push(problem),
    }
    problems.extend(EnvFile::read(home).err());
    problems
}

fn show(home: &Home, as_json: bool) -> Result<(), String> {
    let (file, env) = (ConfigFile::read(home)?, EnvFile::read(home)?);
    let config = file.config();
    let tools = &config.tools;
    let facts: serde_json::Map<_, _> = config.facts.iter().map(|(name, value)| (name.clone(), fact(value))).collect();
    let value = json!({
        "profile": home.profile().to_string(),
        "home": home.path(),
        "models": {
            "main": config.main_model.as_ref().map(model),
            "auxiliary": config.auxiliary_model.as_ref().map(model),
        },
        "tools": {
            "enable": tools.enable,
            "disable": tools.disable,
            "enable_tools": tools.enable_tools,
            "disable_tools": tools.disable_tools,
            "search": config.search.word(),
            "changes": config.tool_changes.word(),
        },
        "facts": facts,
        "approval": {
            "mode": config.approval.mode.map(toolc_config::ApprovalMode::word),
            "timeout_ms": milliseconds(config.approval.timeout),
            "second_opinion": config.approval.second_opinion,
        },
        "environment": {
            "kind": config.environment.kind.word(),
            "put": config.environment.put,
            "get": config.environment.get,
            "container": config.environment.container.as_ref().map(container),
            "ssh": config.environment.ssh.as_ref().map(ssh),
            "daytona": daytona(&config.environment.daytona),
            "modal": modal(&config.environment.modal),
            "apptainer": config.environment.apptainer.as_ref().map(|apptainer| json!({
                "image": apptainer.image,
                "program": apptainer.program,
                "network": apptainer.network,
                "binds": apptainer.binds,
            })),
        },
        "agent": {
            "max_iterations": config.agent.max_iterations,
            "compact_at_percent": config.agent.compact_at_percent,
            "keep_messages": config.agent.keep_messages,
            "question_timeout_ms": milliseconds(config.agent.question_timeout),
            "helpers": {
                "at_once": config.agent.helpers.at_once,
                "levels": config.agent.helpers.levels,
                "max_iterations": config.agent.helpers.max_iterations,
                "model": config.agent.helpers.model.word(),
            },
        },
        "results": { "max_chars": config.results.max_chars, "keep_ms": milliseconds(config.results.keep) },
        "plugins": {
            "folders": config.plugins.folders,
            "disable": config.plugins.disable,
            "from_projects": config.plugins.from_projects,
            "from_packages": config.plugins.from_packages,
        },
        "mcp": {
            "servers": config.mcp_servers.iter().map(mcp_server).collect::<Vec<_>>(),
            "start_wait_ms": milliseconds(config.mcp_start_wait),
            "npm_registry": config.mcp_registries.npm,
            "pypi": config.mcp_registries.pypi,
            "osv": config.mcp_registries.osv,
            "endpoints": config.mcp_endpoints.iter().map(mcp_endpoint).collect::<Vec<_>>(),
        },
        "sessions": { "record": config.record_sessions },
        "variables": env.names().collect::<Vec<_>>(),
    });
    print(&if as_json { format!("{value}\n") } else { format!("{value:#}\n") })
}

fn model(model: &Model) -> serde_json::Value {
    json!({
        "api": Api::word(model.api),
        "model": model.model,
        "base_url": model.base_url,
        "key_variable": model.key_variable,
        "context_tokens": model.context_tokens,
        "max_output_tokens": model.max_output_tokens,
        "timeout_ms": milliseconds(model.timeout),
        "retries": model.retries,
        "prices": model.prices.map(|prices| json!({
            "input": prices.input,
            "output": prices.output,
            "cached_input": prices.cached_input,
            "cache_writes": prices.cache_writes,
        })),
    })
}

fn container(container: &Container) -> serde_json::Value {
    serde_json::json!({
        "image": container.image,
        "network": container.network,
        "read_only": container.read_only,
        "max_processes": container.max_processes,
        "max_memory_mib": container.max_memory_mib,
        "max_processors": container.max_processors,
    })
}

fn ssh(ssh: &Ssh) -> serde_json::Value {
    json!({
        "host": ssh.host,
        "user": ssh.user,
        "port": ssh.port,
        "key": ssh.key,
        "directory": ssh.directory,
        "known_hosts": ssh.known_hosts,
        "host_keys": ssh.host_keys.word(),
        "config_file": ssh.config_file,
    })
}

fn daytona(daytona: &Daytona) -> serde_json::Value {
    json!({
        "snapshot": daytona.snapshot,
        "directory": daytona.directory,
        "network": daytona.network,
        "max_minutes": daytona.max_minutes,
        "max_sandboxes": daytona.max_sandboxes,
        "target": daytona.target,
        "organization": daytona.organization,
        "url": daytona.url,
        "known_hosts": daytona.known_hosts,
        "host_keys": daytona.host_keys.word(),
    })
}

fn modal(modal: &Modal) -> serde_json::Value {
    json!({
        "python": modal.python,
        "app": modal.app,
        "image": modal.image,
        "directory": modal.directory,
        "network": modal.network,
        "max_minutes": modal.max_minutes,
        "max_memory_mib": modal.max_memory_mib,
        "max_processors": modal.max_processors,
        "max_sandboxes": modal.max_sandboxes,
        "url": modal.url,
    })
}

/// Returns a server, with the names of variables and without their values.
fn mcp_server(server: &McpServer) -> serde_json::Value {
    let transport = match &server.transport {
        McpTransport::Stdio { command, args, env, directory } => {
            let env: serde_json::Map<_, _> = env.iter().map(|(name, source)| (name.clone(), json!(source))).collect();
            json!({ "command": command, "args": args, "env": env, "directory": directory })
        }
        McpTransport::Http { url, headers, bearer_variable, oauth } => {
            let headers: serde_json::Map<_, _> =
                headers.iter().map(|(name, variable)| (name.clone(), json!(variable))).collect();
            let oauth = json!({
                "client_id": oauth.client_id,
                "client_secret_variable": oauth.client_secret_variable,
                "client_metadata_url": oauth.client_metadata_url,
                "scopes": oauth.scopes,
            });
            json!({ "url": url, "headers": headers, "bearer_variable": bearer_variable, "oauth": oauth })
        }
    };
    let tools = server.tools.iter().map(|tool| json!({ "name": tool.name, "shell": tool.shell, "judge": tool.judge }));
    json!({
        "name": server.name,
        "enabled": server.enabled,
        "transport": transport,
        "trusted": server.trusted,
        "start_timeout_ms": milliseconds(server.start_timeout),
        "call_timeout_ms": milliseconds(server.call_timeout),
        "include": server.include,
        "exclude": server.exclude,
        "pinning": server.pinning.word(),
        "question_timeout_ms": milliseconds(server.question_timeout),
        "sampling": server.sampling,
        "tools": tools.collect::<Vec<_>>(),
    })
}

/// Returns an endpoint, with the names of variables and without their values.
fn mcp_endpoint(endpoint: &McpEndpoint) -> serde_json::Value {
    json!({
        "name": endpoint.name,
        "toolsets": endpoint.toolsets,
        "tools": endpoint.tools,
        "http": endpoint.http,
        "token_variables": endpoint.token_variables,
        "token_file": endpoint.token_file,
        "hosts": endpoint.hosts,
        "origins": endpoint.origins,
        "instructions": endpoint.instructions,
        "background_after_ms": milliseconds(endpoint.background_after),
        "list_ttl_ms": milliseconds(endpoint.list_ttl),
        "list_scope": endpoint.list_scope.word(),
    })
}

fn milliseconds(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn fact(value: &toolc::FactValue) -> serde_json::Value {
    match value {
        toolc::FactValue::Text(text) => json!(text),
        toolc::FactValue::Boolean(flag) => json!(flag),
        toolc::FactValue::Integer(integer) => json!(integer),
    }
}
