//! Helpers: agents to which a model delegates parts of its task with `delegate_task`.
//!
//! A helper has a new conversation, its own task, and the tools of its parent except for [some](super::plan). It runs on its own thread
//! ([`helper`]), so that it continues while the user types. A helper ends with its parent. [`call`] handles the calls of the tool.

mod call;
mod helper;
mod narrow;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use toolc::Registry;
use toolc::approval::Approver;
use toolc::redaction::Redactor;
use toolc_cli::Selection;

use super::budget::Budget;
use super::calls::CallLog;
use super::event::Observer;
use super::plan::{HelperPlan, Plan};
use super::undo::TurnChanges;
use super::{Agent, News};
use crate::ground::error::{Error, Result};
use crate::models::{Spending, UncountedTokens};
use crate::sources::instructions::Instructions;
use helper::{Helper, HelperContext, Job, Report, WaitingCall};

/// The maximum number of helpers of a conversation that are running or have unread results.
const MAX_HELPERS: usize = 20;

/// How long the end of a conversation waits until its helpers have ended.
const END_LIMIT: Duration = Duration::from_secs(10);

/// The helpers of one conversation.
pub(super) struct Helpers {
    base: Base,
    /// The name of the task of the parent.
    task: String,
    /// How many levels of helpers may be below the conversation.
    levels: u32,
    max_iterations: u32,
    slots: Arc<Semaphore>,
    /// The number of the latest helper. The count is shared with all conversations above and below.
    latest: Arc<AtomicU32>,
    budget: Mutex<Arc<Budget>>,
    /// The helpers that are running or have unread results, in the order of their start.
    all: Mutex<Vec<Arc<Helper>>>,
    /// The counter to which the tokens of ended helpers are added.
    uncounted: UncountedTokens,
}

/// A function that makes an agent.
pub(super) type MakeAgent = Arc<dyn Fn(Plan<'_>) -> Result<Agent> + Send + Sync>;

/// The values that helpers share with their parent.
#[derive(Clone)]
pub(super) struct Base {
    /// Makes an agent in the process of the parent.
    pub(super) make: MakeAgent,
    pub(super) registry: Registry,
    pub(super) limits: toolc_config::Helpers,
    pub(super) news: News,
    pub(super) redactor: Arc<Redactor>,
    pub(super) selection: Selection,
    pub(super) toolsets: Option<Vec<String>>,
    pub(super) approver: Option<Arc<dyn Approver>>,
    pub(super) observer: Observer,
    /// Where the calls of the parent are recorded.
    pub(super) calls: CallLog,
    pub(super) instructions: Arc<Instructions>,
    /// What the turn of the parent has changed.
    pub(super) changes: TurnChanges,
    /// What the parent and its helpers may spend together.
    pub(super) spending: Option<Arc<Spending>>,
}

impl Base {
    /// Returns the values for a helper that has only these tools.
    fn narrowed_to(mut self, tools: &[String]) -> Self {
        self.selection.enable.clear();
        self.selection.enable_tools = tools.to_vec();
        Self { toolsets: None, ..self }
    }
}

/// A background helper, as it is stored with the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RecordedHelper {
    pub(super) helper_id: String,
    pub(super) goal: String,
    /// The result, if the helper has ended.
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
            Some(report) => format!("{}, the result was not read", report.status.word()),
            None => "has not ended".to_owned(),
        };
        write!(f, "{} ({state}): {}", self.helper_id, self.goal)
    }
}

impl Helpers {
    /// Returns an empty list of helpers for a conversation.
    pub(super) fn new(
        base: Base,
        task: &str,
        plan: Option<&HelperPlan>,
        budget: &Arc<Budget>,
        uncounted: UncountedTokens,
    ) -> Arc<Self> {
        let limits = &base.limits;
        Arc::new(Self {
            task: task.to_owned(),
            levels: plan.map_or(limits.levels, |plan| plan.levels),
            max_iterations: limits.max_iterations,
            slots: Arc::new(Semaphore::new(usize::try_from(limits.at_once).unwrap_or(1))),
            latest: plan.map_or_else(Arc::default, |plan| Arc::clone(&plan.latest)),
            budget: Mutex::new(Arc::clone(budget)),
            all: Mutex::default(),
            uncounted,
            base,
        })
    }

    /// Returns the tools of this process.
    pub(super) fn registry(&self) -> &Registry {
        &self.base.registry
    }

