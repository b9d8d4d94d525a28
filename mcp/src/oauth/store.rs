//! The tokens of a server, in a file that only this user can read. They are used only for the address for which they were issued.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rmcp::transport::auth::{
    AuthError, AuthorizationMetadata, CredentialRefreshGuard, CredentialStore, StoredCredentials,
};
use serde::{Deserialize, Serialize};

use crate::error::{ErrorKind, McpError};
use crate::file;
use crate::secrets::Tokens;

/// The version of the format.
const VERSION: u32 = 1;
/// The maximum number of bytes of a file.
const MAX_BYTES: u64 = 1 << 20;

/// The file with the tokens of a server.
#[derive(Debug, Clone)]
pub(crate) struct TokenFile {
    path: PathBuf,
    /// The address of the server.
    url: String,
    /// The tokens that were read or written.
    in_use: Tokens,
}

/// What a login leaves in the file.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Login {
    version: u32,
    url: String,
    pub(super) client_id: String,
    pub(super) client_secret: Option<String>,
    pub(super) redirect: String,
    /// The rights that were asked for.
    pub(super) scopes: Vec<String>,
    pub(super) metadata: AuthorizationMetadata,
    pub(super) credentials: Option<StoredCredentials>,
}

/// Shows no secrets.
impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login").field("url", &self.url).field("client_id", &self.client_id).finish_non_exhaustive()
    }
}

impl Login {
    /// Returns what must not be shown.
    fn secrets(&self) -> Vec<String> {
        let response = self.credentials.as_ref().and_then(|credentials| serde_json::to_value(credentials).ok());
        let token = |name: &str| response.as_ref()?["token_response"][name].as_str().map(str::to_owned);
        [token("access_token"), token("refresh_token"), self.client_secret.clone()].into_iter().flatten().collect()
    }
}

impl TokenFile {
    pub(crate) fn new(path: &Path, url: &str, in_use: Tokens) -> Self {
        Self { path: path.to_owned(), url: url.to_owned(), in_use }
    }

    /// Returns what the last login left, if it was for this address.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or is not valid.
    pub(crate) fn read(&self) -> Result<Option<Login>, McpError> {
        let unreadable = |reason: &dyn std::fmt::Display| {
            let path = self.path.display();
            let message = format!("the file of tokens {path} cannot be read: {reason}; remove it, and log in again");
            McpError::new(ErrorKind::File, message)
        };
        let read = file::read(&self.path, MAX_BYTES).map_err(|error| unreadable(&error).caused_by(error))?;
        let Some(bytes) = read else { return Ok(None) };
        // The message of an error could show a part of a token.
        let login: Login =
            serde_json::from_slice(&bytes).map_err(|_| unreadable(&"it does not have the expected form"))?;
        if login.version != VERSION {
            return Err(unreadable(&format!("its version is {}, and this program knows {VERSION}", login.version)));
        }
        self.in_use.add(login.secrets());
        Ok(Some(login).filter(|login| login.url == self.url))
    }

    /// Returns a login without tokens.
    pub(super) fn login(
        &self,
        (client_id, client_secret): (String, Option<String>),
        redirect: String,
        scopes: Vec<String>,
        metadata: AuthorizationMetadata,
    ) -> Login {
        let url = self.url.clone();
        Login { version: VERSION, url, client_id, client_secret, redirect, scopes, metadata, credentials: None }
    }

    /// Replaces the file, which only this user can read.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written. In this case, the previous file is kept.
    pub(super) fn write(&self, login: &Login) -> Result<(), McpError> {
        self.in_use.add(login.secrets());
        file::write(&self.path, login).map_err(|error| {
            let message = format!("failed to write the file of tokens {}: {error}", self.path.display());
            McpError::new(ErrorKind::File, message).caused_by(error)
        })
    }

    /// Removes the file. Returns whether there was one.
    ///
    /// # Errors
    /// Returns an error if it cannot be removed.
    pub(crate) fn remove(&self) -> Result<bool, McpError> {
        match fs::remove_file(&self.path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => {
                let message = format!("failed to remove {}: {error}", self.path.display());
                Err(McpError::new(ErrorKind::File, message).caused_by(error))
            }
        }
    }

    /// Locks the tokens, so that two programs do not refresh them at once: the second refresh would use a token that the first has
    /// invalidated.
    fn lock(&self) -> io::Result<File> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut path = self.path.clone().into_os_string();
        path.push(".lock");
        let file = File::options().create(true).truncate(false).write(true).open(PathBuf::from(path))?;
        file.lock()?;
        Ok(file)
    }
}

fn failed(reason: &dyn std::fmt::Display) -> AuthError {
    AuthError::CredentialStoreError(reason.to_string())
}

type Stored<'a, T> = std::pin::Pin<Box<dyn Future<Output = Result<T, AuthError>> + Send + 'a>>;

impl CredentialStore for TokenFile {
    fn load<'s, 'a>(&'s self) -> Stored<'a, Option<StoredCredentials>>
    where
        's: 'a,
        Self: 'a,
    {
        Box::pin(async move { Ok(self.read().map_err(|error| failed(&error))?.and_then(|login| login.credentials)) })
    }

    fn save<'s, 'a>(&'s self, credentials: StoredCredentials) -> Stored<'a, ()>
    where
        's: 'a,
        Self: 'a,
    {
        Box::pin(async move {
            let login = self.read().map_err(|error| failed(&error))?;
            let mut login =
                login.ok_or_else(|| failed(&"the login was removed, or is for another address: log in again"))?;
            login.credentials = Some(credentials);
            self.write(&login).map_err(|error| failed(&error))
        })
    }

    fn clear<'s, 'a>(&'s self) -> Stored<'a, ()>
    where
        's: 'a,
        Self: 'a,
    {
        Box::pin(async move { self.remove().map(drop).map_err(|error| failed(&error)) })
    }

    fn acquire_refresh_guard<'s, 'a>(&'s self) -> Stored<'a, Option<CredentialRefreshGuard>>
    where
        's: 'a,
        Self: 'a,
    {
        Box::pin(async move {
            let file = self.clone();
            let locked = tokio::task::spawn_blocking(move || file.lock()).await;
            let locked = locked.map_err(|error| failed(&error))?;
            let file = locked.map_err(|error| failed(&format!("the file of tokens cannot be locked: {error}")))?;
            Ok(Some(CredentialRefreshGuard::new(file)))
        })
    }
}
