//! Checks run on threads of their own, and their results are cached for a while.
//!
//! A registry has one cache. Sessions without an environment of their own share its results, and a turn that needs a
//! running check waits for that run. A run that takes too long is abandoned: its answer counts when it arrives, and
//! until then the check does not run again. No lock is held while a check runs.

use std::borrow::Cow;
use std::collections::HashMap;
use std::future::poll_fn;
use std::mem;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use crate::availability::HiddenReason;
use crate::data::env::Env;
use crate::data::secret::REDACTED;
use crate::observe::trace;
use crate::panics;
use crate::panics::Panicked;
use crate::provider::ToolProvider;
use crate::provider::availability::{Availability, AvailabilityCheck};
use crate::result::output::ToolOutput;
use crate::run::clock::Clock;
use crate::run::pool::{CHECKS, JobHandle};
use crate::run::timer::Sleep;

/// How long results of environment lookups and checks are cached.
pub(crate) const VERDICT_TTL: Duration = Duration::from_secs(30);
/// A failure this soon after a success counts as a flake.
const FLAKE_WINDOW: Duration = Duration::from_mins(1);
/// The default time that a turn waits for checks.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(2);
/// The minimum length of a secret, in letters. A shorter one would occur in any text.
const SHORTEST_SECRET: usize = 4;

/// The cache of check results.
#[derive(Default)]
pub(crate) struct ProbeCache {
    slots: Mutex<Slots>,
    /// Signals the end of a run to threads.
    answered: Condvar,
    /// The futures to wake at the end of a run.
    wakers: Mutex<Vec<Waker>>,
    /// Counts changes that invalidate existing turns: results were dropped, or arrived after their turn had stopped
    /// waiting.
    changes: AtomicU64,
    /// The number of environments besides the process's.
    worlds: AtomicU64,
}

type Slots = HashMap<ProbeKey, ProbeEntry>;

/// The key of a check: the subject, the tool provider and the environment. A provider is identified by its address,
/// which its entry keeps alive.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ProbeKey {
    world: u64,
    provider: usize,
    subject: ProbeSubject,
}

/// The subject of a check.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ProbeSubject {
    /// The tool at this index of the provider.
    Tool(usize),
    /// The home tools of this toolset.
    Toolset(Cow<'static, str>),
}

/// A check that a tool requires.
pub(crate) struct Probe {
    pub(crate) provider: Arc<dyn ToolProvider>,
    pub(crate) subject: ProbeSubject,
}

/// The conditions under which checks run.
pub(crate) struct ProbePolicy<'a> {
    pub(crate) env: &'a Env,
    pub(crate) clock: &'a Clock,
    /// The maximum time to wait for all checks together.
    pub(crate) timeout: Duration,
}

/// An environment. Results are not shared between environments.
pub(crate) struct ProbeScope {
    checks: Arc<ProbeCache>,
    id: u64,
}

/// The time until which a result is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Expiry {
    /// The result is no longer valid.
    Expired,
    At(Instant),
    /// The result does not expire.
    Never,
}

impl Expiry {
    pub(crate) fn is_over(self, clock: &Clock) -> bool {
        match self {
            Expiry::Expired => true,
            Expiry::At(then) => clock.now().is_none_or(|now| now >= then),
            Expiry::Never => false,
        }
    }
}

/// The status of a check.
#[derive(Debug, Clone)]
pub(crate) struct ProbeStatus {
    pub(crate) verdict: Result<(), HiddenReason>,
    /// The failure, if it counts as a flake; the verdict is the previous one.
    pub(crate) flake: Option<HiddenReason>,
    /// The time of the verdict, or `None` if there is no clock.
    pub(crate) since: Option<Instant>,
    pub(crate) until: Expiry,
}

/// The cached state of a check.
struct ProbeEntry {
    provider: Arc<dyn ToolProvider>,
    said: Option<ProbeResult>,
    /// The time of the last success.
    passed: Option<Instant>,
    /// The number of answers.
    answers: u64,
    run: Option<ProbeRun>,
}

