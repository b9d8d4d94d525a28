//! Keeps one server running: starts it, registers its tools, follows their changes, and starts it again if it ends.

mod publish;
mod session;
mod start;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use toolc::catalog::ProviderId;
use toolc::{Env, Registry};

use crate::ask::Questioner;
use crate::call::{Caller, Status};
use crate::names::toolset_name;
use crate::pins::ServerList;
use crate::report::{ServerReport, ServerState};
use crate::secrets::SecretRedactor;
use crate::seen;
use crate::settings::Server;
use session::End;
pub(crate) use start::{Host, Supervised};

/// The number of times that a server is started again.
const MAX_RESTARTS: u32 = 5;
/// How long a server must run to count as working.
const STABLE: Duration = Duration::from_mins(1);

/// What keeps one server running.
pub(crate) struct Supervisor {
    server: Arc<Server>,
    env: Env,
    registry: Registry,
    /// The id of the server's tool provider.
    provider: ProviderId,
    status: watch::Sender<Status>,
    report: Arc<Mutex<ServerReport>>,
    /// The last list, from which a person can accept tools.
    listed: Arc<Mutex<Option<ServerList>>>,
    redactor: Arc<SecretRedactor>,
    caller: Arc<Caller>,
    questioner: Arc<Questioner>,
    stop: watch::Receiver<bool>,
    /// Dropped after the first try.
    first_try: Option<mpsc::Sender<()>>,
}

impl Supervisor {
    /// Runs until the host stops, or the server cannot be started any more.
    pub(crate) async fn run(mut self) {
        let mut restarts = 0;
        loop {
            let started = Instant::now();
            let end = self.run_once().await;
            let (problem, is_final) = match end {
                End::Stopped => {
                    self.give_up(ServerState::Stopped, "the server is stopped");
                    return;
                }
                End::Failed { reason, is_final } => (reason, is_final),
                End::Ended(reason) => {
                    if started.elapsed() >= STABLE {
                        restarts = 0;
                    }
                    (reason, false)
                }
            };
            seen::failed(&self.server, &self.redactor.text(&problem));
            if is_final || restarts == MAX_RESTARTS {
                self.give_up(ServerState::Failed, &problem);
                return;
            }
            self.status.send_replace(Status::Starting);
            self.update(|report| {
                report.state = ServerState::Restarting;
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
                self.give_up(ServerState::Stopped, "the server is stopped");
                return;
            }
        }
    }

    fn give_up(&self, state: ServerState, problem: &str) {
        self.status.send_replace(Status::Unusable(problem.to_owned()));
        self.update(|report| {
            report.state = state;
            report.problem = (state == ServerState::Failed).then(|| problem.to_owned());
        });
        // The tools are hidden from the next turn on.
        let _ = self.registry.invalidate(&toolset_name(&self.server.name));
    }

    fn update(&self, change: impl FnOnce(&mut ServerReport)) {
        let mut report: MutexGuard<'_, ServerReport> = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut report);
    }
}

/// Waits until the host stops.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}
