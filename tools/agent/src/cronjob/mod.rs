//! The `cronjob` tool: jobs that run later, without a person.
//!
//! [`request`] validates jobs, and [`approval`] has the hook that shows each change to the person. The jobs are in a store, and a host
//! runs them.

mod approval;
mod request;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::time::SystemTime;

use toolc::{Call, ErrorKind, Registry, ToolError};
use toolc_catalog::cronjob::CronjobTools;
use toolc_catalog::cronjob::cronjob::{
    Action, Args, Deliver, Returns, ReturnsJobsItem as JobItem, ReturnsJobsItemDeliver as DeliverItem,
    ReturnsJobsItemLastOutcome as OutcomeItem, ReturnsJobsItemRunsItem as RunItem, ReturnsJobsItemState as StateItem,
};
use toolc_store::{Job, JobRun, JobState, Jobs, RunOutcome, StoreError, time_text};

pub use approval::{JobChangeHook, JobFolderHook};
pub use request::{JobMaker, JobRequest, add, problem};

/// The tools that a job cannot have: a job may not create jobs, and no person answers its questions.
pub const NOT_IN_JOBS: [&str; 2] = ["cronjob", "clarify"];

/// The number of runs that are shown.
const SHOWN_RUNS: usize = 5;
/// The maximum length of the output of a run that is shown, in characters.
const SHOWN_CHARS: usize = 4_000;

/// What the tool needs from its host. A host gives it to its sessions as a [value](toolc::SessionBuilder::value).
#[derive(Debug, Clone)]
pub struct JobHost {
    /// The tools and toolsets of the host.
    pub registry: Registry,
    /// The kind of environment in which the tools of the session act.
    pub environment: String,
}

/// The handler of the toolset `cronjob`. It uses the [`Jobs`] and the [`JobHost`] of the session.
///
/// A host also adds the hooks [`JobFolderHook`] and [`JobChangeHook`], in this order: each change is shown to a person, with the folder
/// in which the job works. A folder whose path has links is refused.
#[derive(Debug, Clone, Copy, Default)]
pub struct CronjobHandlers;

impl CronjobTools for CronjobHandlers {
    fn cronjob(&self, args: Args, call: &Call<'_>) -> Result<Returns, ToolError> {
        let jobs = call.require_value::<Jobs>()?;
        let now = SystemTime::now();
        let (action, id) = (args.action, args.job_id.clone());
        let request = request(args);
        check_arguments(action, id.is_some(), &request)?;
        if let Action::List = action {
            let all = jobs.list().map_err(failed)?;
            let all = all.iter().map(|job| summary(&jobs, job)).collect::<Result<Vec<_>, _>>()?;
            let note = all.is_empty().then(|| "no job exists".to_owned());
            return Ok(Returns { jobs: all, note });
        }
        if let Some(folder) = &request.directory {
            request::check_folder(folder, &working_directory(call.directory())?)?;
        }
        if let Action::Create = action {
            let (job, note) = add(&jobs, request, &maker(call)?, now)?;
            let note = with_skills(note, &job, call);
            return Ok(Returns { jobs: vec![job_item(&jobs, &job)?], note });
        }
        let id = id.as_deref().map(job_id).transpose()?.ok_or_else(|| {
            nothing_changed_error(&format!("`{}` needs `job_id`: `list` returns the ids", action.as_str()))
        })?;
        let (job, note) = match action {
            Action::Create | Action::List => unreachable!("handled above"),
            Action::Show => (jobs.get(id).map_err(failed)?, None),
            Action::Remove => {
                let job = jobs.get(id).map_err(failed)?;
                let is_removed = jobs.remove(id).map_err(failed)?;
                (job.filter(|_| is_removed), Some("the job and its results are removed".to_owned()))
            }
            Action::Update => {
                let maker = maker(call)?;
                request::check_context(&jobs, &request)?;
                let changed =
                    jobs.change(id, |job| request::update(job, request, &maker, &jobs, now)).map_err(failed)?;
                match changed {
                    Some((note, job)) => {
                        let note = with_skills(note?, &job, call);
                        (Some(job), note)
                    }
                    None => (None, None),
                }
            }
            Action::Pause | Action::Resume | Action::Run => (change_state(&jobs, id, action, now)?, None),
        };
        let job = job.ok_or_else(|| no_job(id))?;
        let mut item = job_item(&jobs, &job)?;
        if let Action::Show = action {
            let runs = jobs.runs(id, SHOWN_RUNS).map_err(failed)?;
            item.runs = Some(runs.iter().map(run_item).collect());
        }
        Ok(Returns { jobs: vec![item], note })
    }
}

