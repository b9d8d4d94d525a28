//! Keeps one server running: starts it, registers its tools, follows their changes, and starts it again if it ends.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use rmcp::RoleClient;
use rmcp::model::{ServerNotification, SubscriptionFilter};
use rmcp::service::{Peer, Subscription};
use serde_json::Value;
use tokio::sync::watch;
use toolc::catalog::ProviderId;
use toolc::{Env, Registry};

use crate::ask::Asking;
use crate::call::{Caller, Live, Status};
use crate::client::Client;
use crate::connect::{ConnectError, Connection, connect, login_advice};
use crate::definition::Definition;
use crate::failure::reason;
use crate::listing::Listing;
use crate::names::{tool_name, toolset_name};
use crate::packages::{self, Package, Refused};
use crate::pins::{Listed, Review};
use crate::provider::{Built, ServerProvider};
use crate::report::{LeftOut, ServerReport, State};
use crate::secrets::Secrets;
use crate::settings::{Server, Transport};
use crate::stdio::ProgramEnd;

/// The number of times that a server is started again.
const MAX_RESTARTS: u32 = 5;
/// The time after which a server that has run counts as one that works.
const STABLE: Duration = Duration::from_mins(1);
/// The minimum time between two lists of tools, so that a server that always changes them is not asked all the time.
const LIST_PAUSE: Duration = Duration::from_millis(200);
/// The time limit for a change of the list.
const LIST_TIMEOUT: Duration = Duration::from_secs(30);
/// The time limit for the answer to a subscription, which only servers of the newer era give.
const SUBSCRIBE_TIMEOUT: Duration = Duration::from_secs(5);

/// What keeps one server running.
pub(crate) struct Supervisor {
    pub(crate) server: Arc<Server>,
    pub(crate) env: Env,
    pub(crate) registry: Registry,
    /// The id of the server's tool provider.
    pub(crate) provider: ProviderId,
    pub(crate) status: watch::Sender<Status>,
    pub(crate) report: Arc<Mutex<ServerReport>>,
    /// The last list, from which a person can accept tools.
    pub(crate) listed: Arc<Mutex<Option<Listed>>>,
    pub(crate) redactor: Arc<Secrets>,
    pub(crate) caller: Arc<Caller>,
    pub(crate) asking: Arc<Asking>,
    pub(crate) stop: watch::Receiver<bool>,
    /// Dropped after the first try.
    pub(crate) first_try: Option<mpsc::Sender<()>>,
}

/// How a try to run the server ended.
enum End {
    /// The host stops.
    Stopped,
    Failed(ConnectError),
    /// It has run, and ended by itself.
    Ended(String),
}

impl Supervisor {
    /// Runs until the host stops, or the server cannot be started any more.
    pub(crate) async fn run(mut self) {
        let mut restarts = 0;
        loop {
            let started = Instant::now();
            let end = self.session().await;
            let (problem, is_final) = match end {
                End::Stopped => {
                    self.give_up(State::Stopped, "the server is stopped");
                    return;
                }
                End::Failed(ConnectError { reason, is_final }) => (reason, is_final),
                End::Ended(reason) => {
                    if started.elapsed() >= STABLE {
                        restarts = 0;
                    }
                    (reason, false)
                }
            };
            if is_final || restarts == MAX_RESTARTS {
                self.give_up(State::Failed, &problem);
                return;
            }
            self.status.send_replace(Status::Starting);
            self.update(|report| {
                report.state = State::Restarting;
                report.problem = Some(problem);
            });
            self.first_try = None;
            let pause = self.server.restart_delay * 2_u32.pow(restarts);
            restarts += 1;
            let is_stopped = tokio::select! {
                () = tokio::time::sleep(pause) => false,
                () = stopped(&mut self.stop) => true,
            };
            if is_stopped {
                self.give_up(State::Stopped, "the server is stopped");
                return;
            }
        }
    }

    fn give_up(&self, state: State, problem: &str) {
        self.status.send_replace(Status::Unusable(problem.to_owned()));
        self.update(|report| {
            report.state = state;
            report.problem = (state == State::Failed).then(|| problem.to_owned());
        });
        // The tools are hidden from the next turn on.
        let _ = self.registry.invalidate(&toolset_name(&self.server.name));
    }

    fn update(&self, change: impl FnOnce(&mut ServerReport)) {
        let mut report: MutexGuard<'_, ServerReport> = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut report);
    }

