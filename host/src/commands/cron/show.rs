//! How jobs and their runs are displayed, as text for people and as JSON for programs.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};

use serde_json::{Value, json};
use toolc_store::{Job, JobRun, Jobs, RunOutcome, StoreError};

use crate::ground::show::{lines, one_line};
use crate::ground::time;

/// Returns a line for each job.
pub(super) fn list(jobs: &Jobs, all: &[Job]) -> String {
    if all.is_empty() {
        return "no jobs\n".to_owned();
    }
    let lines: Vec<String> = all.iter().map(|job| line(jobs, job)).collect();
    lines.join("\n") + "\n"
}

fn line(jobs: &Jobs, job: &Job) -> String {
    let next = job.state.next().map_or_else(String::new, |next| format!(", next {}", jobs.time_of(job, next)));
    let runs = match job.repeat {
        Some(repeat) => format!("{} of {repeat} runs", job.begun),
        None => format!("{} runs", job.begun),
    };
    format!("{}  {}{next}  ({}, {runs})  {}", job.id, job.state.word(), job.schedule, one_line(&job.name))
}

/// Returns a job and its runs, the latest first.
pub(super) fn job(jobs: &Jobs, job: &Job, runs: &[JobRun]) -> String {
    let work = &job.work;
    let mut text = format!("{}\n", line(jobs, job));
    let mut add = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(text, "{name}: {value}");
        }
    };
    let joined = |items: &[String]| one_line(&items.join(", "));
    add("folder", &format!("{}, environment {}", one_line(&work.directory), one_line(&work.environment)));
    add("time zone", job.zone.as_deref().unwrap_or("the time zone of the runner"));
    add("toolsets", &joined(&work.toolsets));
    add("tools", &joined(&work.tools));
    add("skills", &joined(&work.skills));
    add(
        "results go to",
        if work.to_file { "a file in the folder `cron` of TOOLC_HOME" } else { "the terminal of the runner" },
    );
    let others: Vec<String> = work.context_from.iter().map(ToString::to_string).collect();
    add("gets the results of", &others.join(", "));
    add("made by", &one_line(&work.session));
    add("script", &work.script.as_deref().map(one_line).unwrap_or_default());
    if let Some(prompt) = &work.prompt {
        let _ = writeln!(text, "prompt:\n{}", escape_for_terminal(prompt));
    }
    for run in runs {
        let _ = write!(text, "\n{}\n{}\n", run_headline(job, run), escape_for_terminal(run.output.trim_end()));
    }
    text
}

/// Returns the text for the terminal about a run that has ended. Returns an empty text for a script that printed nothing.
pub(super) fn finished_run_text(job: &Job, run: &JobRun, is_terminal: bool) -> String {
    let is_done = matches!(run.ended, Some((_, RunOutcome::Done)));
    if is_done && job.work.no_agent && run.output.trim().is_empty() {
        return String::new();
    }
    let output = run.output.trim_end();
    let output = if is_terminal { lines(output) } else { output.to_owned() };
    format!("{}{output}\n\n", heading(job, run))
}

/// Returns the heading of a result.
pub(super) fn heading(job: &Job, run: &JobRun) -> String {
    format!("== {}\n", run_headline(job, run))
}

/// Returns the text to write to the result file of a run.
pub(super) fn result_file_text(jobs: &Jobs, job: &Job, run: &JobRun) -> String {
    let due = jobs.time_of(job, run.due);
    format!("{}(due {due})\n\n{}\n", heading(job, run).replacen("==", "#", 1), run.output.trim_end())
}

fn run_headline(job: &Job, run: &JobRun) -> String {
    let mut text = format!("job {} ({}), {}: ", job.id, one_line(&job.name), time::text(run.started));
    match run.ended {
        None => text += "running",
        Some((ended, outcome)) => {
            let seconds = ended.duration_since(run.started).unwrap_or_default().as_secs();
            let _ = write!(text, "{}, {seconds} s", outcome.word());
        }
    }
    if run.missed > 0 {
        let _ = write!(text, "; also covers {} missed runs", run.missed);
    }
    text
}

pub(super) fn list_json(jobs: &Jobs, all: &[Job]) -> Result<String, StoreError> {
    let mut values = Vec::new();
    for job in all {
        let mut value = job_value(jobs, job);
        value["last_run"] = jobs.runs(job.id, 1)?.first().map(run_value).unwrap_or_default();
        values.push(value);
    }
    Ok(format!("{}\n", Value::from(values)))
}

pub(super) fn job_json(jobs: &Jobs, job: &Job, runs: &[JobRun]) -> String {
    let mut value = job_value(jobs, job);
    value["runs"] = runs.iter().map(run_value).collect();
    format!("{value}\n")
}

pub(super) fn finished_run_json(job: &Job, run: &JobRun) -> String {
    let mut value = run_value(run);
    value["name"] = job.name.as_str().into();
    format!("{value}\n")
}

fn job_value(jobs: &Jobs, job: &Job) -> Value {
    let work = &job.work;
    json!({
        "job": job.id,
        "name": job.name,
        "state": job.state.word(),
        "schedule": job.schedule.to_string(),
        "zone": job.zone,
        "next": job.state.next().map(|next| jobs.time_of(job, next)),
        "repeat": job.repeat,
        "begun": job.begun,
        "created": time::text(job.created),
        "session": work.session,
        "prompt": work.prompt,
        "script": work.script,
        "no_agent": work.no_agent,
        "toolsets": work.toolsets,
        "tools": work.tools,
        "skills": work.skills,
        "directory": work.directory,
        "environment": work.environment,
        "deliver": if work.to_file { "file" } else { "terminal" },
        "context_from": work.context_from,
    })
}

fn run_value(run: &JobRun) -> Value {
    json!({
        "job": run.job,
        "run": run.id,
        "due": time::text(run.due),
        "missed": run.missed,
        "started": time::text(run.started),
        "ended": run.ended.map(|(ended, _)| time::text(ended)),
        "outcome": run.ended.map_or("running", |(_, outcome)| outcome.word()),
        "output": run.output,
    })
}

/// Escapes control characters if standard output is a terminal; otherwise returns the text unchanged.
fn escape_for_terminal(text: &str) -> String {
    if io::stdout().is_terminal() { lines(text) } else { text.to_owned() }
}
