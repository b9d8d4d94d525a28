//! The store of boards: cards that several agents and people work on.
//!
//! A worker claims a card for a short time, and renews the claim while it works. A claim that is not renewed ends, so a killed worker
//! does not keep its card. [`Boards`] has one method for each change; each is one transaction.

mod claims;
mod move_card;
mod read;
mod rows;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use rusqlite::{Connection, params};

use crate::database::Database;
use crate::error::StoreError;
use crate::time::milliseconds;

pub use read::CardFilter;

/// The number of claims without a result after which a card is blocked.
pub const MAX_ATTEMPTS: i64 = 3;
/// The maximum number of cards of a board that are not archived.
pub const MAX_CARDS: i64 = 10_000;
/// The maximum number of attachments of a card.
pub const MAX_ATTACHMENTS: i64 = 20;
/// The maximum number of notes of a card. A heartbeat without a text is not a note.
pub(crate) const MAX_NOTES: i64 = 1_000;

/// The boards in a [`Database`].
#[derive(Debug, Clone)]
pub struct Boards {
    database: Arc<Database>,
}

/// The person, agent or worker who changes a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A person, who can change each card.
    Person,
    /// An agent without a claim, by its name. It can change each card that no worker has claimed.
    Agent(String),
    /// An agent that works on a card. It cannot change other cards.
    Worker {
        /// The name under which it claimed the card.
        name: String,
        /// The card.
        card: i64,
        /// The claim.
        claim: String,
    },
}

impl Actor {
    /// Returns the name of the author of notes.
    pub fn name(&self) -> &str {
        match self {
            Self::Person => "user",
            Self::Agent(name) | Self::Worker { name, .. } => name,
        }
    }
}

/// The states of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CardStatus {
    /// The user or an agent must decide whether the card should be done.
    Triage,
    /// The card waits for other cards.
    Todo,
    /// A worker can claim the card.
    Ready,
    /// A worker has claimed the card.
    Running,
    /// The card waits for its reviewer, or the reviewer has claimed it.
    Review,
    /// The card waits for a person or an agent.
    Blocked,
    /// The work is complete.
    Done,
    /// The card is hidden from workers and lists.
    Archived,
}

impl CardStatus {
    /// All states, in the order of the work.
    pub const ALL: [Self; 8] =
        [Self::Triage, Self::Todo, Self::Ready, Self::Running, Self::Review, Self::Blocked, Self::Done, Self::Archived];

    /// Returns the word for the state, such as `ready`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Triage => "triage",
            Self::Todo => "todo",
            Self::Ready => "ready",
            Self::Running => "running",
            Self::Review => "review",
            Self::Blocked => "blocked",
            Self::Done => "done",
            Self::Archived => "archived",
        }
    }

    /// Returns the state with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word() == word)
    }
}

/// The kind of reason why a card is blocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockKind {
    /// The card waits for other cards, which are linked as its parents.
    Dependency,
    /// The card waits for an answer or a decision.
    NeedsInput,
    /// The worker lacks a tool, a right or knowledge.
    Capability,
    /// Something failed that may work later.
    Transient,
}

impl BlockKind {
    const ALL: [Self; 4] = [Self::Dependency, Self::NeedsInput, Self::Capability, Self::Transient];

    /// Returns the word for the kind, such as `needs_input`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Dependency => "dependency",
            Self::NeedsInput => "needs_input",
            Self::Capability => "capability",
            Self::Transient => "transient",
        }
    }

    /// Returns the kind with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// The folder in which a worker works on a card.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Workspace {
    /// A new, empty folder.
    Scratch,
    /// An existing folder.
    Dir {
        /// The absolute path.
        path: String,
    },
    /// A new working tree of a git repository, on a new branch.
    Worktree {
        /// The absolute path of the repository.
        path: String,
    },
}

/// A card to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCard {
    /// The task in one line.
    pub title: String,
    /// Everything that a worker needs to know.
    pub body: String,
    /// The name of the worker who does it.
    pub assignee: String,
    /// The name of the worker who accepts the work. `None` if the assignee completes the card.
    pub reviewer: Option<String>,
    /// The cards that must be done before this one.
    pub parents: Vec<i64>,
    /// A name that separates the cards of several users or projects.
    pub tenant: Option<String>,
    /// Workers claim cards with a larger number first.
    pub priority: i64,
    /// Where to work.
    pub workspace: Workspace,
    /// A card that is not archived and has the same key is returned instead of a new one.
    pub idempotency_key: Option<String>,
    /// The maximum number of seconds of each claim.
    pub max_runtime: Option<i64>,
    /// How often a worker is asked to continue if it stops before the card is completed or blocked.
    pub max_turns: i64,
    /// The skills with which a worker begins.
    pub skills: Vec<String>,
    /// The state in which the card is created.
    pub initial_state: InitialState,
}

