//! The process that works on one task, from its claim to its end.

use std::hash::{BuildHasher as _, RandomState};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use toolc_agent::{BoardWorker, card_name};
use toolc_config::Home;
use toolc_store::{BlockKind, BoardError, Boards, Card, CardStatus};

use crate::agent::plan::Plan;
use crate::agent::setup::{AgentArgs, Setup};
use crate::agent::{Agent, AgentEvent, Interrupts, Observer, TurnOutcome};
use crate::commands::unapproved::{ALLOW_BY_RULES, Unapproved};
use crate::environments::Start;
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::ground::tell::tell;
use crate::options::ToolOptions;
use crate::person::Person;

/// If a model does not end its task, its last answer is quoted. This is the maximum length of the quote, in characters.
const MAX_LAST_ANSWER: usize = 2000;

/// A claim that one process passes to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) card: i64,
    pub(super) worker_name: String,
    /// The id of the claim in the store.
    pub(super) id: String,
    /// The folder to work in.
    pub(super) folder: PathBuf,
}

impl Claim {
    /// Returns the text that [`FromStr`] parses.
    pub(super) fn to_argument(&self) -> String {
        json!([self.card, self.worker_name, self.id, self.folder]).to_string()
    }
}

impl FromStr for Claim {
    type Err = serde_json::Error;

    fn from_str(text: &str) -> serde_json::Result<Self> {
        let (card, worker_name, id, folder) = serde_json::from_str(text)?;
        Ok(Self { card, worker_name, id, folder })
    }
}

/// Returns the id of a new claim.
pub(super) fn new_claim() -> String {
    format!("{}-{:016x}", std::process::id(), RandomState::new().hash_one(std::time::SystemTime::now()))
}

/// Works on a claimed task.
pub(super) fn run(
    claim: &Claim,
    lease: Duration,
    board: &str,
    args: &AgentArgs,
    options: &ToolOptions,
    home: Home,
) -> Result<ExitCode> {
    let (args, options) = enter_folder(args, options, &claim.folder)?;
    let setup = Arc::new(Setup::new(&args, &options, home, Person::absent())?);
    setup.check_environment()?;
    let worker = BoardWorker {
        board: board.to_owned(),
        name: claim.worker_name.clone(),
        card: claim.card,
        claim: claim.id.clone(),
        lease,
    };
    let status = crate::ground::executor()?.block_on(work(&setup, &args, &worker));
    setup.settle();
    status
}

/// Changes to the folder of the task, and fails if a link has taken its place. Before that, makes relative paths in options absolute.
fn enter_folder(args: &AgentArgs, options: &ToolOptions, folder: &Path) -> Result<(AgentArgs, ToolOptions)> {
    let (mut args, mut options) = (AgentArgs { start: Start::Current, ..args.clone() }, options.clone());
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for model in [&mut args.model, &mut args.auxiliary_model].into_iter().flatten() {
        if let Some(script) = model.strip_prefix("script:") {
            *model = format!("script:{}", absolute(Path::new(script)).display());
        }
    }
    for plugins in &mut options.plugins {
        *plugins = absolute(plugins);
    }
    let failed = |error| Error::failed(format!("work in {}", folder.display()), error);
    std::env::set_current_dir(folder).map_err(failed)?;
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).map_err(failed)?;
    if here != folder {
        let (folder, here) = (folder.display(), here.display());
        return Err(Error::Invalid(format!("the folder {folder} of the task now leads to {here}: nothing was done")));
    }
    Ok((args, options))
}

async fn work(setup: &Arc<Setup>, args: &AgentArgs, worker: &BoardWorker) -> Result<ExitCode> {
    let boards = &*setup.host.stores.boards;
    let card = boards.details(&worker.board, worker.card)?.card;
    let mut interrupts = Interrupts::of_process().map_err(|error| Error::failed("handle Ctrl-C", error))?;
    let unapproved = Unapproved::default();
    let mut agent = setup.agent(Plan {
        selection: &args.selection,
        toolsets: None,
        source: "kanban",
        observer: progress(worker.card, unapproved.clone()),
        approver: None,
        resume: None,
        worker: Some(worker.clone()),
        helper: None,
        skills: card.skills.clone(),
    })?;
    if !agent.skill_problems().is_empty() {
        let text = format!("skills of the task are not loaded: {}", agent.skill_problems().join("; "));
        let text = setup.host.redactor.kept_text(&text).into_owned();
        // A card with too many notes gets no more, and the worker goes on.
        let _ = boards.comment(&worker.board, &worker.actor(), worker.card, &text);
    }
    let renewal = Renewal::start(Arc::clone(&setup.host.stores.boards), worker.clone(), interrupts.clone())?;
    let ended = run_turns(&mut agent, &mut interrupts, boards, worker, &card).await;
    drop(renewal);
    if unapproved.is_any() {
        let task = card_name(worker.card);
        tell!("{task} | note: calls did not run, because no person could approve them: {ALLOW_BY_RULES}");
    }
    let holds = boards.holds(worker.card, &worker.claim)?;
    if !holds {
        // The model has completed or blocked the task, or another worker has claimed it.
        return Ok(ExitCode::SUCCESS);
    }
    let (reason, status) = match ended {
        Ok(TurnOutcome::Interrupted) => ("the worker was stopped".to_owned(), 0),
        Ok(TurnOutcome::OverSpendingLimit) => (agent.over_spending_limit().to_owned(), 1),
        Ok(ended) => {
            let last: String = agent.last_answer().chars().take(MAX_LAST_ANSWER).collect();
            let text = format!("the worker ended ({}) before the task was completed or blocked: {last}", ended.word());
            (setup.host.redactor.kept_text(&text).into_owned(), 1)
        }
        Err(error) => (setup.host.redactor.kept_text(&error.to_string()).into_owned(), 1),
    };
    match boards.block(&worker.board, &worker.actor(), worker.card, BlockKind::Transient, &reason) {
        // The worker has just lost its claim.
        Ok(_) | Err(BoardError::Refused(_) | BoardError::NotFound(_)) => Ok(ExitCode::from(status)),
        Err(error) => Err(Error::Invalid(error.to_string())),
    }
}

