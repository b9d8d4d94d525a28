//! The cache of availability checks, which run on a separate thread pool.
//!
//! A registry has one cache. Sessions with the process's environment share its results. A turn that needs a check that is
//! already running waits for that run. A run that exceeds the timeout is abandoned: its result still counts when it
//! arrives, and until then the check does not run again. No lock is held while a check runs.
//!
//! What runs checks is only reached through a [`CheckRunner`], which a provider returns if it has checks. So a program whose providers are
//! generated and have no checks contains none of it, nor the thread pool.

use std::borrow::Cow;
use std::collections::HashMap;
use std::future::poll_fn;
use std::mem;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use crate::data::hidden_reason::HiddenReason;
use crate::env::Env;
use crate::observe::trace;
use crate::panics;
use crate::panics::Panicked;
use crate::provider::ToolProvider;
use crate::provider::availability::{Availability, AvailabilityCheck};
use crate::result::output::ToolOutput;
use crate::run::clock::Clock;
use crate::run::pool::{CHECKS, JobHandle};
use crate::run::timer::Sleep;
use toolc_redact::REDACTED;

/// The time for which results of environment lookups and checks are cached.
pub(crate) const VERDICT_TTL: Duration = Duration::from_secs(30);
/// A failure this soon after a success counts as a flake.
const FLAKE_WINDOW: Duration = Duration::from_mins(1);
/// The default timeout for all checks of a turn.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(2);
/// The minimum length of a secret that is redacted, in bytes. A shorter one would occur in any text.
const MIN_SECRET_LEN: usize = 4;

/// The cache of check results.
#[derive(Default)]
pub(crate) struct ProbeCache {
    /// The results, from the first check on.
    results: OnceLock<Arc<dyn ProbeResults>>,
    changes: Changes,
    /// The number of scopes for environments other than the process's.
    scopes: AtomicU64,
}

/// Counts changes that invalidate existing turns: results were dropped, or arrived after their turn had stopped waiting.
type Changes = Arc<AtomicU64>;

/// What runs the checks of a provider and keeps their results.
#[derive(Clone, Copy)]
pub struct CheckRunner(fn(Changes) -> Arc<dyn ProbeResults>);

impl CheckRunner {
    /// Returns the only runner.
    pub(crate) fn new() -> Self {
        Self(|changes| Arc::new(Results { changes, ..Results::default() }))
    }
}

/// The results of checks, and what runs them.
trait ProbeResults: Send + Sync {
    /// Returns the status of each check of a scope. Checks without a fresh result run first, concurrently, and this method waits for
    /// them, at most for the policy's timeout.
    fn run<'a>(
        self: Arc<Self>,
        scope: u64,
        probes: &'a [Probe],
        policy: &'a ProbePolicy<'a>,
    ) -> Pin<Box<dyn Future<Output = Vec<ProbeStatus>> + Send + 'a>>;

    /// Does the same as [`run`](Self::run) for synchronous code: blocks this thread.
    fn run_blocking(self: Arc<Self>, scope: u64, probes: &[Probe], policy: &ProbePolicy<'_>) -> Vec<ProbeStatus>;

    /// See [`ProbeCache::invalidate`].
    fn invalidate(&self, is_affected: &dyn Fn(&Arc<dyn ToolProvider>, &ProbeSubject) -> bool);

    /// Drops the results of these scopes and providers.
    fn drop_of(&self, is_gone: &dyn Fn(u64, &Arc<dyn ToolProvider>) -> bool);

    /// Returns the number of checks with an entry.
    #[cfg(test)]
    fn count(&self) -> usize;
}

#[derive(Default)]
struct Results {
    entries: Mutex<Entries>,
    /// Notified at the end of each run, for turns that block a thread.
    answered: Condvar,
    /// The wakers of asynchronous turns, to wake at the end of the next run.
    wakers: Mutex<Vec<Waker>>,
    changes: Changes,
}

type Entries = HashMap<ProbeKey, ProbeEntry>;

/// The key of a check: the subject, the tool provider and the environment. A provider is identified by its address. The entry
/// owns the provider, so that no other provider gets this address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ProbeKey {
    scope: u64,
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

impl Probe {
    fn key(&self, scope: u64) -> ProbeKey {
        let provider = Arc::as_ptr(&self.provider).cast::<()>().addr();
        ProbeKey { scope, provider, subject: self.subject.clone() }
    }
}