/// The state in which a card is created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InitialState {
    /// The card is ready as soon as its parents are done.
    Ready,
    /// The card is blocked until the user or an agent unblocks it.
    Blocked,
    /// The card is in triage until the user or an agent unblocks it.
    Triage,
}

/// A card.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Card {
    /// The id, which is unique among the cards of all boards.
    pub id: i64,
    /// The name of the board.
    pub board: String,
    /// The task in one line.
    pub title: String,
    /// Everything that a worker needs to know.
    pub body: String,
    /// The name of the worker who does it.
    pub assignee: String,
    /// The name of the worker who accepts the work.
    pub reviewer: Option<String>,
    /// A name that separates the cards of several users or projects.
    pub tenant: Option<String>,
    /// Workers claim cards with a larger number first.
    pub priority: i64,
    /// Where to work.
    pub workspace: Workspace,
    /// The maximum number of seconds of each claim.
    pub max_runtime: Option<i64>,
    /// How often a worker is asked to continue if it stops too early.
    pub max_turns: i64,
    /// The skills with which a worker begins.
    pub skills: Vec<String>,
    /// The name of the author.
    pub author: String,
    /// The state.
    pub status: CardStatus,
    /// Why the card is blocked, or why the last worker did not complete it.
    pub block: Option<(BlockKind, String)>,
    /// The number of claims since a person or an agent last changed the state.
    pub attempts: i64,
    /// The name of the worker who has claimed the card, and the end of the claim.
    pub worker: Option<(String, SystemTime)>,
    /// The result of the work.
    pub outcome: Option<CardOutcome>,
    /// When the card was added.
    pub created: SystemTime,
    /// When the card was last changed.
    pub updated: SystemTime,
    claim: Option<String>,
}

/// The result of the work on a card.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct CardOutcome {
    /// What was done.
    pub summary: String,
    /// The result itself, if it is a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Facts for programs: a JSON value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<String>,
    /// Paths and addresses of the created files and pages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<String>,
}

/// A card with its links, notes and attachments.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CardDetails {
    /// The card.
    pub card: Card,
    /// The cards that must be done before this one, with their outcomes.
    pub parents: Vec<Card>,
    /// The ids of the cards that wait for this one.
    pub children: Vec<i64>,
    /// The latest notes, the oldest first.
    pub notes: Vec<CardNote>,
    /// The attachments, without their content.
    pub attachments: Vec<Attachment>,
}

/// A comment, or an entry of the history of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CardNote {
    /// When the note was written.
    pub time: SystemTime,
    /// The name of the author.
    pub author: String,
    /// The kind: `comment`, or the name of an event.
    pub kind: String,
    /// The text.
    pub text: String,
}

/// A file that is attached to a card.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attachment {
    /// The id, which is unique among the attachments of all cards.
    pub id: i64,
    /// The name of the file.
    pub name: String,
    /// The media type.
    pub content_type: String,
    /// The number of bytes.
    pub size: u64,
    /// The name of who attached the file.
    pub author: String,
}

/// The error of a change or a query of a board.
#[derive(Debug)]
#[non_exhaustive]
pub enum BoardError {
    /// The change is not possible. The message says why, and what to do.
    Refused(String),
    /// The board does not have the card, or the card does not have the attachment.
    NotFound(String),
    /// The file cannot be used.
    Store(StoreError),
}

impl fmt::Display for BoardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(message) | Self::NotFound(message) => f.write_str(message),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BoardError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused(_) | Self::NotFound(_) => None,
            Self::Store(error) => Some(error),
        }
    }
}

impl From<StoreError> for BoardError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// The result of a check.
type Checked<T> = Result<T, BoardError>;

/// Returns the error about a change that is not possible.
fn refused<T>(message: String) -> Checked<T> {
    Err(BoardError::Refused(message))
}

/// Returns the value, or leaves the transaction with the error. The transaction is still committed.
macro_rules! check {
    ($checked:expr) => {
        match $checked {
            Ok(value) => value,
            Err(error) => return Ok(Err(error)),
        }
    };
}
pub(crate) use check;

impl Boards {
    /// Returns the boards in a database.
    pub fn new(database: Arc<Database>) -> Self {
        Self { database }
    }

