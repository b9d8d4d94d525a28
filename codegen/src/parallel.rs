//! Work on all processors, for stages in which one file, tool or toolset knows nothing of another.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What `make` makes of each, in order.
pub(crate) fn map<T: Sync, O: Send>(all: &[T], make: impl Fn(&T) -> O + Sync) -> Vec<O> {
    let next = AtomicUsize::new(0);
    let work = || {
        let indices = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        indices.map_while(|index| Some((index, make(all.get(index)?)))).collect::<Vec<_>>()
    };
    let mut outcomes = thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(all.len());
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let own = work();
        let others = others.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        own.into_iter().chain(others).collect::<Vec<_>>()
    });
    outcomes.sort_unstable_by_key(|(index, _)| *index);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}
