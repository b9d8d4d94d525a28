//! `toolc mcp serve`: serves tools and skills to MCP clients, on the standard streams or over streamable HTTP.

use std::io::{self, Read as _};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use toolc::Env;
use toolc::limits::SpillStore;
use toolc::suggest::suggestion;
use toolc::wire::mcp::CacheScope;
use toolc_cli::{RedactedStore, Selection};
use toolc_config::{ApprovalMode, Home, McpEndpoint, McpListScope, check_readers, expanded};
use toolc_mcp::server::{HttpAccess, HttpServer, MIN_TOKEN_LEN, PATH, Tokens, ToolServer};

use super::served_skills::HomeSkills;
use crate::approval;
use crate::assembly::{Host, Needs, Purpose, RESULT_READER};
use crate::ground::error::{Error, Result};
use crate::ground::tell::tell;
use crate::models;
use crate::options::ToolOptions;
use crate::profile::Profile;
use crate::sources::servers::Wait;

/// The tools that need a conversation of this program: the tool that asks the person at the terminal, and the tool that starts helpers.
const NEED_CONVERSATION: [&str; 2] = ["clarify", "delegate_task"];
/// The tool that adds scheduled jobs.
pub(crate) const JOB_MAKER: &str = "cronjob";
/// The maximum size of a file with tokens, in bytes.
const MAX_TOKEN_FILE: u64 = 64 << 10;

/// The arguments of `serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The endpoint of config.toml. Default: the endpoint `default`, or if it is not configured, the toolset `safe` on the standard streams.
    endpoint: Option<String>,
    /// Serve over streamable HTTP at this address, such as `127.0.0.1:8931`, instead of on the standard streams.
    #[arg(long, value_name = "IP:PORT")]
    http: Option<SocketAddr>,
    /// A toolset to serve instead of the toolsets of the endpoint. Can be repeated.
    #[arg(long = "toolset", value_name = "TOOLSET", value_delimiter = ',')]
    toolsets: Vec<String>,
    /// A tool to serve in addition. Can be repeated.
    #[arg(long = "tool", value_name = "TOOL", value_delimiter = ',')]
    tools: Vec<String>,
    /// A skill of the home folder to serve, or `*` for all. Can be repeated.
    #[arg(long = "skill", value_name = "SKILL", value_delimiter = ',')]
    skills: Vec<String>,
    /// A variable that holds a token that requests over HTTP must carry. Can be repeated.
    #[arg(long = "token-variable", value_name = "VARIABLE")]
    token_variables: Vec<String>,
    /// A file of tokens, one on each line.
    #[arg(long, value_name = "FILE")]
    token_file: Option<String>,
    /// A value of the header `Host` to accept, in addition to the addresses of this machine. Can be repeated.
    #[arg(long = "host", value_name = "HOST[:PORT]")]
    hosts: Vec<String>,
    /// The origin of a web page that may send requests, such as `https://app.example.com`. Can be repeated.
    #[arg(long = "origin", value_name = "ORIGIN")]
    origins: Vec<String>,
    /// Approve every call that needs approval, instead of asking the client.
    #[arg(long)]
    yes: bool,
}

impl ServeArgs {
    /// Serves until the client disconnects, or a signal ends the program. Returns the exit status.
    pub(crate) fn run(&self, options: &ToolOptions, home: Home) -> Result<u8> {
        let profile = Profile::read(home)?;
        let endpoint = self.endpoint(&profile)?;
        let tokens = read_tokens(&endpoint, &profile.env())?;
        let mut selection = Selection::default();
        (selection.enable, selection.enable_tools) = (endpoint.served_toolsets(), endpoint.tools.clone());
        let model = models::for_tools(&profile);
        let wait = Wait::AsSession(&selection);
        let host = Host::assemble(profile, options, Needs { model, ..Needs::new(Purpose::Call, wait) })?;
        if let Some(note) = unserved_plugins(&endpoint, host.plugins.toolsets()) {
            tell!("{note}");
        }
        host.select(&mut selection);
        // The conversation is at the client, and so is the person.
        selection.disable_tools.extend(NEED_CONVERSATION.map(ToOwned::to_owned));
        if self.yes {
            // A person must see a job before it is added, and with `--yes` no person sees it.
            selection.disable_tools.push(JOB_MAKER.to_owned());
        }
        let mut server = self.server(&endpoint, &host, selection);
        if !endpoint.skills.is_empty() {
            let skills = HomeSkills::new(host.profile.home.skills(), &endpoint.skills, &host.redactor);
            skills.check()?.iter().for_each(|problem| tell!("warning: {problem}"));
            server = server.shelf(skills);
        }
        let http = endpoint.address();
        let access = HttpAccess { tokens, hosts: endpoint.hosts, origins: endpoint.origins };
        let result = serve(server, http, access);
        host.stop();
        result.map(|()| 0)
    }