/// The conditions under which checks run.
pub(crate) struct ProbePolicy<'a> {
    pub(crate) env: &'a Env,
    pub(crate) clock: &'a Clock,
    /// The timeout for all checks of a turn together.
    pub(crate) timeout: Duration,
}

/// The part of the cache for one environment. Results are not shared between environments.
pub(crate) struct ProbeScope {
    cache: Arc<ProbeCache>,
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
    /// The latest failure, if it counts as a flake. The verdict then ignores it.
    pub(crate) flake: Option<HiddenReason>,
    /// The time of the verdict, or `None` if there is no clock.
    pub(crate) since: Option<Instant>,
    pub(crate) until: Expiry,
}

/// The cached state of a check.
struct ProbeEntry {
    provider: Arc<dyn ToolProvider>,
    latest: Option<ProbeResult>,
    /// The time of the last success.
    passed: Option<Instant>,
    /// The number of results so far.
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
    /// Whether a turn has stopped waiting for the run.
    is_late: bool,
    /// Whether the result must be ignored, because it was invalidated during the run.
    is_void: bool,
    /// The handle of the run, or `None` if it was abandoned.
    waiter: Option<Pin<Box<JobHandle>>>,
}

impl ProbeCache {
    /// Returns a counter that changes when existing turns become invalid for another reason than their age.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// Returns the scope of an environment. All sessions with the process's environment share one scope.
    pub(crate) fn scope(self: &Arc<Self>, env: &Env) -> ProbeScope {
        let id = if env.is_process() { 0 } else { self.scopes.fetch_add(1, Ordering::Relaxed) + 1 };
        ProbeScope { cache: Arc::clone(self), id }
    }

    /// Drops the results for which `is_affected` returns true, in every environment. The next turn checks again, and no
    /// failure counts as a flake. The results of running checks will be ignored.
    pub(crate) fn invalidate(&self, is_affected: &dyn Fn(&Arc<dyn ToolProvider>, &ProbeSubject) -> bool) {
        if let Some(results) = self.results.get() {
            results.invalidate(is_affected);
        }
        self.changes.fetch_add(1, Ordering::Release);
    }

    /// Drops the results of all providers except these.
    pub(crate) fn retain_providers(&self, providers: &[Arc<dyn ToolProvider>]) {
        if let Some(results) = self.results.get() {
            results.drop_of(&|_, provider| !providers.iter().any(|other| Arc::ptr_eq(other, provider)));
        }
    }

    /// Returns the results, for checks that must run. `None` if their providers have no checks.
    fn results(&self, probes: &[Probe]) -> Option<Arc<dyn ProbeResults>> {
        if let Some(results) = self.results.get() {
            return Some(Arc::clone(results));
        }
        let CheckRunner(new) = probes.iter().find_map(|probe| probe.provider.checks())?;
        Some(Arc::clone(self.results.get_or_init(|| new(Arc::clone(&self.changes)))))
    }

    /// Returns the number of checks with an entry.
    #[cfg(test)]
    fn count(&self) -> usize {
        self.results.get().map_or(0, |results| results.count())
    }
}

impl Results {
    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn drop_entries(&self, is_gone: &dyn Fn(&ProbeKey, &ProbeEntry) -> bool) {
        let mut entries = self.entries();
        let gone: Vec<(ProbeKey, ProbeEntry)> = entries.extract_if(|key, entry| is_gone(key, entry)).collect();
        drop(entries);
        // Turns that wait for one of them must start it again.
        self.notify();
        // Without the lock, because dropping a provider may run any code.
        drop(gone);
    }

    /// Registers a waker for the end of the next run.
    fn register(&self, waker: &Waker) {
        let mut wakers = self.wakers.lock().unwrap_or_else(PoisonError::into_inner);
        if !wakers.iter().any(|known| known.will_wake(waker)) {
            wakers.push(waker.clone());
        }
    }

    /// Wakes all waiting turns, because a run has ended.
    fn notify(&self) {
        self.answered.notify_all();
        let wakers = mem::take(&mut *self.wakers.lock().unwrap_or_else(PoisonError::into_inner));
        for waker in wakers {
            // A panic of an executor must not stop a thread of the pool.
            let _ = panics::catch(|| waker.wake());
        }
    }

    /// Marks a run as started. Returns whether its result is still needed.
    fn begin(&self, key: &ProbeKey, number: u64) -> bool {
        let mut entries = self.entries();
        match entries.get_mut(key).and_then(|entry| entry.run.as_mut()) {
            Some(run) if run.number == number => {
                run.has_begun = true;
                true
            }
            _ => false,
        }
    }

