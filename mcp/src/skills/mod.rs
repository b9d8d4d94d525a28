//! The skills of servers with the extension `io.modelcontextprotocol/skills`: lists them, and reads their files when they are needed.

mod content;
mod entry;
mod known;
mod listing;

use std::fmt;
use std::sync::Arc;

use rmcp::model::{
    ClientRequest, GetSkillRequest, GetSkillRequestParams, ReadResourceRequest, ReadResourceRequestParams, SKILL_MD,
    ServerResult,
};
use rmcp::service::{PeerRequestOptions, ServiceError};
use serde_json::{Map, Value};
use tokio_util::task::AbortOnDropHandle;

use crate::call::{Caller, Live, Status};
use crate::error::{ErrorKind, McpError};
use crate::failure;
pub(crate) use known::SkillServer;

pub use content::SkillContent;
pub use entry::{LeftOutSkill, ServerSkill, SkillFile};
pub use listing::SkillListing;

/// The number of files that an error names.
const MAX_NAMED: usize = 20;

/// Reads the front matter of a `SKILL.md`, with every field, or says what is wrong.
type FrontMatterReader = dyn Fn(&str) -> Result<Map<String, Value>, String> + Send + Sync;

/// The skills of the servers of a host. Clones share them.
///
/// Everything here comes from servers, so it is text from outside, even if it matches its digest: a server also writes the digests. A host
/// names the server of a skill wherever it shows or records the skill, since two servers can have skills of the same address.
#[derive(Clone)]
pub struct ServerSkills {
    servers: Arc<[Arc<SkillServer>]>,
    front_matter: Arc<FrontMatterReader>,
}

impl fmt::Debug for ServerSkills {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerSkills").finish_non_exhaustive()
    }
}

impl ServerSkills {
    pub(crate) fn new(
        servers: Arc<[Arc<SkillServer>]>,
        front_matter: impl Fn(&str) -> Result<Map<String, Value>, String> + Send + Sync + 'static,
    ) -> Self {
        Self { servers, front_matter: Arc::new(front_matter) }
    }

    /// Asks all connected servers that declare the extension for their skills, and returns them in the order of the servers. No file is read.
    /// A server can have skills that it does not list: see [`get`](Self::get).
    pub async fn list(&self) -> Vec<Arc<SkillListing>> {
        let connected = self.servers.iter().filter_map(|server| Some((server, connected(&server.caller)?)));
        let running: Vec<_> = connected
            .filter(|(_, live)| declares(live))
            .map(|(server, live)| {
                let of_task = Arc::clone(server);
                let listing = async move { of_task.refresh(&live).await };
                (server, AbortOnDropHandle::new(server.caller.runtime.spawn(listing)))
            })
            .collect();
        let mut listings = Vec::new();
        for (server, listing) in running {
            let stopped = || Some(Arc::new(SkillListing::failed(&server.caller, "the server is stopped")));
            listings.extend(listing.await.unwrap_or_else(|_| stopped()));
        }
        listings
    }

    /// Returns the last lists of the servers, in their order, without asking them: each lists its skills when it connects. A server that has
    /// not done so yet, or has no skills, is left out.
    pub fn known(&self) -> Vec<Arc<SkillListing>> {
        self.servers.iter().filter_map(|server| server.last()).collect()
    }

    /// Returns whether a server is connected and has not said yet which skills it has.
    pub fn is_listing(&self) -> bool {
        self.servers.iter().any(|server| server.is_listing())
    }

    /// Asks a server for one skill by the address of its `SKILL.md`, whether or not the server lists it. After a file of a skill did not match
    /// its entry, this returns the current entry.
    ///
    /// # Errors
    /// Returns an error if the server is unknown or has no skills, if it does not answer, if the entry cannot be used, or if it is held back
    /// until a person accepts it.
    pub async fn get(&self, server: &str, uri: &str) -> Result<ServerSkill, McpError> {
        let (server, uri) = (self.server(server)?, uri.to_owned());
        let of_task = Arc::clone(&server);
        run(&server.caller, async move { of_task.check(get(&of_task.caller, &uri).await?) }).await
    }

    /// Reads a file of a skill, and checks it against the entry: its size, its digest, and for `SKILL.md` each field of its front matter.
    ///
    /// # Errors
    /// Returns an error of the kind [`Unverified`](ErrorKind::Unverified) if the file does not match the entry, and another one if the entry
    /// has no such file, or the server does not answer.
    pub async fn read(&self, skill: &ServerSkill, path: &str) -> Result<SkillContent, McpError> {
        let caller = Arc::clone(&self.server(&skill.server)?.caller);
        let file = skill.files.iter().find(|file| file.path == path).cloned().ok_or_else(|| {
            let mut names: Vec<&str> = skill.files.iter().take(MAX_NAMED).map(|file| file.path.as_str()).collect();
            if skill.files.len() > MAX_NAMED {
                names.push("...");
            }
            let text = format!("the skill `{}` has no file `{path}`: it has {}", skill.name, names.join(", "));
            McpError::new(ErrorKind::Unknown, text)
        })?;
        let of_task = Arc::clone(&caller);
        let content = run(&caller, async move { read(&of_task, &file).await }).await?;
        if path == SKILL_MD {
            let front_matter = std::str::from_utf8(&content.bytes).map_err(|_| "it is not UTF-8".to_owned());
            let front_matter = front_matter.and_then(|text| (self.front_matter)(text));
            let same = front_matter.and_then(|read| content::compare(&skill.front_matter, &read));
            same.map_err(|problem| {
                unverified(&caller, &format!("sent a SKILL.md of the skill `{}`: {problem}", skill.name))
            })?;
        }
        Ok(content)
    }