struct ProbeResult {
    at: Instant,
    verdict: Result<(), HiddenReason>,
}

/// A running check.
struct ProbeRun {
    /// The number of the run, unique for its entry.
    number: u64,
    since: Instant,
    has_begun: bool,
    /// A turn has stopped waiting for it.
    is_late: bool,
    /// Its environment no longer exists, or its result was invalidated.
    is_void: bool,
    /// The handle of the run, or `None` if it was abandoned.
    waiter: Option<Pin<Box<JobHandle>>>,
}

impl ProbeCache {
    fn slots(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a number that changes when existing turns become invalid, apart from their age.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// Returns the scope of an environment: the process's own, or another one.
    pub(crate) fn world(self: &Arc<Self>, env: &Env) -> ProbeScope {
        let id = if env.is_process() { 0 } else { self.worlds.fetch_add(1, Ordering::Relaxed) + 1 };
        ProbeScope { checks: Arc::clone(self), id }
    }

    /// Drops the results for these subjects, in every environment. The next turn checks again, and no failure counts as
    /// a flake. The answer of a check that is already running does not count.
    pub(crate) fn forget(&self, is_one: impl Fn(&Arc<dyn ToolProvider>, &ProbeSubject) -> bool) {
        for (key, slot) in &mut *self.slots() {
            if is_one(&slot.provider, &key.subject) {
                (slot.said, slot.passed) = (None, None);
                slot.run.iter_mut().for_each(|run| run.is_void = true);
            }
        }
        self.changes.fetch_add(1, Ordering::Release);
    }

    /// Drops the results of providers that are not among these.
    pub(crate) fn keep(&self, providers: &[Arc<dyn ToolProvider>]) {
        self.drop_slots(&|_, slot| !providers.iter().any(|provider| Arc::ptr_eq(provider, &slot.provider)));
    }

    fn drop_slots(&self, is_gone: &dyn Fn(&ProbeKey, &ProbeEntry) -> bool) {
        let mut slots = self.slots();
        let gone: Vec<(ProbeKey, ProbeEntry)> = slots.extract_if(|key, slot| is_gone(key, slot)).collect();
        drop(slots);
        // Turns that wait for one of them ask again.
        self.notify();
        // Without the lock, because dropping a provider may run any code.
        drop(gone);
    }

    /// Wakes `waker` at the end of the next run.
    fn register(&self, waker: &Waker) {
        let mut wakers = self.wakers.lock().unwrap_or_else(PoisonError::into_inner);
        if !wakers.iter().any(|known| known.will_wake(waker)) {
            wakers.push(waker.clone());
        }
    }

    /// Tells all waiting turns that a run has ended.
    fn notify(&self) {
        self.answered.notify_all();
        let wakers = mem::take(&mut *self.wakers.lock().unwrap_or_else(PoisonError::into_inner));
        for waker in wakers {
            // A panic of an executor must not stop a thread of the pool.
            let _ = panics::catch(|| waker.wake());
        }
    }

    /// Marks a run as started. Returns whether its result is still wanted.
    fn begin(&self, key: &ProbeKey, number: u64) -> bool {
        let mut slots = self.slots();
        let run = slots.get_mut(key).and_then(|slot| slot.run.as_mut()).filter(|run| run.number == number);
        run.map(|run| run.has_begun = true).is_some()
    }

    /// Records the end of a run.
    fn end(&self, key: &ProbeKey, number: u64, at: Option<Instant>, verdict: Result<(), HiddenReason>) {
        let mut slots = self.slots();
        let Some(slot) = slots.get_mut(key) else { return };
        let Some(run) = slot.run.take_if(|run| run.number == number) else { return };
        if let Some(at) = at.filter(|_| !run.is_void) {
            slot.answers += 1;
            if verdict.is_ok() {
                slot.passed = Some(at);
            }
            slot.said = Some(ProbeResult { at, verdict });
        }
        if run.is_late {
            self.changes.fetch_add(1, Ordering::Release);
        }
        drop(slots);
        self.notify();
        // The handle is dropped without the lock.
        drop(run);
    }
}

impl ProbeScope {
    pub(crate) fn checks(&self) -> &ProbeCache {
        &self.checks
    }

