//! The store of conversations: sessions, their messages, and an index of their text.
//!
//! A message is written in one transaction when it is complete, so a process that is killed loses at most the message that it was
//! about to write.

mod calls;
mod read;
mod search;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::SystemTime;

use rusqlite::{Connection, params};

use crate::database::Database;
use crate::error::{Cause, StoreError};
use crate::time::milliseconds;

pub use calls::{CallName, CallRecord, NewCall};
pub use search::{Order, Search, SearchHit};

/// The conversations in a [`Database`].
#[derive(Debug, Clone)]
pub struct Sessions {
    database: Arc<Database>,
}

/// A conversation to add.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewSession<'a> {
    /// The name, which is unique.
    pub name: &'a str,
    /// The command that started it: `chat`, `agent`, `batch`, `cron`.
    pub source: &'a str,
    /// The working directory.
    pub directory: &'a str,
    /// The model API with which it begins. Each message has [its own](StoredMessage::api).
    pub api: &'a str,
    /// The name of the model.
    pub model: &'a str,
    /// A title, such as the beginning of the first message.
    pub title: &'a str,
}

/// A conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionInfo {
    /// The name.
    pub name: String,
    /// When it began.
    pub started: SystemTime,
    /// When the last message was added.
    pub updated: SystemTime,
    /// The command that started it.
    pub source: String,
    /// The working directory.
    pub directory: String,
    /// The model API with which it begins. Each message has [its own](StoredMessage::api).
    pub api: String,
    /// The name of the model.
    pub model: String,
    /// The title.
    pub title: String,
    /// The number of messages.
    pub messages: u64,
    /// The tokens of all requests together.
    pub tokens: TokenCounts,
}

/// Numbers of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenCounts {
    /// The tokens of requests, including cached tokens.
    pub input: u64,
    /// The tokens of requests that the vendor had in its cache.
    pub cached: u64,
    /// The tokens of responses.
    pub output: u64,
}

/// The kinds of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MessageKind {
    /// A text that the user has written, or the host on the user's behalf.
    User,
    /// A response of the model.
    Model,
    /// The results of the calls in the response before it.
    Results,
    /// A summary that replaces the messages before [`keeps_from`](NewMessage::keeps_from).
    Summary,
}

impl MessageKind {
    const ALL: [Self; 4] = [Self::User, Self::Model, Self::Results, Self::Summary];

    /// Returns the word for the kind: `user`, `model`, `results` or `summary`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Model => "model",
            Self::Results => "results",
            Self::Summary => "summary",
        }
    }

    /// Returns the kind with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// A message to add.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewMessage<'a> {
    /// The kind.
    pub kind: MessageKind,
    /// The text for people, which is also searched.
    pub text: &'a str,
    /// The messages of the API, as a JSON array.
    pub raw: &'a str,
    /// The model API in whose format `raw` is. `None` for messages without `raw`.
    pub api: Option<&'a str>,
    /// Calls or results, as a JSON value.
    pub details: &'a str,
    /// For a summary: the id of the first message that it does not replace.
    pub keeps_from: Option<i64>,
    /// The tokens of the request that this message answers.
    pub tokens: Option<TokenCounts>,
    /// The message that must be the last one of the conversation. `None` adds the message after any other.
    pub after: Option<i64>,
    /// The records of calls that have ended since the message before, which are added in the same transaction.
    pub calls: &'a [NewCall<'a>],
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredMessage {
    /// The id, which is unique among the messages of all sessions. Later messages have larger ids.
    pub id: i64,
    /// The name of its session.
    pub session: String,
    /// The kind.
    pub kind: MessageKind,
    /// When it was added.
    pub time: SystemTime,
    /// The text for people.
    pub text: String,
    /// The messages of the API, as a JSON array.
    pub raw: String,
    /// The model API in whose format `raw` is. `None` for messages without `raw`, and for those of earlier versions.
    pub api: Option<String>,
    /// Calls or results, as a JSON value.
    pub details: String,
    /// For a summary: the id of the first message that it does not replace.
    pub keeps_from: Option<i64>,
    /// The tokens of the request that this message answers.
    pub tokens: Option<TokenCounts>,
}

impl Sessions {
    /// Returns the conversations in a database.
    pub fn new(database: Arc<Database>) -> Self {
        Self { database }
    }

    /// Adds a conversation.
    ///
    /// # Errors
    /// Returns an error if the file cannot be changed, or another conversation has the name.
    pub fn start(&self, session: &NewSession<'_>) -> Result<(), StoreError> {
        let NewSession { name, source, directory, api, model, title } = *session;
        let sql = "INSERT INTO sessions (name, started, source, directory, api, model, title) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let row = params![name, milliseconds(SystemTime::now()), source, directory, api, model, title];
        self.database.write(|connection| connection.execute(sql, row).map(drop))
    }

