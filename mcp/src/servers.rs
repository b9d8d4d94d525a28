//! All servers of a host: started together, and stopped together.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use toolc::{Env, Registry};

use crate::ask::{Asker, Asking, Sampler};
use crate::call::{Caller, Status};
use crate::pins::{Listed, definition_text};
use crate::provider::ServerProvider;
use crate::report::ServerReport;
use crate::secrets::Secrets;
use crate::settings::Server;
use crate::supervisor::Supervisor;

/// The time in which servers end when the host stops. Programs that take longer are ended with the host.
const STOP: Duration = Duration::from_secs(4);
/// The number of threads that handle messages of servers.
const THREADS: usize = 2;

/// Who answers what servers ask.
#[derive(Debug, Clone, Default)]
pub struct Answering {
    /// The person. Without one, questions are declined.
    pub asker: Option<Arc<dyn Asker>>,
    /// The model, for servers whose settings allow [sampling](Server::sampling).
    pub sampler: Option<Arc<dyn Sampler>>,
}

/// The servers of a host, whose tools are in its registry. Dropping this value stops them.
#[derive(Debug)]
pub struct Servers {
    /// Only `None` after the servers were stopped.
    runtime: Option<Runtime>,
    running: Vec<Running>,
    stop: watch::Sender<bool>,
    /// Closed after every server has ended.
    ended: Mutex<mpsc::Receiver<()>>,
}

/// A server.
#[derive(Debug)]
struct Running {
    server: Arc<Server>,
    report: Arc<Mutex<ServerReport>>,
    listed: Arc<Mutex<Option<Listed>>>,
    /// Closed after the first try.
    first_try: Mutex<mpsc::Receiver<()>>,
}

impl Servers {
    /// Starts the servers in the background. Each gets an empty toolset in the registry at once, and its tools when it has listed them.
    /// The values of the variables that it gets are those of `env`.
    ///
    /// # Errors
    /// Returns a message if two servers have the same name, a name is not valid, the registry has a toolset of this name already, or no
    /// thread can be started.
    pub fn start(servers: Vec<Server>, registry: &Registry, env: &Env) -> Result<Self, String> {
        Self::start_answering(servers, registry, env, &Answering::default())
    }

    /// Starts the servers like [`start`](Self::start), and answers what they ask.
    ///
    /// # Errors
    /// Like [`start`](Self::start).
    pub fn start_answering(
        servers: Vec<Server>,
        registry: &Registry,
        env: &Env,
        answering: &Answering,
    ) -> Result<Self, String> {
        let runtime = Builder::new_multi_thread().worker_threads(THREADS).enable_all().thread_name("MCP").build();
        let runtime = runtime.map_err(|error| format!("failed to start threads for MCP servers: {error}"))?;
        let (stop, stopped) = watch::channel(false);
        let (alive, ended) = mpsc::channel::<()>();
        let (mut running, turn) = (Vec::new(), Arc::default());
        for server in servers {
            let invalid = |problem: &dyn std::fmt::Display| format!("the MCP server `{}`: {problem}", server.name);
            crate::check_server_name(&server.name).map_err(|expected| invalid(&expected))?;
            let (status, receiver) = watch::channel(Status::Starting);
            let provider = ServerProvider::empty(&server, receiver.clone());
            let provider = registry.add(Box::new(provider)).map_err(|error| invalid(&error))?;
            // What the server gets is secret, also if it is a variable of the process.
            let secrets = server.variables().into_iter().filter_map(|name| Some((name.to_owned(), env.var(name)?)));
            let redacted = secrets.fold(env.clone(), |env, (name, value)| env.with_secret(name, value));
            let redactor = Arc::new(Secrets::new(registry.redactor(&redacted)));
            let asking = Arc::new(Asking::new(
                &server.name,
                answering.asker.clone(),
                answering.sampler.clone().filter(|_| server.sampling),
                server.question_timeout,
                Arc::clone(&redactor),
                Arc::clone(&turn),
            ));
            let caller = Caller {
                asking: Arc::clone(&asking),
                timeout: server.call_timeout,
                server: server.name.clone(),
                status: receiver,
                runtime: runtime.handle().clone(),
                redactor: Arc::clone(&redactor),
            };
            let unset =
                server.variables().into_iter().filter(|name| env.var(name).is_none_or(|value| value.is_empty()));
            let unset_variables = unset.map(str::to_owned).collect();
            let report = ServerReport { unset_variables, ..ServerReport::new(&server.name) };
            let report = Arc::new(Mutex::new(report));
            let (server, listed) = (Arc::new(server), Arc::default());
            let (first_try, tried) = mpsc::channel();
            running.push(Running {
                first_try: Mutex::new(tried),
                server: Arc::clone(&server),
                report: Arc::clone(&report),
                listed: Arc::clone(&listed),
            });
            let supervisor = Supervisor {
                server,
                listed,
                env: env.clone(),
                registry: registry.clone(),
                provider,
                status,
                report,
                redactor,
                caller: Arc::new(caller),
                asking,
                stop: stopped.clone(),
                first_try: Some(first_try),
            };
            let alive = alive.clone();
            runtime.spawn(async move {
                supervisor.run().await;
                drop(alive);
            });
        }
        Ok(Self { runtime: Some(runtime), running, stop, ended: Mutex::new(ended) })
    }