    /// Records the end of a run.
    fn end(&self, key: &ProbeKey, number: u64, at: Option<Instant>, verdict: Result<(), HiddenReason>) {
        let mut entries = self.entries();
        let Some(entry) = entries.get_mut(key) else { return };
        let Some(run) = entry.run.take_if(|run| run.number == number) else { return };
        if let Some(at) = at
            && !run.is_void
        {
            entry.answers += 1;
            if verdict.is_ok() {
                entry.passed = Some(at);
            }
            entry.latest = Some(ProbeResult { at, verdict });
        }
        if run.is_late {
            self.changes.fetch_add(1, Ordering::Release);
        }
        drop(entries);
        self.notify();
        // Without the lock, because dropping the handle of the run locks the queue of the pool.
        drop(run);
    }

    fn start(self: &Arc<Self>, key: &ProbeKey, probe: &Probe, policy: &ProbePolicy<'_>) -> ProbeRun {
        /// The number of the next run.
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let (key, provider, scope) = (key.clone(), Arc::clone(&probe.provider), trace::current());
        let (env, clock) = (policy.env.clone(), policy.clock.clone());
        let results: Weak<Self> = Arc::downgrade(self);
        let waiter = CHECKS.run(&Arc::default(), move || {
            if results.upgrade().is_some_and(|results| results.begin(&key, number)) {
                let verdict = scope.within(|| verdict(&*provider, &key.subject, &env));
                if let Some(results) = results.upgrade() {
                    results.end(&key, number, clock.now(), verdict);
                }
            }
            // The pool requires a result. The verdict is already in the cache.
            Ok(ToolOutput::text(""))
        });
        let waiter = Some(Box::pin(waiter));
        ProbeRun { number, since: Instant::now(), has_begun: false, is_late: false, is_void: false, waiter }
    }
}

impl ProbeScope {
    pub(crate) fn cache(&self) -> &ProbeCache {
        &self.cache
    }

    /// Returns the status of each check. Checks without a fresh result run first, concurrently, and this method waits for them,
    /// at most for the policy's timeout.
    pub(crate) async fn run(&self, probes: &[Probe], policy: &ProbePolicy<'_>) -> Vec<ProbeStatus> {
        match self.cache.results(probes) {
            Some(results) => results.run(self.id, probes, policy).await,
            None => without_checks(probes),
        }
    }

    /// Does the same as [`run`](Self::run) for synchronous code: blocks this thread.
    pub(crate) fn run_blocking(&self, probes: &[Probe], policy: &ProbePolicy<'_>) -> Vec<ProbeStatus> {
        match self.cache.results(probes) {
            Some(results) => results.run_blocking(self.id, probes, policy),
            None => without_checks(probes),
        }
    }
}

/// Returns the status of checks that no provider has: they count as passed.
fn without_checks(probes: &[Probe]) -> Vec<ProbeStatus> {
    let passed = ProbeStatus { verdict: Ok(()), flake: None, since: None, until: Expiry::Never };
    vec![passed; probes.len()]
}