/// Fails if the call has an argument that the action does not take.
fn check_arguments(action: Action, has_id: bool, request: &JobRequest) -> Result<(), ToolError> {
    let action_name = action.as_str();
    if !matches!(action, Action::Create | Action::Update) && *request != JobRequest::default() {
        return Err(nothing_changed_error(&format!(
            "`{action_name}` takes only `job_id`: to change what a job does, use update"
        )));
    }
    if matches!(action, Action::Create | Action::List) && has_id {
        return Err(nothing_changed_error(&format!("`{action_name}` takes no `job_id`")));
    }
    Ok(())
}

/// Pauses a job, resumes it, or makes it run now. Returns `None` if the job does not exist.
fn change_state(jobs: &Jobs, id: i64, action: Action, now: SystemTime) -> Result<Option<Job>, ToolError> {
    let zone = jobs.zone().map_err(|error| nothing_changed_error(&error.to_string()))?;
    let change = |job: &mut Job| -> Result<(), ToolError> {
        match (action, job.state) {
            (Action::Pause, JobState::Active(_)) => job.state = JobState::Paused,
            (Action::Resume, JobState::Paused) => job.activate(now, &zone),
            (Action::Run, JobState::Active(next)) => job.state = JobState::Active(next.min(now)),
            (Action::Run, JobState::Paused) => return Err(nothing_changed_error("the job is paused: resume it first")),
            (Action::Run, JobState::Done) => {
                return Err(nothing_changed_error("the job is done: give it another schedule or repeat with update"));
            }
            (_, state) => {
                let text = format!("the job is {}, so it cannot be {}d", state.word(), action.as_str());
                return Err(nothing_changed_error(&text));
            }
        }
        Ok(())
    };
    let changed = jobs.change(id, change).map_err(failed)?;
    changed.map(|(result, job)| result.map(|()| job)).transpose()
}

fn request(args: Args) -> JobRequest {
    let Args {
        action: _,
        job_id: _,
        schedule,
        prompt,
        name,
        repeat,
        script,
        no_agent,
        context_from,
        skills,
        enabled_toolsets,
        workdir,
        deliver,
    } = args;
    JobRequest {
        schedule,
        prompt,
        name,
        repeat: repeat.and_then(|repeat| u32::try_from(repeat).ok()),
        script,
        no_agent,
        context_from,
        skills,
        toolsets: enabled_toolsets,
        directory: workdir,
        to_file: deliver.map(|deliver| matches!(deliver, Deliver::File)),
    }
}

/// Adds a note about the skills of a job that cannot be loaded now.
fn with_skills(note: Option<String>, job: &Job, call: &Call<'_>) -> Option<String> {
    let skills = crate::skills::note(&job.work.skills, call);
    let notes: Vec<String> = note.into_iter().chain(skills).collect();
    (!notes.is_empty()).then(|| notes.join(". "))
}

/// Returns the maker of a job: the conversation of this call.
fn maker(call: &Call<'_>) -> Result<JobMaker, ToolError> {
    let host = call.require_value::<JobHost>()?;
    let directory = working_directory(call.directory())?;
    let tools = host.registry.tools().into_iter().map(String::from).filter(|tool| call.has_tool(tool)).collect();
    Ok(JobMaker {
        registry: host.registry.clone(),
        tools,
        environment: call.environment().map_or_else(|| host.environment.clone(), |kind| kind.to_string()),
        directory,
        session: call.session().to_owned(),
    })
}

