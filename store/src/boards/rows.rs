//! Rows of the tables, and functions that several changes use.

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{BlockKind, BoardError, Card, CardStatus, Checked, MAX_NOTES, refused};
use crate::time::from_milliseconds;

/// The columns of a card, in the order of [`card`].
pub(super) const COLUMNS: &str = "id, board, title, body, assignee, reviewer, tenant, priority, workspace, max_runtime, max_turns, \
     author, status, block_kind, block_reason, attempts, worker, claim, claim_ends, outcome, created, updated, skills";

/// Reads a card.
pub(super) fn card(row: &Row<'_>) -> rusqlite::Result<Card> {
    let block_kind: Option<String> = row.get(13)?;
    let block = match block_kind.as_deref().and_then(BlockKind::from_word) {
        Some(kind) => Some((kind, row.get::<_, Option<String>>(14)?.unwrap_or_default())),
        None => None,
    };
    let worker = match row.get::<_, Option<String>>(16)? {
        Some(worker) => Some((worker, from_milliseconds(row.get(18)?))),
        None => None,
    };
    let outcome: Option<String> = row.get(19)?;
    Ok(Card {
        id: row.get(0)?,
        board: row.get(1)?,
        title: row.get(2)?,
        body: row.get(3)?,
        assignee: row.get(4)?,
        reviewer: row.get(5)?,
        tenant: row.get(6)?,
        priority: row.get(7)?,
        workspace: parsed(8, &row.get::<_, String>(8)?)?,
        max_runtime: row.get(9)?,
        max_turns: row.get(10)?,
        author: row.get(11)?,
        status: status(12, &row.get::<_, String>(12)?)?,
        block,
        attempts: row.get(15)?,
        worker,
        claim: row.get(17)?,
        outcome: outcome.map(|outcome| parsed(19, &outcome)).transpose()?,
        created: from_milliseconds(row.get(20)?),
        updated: from_milliseconds(row.get(21)?),
        skills: parsed(22, &row.get::<_, String>(22)?)?,
    })
}

fn status(column: usize, word: &str) -> rusqlite::Result<CardStatus> {
    CardStatus::from_word(word).ok_or_else(|| wrong(column, format!("unknown status `{word}`")))
}

/// Returns a value as JSON.
pub(super) fn json(value: &impl Serialize) -> String {
    // Only maps with keys that are not strings cannot be written.
    serde_json::to_string(value).unwrap_or_default()
}

fn parsed<T: DeserializeOwned>(column: usize, text: &str) -> rusqlite::Result<T> {
    serde_json::from_str(text).map_err(|error| wrong(column, error))
}

fn wrong(column: usize, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, error.into())
}

/// Returns the error about a card that does not exist.
pub(super) fn unknown(board: &str, id: i64) -> BoardError {
    BoardError::NotFound(format!("unknown task t{id} on the board `{board}`"))
}

/// Returns a card of a board, or the error about an unknown card.
pub(super) fn find(connection: &Connection, board: &str, id: i64) -> rusqlite::Result<Checked<Card>> {
    let sql = format!("SELECT {COLUMNS} FROM cards WHERE id = ?1 AND board = ?2");
    let found = connection.query_row(&sql, params![id, board], card).optional()?;
    Ok(found.ok_or_else(|| unknown(board, id)))
}

/// Returns the card with an idempotency key.
pub(super) fn by_key(connection: &Connection, board: &str, key: &str) -> rusqlite::Result<Option<i64>> {
    let sql = "SELECT id FROM cards WHERE board = ?1 AND idempotency_key = ?2 AND status <> 'archived'";
    connection.query_row(sql, [board, key], |row| row.get(0)).optional()
}

/// Returns the number of cards that are not archived.
pub(super) fn count(connection: &Connection, board: &str) -> rusqlite::Result<i64> {
    let sql = "SELECT count(*) FROM cards WHERE board = ?1 AND status <> 'archived'";
    connection.query_row(sql, [board], |row| row.get(0))
}

/// Adds a note.
pub(super) fn note(
    connection: &Connection,
    card: i64,
    now: i64,
    author: &str,
    kind: &str,
    text: &str,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO card_notes (card, time, author, kind, text) VALUES (?1, ?2, ?3, ?4, ?5)";
    connection.execute(sql, params![card, now, author, kind, text])?;
    connection.execute("UPDATE cards SET updated = ?2 WHERE id = ?1", [card, now]).map(drop)
}

/// Checks that a card can have another comment. The history has no such limit, because each of its entries changes the card.
pub(super) fn has_room_for_notes(connection: &Connection, card: i64) -> rusqlite::Result<Checked<()>> {
    let sql = "SELECT count(*) FROM card_notes WHERE card = ?1";
    let notes: i64 = connection.query_row(sql, [card], |row| row.get(0))?;
    Ok(if notes < MAX_NOTES { Ok(()) } else { refused(format!("t{card} has {MAX_NOTES} notes, the maximum")) })
}

/// Returns the parents of a card that are not done.
pub(super) fn open_parents(connection: &Connection, card: i64) -> rusqlite::Result<Vec<i64>> {
    let sql = "SELECT id FROM cards JOIN card_links ON parent = id WHERE child = ?1 AND status NOT IN ('done', 'archived') ORDER BY id";
    connection.prepare(sql)?.query_map([card], |row| row.get(0))?.collect()
}

/// Sets the state of a card to `Todo` or `Ready`, depending on the states of its parents.
pub(super) fn update_waiting(connection: &Connection, card: i64, now: i64) -> rusqlite::Result<()> {
    let status = if open_parents(connection, card)?.is_empty() { CardStatus::Ready } else { CardStatus::Todo };
    let sql =
        "UPDATE cards SET status = ?2, updated = ?3 WHERE id = ?1 AND status IN ('todo', 'ready') AND status <> ?2";
    connection.execute(sql, params![card, status.word(), now]).map(drop)
}

/// Returns the cards that wait for a card.
pub(super) fn children(connection: &Connection, card: i64) -> rusqlite::Result<Vec<i64>> {
    let sql = "SELECT child FROM card_links WHERE parent = ?1 ORDER BY child";
    connection.prepare(sql)?.query_map([card], |row| row.get(0))?.collect()
}

/// Returns whether `before` must be done before `after`.
pub(super) fn is_before(connection: &Connection, before: i64, after: i64) -> rusqlite::Result<bool> {
    let sql = "WITH RECURSIVE later (id) AS (SELECT ?1 UNION SELECT child FROM card_links JOIN later ON parent = id) \
               SELECT EXISTS (SELECT 1 FROM later WHERE id = ?2 AND id <> ?1)";
    connection.query_row(sql, [before, after], |row| row.get(0))
}