    /// Starts the server, and uses it until it ends.
    async fn session(&mut self) -> End {
        if let Err(reason) = self.server.pinning.check_identity(&self.server) {
            return End::Failed(ConnectError { reason, is_final: true });
        }
        let mut stop = self.stop.clone();
        let server = tokio::select! {
            server = self.with_package() => match server {
                Ok(server) => server,
                Err(Refused { reason, is_final }) => return End::Failed(ConnectError { reason, is_final }),
            },
            () = stopped(&mut stop) => return End::Stopped,
        };
        let (started, limit) = (Instant::now(), self.server.start_timeout);
        let (client, mut program) = (Client::new(Arc::clone(&self.asking)), None);
        let opened = tokio::select! {
            opened = tokio::time::timeout(limit, self.open(&server, &client, &mut program)) => opened,
            () = stopped(&mut stop) => return End::Stopped,
        };
        let (connection, listing) = match opened {
            Ok(Ok(opened)) => opened,
            Ok(Err(error)) => return End::Failed(error),
            Err(_) => {
                let stderr = self.stderr(program.as_ref());
                let reason = format!("the server did not list its tools within {} s{stderr}", limit.as_secs_f32());
                return End::Failed(ConnectError { reason, is_final: false });
            }
        };
        let Connection { service, oauth, lists } = connection;
        let (peer, token) = (service.peer().clone(), service.cancellation_token());
        self.introduce(&peer, started.elapsed());
        let mut listed = listing.clone();
        self.publish(&peer, listing);
        self.status.send_replace(Status::Connected(Arc::new(Live {
            peer: peer.clone(),
            client: client.clone(),
            oauth,
        })));
        self.update(|report| report.state = State::Connected);
        self.first_try = None;
        let mut subscription = tokio::select! {
            subscription = subscribe(&peer) => subscription,
            () = stopped(&mut stop) => None,
        };
        let mut closed = std::pin::pin!(service.waiting());
        loop {
            tokio::select! {
                _ = &mut closed => break,
                () = client.tools_changed.notified() => {}
                is_open = changed(&mut subscription) => {
                    if !is_open {
                        subscription = None;
                        continue;
                    }
                }
                () = stopped(&mut stop) => {
                    token.cancel();
                    let _ = closed.await;
                    return End::Stopped;
                }
            }
            let read = tokio::select! {
                read = tokio::time::timeout(LIST_TIMEOUT, Listing::read(&peer, &lists)) => read,
                () = stopped(&mut stop) => continue,
            };
            // A failure leaves the tools as they are. If the server has ended, that is noticed next.
            if let Ok(Ok(listing)) = read
                && listing != listed
            {
                listed.clone_from(&listing);
                self.publish(&peer, listing);
            }
            tokio::time::sleep(LIST_PAUSE).await;
        }
        End::Ended(match &program {
            Some(program) => {
                format!("the server ended: {}", program.text(|text| self.redactor.text(text).into_owned()).await)
            }
            None => "the connection was closed".to_owned(),
        })
    }

    /// Returns the server with the version of its package, if it is run by one.
    async fn with_package(&self) -> Result<Arc<Server>, Refused> {
        let Some(Package { name, args, advisories, unchecked }) =
            packages::prepare(&self.server, &self.asking, false).await?
        else {
            return Ok(Arc::clone(&self.server));
        };
        self.update(|report| {
            report.package = Some(name);
            report.advisories = advisories;
            report.unchecked = unchecked;
        });
        let mut server = Server::clone(&self.server);
        if let Transport::Stdio { args: before, .. } = &mut server.transport {
            *before = args;
        }
        Ok(Arc::new(server))
    }

    /// Opens a connection, and lists the tools.
    async fn open(
        &self,
        server: &Arc<Server>,
        client: &Client,
        program: &mut Option<ProgramEnd>,
    ) -> Result<(Connection, Listing), ConnectError> {
        let connection = connect(server, client, &self.env, &self.redactor, program).await?;
        match Listing::read(connection.service.peer(), &connection.lists).await {
            Ok(listing) => Ok((connection, listing)),
            Err(error) if error.auth_challenge().is_some() => {
                Err(ConnectError { reason: login_advice(server), is_final: true })
            }
            Err(error) => {
                let stderr = self.stderr(program.as_ref());
                let reason = format!("the server did not list its tools: {}{stderr}", reason(&error, &self.redactor));
                Err(ConnectError { reason, is_final: false })
            }
        }
    }

    fn stderr(&self, program: Option<&ProgramEnd>) -> String {
        program.map(|program| program.stderr(|text| self.redactor.text(text).into_owned())).unwrap_or_default()
    }

