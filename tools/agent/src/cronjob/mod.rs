//! The `cronjob` tool: jobs that run later, without a person.
//!
//! [`request`] has what a job may be, [`approval`] the hook that shows each change to the person. The jobs are in a store, and a host
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
    Action, Args, Deliver, Details, DetailsDeliver, Job as ShownJob, JobLastOutcome, JobState as ShownState, Returns,
    Run, RunOutcome as ShownOutcome,
};
use toolc_store::{Job, JobRun, JobState, Jobs, RunOutcome, StoreError, time_text};

pub use approval::ChangesOfJobs;
pub use request::{JobMaker, JobRequest, add, problem};

/// The tools that a job does not have: it makes no jobs, and no person answers its questions.
pub const NOT_IN_JOBS: [&str; 2] = ["cronjob", "clarify"];

/// The number of runs that are shown.
const SHOWN_RUNS: usize = 5;
/// The maximum length of the output of a run that is shown, in characters.
const SHOWN_CHARS: usize = 4_000;

/// What the tool needs to know of its host, which gives it to its sessions as a [value](toolc::SessionBuilder::value).
#[derive(Debug, Clone)]
pub struct JobHost {
    /// The tools and toolsets of the host.
    pub registry: Registry,
    /// The kind of environment in which the tools of the session act.
    pub environment: String,
}

/// The handler of the toolset `cronjob`. It uses the [`Jobs`] and the [`JobHost`] of the session.
///
/// A host also adds the hook [`ChangesOfJobs`], which shows each change to a person.
#[derive(Debug, Clone, Copy, Default)]
pub struct CronjobHandlers;

impl CronjobTools for CronjobHandlers {
    fn cronjob(&self, args: Args, call: &Call<'_>) -> Result<Returns, ToolError> {
        let jobs = call.require_value::<Jobs>()?;
        let now = SystemTime::now();
        let (action, id) = (args.action, args.job_id.clone());
        let request = request(args);
        if !matches!(action, Action::Create | Action::Update) && request != JobRequest::default() {
            return Err(unchanged(&format!(
                "`{}` takes only `job_id`: to change what a job does, use update",
                action.as_str()
            )));
        }
        if matches!(action, Action::Create | Action::List) && id.is_some() {
            return Err(unchanged(&format!("`{}` takes no `job_id`", action.as_str())));
        }
        if let Action::List = action {
            let mut shown = Vec::new();
            for job in jobs.list().map_err(failed)? {
                shown.push(shown_job(&jobs, &job)?);
            }
            let note = shown.is_empty().then(|| "there are no jobs".to_owned());
            return Ok(Returns { jobs: Some(shown), job: None, details: None, runs: None, note });
        }
        if let Action::Create = action {
            let (job, note) = add(&jobs, request, &maker(call)?, now)?;
            return Ok(Returns { note, ..returns(&jobs, &job, &[])? });
        }
        let id = id
            .as_deref()
            .map(job_id)
            .transpose()?
            .ok_or_else(|| unchanged(&format!("`{}` needs `job_id`: `list` returns the ids", action.as_str())))?;
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
                    Some((note, job)) => (Some(job), note?),
                    None => (None, None),
                }
            }
            Action::Pause | Action::Resume | Action::Run => {
                let zone = jobs.zone();
                let change = |job: &mut Job| -> Result<(), ToolError> {
                    match (action, job.state) {
                        (Action::Pause, JobState::Active(_)) => job.state = JobState::Paused,
                        (Action::Resume, JobState::Paused) => job.activate(now, &zone),
                        (Action::Run, JobState::Active(next)) => job.state = JobState::Active(next.min(now)),
                        (Action::Run, JobState::Paused) => return Err(unchanged("the job is paused: resume it first")),
                        (Action::Run, JobState::Done) => {
                            return Err(unchanged("the job is done: give it another schedule or repeat with update"));
                        }
                        (_, state) => {
                            let text = format!("the job is {}, so it cannot be {}d", state.word(), action.as_str());
                            return Err(unchanged(&text));
                        }
                    }
                    Ok(())
                };
                match jobs.change(id, change).map_err(failed)? {
                    Some((result, job)) => result.map(|()| (Some(job), None))?,
                    None => (None, None),
                }
            }
        };
        let job = job.ok_or_else(|| no_job(id))?;
        let runs = if let Action::Show = action { jobs.runs(id, SHOWN_RUNS).map_err(failed)? } else { Vec::new() };
        let returns = returns(&jobs, &job, &runs)?;
        Ok(Returns {
            runs: matches!(action, Action::Show).then(|| runs.iter().map(shown_run).collect()),
            note,
            ..returns
        })
    }
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
        toolsets: enabled_toolsets,
        directory: workdir,
        to_file: deliver.map(|deliver| matches!(deliver, Deliver::File)),
    }
}

