//! `toolc cron add`: adds a job for a person, with the same rules as for a model.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::SystemTime;

use clap::Args;
use toolc_agent::cronjob::{self, JobMaker, JobRequest};
use toolc_cli::Selection;
use toolc_config::Home;
use toolc_skills::name_problem;

use super::show;
use crate::agent::plan::Plan;
use crate::agent::setup::{AgentArgs, Setup};
use crate::ground::ask;
use crate::ground::error::{Error, Result};
use crate::ground::show::one_line;
use crate::ground::tell::tell;
use crate::options::ToolOptions;
use crate::person::Person;

/// The arguments of `add`.
#[derive(Debug, Args)]
pub(super) struct AddArgs {
    /// When the job runs: a cron expression (`0 9 * * 1-5`), an interval (`every 30m`), a delay (`2h`), or a time (`2026-03-01T09:00`).
    schedule: String,
    /// The task for the model.
    #[arg(required_unless_present = "no_agent", conflicts_with = "no_agent")]
    prompt: Option<String>,
    /// A name. Default: the beginning of the prompt.
    #[arg(long)]
    name: Option<String>,
    /// The number of runs. Default: unlimited.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    repeat: Option<u32>,
    /// A shell command line that runs before the model. The model gets its output.
    #[arg(long, value_name = "COMMAND")]
    script: Option<String>,
    /// Run only the script, without the model. The output of the script is the result.
    #[arg(long, requires = "script")]
    no_agent: bool,
    /// The ids of other jobs. The model gets their latest results.
    #[arg(long, value_name = "ID", value_delimiter = ',', conflicts_with = "no_agent")]
    context_from: Vec<String>,
    /// A skill with which the model begins. Can be repeated. It is loaded when the job runs.
    #[arg(long = "skill", value_name = "NAME", conflicts_with = "no_agent")]
    skills: Vec<String>,
    /// The working directory. Default: the current one.
    #[arg(long, value_name = "DIR")]
    workdir: Option<PathBuf>,
    /// Write each result to a file in the folder `cron` of `TOOLC_HOME`, instead of the terminal of `toolc cron run`.
    #[arg(long)]
    to_file: bool,
    /// Print one line of JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    selection: Selection,
}

impl AddArgs {
    pub(super) fn run(self, options: &ToolOptions, home: Home) -> Result<ExitCode> {
        let jobs = super::jobs(&home);
        // Before anything is started.
        let (zoned, schedule) = jobs.in_zone_of(&self.schedule)?;
        zoned.parse(schedule, SystemTime::now())?;
        // The agent is only made to know its tools: no turn is run.
        let only_tool = self.no_agent.then_some(super::SHELL);
        let args = AgentArgs { without_model: true, only_tool, no_record: true, ..AgentArgs::default() };
        let setup = Arc::new(Setup::new(&args, options, home, Person::absent())?);
        let agent = setup.agent(Plan {
            selection: &self.selection,
            toolsets: None,
            source: "cron",
            observer: Arc::new(|_| {}),
            approver: None,
            resume: None,
            worker: None,
            helper: None,
            skills: Vec::new(),
        })?;
        let turn = agent.session.turn_blocking(agent.model.model().definitions_dialect());
        let maker = JobMaker {
            registry: setup.host.registry.clone(),
            tools: turn.tools().map(ToOwned::to_owned).collect(),
            environment: setup.host.environment.name().to_owned(),
            directory: setup.host.directory.clone(),
            session: String::new(),
        };
        let directory = self.workdir.map(|directory| directory.into_os_string().into_string());
        let directory = directory.transpose().map_err(|_| "the working directory is not UTF-8".to_owned())?;
        let skills = &setup.host.stores.skills;
        let problems: Vec<String> = self.skills.iter().filter_map(|name| name_problem(skills, name)).collect();
        let request = JobRequest {
            schedule: Some(self.schedule),
            prompt: self.prompt,
            name: self.name,
            repeat: self.repeat,
            script: self.script,
            no_agent: Some(self.no_agent),
            context_from: Some(self.context_from),
            skills: Some(self.skills),
            toolsets: None,
            directory,
            to_file: Some(self.to_file),
        };
        let added =
            cronjob::add(&jobs, request, &maker, SystemTime::now()).map_err(|error| Error::Invalid(error.to_string()));
        drop(turn);
        drop(agent);
        setup.settle();
        let (job, _) = added?;
        for problem in &problems {
            tell!("note: {}; the job looks for the skill when it runs", one_line(problem));
        }
        ask::print(&if self.json { show::job_json(&jobs, &job, &[]) } else { show::list(&jobs, &[job]) })?;
        if !jobs.has_runner(SystemTime::now())? {
            tell!("no runner is active: `toolc cron run` starts one");
        }
        Ok(ExitCode::SUCCESS)
    }
}
