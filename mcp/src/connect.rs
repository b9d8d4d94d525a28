//! Opens a connection to a server: starts its program or prepares HTTP, and agrees on a version of the protocol.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientInitializeError, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientLifecycleMode, ClientServiceExt as _, RoleClient};
use toolc::Env;

use crate::client::Client;
use crate::era;
use crate::error::McpError;
use crate::failure;
use crate::http;
use crate::message::Inbox;
use crate::oauth::{Account, Session};
use crate::probe::{LateAnswer, ProbeTransport};
use crate::secrets::SecretRedactor;
use crate::settings::{Server, Transport};
use crate::stdio::{Program, ProgramEnd, StdioTransport};

/// An open connection.
pub(crate) struct Connection {
    pub(crate) service: RunningService<RoleClient, Client>,
    /// The login, if requests carry an access token.
    pub(crate) oauth: Option<Session>,
    /// What the server has sent that the protocol library does not keep.
    pub(crate) inbox: Inbox,
}

/// Why a connection could not be opened.
#[derive(Debug)]
pub(crate) struct ConnectError {
    pub(crate) reason: String,
    /// Whether another try would fail, too.
    pub(crate) is_final: bool,
}

/// Opens a connection, with the newest version of the protocol that the server knows, or with `version` if the server has named it.
/// `program` is set to its program, if it has one.
pub(crate) async fn connect(
    server: &Arc<Server>,
    client: &Client,
    env: &Env,
    redactor: &SecretRedactor,
    program: &mut Option<ProgramEnd>,
    version: Option<ProtocolVersion>,
) -> Result<Connection, ConnectError> {
    let inbox = Inbox::default();
    let mut opening =
        Opening { server, client: client.clone(), env, redactor, program, late: LateAnswer::default(), inbox };
    let newest = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::LATEST],
        legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
    };
    let known = match version {
        Some(version) if version.has_initialize() => {
            opening.client.version = version;
            Some(ClientLifecycleMode::Initialize)
        }
        Some(version) => Some(ClientLifecycleMode::Discover { preferred_versions: vec![version] }),
        None => era::needs_handshake(server).then_some(ClientLifecycleMode::Initialize),
    };
    let mut result = None;
    if let Some(known) = known {
        match opening.open(known).await {
            Ok(connection) => result = Some(Ok(connection)),
            Err(failure) if failure.reported.is_final => return Err(failure.reported),
            Err(_) => era::forget(server),
        }
    }
    let is_known = result.is_some();
    let mut result = match result {
        Some(result) => result,
        None => opening.open(newest).await,
    };
    let mut has_cost_time = opening.inbox.is_silent() && !opening.late.is_there();
    if let Err(failure) = &result
        && let Some(again) = opening.another_way(failure)
    {
        has_cost_time |= again == ClientLifecycleMode::Initialize;
        result = opening.open(again).await;
    }
    let connection = result.map_err(|failure| failure.reported)?;
    let info = connection.service.peer().peer_info();
    if let Some(version) = info.map(|info| info.protocol_version.clone()) {
        if !ProtocolVersion::KNOWN_VERSIONS.contains(&version) {
            let version = failure::display_text(version.as_str(), redactor).chars().take(100).collect::<String>();
            let reason = format!(
                "the server answers with the version `{version}` of the protocol, which this program does not know"
            );
            return Err(ConnectError { reason, is_final: true });
        }
        if has_cost_time && !is_known && version.has_initialize() {
            era::remember(server);
        }
    }
    Ok(connection)
}

struct Failure {
    reported: ConnectError,
    error: Option<ClientInitializeError>,
}

impl Failure {
    fn before_start(reason: String) -> Self {
        Self { reported: ConnectError { reason, is_final: true }, error: None }
    }
}

impl From<McpError> for Failure {
    fn from(error: McpError) -> Self {
        Self::before_start(error.to_string())
    }
}

/// What a connection is opened with.
struct Opening<'a> {
    server: &'a Arc<Server>,
    client: Client,
    env: &'a Env,
    redactor: &'a SecretRedactor,
    program: &'a mut Option<ProgramEnd>,
    late: LateAnswer,
    /// What the server has sent on the latest connection.
    inbox: Inbox,
}

