//! The tools of the toolset `kanban`: tasks on a board that several agents and people share.
//!
//! [`results`] makes the form of a card that the model sees. The store is [`Boards`]. In the store, the tasks of a board are called cards, to
//! distinguish them from the tasks of calls.

mod results;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use toolc::redaction::Redactor;
use toolc::{Call, ErrorKind, ToolError, Value};
use toolc_catalog::kanban::{
    KanbanTools, kanban_attach, kanban_attach_url, kanban_attachments, kanban_block, kanban_comment, kanban_complete,
    kanban_create, kanban_heartbeat, kanban_link, kanban_list, kanban_request_changes, kanban_request_review,
    kanban_show, kanban_unblock,
};
use toolc_net::{Client, Fetch, Limits, Policy, header};
use toolc_store::{
    Actor, BlockKind, BoardError, Boards, CardFilter, CardOutcome, CardStatus, InitialState, NewCard, Workspace,
    time_text,
};

use crate::skills::{self, checked_skills, tool_problem};
pub use results::card_name;

/// The board of sessions that do not work on a card.
pub const DEFAULT_BOARD: &str = "default";

/// The maximum size of an attachment in bytes.
const MAX_ATTACHMENT: usize = 1_000_000;

/// The maximum length of a name that is taken from an address, and of a media type.
const MAX_NAME: usize = 100;

/// The name of agents that do not work on a card.
const AGENT: &str = "agent";

/// The card that a session works on. A host gives it to the session of a worker as a [value](toolc::SessionBuilder::value).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardWorker {
    /// The board.
    pub board: String,
    /// The name for which the card was claimed.
    pub name: String,
    /// The card.
    pub card: i64,
    /// The claim.
    pub claim: String,
    /// For how long a heartbeat renews the claim.
    pub lease: Duration,
}

impl BoardWorker {
    /// Returns the worker as an actor of the store.
    pub fn actor(&self) -> Actor {
        Actor::Worker { name: self.name.clone(), card: self.card, claim: self.claim.clone() }
    }
}

/// The handlers of the toolset `kanban`. They use the [`Boards`] of the session and, in the session of a worker, its [`BoardWorker`].
#[derive(Debug, Clone)]
pub struct KanbanHandlers {
    client: Client,
}

impl KanbanHandlers {
    /// Returns handlers that fetch attachments with a client, whose policy says what may be fetched.
    pub fn new(client: Client) -> Self {
        Self { client }
    }
}

impl Default for KanbanHandlers {
    /// Returns handlers that fetch only from public addresses.
    fn default() -> Self {
        Self::new(Client::new(Policy::default(), concat!("toolc/", env!("CARGO_PKG_VERSION"))))
    }
}

/// The board and the worker of a call.
struct Desk {
    boards: std::sync::Arc<Boards>,
    worker: Option<std::sync::Arc<BoardWorker>>,
    board: String,
    actor: Actor,
    secrets: Redactor,
}

impl Desk {
    fn new(call: &Call<'_>, board: Option<String>) -> Result<Self, ToolError> {
        let boards = call.require_value::<Boards>()?;
        let worker = call.value::<BoardWorker>();
        let own_board = worker.as_ref().map_or(DEFAULT_BOARD, |worker| &worker.board);
        let board = match board {
            Some(board) => name("board", board)?,
            None => own_board.to_owned(),
        };
        let actor = worker.as_ref().map_or_else(|| Actor::Agent(AGENT.to_owned()), |worker| worker.actor());
        Ok(Self { boards, worker, board, actor, secrets: call.redactor() })
    }

    /// Returns the card that a call names, or else the card that the session works on.
    fn card(&self, task_id: Option<&String>) -> Result<i64, ToolError> {
        match (task_id, &self.worker) {
            (Some(task_id), _) => id(task_id),
            (None, Some(worker)) if worker.board == self.board => Ok(worker.card),
            (None, Some(worker)) => Err(ToolError::new(format!(
                "your task is on the board `{}`: omit `board`, or name a task",
                worker.board
            ))),
            (None, None) => Err(ToolError::new("this session does not work on a task: name a task with `task_id`")),
        }
    }

