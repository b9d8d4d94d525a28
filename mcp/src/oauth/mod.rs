//! OAuth for servers with an address: the login of a person, and the tokens that requests carry.
//!
//! rmcp implements the protocol (metadata, registration, PKCE, resource indicator, issuer, refresh). This module decides which addresses
//! are asked, waits for the browser, keeps the tokens, and bounds how often a person is asked.

mod login;
mod loopback;
mod store;

use std::path::Path;
use std::sync::Arc;

use reqwest::Url;
use rmcp::transport::AuthClient;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, OAuthClientConfig, OAuthHttpClient, OAuthHttpClientFuture, OAuthHttpRequest,
    WWWAuthenticateParams,
};
use tokio::sync::Mutex;
use toolc::Env;

use crate::ask::Questioner;
use crate::error::{ErrorKind, McpError};
use crate::http::{HttpClient, server_address, set_variable};
use crate::secrets::Tokens;
use crate::settings::{Oauth, Server, Transport};
use crate::web::Web;
pub(crate) use login::{Account, log_in};
pub(crate) use store::TokenFile;

/// The maximum number of bytes of an answer of an authorization server.
const MAX_BODY: usize = 1 << 20;
/// The maximum number of logins for which a person is asked while a server is connected.
const MAX_LOGINS: u32 = 5;

/// Requests of the protocol, sent only to addresses that the server may name.
struct GuardedClient(Web);

impl OAuthHttpClient for GuardedClient {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let request = reqwest::Request::try_from(request.request)?;
            let (response, body) = self.0.send(request, MAX_BODY).await?;
            let mut answer = http::Response::builder().status(response.status());
            for (name, value) in response.headers() {
                answer = answer.header(name, value);
            }
            Ok(answer.body(body)?)
        })
    }
}

impl Account {
    /// Returns the account of a server, if requests to it carry tokens of a login: it has an address, and no credentials of its own. Its
    /// tokens are noted in `in_use`.
    ///
    /// # Errors
    /// Returns an error if the address is not valid, or a variable is not set.
    pub(crate) fn for_server(server: &Server, env: &Env, in_use: &Tokens) -> Result<Option<Self>, McpError> {
        let Transport::Http { url, headers, bearer_variable, oauth } = &server.transport else { return Ok(None) };
        let has_credentials = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"));
        if bearer_variable.is_some() || has_credentials {
            return Ok(None);
        }
        let parsed = server_address(url)?;
        let Oauth { client_id, client_secret_variable, client_metadata_url, scopes, tokens } = oauth.clone();
        let secret = client_secret_variable.map(|variable| set_variable(env, &variable));
        Ok(Some(Self {
            server: server.name.clone(),
            file: TokenFile::new(&tokens, url, in_use.clone()),
            url: parsed,
            client_id,
            client_secret: secret.transpose()?,
            client_metadata_url,
            scopes,
        }))
    }

    /// Returns a manager of tokens that has not discovered anything.
    pub(crate) async fn manager(&self) -> Result<AuthorizationManager, McpError> {
        let web = Arc::new(GuardedClient(Web::for_server(&self.url)?));
        let manager = AuthorizationManager::new_with_oauth_http_client(self.url.clone(), web).await;
        let mut manager = manager.map_err(failed)?;
        manager.set_credential_store(self.file.clone());
        Ok(manager)
    }

    /// Returns a manager with the tokens of the last login, if there are any.
    async fn restored(&self) -> Result<AuthorizationManager, McpError> {
        let mut manager = self.manager().await?;
        let Some(login) = self.file.read()? else { return Ok(manager) };
        let metadata = match manager.resolve_metadata().await {
            Ok(found) if found.source.is_discovered() => {
                if found.metadata.issuer != login.metadata.issuer {
                    self.file.remove()?;
                    return Ok(manager);
                }
                found.metadata
            }
            // The server cannot be asked now. The tokens may still be valid.
            _ => login.metadata,
        };
        manager.set_metadata(metadata);
        let mut client = OAuthClientConfig::new(login.client_id, login.redirect);
        client.client_secret = login.client_secret;
        manager.configure_client(client).map_err(failed)?;
        Ok(manager)
    }
}

fn failed(error: AuthError) -> McpError {
    McpError::new(ErrorKind::Login, error.to_string()).caused_by(error)
}

/// The login of a connection. Clones share it.
#[derive(Clone)]
pub(crate) struct Session {
    account: Arc<Account>,
    client: AuthClient<HttpClient>,
    /// The number of logins since the connection was opened.
    logins: Arc<Mutex<u32>>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("server", &self.account.server).finish_non_exhaustive()
    }
}

impl Session {
    /// Returns a session whose requests carry the tokens of the last login, if there are any.
    pub(crate) async fn open(account: Account, http: HttpClient) -> Result<Self, McpError> {
        let manager = account.restored().await?;
        Ok(Self { account: Arc::new(account), client: AuthClient::new(http, manager), logins: Arc::default() })
    }

    /// Returns the client whose requests carry the tokens.
    pub(crate) fn client(&self) -> AuthClient<HttpClient> {
        self.client.clone()
    }

    /// Returns the number of logins since the connection was opened.
    pub(crate) async fn logins(&self) -> u32 {
        *self.logins.lock().await
    }

    /// Asks the person to log in: the server has refused a request with this challenge, which was sent after `before` logins. Of calls
    /// that are refused at once, one asks.
    pub(crate) async fn log_in_again(
        &self,
        challenge: &str,
        before: u32,
        questioner: &Questioner,
    ) -> Result<(), McpError> {
        let mut logins = self.logins.lock().await;
        if *logins > before {
            return Ok(());
        }
        if *logins == MAX_LOGINS {
            let message = format!("it has asked for {MAX_LOGINS} logins already");
            return Err(McpError::new(ErrorKind::Login, message));
        }
        let scopes = scopes_of(challenge).unwrap_or_default();
        let more: Vec<String> = scopes.split_whitespace().map(str::to_owned).collect();
        let manager = log_in(&self.account, Some(challenge), &more, questioner).await?;
        *self.client.auth_manager.lock().await = manager;
        *logins += 1;
        Ok(())
    }
}

/// Returns the rights that a request lacks, if a challenge says that it lacks rights.
pub(crate) fn scopes_of(challenge: &str) -> Option<String> {
    let base = Url::parse("https://localhost/").ok()?;
    let params = WWWAuthenticateParams::parse(challenge, &base);
    let scopes: String = params.scope.clone().unwrap_or_default().chars().take(500).collect();
    params.is_insufficient_scope().then(|| scopes.escape_debug().to_string())
}

/// Removes the tokens of a server. Returns whether there were any.
///
/// # Errors
/// Returns an error if the file cannot be removed.
pub(crate) fn forget(tokens: &Path) -> Result<bool, McpError> {
    TokenFile::new(tokens, "", Tokens::default()).remove()
}
