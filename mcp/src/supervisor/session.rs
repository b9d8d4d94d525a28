//! One run of a server: from its start to its end.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use rmcp::RoleClient;
use rmcp::model::{ServerNotification, SubscriptionFilter};
use rmcp::service::{Peer, ServiceError, Subscription};
use tokio::sync::{Notify, watch};

use super::{Supervisor, stopped};
use crate::call::{Live, Status};
use crate::client::Client;
use crate::connect::{ConnectError, Connection, connect, login_advice};
use crate::era;
use crate::failure::{reason, supported_instead};
use crate::listing::Listing;
use crate::message::Inbox;
use crate::packages::{self, Package, Refused};
use crate::report::ServerState;
use crate::seen::{self, SeenConnection};
use crate::settings::{Server, Transport};
use crate::stdio::ProgramEnd;

/// The minimum time between two lists of tools, so that a server that always changes them is not asked all the time.
const LIST_PAUSE: Duration = Duration::from_millis(200);
/// The time limit for reading the list again after a change.
const LIST_TIMEOUT: Duration = Duration::from_secs(30);
/// The time limit for the answer to a subscription. Only servers with protocol versions since 2026-07-28 answer it.
const SUBSCRIBE_TIMEOUT: Duration = Duration::from_secs(5);

/// How a run of the server ended.
pub(super) enum End {
    /// The host stops.
    Stopped,
    /// The server could not be started.
    Failed {
        reason: String,
        /// Whether another try would fail, too.
        is_final: bool,
    },
    /// The server ran, and ended by itself.
    Ended(String),
}

impl From<ConnectError> for End {
    fn from(ConnectError { reason, is_final }: ConnectError) -> Self {
        Self::Failed { reason, is_final }
    }
}

impl From<Refused> for End {
    fn from(Refused { error, is_final }: Refused) -> Self {
        Self::Failed { reason: error.to_string(), is_final }
    }
}

/// A server that was started.
struct StartedServer {
    connection: Connection,
    listing: Listing,
    client: Client,
    program: Option<ProgramEnd>,
}

impl Supervisor {
    /// Starts the server, and uses it until it ends.
    pub(super) async fn run_once(&mut self) -> End {
        match self.begin().await {
            Ok(opened) => self.follow(opened).await,
            Err(end) => end,
        }
    }

    /// Starts the server, and lists its tools.
    async fn begin(&mut self) -> Result<StartedServer, End> {
        if let Err(error) = self.server.pinning.check_identity(&self.server) {
            return Err(End::Failed { reason: error.to_string(), is_final: true });
        }
        let mut stop = self.stop.clone();
        let server = tokio::select! {
            server = self.with_package() => server?,
            () = stopped(&mut stop) => return Err(End::Stopped),
        };
        let is_first_start = self.server.is_first_start();
        let limit = if is_first_start { self.server.first_start_limit() } else { self.server.start_timeout };
        let started = Instant::now();
        let (client, mut program) = (Client::new(Arc::clone(&self.questioner)), None);
        let opened = tokio::select! {
            opened = tokio::time::timeout(limit, self.open(&server, &client, &mut program)) => opened,
            () = stopped(&mut stop) => return Err(End::Stopped),
        };
        let Ok(opened) = opened else {
            era::forget(&server);
            let stderr = self.stderr(program.as_ref()).await;
            let seconds = limit.as_secs_f32();
            let reason = if is_first_start {
                format!(
                    "the server did not list its tools within {seconds} s, in which its package may be downloaded{stderr}"
                )
            } else {
                format!("the server did not list its tools within {seconds} s, the limit of `start_timeout`{stderr}")
            };
            return Err(End::Failed { reason, is_final: false });
        };
        let (connection, listing) = opened?;
        if is_first_start {
            packages::remember_run(&self.server);
        }
        self.record_server_info(connection.service.peer(), started.elapsed());
        Ok(StartedServer { connection, listing, client, program })
    }