    /// Notes with which name and version the server introduces itself.
    fn introduce(&self, peer: &Peer<RoleClient>, start: Duration) {
        let info = peer.peer_info();
        let server = info.as_ref().and_then(|info| info.server_info.as_ref());
        let short = |text: &str| self.redactor.text(text).chars().take(100).collect::<String>();
        self.update(|report| {
            report.problem = None;
            report.start_ms = Some(u64::try_from(start.as_millis()).unwrap_or(u64::MAX));
            report.server = server.map(|server| format!("{} {}", short(&server.name), short(&server.version)));
            report.protocol = info.as_ref().map(|info| short(info.protocol_version.as_str()));
        });
    }

    /// Returns a definition without the values of secrets, which would otherwise be in the lock file.
    fn redacted(&self, tool: Value) -> Value {
        match self.redactor.text(&tool.to_string()) {
            Cow::Borrowed(_) => tool,
            Cow::Owned(text) => serde_json::from_str(&text).unwrap_or_default(),
        }
    }

    /// Registers the tools of a list, in place of those before.
    fn publish(&self, peer: &Peer<RoleClient>, listing: Listing) {
        let (server, mut left_out) = (&self.server, listing.left_out);
        let is_used = |name: &str| {
            let is_included = server.include.as_ref().is_none_or(|names| names.iter().any(|known| known == name));
            let for_models = tool_name(&server.name, name);
            is_included && !server.exclude.iter().any(|known| known == name || *known == for_models)
        };
        let mut definitions = Vec::new();
        let mut names: BTreeSet<String> = left_out.iter().map(|tool| tool.tool.clone()).collect();
        left_out.retain(|tool| is_used(&tool.tool));
        for tool in listing.tools {
            let tool = self.redacted(tool);
            let name = tool["name"].as_str().unwrap_or_default();
            names.insert(name.to_owned());
            if !is_used(name) {
                continue;
            }
            match Definition::read(tool, |own_name| tool_name(&server.name, own_name)) {
                Ok(definition) => definitions.push(definition),
                Err((tool, reason)) => left_out.push(LeftOut { tool, reason }),
            }
        }
        let whole = |definition: &Definition| (definition.own_name.clone(), definition.whole.clone());
        let listed = Listed {
            names,
            instructions: peer
                .peer_info()
                .and_then(|info| Some(self.redactor.text(info.instructions.as_ref()?).into_owned())),
            definitions: definitions.iter().map(whole).collect(),
        };
        let Review { accepted, held_back, removed, server_changes, problem } =
            server.pinning.review(server, &listed, definitions);
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = Some(listed);
        let Built { provider, tools, left_out: unused } =
            ServerProvider::build(server, accepted, &held_back, &self.caller);
        left_out.extend(unused);
        let missing = server.include.iter().flatten().chain(server.tools.iter().map(|(name, _)| name));
        for name in missing.filter(|name| !tools.iter().any(|tool| tool.own_name == **name)) {
            let is_held_back = held_back.iter().any(|held| held.tool == *name);
            if !is_held_back && !left_out.iter().any(|tool| tool.tool == *name) {
                let reason = "the configuration names it, but the server does not list it".to_owned();
                left_out.push(LeftOut { tool: name.clone(), reason });
            }
        }
        if let Some(reason) = listing.cut_off {
            left_out.push(LeftOut { tool: "further tools".to_owned(), reason });
        }
        let registered = self.registry.replace(self.provider, provider);
        self.update(|report| {
            report.left_out = left_out;
            report.held_back = held_back;
            report.removed = removed;
            report.server_changes = server_changes;
            report.problem = problem;
            match registered {
                Ok(()) => report.tools = tools,
                // The tools before stay.
                Err(error) => report.problem = Some(error.to_string()),
            }
        });
    }
}

/// Subscribes to changes of the list, if the server is of the newer era and announces them.
async fn subscribe(peer: &Peer<RoleClient>) -> Option<Subscription> {
    let info = peer.peer_info()?;
    let announces = info.capabilities.tools.as_ref().and_then(|tools| tools.list_changed) == Some(true);
    if info.protocol_version.has_initialize() || !announces {
        return None;
    }
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    tokio::time::timeout(SUBSCRIBE_TIMEOUT, peer.listen(filter)).await.ok()?.ok()
}

/// Waits for a change of the list. Returns whether the subscription is still open. Without one, waits forever.
async fn changed(subscription: &mut Option<Subscription>) -> bool {
    let Some(subscription) = subscription else { return std::future::pending().await };
    loop {
        match subscription.next().await {
            Ok(Some(ServerNotification::ToolListChangedNotification(_))) => return true,
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => return false,
        }
    }
}

/// Waits until the host stops.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}
