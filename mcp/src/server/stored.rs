//! Results that are too long. The host stores them, and the client reads them as resources. Only the principal that made the call can read
//! its result.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::ErrorData;
use rmcp::model::{CacheScope, ReadResourceResult, Resource, ResourceContents};
use serde_json::{Value, json};
use toolc::limits::SpillStore;

use super::random::random_token;

/// What the addresses of stored results begin with.
const SCHEME: &str = "toolc-result:";
/// The number of results of a session that can be read. The oldest ones are forgotten.
const MAX_RESULTS: usize = 256;
/// The maximum size of a result that is read, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// The stored results of a session.
#[derive(Clone)]
pub(super) struct StoredResults(Arc<Inner>);

struct Inner {
    store: Option<Arc<dyn SpillStore>>,
    results: Mutex<VecDeque<StoredResult>>,
}

struct StoredResult {
    path: String,
    resource: Resource,
}

impl std::fmt::Debug for StoredResults {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoredResults").field("len", &self.lock().len()).finish_non_exhaustive()
    }
}

impl StoredResults {
    /// Returns an empty list. New results are stored in `store`. The names that the store returns must be paths of files.
    pub(super) fn new(store: Option<Arc<dyn SpillStore>>) -> Self {
        Self(Arc::new(Inner { store, results: Mutex::default() }))
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<StoredResult>> {
        self.0.results.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the link to the whole text of a shortened result.
    pub(super) fn link(&self, result: &Value) -> Option<Resource> {
        let path = result.get("file")?.as_str()?;
        self.lock().iter().find(|stored| stored.path == path).map(|stored| stored.resource.clone())
    }

    /// Reads a result.
    ///
    /// # Errors
    /// Returns an error if no result has this address, or its file cannot be read.
    pub(super) fn read(&self, uri: &str) -> Result<ReadResourceResult, ErrorData> {
        let found = self
            .lock()
            .iter()
            .find(|stored| stored.resource.uri == uri)
            .map(|stored| (stored.path.clone(), stored.resource.mime_type.clone().unwrap_or_default()));
        let Some((path, media_type)) = found else {
            return Err(not_found(uri, "there is no resource of this address"));
        };
        let text = read_file(Path::new(&path)).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => not_found(uri, "the result has expired and was deleted"),
            _ => ErrorData::internal_error(format!("failed to read the result: {error}"), None),
        })?;
        let contents = ResourceContents::text(text, uri).with_mime_type(media_type);
        Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(0).with_cache_scope(CacheScope::Private))
    }
}

fn not_found(uri: &str, why: &str) -> ErrorData {
    ErrorData::resource_not_found(why.to_owned(), Some(json!({ "uri": uri })))
}

fn read_file(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!("it has more than {} MiB", MAX_BYTES >> 20)));
    }
    Ok(text)
}

impl SpillStore for StoredResults {
    fn store(&self, tool: &str, extension: &str, text: &str) -> io::Result<String> {
        let store = self.0.store.as_ref().ok_or_else(|| io::Error::other("there is no folder for results"))?;
        let path = store.store(tool, extension, text)?;
        let uri = format!("{SCHEME}{}", random_token().map_err(io::Error::other)?);
        let media_type = if extension == "json" { "application/json" } else { "text/plain" };
        let resource = link(&uri, &format!("{tool}.{extension}"), media_type, text.len() as u64);
        let mut results = self.lock();
        if results.len() == MAX_RESULTS {
            results.pop_front();
        }
        results.push_back(StoredResult { path: path.clone(), resource });
        Ok(path)
    }
}

/// Returns a link to a stored result.
fn link(uri: &str, name: &str, media_type: &str, bytes: u64) -> Resource {
    Resource::new(uri, name)
        .with_title("The whole result")
        .with_description("The whole text of a result that was shortened. It is kept for a limited time.")
        .with_mime_type(media_type)
        .with_size(bytes)
}
