//! A login: finds the authorization server, registers as its client, sends the person there, and gets the tokens.

use std::collections::BTreeSet;
use std::time::Duration;

use reqwest::Url;
use rmcp::transport::auth::{
    AuthorizationManager, AuthorizationMetadata, AuthorizationMetadataSource, OAuthClientConfig,
};

use super::loopback::{Callback, Loopback, read};
use super::store::TokenFile;
use crate::ask::{Address, Answer, Question, QuestionKind, Questioner};
use crate::error::{ErrorKind, McpError};

/// The time limit for the requests before and after the person is asked.
const TIMEOUT: Duration = Duration::from_mins(1);
/// What is wrong with an authorization server that exceeds a time limit.
const SILENT: &str = "the authorization server does not answer";
/// The maximum number of rights that are asked for.
const MAX_SCOPES: usize = 100;

/// The account at a server, and how this client introduces itself there.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    pub(crate) server: String,
    pub(crate) url: Url,
    pub(crate) file: TokenFile,
    pub(crate) client_id: Option<String>,
    pub(crate) client_secret: Option<String>,
    pub(crate) client_metadata_url: Option<String>,
    pub(crate) scopes: Vec<String>,
}

/// Logs in, and returns a manager with the tokens. The file gets them, too.
///
/// `challenge` is what the server has answered to a request without them, and `more` are rights to ask for in addition to those before.
pub(crate) async fn log_in(
    account: &Account,
    challenge: Option<&str>,
    more: &[String],
    questioner: &Questioner,
) -> Result<AuthorizationManager, McpError> {
    let begun = tokio::time::timeout(TIMEOUT, Begun::new(account, challenge, more)).await;
    let begun = begun.unwrap_or_else(|_| Err(failed(SILENT)))?;
    let callback = begun.ask(account, questioner).await?;
    let exchange = begun.manager.exchange_code_for_token_with_issuer(
        &callback.code,
        &callback.csrf_token,
        callback.issuer.as_deref(),
    );
    let exchanged = tokio::time::timeout(TIMEOUT, exchange).await;
    let exchanged = exchanged.map_err(|_| failed(SILENT))?;
    exchanged.map_err(|error| failed(format!("the login has failed: {}", bounded(&error))).caused_by(error))?;
    Ok(begun.manager)
}

/// A login that still needs the person.
struct Begun {
    manager: AuthorizationManager,
    loopback: Loopback,
    address: Address,
    state: String,
    scopes: Vec<String>,
}

impl Begun {
    async fn new(account: &Account, challenge: Option<&str>, more: &[String]) -> Result<Self, McpError> {
        let mut manager = account.manager().await?;
        let found = manager.resolve_metadata_from_challenge(challenge).await;
        let found = found.map_err(|error| {
            failed(format!("the authorization server was not found: {}", bounded(&error))).caused_by(error)
        })?;
        let is_published = found.source != AuthorizationMetadataSource::LegacyEndpointFallback;
        if !is_published && challenge.is_none() {
            return Err(failed("the server neither requires nor offers a login"));
        }
        let metadata = found.metadata;
        check(&metadata, is_published)?;
        manager.set_metadata(metadata.clone());
        let loopback = Loopback::open().await?;
        let before = account.file.read()?.filter(|login| login.metadata.issuer == metadata.issuer);
        let selected = manager.select_initial_scopes(&[]).await;
        let scopes =
            scopes(account, &metadata, selected, before.map(|login| login.scopes).filter(|_| !more.is_empty()), more);
        if scopes.len() > MAX_SCOPES {
            return Err(failed(format!("the server asks for {} rights, more than {MAX_SCOPES}", scopes.len())));
        }
        let client = client(account, &mut manager, &metadata, &loopback.redirect(), &scopes).await?;
        let login = account.file.login(client, loopback.redirect(), scopes.clone(), metadata);
        account.file.write(&login)?;
        let scope_words: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let url = manager
            .get_authorization_url(&scope_words)
            .await
            .map_err(|error| failed(bounded(&error)).caused_by(error))?;
        let address = Address::read(&url)
            .map_err(|problem| failed(format!("the page of the login cannot be opened: {problem}")))?;
        let parsed = Url::parse(&url).map_err(|error| failed(error.to_string()).caused_by(error))?;
        let state = parsed.query_pairs().find(|(name, _)| name == "state").map(|(_, state)| state.into_owned());
        let state = state.ok_or_else(|| failed("the address of the login has no state"))?;
        Ok(Self { manager, loopback, address, state, scopes })
    }

