//! `toolc batch`: works on many tasks without a person, and writes a trajectory for each.
//!
//! The result of a task is one line, written when the task has ended. If a run is stopped, a later run continues with the tasks that
//! have no line.

mod tasks;
mod trajectory;

use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use toolc::catalog::Distribution;
use toolc_cli::Selection;
use toolc_config::Home;

use super::unapproved::{ALLOW_BY_RULES, OFF_IN_A_SANDBOX, Unapproved};
use crate::agent::plan::Plan;
use crate::agent::setup::{AgentArgs, Setup};
use crate::agent::{Interrupts, TurnOutcome};
use crate::ground::error::{Error, Result};
use crate::ground::tell::tell;
use crate::options::ToolOptions;
use crate::person::Person;
use tasks::Task;
use trajectory::Trajectory;

/// The toolset that only `--enable` adds: what a person keeps for their work must not change results, nor results what the person keeps.
const SKILLS: &str = "skills";

/// The last part of the help.
const HELP: &str = "\
TASKS is a file of JSON lines: {\"id\": \"t1\", \"prompt\": \"...\"}. The default id is the line number. OUT has one line for each
task that has ended. Tasks that are in OUT are not run again, unless they failed.

No person is asked: commands that need approval do not run, unless your own rules allow them or `--approval off` is set.

The toolset `skills` is off, unless `--enable` names it. `--skill` needs no toolset.

Exit status:
  0    all tasks have ended
  1    a task failed
  2    the command line is wrong, or a file cannot be used
  130  Ctrl-C stopped the run";

/// The arguments of `batch`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct BatchCommand {
    /// The file of tasks.
    tasks: PathBuf,
    #[command(flatten)]
    args: AgentArgs,
    /// The distribution that draws the toolsets of each task. Default: the toolsets of `--enable`, or `cli`.
    #[arg(long, value_name = "NAME", conflicts_with = "enable")]
    distribution: Option<String>,
    /// The seed of the first task. The seed is increased by one for each further task, so that a task draws the same toolsets in each run.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The file of results.
    #[arg(long, value_name = "OUT")]
    out: PathBuf,
    /// The maximum number of tasks that run at the same time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: u16,
}

impl BatchCommand {
    /// Runs the command.
    pub(crate) fn run(&self, options: &ToolOptions, home: Home) -> Result<ExitCode> {
        let tasks = tasks::read(&self.tasks)?;
        let distribution = self.distribution.as_deref().map(self::distribution).transpose()?;
        check_out_file(&self.tasks, &self.out)?;
        // Nothing is started for a run that is complete.
        let done = trajectory::read_finished_ids(&self.out)?;
        if tasks.iter().all(|task| done.contains(&task.id)) {
            let count = tasks.len();
            tell!("{count} tasks, {count} of them have already ended");
            return Ok(ExitCode::SUCCESS);
        }
        let setup = Arc::new(Setup::new(&self.args, options, home, Person::absent())?);
        setup.check_environment()?;
        let out = open_out_file(&self.out)?;
        let done = trajectory::read_finished_ids(&self.out)?;
        let pending: Vec<(usize, Task)> =
            tasks.into_iter().enumerate().filter(|(_, task)| !done.contains(&task.id)).collect();
        tell!("{} tasks, {} of them have already ended", pending.len() + done.len(), done.len());
        let run = Run {
            setup: &setup,
            command: self,
            distribution,
            out: Mutex::new(out),
            failed: Mutex::default(),
            unapproved: AtomicUsize::new(0),
        };
        let runtime = crate::ground::executor()?;
        let status = runtime.block_on(run.run_tasks(pending));
        setup.settle();
        status
    }
}

/// Finds a distribution by its name.
fn distribution(name: &str) -> Result<Distribution> {
    let all = &toolc_catalog::DISTRIBUTIONS;
    all.iter()
        .find(|distribution| distribution.name == name)
        .cloned()
        .ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|distribution| &*distribution.name).collect();
            if names.is_empty() {
                return format!("unknown distribution `{name}`: the catalog has none");
            }
            format!("unknown distribution `{name}`: expected one of {}", names.join(", "))
        })
        .map_err(Error::Invalid)
}

/// Fails if the file of results is the task file, or holds something other than results. The file is not changed.
fn check_out_file(tasks: &Path, out: &Path) -> Result<()> {
    if is_same_file(tasks, out) {
        return Err(Error::Invalid(format!("{} is the file of tasks: choose another file for `--out`", out.display())));
    }
    trajectory::check_results_file(out)
}

/// Returns whether two paths name the same file, even through links.
fn is_same_file(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let id = |path: &Path| path.metadata().ok().map(|meta| (meta.dev(), meta.ino()));
        id(one).is_some_and(|id_of_one| id(other) == Some(id_of_one))
    }
    #[cfg(not(unix))]
    {
        one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
    }
}

/// Opens and locks the file of results, so that two runs do not work on the same tasks.
fn open_out_file(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(|error| Error::failed(format!("open {}", path.display()), error))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Error::Invalid(format!(
            "another run writes to {}: wait for its end, or use another file for `--out`",
            path.display()
        ))),
        // Not all file systems support locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// A run over the tasks.
