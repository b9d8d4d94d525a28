//! Asks services one after another until one has an answer.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use toolc_net::Client;

use super::account::Access;
use super::outcome::{Failure, Outcome, Tried};

/// How long a service rests that says [`Outcome::Rate`] without a time.
const RATE_REST: Duration = Duration::from_secs(10);
/// How long a service rests that says [`Outcome::Quota`] without a time. A person may pay at any time.
const QUOTA_REST: Duration = Duration::from_mins(10);
/// The longest rest: a quota is often that of a month, but may be raised.
const MAX_REST: Duration = Duration::from_hours(1);
/// The longest rest that is waited for, if no other service has an answer. Free plans allow one request a second.
const MAX_WAIT: Duration = Duration::from_secs(3);
/// What is left of a total time for which a service is still asked.
const MIN_TIME: Duration = Duration::from_millis(100);
/// The longest total time.
const MAX_TOTAL: Duration = Duration::from_hours(1);
/// How often a wait looks whether it is cancelled.
const STEP: Duration = Duration::from_millis(20);

/// The time for services.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The time for all services together. More than an hour is an hour.
    pub total: Duration,
    /// The time for each of them. Those with a [patience](super::Account::patience) have more.
    pub each: Duration,
}

impl Default for Budget {
    /// Thirty seconds, and twelve for each service.
    fn default() -> Self {
        Self { total: Duration::from_secs(30), each: Duration::from_secs(12) }
    }
}

/// The services that rest, since they have answered with [`Outcome::Quota`] or [`Outcome::Rate`]. One value for a process.
#[derive(Debug, Default)]
pub struct Rests(Mutex<BTreeMap<u64, Rest>>);

#[derive(Debug, Clone)]
struct Rest {
    until: Instant,
    outcome: Outcome,
}

impl Rests {
    fn map(&self) -> MutexGuard<'_, BTreeMap<u64, Rest>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a service rest if its answer says so.
    fn note(&self, access: &Access, failure: &Failure) {
        let usual = match failure.outcome {
            Outcome::Rate => RATE_REST,
            Outcome::Quota => QUOTA_REST,
            _ => return,
        };
        let until = Instant::now() + failure.retry_after.unwrap_or(usual).min(MAX_REST);
        self.map().insert(access.identity(), Rest { until, outcome: failure.outcome });
    }

    /// Returns why a service rests, and how much longer.
    fn left(&self, access: &Access) -> Option<(Outcome, Duration)> {
        let mut rests = self.map();
        let rest = rests.get(&access.identity())?;
        let left = rest.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            rests.remove(&access.identity());
            return None;
        }
        Some((rest.outcome, left))
    }
}

/// How a chain has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// A service has answered.
    Answered,
    /// No service has found anything, and at least one has looked.
    Empty,
    /// All services have failed, or rest.
    Failed,
    /// The total time was over before all services were asked.
    OutOfTime,
    /// The caller gave up before all services were asked.
    Cancelled,
}

/// What services are asked with.
pub struct Chain<'a> {
    /// The client, which must be one for [configured](Client::configured) addresses.
    pub client: &'a Client,
    /// The services that rest.
    pub rests: &'a Rests,
    /// The time.
    pub budget: Budget,
    /// Returns whether the caller has given up. It is called between requests.
    pub is_cancelled: &'a dyn Fn() -> bool,
}

/// An answer.
pub(crate) struct Got<T> {
    pub(crate) value: T,
    /// What kept the service from answering completely.
    pub(crate) flaw: Option<Failure>,
}

/// The first answer.
pub(crate) struct First<T> {
    /// The index of the service, and its answer.
    pub(crate) got: Option<(usize, T)>,
    pub(crate) tried: Vec<Tried>,
    pub(crate) ended: Ended,
}

impl Chain<'_> {
    /// Asks services in order. `ask` gets the index of one, and the time that it has.
    pub(crate) fn first<T>(
        &self,
        services: &[&Access],
        mut ask: impl FnMut(usize, Duration) -> Result<Got<T>, Failure>,
    ) -> First<T> {
        let end = Instant::now() + self.budget.total.min(MAX_TOTAL);
        let mut first = First { got: None, tried: Vec::new(), ended: Ended::Failed };
        for (index, service) in services.iter().enumerate() {
            if let Some((outcome, left)) = self.rests.left(service) {
                first.tried.push(rests(service, outcome, left));
                continue;
            }
            if self.step(&mut first, index, service, end, &mut ask) {
                return first;
            }
        }
        let is_empty = |first: &First<T>| first.tried.iter().any(|tried| tried.outcome == Outcome::Empty);
        if !is_empty(&first)
            && let Some(index) = self.wait(services, &first.tried, end)
            && self.step(&mut first, index, services[index], end, &mut ask)
        {
            return first;
        }
        if is_empty(&first) {
            first.ended = Ended::Empty;
        }
        first
    }

    /// Asks a service. Returns whether the chain has ended.
    fn step<T>(
        &self,
        first: &mut First<T>,
        index: usize,
        service: &Access,
        end: Instant,
        ask: &mut impl FnMut(usize, Duration) -> Result<Got<T>, Failure>,
    ) -> bool {
        let left = end.saturating_duration_since(Instant::now());
        let early =
            if (self.is_cancelled)() { Some(Ended::Cancelled) } else { (left < MIN_TIME).then_some(Ended::OutOfTime) };
        if let Some(ended) = early {
            first.ended = ended;
            return true;
        }
        let started = Instant::now();
        let each = service.account().patience.unwrap_or_default().max(self.budget.each);
        let asked = ask(index, left.min(each));
        let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let (outcome, failure) = match asked {
            Ok(got) => {
                (first.got, first.ended) = (Some((index, got.value)), Ended::Answered);
                (Outcome::Ok, got.flaw)
            }
            Err(failure) => (failure.outcome, Some(failure)),
        };
        if let Some(failure) = &failure {
            self.rests.note(service, failure);
        }
        let detail = failure.map(|failure| failure.detail).filter(|detail| !detail.is_empty());
        first.tried.push(Tried { service: service.account().name, outcome, millis, detail, was_asked: true });
        first.got.is_some()
    }

    /// Waits for the service that had too many requests and whose rest ends first, if that is soon. Returns its index.
    fn wait(&self, services: &[&Access], tried: &[Tried], end: Instant) -> Option<usize> {
        let hurried = services.iter().zip(tried).enumerate().filter(|(_, (_, tried))| tried.outcome == Outcome::Rate);
        // A rest may have ended while others were asked.
        let left = |service: &Access| self.rests.left(service).map_or(Duration::ZERO, |(_, left)| left);
        let (index, left) =
            hurried.map(|(index, (service, _))| (index, left(service))).min_by_key(|(_, left)| *left)?;
        let until = Instant::now() + left;
        if left > MAX_WAIT || until + MIN_TIME > end {
            return None;
        }
        while Instant::now() < until && !(self.is_cancelled)() {
            thread::sleep(STEP.min(until.saturating_duration_since(Instant::now())));
        }
        Some(index)
    }
}

fn rests(service: &Access, outcome: Outcome, left: Duration) -> Tried {
    let why = if outcome == Outcome::Quota { "its quota is used up" } else { "it had too many requests" };
    let detail = format!("not asked for another {} s, because {why}", left.as_secs() + 1);
    Tried { service: service.account().name, outcome, millis: 0, detail: Some(detail), was_asked: false }
}