    /// Checks and returns a text that later workers may read.
    ///
    /// # Errors
    /// Returns an error if the text would manipulate them, or contains a secret.
    fn safe<'t>(&self, name: &str, text: &'t str) -> Result<&'t str, ToolError> {
        if self.secrets.kept_text(text) != text {
            let message = format!(
                "the {name} is refused, because it contains a secret, such as a key, a token or a value of `.env`, which every reader of the \
                 board would see. Nothing was changed. Write down where the secret is, such as the name of its variable, instead of the secret"
            );
            return Err(ToolError::with_kind(ErrorKind::Refused, message));
        }
        match card_text_problem(name, text) {
            None => Ok(text),
            Some(problem) => Err(ToolError::with_kind(ErrorKind::Refused, problem)),
        }
    }

    /// Returns the checked outcome of a card.
    fn outcome(
        &self,
        summary: String,
        result: Option<String>,
        metadata: Option<std::collections::BTreeMap<String, Value>>,
        artifacts: Option<Vec<String>>,
    ) -> Result<CardOutcome, ToolError> {
        self.safe("summary", &summary)?;
        self.safe("result", result.as_deref().unwrap_or_default())?;
        let metadata = metadata.map(|metadata| metadata.into_iter().collect::<Value>().to_string());
        if metadata.as_ref().is_some_and(|metadata| metadata.len() > 16_000) {
            return Err(ToolError::new("`metadata` has more than 16000 bytes of JSON: attach a file instead"));
        }
        self.safe("metadata", metadata.as_deref().unwrap_or_default())?;
        let artifacts = artifacts.unwrap_or_default();
        for artifact in &artifacts {
            self.safe("path of an artifact", artifact)?;
        }
        Ok(CardOutcome { summary, result, metadata, artifacts })
    }

    fn status(&self, card: i64) -> Result<String, ToolError> {
        Ok(self.boards.details(&self.board, card).map_err(error)?.card.status.word().to_owned())
    }

    /// Attaches a file to a card, and returns its id.
    fn attach(&self, card: i64, filename: &str, content_type: &str, content: &[u8]) -> Result<i64, ToolError> {
        let (name, content_type) = (filename.trim(), content_type.trim());
        let is_name =
            !matches!(name, "" | "." | "..") && !name.contains(['/', '\\']) && !name.contains(char::is_control);
        if !is_name {
            return Err(ToolError::new("`filename` must be a name without folders, such as `report.pdf`"));
        }
        self.safe("name of the file", name)?;
        self.safe("type of the file", content_type)?;
        self.boards.attach(&self.board, &self.actor, card, name, content_type, content).map_err(error)
    }
}

/// What a server has sent.
struct Fetched {
    content: Vec<u8>,
    content_type: String,
    /// The last part of the address.
    name: String,
}

/// Fetches an attachment.
///
/// # Errors
/// If there is none, or it is too large.
fn fetched(client: &Client, address: &str) -> Result<Fetched, ToolError> {
    let failed = |error: &dyn fmt::Display| ToolError::new(error.to_string());
    let target = client.target(address).map_err(|error| failed(&error))?;
    // One byte more shows that the file is too large.
    let limits = Limits { body_bytes: MAX_ATTACHMENT + 1, ..Limits::default() };
    let answer = client.fetch(Fetch::get(target), &limits).map_err(|error| failed(&error))?;
    // A redirect that is not followed, and an answer about a cache, have no file.
    if !(200..300).contains(&answer.status) {
        return Err(ToolError::new(format!("{} answers with the status {}", answer.target, answer.status)));
    }
    if answer.is_cut || answer.body.len() > MAX_ATTACHMENT {
        return Err(ToolError::new(format!("{} has more than the maximum of {MAX_ATTACHMENT} bytes", answer.target)));
    }
    let content_type = answer.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let last = answer.target.url().path().rsplit('/').next().unwrap_or_default();
    let is_plain = |letter: char| letter.is_alphanumeric() || ".-_".contains(letter);
    let name: String = last.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).take(MAX_NAME).collect();
    Ok(Fetched {
        content_type: content_type.unwrap_or("application/octet-stream").chars().take(MAX_NAME).collect(),
        name: if name.trim_matches(['.', '_']).is_empty() { "attachment".to_owned() } else { name },
        content: answer.body,
    })
}

