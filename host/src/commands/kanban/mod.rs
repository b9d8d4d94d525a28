//! `toolc kanban`: the tasks of a board, for a person, and the workers that work on them.
//!
//! [`work`] claims tasks and starts a process for each. [`worker`] is this process, and [`workspace`] makes its working directory.

mod show;
mod work;
mod worker;
mod workspace;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::Value;
use toolc_agent::{DEFAULT_BOARD, card_name, card_text_problem, card_title, checked_skills};
use toolc_config::Home;
use toolc_store::{
    Actor, BoardError, Boards, CardFilter, CardOutcome, CardStatus, Database, InitialState, NewCard, Workspace,
};

use crate::ground::ask;
use crate::ground::error::{Error, Result};
use crate::ground::tell::tell;
use crate::options::ToolOptions;
use work::WorkArgs;

/// The last part of the help.
const HELP: &str = "\
TASK is the name of a task, such as t12. The boards are stored in state.db in TOOLC_HOME. Commands that change a board do not run
inside a tool. An agent uses the tools of the toolset `kanban` instead.

Exit status:
  0  success
  1  the change of the board was refused, or a task is unknown; for `work`, a worker failed
  2  the command line is wrong, or a file cannot be used";

/// The arguments of `kanban`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct KanbanArgs {
    /// The name of the board.
    #[arg(long, global = true, value_name = "NAME", default_value = DEFAULT_BOARD, value_parser = parse_name)]
    board: String,
    /// Without a command, lists the tasks.
    #[command(subcommand)]
    command: Option<KanbanCommand>,
}