    /// Returns the endpoint of the configuration, changed by the options of the command line.
    fn endpoint(&self, profile: &Profile) -> Result<McpEndpoint> {
        let endpoints = &profile.config().mcp.endpoints;
        let name = self.endpoint.as_deref().unwrap_or(McpEndpoint::DEFAULT);
        let mut endpoint = match endpoints.iter().find(|endpoint| endpoint.name == name) {
            Some(endpoint) => endpoint.clone(),
            None if self.endpoint.is_none() => McpEndpoint::new(name.to_owned()),
            None => {
                let names: Vec<&str> = endpoints.iter().map(|endpoint| endpoint.name.as_str()).collect();
                let hint = suggestion(name, names.iter().copied());
                let shown =
                    if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", names.join(", ")) };
                return Err(Error::Invalid(format!(
                    "config.toml has no endpoint `{name}`{hint}: {shown}. Add a table `[mcp.endpoints.NAME]`, or leave the name out to \
                     serve the toolset `safe`"
                )));
            }
        };
        if !self.toolsets.is_empty() || !self.tools.is_empty() {
            (endpoint.toolsets, endpoint.tools) = (self.toolsets.clone(), self.tools.clone());
        }
        if !self.skills.is_empty() {
            endpoint.skills.clone_from(&self.skills);
        }
        endpoint.http = self.http.map(|address| address.to_string()).or(endpoint.http);
        endpoint.token_variables.extend_from_slice(&self.token_variables);
        endpoint.token_file = self.token_file.clone().or(endpoint.token_file);
        endpoint.hosts.extend_from_slice(&self.hosts);
        endpoint.origins.extend_from_slice(&self.origins);
        let has_access =
            !(endpoint.token_variables.is_empty() && endpoint.hosts.is_empty() && endpoint.origins.is_empty());
        if endpoint.http.is_none() && (has_access || endpoint.token_file.is_some()) {
            return Err(Error::Invalid("tokens, hosts and origins need HTTP: add `--http 127.0.0.1:PORT`".to_owned()));
        }
        Ok(endpoint)
    }

    fn server(&self, endpoint: &McpEndpoint, host: &Host, selection: Selection) -> ToolServer {
        let (app, results, redactor) = (host.app(), host.results(), Arc::clone(&host.redactor));
        let (has_reader, yes) = (host.registry.tool(RESULT_READER).is_some(), self.yes);
        let questions = Arc::clone(&redactor);
        let session = move || {
            let session = app.served_session(&selection, yes)?;
            Ok(if has_reader { session.spill_reader(RESULT_READER) } else { session })
        };
        let store = move |id: &str| {
            let results = Arc::new(results.of_session(id));
            Arc::new(RedactedStore::new(results, Arc::clone(&redactor))) as Arc<dyn SpillStore>
        };
        let scope = match endpoint.list_scope {
            McpListScope::Private => CacheScope::Private,
            McpListScope::Public => CacheScope::Public,
        };
        let server = ToolServer::new("toolc", env!("CARGO_PKG_VERSION"), session)
            .store(store)
            .instructions(endpoint.instructions.as_deref().unwrap_or_default())
            .background_after(endpoint.background_after)
            .cache(endpoint.list_ttl.unwrap_or_default(), scope);
        if self.yes || host.mode == ApprovalMode::Deny {
            return server;
        }
        // The client may be on another machine, so the question must not contain secrets.
        server.ask_client(move |request, offers_session| {
            questions.text(&approval::plain_question(request, offers_session)).into_owned()
        })
    }
}