    /// Sets the budget of the helpers that start from now on.
    pub(super) fn set_budget(&self, budget: &Arc<Budget>) {
        *self.budget.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(budget);
    }

    /// Returns the background helpers in the form that is stored.
    pub(super) fn recorded(&self) -> Vec<RecordedHelper> {
        let background = self.all().iter().filter(|helper| helper.is_background).cloned().collect::<Vec<_>>();
        let recorded = |helper: Arc<Helper>| RecordedHelper {
            helper_id: helper.id.clone(),
            goal: helper.goal.clone(),
            report: helper.report(),
        };
        background.into_iter().map(recorded).collect()
    }

    /// Restores the unread results of an earlier run.
    pub(super) fn restore(&self, recorded: Vec<RecordedHelper>) {
        let numbers = recorded.iter().filter_map(|helper| helper.helper_id.rsplit('_').next()?.parse().ok());
        self.latest.fetch_max(numbers.max().unwrap_or(0), Ordering::SeqCst);
        let ended = recorded.into_iter().filter_map(|RecordedHelper { helper_id, goal, report }| {
            report.map(|report| Helper::from_earlier_run(helper_id, goal, report))
        });
        self.all().extend(ended.take(MAX_HELPERS));
    }

    /// Waits for the background helpers, and returns their results, or `None` if no helper runs in the background.
    pub(super) async fn collect_results(&self) -> Option<String> {
        let helpers: Vec<Arc<Helper>> = self.all().iter().filter(|helper| helper.is_background).cloned().collect();
        if helpers.is_empty() {
            return None;
        }
        for helper in &helpers {
            helper.wait_for_end().await;
        }
        let results: Vec<serde_json::Value> = self.take(&helpers).iter().map(|helper| helper.json()).collect();
        Some(serde_json::Value::from(results).to_string())
    }

    /// Starts helpers for the call of this id. If the call does not wait for them, they run in the background.
    ///
    /// # Errors
    /// Returns an error if there are too many helpers, or one cannot be started. In this case, none runs.
    fn start(&self, jobs: Vec<Job>, call: &str, waiting: Option<&Arc<WaitingCall>>) -> Result<Vec<Arc<Helper>>> {
        let mut all = self.all();
        if all.len() + jobs.len() > MAX_HELPERS {
            return Err(Error::Invalid(format!(
                "there would be more than {MAX_HELPERS} helpers that are running or have unread results: read results, or stop helpers"
            )));
        }
        let budget = Arc::clone(&self.budget.lock().unwrap_or_else(PoisonError::into_inner));
        let mut started = Vec::new();
        for job in jobs {
            let id = format!("helper_{}", self.latest.fetch_add(1, Ordering::SeqCst) + 1);
            let plan = HelperPlan {
                name: format!("{}-{id}", self.task),
                calls: self.base.calls.of_helper(&id, call),
                levels: job.levels,
                budget: Budget::for_helper(self.max_iterations, Arc::clone(&budget)),
                latest: Arc::clone(&self.latest),
                instructions: Arc::clone(&self.base.instructions),
                changes: self.base.changes.clone(),
                spending: self.base.spending.clone(),
            };
            let context = HelperContext {
                base: match &job.tools {
                    Some(tools) => self.base.clone().narrowed_to(tools),
                    None => self.base.clone(),
                },
                parent: self.task.clone(),
                slots: Arc::clone(&self.slots),
                plan,
                uncounted: self.uncounted.clone(),
                call: waiting.cloned(),
            };
            match Helper::start(id, waiting.is_none(), job, context) {
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

    /// Removes helpers, and returns those that were present. If several calls wait for a helper, only one of them takes it and gets its
    /// result.
    fn take(&self, helpers: &[Arc<Helper>]) -> Vec<Arc<Helper>> {
        let taken: Vec<Arc<Helper>> =
            self.all().extract_if(.., |helper| helpers.iter().any(|read| Arc::ptr_eq(read, helper))).collect();
        for helper in &taken {
            // The news that the helper has ended is obsolete.
            self.base.news.remove(&self.task, &helper.end_prefix());
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

    /// Locks and returns the helpers, without foreground helpers that have ended: their call has returned the results.
    fn all(&self) -> MutexGuard<'_, Vec<Arc<Helper>>> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|helper| helper.is_background || !helper.status().has_ended());
        all
    }
}
