//! What a person can do with a server apart from using its tools: log in, log out, and pin the version of its package.

use std::sync::Arc;

use rmcp::model::ProtocolVersion;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientLifecycleMode, ClientServiceExt as _};
use tokio::runtime::Builder;
use toolc::{Env, Registry};

use crate::ask::{Asker, Questioner};
use crate::client::Client;
use crate::error::{ErrorKind, McpError};
use crate::http;
use crate::listing::Listing;
use crate::oauth::{self, Account};
use crate::packages::{self, Package};
use crate::secrets::{SecretRedactor, Tokens};
use crate::settings::{Server, Transport};

/// Logs in to a server that is reached over HTTP. The person gets a question of the kind [`Login`](crate::QuestionKind::Login). Requests
/// `scopes` in addition to the scopes that the server names. Blocks until the login ends.
///
/// # Errors
/// Returns an error if the server does not use OAuth, or the login fails.
pub fn log_in(server: &Server, env: &Env, asker: Arc<dyn Asker>, scopes: &[String]) -> Result<(), McpError> {
    let Some(account) = Account::for_server(server, env, &Tokens::default())? else {
        let name = &server.name;
        let message = format!("`{name}` has no login: it is a program, or its credentials are in variables");
        return Err(McpError::new(ErrorKind::Login, message));
    };
    let questioner = Arc::new(questioner(server, env, asker));
    block_on(async {
        let challenge = challenge(server, env, &questioner).await?;
        oauth::log_in(&account, challenge.as_deref(), scopes, &questioner).await.map(drop)
    })
}

/// Logs out: removes the tokens of a server. Returns whether there were any. The server gets no request.
///
/// # Errors
/// Returns an error if the file of tokens cannot be removed.
pub fn log_out(server: &Server) -> Result<bool, McpError> {
    match &server.transport {
        Transport::Http { oauth, .. } => oauth::forget(&oauth.tokens),
        Transport::Stdio { .. } => Ok(false),
    }
}

/// Pins the package of a server to the newest version that its command line allows, after checking that version. Returns `None` if the
/// server is not the package of a registry.
///
/// # Errors
/// Returns an error if the version cannot be found, or is refused.
pub fn resolve_package(server: &Server, asker: Arc<dyn Asker>) -> Result<Option<Package>, McpError> {
    let questioner = questioner(server, &Env::empty(), asker);
    block_on(async { packages::prepare(server, &questioner, true).await.map_err(|refused| refused.error) })
}

fn questioner(server: &Server, env: &Env, asker: Arc<dyn Asker>) -> Questioner {
    let redactor = Arc::new(SecretRedactor::new(Registry::new().redactor(env)));
    Questioner::new(&server.name, Some(asker), None, server.question_timeout, redactor, Arc::default())
}

pub(crate) fn block_on<T>(work: impl Future<Output = Result<T, McpError>>) -> Result<T, McpError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        McpError::new(ErrorKind::System, format!("failed to prepare a connection: {error}")).caused_by(error)
    })?;
    let result = runtime.block_on(work);
    runtime.shutdown_background();
    result
}

/// Sends a request without tokens, and returns the authentication challenge if the server refuses the request.
async fn challenge(server: &Server, env: &Env, questioner: &Arc<Questioner>) -> Result<Option<String>, McpError> {
    let Transport::Http { url, headers, .. } = &server.transport else { return Ok(None) };
    let (client, config) = http::transport(url, headers, None, env)?;
    let inbox = client.inbox().clone();
    let transport = StreamableHttpClientTransport::with_client(client, config);
    let lifecycle = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::LATEST],
        legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
    };
    let asked = async {
        let service = match Client::new(Arc::clone(questioner)).serve_with_lifecycle(transport, lifecycle).await {
            Ok(service) => service,
            Err(error) => return error.auth_challenge().map(str::to_owned),
        };
        let listed = Listing::read(service.peer(), &inbox).await;
        let challenge = listed.err().and_then(|error| error.auth_challenge().map(str::to_owned));
        let _ = service.cancel().await;
        challenge
    };
    let asked = tokio::time::timeout(server.start_timeout, asked).await;
    asked.map_err(|_| {
        let seconds = server.start_timeout.as_secs_f32();
        McpError::new(ErrorKind::Unreachable, format!("the server does not answer within {seconds} s"))
    })
}