impl KanbanTools for KanbanHandlers {
    fn kanban_create(&self, args: kanban_create::Args, call: &Call<'_>) -> Result<kanban_create::Returns, ToolError> {
        let desk = Desk::new(call, args.board.clone())?;
        let card = new_card(&desk, args)?;
        if let Some(problem) = tool_problem(&card.skills, |tool| call.has_tool(tool)) {
            return Err(ToolError::with_kind(
                ErrorKind::Refused,
                format!("{problem}, which this conversation does not have"),
            ));
        }
        let note = skills::note(&card.skills, call);
        let (card, is_new) = desk.boards.create(&desk.board, &desk.actor, &card).map_err(error)?;
        Ok(kanban_create::Returns { task_id: card_name(card), status: desk.status(card)?, is_new, note })
    }

    fn kanban_list(&self, args: kanban_list::Args, call: &Call<'_>) -> Result<kanban_list::Returns, ToolError> {
        let desk = Desk::new(call, args.board)?;
        let limit = usize::try_from(args.limit).unwrap_or(1);
        let filter = CardFilter {
            assignee: args.assignee.as_deref(),
            status: args.status.and_then(|status| CardStatus::from_word(status.as_str())),
            tenant: args.tenant.as_deref(),
            include_archived: args.include_archived,
            // An additional card shows that the list is not complete.
            limit: limit + 1,
        };
        let mut cards = desk.boards.list(&desk.board, &filter).map_err(error)?;
        let note = (cards.len() > limit).then(|| format!("there are more than these {limit} tasks: use the filters"));
        cards.truncate(limit);
        Ok(kanban_list::Returns { tasks: cards.into_iter().map(results::list_item).collect(), note })
    }

    fn kanban_show(&self, args: kanban_show::Args, call: &Call<'_>) -> Result<kanban_show::Returns, ToolError> {
        let desk = Desk::new(call, args.board)?;
        let card = desk.card(args.task_id.as_ref())?;
        desk.boards.details(&desk.board, card).map(results::details).map_err(error)
    }

    fn kanban_comment(
        &self,
        args: kanban_comment::Args,
        call: &Call<'_>,
    ) -> Result<kanban_comment::Returns, ToolError> {
        let desk = Desk::new(call, args.board)?;
        let card = id(&args.task_id)?;
        let body = desk.safe("comment", &args.body)?;
        desk.boards.comment(&desk.board, &desk.actor, card, body).map_err(error)?;
        Ok(kanban_comment::Returns { task_id: args.task_id, status: desk.status(card)? })
    }

    fn kanban_link(&self, args: kanban_link::Args, call: &Call<'_>) -> Result<kanban_link::Returns, ToolError> {
        let desk = Desk::new(call, args.board)?;
        let (parent, child) = (id(&args.parent_id)?, id(&args.child_id)?);
        desk.boards.link(&desk.board, &desk.actor, parent, child).map_err(error)?;
        Ok(kanban_link::Returns { task_id: args.child_id, status: desk.status(child)? })
    }

    fn kanban_heartbeat(
        &self,
        args: kanban_heartbeat::Args,
        call: &Call<'_>,
    ) -> Result<kanban_heartbeat::Returns, ToolError> {
        let desk = Desk::new(call, args.board)?;
        let card = desk.card(args.task_id.as_ref())?;
        let Some(worker) = &desk.worker else {
            return Err(ToolError::new(
                "this session does not work on a task: only the session of a worker has a claim",
            ));
        };
        let note = args.note.as_deref().map(|note| desk.safe("note", note)).transpose()?;
        let ends = desk.boards.renew(&desk.board, &desk.actor, card, worker.lease, note).map_err(error)?;
        Ok(kanban_heartbeat::Returns { task_id: card_name(card), claim_ends: time_text(ends) })
    }