    /// Waits until every server has listed its tools or has failed to start, each at most for its own time limit.
    pub fn wait_until_started(&self) {
        for running in &self.running {
            let first_try = running.first_try.lock().unwrap_or_else(PoisonError::into_inner);
            while first_try.recv().is_ok() {}
        }
    }

    /// Waits like [`wait_until_started`](Self::wait_until_started), but at most for `limit` for all servers together, except for those that
    /// are `needed`. The tools of the others are added to the registry when they are listed.
    pub fn wait_for(&self, limit: Duration, needed: impl Fn(&str) -> bool) {
        let deadline = Instant::now() + limit;
        let (needed, others): (Vec<_>, Vec<_>) = self.running.iter().partition(|running| needed(&running.server.name));
        for running in needed {
            let first_try = running.first_try.lock().unwrap_or_else(PoisonError::into_inner);
            while first_try.recv().is_ok() {}
        }
        for running in others {
            let first_try = running.first_try.lock().unwrap_or_else(PoisonError::into_inner);
            // Nothing is sent: the channel is closed, or the time is over.
            let _ = first_try.recv_timeout(deadline.saturating_duration_since(Instant::now()));
        }
    }

    /// Returns reports about all servers, in the order in which they were passed.
    pub fn reports(&self) -> Vec<ServerReport> {
        self.watch()()
    }

    /// Returns a function that returns the [reports](Self::reports), also after this value was moved or dropped.
    pub fn watch(&self) -> impl Fn() -> Vec<ServerReport> + Send + Sync + use<> {
        let reports: Vec<_> = self.running.iter().map(|running| Arc::clone(&running.report)).collect();
        move || reports.iter().map(|report| report.lock().unwrap_or_else(PoisonError::into_inner).clone()).collect()
    }

    /// Returns the whole definitions of the tools that a server lists and that can be used, by the names that it gives them, each as text
    /// for a person.
    ///
    /// # Errors
    /// Returns a message if the server is unknown or has listed no tools.
    pub fn definitions(&self, server: &str) -> Result<BTreeMap<String, String>, String> {
        let (_, listed) = self.listed(server)?;
        Ok(listed.definitions.iter().map(|(name, tool)| (name.clone(), definition_text(tool))).collect())
    }

    /// Pins tools of a server as they are now: a person has accepted them. Without names, all tools that it lists, and the server itself:
    /// its start and its instructions. Returns the pinned names. The server must have been started [for review](crate::Pinning::for_review); it uses the tools from its next start on.
    ///
    /// # Errors
    /// Returns a message if the server is unknown or has listed no tools, if a tool is unknown, or if the lock file cannot be written.
    pub fn accept(&self, server: &str, tools: Option<&[String]>) -> Result<Vec<String>, String> {
        let (running, listed) = self.listed(server)?;
        running.server.pinning.accept(&running.server, &listed, tools)
    }

    fn listed(&self, server: &str) -> Result<(&Running, Listed), String> {
        let running = self.running.iter().find(|running| running.server.name == server);
        let running = running.ok_or_else(|| format!("no MCP server is called `{server}`"))?;
        let listed = running.listed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let listed = listed.ok_or_else(|| format!("the MCP server `{server}` has not listed its tools"))?;
        Ok((running, listed))
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
