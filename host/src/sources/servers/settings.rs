//! Converts servers of the configuration to settings of the MCP client.

use std::time::Duration;

use toolc_config::{McpPinning, McpServer, McpTool, McpTransport, expanded};
use toolc_mcp::{Oauth, Packages, PinPolicy, Pinning, Server, ServerReport, ServerState, ToolSettings, Transport};

use crate::ground::show;
use crate::ground::tell::tell;
use crate::profile::{Profile, passed_variable};

/// The delay before the first of five attempts to restart a server.
const RESTART_DELAY: Duration = Duration::from_secs(1);

/// Returns the settings of a server. Tools that the configuration disables by their model-facing names are excluded, too. `for_review` is
/// set for commands with which a person reviews changes.
pub(crate) fn server(server: &McpServer, profile: &Profile, disabled_tools: &[String], for_review: bool) -> Server {
    let (home, mcp) = (&profile.home, &profile.config().mcp);
    let transport = match server.transport() {
        McpTransport::Stdio { command } => Transport::Stdio {
            command: expanded(command).to_string_lossy().into_owned(),
            args: server.args.clone(),
            env: server.passed_variables().map(|variable| passed_variable(server, variable)).collect(),
            directory: server.directory.as_deref().map(expanded),
        },
        McpTransport::Http { url } => Transport::Http {
            url: url.to_owned(),
            headers: server.headers.clone(),
            bearer_variable: server.bearer_variable.clone(),
            oauth: Oauth {
                client_id: server.oauth.client_id.clone(),
                client_secret_variable: server.oauth.client_secret_variable.clone(),
                client_metadata_url: server.oauth.client_metadata_url.clone(),
                scopes: server.oauth.scopes.clone(),
                tokens: home.mcp_tokens(&server.name),
            },
        },
    };
    let address = |text: &str| text.trim_end_matches('/').to_owned();
    let tool = |tool: &McpTool| (tool.name.clone(), ToolSettings { shell: tool.shell.clone(), unjudged: !tool.judge });
    Server {
        name: server.name.clone(),
        transport,
        trusted: server.trusted,
        start_timeout: server.start_timeout,
        call_timeout: server.call_timeout,
        restart_delay: RESTART_DELAY,
        include: Some(server.include.clone()).filter(|names| !names.is_empty()),
        exclude: server.exclude.iter().chain(disabled_tools).cloned().collect(),
        pinning: Pinning {
            file: home.mcp_lock(&server.name),
            policy: match server.pinning {
                McpPinning::Strict => PinPolicy::Strict,
                McpPinning::Additive => PinPolicy::Additive,
                McpPinning::Off => PinPolicy::Off,
            },
            for_review,
        },
        tools: server.tools.iter().map(tool).collect(),
        question_timeout: server.question_timeout,
        sampling: server.sampling,
        packages: Some(Packages {
            npm: address(&mcp.npm_registry),
            pypi: address(&mcp.pypi),
            osv: address(&mcp.osv),
            file: home.mcp_package(&server.name),
        }),
        protocol_file: home.mcp_protocol(&server.name),
        state_file: home.mcp_state(&server.name),
    }
}

/// Prints which servers may download their package, because they have never run before.
pub(crate) fn report_first_starts(servers: &[Server]) {
    for server in servers.iter().filter(|server| server.is_first_start()) {
        let (name, minutes) = (show::one_line(&server.name), server.first_start_limit().as_secs().div_ceil(60));
        tell!(
            "note: the MCP server `{name}` starts for the first time: its package may be downloaded, for up to {minutes} minutes"
        );
    }
}

/// Returns a message about the problems of a server, if any. Every character is visible, because the message contains texts of the
/// server.
pub(super) fn problem(report: &ServerReport) -> Option<String> {
    report.has_problem().then(|| message(report))
}

/// Returns a message about the problems of a server about which the person can do something, if any.
pub(super) fn warning(report: &ServerReport) -> Option<String> {
    report.needs_attention().then(|| message(report))
}

fn message(report: &ServerReport) -> String {
    let name = &report.name;
    let has_changed =
        !report.held_back.is_empty() || report.skills.as_ref().is_some_and(|skills| !skills.held_back.is_empty());
    let advice = if report.state == ServerState::Starting {
        "\n    its tools are added when the server has listed them".to_owned()
    } else if has_changed {
        format!("\n    `toolc mcp diff {name}` shows what has changed")
    } else {
        String::new()
    };
    let mut short = report.clone();
    short.tools.clear();
    show::lines(&format!("{short}{advice}"))
}
