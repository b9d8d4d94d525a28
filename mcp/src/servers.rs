//! All servers of a host: started together, and stopped together.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use toolc::{Env, Registry};

use crate::ask::Answering;
use crate::error::{ErrorKind, McpError};
use crate::pins::{ServerList, SkillDefinition, definition_text};
use crate::report::ServerReport;
use crate::settings::Server;
use crate::skills::{ServerSkills, SkillServer};
use crate::supervisor::{Host, Supervised};

/// The time in which servers end when the host stops. Programs that take longer are ended with the host.
const STOP: Duration = Duration::from_secs(4);
/// The number of threads that handle messages of servers.
const THREADS: usize = 2;

/// The servers of a host, whose tools are in its registry. Dropping this value stops them.
#[derive(Debug)]
pub struct Servers {
    /// Only `None` after the servers were stopped.
    runtime: Option<Runtime>,
    running: Vec<Supervised>,
    skills: Arc<[Arc<SkillServer>]>,
    /// Set when the servers may start.
    release: watch::Sender<bool>,
    stop: watch::Sender<bool>,
    /// Closed after every server has ended.
    ended: Mutex<mpsc::Receiver<()>>,
}

impl Servers {
    /// Starts the servers in the background, and answers what they ask. Each gets an empty toolset in the registry at once, and its tools
    /// when it has listed them. Its variables have their values in `env`.
    ///
    /// # Errors
    /// Returns an error if two servers have the same name, a name is not valid, the registry has a toolset of this name already, or no
    /// thread can be started.
    pub fn start(
        servers: Vec<Server>,
        registry: &Registry,
        env: &Env,
        answering: &Answering,
    ) -> Result<Self, McpError> {
        let servers = Self::prepare(servers, registry, env, answering)?;
        servers.releaser()();
        Ok(servers)
    }

    /// Like [`start`](Self::start), but no server starts before it is [released](Self::releaser): many programs that start at the same time
    /// delay everything else.
    ///
    /// # Errors
    /// Like [`start`](Self::start).
    pub fn prepare(
        servers: Vec<Server>,
        registry: &Registry,
        env: &Env,
        answering: &Answering,
    ) -> Result<Self, McpError> {
        let runtime = Builder::new_multi_thread().worker_threads(THREADS).enable_all().thread_name("MCP").build();
        let runtime = runtime.map_err(|error| {
            McpError::new(ErrorKind::System, format!("failed to start threads for MCP servers: {error}"))
                .caused_by(error)
        })?;
        let (stop, stopped) = watch::channel(false);
        let (release, released) = watch::channel(false);
        let (alive, ended) = mpsc::channel::<()>();
        let runtime_of_calls = runtime.handle().clone();
        let host = Host { registry, env, answering, turn: Arc::default(), runtime: runtime_of_calls, stop: stopped };
        let mut running = Vec::new();
        for server in servers {
            let (supervised, supervisor) = host.prepare(server)?;
            running.push(supervised);
            let (alive, mut released, mut stopped) = (alive.clone(), released.clone(), host.stop.clone());
            runtime.spawn(async move {
                let is_released = tokio::select! {
                    released = released.wait_for(|is_released| *is_released) => released.is_ok(),
                    _ = stopped.wait_for(|is_stopped| *is_stopped) => false,
                };
                if is_released {
                    supervisor.run().await;
                }
                drop(alive);
            });
        }
        let skills: Arc<[_]> = running.iter().map(|server: &Supervised| Arc::new(server.skill_server())).collect();
        for server in &*skills {
            runtime.spawn(Arc::clone(server).follow());
        }
        Ok(Self { runtime: Some(runtime), running, skills, release, stop, ended: Mutex::new(ended) })
    }

    /// Returns a function that starts the servers, if they are not started yet. It can be called after this value was moved or dropped.
    pub fn releaser(&self) -> impl Fn() + Send + Sync + use<> {
        let release = self.release.clone();
        move || {
            release.send_replace(true);
        }
    }

    /// Waits until every server has listed its tools or has failed to start, each at most for its own time limit.
    pub fn wait_until_started(&self) {
        for running in &self.running {
            running.wait(None);
        }
    }

    /// Waits like [`wait_until_started`](Self::wait_until_started), but at most for `limit` for all servers together, except for those that
    /// are `needed`. The tools of the others are added to the registry when they are listed.
    pub fn wait_for(&self, limit: Duration, needed: impl Fn(&str) -> bool) {
        let deadline = Instant::now() + limit;
        let (needed, others): (Vec<_>, Vec<_>) = self.running.iter().partition(|running| needed(&running.server.name));
        for running in needed {
            running.wait(None);
        }
        for running in others {
            running.wait(Some(deadline));
        }
    }

    /// Waits until every connected server that has skills has listed them, at most for `limit` for all servers together.
    pub fn wait_for_skills(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        for server in &*self.skills {
            server.wait(deadline);
        }
    }

    /// Returns reports about all servers, in the order in which they were passed.
    pub fn reports(&self) -> Vec<ServerReport> {
        self.watch()()
    }

