//! One question at a time: calls of a session that need a person wait in line. Works with any executor, and a call that is
//! cancelled leaves the line.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// The line of a session.
#[derive(Debug, Default)]
pub(crate) struct QuestionQueue(Mutex<Line>);

#[derive(Debug, Default)]
struct Line {
    latest: u64,
    /// The places in order. The first one may ask.
    places: VecDeque<(u64, Option<Waker>)>,
}

/// A place in the line, which is left when it is dropped.
#[derive(Debug)]
pub(crate) struct Place<'q> {
    queue: &'q QuestionQueue,
    number: u64,
}

impl QuestionQueue {
    /// Takes the last place in the line.
    pub(crate) fn join(&self) -> Place<'_> {
        let mut line = self.line();
        line.latest += 1;
        let number = line.latest;
        line.places.push_back((number, None));
        Place { queue: self, number }
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place<'_> {
    /// Completes when this place is the first.
    pub(crate) fn first(&self) -> impl Future<Output = ()> + Send + '_ {
        poll_fn(|context| self.poll_first(context))
    }

    fn poll_first(&self, context: &Context<'_>) -> Poll<()> {
        let mut line = self.queue.line();
        if line.places.front().is_none_or(|(number, _)| *number == self.number) {
            return Poll::Ready(());
        }
        if let Some((_, waker)) = line.places.iter_mut().find(|(number, _)| *number == self.number) {
            *waker = Some(context.waker().clone());
        }
        Poll::Pending
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut line = self.queue.line();
        line.places.retain(|(number, _)| *number != self.number);
        let waker = line.places.front_mut().and_then(|(_, waker)| waker.take());
        drop(line);
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

    fn is_first(place: &Place<'_>) -> bool {
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
            crate::fakes::until(|| queue.line().places.back().is_some_and(|(_, waker)| waker.is_some()));
            drop(first);
            waiting.join().unwrap();
        });
    }
}