    fn kanban_block(&self, args: kanban_block::Args, call: &Call<'_>) -> Result<kanban_block::Returns, ToolError> {
        let desk = Desk::new(call, args.board)?;
        let card = desk.card(args.task_id.as_ref())?;
        let kind = BlockKind::from_word(args.kind.as_str()).unwrap_or(BlockKind::NeedsInput);
        let reason = desk.safe("reason", &args.reason)?;
        let status = desk.boards.block(&desk.board, &desk.actor, card, kind, reason).map_err(error)?;
        Ok(kanban_block::Returns { task_id: card_name(card), status: status.word().to_owned() })
    }

    fn kanban_unblock(
        &self,
        args: kanban_unblock::Args,
        call: &Call<'_>,
    ) -> Result<kanban_unblock::Returns, ToolError> {
        let desk = Desk::new(call, args.board)?;
        let card = id(&args.task_id)?;
        let status = desk.boards.unblock(&desk.board, &desk.actor, card).map_err(error)?;
        Ok(kanban_unblock::Returns { task_id: args.task_id, status: status.word().to_owned() })
    }

    fn kanban_complete(
        &self,
        args: kanban_complete::Args,
        call: &Call<'_>,
    ) -> Result<kanban_complete::Returns, ToolError> {
        let desk = Desk::new(call, args.board)?;
        let card = desk.card(args.task_id.as_ref())?;
        let created = ids(args.created_cards)?;
        let outcome = desk.outcome(args.summary, args.result, args.metadata, args.artifacts)?;
        let status = desk.boards.complete(&desk.board, &desk.actor, card, &outcome, &created).map_err(error)?;
        Ok(kanban_complete::Returns { task_id: card_name(card), status: status.word().to_owned() })
    }

    fn kanban_request_review(
        &self,
        args: kanban_request_review::Args,
        call: &Call<'_>,
    ) -> Result<kanban_request_review::Returns, ToolError> {
        let desk = Desk::new(call, args.board)?;
        let card = desk.card(args.task_id.as_ref())?;
        let outcome = desk.outcome(args.summary, args.result, args.metadata, args.artifacts)?;
        let reviewer = args.reviewer.map(|reviewer| name("reviewer", reviewer)).transpose()?;
        let reviewer = reviewer.as_deref();
        desk.boards.request_review(&desk.board, &desk.actor, card, &outcome, reviewer).map_err(error)?;
        Ok(kanban_request_review::Returns { task_id: card_name(card), status: CardStatus::Review.word().to_owned() })
    }

    fn kanban_request_changes(
        &self,
        args: kanban_request_changes::Args,
        call: &Call<'_>,
    ) -> Result<kanban_request_changes::Returns, ToolError> {
        let desk = Desk::new(call, args.board)?;
        let card = desk.card(args.task_id.as_ref())?;
        let reason = desk.safe("reason", &args.reason)?;
        desk.boards.request_changes(&desk.board, &desk.actor, card, reason).map_err(error)?;
        Ok(kanban_request_changes::Returns { task_id: card_name(card), status: desk.status(card)? })
    }

    fn kanban_attach(&self, args: kanban_attach::Args, call: &Call<'_>) -> Result<kanban_attach::Returns, ToolError> {
        let desk = Desk::new(call, args.board)?;
        let card = desk.card(args.task_id.as_ref())?;
        let content = BASE64
            .decode(args.content_base64.trim())
            .map_err(|problem| ToolError::new(format!("`content_base64` is not Base64: {problem}")))?;
        if content.len() > MAX_ATTACHMENT {
            return Err(ToolError::new(format!(
                "the file has {} bytes, more than the maximum of {MAX_ATTACHMENT}: name its path in the artifacts instead",
                content.len()
            )));
        }
        let attachment = desk.attach(card, &args.filename, &args.content_type, &content)?;
        let bytes = i64::try_from(content.len()).unwrap_or(i64::MAX);
        Ok(kanban_attach::Returns { task_id: card_name(card), attachment_id: attachment, bytes })
    }

