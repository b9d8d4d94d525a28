//! An MCP server: serves the tools of sessions to clients, over standard streams and streamable HTTP, in both forms of the protocol
//! (with sessions, and stateless).
//!
//! rmcp implements the protocol. This module decides who may use what: each call takes the path of all calls, and state that outlives a
//! request (sessions, questions, tasks, stored results) belongs to the bearer who created it.

// In the order of a request: `stdio` and `http` carry messages, of which `unreadable` answers the bad ones, and `rewritten` completes
// others; `principal` is who sends them; `handler` answers them; `conversation` is the session of tools; `tools` lists, `calls` runs,
// `questions` asks, and `results` answers; `skills` serves skills; `cursor` divides lists into pages; `cache` is what clients may keep;
// `parked`, `tasks` and `stored` keep what a later request needs.
mod cache;
mod calls;
mod conversation;
mod cursor;
mod handler;
mod http;
mod parked;
mod principal;
mod questions;
mod random;
mod results;
mod rewritten;
mod skills;
mod stdio;
mod stored;
mod tasks;
mod tools;
mod unreadable;

use std::error::Error;
use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use toolc::SessionBuilder;
use toolc::approval::ApprovalRequest;
use toolc::limits::SpillStore;
use toolc::wire::mcp::CacheScope;

use crate::error::{ErrorKind, McpError};
use cache::Cache;
use calls::Limits;
use conversation::Sessions;
use handler::{Handler, Shared};
use stdio::StdioTransport;

pub use calls::ClientQuestions;
pub use http::{HttpAccess, HttpServer, MAX_REQUEST, PATH};
pub use principal::{MIN_TOKEN_LEN, Tokens};
pub use questions::{Answer, Input, NotAnswered};
pub use skills::{ServedFile, ServedSkill, SkillShelf};

/// The number of calls that run at the same time.
const MAX_RUNNING: usize = 128;
/// The number of calls that exist at the same time, including waiting ones.
const MAX_CALLS: usize = 4_096;
/// The time after which a call continues in the background, if the client knows tasks.
const BACKGROUND_AFTER: Duration = Duration::from_secs(10);
/// The time that calls have to end after the server was stopped.
const GRACE: Duration = Duration::from_secs(5);

/// A server of tools.
pub struct ToolServer {
    name: String,
    version: String,
    instructions: String,
    sessions: Sessions,
    background_after: Duration,
    cache: Cache,
    shelf: Option<skills::Shelf>,
}

impl std::fmt::Debug for ToolServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolServer").field("name", &self.name).field("version", &self.version).finish_non_exhaustive()
    }
}

impl ToolServer {
    /// The maximum time for which clients may keep a list.
    pub const MAX_CACHE_TTL: Duration = toolc::wire::mcp::Server::MAX_CACHE_TTL;

