//! `toolc cron`: jobs that run at their times. The tool `cronjob` and `toolc cron add` make them, `toolc cron run` runs them.
//!
//! [`add`] adds a job for a person, [`run`] is the runner, [`lock`] shows whether a runner is alive, [`work`] is the process of a run,
//! and [`show`] displays jobs and runs.

mod add;
mod lock;
mod run;
mod show;
mod work;

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::SystemTime;

use clap::{Args, Subcommand};
use toolc_config::{ApprovalMode, Home};
use toolc_store::{Database, Job, JobState, Jobs, MAX_RUNS};

use crate::agent::setup::AgentArgs;
use crate::ground::ask;
use crate::ground::error::{Error, Result};
use crate::ground::tell::tell;
use crate::models;
use crate::options::ToolOptions;

/// The tool that runs scripts.
const SHELL: &str = "terminal";
/// The last part of the help.
const EXIT_STATUS: &str = "\
Jobs are stored in state.db in TOOLC_HOME. Times without an offset are in the time zone of this computer (the variable TZ, or
the setting of the system), unless the schedule begins with another one: 'CRON_TZ=Europe/Berlin 0 9 * * *'. A job keeps its time zone.

Exit status:
  0    success
  1    a run failed, or no job has the id
  2    the command line is wrong, or state.db cannot be used
  130  a signal ended `run`";

/// The last part of the help of `run`.
const RUN_HELP: &str = "\
Only one process at a time runs jobs. A second process waits, or ends if `--once` is set. A job that has missed several runs is run
once. At most four jobs run at the same time, each in its own process, for at most an hour.

No person is asked: calls that need approval do not run. If a signal ends a run or its process is killed, the run is recorded as
interrupted, and not repeated.";

/// The arguments of `cron`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub(crate) struct CronArgs {
    /// Without a command, lists the jobs.
    #[command(subcommand)]
    command: Option<CronCommand>,
}