    fn kanban_attach_url(
        &self,
        args: kanban_attach_url::Args,
        call: &Call<'_>,
    ) -> Result<kanban_attach_url::Returns, ToolError> {
        let desk = Desk::new(call, args.board)?;
        let card = desk.card(args.task_id.as_ref())?;
        let Fetched { content, content_type, name } = fetched(&self.client, &args.url)?;
        let filename = args.filename.unwrap_or(name);
        let content_type = args.content_type.unwrap_or(content_type);
        let attachment = desk.attach(card, &filename, &content_type, &content)?;
        let bytes = i64::try_from(content.len()).unwrap_or(i64::MAX);
        Ok(kanban_attach_url::Returns { task_id: card_name(card), attachment_id: attachment, filename, bytes })
    }

    fn kanban_attachments(
        &self,
        args: kanban_attachments::Args,
        call: &Call<'_>,
    ) -> Result<kanban_attachments::Returns, ToolError> {
        let desk = Desk::new(call, args.board)?;
        let card = desk.card(args.task_id.as_ref())?;
        let Some(attachment) = args.attachment_id else {
            let details = desk.boards.details(&desk.board, card).map_err(error)?;
            let attachments = details.attachments.into_iter().map(results::attachment).collect();
            return Ok(kanban_attachments::Returns { attachments, text: None, content_base64: None });
        };
        let (attachment, content) = desk.boards.attachment(&desk.board, card, attachment).map_err(error)?;
        let (text, content_base64) = match String::from_utf8(content) {
            Ok(text) => (Some(text), None),
            Err(bytes) => (None, Some(BASE64.encode(bytes.as_bytes()))),
        };
        let attachments = vec![results::attachment(attachment)];
        Ok(kanban_attachments::Returns { attachments, text, content_base64 })
    }
}

fn new_card(desk: &Desk, args: kanban_create::Args) -> Result<NewCard, ToolError> {
    let title = card_title(&args.title).map_err(|error| ToolError::new(error.to_string()))?;
    let title = desk.safe("title", title)?.to_owned();
    let body = desk.safe("body", args.body.as_deref().unwrap_or_default())?.to_owned();
    if args.reviewer.as_ref() == Some(&args.assignee) {
        return Err(ToolError::new(format!(
            "`{}` cannot review its own work: name another `reviewer`, or none",
            args.assignee
        )));
    }
    let initial_state = match (args.triage, args.initial_status) {
        (false, kanban_create::InitialStatus::Ready) => InitialState::Ready,
        (false, kanban_create::InitialStatus::Blocked) => InitialState::Blocked,
        (true, kanban_create::InitialStatus::Ready) => InitialState::Triage,
        (true, kanban_create::InitialStatus::Blocked) => {
            return Err(ToolError::new(
                "a task begins either in triage or blocked: give one of `triage` and `initial_status`",
            ));
        }
    };
    Ok(NewCard {
        title,
        body,
        workspace: workspace(desk, args.workspace_kind, args.workspace_path)?,
        assignee: name("assignee", args.assignee)?,
        reviewer: args.reviewer.map(|reviewer| name("reviewer", reviewer)).transpose()?,
        parents: ids(args.parents)?,
        tenant: args.tenant,
        priority: args.priority,
        idempotency_key: args.idempotency_key,
        max_runtime: args.max_runtime_seconds,
        max_turns: if args.goal_mode { args.goal_max_turns } else { 1 },
        skills: checked_skills(args.skills.as_deref().unwrap_or_default()).map_err(ToolError::new)?,
        initial_state,
    })
}