    /// Adds a message to a conversation, and returns its id.
    ///
    /// # Errors
    /// Returns an error if the file cannot be changed, the conversation does not exist, or its last message is not
    /// [`after`](NewMessage::after): another program has written to it.
    pub fn append(&self, session: &str, message: &NewMessage<'_>) -> Result<i64, StoreError> {
        let id = self.database.write(|connection| insert(connection, session, message))?;
        id.ok_or_else(|| StoreError::new(self.database.path(), Cause::OtherWriter { session: session.to_owned() }))
    }

    /// Copies a conversation and its state under a new name.
    ///
    /// # Errors
    /// Returns an error if the file cannot be changed, the conversation does not exist, or another one has the new name.
    pub fn copy(&self, session: &str, name: &str) -> Result<(), StoreError> {
        self.database.write(|connection| copy(connection, session, name))
    }

    /// Sets the state of a conversation, a JSON value, which its agent needs in addition to the messages to continue. If the conversation does
    /// not exist, the call has no effect.
    ///
    /// # Errors
    /// Returns an error if the file cannot be changed.
    pub fn set_state(&self, session: &str, state: &str) -> Result<(), StoreError> {
        let sql = "UPDATE sessions SET state = ?2 WHERE name = ?1";
        self.database.write(|connection| connection.execute(sql, [session, state]).map(drop))
    }

    /// Removes a conversation. Returns whether it existed.
    ///
    /// # Errors
    /// Returns an error if the file cannot be changed.
    pub fn remove(&self, session: &str) -> Result<bool, StoreError> {
        // Do not create a file only to remove something from it.
        if self.database.read(|_| Ok(()))?.is_none() {
            return Ok(false);
        }
        self.database.write(|connection| Ok(connection.execute("DELETE FROM sessions WHERE name = ?1", [session])? > 0))
    }
}

/// Adds a message, and returns its id. Returns `None` if another message than `after` is the last one.
fn insert(connection: &Connection, session: &str, message: &NewMessage<'_>) -> rusqlite::Result<Option<i64>> {
    let NewMessage { kind, text, raw, api, details, keeps_from, tokens, after, calls } = *message;
    let id = id(connection, session)?;
    if after.is_some() {
        let last = "SELECT max(id) FROM messages WHERE session = ?1";
        let last: Option<i64> = connection.prepare(last)?.query_row([id], |row| row.get(0))?;
        if last != after {
            return Ok(None);
        }
    }
    let sql = "INSERT INTO messages (session, kind, time, text, raw, details, keeps_from, input_tokens, cached_tokens, \
               output_tokens, api) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    let count = |count: fn(TokenCounts) -> u64| tokens.map(|tokens| count(tokens).cast_signed());
    let [input, cached, output] =
        [count(|tokens| tokens.input), count(|tokens| tokens.cached), count(|tokens| tokens.output)];
    let now = milliseconds(SystemTime::now());
    connection.prepare(sql)?.execute(params![
        id,
        kind.word(),
        now,
        text,
        raw,
        details,
        keeps_from,
        input,
        cached,
        output,
        api
    ])?;
    let message = connection.last_insert_rowid();
    calls::insert(connection, id, calls)?;
    Ok(Some(message))
}

fn copy(connection: &Connection, session: &str, name: &str) -> rusqlite::Result<()> {
    let old = id(connection, session)?;
    connection.execute(
        "INSERT INTO sessions (name, started, source, directory, api, model, title, state) \
         SELECT ?2, ?3, source, directory, api, model, title, state FROM sessions WHERE id = ?1",
        params![old, name, milliseconds(SystemTime::now())],
    )?;
    let new = connection.last_insert_rowid();
    let ids = |session: i64| -> rusqlite::Result<Vec<i64>> {
        let mut statement = connection.prepare("SELECT id FROM messages WHERE session = ?1 ORDER BY id")?;
        statement.query_map([session], |row| row.get(0))?.collect()
    };
    connection.execute(
        "INSERT INTO messages (session, kind, time, text, raw, details, keeps_from, input_tokens, cached_tokens, output_tokens, api) \
         SELECT ?2, kind, time, text, raw, details, keeps_from, input_tokens, cached_tokens, output_tokens, api \
         FROM messages WHERE session = ?1 ORDER BY id",
        [old, new],
    )?;
    calls::copy(connection, old, new)?;
    // Summaries refer to other messages by their ids.
    let (old_ids, new_ids) = (ids(old)?, ids(new)?);
    let sql = "SELECT id, keeps_from FROM messages WHERE session = ?1 AND keeps_from IS NOT NULL";
    let summaries: Vec<(i64, i64)> = connection
        .prepare(sql)?
        .query_map([new], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (summary, keeps_from) in summaries {
        let first = old_ids.partition_point(|id| *id < keeps_from);
        let keeps_from = new_ids.get(first).copied().unwrap_or(i64::MAX);
        connection.execute("UPDATE messages SET keeps_from = ?2 WHERE id = ?1", [summary, keeps_from])?;
    }
    Ok(())
}

/// Returns the id of a conversation.
fn id(connection: &Connection, session: &str) -> rusqlite::Result<i64> {
    connection.prepare("SELECT id FROM sessions WHERE name = ?1")?.query_row([session], |row| row.get(0))
}