#[derive(Debug, Subcommand)]
enum KanbanCommand {
    /// List the tasks, the most urgent first.
    List {
        /// Only tasks with this status.
        #[arg(long, value_parser = parse_status)]
        status: Option<CardStatus>,
        /// Only tasks of this worker.
        #[arg(long, value_name = "NAME")]
        assignee: Option<String>,
        /// Include archived tasks.
        #[arg(long)]
        all: bool,
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show a task with its comments, attachments and history.
    Show {
        /// The task.
        #[arg(value_parser = parse_task)]
        task: i64,
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Add a task, and print its name.
    Add(AddArgs),
    /// Add a comment to a task.
    Comment {
        /// The task.
        #[arg(value_parser = parse_task)]
        task: i64,
        /// The comment.
        text: String,
    },
    /// Release a task that is blocked or in triage, so that work on it can continue.
    Unblock {
        /// The task.
        #[arg(value_parser = parse_task)]
        task: i64,
    },
    /// Mark a task as done, or accept its result. A worker that works on the task stops.
    Complete {
        /// The task.
        #[arg(value_parser = parse_task)]
        task: i64,
        /// A summary of the result.
        summary: String,
    },
    /// Refuse the result of a task in review.
    Changes {
        /// The task.
        #[arg(value_parser = parse_task)]
        task: i64,
        /// The reason.
        reason: String,
    },
    /// Archive tasks. A worker that works on one of them stops.
    Archive {
        /// The tasks.
        #[arg(required = true, value_parser = parse_task)]
        tasks: Vec<i64>,
    },
    /// Write an attachment of a task to standard output.
    Attachment {
        /// The task.
        #[arg(value_parser = parse_task)]
        task: i64,
        /// The number of the attachment, which `show` prints.
        id: i64,
    },
    /// Work as these workers: do their tasks, and review the tasks whose reviewers they are.
    Work(Box<WorkArgs>),
}

/// The arguments of `kanban add`.
#[derive(Debug, Args)]
struct AddArgs {
    /// The title, which says what to do.
    title: String,
    /// The worker who does the task.
    #[arg(long, value_name = "NAME", value_parser = parse_name)]
    to: String,
    /// Everything that the worker needs to know.
    #[arg(long, value_name = "TEXT", default_value = "")]
    body: String,
    /// The worker who reviews the result.
    #[arg(long, value_name = "NAME", value_parser = parse_name)]
    reviewer: Option<String>,
    /// A task that must be done first. Can be repeated.
    #[arg(long, value_name = "TASK", value_parser = parse_task)]
    after: Vec<i64>,
    /// The priority. Tasks with a larger number are done first.
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    priority: i64,
    /// A skill with which the worker begins. Can be repeated. It is loaded when a worker takes the task.
    #[arg(long = "skill", value_name = "NAME")]
    skills: Vec<String>,
    /// The folder to work in. Default: a new, empty folder.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// The git repository to work in. The task gets its own working tree.
    #[arg(long, value_name = "DIR", conflicts_with = "dir")]
    worktree: Option<PathBuf>,
}

impl KanbanArgs {
    /// Runs the command.
    pub(crate) fn run(&self, options: &ToolOptions, home: Home) -> Result<ExitCode> {
        let boards = Boards::new(Arc::new(Database::new(home.state())));
        let board = self.board.as_str();
        let list = KanbanCommand::List { status: None, assignee: None, all: false, json: false };
        let command = self.command.as_ref().unwrap_or(&list);
        let is_reading = matches!(
            command,
            KanbanCommand::List { .. } | KanbanCommand::Show { .. } | KanbanCommand::Attachment { .. }
        );
        if !is_reading && toolc_process::is_inside_a_tool() {
            return Err(Error::Invalid(
                "this command does not run inside a tool: use the tools of the toolset `kanban`".to_owned(),
            ));
        }
        if let KanbanCommand::Work(args) = command {
            return args.run(board, options, home);
        }
        match change(&boards, board, command) {
            Ok(text) => {
                ask::print_bytes(&text)?;
                Ok(ExitCode::SUCCESS)
            }
            Err(BoardError::Refused(message) | BoardError::NotFound(message)) => {
                tell!("error: {message}");
                Ok(ExitCode::from(1))
            }
            Err(error) => Err(Error::Invalid(error.to_string())),
        }
    }
}

/// Reads or changes a board, and returns what to print.
fn change(boards: &Boards, board: &str, command: &KanbanCommand) -> Result<Vec<u8>, BoardError> {
    let user = &Actor::Person;
    let text = match command {
        KanbanCommand::List { status, assignee, all, json } => {
            let filter = CardFilter {
                status: *status,
                assignee: assignee.as_deref(),
                include_archived: *all,
                limit: usize::MAX,
                ..CardFilter::default()
            };
            let cards = boards.list(board, &filter)?;
            match json {
                true => json_line(&cards.iter().map(show::card_json).collect()),
                false if cards.is_empty() => format!("no tasks on the board `{board}`\n"),
                false => cards.iter().map(show::card_line).collect(),
            }
        }
        KanbanCommand::Show { task, json } => {
            let details = boards.details(board, *task)?;
            if *json { json_line(&show::details_json(&details)) } else { show::details_text(&details) }
        }
        KanbanCommand::Add(args) => {
            let (card, _) = boards.create(board, user, &args.card()?)?;
            format!("{}\n", card_name(card))
        }
        KanbanCommand::Comment { task, text } => {
            check("comment", text)?;
            boards.comment(board, user, *task, text)?;
            String::new()
        }
        KanbanCommand::Unblock { task } => state_line(*task, boards.unblock(board, user, *task)?),
        KanbanCommand::Complete { task, summary } => {
            check("summary", summary)?;
            let outcome = CardOutcome { summary: summary.clone(), ..CardOutcome::default() };
            state_line(*task, boards.complete(board, user, *task, &outcome, &[])?)
        }
        KanbanCommand::Changes { task, reason } => {
            check("reason", reason)?;
            boards.request_changes(board, user, *task, reason)?;
            state_line(*task, boards.details(board, *task)?.card.status)
        }
        KanbanCommand::Archive { tasks } => {
            for task in tasks {
                boards.archive(board, user, *task)?;
            }
            String::new()
        }
        KanbanCommand::Attachment { task, id } => return Ok(boards.attachment(board, *task, *id)?.1),
        // `run` handles this command.
        KanbanCommand::Work(_) => String::new(),
    };
    Ok(text.into_bytes())
}

impl AddArgs {
    fn card(&self) -> Result<NewCard, BoardError> {
        let absolute = |path: &PathBuf| {
            let absolute = path.canonicalize().ok().filter(|path| path.is_dir());
            let absolute = absolute.and_then(|path| path.into_os_string().into_string().ok());
            absolute.ok_or_else(|| {
                BoardError::Refused(format!("expected an existing folder with a UTF-8 path, got {}", path.display()))
            })
        };
        let workspace = match (&self.dir, &self.worktree) {
            (Some(path), _) => Workspace::Dir { path: absolute(path)? },
            (None, Some(path)) => Workspace::Worktree { path: absolute(path)? },
            (None, None) => Workspace::Scratch,
        };
        if self.reviewer.as_ref() == Some(&self.to) {
            return Err(BoardError::Refused(format!("`{}` cannot review its own work", self.to)));
        }
        let title = card_title(&self.title).map_err(|error| BoardError::Refused(error.to_string()))?;
        check("title", title)?;
        check("body", &self.body)?;
        Ok(NewCard {
            title: title.to_owned(),
            body: self.body.clone(),
            assignee: self.to.clone(),
            reviewer: self.reviewer.clone(),
            parents: self.after.clone(),
            tenant: None,
            priority: self.priority,
            workspace,
            idempotency_key: None,
            max_runtime: None,
            max_turns: 1,
            skills: checked_skills(&self.skills).map_err(BoardError::Refused)?,
            initial_state: InitialState::Ready,
        })
    }
}

/// Checks a text of a card.
fn check(name: &str, text: &str) -> Result<(), BoardError> {
    card_text_problem(name, text).map_or(Ok(()), |problem| Err(BoardError::Refused(problem)))
}

fn state_line(task: i64, status: CardStatus) -> String {
    format!("{} is {}\n", card_name(task), status.word())
}

fn json_line(value: &Value) -> String {
    format!("{value}\n")
}

/// Parses the name of a task.
fn parse_task(text: &str) -> Result<i64, String> {
    let id = text.strip_prefix('t').and_then(|digits| digits.parse().ok()).filter(|id| *id > 0);
    id.ok_or_else(|| "expected the name of a task, such as `t12`".to_owned())
}

/// Parses a status.
fn parse_status(text: &str) -> Result<CardStatus, String> {
    CardStatus::from_word(text).ok_or_else(|| {
        let words: Vec<&str> = CardStatus::ALL.iter().map(|status| status.word()).collect();
        format!("expected one of {}", words.join(", "))
    })
}

/// Parses the name of a board or a worker.
fn parse_name(text: &str) -> Result<String, String> {
    if toolc_agent::is_board_name(text) {
        return Ok(text.to_owned());
    }
    Err("expected at most 64 letters, digits, `-`, `_` and `.`, beginning with a letter or a digit".to_owned())
}