    /// Adds a card. Returns its id and `true`, or, if a card has the same idempotency key, the id of that card and `false`.
    ///
    /// # Errors
    /// Returns an error if a parent is unknown, the board is full, or the file cannot be changed.
    pub fn create(&self, board: &str, actor: &Actor, card: &NewCard) -> Result<(i64, bool), BoardError> {
        self.change(|connection, now| {
            if let Some(key) = &card.idempotency_key
                && let Some(id) = rows::by_key(connection, board, key)?
            {
                return Ok(Ok((id, false)));
            }
            if rows::count(connection, board)? >= MAX_CARDS {
                return Ok(refused(format!("the board `{board}` has {MAX_CARDS} cards: archive cards that are done")));
            }
            for &parent in &card.parents {
                check!(rows::find(connection, board, parent)?);
            }
            let sql = "INSERT INTO cards (board, title, body, assignee, reviewer, tenant, priority, workspace, idempotency_key, \
                       max_runtime, max_turns, author, status, created, updated, skills) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?14, ?15)";
            let status = match card.initial_state {
                // `update_waiting` below makes the card ready if all parents are done.
                InitialState::Ready => CardStatus::Todo,
                InitialState::Blocked => CardStatus::Blocked,
                InitialState::Triage => CardStatus::Triage,
            };
            let workspace = rows::json(&card.workspace);
            connection.execute(
                sql,
                params![
                    board,
                    card.title,
                    card.body,
                    card.assignee,
                    card.reviewer,
                    card.tenant,
                    card.priority,
                    workspace,
                    card.idempotency_key,
                    card.max_runtime,
                    card.max_turns,
                    actor.name(),
                    status.word(),
                    now,
                    rows::json(&card.skills)
                ],
            )?;
            let id = connection.last_insert_rowid();
            for parent in &card.parents {
                connection
                    .execute("INSERT INTO card_links (parent, child) VALUES (?1, ?2) ON CONFLICT DO NOTHING", [*parent, id])?;
            }
            rows::update_waiting(connection, id, now)?;
            rows::note(connection, id, now, actor.name(), "created", "")?;
            Ok(Ok((id, true)))
        })
    }

    /// Adds a comment to a card.
    ///
    /// # Errors
    /// Returns an error if the card is unknown or has too many notes, or the file cannot be changed.
    pub fn comment(&self, board: &str, actor: &Actor, card: i64, text: &str) -> Result<(), BoardError> {
        self.change(|connection, now| {
            check!(rows::find(connection, board, card)?);
            check!(rows::has_room_for_notes(connection, card)?);
            rows::note(connection, card, now, actor.name(), "comment", text)?;
            Ok(Ok(()))
        })
    }

    /// Makes `child` wait for `parent`.
    ///
    /// # Errors
    /// Returns an error if a card is unknown, the child is being worked on or done, the link would make a cycle, or the file cannot be
    /// changed.
    pub fn link(&self, board: &str, actor: &Actor, parent: i64, child: i64) -> Result<(), BoardError> {
        self.change(|connection, now| {
            check!(rows::find(connection, board, parent)?);
            let card = check!(rows::find(connection, board, child)?);
            if matches!(card.status, CardStatus::Review | CardStatus::Done | CardStatus::Archived) {
                return Ok(refused(format!(
                    "t{child} is {}: a card can only wait before it is done",
                    card.status.word()
                )));
            }
            // A worker can link its own card, if it finds that the card must wait for another card.
            let is_own = matches!(actor, Actor::Worker { card, .. } if *card == child);
            if card.status == CardStatus::Running && !is_own {
                return Ok(refused(format!(
                    "t{child} is running: its worker can link it and block it with kind `dependency`"
                )));
            }
            if parent == child || rows::is_before(connection, child, parent)? {
                return Ok(refused(format!("t{parent} already waits for t{child}: the link would make a cycle")));
            }
            connection.execute(
                "INSERT INTO card_links (parent, child) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                [parent, child],
            )?;
            rows::update_waiting(connection, child, now)?;
            rows::note(connection, child, now, actor.name(), "linked", &format!("waits for t{parent}"))?;
            Ok(Ok(()))
        })
    }

    /// Attaches a file to a card, and returns the id of the attachment.
    ///
    /// # Errors
    /// Returns an error if the card is unknown or has too many attachments, or the file cannot be changed.
    pub fn attach(
        &self,
        board: &str,
        actor: &Actor,
        card: i64,
        name: &str,
        content_type: &str,
        content: &[u8],
    ) -> Result<i64, BoardError> {
        self.change(|connection, now| {
            check!(rows::find(connection, board, card)?);
            let sql = "SELECT count(*) FROM card_attachments WHERE card = ?1";
            if connection.query_row(sql, [card], |row| row.get::<_, i64>(0))? >= MAX_ATTACHMENTS {
                return Ok(refused(format!("t{card} has {MAX_ATTACHMENTS} attachments, the maximum")));
            }
            let sql = "INSERT INTO card_attachments (card, time, author, name, content_type, content) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            connection.execute(sql, params![card, now, actor.name(), name, content_type, content])?;
            let id = connection.last_insert_rowid();
            rows::note(connection, card, now, actor.name(), "attached", name)?;
            Ok(Ok(id))
        })
    }

    /// Ends the claims that were not renewed, and calls `change` in the same transaction. The argument of `change` is the current time in
    /// milliseconds.
    fn change<T>(
        &self,
        change: impl FnOnce(&Connection, i64) -> rusqlite::Result<Checked<T>>,
    ) -> Result<T, BoardError> {
        self.database.write(|connection| {
            let now = milliseconds(SystemTime::now());
            claims::end_expired(connection, now)?;
            change(connection, now)
        })?
    }
}
