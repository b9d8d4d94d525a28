//! Opens a connection to a server: starts its program or prepares HTTP, and agrees on a version of the protocol.

use std::sync::Arc;

use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientInitializeError, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientLifecycleMode, ClientServiceExt as _, RoleClient};
use toolc::Env;

use crate::client::Client;
use crate::http;
use crate::oauth::{Account, Session};
use crate::secrets::Secrets;
use crate::settings::{Server, Transport};
use crate::stdio::{Program, ProgramEnd, StdioTransport};

/// The maximum number of characters of a reason.
const MAX_REASON: usize = 2_000;

/// An open connection.
pub(crate) struct Connection {
    pub(crate) service: RunningService<RoleClient, Client>,
    /// The login, if requests carry an access token.
    pub(crate) oauth: Option<Session>,
}

/// Why a connection could not be opened.
#[derive(Debug)]
pub(crate) struct ConnectError {
    pub(crate) reason: String,
    /// Whether another try would fail, too.
    pub(crate) is_final: bool,
}

/// Opens a connection, in the newest era of the protocol that the server knows. `program` is set to its program, if it has one.
pub(crate) async fn connect(
    server: &Arc<Server>,
    client: &Client,
    env: &Env,
    redactor: &Secrets,
    program: &mut Option<ProgramEnd>,
) -> Result<Connection, ConnectError> {
    let mut opening = Opening { server, client, env, redactor, program };
    let newest = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::LATEST],
        legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
    };
    match opening.open(newest).await {
        // A server of the older era may end at the first message that it does not know, or answer it with nothing.
        Err(Failure {
            error: Some(ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::ExpectedInitResult(_)),
            ..
        }) => opening.open(ClientLifecycleMode::Initialize).await.map_err(|failure| failure.reported),
        result => result.map_err(|failure| failure.reported),
    }
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

/// What a connection is opened with.
struct Opening<'a> {
    server: &'a Arc<Server>,
    client: &'a Client,
    env: &'a Env,
    redactor: &'a Secrets,
    program: &'a mut Option<ProgramEnd>,
}

impl Opening<'_> {
    async fn open(&mut self, lifecycle: ClientLifecycleMode) -> Result<Connection, Failure> {
        let client = self.client.clone();
        let mut oauth = None;
        let served = match &self.server.transport {
            Transport::Stdio { command, .. } => {
                let (transport, program) = start(self.server, self.env).await.map_err(|error| {
                    let reason = format!("failed to start `{command}`: {error}");
                    Failure::before_start(self.redacted(&reason))
                })?;
                *self.program = Some(program);
                client.serve_with_lifecycle(transport, lifecycle).await
            }
            Transport::Http { url, headers, bearer_variable, .. } => {
                let transport = http::transport(url, headers, bearer_variable.as_deref(), self.env);
                let (http, config) = transport.map_err(Failure::before_start)?;
                match Account::of(self.server, self.env, &self.redactor.tokens).map_err(Failure::before_start)? {
                    None => {
                        let transport = StreamableHttpClientTransport::with_client(http, config);
                        client.serve_with_lifecycle(transport, lifecycle).await
                    }
                    Some(account) => {
                        let session = Session::open(account, http).await.map_err(Failure::before_start)?;
                        let transport = StreamableHttpClientTransport::with_client(session.client(), config);
                        oauth = Some(session);
                        client.serve_with_lifecycle(transport, lifecycle).await
                    }
                }
            }
        };
        match served {
            Ok(service) => Ok(Connection { service, oauth }),
            Err(error) => Err(self.failure(error).await),
        }
    }

    async fn failure(&self, error: ClientInitializeError) -> Failure {
        let is_final = error.is_authorization_required();
        let reason = match (&error, &self.program) {
            (ClientInitializeError::ConnectionClosed(_), Some(program)) => {
                format!("the server ended while it was started: {}", program.text(|text| self.redacted(text)).await)
            }
            _ if is_final => login_advice(self.server),
            _ => reason(&error, self.redactor),
        };
        Failure { reported: ConnectError { reason, is_final }, error: Some(error) }
    }

    fn redacted(&self, text: &str) -> String {
        self.redactor.text(text).into_owned()
    }
}

/// Says what to do about a server that refuses requests without credentials.
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

/// Returns an error with its causes as one text, without secrets.
pub(crate) fn reason(error: &(dyn std::error::Error + 'static), redactor: &Secrets) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text += &format!(": {cause_text}");
        }
        source = cause.source();
    }
    let text = redactor.text(&text);
    text.chars().take(MAX_REASON).collect()
}