    /// Runs all of these checks concurrently, as far as they are due, and waits at most as long as the policy allows.
    pub(crate) async fn ask(&self, probes: &[Probe], policy: &ProbePolicy<'_>) -> Vec<ProbeStatus> {
        let Some(mut round) = ProbeRound::new(self, probes, policy) else { return run_inline(probes, policy) };
        let mut timer = pin!(Sleep::after(policy.timeout));
        poll_fn(|context| {
            loop {
                let mut slots = self.checks.slots();
                let Some(wait) = round.advance(&mut slots) else { return Poll::Ready(()) };
                // Registered under the lock, so that no end of a run is missed.
                self.checks.register(context.waker());
                drop(slots);
                timer.set(Sleep::after(wait));
                if timer.as_mut().poll(context).is_pending() {
                    return Poll::Pending;
                }
            }
        })
        .await;
        round.finish()
    }

    /// [`ask`](Self::ask) for code that is not asynchronous: this thread waits.
    pub(crate) fn ask_blocking(&self, probes: &[Probe], policy: &ProbePolicy<'_>) -> Vec<ProbeStatus> {
        let Some(mut round) = ProbeRound::new(self, probes, policy) else { return run_inline(probes, policy) };
        let mut slots = self.checks.slots();
        while let Some(wait) = round.advance(&mut slots) {
            slots = self.checks.answered.wait_timeout(slots, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(slots);
        round.finish()
    }

    fn key(&self, question: &Probe) -> ProbeKey {
        let provider = Arc::as_ptr(&question.provider).cast::<()>().addr();
        ProbeKey { world: self.id, provider, subject: question.subject.clone() }
    }

    fn start(&self, key: &ProbeKey, question: &Probe, terms: &ProbePolicy<'_>) -> ProbeRun {
        /// Numbers all runs.
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let (key, provider, scope) = (key.clone(), Arc::clone(&question.provider), trace::current());
        let (env, clock) = (terms.env.clone(), terms.clock.clone());
        let checks: Weak<ProbeCache> = Arc::downgrade(&self.checks);
        let waiter = CHECKS.run(&Arc::default(), move || {
            if checks.upgrade().is_some_and(|checks| checks.begin(&key, number)) {
                let verdict = scope.within(|| verdict(&*provider, &key.subject, &env));
                if let Some(checks) = checks.upgrade() {
                    checks.end(&key, number, clock.now(), verdict);
                }
            }
            Ok(ToolOutput::text(""))
        });
        let waiter = Some(Box::pin(waiter));
        ProbeRun { number, since: Instant::now(), has_begun: false, is_late: false, is_void: false, waiter }
    }
}

/// Checks that one turn waits for.
struct ProbeRound<'a> {
    scope: &'a ProbeScope,
    probes: &'a [Probe],
    policy: &'a ProbePolicy<'a>,
    keys: Vec<ProbeKey>,
    /// The time at the start, by the session's clock.
    now: Instant,
    began: Instant,
    /// The positions of the checks that are due, each with the number of its earlier answers.
    open: Vec<(usize, u64)>,
    /// Whether a check has exceeded the timeout, by position.
    late: Vec<bool>,
    /// The handles of abandoned runs, which must be dropped without the lock.
    abandoned: Vec<Pin<Box<JobHandle>>>,
}

impl<'a> ProbeRound<'a> {
    /// `None` if the system has no clock.
    fn new(scope: &'a ProbeScope, probes: &'a [Probe], policy: &'a ProbePolicy<'a>) -> Option<Self> {
        let now = policy.clock.now()?;
        let began = Instant::now();
        let keys: Vec<ProbeKey> = probes.iter().map(|probe| scope.key(probe)).collect();
        let mut slots = scope.checks.slots();
        let mut open = Vec::new();
        for (index, (probe, key)) in probes.iter().zip(&keys).enumerate() {
            let slot = slots.entry(key.clone()).or_insert_with(|| ProbeEntry::new(&probe.provider));
            if slot.is_due(now) {
                open.push((index, slot.answers));
            }
        }
        drop(slots);
        let late = vec![false; probes.len()];
        Some(Self { scope, probes, policy, keys, now, began, open, late, abandoned: Vec::new() })
    }

