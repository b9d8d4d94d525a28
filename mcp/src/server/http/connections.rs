//! The open connections. Those that have proven nothing give way to new ones.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// The connections that are open at the same time.
#[derive(Debug)]
pub(super) struct Connections {
    free: Arc<Semaphore>,
    unproven: Mutex<Unproven>,
}

/// The connections on which no request with a valid token has arrived.
#[derive(Debug, Default)]
struct Unproven {
    /// What closes each of them, oldest first.
    open: BTreeMap<u64, CancellationToken>,
    next: u64,
}

/// An open connection. Its place is free again when this is dropped.
#[derive(Debug)]
pub(super) struct Admitted {
    id: u64,
    closed: CancellationToken,
    connections: Arc<Connections>,
    /// `None` only if the semaphore were closed, which it never is.
    _permit: Option<OwnedSemaphorePermit>,
}

impl Connections {
    /// `maximum` is the number of connections that are open at the same time.
    pub(super) fn new(maximum: usize) -> Arc<Self> {
        Arc::new(Self { free: Arc::new(Semaphore::new(maximum)), unproven: Mutex::default() })
    }

    /// Admits a connection. If all places are taken, the oldest unproven connection is closed. If all are proven, this waits until
    /// one of them ends.
    pub(super) async fn admit(self: &Arc<Self>) -> Admitted {
        let free = Arc::clone(&self.free);
        let permit = if let Ok(permit) = Arc::clone(&free).try_acquire_owned() {
            Some(permit)
        } else {
            if let Some((_, oldest)) = self.unproven().open.pop_first() {
                oldest.cancel();
            }
            free.acquire_owned().await.ok()
        };
        let closed = CancellationToken::new();
        let mut unproven = self.unproven();
        let id = unproven.next;
        unproven.next += 1;
        unproven.open.insert(id, closed.clone());
        drop(unproven);
        Admitted { id, closed, connections: Arc::clone(self), _permit: permit }
    }

    fn unproven(&self) -> MutexGuard<'_, Unproven> {
        self.unproven.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Admitted {
    /// Keeps the connection: a request on it had a valid token.
    pub(super) fn prove(&self) {
        self.connections.unproven().open.remove(&self.id);
    }

    /// Waits until the connection must give way to another.
    pub(super) async fn closed(&self) {
        self.closed.cancelled().await;
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.prove();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn the_oldest_unproven_connection_gives_way() {
        let connections = Connections::new(3);
        let (first, second, third) = (connections.admit().await, connections.admit().await, connections.admit().await);
        first.prove();
        let (fourth, ()) = tokio::join!(connections.admit(), async {
            second.closed().await;
            drop(second);
        });
        assert!(!first.closed.is_cancelled() && !third.closed.is_cancelled() && !fourth.closed.is_cancelled());
    }

    #[tokio::test(start_paused = true)]
    async fn proven_connections_are_waited_for() {
        let connections = Connections::new(1);
        let first = connections.admit().await;
        first.prove();
        let waiting = tokio::time::timeout(Duration::from_mins(1), connections.admit()).await;
        assert!(waiting.is_err() && !first.closed.is_cancelled());
        drop(first);
        connections.admit().await;
    }
}