impl ProbeResults for Results {
    fn run<'a>(
        self: Arc<Self>,
        scope: u64,
        probes: &'a [Probe],
        policy: &'a ProbePolicy<'a>,
    ) -> Pin<Box<dyn Future<Output = Vec<ProbeStatus>> + Send + 'a>> {
        Box::pin(async move {
            let Some(mut round) = ProbeRound::new(&self, scope, probes, policy) else {
                return run_inline(probes, policy);
            };
            let mut timer = pin!(Sleep::after(policy.timeout));
            poll_fn(|context| {
                loop {
                    let mut entries = self.entries();
                    let Some(wait) = round.advance(&mut entries) else { return Poll::Ready(()) };
                    // Registered under the lock, so that no end of a run is missed.
                    self.register(context.waker());
                    drop(entries);
                    timer.set(Sleep::after(wait));
                    if timer.as_mut().poll(context).is_pending() {
                        return Poll::Pending;
                    }
                }
            })
            .await;
            round.finish()
        })
    }

    fn run_blocking(self: Arc<Self>, scope: u64, probes: &[Probe], policy: &ProbePolicy<'_>) -> Vec<ProbeStatus> {
        let Some(mut round) = ProbeRound::new(&self, scope, probes, policy) else { return run_inline(probes, policy) };
        let mut entries = self.entries();
        while let Some(wait) = round.advance(&mut entries) {
            entries = self.answered.wait_timeout(entries, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(entries);
        round.finish()
    }

    fn invalidate(&self, is_affected: &dyn Fn(&Arc<dyn ToolProvider>, &ProbeSubject) -> bool) {
        for (key, entry) in &mut *self.entries() {
            if is_affected(&entry.provider, &key.subject) {
                (entry.latest, entry.passed) = (None, None);
                if let Some(run) = &mut entry.run {
                    run.is_void = true;
                }
            }
        }
    }

    fn drop_of(&self, is_gone: &dyn Fn(u64, &Arc<dyn ToolProvider>) -> bool) {
        self.drop_entries(&|key, entry| is_gone(key.scope, &entry.provider));
    }

    #[cfg(test)]
    fn count(&self) -> usize {
        self.entries().len()
    }
}

/// The checks that one turn waits for.
struct ProbeRound<'a> {
    results: Arc<Results>,
    probes: &'a [Probe],
    policy: &'a ProbePolicy<'a>,
    keys: Vec<ProbeKey>,
    /// The time at the start, by the session's clock.
    now: Instant,
    began: Instant,
    /// The indices of the pending checks, each with the number of its earlier results.
    open: Vec<(usize, u64)>,
    /// Whether each check has exceeded the timeout.
    late: Vec<bool>,
    /// The handles of abandoned runs, which must be dropped without the lock.
    abandoned: Vec<Pin<Box<JobHandle>>>,
}

impl<'a> ProbeRound<'a> {
    /// Returns `None` if the system has no clock.
    fn new(results: &Arc<Results>, scope: u64, probes: &'a [Probe], policy: &'a ProbePolicy<'a>) -> Option<Self> {
        let now = policy.clock.now()?;
        let began = Instant::now();
        let keys: Vec<ProbeKey> = probes.iter().map(|probe| probe.key(scope)).collect();
        let mut entries = results.entries();
        let mut open = Vec::new();
        for (index, (probe, key)) in probes.iter().zip(&keys).enumerate() {
            let entry = entries.entry(key.clone()).or_insert_with(|| ProbeEntry::new(&probe.provider));
            if entry.is_due(now) {
                open.push((index, entry.answers));
            }
        }
        drop(entries);
        let late = vec![false; probes.len()];
        let results = Arc::clone(results);
        Some(Self { results, probes, policy, keys, now, began, open, late, abandoned: Vec::new() })
    }