    /// Starts checks that are due and do not run yet. Returns how long to wait for an answer, or `None` if every check has
    /// been answered or is late.
    fn advance(&mut self, slots: &mut Slots) -> Option<Duration> {
        let Self { scope, probes, policy, keys, began, open, late, abandoned, .. } = self;
        let mut wait = Duration::ZERO;
        open.retain(|&(index, answers)| {
            let (probe, key) = (&probes[index], &keys[index]);
            // The entry may have been dropped meanwhile.
            let again = || ProbeEntry { answers, ..ProbeEntry::new(&probe.provider) };
            let slot = slots.entry(key.clone()).or_insert_with(again);
            if slot.answers != answers {
                return false;
            }
            let mut left = policy.timeout.saturating_sub(began.elapsed());
            match &slot.run {
                Some(run) => left = left.min(policy.timeout.saturating_sub(run.since.elapsed())),
                None if !left.is_zero() => slot.run = Some(scope.start(key, probe, policy)),
                None => {}
            }
            if left.is_zero() {
                late[index] = true;
                abandoned.extend(slot.give_up());
                return false;
            }
            wait = wait.max(left);
            true
        });
        if open.is_empty() { None } else { Some(wait) }
    }

    fn finish(self) -> Vec<ProbeStatus> {
        let timeout = self.policy.timeout;
        let now = self.policy.clock.now().unwrap_or(self.now);
        let slots = self.scope.checks.slots();
        let mut statuses = Vec::with_capacity(self.keys.len());
        for (key, is_late) in self.keys.iter().zip(&self.late) {
            let late = if *is_late { Some(timeout) } else { None };
            statuses.push(match slots.get(key) {
                Some(slot) => slot.standing(now, late),
                None => ProbeStatus::late(timeout),
            });
        }
        statuses
    }
}

/// Drops the results for a session's own environment when the session ends.
impl Drop for ProbeScope {
    fn drop(&mut self) {
        if self.id != 0 {
            self.checks.drop_slots(&|key, _| key.world == self.id);
        }
    }
}

impl ProbeEntry {
    fn new(provider: &Arc<dyn ToolProvider>) -> Self {
        Self { provider: Arc::clone(provider), said: None, passed: None, answers: 0, run: None }
    }

    fn is_due(&self, now: Instant) -> bool {
        let is_believed = |said: &ProbeResult| {
            now.saturating_duration_since(said.at) < VERDICT_TTL && (said.verdict.is_ok() || !self.is_flake(said.at))
        };
        !self.said.as_ref().is_some_and(is_believed)
    }

    /// Returns whether a failure at that time counts as a flake.
    fn is_flake(&self, at: Instant) -> bool {
        self.passed.is_some_and(|passed| at.saturating_duration_since(passed) < FLAKE_WINDOW)
    }

    /// Abandons the run. Returns the handle to drop without the lock.
    fn give_up(&mut self) -> Option<Pin<Box<JobHandle>>> {
        let run = self.run.as_mut()?;
        run.is_late = true;
        if run.has_begun {
            return run.waiter.take();
        }
        // The run is still queued, unless no thread could be started.
        let waiter = run.waiter.as_mut()?;
        let is_over = waiter.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready();
        if is_over { self.run.take()?.waiter } else { None }
    }