/// Returns what the conversation may give to a job.
fn maker(call: &Call<'_>) -> Result<JobMaker, ToolError> {
    let host = call.require_value::<JobHost>()?;
    let directory = match call.directory() {
        Some(directory) => directory,
        None => std::env::current_dir()
            .map_err(|error| ToolError::new(format!("the working directory is unknown: {error}")))?,
    };
    let tools = host.registry.tools().into_iter().map(String::from).filter(|tool| call.has_tool(tool)).collect();
    Ok(JobMaker {
        registry: host.registry.clone(),
        tools,
        environment: call.environment().map_or_else(|| host.environment.clone(), |kind| kind.to_string()),
        directory,
        session: call.session().to_owned(),
    })
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
    ToolError::with_kind(ErrorKind::NotFound, format!("there is no job {id}: `list` returns all"))
}

#[expect(clippy::needless_pass_by_value, reason = "it is an argument of `map_err`")]
fn failed(error: StoreError) -> ToolError {
    ToolError::new(format!("the jobs cannot be used: {error}"))
}

/// Returns an error about a call that changes nothing.
fn unchanged(problem: &str) -> ToolError {
    ToolError::new(format!("{problem}. Nothing was changed"))
}

fn returns(jobs: &Jobs, job: &Job, runs: &[JobRun]) -> Result<Returns, ToolError> {
    let work = &job.work;
    let details = Details {
        prompt: work.prompt.clone(),
        script: work.script.clone(),
        no_agent: work.no_agent,
        tools: work.tools.clone(),
        workdir: work.directory.clone(),
        deliver: if work.to_file { DetailsDeliver::File } else { DetailsDeliver::Terminal },
        context_from: work.context_from.iter().map(ToString::to_string).collect(),
    };
    let mut shown = shown_job(jobs, job)?;
    if let Some(run) = runs.first() {
        shown.last_outcome = Some(outcome(run));
    }
    Ok(Returns { jobs: None, job: Some(shown), details: Some(details), runs: None, note: None })
}

fn shown_job(jobs: &Jobs, job: &Job) -> Result<ShownJob, ToolError> {
    let last = jobs.runs(job.id, 1).map_err(failed)?.pop();
    Ok(ShownJob {
        job_id: job.id.to_string(),
        name: job.name.clone(),
        state: match job.state {
            JobState::Active(_) => ShownState::Active,
            JobState::Paused => ShownState::Paused,
            JobState::Done => ShownState::Done,
        },
        schedule: job.schedule.to_string(),
        next_run: job.state.next().map(|next| jobs.time_text(next)),
        repeat: job.repeat.map(Into::into),
        runs_begun: job.begun.into(),
        last_outcome: last.as_ref().map(outcome),
    })
}

fn outcome(run: &JobRun) -> JobLastOutcome {
    match run.ended.map(|(_, outcome)| outcome) {
        None => JobLastOutcome::Running,
        Some(RunOutcome::Done) => JobLastOutcome::Done,
        Some(RunOutcome::Failed) => JobLastOutcome::Failed,
        Some(RunOutcome::TimedOut) => JobLastOutcome::TimedOut,
        Some(RunOutcome::Interrupted) => JobLastOutcome::Interrupted,
    }
}

fn shown_run(run: &JobRun) -> Run {
    let count = run.output.chars().count();
    let mut output: String = run.output.chars().take(SHOWN_CHARS).collect();
    if count > SHOWN_CHARS {
        output += &format!("\n[{} more characters]", count - SHOWN_CHARS);
    }
    Run {
        due: time_text(run.due),
        missed: i64::try_from(run.missed).unwrap_or(i64::MAX),
        started: time_text(run.started),
        outcome: match outcome(run) {
            JobLastOutcome::Running => ShownOutcome::Running,
            JobLastOutcome::Done => ShownOutcome::Done,
            JobLastOutcome::Failed => ShownOutcome::Failed,
            JobLastOutcome::TimedOut => ShownOutcome::TimedOut,
            JobLastOutcome::Interrupted => ShownOutcome::Interrupted,
        },
        output,
    }
}

/// What a job may take from its maker's directory.
fn is_below(directory: &std::path::Path, parent: &std::path::Path) -> bool {
    let canonical = |path: &std::path::Path| -> Option<PathBuf> { path.canonicalize().ok() };
    matches!((canonical(directory), canonical(parent)), (Some(directory), Some(parent)) if directory.starts_with(&parent))
}