    /// Registers the tools, and follows their changes until the server ends.
    async fn follow(&mut self, opened: StartedServer) -> End {
        let StartedServer { connection: Connection { service, oauth, inbox }, mut listing, client, program } = opened;
        let (peer, token, mut stop) = (service.peer().clone(), service.cancellation_token(), self.stop.clone());
        self.publish(&peer, listing.clone());
        let end = Arc::new(Notify::new());
        let live =
            Live { peer: peer.clone(), client: client.clone(), oauth, inbox: inbox.clone(), end: Arc::clone(&end) };
        self.status.send_replace(Status::Connected(Arc::new(live)));
        self.update(|report| report.state = ServerState::Connected);
        self.remember(&peer);
        self.first_try = None;
        let mut subscription = tokio::select! {
            subscription = subscribe(&peer) => subscription,
            () = stopped(&mut stop) => None,
        };
        let mut closed = std::pin::pin!(service.waiting());
        loop {
            tokio::select! {
                _ = &mut closed => break,
                () = end.notified() => {
                    token.cancel();
                    let _ = closed.await;
                    break;
                }
                () = client.tools_changed.notified() => {}
                is_open = wait_for_change(&mut subscription) => {
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
            if let Some(new) = read_again(&peer, &inbox, &mut stop).await
                && new != listing
            {
                listing.clone_from(&new);
                self.publish(&peer, new);
                self.remember(&peer);
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

    /// Returns the server. If `npx` or `uvx` runs it, its arguments name the pinned version of its package.
    async fn with_package(&self) -> Result<Arc<Server>, Refused> {
        let Some(Package { name, args, advisories, unchecked }) =
            packages::prepare(&self.server, &self.questioner, false).await?
        else {
            return Ok(Arc::clone(&self.server));
        };
        self.update(|report| {
            report.package = Some(name);
            report.advisories = advisories;
            report.unchecked = unchecked;
        });
        let mut server = Server::clone(&self.server);
        if let Transport::Stdio { args: old_args, .. } = &mut server.transport {
            *old_args = args;
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
        let mut connection = connect(server, client, &self.env, &self.redactor, program, self.caller.version()).await?;
        let mut listing = Listing::read(connection.service.peer(), &connection.inbox).await;
        if let Err(error) = &listing
            && let Some(version) = supported_instead(error)
        {
            self.caller.set_version(version.clone());
            drop(connection);
            connection = connect(server, client, &self.env, &self.redactor, program, Some(version)).await?;
            listing = Listing::read(connection.service.peer(), &connection.inbox).await;
        }
        match listing {
            Ok(listing) => Ok((connection, listing)),
            Err(error) if error.auth_challenge().is_some() => {
                Err(ConnectError { reason: login_advice(server), is_final: true })
            }
            Err(ServiceError::TransportClosed) if program.is_some() => {
                let end = match program {
                    Some(program) => program.text(|text| self.redactor.text(text).into_owned()).await,
                    None => String::new(),
                };
                let reason = format!("the server ended before it listed its tools: {end}");
                Err(ConnectError { reason, is_final: false })
            }
            Err(error) => {
                let stderr = self.stderr(program.as_ref()).await;
                let reason = format!("the server did not list its tools: {}{stderr}", reason(&error, &self.redactor));
                Err(ConnectError { reason, is_final: false })
            }
        }
    }

    async fn stderr(&self, program: Option<&ProgramEnd>) -> String {
        match program {
            Some(program) => program.stderr(|text| self.redactor.text(text).into_owned()).await,
            None => String::new(),
        }
    }

    /// Remembers the connection for commands that start no server.
    fn remember(&self, peer: &Peer<RoleClient>) {
        let report = self.report.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let connection = SeenConnection {
            at: seen::now(),
            server: report.server,
            protocol: report.protocol,
            has_handshake: peer.peer_info().is_some_and(|info| info.protocol_version.has_initialize()),
            start_ms: report.start_ms,
            tools: report.tools.len(),
            left_out: report.left_out.len(),
            held_back: report.held_back.len(),
        };
        seen::connected(&self.server, connection);
    }

    /// Records the name and the version that the server reports.
    fn record_server_info(&self, peer: &Peer<RoleClient>, start: Duration) {
        let info = peer.peer_info();
        let server = info.as_ref().and_then(|info| info.server_info.as_ref());
        let short = |text: &str| self.redactor.text(text).chars().take(100).collect::<String>();
        self.update(|report| {
            report.problem = None;
            report.start_ms = Some(u64::try_from(start.as_millis()).unwrap_or(u64::MAX));
            report.server =
                server.map(|server| format!("{} {}", short(&server.name), short(&server.version)).trim().to_owned());
            report.protocol = info.as_ref().map(|info| short(info.protocol_version.as_str()));
        });
    }
}

/// Reads a list that has changed. After a failure, the tools stay as they are: if the server has ended, that is noticed next.
async fn read_again(peer: &Peer<RoleClient>, inbox: &Inbox, stop: &mut watch::Receiver<bool>) -> Option<Listing> {
    tokio::select! {
        read = tokio::time::timeout(LIST_TIMEOUT, Listing::read(peer, inbox)) => read.ok()?.ok(),
        () = stopped(stop) => None,
    }
}

/// Subscribes to changes of the list, if the server has a protocol version since 2026-07-28 and announces them.
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
async fn wait_for_change(subscription: &mut Option<Subscription>) -> bool {
    let Some(subscription) = subscription else { return std::future::pending().await };
    loop {
        match subscription.next().await {
            Ok(Some(ServerNotification::ToolListChangedNotification(_))) => return true,
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => return false,
        }
    }
}
