//! Requires approval of each change of jobs.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::{Map, Value};
use toolc::ToolError;
use toolc::hooks::{CallInfo, Hook, HookAction};
use toolc_store::{Job, Jobs};

use super::{request, working_directory};

/// The tool that changes jobs.
const TOOL: &str = "cronjob";
/// The maximum length of a prompt or script of a job in a question, in characters.
const MAX_CHARS: usize = 500;

/// A hook that replaces the folder in a call of `cronjob`, and the default one of a new job, by the path to which it leads. So what the person,
/// the log and the handler see is one path, in which the job works.
#[derive(Debug, Clone, Copy, Default)]
pub struct JobFolderHook;

impl Hook for JobFolderHook {
    fn name(&self) -> &'static str {
        "the folders of jobs"
    }

    fn changes_arguments_of(&self, tool: &str) -> bool {
        tool == TOOL
    }

    fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
        let named = call.arguments()["workdir"].as_str();
        let is_new = call.arguments()["action"] == "create";
        if call.tool() != TOOL || named.is_none() && !is_new {
            return Ok(HookAction::Continue);
        }
        let current = working_directory(call.directory())?;
        // The handler explains what is wrong with another path.
        let found = request::canonical(Path::new(named.unwrap_or(".")), &current);
        let change = |folder| HookAction::Change(Map::from_iter([("workdir".to_owned(), Value::String(folder))]));
        Ok(found.map_or(HookAction::Continue, change))
    }
}

/// A hook that requires approval of each call of `cronjob` that changes something. If no person can be asked, the call is refused.
#[derive(Debug)]
pub struct JobChangeHook {
    jobs: Arc<Jobs>,
    refuses_all: bool,
}

impl JobChangeHook {
    /// Returns a hook for a session that changes these jobs.
    pub fn new(jobs: Arc<Jobs>) -> Self {
        Self { jobs, refuses_all: false }
    }

    /// Refuses all changes without a question, for a host that runs inside a tool: its questions would not be answered by a person.
    #[must_use]
    pub fn never(self) -> Self {
        Self { refuses_all: true, ..self }
    }

    /// Describes the change that a call would make. Returns `None` if the call only reads, or will be refused by the handler.
    fn describe_change(&self, arguments: &Value) -> Option<String> {
        let text = |name: &str| arguments[name].as_str();
        let schedule = match text("schedule") {
            Some(schedule) => {
                let now = SystemTime::now();
                let (jobs, schedule) = self.jobs.in_zone_of(schedule).ok()?;
                let schedule = jobs.parse(schedule, now).ok()?;
                let first = schedule.next(now, now, &jobs.zone().ok()?)?;
                format!("{schedule}, first at {}", jobs.time_text(first))
            }
            None => String::new(),
        };
        let action = text("action")?;
        if text("prompt").and_then(toolc_scan::problem).is_some() {
            return None;
        }
        if action == "create" {
            let has_schedule = !schedule.is_empty();
            return has_schedule.then(|| {
                format!("a job would run without you ({schedule}), with at most the tools of this conversation")
            });
        }
        let becomes = match action {
            "update" if schedule.is_empty() => "changed".to_owned(),
            "update" => format!("changed, and due {schedule}"),
            "pause" => "paused".to_owned(),
            "resume" => "resumed, so that it runs without you".to_owned(),
            "run" => "run now, without you".to_owned(),
            "remove" => "removed with its results".to_owned(),
            _ => return None,
        };
        let id = text("job_id")?.trim().parse().ok()?;
        // If the store cannot be read, the handler reports the error.
        let job = self.jobs.get(id).ok()??;
        Some(format!("the job {id} would be {becomes}. The current job is: {}", describe_job(&job)))
    }
}

impl Hook for JobChangeHook {
    fn name(&self) -> &'static str {
        "the approval of jobs"
    }

    fn changes_arguments(&self) -> bool {
        false
    }

    fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
        if call.tool() != TOOL {
            return Ok(HookAction::Continue);
        }
        Ok(match self.describe_change(call.arguments()) {
            Some(_) if self.refuses_all => HookAction::Block(
                "only a person can allow changes of jobs, and this program runs inside a tool".to_owned(),
            ),
            Some(change) => HookAction::AskEachTime(change),
            None => HookAction::Continue,
        })
    }
}

fn describe_job(job: &Job) -> String {
    let mut text = format!("{}, {}, in `{}`", job.name, job.schedule, job.work.directory.escape_debug());
    for (name, part) in [("prompt", &job.work.prompt), ("script", &job.work.script)] {
        if let Some(part) = part {
            let shown: String = part.chars().take(MAX_CHARS).collect();
            let rest = if shown.len() < part.len() { " ..." } else { "" };
            text += &format!("; {name}: {shown}{rest}");
        }
    }
    if !job.work.skills.is_empty() {
        text += &format!("; skills: {}", job.work.skills.join(", "));
    }
    text
}
