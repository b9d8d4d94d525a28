//! `toolc kanban work`: claims tasks, and starts a worker for each.

use std::collections::HashMap;
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use toolc_agent::{BoardWorker, card_name};
use toolc_config::Home;
use toolc_store::{BlockKind, BoardError, Boards, Card, Database};

use super::worker::{self, Claim};
use super::workspace;
use crate::agent::Interrupts;
use crate::agent::setup::AgentArgs;
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::ground::tell::tell;
use crate::options::ToolOptions;

/// The exit status of a worker that could not start, because an option, the configuration or a file is wrong.
const CANNOT_START: i32 = 2;

/// The interval at which the board is checked for tasks.
const PAUSE: Duration = Duration::from_secs(2);

/// The arguments of `kanban work`.
#[derive(Debug, Args)]
pub(super) struct WorkArgs {
    /// The names of the workers.
    #[arg(required = true, value_name = "NAME", value_parser = super::parse_name)]
    names: Vec<String>,
    #[command(flatten)]
    agent: AgentArgs,
    /// End when no task can be worked on.
    #[arg(long)]
    once: bool,
    /// The maximum number of tasks that run at the same time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=16))]
    jobs: u16,
    /// A folder below which tasks may work. Can be repeated. Default: the current folder.
    #[arg(long, value_name = "DIR")]
    below: Vec<PathBuf>,
    /// If a worker does not respond for this time, its task is given to another worker.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(3..=3600))]
    lease: u64,
    /// The claim of the task that this process works on. Set by the process that has claimed the task.
    #[arg(long, hide = true)]
    claim: Option<Claim>,
}

impl WorkArgs {
    /// Runs the command.
    pub(super) fn run(&self, board: &str, options: &ToolOptions, home: Home) -> Result<ExitCode> {
        if let Some(claim) = &self.claim {
            return worker::run(claim, self.lease(), board, &self.agent, options, home);
        }
        let roots = match &*self.below {
            [] => vec![env::current_dir().map_err(|error| Error::failed("find the current directory", error))?],
            folders => folders.to_vec(),
        };
        let canonical =
            |folder: PathBuf| folder.canonicalize().map_err(|error| format!("{}: {error}", folder.display()));
        let allowed_roots = roots.into_iter().map(canonical).collect::<Result<Vec<_>, _>>()?;
        let boards = Boards::new(Arc::new(Database::new(home.state())));
        let dispatcher = Dispatcher { args: self, board, boards, home, allowed_roots };
        crate::ground::executor()?.block_on(dispatcher.run())
    }
}

impl WorkArgs {
    fn lease(&self) -> Duration {
        Duration::from_secs(self.lease)
    }
}

/// Claims tasks and starts workers.
struct Dispatcher<'a> {
    args: &'a WorkArgs,
    board: &'a str,
    boards: Boards,
    home: Home,
    allowed_roots: Vec<PathBuf>,
}

impl Dispatcher<'_> {
    async fn run(&self) -> Result<ExitCode> {
        let mut interrupts = Interrupts::of_process().map_err(|error| Error::failed("handle Ctrl-C", error))?;
        let mut workers: HashMap<i64, (BoardWorker, Child)> = HashMap::new();
        let (mut has_failed, mut is_stopping) = (false, false);
        loop {
            let mut ended = Vec::new();
            for (card, (worker, process)) in &mut workers {
                if let Some(status) = process.try_wait()? {
                    ended.push(*card);
                    has_failed |= !status.success();
                    if status.code() == Some(CANNOT_START) {
                        // Other workers would fail for the same reason.
                        is_stopping = true;
                        self.block_unstarted(worker)?;
                    }
                    self.report(*card);
                }
            }
            workers.retain(|card, _| !ended.contains(card));
            while !is_stopping && workers.len() < usize::from(self.args.jobs) {
                let Some(worker) = self.claim_next()? else { break };
                if let Some(process) = self.start(&worker)? {
                    workers.insert(worker.card, (worker, process));
                }
            }
            if workers.is_empty() && (is_stopping || self.args.once) {
                return Ok(ExitCode::from(u8::from(has_failed)));
            }
            let pause = if workers.is_empty() { PAUSE } else { PAUSE / 10 };
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                _ = interrupts.next_press() => {
                    // The terminal has sent the interrupt to the workers as well.
                    is_stopping = true;
                }
            }
        }
    }

    /// Claims the next task.
    fn claim_next(&self) -> Result<Option<BoardWorker>> {
        let names: Vec<&str> = self.args.names.iter().map(String::as_str).collect();
        let claim = worker::new_claim();
        let card = self.boards.claim(self.board, &names, &claim, self.args.lease())?;
        Ok(card.and_then(|card| {
            let (name, _) = card.worker?;
            Some(BoardWorker { board: self.board.to_owned(), name, card: card.id, claim, lease: self.args.lease() })
        }))
    }

    /// Starts the process that works on a claimed task. If the task has no folder to work in, blocks the task and returns `None`.
    fn start(&self, worker: &BoardWorker) -> Result<Option<Child>> {
        let card = self.card(worker.card)?;
        let folder = match workspace::prepare(&card, &self.allowed_roots, &self.home) {
            Ok(folder) => folder,
            Err(problem) => {
                let blocked = self.boards.block(
                    self.board,
                    &worker.actor(),
                    worker.card,
                    BlockKind::Capability,
                    &problem.to_string(),
                );
                blocked?;
                self.report(worker.card);
                return Ok(None);
            }
        };
        tell!("{} begins in {}: {}", card_name(card.id), folder.display(), show::one_line(&card.title));
        let claim = Claim { card: worker.card, worker_name: worker.name.clone(), id: worker.claim.clone(), folder };
        let program = env::current_exe().map_err(|error| Error::failed("find this program", error))?;
        let child = Command::new(program)
            .args(with_claim(env::args_os().skip(1).collect(), &claim))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn();
        child.map(Some).map_err(|error| Error::failed("start a worker", error))
    }

    /// Blocks the task of a worker that could not start, unless another worker has the task.
    fn block_unstarted(&self, worker: &BoardWorker) -> Result<()> {
        let reason = "the worker could not start";
        match self.boards.block(self.board, &worker.actor(), worker.card, BlockKind::Transient, reason) {
            Ok(_) | Err(BoardError::Refused(_) | BoardError::NotFound(_)) => Ok(()),
            Err(error) => Err(Error::Invalid(error.to_string())),
        }
    }

    fn card(&self, card: i64) -> Result<Card> {
        self.boards.details(self.board, card).map(|details| details.card).map_err(Error::from)
    }

    /// Prints the status of a task.
    fn report(&self, card: i64) {
        match self.card(card) {
            Ok(card) => {
                let block = card.block.map(|(kind, reason)| format!(" ({}: {})", kind.word(), show::one_line(&reason)));
                tell!("{} is {}{}", card_name(card.id), card.status.word(), block.unwrap_or_default());
            }
            Err(error) => tell!("warning: {}: {error}", card_name(card)),
        }
    }
}

/// Returns the arguments of a worker: the arguments of this process, and the claim.
fn with_claim(mut args: Vec<OsString>, claim: &Claim) -> Vec<OsString> {
    // After `--`, the claim would be read as the name of a worker.
    let end_of_options = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    args.splice(end_of_options..end_of_options, ["--claim".into(), claim.to_argument().into()]);
    args
}