    fn server(&self, name: &str) -> Result<Arc<SkillServer>, McpError> {
        let server = self.servers.iter().find(|server| server.caller.server == name).cloned();
        server.ok_or_else(|| McpError::new(ErrorKind::Unknown, format!("no MCP server is called `{name}`")))
    }
}

/// Runs a request on the runtime of the servers. Dropping the future ends it.
async fn run<T: Send + 'static>(
    caller: &Caller,
    request: impl Future<Output = Result<T, McpError>> + Send + 'static,
) -> Result<T, McpError> {
    let answer = AbortOnDropHandle::new(caller.runtime.spawn(request)).await;
    let stopped = || McpError::new(ErrorKind::Unreachable, format!("the MCP server `{}` is stopped", caller.server));
    answer.unwrap_or_else(|_| Err(stopped()))
}

async fn get(caller: &Caller, uri: &str) -> Result<ServerSkill, McpError> {
    let request = GetSkillRequest::new(GetSkillRequestParams::new(uri));
    let entry = match ask(caller, &*live(caller).await?, ClientRequest::GetSkillRequest(request)).await? {
        ServerResult::GetSkillResult(answer) => serde_json::to_value(answer.skill).unwrap_or_default(),
        ServerResult::CustomResult(mut answer) => answer.0.get_mut("skill").map(Value::take).unwrap_or_default(),
        _ => Value::Null,
    };
    let skill = ServerSkill::read(caller, &entry);
    let skill =
        skill.map_err(|refused| unverified(caller, &format!("answers for the skill {uri}: {}", refused.reason)))?;
    if skill.uri == uri {
        return Ok(skill);
    }
    Err(unverified(caller, &format!("was asked for the skill {uri}, and answers with {}", skill.uri)))
}

async fn read(caller: &Caller, file: &SkillFile) -> Result<SkillContent, McpError> {
    let request = ReadResourceRequest::new(ReadResourceRequestParams::new(file.uri.clone()));
    let answer = ask(caller, &*live(caller).await?, ClientRequest::ReadResourceRequest(request)).await?;
    let bytes = content::bytes(answer, &file.uri).and_then(|bytes| file.verify(&bytes).map(|()| bytes));
    let bytes = bytes.map_err(|problem| unverified(caller, &format!("sent a file of a skill: {problem}")))?;
    Ok(SkillContent::new(bytes, &caller.redactor))
}

/// Returns the connection of a server, if it is connected.
fn connected(caller: &Caller) -> Option<Arc<Live>> {
    match &*caller.status.borrow() {
        Status::Connected(live) if !live.peer.is_transport_closed() => Some(Arc::clone(live)),
        _ => None,
    }
}

/// Waits until a server is connected.
async fn live(caller: &Caller) -> Result<Arc<Live>, McpError> {
    let failed = |problem: String| McpError::new(ErrorKind::Unreachable, problem);
    let live = tokio::time::timeout(caller.timeout, caller.live()).await;
    let live = live.map_err(|_| failed(format!("the MCP server `{}` is not connected", caller.server)))?;
    let live = live.map_err(|error| failed(error.message().to_owned()))?;
    if declares(&live) {
        return Ok(live);
    }
    Err(McpError::new(ErrorKind::Unknown, format!("the MCP server `{}` has no skills", caller.server)))
}

fn declares(live: &Live) -> bool {
    live.peer.peer_info().is_some_and(|info| info.capabilities.supports_skills())
}

/// Sends a request. After the time limit of calls, it is cancelled at the server.
async fn ask(caller: &Caller, live: &Live, request: ClientRequest) -> Result<ServerResult, McpError> {
    let (method, options) = (request.method().to_owned(), PeerRequestOptions::with_timeout(caller.timeout));
    let answer = match live.peer.send_cancellable_request(request, options).await {
        Ok(request) => request.await_response().await,
        Err(error) => Err(error),
    };
    answer.map_err(|error| {
        let (server, reason) = (&caller.server, failure::reason(&error, &caller.redactor));
        match &error {
            ServiceError::McpError(refused) => {
                let reason = failure::display_text(&failure::error_reason(refused), &caller.redactor);
                McpError::new(ErrorKind::Unknown, format!("the MCP server `{server}` refuses `{method}`: {reason}"))
            }
            _ => McpError::new(
                ErrorKind::Unreachable,
                format!("the MCP server `{server}` does not answer `{method}`: {reason}"),
            ),
        }
    })
}

/// Returns the error for something that does not match an entry.
fn unverified(caller: &Caller, what: &str) -> McpError {
    let what = failure::display_text(what, &caller.redactor);
    McpError::new(ErrorKind::Unverified, format!("the MCP server `{}` {what}", caller.server))
}