/// Runs turns until the model has completed or blocked the task, or all reminders were sent.
async fn run_turns(
    agent: &mut Agent,
    interrupts: &mut Interrupts,
    boards: &Boards,
    worker: &BoardWorker,
    card: &Card,
) -> Result<TurnOutcome> {
    let mut message = instructions(worker, card);
    let mut reminders = 0;
    loop {
        let ended = agent.run_turn(&message, interrupts).await?;
        let continues = matches!(ended, TurnOutcome::Done | TurnOutcome::OutOfRequests | TurnOutcome::CutOff)
            && reminders < card.max_turns;
        if !continues || !boards.holds(worker.card, &worker.claim)? {
            return Ok(ended);
        }
        reminders += 1;
        let end = end_of_work(card);
        message = format!("The task {} has not ended. Continue with it. {end}", card_name(card.id));
    }
}

fn instructions(worker: &BoardWorker, card: &Card) -> String {
    let task = card_name(card.id);
    let role = match card.status {
        CardStatus::Review => {
            "You review the result of this task of another worker: check the result, and do not change it."
        }
        _ => "You work on this task alone, and cannot ask the user.",
    };
    let body = if card.body.is_empty() { String::new() } else { format!("\n\n{}", card.body) };
    format!(
        "You are the worker `{}` of the board `{}`. {role}\n\n{task}: {}{body}\n\n\
         Begin with kanban_show: it returns the comments, and the results of the tasks that this one waited for. {}",
        worker.name,
        worker.board,
        card.title,
        end_of_work(card)
    )
}

fn end_of_work(card: &Card) -> &'static str {
    if card.status == CardStatus::Review {
        "End with kanban_complete if the result is good, or with kanban_request_changes."
    } else {
        "End with kanban_complete, or with kanban_block if the task cannot be done."
    }
}

/// Prints the calls of a worker.
fn progress(card: i64, unapproved: Unapproved) -> Observer {
    let task = card_name(card);
    Arc::new(move |event| match event {
        AgentEvent::CallBegins { tool, emoji, arguments, .. } => {
            tell!("{task} | {}", show::call(emoji, tool, arguments, 100));
        }
        AgentEvent::CallEnds { error: Some(kind), tool, json, .. } => {
            unapproved.observe(event);
            tell!("{task} |   {} {}", show::one_line(tool), show::failure(kind, json));
        }
        AgentEvent::Notice { text } => tell!("{task} | {}", show::one_line(text)),
        AgentEvent::Retry { error, .. } => tell!("{task} | {}; trying again", show::one_line(error)),
        _ => {}
    })
}

/// A thread that renews a claim. If the claim is lost, it interrupts the work.
struct Renewal {
    has_ended: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Renewal {
    fn start(boards: Arc<Boards>, worker: BoardWorker, interrupts: Interrupts) -> Result<Self> {
        let has_ended = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&has_ended);
        let renew = move || {
            let actor = worker.actor();
            let mut last = Instant::now();
            while !ended.load(Ordering::Relaxed) {
                thread::park_timeout(Duration::from_secs(1));
                // Between renewals, check whether a person has ended the claim.
                let is_due = last.elapsed() >= worker.lease / 3;
                let is_lost = if is_due {
                    last = Instant::now();
                    let renewed = boards.renew(&worker.board, &actor, worker.card, worker.lease, None);
                    // Other errors may be temporary, so the next renewal decides.
                    matches!(renewed, Err(BoardError::Refused(_) | BoardError::NotFound(_)))
                } else {
                    matches!(boards.holds(worker.card, &worker.claim), Ok(false))
                };
                if is_lost && !ended.load(Ordering::Relaxed) {
                    interrupts.press();
                }
            }
        };
        let thread = thread::Builder::new().name("claim".to_owned()).spawn(renew);
        let thread = thread.map_err(|error| Error::failed("start a thread", error))?;
        Ok(Self { has_ended, thread: Some(thread) })
    }
}

impl Drop for Renewal {
    fn drop(&mut self) {
        self.has_ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}
