//! Checks run on threads of their own, and their results are cached for a while.
//!
//! A registry has one cache. Sessions without an environment of their own share its results, and a turn that needs a
//! running check waits for that run. A run that takes too long is abandoned: its answer counts when it arrives, and
//! until then the check does not run again. No lock is held while a check runs.

use std::borrow::Cow;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Waker};
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
    /// Signals the end of a run.
    answered: Condvar,
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
pub(crate) struct Probe<'a> {
    pub(crate) provider: &'a Arc<dyn ToolProvider>,
    pub(crate) subject: ProbeSubject,
}

/// The conditions under which checks run.
pub(crate) struct ProbePolicy<'a> {
    pub(crate) env: &'a Env,
    pub(crate) clock: &'a Clock,
    /// The maximum time to wait for all checks together.
    pub(crate) patience: Duration,
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
        self.answered.notify_all();
        // Without the lock, because dropping a provider may run any code.
        drop(gone);
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
        self.answered.notify_all();
        // The handle is dropped without the lock.
        drop(run);
    }
}

impl ProbeScope {
    pub(crate) fn checks(&self) -> &ProbeCache {
        &self.checks
    }

    /// Runs all of these checks concurrently, as far as they are due, and waits at most as long as the policy allows.
    pub(crate) fn ask(&self, questions: &[Probe<'_>], terms: &ProbePolicy<'_>) -> Vec<ProbeStatus> {
        let Some(now) = terms.clock.now() else {
            return questions.iter().map(|question| inline(question, terms.env)).collect();
        };
        let keys: Vec<ProbeKey> = questions.iter().map(|question| self.key(question)).collect();
        let began = Instant::now();
        let mut slots = self.checks.slots();
        // The checks that are due, and the number of their answers so far.
        let mut open: Vec<(usize, u64)> = Vec::new();
        for (index, (question, key)) in questions.iter().zip(&keys).enumerate() {
            let slot = slots.entry(key.clone()).or_insert_with(|| ProbeEntry::new(question.provider));
            if slot.is_due(now) {
                open.push((index, slot.answers));
            }
        }
        let mut late = vec![false; questions.len()];
        let mut left_behind = Vec::new();
        while !open.is_empty() {
            let mut wait = Duration::ZERO;
            open.retain(|&(index, answers)| {
                let (question, key) = (&questions[index], &keys[index]);
                // The entry may have been dropped meanwhile.
                let again = || ProbeEntry { answers, ..ProbeEntry::new(question.provider) };
                let slot = slots.entry(key.clone()).or_insert_with(again);
                if slot.answers != answers {
                    return false;
                }
                let left = terms.patience.saturating_sub(began.elapsed());
                let left = if let Some(run) = &slot.run {
                    left.min(terms.patience.saturating_sub(run.since.elapsed()))
                } else {
                    slot.run = (!left.is_zero()).then(|| self.start(key, question, terms));
                    left
                };
                if left.is_zero() {
                    late[index] = true;
                    left_behind.extend(slot.give_up());
                }
                wait = wait.max(left);
                !left.is_zero()
            });
            if !open.is_empty() {
                slots = self.checks.answered.wait_timeout(slots, wait).unwrap_or_else(PoisonError::into_inner).0;
            }
        }
        let now = terms.clock.now().unwrap_or(now);
        let standing = |(key, is_late): (&ProbeKey, bool)| {
            let late = is_late.then_some(terms.patience);
            slots.get(key).map_or_else(|| ProbeStatus::late(terms.patience), |slot| slot.standing(now, late))
        };
        let standings = keys.iter().zip(late).map(standing).collect();
        drop(slots);
        // Handles are dropped without the lock.
        drop(left_behind);
        standings
    }

    fn key(&self, question: &Probe<'_>) -> ProbeKey {
        let provider = Arc::as_ptr(question.provider).cast::<()>().addr();
        ProbeKey { world: self.id, provider, subject: question.subject.clone() }
    }

    fn start(&self, key: &ProbeKey, question: &Probe<'_>, terms: &ProbePolicy<'_>) -> ProbeRun {
        /// Numbers all runs.
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let (key, provider, scope) = (key.clone(), Arc::clone(question.provider), trace::current());
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

/// Runs the check inline, each time, on platforms without clock and threads.
fn inline(question: &Probe<'_>, env: &Env) -> ProbeStatus {
    let verdict = verdict(&**question.provider, &question.subject, env);
    ProbeStatus { verdict, flake: None, since: None, until: Expiry::Expired }
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
