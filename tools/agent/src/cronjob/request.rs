//! Checks the requests of the tool and of people to add or change a job.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use toolc::{ErrorKind, Registry, ToolError};
use toolc_store::{Job, JobState, JobWork, Jobs, MAX_JOBS, NewJob, Schedule};

use super::{NOT_IN_JOBS, failed, is_below, job_id, nothing_changed_error};
use crate::skills::{checked_skills, tool_problem};

/// The tool that runs scripts.
const SHELL: &str = "terminal";
/// The maximum length of a name that is derived from a prompt, in characters.
const NAME_CHARS: usize = 60;

/// A request to add or change a job. A field that is `None` keeps its value, or gets the default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobRequest {
    /// When the job is due, in the format of [`Schedule::parse`].
    pub schedule: Option<String>,
    /// The task for the model.
    pub prompt: Option<String>,
    /// A name for people.
    pub name: Option<String>,
    /// The number of runs after which the job is done.
    pub repeat: Option<u32>,
    /// A command line, whose output the model gets.
    pub script: Option<String>,
    /// Whether the output of the script is the result.
    pub no_agent: Option<bool>,
    /// The ids of jobs whose results the model gets.
    pub context_from: Option<Vec<String>>,
    /// The skills with which the model begins.
    pub skills: Option<Vec<String>>,
    /// The toolsets. Default: all tools of the maker.
    pub toolsets: Option<Vec<String>>,
    /// The working directory: absolute, or relative to the directory of the maker.
    pub directory: Option<String>,
    /// Whether the results are written to a file.
    pub to_file: Option<bool>,
}

/// The conversation or person that creates or changes a job. A job can have at most the tools of its maker.
#[derive(Debug, Clone)]
pub struct JobMaker {
    /// The tools and toolsets of the host.
    pub registry: Registry,
    /// The tools of the conversation.
    pub tools: Vec<String>,
    /// The kind of environment in which the tools act.
    pub environment: String,
    /// The working directory.
    pub directory: PathBuf,
    /// The id of the conversation; empty if there is none.
    pub session: String,
}

/// Adds a job. Returns the job, and a note that lists requested tools that the job does not get.
///
/// # Errors
/// Returns an error if the job is not allowed, or if there are too many jobs.
pub fn add(
    jobs: &Jobs,
    request: JobRequest,
    maker: &JobMaker,
    now: SystemTime,
) -> Result<(Job, Option<String>), ToolError> {
    let schedule = request.schedule.as_deref().ok_or_else(|| nothing_changed_error("a new job needs `schedule`"))?;
    let (jobs, schedule) = zoned(jobs, schedule)?;
    let jobs = &jobs;
    let schedule = jobs.parse(schedule, now).map_err(|error| nothing_changed_error(&error.to_string()))?;
    let repeat = repeat(request.repeat, &schedule)?;
    let mut work = JobWork {
        tools: without_blocked_tools(&maker.tools),
        directory: canonical(&maker.directory, &maker.directory)?,
        environment: maker.environment.clone(),
        session: maker.session.clone(),
        ..JobWork::default()
    };
    let name = request.name.clone();
    check_context(jobs, &request)?;
    let note = apply(&mut work, request, maker)?;
    let name = check_name(&name.unwrap_or_else(|| default_name(&work)))?;
    let new = NewJob { name: &name, work: &work, schedule: &schedule, repeat };
    let job = jobs.add(&new, now).map_err(failed)?.ok_or_else(|| {
        nothing_changed_error(&format!(
            "the maximum of {MAX_JOBS} jobs is reached: remove a job that is no longer needed"
        ))
    })?;
    Ok((job, note))
}

/// Returns the jobs in the time zone that a schedule begins with, if it does, and the rest of the schedule.
fn zoned<'s>(jobs: &Jobs, schedule: &'s str) -> Result<(Jobs, &'s str), ToolError> {
    jobs.in_zone_of(schedule).map_err(|error| nothing_changed_error(&error.to_string()))
}

/// Checks that the jobs of `context_from` exist.
pub(super) fn check_context(jobs: &Jobs, request: &JobRequest) -> Result<(), ToolError> {
    for id in request.context_from.iter().flatten() {
        if jobs.get(job_id(id)?).map_err(failed)?.is_none() {
            return Err(nothing_changed_error(&format!("`context_from` names the job {id}, which does not exist")));
        }
    }
    Ok(())
}