    /// Returns a server with this name and version. `session` returns the builder of the session of a client. It is called for each
    /// client, and must return the same each time. The tools must be defined in the dialect `mcp`.
    pub fn new(
        name: impl Into<String>,
        version: impl Into<String>,
        session: impl Fn() -> Result<SessionBuilder, Box<dyn Error + Send + Sync>> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            instructions: String::new(),
            sessions: Sessions { new: Box::new(session), store: None, question: None },
            background_after: BACKGROUND_AFTER,
            cache: Cache::default(),
            shelf: None,
        }
    }

    /// Sets the instructions that a client may show to its model. Empty by default.
    #[must_use]
    pub fn instructions(self, text: impl Into<String>) -> Self {
        Self { instructions: text.into(), ..self }
    }

    /// Asks the person at the client about calls that need approval. `text` writes the question; its flag is whether the call
    /// can be approved for the session. Without this, the approver of the session builder decides. A client that cannot ask is refused.
    #[must_use]
    pub fn ask_client(mut self, text: impl Fn(&ApprovalRequest<'_>, bool) -> String + Send + Sync + 'static) -> Self {
        self.sessions.question = Some(Arc::new(text));
        self
    }

    /// Sets the stores for results that are too long: `store` returns the store of the session with an id. The names of results must be
    /// paths. Clients read the results as resources.
    #[must_use]
    pub fn store(mut self, store: impl Fn(&str) -> Arc<dyn SpillStore> + Send + Sync + 'static) -> Self {
        self.sessions.store = Some(Box::new(store));
        self
    }

    /// Sets the time after which a call continues as a task, if the client knows tasks. Default: 10 seconds.
    #[must_use]
    pub fn background_after(self, time: Duration) -> Self {
        Self { background_after: time, ..self }
    }

    /// Sets how long clients may keep the lists and the description of the server, and who may use what was kept (`ttlMs` and
    /// `cacheScope` of 2026-07-28). Default: 0 and [`Private`](CacheScope::Private), because the tools can change at any time, for
    /// example with a plugin, and clients get no notification. The time is at most [a day](Self::MAX_CACHE_TTL).
    ///
    /// With [`Public`](CacheScope::Public), everyone who shares a cache with a client sees the names and descriptions of the tools and
    /// the skills, even without a token. Stored results and the files of skills are never kept or shared.
    #[must_use]
    pub fn cache(self, ttl: Duration, scope: CacheScope) -> Self {
        Self { cache: Cache::new(ttl, scope), ..self }
    }

    /// Serves these skills, too. Without a shelf, the server does not declare the extension for skills.
    #[must_use]
    pub fn shelf(self, skills: impl SkillShelf) -> Self {
        Self { shelf: Some(skills::Shelf::new(skills)), ..self }
    }

    /// Serves the client at these streams, until its input ends. Calls that run then have a few seconds to end, and are cancelled.
    ///
    /// # Errors
    /// Returns an error if a session is invalid, or no thread can be started.
    pub async fn serve_stdio(
        self,
        input: impl BufRead + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> io::Result<()> {
        let shared = self.shared()?;
        let (transport, output) = StdioTransport::start(input, output)?;
        let served = match Handler::new(Arc::clone(&shared)).serve(transport).await {
            Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
            // The client has left before the first request.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        };
        // The last message may be an error that ended the conversation before it began.
        output.written().await;
        shared.stop().await;
        served
    }

    /// Serves the clients of an HTTP server, until `stop` ends. Calls that run then have a few seconds to end, and are cancelled.
    ///
    /// # Errors
    /// Returns an error if a session is invalid.
    pub async fn serve_http(self, server: HttpServer, stop: impl Future<Output = ()>) -> io::Result<()> {
        server.serve(self.shared()?, stop).await
    }

    /// Returns what all connections share. Checks that a session can be made.
    fn shared(self) -> io::Result<Arc<Shared>> {
        let shared = Shared {
            info: handler::info(&self.name, &self.version, &self.instructions, self.shelf.is_some()),
            sessions: self.sessions,
            limits: Limits::new(MAX_RUNNING, MAX_CALLS),
            background_after: self.background_after,
            list: tools::LatestList::default(),
            cache: self.cache,
            shelf: self.shelf,
            parked: parked::ParkedCalls::default(),
            tasks: tasks::Tasks::default(),
            conversations: Mutex::default(),
        };
        shared.check().map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        Ok(Arc::new(shared))
    }
}

impl Shared {
    /// Makes a session, and reads its tools, so that a mistake is found before there is a client.
    fn check(&self) -> Result<(), McpError> {
        let conversation = self.sessions.begin(principal::Principal::parent(), false)?;
        let turn = conversation.session.turn_blocking(toolc::Dialect::Mcp);
        self.list.for_turn(&turn).map(drop).map_err(|error| McpError::new(ErrorKind::System, error.message))
    }

    /// Waits until calls have ended, for a limited time, and cancels the others.
    async fn stop(&self) {
        let _ = tokio::time::timeout(GRACE, self.limits.idle(MAX_CALLS)).await;
        self.parked.clear();
        self.tasks.stop();
        self.conversations.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clear();
    }
}