    /// Returns a function that returns the [reports](Self::reports), even after this value was moved or dropped.
    pub fn watch(&self) -> impl Fn() -> Vec<ServerReport> + Send + Sync + use<> {
        let reports: Vec<_> = self.running.iter().map(|running| Arc::clone(&running.report)).collect();
        move || reports.iter().map(|report| report.lock().unwrap_or_else(PoisonError::into_inner).clone()).collect()
    }

    /// Returns the whole definitions of the tools that a server lists and that can be used, by the names that it gives them, each as text
    /// for a person.
    ///
    /// # Errors
    /// Returns an error if the server is unknown or has listed no tools.
    pub fn definitions(&self, server: &str) -> Result<BTreeMap<String, String>, McpError> {
        let (_, listed) = self.find_list(server)?;
        Ok(listed.definitions.iter().map(|(name, tool)| (name.clone(), definition_text(tool))).collect())
    }

    /// Returns the skills that a server has listed and that can be used, by their names among its skills: each its front matter and its
    /// files, as text for a person.
    pub fn skill_definitions(&self, server: &str) -> BTreeMap<String, String> {
        let listed = self.listed_skills(server).unwrap_or_default();
        listed.into_iter().map(|skill| (skill.label, definition_text(&skill.whole))).collect()
    }

    /// Pins tools and skills of a server as they are now: a person has accepted them. Without names, pins all tools and skills that it lists,
    /// and the server itself: its start and its instructions. Returns the pinned names. The server must have been started [for review](crate::Pinning::for_review); it uses them from its next start on.
    ///
    /// # Errors
    /// Returns an error if the server is unknown or has listed no tools, if a name is unknown, or if the lock file cannot be written.
    pub fn accept(&self, server: &str, names: Option<&[String]>) -> Result<Vec<String>, McpError> {
        let ((_, listed), skills) = (self.find_list(server)?, self.listed_skills(server).unwrap_or_default());
        let Some(names) = names else { return self.pin(server, None) };
        // A tool and a skill can have the same name.
        let is_tool = |name: &&String| listed.definitions.contains_key(*name);
        let is_skill = |name: &&String| skills.iter().any(|skill| skill.label == **name);
        if let Some(unknown) = names.iter().find(|name| !is_tool(name) && !is_skill(name)) {
            let message = format!("the server lists no tool or skill `{unknown}`");
            return Err(McpError::new(ErrorKind::Unknown, message));
        }
        let tools: Vec<String> = names.iter().filter(is_tool).cloned().collect();
        let skills: Vec<String> = names.iter().filter(is_skill).cloned().collect();
        self.pin(server, Some((&tools, &skills)))
    }

    /// Pins these tools and these skills of a server, as [`accept`](Self::accept) does. A skill with the name of a tool is not meant, and the
    /// other way round.
    ///
    /// # Errors
    /// Like [`accept`](Self::accept).
    pub fn accept_each(&self, server: &str, tools: &[String], skills: &[String]) -> Result<(), McpError> {
        self.pin(server, Some((tools, skills))).map(drop)
    }

    fn pin(&self, server: &str, names: Option<(&[String], &[String])>) -> Result<Vec<String>, McpError> {
        let ((running, listed), skills) = (self.find_list(server)?, self.listed_skills(server));
        running.server.pinning.accept(&running.server, &listed, skills.as_deref(), names)
    }

    fn listed_skills(&self, server: &str) -> Option<Vec<SkillDefinition>> {
        self.skills.iter().find(|skills| skills.caller.server == server)?.definitions()
    }

    /// Returns a server with its last list.
    fn find_list(&self, server: &str) -> Result<(&Supervised, ServerList), McpError> {
        let unknown = |message| McpError::new(ErrorKind::Unknown, message);
        let running = self.running.iter().find(|running| running.server.name == server);
        let running = running.ok_or_else(|| unknown(format!("no MCP server is called `{server}`")))?;
        let not_listed = || unknown(format!("the MCP server `{server}` has not listed its tools"));
        Ok((running, running.last_list().ok_or_else(not_listed)?))
    }

    /// Returns the skills of the servers. They can be listed and read even after this value was moved, until the servers are stopped.
    /// `front_matter` reads the front matter of a `SKILL.md` with every field, or says what is wrong with it.
    pub fn skills(
        &self,
        front_matter: impl Fn(&str) -> Result<Map<String, Value>, String> + Send + Sync + 'static,
    ) -> ServerSkills {
        ServerSkills::new(Arc::clone(&self.skills), front_matter)
    }

    /// Stops all servers, and waits until their programs have ended, at most for a few seconds. Running calls get an error.
    pub fn stop(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        self.stop.send_replace(true);
        let (ended, deadline) = (self.ended.lock().unwrap_or_else(PoisonError::into_inner), Instant::now() + STOP);
        while let Some(left) = deadline.checked_duration_since(Instant::now())
            && ended.recv_timeout(left).is_ok()
        {}
        // Waiting for the threads here could block, and panics within another runtime.
        runtime.shutdown_background();
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        self.stop();
    }
}