/// Changes a job. Uses `jobs` only for times and time zones. Returns a note that lists requested tools that the job does not get.
///
/// # Errors
/// Returns an error if the job would not be allowed. In this case, the job is not changed.
pub(super) fn update(
    job: &mut Job,
    request: JobRequest,
    maker: &JobMaker,
    jobs: &Jobs,
    now: SystemTime,
) -> Result<Option<String>, ToolError> {
    if request == JobRequest::default() {
        return Err(nothing_changed_error("pass at least one parameter to change with `update`"));
    }
    let mut changed = job.clone();
    let (jobs, text) = zoned(jobs, request.schedule.as_deref().unwrap_or_default())?;
    let schedule = request.schedule.as_ref().map(|_| jobs.parse(text, now)).transpose();
    let schedule = schedule.map_err(|error| nothing_changed_error(&error.to_string()))?;
    let is_rescheduled = schedule.is_some() || request.repeat.is_some();
    if let Some(schedule) = schedule {
        // The schedule was parsed in this time zone.
        (changed.schedule, changed.zone) = (schedule, jobs.zone_name());
        if changed.schedule.is_once() && request.repeat.is_none() {
            changed.repeat = None;
        }
    }
    if request.repeat.is_some() {
        // The number counts from now.
        changed.repeat = repeat(request.repeat, &changed.schedule)?.map(|repeat| repeat.saturating_add(changed.begun));
    }
    if let Some(name) = &request.name {
        changed.name = check_name(name)?;
    }
    // A conversation that changes a job cannot give it tools that the conversation does not have.
    changed.work.tools.retain(|tool| maker.tools.contains(tool));
    if maker.environment != "local" {
        changed.work.environment.clone_from(&maker.environment);
    }
    let note = apply(&mut changed.work, request, maker)?;
    if is_rescheduled && job.state != JobState::Paused {
        changed.activate(now, &jobs.zone().map_err(|error| nothing_changed_error(&error.to_string()))?);
    }
    *job = changed;
    Ok(note)
}

/// Applies a request, and checks the result.
fn apply(work: &mut JobWork, request: JobRequest, maker: &JobMaker) -> Result<Option<String>, ToolError> {
    let JobRequest {
        schedule: _,
        prompt,
        name: _,
        repeat: _,
        script,
        no_agent,
        context_from,
        skills,
        toolsets,
        directory,
        to_file,
    } = request;
    let non_blank = |text: String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    if let Some(prompt) = prompt {
        work.prompt = Some(non_blank(prompt).ok_or_else(|| nothing_changed_error("the prompt is blank"))?);
    }
    if let Some(script) = script {
        work.script = Some(non_blank(script).ok_or_else(|| nothing_changed_error("the script is blank"))?);
    }
    if let Some(no_agent) = no_agent {
        work.no_agent = no_agent;
    }
    if let Some(to_file) = to_file {
        work.to_file = to_file;
    }
    if let Some(directory) = directory {
        work.directory = canonical(Path::new(&directory), &maker.directory)?;
    }
    if work.environment != "local" && !is_below(Path::new(&work.directory), &maker.directory) {
        let base = maker.directory.display();
        return Err(nothing_changed_error(&format!(
            "the tools of this conversation see only {base}: the job must work there or below"
        )));
    }
    if let Some(ids) = context_from {
        work.context_from = ids.iter().map(|id| job_id(id)).collect::<Result<_, _>>()?;
        work.context_from.dedup();
    }
    if let Some(skills) = skills {
        work.skills = checked_skills(&skills).map_err(|problem| nothing_changed_error(&problem))?;
    }
    let mut note = None;
    if let Some(toolsets) = toolsets {
        let (tools, missing) = resolve_toolsets(&toolsets, maker)?;
        if !missing.is_empty() {
            note = Some(format!(
                "the job does not have {}, which this conversation does not have either",
                missing.join(", ")
            ));
        }
        (work.toolsets, work.tools) = (toolsets, tools);
    }
    check(work)?;
    Ok(note)
}

/// Checks that the parts of a job fit together.
fn check(work: &JobWork) -> Result<(), ToolError> {
    if work.no_agent {
        if work.script.is_none() {
            return Err(nothing_changed_error("a job with `no_agent` needs `script`"));
        }
        if work.prompt.is_some() || !work.context_from.is_empty() || !work.skills.is_empty() {
            return Err(nothing_changed_error(
                "a job with `no_agent` has no model that could read `prompt`, `context_from` or `skills`: omit them",
            ));
        }
    } else if work.prompt.is_none() {
        return Err(nothing_changed_error("a job needs `prompt`, or `script` with `no_agent`"));
    }
    if work.tools.is_empty() {
        return Err(nothing_changed_error("the job would have no tools"));
    }
    if work.script.is_some() && !work.tools.iter().any(|tool| tool == SHELL) {
        return Err(nothing_changed_error(&format!("`script` needs the tool `{SHELL}`, which the job would not have")));
    }
    if let Some(problem) = tool_problem(&work.skills, |tool| work.tools.iter().any(|other| other == tool)) {
        return Err(nothing_changed_error(&format!("{problem}, which the job would not have")));
    }
    if let Some(problem) = problem(work) {
        return Err(ToolError::with_kind(ErrorKind::Refused, format!("{problem}. Nothing was changed")));
    }
    Ok(())
}