    /// Starts pending checks that do not run yet. Returns the time to wait for a result, or `None` if every check has a result
    /// or is late.
    fn advance(&mut self, entries: &mut Entries) -> Option<Duration> {
        let Self { results, probes, policy, keys, began, open, late, abandoned, .. } = self;
        let mut wait = Duration::ZERO;
        open.retain(|&(index, answers)| {
            let (probe, key) = (&probes[index], &keys[index]);
            // The entry may have been dropped in the meantime. The new one keeps the count, so that the check is still pending.
            let new_entry = || ProbeEntry { answers, ..ProbeEntry::new(&probe.provider) };
            let entry = entries.entry(key.clone()).or_insert_with(new_entry);
            if entry.answers != answers {
                return false;
            }
            let mut left = policy.timeout.saturating_sub(began.elapsed());
            match &entry.run {
                Some(run) => left = left.min(policy.timeout.saturating_sub(run.since.elapsed())),
                None if !left.is_zero() => entry.run = Some(results.start(key, probe, policy)),
                None => {}
            }
            if left.is_zero() {
                late[index] = true;
                abandoned.extend(entry.abandon());
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
        let entries = self.results.entries();
        let mut statuses = Vec::with_capacity(self.keys.len());
        for (key, is_late) in self.keys.iter().zip(&self.late) {
            let late = if *is_late { Some(timeout) } else { None };
            statuses.push(match entries.get(key) {
                Some(entry) => entry.status(now, late),
                None => ProbeStatus::late(timeout),
            });
        }
        statuses
    }
}

/// Drops the results for a session's own environment when the session ends.
impl Drop for ProbeScope {
    fn drop(&mut self) {
        if self.id != 0
            && let Some(results) = self.cache.results.get()
        {
            results.drop_of(&|scope, _| scope == self.id);
        }
    }
}

impl ProbeEntry {
    fn new(provider: &Arc<dyn ToolProvider>) -> Self {
        Self { provider: Arc::clone(provider), latest: None, passed: None, answers: 0, run: None }
    }

    fn is_due(&self, now: Instant) -> bool {
        let is_fresh = |latest: &ProbeResult| {
            now.saturating_duration_since(latest.at) < VERDICT_TTL
                && (latest.verdict.is_ok() || !self.is_flake(latest.at))
        };
        !self.latest.as_ref().is_some_and(is_fresh)
    }

    /// Returns whether a failure at that time counts as a flake.
    fn is_flake(&self, at: Instant) -> bool {
        self.passed.is_some_and(|passed| at.saturating_duration_since(passed) < FLAKE_WINDOW)
    }

    /// Abandons the run. Returns its handle, which must be dropped without the lock.
    fn abandon(&mut self) -> Option<Pin<Box<JobHandle>>> {
        let run = self.run.as_mut()?;
        run.is_late = true;
        if run.has_begun {
            return run.waiter.take();
        }
        // The run has not begun, so it is still queued and will run later. Only if no thread could be started, it is over.
        let waiter = run.waiter.as_mut()?;
        let is_over = waiter.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready();
        if is_over { self.run.take()?.waiter } else { None }
    }

    /// Returns the status of the check. `late` is the timeout if the check has exceeded it.
    fn status(&self, now: Instant, late: Option<Duration>) -> ProbeStatus {
        let (reason, at) = match (late, &self.latest) {
            (Some(timeout), _) => (HiddenReason::TimedOut(timeout), now),
            (None, None) => return ProbeStatus::late(Duration::ZERO),
            (None, Some(ProbeResult { at, verdict: Ok(()) })) => {
                return ProbeStatus { verdict: Ok(()), flake: None, since: Some(*at), until: later(*at, VERDICT_TTL) };
            }
            (None, Some(ProbeResult { at, verdict: Err(reason) })) => (reason.clone(), *at),
        };
        // The end of a late run counts as a change, which invalidates the turn. Until then the status need not expire.
        let is_running = late.is_some() && self.run.is_some();
        if let Some(passed) = self.passed.filter(|_| self.is_flake(at)) {
            let until = if is_running { later(passed, FLAKE_WINDOW) } else { Expiry::Expired };
            return ProbeStatus { verdict: Ok(()), flake: Some(reason), since: Some(passed), until };
        }
        let until = match late {
            Some(_) if is_running => Expiry::Never,
            Some(_) => Expiry::Expired,
            None => later(at, VERDICT_TTL),
        };
        ProbeStatus { verdict: Err(reason), flake: None, since: Some(at), until }
    }
}

impl ProbeStatus {
    fn late(timeout: Duration) -> Self {
        Self { verdict: Err(HiddenReason::TimedOut(timeout)), flake: None, since: None, until: Expiry::Expired }
    }
}

fn later(at: Instant, by: Duration) -> Expiry {
    at.checked_add(by).map_or(Expiry::Expired, Expiry::At)
}

/// Runs the checks on this thread, without caching: for platforms without threads and a clock.
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
    let availability = panics::catch(|| provider.available(check, env));
    let verdict = panics::catch(|| match availability {
        Ok(Availability::Available) => Ok(()),
        Ok(Availability::Unavailable(text)) => Err(HiddenReason::Check(without_secrets(text, provider, env))),
        Err(Panicked(message)) => Err(HiddenReason::Panicked(without_secrets(message.into(), provider, env))),
    });
    verdict.unwrap_or_else(|_| Err(HiddenReason::Panicked("the tool provider failed to list its variables".into())))
}

/// Returns the text with the values of secret variables redacted, because models and people read it.
fn without_secrets(text: Cow<'static, str>, provider: &dyn ToolProvider, env: &Env) -> Cow<'static, str> {
    let secrets = provider.variables().iter().filter(|variable| variable.secret);
    let mut values: Vec<String> = Vec::new();
    for value in secrets.filter_map(|variable| env.var(&variable.name)) {
        if value.len() >= MIN_SECRET_LEN && text.contains(&*value) {
            // Longer values come first, because a value may be a part of a longer one.
            values.insert(values.partition_point(|other| other.len() >= value.len()), value);
        }
    }
    values.iter().fold(text, |text, value| text.replace(&**value, REDACTED).into())
}

#[cfg(test)]
mod tests;
