//! Lets the calls of a session ask a person one at a time. Works with any executor. A cancelled call leaves the queue.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// The queue of a session's calls.
#[derive(Debug, Default)]
pub(crate) struct QuestionQueue(Mutex<QueueState>);

#[derive(Debug, Default)]
struct QueueState {
    latest: u64,
    /// The places in order, each with its number. The first one may ask.
    places: VecDeque<(u64, Option<Waker>)>,
}

/// A place in the queue. Dropping it leaves the queue.
#[derive(Debug)]
pub(crate) struct QueueTicket<'q> {
    queue: &'q QuestionQueue,
    number: u64,
}

impl QuestionQueue {
    /// Joins the end of the queue.
    pub(crate) fn join(&self) -> QueueTicket<'_> {
        let mut state = self.state();
        state.latest += 1;
        let number = state.latest;
        state.places.push_back((number, None));
        QueueTicket { queue: self, number }
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueTicket<'_> {
    /// Completes when this place is at the front.
    pub(crate) fn first(&self) -> impl Future<Output = ()> + Send + '_ {
        poll_fn(|context| self.poll_first(context))
    }

    fn poll_first(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.queue.state();
        if state.places.front().is_none_or(|(number, _)| *number == self.number) {
            return Poll::Ready(());
        }
        if let Some((_, waker)) = state.places.iter_mut().find(|(number, _)| *number == self.number) {
            *waker = Some(context.waker().clone());
        }
        Poll::Pending
    }
}

impl Drop for QueueTicket<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        state.places.retain(|(number, _)| *number != self.number);
        let waker = state.places.front_mut().and_then(|(_, waker)| waker.take());
        drop(state);
        // No lock is held, because a waker may run any code.
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use super::*;

    fn is_first(place: &QueueTicket<'_>) -> bool {
        pin!(place.first()).poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    #[test]
    fn places_are_served_in_order() {
        let queue = QuestionQueue::default();
        let [first, second, third] = [queue.join(), queue.join(), queue.join()];
        assert_eq!([&first, &second, &third].map(is_first), [true, false, false]);
        drop(second);
        assert!(is_first(&first) && !is_first(&third));
        drop(first);
        assert!(is_first(&third));
        drop(third);
        assert!(is_first(&queue.join()));
    }

    #[test]
    fn the_next_place_is_woken() {
        let queue = QuestionQueue::default();
        let first = queue.join();
        std::thread::scope(|scope| {
            let second = queue.join();
            let waiting = scope.spawn(move || crate::fakes::wait(second.first()));
            crate::fakes::until(|| queue.state().places.back().is_some_and(|(_, waker)| waker.is_some()));
            drop(first);
            waiting.join().unwrap();
        });
    }
}