    /// Returns the status of the check. `late` is the time that was waited in vain, if any.
    fn standing(&self, now: Instant, late: Option<Duration>) -> ProbeStatus {
        let (reason, at) = match (late, &self.said) {
            (Some(patience), _) => (HiddenReason::TimedOut(patience), now),
            (None, None) => return ProbeStatus::late(Duration::ZERO),
            (None, Some(ProbeResult { at, verdict: Ok(()) })) => {
                return ProbeStatus { verdict: Ok(()), flake: None, since: Some(*at), until: later(*at, VERDICT_TTL) };
            }
            (None, Some(ProbeResult { at, verdict: Err(reason) })) => (reason.clone(), *at),
        };
        // A running check is not started again. Its end counts as a change.
        let runs = late.is_some() && self.run.is_some();
        if let Some(passed) = self.passed.filter(|_| self.is_flake(at)) {
            let until = if runs { later(passed, FLAKE_WINDOW) } else { Expiry::Expired };
            return ProbeStatus { verdict: Ok(()), flake: Some(reason), since: Some(passed), until };
        }
        let until = match late {
            Some(_) if runs => Expiry::Never,
            Some(_) => Expiry::Expired,
            None => later(at, VERDICT_TTL),
        };
        ProbeStatus { verdict: Err(reason), flake: None, since: Some(at), until }
    }
}

impl ProbeStatus {
    fn late(patience: Duration) -> Self {
        Self { verdict: Err(HiddenReason::TimedOut(patience)), flake: None, since: None, until: Expiry::Expired }
    }
}

fn later(at: Instant, by: Duration) -> Expiry {
    at.checked_add(by).map_or(Expiry::Expired, Expiry::At)
}

/// Runs the checks on this thread, each time, on platforms without clock and threads.
fn run_inline(probes: &[Probe], policy: &ProbePolicy<'_>) -> Vec<ProbeStatus> {
    let run = |probe: &Probe| {
        let verdict = verdict(&*probe.provider, &probe.subject, policy.env);
        ProbeStatus { verdict, flake: None, since: None, until: Expiry::Expired }
    };
    probes.iter().map(run).collect()
}

fn verdict(provider: &dyn ToolProvider, subject: &ProbeSubject, env: &Env) -> Result<(), HiddenReason> {
    let check = match subject {
        ProbeSubject::Tool(index) => AvailabilityCheck::Tool(*index),
        ProbeSubject::Toolset(name) => AvailabilityCheck::Toolset(name),
    };
    let asked = panics::catch(|| provider.available(check, env));
    let told = panics::catch(|| match asked {
        Ok(Availability::Available) => Ok(()),
        Ok(Availability::Unavailable(text)) => Err(HiddenReason::Check(without_secrets(text, provider, env))),
        Err(Panicked(message)) => Err(HiddenReason::Panicked(without_secrets(message.into(), provider, env))),
    });
    told.unwrap_or_else(|_| Err(HiddenReason::Panicked("its provider has no list of its variables".into())))
}

/// Returns the text with the values of secret variables redacted, because models and people read it.
fn without_secrets(text: Cow<'static, str>, provider: &dyn ToolProvider, env: &Env) -> Cow<'static, str> {
    let secrets = provider.variables().iter().filter(|variable| variable.secret);
    let mut values: Vec<String> = Vec::new();
    for value in secrets.filter_map(|variable| env.var(&variable.name)) {
        if value.len() >= SHORTEST_SECRET && text.contains(&*value) {
            // The longest first, because one may be the beginning of another.
            values.insert(values.partition_point(|other| other.len() >= value.len()), value);
        }
    }
    values.iter().fold(text, |text, value| text.replace(&**value, REDACTED).into())
}

#[cfg(test)]
mod tests;