/// Returns where the worker of a card works. A folder has the path to which links lead now, so that everybody who accepts the card sees it.
fn workspace(desk: &Desk, kind: kanban_create::WorkspaceKind, path: Option<String>) -> Result<Workspace, ToolError> {
    use kanban_create::WorkspaceKind::{Dir, Scratch, Worktree};
    let resolved = |path: String| -> Result<String, ToolError> {
        let resolved = resolve(Path::new(&path)).map_err(|problem| {
            ToolError::new(format!("`workspace_path` must be {problem}, and `{}` is not", path.escape_debug()))
        })?;
        Ok(desk.safe("path of the folder", &resolved)?.to_owned())
    };
    match (kind, path) {
        (Scratch, None) => Ok(Workspace::Scratch),
        (Scratch, Some(_)) => {
            Err(ToolError::new("a scratch folder has no `workspace_path`: set `workspace_kind` to dir or worktree"))
        }
        (Dir | Worktree, None) => {
            Err(ToolError::new(format!("`workspace_kind` {} needs a `workspace_path`", kind.as_str())))
        }
        (Dir, Some(path)) => Ok(Workspace::Dir { path: resolved(path)? }),
        (Worktree, Some(path)) => Ok(Workspace::Worktree { path: resolved(path)? }),
    }
}

/// Returns the path of a folder without symbolic links. The folder need not exist yet, only one above it.
fn resolve(path: &Path) -> Result<String, &'static str> {
    if !path.is_absolute() {
        return Err("an absolute path");
    }
    let (mut existing, mut missing) = (path, Vec::new());
    let folder = loop {
        match existing.canonicalize() {
            Ok(folder) => break folder,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(_) => return Err("the path of a folder that this process can find"),
        }
        let name = existing.file_name().ok_or("a path without `..` after a folder that does not exist")?;
        missing.push(name);
        existing = existing.parent().unwrap_or(Path::new("/"));
    };
    let folder = missing.into_iter().rfold(folder, |folder, name| folder.join(name));
    folder.into_os_string().into_string().map_err(|_| "a path that leads to one in UTF-8")
}

/// Returns the title of a card, without blanks around it.
///
/// # Errors
/// Returns an error if it is not one line of text.
pub fn card_title(title: &str) -> Result<&str, InvalidTitle> {
    let title = title.trim();
    if title.is_empty() || title.contains(char::is_control) {
        return Err(InvalidTitle);
    }
    Ok(title)
}

/// The error of a title that is not one line of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidTitle;

impl fmt::Display for InvalidTitle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the title of a task must be one line of text")
    }
}

impl std::error::Error for InvalidTitle {}

/// Returns the reason to refuse a text that would manipulate the workers that read it, or `None` if the text is harmless. `name` describes
/// the text in the message.
pub fn card_text_problem(name: &str, text: &str) -> Option<String> {
    let problem = toolc_scan::problem(text)?;
    Some(format!(
        "the {name} is refused, because its readers would take it for an instruction of the user: {problem}. Nothing was changed. Say the \
         same in plain words"
    ))
}

/// Returns the name of a board or a worker. The runtime does not check the patterns of the manifests.
fn name(parameter: &str, name: String) -> Result<String, ToolError> {
    if is_board_name(&name) {
        return Ok(name);
    }
    Err(ToolError::new(format!(
        "`{parameter}` is not a valid name: expected at most 64 letters, digits, `-`, `_` and `.`, beginning with a letter or a digit"
    )))
}

/// Returns whether a text can be the name of a board or a worker: at most 64 letters, digits, `-`, `_` and `.`, the first a letter or a
/// digit.
pub fn is_board_name(name: &str) -> bool {
    let is_plain = |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'-' | b'_' | b'.');
    let has_valid_start = name.bytes().next().is_some_and(|letter| letter.is_ascii_alphanumeric());
    has_valid_start && name.len() <= 64 && name.bytes().all(is_plain)
}

/// Parses the name of a card: `t12` is the card 12.
fn id(name: &str) -> Result<i64, ToolError> {
    let id = name.strip_prefix('t').and_then(|digits| digits.parse().ok());
    id.ok_or_else(|| ToolError::new(format!("`{name}` is not a task: the name of a task is like `t12`")))
}

fn ids(names: Option<Vec<String>>) -> Result<Vec<i64>, ToolError> {
    names.unwrap_or_default().iter().map(|name| id(name)).collect()
}

fn error(error: BoardError) -> ToolError {
    match error {
        BoardError::Refused(message) => ToolError::with_kind(ErrorKind::Refused, message),
        BoardError::NotFound(message) => ToolError::with_kind(ErrorKind::NotFound, message),
        error => ToolError::new(error.to_string()),
    }
}