#[derive(Debug, Subcommand)]
enum CronCommand {
    /// List the jobs.
    List {
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show a job and its latest runs with their results.
    Show {
        /// The id of the job.
        id: i64,
        /// The number of runs to show. The last 20 are stored.
        #[arg(long, value_name = "N", default_value_t = 3)]
        runs: usize,
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Add a job. Does not run inside a tool.
    Add(Box<add::AddArgs>),
    /// Run jobs when they are due, until a signal arrives. Does not run inside a tool.
    #[command(after_help = RUN_HELP)]
    Run(RunArgs),
    /// Pause jobs. Does not run inside a tool.
    Pause {
        /// The ids of the jobs.
        #[arg(required = true)]
        ids: Vec<i64>,
    },
    /// Resume paused jobs. Missed runs are skipped. Does not run inside a tool.
    Resume {
        /// The ids of the jobs.
        #[arg(required = true)]
        ids: Vec<i64>,
    },
    /// Remove jobs and their results. Active runs of these jobs are stopped. Does not run inside a tool.
    Remove {
        /// The ids of the jobs.
        #[arg(required = true)]
        ids: Vec<i64>,
    },
    /// Do the work of a run that `toolc cron run` has started.
    #[command(hide = true)]
    Work {
        run: i64,
        #[command(flatten)]
        models: ModelArgs,
    },
}

/// The arguments of `run`.
#[derive(Debug, Args)]
struct RunArgs {
    /// Run only these jobs, once and now, even if they are paused or not due.
    ids: Vec<i64>,
    /// Run the jobs that are due now, and end.
    #[arg(long)]
    once: bool,
    /// Print the result of each run as a line of JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    models: ModelArgs,
}

/// The options for the model of jobs.
#[derive(Debug, Args)]
struct ModelArgs {
    #[arg(long, value_name = "MODEL", help = models::help())]
    model: Option<String>,
    /// The model for summaries of long conversations. Default: the model of `--model`.
    #[arg(long, value_name = "MODEL")]
    auxiliary_model: Option<String>,
    /// The maximum number of requests to the model for one run. Default: 90.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_iterations: Option<u32>,
    /// Do not record the conversations.
    #[arg(long)]
    no_record: bool,
}

impl ModelArgs {
    fn agent_args(&self) -> AgentArgs {
        AgentArgs {
            model: self.model.clone(),
            auxiliary_model: self.auxiliary_model.clone(),
            max_iterations: self.max_iterations,
            no_record: self.no_record,
            ..AgentArgs::default()
        }
    }
}

/// Returns the jobs of a profile.
pub(crate) fn jobs(home: &Home) -> Jobs {
    Jobs::new(Arc::new(Database::new(home.state())))
}

fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

impl CronArgs {
    /// Runs the command.
    pub(crate) fn run(self, options: &ToolOptions, home: Home) -> Result<ExitCode> {
        let command = self.command.unwrap_or(CronCommand::List { json: false });
        let jobs = jobs(&home);
        if !matches!(command, CronCommand::Work { .. }) {
            home.check_exists()?;
            jobs.zone()?;
        }
        match command {
            CronCommand::List { json } => {
                let all = jobs.list()?;
                let text = if json { show::list_json(&jobs, &all)? } else { show::list(&jobs, &all) };
                ask::print(&text).map(|()| ExitCode::SUCCESS)
            }
            CronCommand::Show { id, runs, json } => {
                let Some(job) = jobs.get(id)? else { return Ok(report_unknown(&[id])) };
                let runs = jobs.runs(id, runs.min(MAX_RUNS))?;
                ask::print(&if json { show::job_json(&jobs, &job, &runs) } else { show::job(&jobs, &job, &runs) })?;
                Ok(ExitCode::SUCCESS)
            }
            CronCommand::Add(args) => {
                ask::require_person("add jobs")?;
                args.run(options, home)
            }
            CronCommand::Run(args) => {
                ask::require_person("run jobs")?;
                if options.approval.is_some_and(|mode| mode != ApprovalMode::Deny) {
                    return Err(Error::Invalid("jobs run with `--approval deny`, because no person can be asked: omit the option, and let your own \
                                rules allow what jobs need"
                        .to_owned()));
                }
                run::Runner::new(&args, options, &home)?.run()
            }
            CronCommand::Pause { ids } => pause(&jobs, &ids),
            CronCommand::Resume { ids } => resume(&jobs, &ids),
            CronCommand::Remove { ids } => remove(&jobs, ids),
            CronCommand::Work { run, models } => work::run(run, &models, options, home),
        }
    }
}

fn pause(jobs: &Jobs, ids: &[i64]) -> Result<ExitCode> {
    ask::require_person("pause jobs")?;
    change(jobs, ids, |job| match job.state {
        JobState::Active(_) => {
            job.state = JobState::Paused;
            Ok(())
        }
        state => Err(Error::Invalid(format!("the job is already {}", state.word()))),
    })
}

fn resume(jobs: &Jobs, ids: &[i64]) -> Result<ExitCode> {
    ask::require_person("resume jobs")?;
    let now = SystemTime::now();
    let zone = jobs.zone()?;
    change(jobs, ids, move |job| match job.state {
        JobState::Paused => {
            job.activate(now, &zone);
            Ok(())
        }
        state => Err(Error::Invalid(format!("the job is not paused, but {}", state.word()))),
    })
}

fn remove(jobs: &Jobs, ids: Vec<i64>) -> Result<ExitCode> {
    ask::require_person("remove jobs")?;
    let mut missing = Vec::new();
    for id in ids {
        if !jobs.remove(id)? {
            missing.push(id);
        }
    }
    Ok(report_unknown(&missing))
}

/// Changes jobs, and prints their new state.
fn change(jobs: &Jobs, ids: &[i64], mut change: impl FnMut(&mut Job) -> Result<()>) -> Result<ExitCode> {
    let mut status = ExitCode::SUCCESS;
    for id in ids {
        match jobs.change(*id, &mut change)? {
            None => status = report_unknown(&[*id]),
            Some((Err(problem), _)) => {
                tell!("error: job {id} was not changed: {problem}");
                status = ExitCode::from(1);
            }
            Some((Ok(()), job)) => ask::print(&show::list(jobs, &[job]))?,
        }
    }
    Ok(status)
}

/// Reports that no job has these ids, and returns the exit status.
fn report_unknown(ids: &[i64]) -> ExitCode {
    for id in ids {
        tell!("error: no job has the id {id}: `toolc cron list` lists all jobs");
    }
    ExitCode::from(u8::from(!ids.is_empty()))
}