/// Returns the working directory of a task: the one that the host has set, or else that of this process.
fn working_directory(task_directory: Option<PathBuf>) -> Result<PathBuf, ToolError> {
    let unknown = |error| ToolError::new(format!("the working directory is unknown: {error}"));
    task_directory.map_or_else(|| std::env::current_dir().map_err(unknown), Ok)
}

pub(crate) fn job_id(text: &str) -> Result<i64, ToolError> {
    text.trim().parse().map_err(|_| {
        ToolError::with_kind(
            ErrorKind::NotFound,
            format!("`{}` is not an id of a job: `list` returns them", text.escape_debug()),
        )
    })
}

fn no_job(id: i64) -> ToolError {
    ToolError::with_kind(ErrorKind::NotFound, format!("the job {id} does not exist: `list` returns all jobs"))
}

#[expect(clippy::needless_pass_by_value, reason = "it is an argument of `map_err`")]
fn failed(error: StoreError) -> ToolError {
    ToolError::new(format!("the jobs cannot be used: {error}"))
}

/// Returns an error about a call that changes nothing.
fn nothing_changed_error(problem: &str) -> ToolError {
    ToolError::new(format!("{problem}. Nothing was changed"))
}

/// Returns a job with all of its fields.
fn job_item(jobs: &Jobs, job: &Job) -> Result<JobItem, ToolError> {
    let work = &job.work;
    Ok(JobItem {
        prompt: work.prompt.clone(),
        script: work.script.clone(),
        no_agent: Some(work.no_agent),
        context_from: Some(work.context_from.iter().map(ToString::to_string).collect()),
        skills: (!work.skills.is_empty()).then(|| work.skills.clone()),
        tools: Some(work.tools.clone()),
        workdir: Some(work.directory.clone()),
        deliver: Some(if work.to_file { DeliverItem::File } else { DeliverItem::Terminal }),
        ..summary(jobs, job)?
    })
}

fn summary(jobs: &Jobs, job: &Job) -> Result<JobItem, ToolError> {
    let last = jobs.runs(job.id, 1).map_err(failed)?.pop();
    Ok(JobItem {
        job_id: job.id.to_string(),
        name: job.name.clone(),
        state: match job.state {
            JobState::Active(_) => StateItem::Active,
            JobState::Paused => StateItem::Paused,
            JobState::Done => StateItem::Done,
        },
        schedule: job.schedule.to_string(),
        next_run: job.state.next().map(|next| jobs.time_of(job, next)),
        repeat: job.repeat.map(Into::into),
        runs_begun: job.begun.into(),
        last_outcome: last.as_ref().map(outcome),
        prompt: None,
        script: None,
        no_agent: None,
        context_from: None,
        skills: None,
        tools: None,
        workdir: None,
        deliver: None,
        runs: None,
    })
}

fn outcome(run: &JobRun) -> OutcomeItem {
    match run.ended.map(|(_, outcome)| outcome) {
        None => OutcomeItem::Running,
        Some(RunOutcome::Done) => OutcomeItem::Done,
        Some(RunOutcome::Failed) => OutcomeItem::Failed,
        Some(RunOutcome::TimedOut) => OutcomeItem::TimedOut,
        Some(RunOutcome::Interrupted) => OutcomeItem::Interrupted,
    }
}

fn run_item(run: &JobRun) -> RunItem {
    let count = run.output.chars().count();
    let mut output: String = run.output.chars().take(SHOWN_CHARS).collect();
    if count > SHOWN_CHARS {
        output += &format!("\n[{} more characters]", count - SHOWN_CHARS);
    }
    RunItem {
        due: time_text(run.due),
        missed: i64::try_from(run.missed).unwrap_or(i64::MAX),
        outcome: outcome(run).as_str().to_owned(),
        output,
    }
}

/// Returns whether `directory` is `parent` or a folder below it, after symbolic links are resolved.
fn is_below(directory: &std::path::Path, parent: &std::path::Path) -> bool {
    let canonical = |path: &std::path::Path| -> Option<PathBuf> { path.canonicalize().ok() };
    matches!((canonical(directory), canonical(parent)), (Some(directory), Some(parent)) if directory.starts_with(&parent))
}