struct Run<'s> {
    setup: &'s Arc<Setup>,
    command: &'s BatchCommand,
    distribution: Option<Distribution>,
    out: Mutex<File>,
    failed: Mutex<HashSet<String>>,
    /// The number of tasks with calls that no person could approve.
    unapproved: AtomicUsize,
}

impl Run<'_> {
    async fn run_tasks(&self, pending: Vec<(usize, Task)>) -> Result<ExitCode> {
        let interrupts = Interrupts::of_process().map_err(|error| Error::failed("handle Ctrl-C", error))?;
        let queue = Mutex::new(pending.into_iter());
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let worker = || {
            let mut interrupts = interrupts.clone();
            async move {
                while let Some((index, task)) = next() {
                    if self.run_task(index, &task, &mut interrupts).await? == TurnOutcome::Interrupted {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        };
        let ended = futures_util::future::join_all((0..self.command.jobs).map(|_| worker())).await;
        let was_interrupted = ended.into_iter().collect::<Result<Vec<bool>>>()?.contains(&true);
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner).len();
        if failed > 0 {
            tell!("{failed} tasks failed; run the command again to repeat them");
        }
        let unapproved = self.unapproved.load(Ordering::Relaxed);
        if unapproved > 0 {
            tell!(
                "note: tasks with calls that no person could approve, and that did not run: {unapproved}. Before you repeat such tasks with \
                 another `--out`, {ALLOW_BY_RULES}; or {OFF_IN_A_SANDBOX}"
            );
        }
        Ok(ExitCode::from(if was_interrupted { 130 } else { u8::from(failed > 0) }))
    }

    /// Returns the options that choose the tools of a task. The tools of skills are disabled, unless the options or the drawn toolsets name
    /// them or their toolset.
    fn selection(&self, drawn: Option<&[String]>) -> Selection {
        let mut selection = self.command.args.selection.clone();
        let registry = &self.setup.host.registry;
        let is_skills = |name: &String| registry.toolset(name).is_some_and(|toolset| toolset.declared.name == SKILLS);
        let toolsets = drawn.unwrap_or(&selection.enable);
        if toolsets.iter().any(is_skills) {
            return selection;
        }
        let named: Vec<_> = selection.enable_tools.iter().filter_map(|name| registry.tool_called(name)).collect();
        let is_named = |tool: &str| named.iter().any(|named| named.name == tool);
        let tools = registry.toolset(SKILLS).map(|toolset| toolset.resolved).unwrap_or_default();
        selection.disable_tools.extend(tools.iter().filter(|tool| !is_named(tool)).map(ToString::to_string));
        selection
    }

    /// Runs one task, and writes its line.
    async fn run_task(&self, index: usize, task: &Task, interrupts: &mut Interrupts) -> Result<TurnOutcome> {
        let seed = self.command.seed.wrapping_add(index as u64);
        let toolsets: Option<Vec<String>> = self
            .distribution
            .as_ref()
            .map(|distribution| distribution.draw(seed).into_iter().map(ToOwned::to_owned).collect());
        let trajectory = Arc::new(Trajectory::default());
        let observed = Arc::clone(&trajectory);
        let unapproved = Unapproved::default();
        let refusals = unapproved.clone();
        let mut agent = self.setup.agent(Plan {
            selection: &self.selection(toolsets.as_deref()),
            toolsets: toolsets.clone(),
            source: "batch",
            observer: Arc::new(move |event| {
                refusals.observe(event);
                observed.add(event);
            }),
            approver: None,
            resume: None,
            worker: None,
            helper: None,
            skills: Vec::new(),
        })?;
        let ended = agent.run_turn(&task.prompt, interrupts).await;
        self.unapproved.fetch_add(usize::from(unapproved.is_any()), Ordering::Relaxed);
        let (outcome, error) = match &ended {
            // An interrupted task runs again.
            Ok(TurnOutcome::Interrupted) => return Ok(TurnOutcome::Interrupted),
            // It runs again when there is more to spend.
            Ok(TurnOutcome::OverSpendingLimit) => {
                (TurnOutcome::OverSpendingLimit.word(), Some(agent.over_spending_limit().to_owned()))
            }
            Ok(ended) => (ended.word(), None),
            Err(error) => ("failed", Some(self.setup.host.redactor.kept_text(&error.to_string()).into_owned())),
        };
        let toolsets = toolsets.unwrap_or_else(|| self.command.args.selection.enable.clone());
        let line = trajectory.line(
            task,
            &agent,
            &toolsets,
            self.distribution.is_some().then_some(seed),
            outcome,
            error.as_deref(),
        );
        let line = format!("{}\n", self.setup.host.redactor.kept_text(&line.to_string()));
        self.out
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .write_all(line.as_bytes())
            .map_err(|error| Error::failed(format!("write {}", self.command.out.display()), error))?;
        if error.is_some() {
            self.failed.lock().unwrap_or_else(PoisonError::into_inner).insert(task.id.clone());
        }
        tell!("{}: {outcome}", crate::ground::show::one_line(&task.id));
        Ok(ended.unwrap_or(TurnOutcome::Done))
    }
}
