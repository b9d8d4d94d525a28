//! Helpers: agents to which the model of a conversation hands parts of its task with `delegate_task`.
//!
//! A helper has a fresh conversation, its own task, and the tools of its parent without [some](super::plan). It runs on a thread of its own
//! ([`helper`]), so that it goes on while its parent's user types. It ends with its parent. [`call`] handles the calls of the tool.

mod call;
mod helper;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use toolc::approval::Approver;
use toolc::redaction::Redactor;
use toolc_cli::Selection;

use super::budget::Budget;
use super::event::Observer;
use super::plan::{HelperPlan, Plan};
use super::{Agent, News};
use crate::ground::error::{Error, Result};
use crate::models::Spent;
use helper::{Helper, Job, Report, Surroundings, WaitingCall};

/// The maximum number of helpers of a conversation that have not ended or whose results were not read.
const MAX_HELPERS: usize = 20;

/// The time that the end of a conversation waits for the end of its helpers.
const END_LIMIT: Duration = Duration::from_secs(10);

/// The helpers of one conversation.
pub(super) struct Helpers {
    base: Base,
    /// The name of the task whose helpers they are.
    task: String,
    /// How many levels of helpers can be below the conversation.
    levels: u32,
    max_iterations: u32,
    slots: Arc<Semaphore>,
    /// The number of the latest helper, counted for all conversations below one.
    latest: Arc<AtomicU32>,
    budget: Mutex<Arc<Budget>>,
    /// The helpers that have not ended or whose results were not read, in the order of their start.
    all: Mutex<Vec<Arc<Helper>>>,
    /// Where the tokens of helpers that have ended are added.
    spent: Spent,
}

/// Makes an agent.
pub(super) type MakeAgent = Arc<dyn Fn(Plan<'_>) -> Result<Agent> + Send + Sync>;

/// What helpers have in common with their parent.
#[derive(Clone)]
pub(super) struct Base {
    /// Makes an agent in the process of the parent.
    pub(super) make: MakeAgent,
    pub(super) limits: toolc_config::Helpers,
    pub(super) news: News,
    pub(super) redactor: Arc<Redactor>,
    pub(super) selection: Selection,
    pub(super) toolsets: Option<Vec<String>>,
    pub(super) approver: Option<Arc<dyn Approver>>,
    pub(super) observer: Observer,
}

/// A helper in the background, as it is recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RecordedHelper {
    pub(super) helper_id: String,
    pub(super) goal: String,
    /// What it returned, if it has ended.
    #[serde(default)]
    report: Option<Report>,
}

impl RecordedHelper {
    pub(super) fn has_ended(&self) -> bool {
        self.report.is_some()
    }
}

impl std::fmt::Display for RecordedHelper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = match &self.report {
            Some(report) => format!("{}, its result was not read", report.status.word()),
            None => "has not ended".to_owned(),
        };
        write!(f, "{} ({state}): {}", self.helper_id, self.goal)
    }
}

impl Helpers {
    /// Returns the helpers of a conversation, which has none yet.
    pub(super) fn new(
        base: Base,
        task: &str,
        plan: Option<&HelperPlan>,
        budget: &Arc<Budget>,
        spent: Spent,
    ) -> Arc<Self> {
        let limits = base.limits;
        Arc::new(Self {
            task: task.to_owned(),
            levels: plan.map_or(limits.levels, |plan| plan.levels),
            max_iterations: limits.max_iterations,
            slots: Arc::new(Semaphore::new(usize::try_from(limits.at_once).unwrap_or(1))),
            latest: plan.map_or_else(Arc::default, |plan| Arc::clone(&plan.latest)),
            budget: Mutex::new(Arc::clone(budget)),
            all: Mutex::default(),
            spent,
            base,
        })
    }

    /// Sets the budget of the helpers that start from now on.
    pub(super) fn set_budget(&self, budget: &Arc<Budget>) {
        *self.budget.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(budget);
    }