impl Opening<'_> {
    /// Returns how to begin again after a failure, if the server may know another form of the protocol.
    fn another_way(&mut self, failure: &Failure) -> Option<ClientLifecycleMode> {
        let error = failure.error.as_ref()?;
        let stateless = || ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::LATEST] };
        let last = last_failure(error);
        let known =
            failure::supported_versions(last).filter(|version| ProtocolVersion::KNOWN_VERSIONS.contains(version));
        match known.max_by(|a, b| a.as_str().cmp(b.as_str())) {
            Some(version) if version.has_initialize() => {
                self.client.version = version;
                return Some(ClientLifecycleMode::Initialize);
            }
            Some(_) if matches!(last, ClientInitializeError::JsonRpcError(_)) => return Some(stateless()),
            _ => {}
        }
        match last {
            // The server knows only the stateless protocol, and was slow to start.
            ClientInitializeError::JsonRpcError(_) if self.late.is_there() => Some(stateless()),
            ClientInitializeError::JsonRpcError(_) if self.inbox.is_silent() && self.program.is_none() => {
                Some(stateless())
            }
            // A server with sessions may end at the first message that it does not know, or answer it with nothing.
            ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::ExpectedInitResult(_) => {
                Some(ClientLifecycleMode::Initialize)
            }
            // A server that names no version of the stateless protocol may know others.
            ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. }
                if server_supported.is_empty() =>
            {
                Some(ClientLifecycleMode::Initialize)
            }
            ClientInitializeError::TransportError { .. } if self.program.is_some() => {
                Some(ClientLifecycleMode::Initialize)
            }
            _ => None,
        }
    }

    async fn open(&mut self, lifecycle: ClientLifecycleMode) -> Result<Connection, Failure> {
        let client = self.client.clone();
        let mut oauth = None;
        let late = self.late.clone();
        let is_patient = matches!(lifecycle, ClientLifecycleMode::Discover { .. });
        let (inbox, served) = match &self.server.transport {
            Transport::Stdio { command, args: _, env: _, directory } => {
                let (transport, program) = start(self.server, self.env).await.map_err(|error| {
                    let why = not_started(command, directory.as_deref(), &error);
                    Failure::before_start(self.redacted(&format!("failed to start `{command}`: {why}")))
                })?;
                *self.program = Some(program);
                let inbox = transport.inbox().clone();
                self.inbox = inbox.clone();
                let transport = ProbeTransport::new(transport, inbox.clone(), late, is_patient);
                (inbox, client.serve_with_lifecycle(transport, lifecycle).await)
            }
            Transport::Http { url, headers, bearer_variable, .. } => {
                let (http, config) = http::transport(url, headers, bearer_variable.as_deref(), self.env)?;
                let http = if is_patient { http.patient() } else { http };
                let inbox = http.inbox().clone();
                self.inbox = inbox.clone();
                let served = match Account::for_server(self.server, self.env, &self.redactor.tokens)? {
                    None => {
                        let transport = StreamableHttpClientTransport::with_client(http, config);
                        let transport = ProbeTransport::new(transport, inbox.clone(), late, is_patient);
                        client.serve_with_lifecycle(transport, lifecycle).await
                    }
                    Some(account) => {
                        let session = Session::open(account, http).await?;
                        let transport = StreamableHttpClientTransport::with_client(session.client(), config);
                        oauth = Some(session);
                        let transport = ProbeTransport::new(transport, inbox.clone(), late, is_patient);
                        client.serve_with_lifecycle(transport, lifecycle).await
                    }
                };
                (inbox, served)
            }
        };
        match served {
            Ok(service) => Ok(Connection { service, oauth, inbox }),
            Err(error) => Err(self.failure(error).await),
        }
    }

    async fn failure(&self, error: ClientInitializeError) -> Failure {
        let is_final = error.is_authorization_required();
        let reason = match &self.program {
            _ if is_final => login_advice(self.server),
            Some(program) if failure::closed_during_start(&error) => {
                format!("the server ended while it was started: {}", program.text(|text| self.redacted(text)).await)
            }
            program => {
                let stderr = match program {
                    Some(program) => program.stderr(|text| self.redacted(text)).await,
                    None => String::new(),
                };
                failure::start_reason(&error, self.redactor) + &stderr
            }
        };
        Failure { reported: ConnectError { reason, is_final }, error: Some(error) }
    }

    fn redacted(&self, text: &str) -> String {
        self.redactor.text(text).into_owned()
    }
}

/// Returns the failure of the last request of a start.
fn last_failure(error: &ClientInitializeError) -> &ClientInitializeError {
    match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => last_failure(fallback),
        error => error,
    }
}

/// Returns what to do about a server that refuses requests without credentials.
pub(crate) fn login_advice(server: &Server) -> String {
    let name = &server.name;
    match &server.transport {
        Transport::Http { bearer_variable: Some(variable), .. } => {
            format!("the server requires a login, and refuses the token in {variable}")
        }
        _ => {
            format!("the server requires a login: run `toolc mcp login {name}`, or set `bearer_variable` or `headers`")
        }
    }
}

/// Starts the program of a server on a thread that may block.
async fn start(server: &Arc<Server>, env: &Env) -> std::io::Result<(StdioTransport, ProgramEnd)> {
    let (server, env) = (Arc::clone(server), env.clone());
    let started = tokio::task::spawn_blocking(move || {
        let Transport::Stdio { command, args, env: passed, directory } = &server.transport else {
            return Err(std::io::Error::other("the server has no program"));
        };
        StdioTransport::start(Program { command, args, env: passed, directory: directory.as_deref() }, &env)
    });
    started.await.map_err(std::io::Error::other)?
}

/// Returns why a program could not be started. The system only says that something does not exist.
fn not_started(command: &str, directory: Option<&Path>, error: &io::Error) -> String {
    if error.kind() != io::ErrorKind::NotFound {
        return error.to_string();
    }
    match directory {
        Some(directory) if !directory.is_dir() => format!("its directory {} does not exist", directory.display()),
        _ if !command.contains('/') => "no program of this name is in `PATH`".to_owned(),
        _ if Path::new(command).exists() => "the interpreter that its first line names does not exist".to_owned(),
        _ => "the program does not exist".to_owned(),
    }
}