/// Returns the problem of a prompt that manipulates a model, or of a script that hides something from people. Jobs are checked when they
/// are changed, and again before a run.
pub fn problem(work: &JobWork) -> Option<String> {
    let prompt =
        work.prompt.as_deref().and_then(toolc_scan::problem).map(|problem| format!("the prompt is refused: {problem}"));
    let script = || {
        let name = work.script.as_deref().and_then(toolc_scan::hidden_character)?;
        Some(format!("the script is refused: it contains the invisible character {name}"))
    };
    prompt.or_else(script)
}

fn repeat(repeat: Option<u32>, schedule: &Schedule) -> Result<Option<u32>, ToolError> {
    match repeat {
        Some(0) => Err(nothing_changed_error("`repeat` is 0: expected at least 1")),
        Some(2..) if schedule.is_once() => Err(nothing_changed_error(
            "the schedule is a single time: to repeat the job, pass an interval such as `every 2h`",
        )),
        // A single time needs no limit.
        other => Ok(other.filter(|_| !schedule.is_once())),
    }
}

fn without_blocked_tools(tools: &[String]) -> Vec<String> {
    tools.iter().filter(|tool| !NOT_IN_JOBS.contains(&tool.as_str())).cloned().collect()
}

/// Returns the tools of toolsets: the tools that the maker has, and the tools that it does not have.
fn resolve_toolsets(toolsets: &[String], maker: &JobMaker) -> Result<(Vec<String>, Vec<String>), ToolError> {
    let mut tools = Vec::new();
    for name in toolsets {
        let Some(toolset) = maker.registry.toolset(name) else {
            let known = maker.registry.toolsets().join(", ");
            let text = format!("unknown toolset `{}`: the toolsets are {known}", name.escape_debug());
            return Err(ToolError::with_kind(ErrorKind::NotFound, format!("{text}. Nothing was changed")));
        };
        tools.extend(toolset.resolved.into_iter().map(String::from));
    }
    tools.sort_unstable();
    tools.dedup();
    let (tools, missing) = without_blocked_tools(&tools).into_iter().partition(|tool| maker.tools.contains(tool));
    Ok((tools, missing))
}

/// Checks that the folder of a call is the one that the person has seen: no link has taken its place in the meantime.
pub(super) fn check_folder(folder: &str, base: &Path) -> Result<(), ToolError> {
    let found = canonical(Path::new(folder), base)?;
    if found == folder {
        return Ok(());
    }
    let (folder, found) = (folder.escape_debug(), found.escape_debug());
    let text = format!(
        "`{folder}` leads to `{found}`, which was not shown to the person: pass that path. Nothing was changed"
    );
    Err(ToolError::with_kind(ErrorKind::Refused, text))
}

/// Returns the absolute path of a folder, without symbolic links.
pub(super) fn canonical(directory: &Path, base: &Path) -> Result<String, ToolError> {
    let directory = base.join(directory);
    let path_text = directory.display();
    let path = directory
        .canonicalize()
        .map_err(|error| nothing_changed_error(&format!("the folder {path_text} cannot be used: {error}")))?;
    if !path.is_dir() {
        return Err(nothing_changed_error(&format!("{path_text} is not a folder")));
    }
    path.into_os_string()
        .into_string()
        .map_err(|path| nothing_changed_error(&format!("the folder {} has a name that is not UTF-8", path.display())))
}

fn default_name(work: &JobWork) -> String {
    let text = work.prompt.as_deref().or(work.script.as_deref()).unwrap_or_default();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut name: String = line.chars().take(NAME_CHARS).collect();
    if line.chars().count() > NAME_CHARS {
        name.push('…');
    }
    name
}

fn check_name(name: &str) -> Result<String, ToolError> {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        return Err(nothing_changed_error("the name is blank"));
    }
    match toolc_scan::problem(&name) {
        Some(problem) => Err(ToolError::with_kind(
            ErrorKind::Refused,
            format!("the name is refused: {problem}. Nothing was changed"),
        )),
        None => Ok(name),
    }
}