    /// Sends the person to the authorization server, and waits until the browser returns.
    async fn ask(
        &self,
        account: &Account,
        questioner: &Questioner,
    ) -> Result<rmcp::transport::auth::AuthorizationCallback, McpError> {
        let kind = QuestionKind::Login { address: self.address.clone(), scopes: self.scopes.clone() };
        let question = Question::new(&account.server, kind);
        let mut callback = std::pin::pin!(self.loopback.callback(&self.state));
        tokio::select! {
            biased;
            callback = &mut callback => callback,
            answer = questioner.ask(&question) => match answer {
                Answer::Accept(values) => match values.get("redirect").and_then(|redirect| redirect.as_str()) {
                    Some(redirect) => pasted(redirect, &self.state),
                    // The person says that the browser has returned, so the answer is on its way.
                    None => tokio::time::timeout(Duration::from_secs(5), callback).await
                        .unwrap_or_else(|_| Err(failed("the browser has not returned"))),
                },
                Answer::Decline => Err(McpError::new(ErrorKind::Declined, "the user refused it")),
                Answer::Cancel => Err(McpError::new(ErrorKind::Declined, "the question was not answered")),
            },
        }
    }
}

/// Reads the address that a person has copied from the browser.
fn pasted(redirect: &str, state: &str) -> Callback {
    let url = Url::parse(redirect.trim()).map_err(|_| failed("what was pasted is not an address"))?;
    let target = format!("{}?{}", url.path(), url.query().unwrap_or_default());
    read(&target, state).unwrap_or_else(|| Err(failed("what was pasted is not the answer to this login")))
}

/// Checks what an authorization server says about itself.
fn check(metadata: &AuthorizationMetadata, is_published: bool) -> Result<(), McpError> {
    let has_pkce = |methods: &Vec<String>| methods.iter().any(|method| method == "S256");
    if is_published && !metadata.code_challenge_methods_supported.as_ref().is_some_and(has_pkce) {
        return Err(failed("the authorization server does not say that it supports PKCE with S256, which is required"));
    }
    Ok(())
}

/// Returns the rights to ask for: the configured ones, or else the ones that the server names. A later login also asks for the earlier
/// ones.
fn scopes(
    account: &Account,
    metadata: &AuthorizationMetadata,
    selected: Vec<String>,
    before: Option<Vec<String>>,
    more: &[String],
) -> Vec<String> {
    let first = if account.scopes.is_empty() { selected } else { account.scopes.clone() };
    let mut known = BTreeSet::new();
    let all = before.into_iter().flatten().chain(first).chain(more.iter().cloned());
    let mut scopes: Vec<String> = all.filter(|scope| known.insert(scope.clone())).collect();
    // Without it, some servers give no refresh token, and the person would have to log in again.
    let offline = "offline_access";
    let is_supported = metadata.scopes_supported.iter().flatten().any(|scope| scope == offline);
    if is_supported && !scopes.is_empty() && !known.contains(offline) {
        scopes.push(offline.to_owned());
    }
    scopes
}

/// Registers this client at the authorization server, or uses a known client. Returns the id and the secret.
async fn client(
    account: &Account,
    manager: &mut AuthorizationManager,
    metadata: &AuthorizationMetadata,
    redirect: &str,
    scopes: &[String],
) -> Result<(String, Option<String>), McpError> {
    let knows_documents = metadata.additional_fields.get("client_id_metadata_document_supported");
    let document = account.client_metadata_url.clone().filter(|_| knows_documents == Some(&true.into()));
    let known = account.client_id.clone().map(|id| (id, account.client_secret.clone()));
    if let Some((id, secret)) = known.or_else(|| document.map(|url| (url, None))) {
        let mut config = OAuthClientConfig::new(id.clone(), redirect).with_scopes(scopes.to_vec());
        config.client_secret.clone_from(&secret);
        manager.configure_client(config).map_err(|error| failed(bounded(&error)).caused_by(error))?;
        return Ok((id, secret));
    }
    let words: Vec<&str> = scopes.iter().map(String::as_str).collect();
    let registered = manager.register_client("toolc", redirect, &words).await;
    let registered = registered.map_err(|error| {
        let advice = "set `oauth.client_id` if you have registered a client there";
        failed(format!("the authorization server does not register this client: {}; {advice}", bounded(&error)))
            .caused_by(error)
    })?;
    Ok((registered.client_id, registered.client_secret))
}

fn failed(message: impl Into<String>) -> McpError {
    McpError::new(ErrorKind::Login, message)
}

/// Returns an error with its causes as one short text, with every character visible.
fn bounded(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text += &format!(": {cause}");
        source = cause.source();
    }
    text.chars().take(500).collect::<String>().escape_debug().to_string()
}