    /// Returns the helpers in the background, to record them.
    pub(super) fn recorded(&self) -> Vec<RecordedHelper> {
        let background = self.all().iter().filter(|helper| helper.is_background).cloned().collect::<Vec<_>>();
        let recorded = |helper: Arc<Helper>| RecordedHelper {
            helper_id: helper.id.clone(),
            goal: helper.goal.clone(),
            report: helper.report(),
        };
        background.into_iter().map(recorded).collect()
    }

    /// Restores the results of an earlier run that were not read.
    pub(super) fn restore(&self, recorded: Vec<RecordedHelper>) {
        let numbers = recorded.iter().filter_map(|helper| helper.helper_id.rsplit('_').next()?.parse().ok());
        self.latest.fetch_max(numbers.max().unwrap_or(0), Ordering::SeqCst);
        let ended = recorded.into_iter().filter_map(|RecordedHelper { helper_id, goal, report }| {
            report.map(|report| Helper::ended_before(helper_id, goal, report))
        });
        self.all().extend(ended.take(MAX_HELPERS));
    }

    /// Waits for the helpers in the background, and returns their results, or `None` if there are none.
    pub(super) async fn results_of_background(&self) -> Option<String> {
        let helpers: Vec<Arc<Helper>> = self.all().iter().filter(|helper| helper.is_background).cloned().collect();
        if helpers.is_empty() {
            return None;
        }
        for helper in &helpers {
            helper.ended().await;
        }
        let results: Vec<serde_json::Value> = self.take(&helpers).iter().map(|helper| helper.json()).collect();
        Some(serde_json::Value::from(results).to_string())
    }

    /// Starts helpers.
    ///
    /// # Errors
    /// Returns an error if there are too many, or one cannot be started. Then none runs.
    fn start(&self, jobs: Vec<Job>, is_background: bool, call: Option<&Arc<WaitingCall>>) -> Result<Vec<Arc<Helper>>> {
        let mut all = self.all();
        if all.len() + jobs.len() > MAX_HELPERS {
            return Err(Error::Invalid(format!(
                "there would be more than {MAX_HELPERS} helpers that have not ended or whose results were not read: read results, or stop \
                 helpers"
            )));
        }
        let budget = Arc::clone(&self.budget.lock().unwrap_or_else(PoisonError::into_inner));
        let mut started = Vec::new();
        for job in jobs {
            let id = format!("helper_{}", self.latest.fetch_add(1, Ordering::SeqCst) + 1);
            let plan = HelperPlan {
                name: format!("{}-{id}", self.task),
                levels: job.levels,
                budget: Budget::of_helper(self.max_iterations, Arc::clone(&budget)),
                latest: Arc::clone(&self.latest),
            };
            let surroundings = Surroundings {
                base: self.base.clone(),
                parent: self.task.clone(),
                slots: Arc::clone(&self.slots),
                plan,
                spent: self.spent.clone(),
                call: call.cloned(),
            };
            match Helper::start(id, is_background, job, surroundings) {
                Ok(helper) => started.push(helper),
                Err(error) => {
                    for helper in &started {
                        helper.stop();
                    }
                    return Err(error);
                }
            }
        }
        all.extend(started.iter().cloned());
        Ok(started)
    }

    /// Removes helpers, and returns those that were there: each is returned once, so that of several calls that wait for a helper, one
    /// gets its result.
    fn take(&self, helpers: &[Arc<Helper>]) -> Vec<Arc<Helper>> {
        let taken: Vec<Arc<Helper>> =
            self.all().extract_if(.., |helper| helpers.iter().any(|read| Arc::ptr_eq(read, helper))).collect();
        for helper in &taken {
            // There is nothing left to read.
            self.base.news.remove(&self.task, &helper.end_begins());
        }
        taken
    }

    /// Ends all helpers, and waits for their end.
    pub(super) fn end(&self) {
        let helpers = std::mem::take(&mut *self.all());
        for helper in &helpers {
            helper.stop();
        }
        let begun = Instant::now();
        while helpers.iter().any(|helper| !helper.status().has_ended()) && begun.elapsed() < END_LIMIT {
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Returns the helpers, without those that were stopped with the call that waited for them.
    fn all(&self) -> MutexGuard<'_, Vec<Arc<Helper>>> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|helper| helper.is_background || !helper.status().has_ended());
        all
    }
}