/// Returns a note about the toolsets of plugins, if the endpoint names no toolsets: by default, only the toolset `safe` is served.
fn unserved_plugins(endpoint: &McpEndpoint, of_plugins: &[String]) -> Option<String> {
    if of_plugins.is_empty() || !(endpoint.toolsets.is_empty() && endpoint.tools.is_empty()) {
        return None;
    }
    let (served, plugins) = (endpoint.served_toolsets().join(","), of_plugins.join(","));
    Some(format!(
        "note: the tools of plugins are not served by default: add `--toolset {served},{plugins}`, or write the toolsets into the endpoint \
         `{}` of config.toml",
        endpoint.name
    ))
}

/// Reads the tokens of an endpoint.
fn read_tokens(endpoint: &McpEndpoint, env: &Env) -> Result<Tokens> {
    let mut tokens = Tokens::default();
    for name in &endpoint.token_variables {
        let token = env.var(name).filter(|token| !token.is_empty());
        let token = token.ok_or_else(|| {
            format!("the variable `{name}` is not set: write a token of at least {MIN_TOKEN_LEN} characters into .env")
        })?;
        tokens.add(&format!("the variable `{name}`"), &token).map_err(|error| error.to_string())?;
    }
    if let Some(file) = &endpoint.token_file {
        let path = expanded(file);
        let text = check_readers(&path)
            .and_then(|()| read_limited(&path))
            .map_err(|error| Error::failed(format!("read the tokens in {}", path.display()), error))?;
        // Programs of Windows put a byte order mark before the first line.
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            tokens
                .add(&format!("line {} of {}", index + 1, path.display()), line.trim())
                .map_err(|error| error.to_string())?;
        }
        if tokens.is_empty() {
            return Err(Error::Invalid(format!("{} contains no token: write one token on each line", path.display())));
        }
    }
    Ok(tokens)
}

fn read_limited(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    std::fs::File::open(path)?.take(MAX_TOKEN_FILE + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_TOKEN_FILE {
        return Err(io::Error::other(format!("the file has more than {} KiB", MAX_TOKEN_FILE >> 10)));
    }
    Ok(text)
}

/// Serves over HTTP at an address, or on the standard streams.
fn serve(server: ToolServer, http: Option<SocketAddr>, access: HttpAccess) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::failed("start threads", error))?;
    let result = runtime.block_on(async {
        match http {
            None => server.serve_stdio(io::BufReader::new(io::stdin()), io::stdout()).await.map_err(Error::from),
            Some(address) => {
                let listening = HttpServer::bind(address, access).await;
                let listening = listening.map_err(|error| Error::failed(format!("listen at {address}"), error))?;
                let bound = listening.address()?;
                // From here on, a signal shuts the server down cleanly.
                let shutdown = shutdown_signal();
                tell!("MCP server at http://{bound}{PATH}");
                server.serve_http(listening, shutdown).await.map_err(Error::from)
            }
        }
    });
    // A thread that reads standard input cannot be stopped.
    runtime.shutdown_timeout(Duration::from_millis(100));
    result
}

/// Installs handlers for the signals that end the program, and returns a future that waits for a signal.
#[cfg(unix)]
fn shutdown_signal() -> impl Future<Output = ()> + Send + 'static {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = signal(SignalKind::terminate()).and_then(|end| Ok((end, signal(SignalKind::interrupt())?)));
    async move {
        // If the handlers cannot be installed, a signal ends the program immediately.
        let Ok((mut terminate, mut interrupt)) = signals else { return std::future::pending().await };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    }
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
async fn shutdown_signal() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toolsets_of_plugins_are_named_if_the_endpoint_names_no_toolsets() {
        let endpoint = McpEndpoint::new("default".to_owned());
        let note = unserved_plugins(&endpoint, &["words".to_owned()]).expect("they are not served");
        assert!(note.contains("`--toolset safe,words`"), "{note}");
        assert_eq!(unserved_plugins(&endpoint, &[]), None);
        let named = McpEndpoint { tools: vec!["word_count".to_owned()], ..endpoint };
        assert_eq!(unserved_plugins(&named, &["words".to_owned()]), None);
    }
}
