//! Reads boards.

use std::time::SystemTime;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, params_from_iter};

use super::{Attachment, BoardError, Boards, Card, CardDetails, CardNote, CardStatus, rows};
use crate::time::{from_milliseconds, milliseconds};

/// The number of the latest notes that [`Boards::details`] returns.
const SHOWN_NOTES: i64 = 50;

/// A filter of the cards to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CardFilter<'a> {
    /// Only cards of this worker.
    pub assignee: Option<&'a str>,
    /// Only cards in this state.
    pub status: Option<CardStatus>,
    /// Only cards of this tenant.
    pub tenant: Option<&'a str>,
    /// Whether to list archived cards, too.
    pub include_archived: bool,
    /// The maximum number of cards.
    pub limit: usize,
}

impl Boards {
    /// Returns cards of a board, the most urgent first.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn list(&self, board: &str, filter: &CardFilter<'_>) -> Result<Vec<Card>, BoardError> {
        let mut sql = format!("SELECT {} FROM cards WHERE board = ?", rows::COLUMNS);
        let mut values = vec![Value::from(board.to_owned())];
        let mut add = |condition: &str, value: &str| {
            sql += condition;
            values.push(Value::from(value.to_owned()));
        };
        if let Some(assignee) = filter.assignee {
            add(" AND assignee = ?", assignee);
        }
        if let Some(tenant) = filter.tenant {
            add(" AND tenant = ?", tenant);
        }
        match filter.status {
            Some(status) => add(" AND status = ?", status.word()),
            None if !filter.include_archived => add(" AND status <> ?", CardStatus::Archived.word()),
            None => {}
        }
        sql += " ORDER BY priority DESC, id LIMIT ?";
        values.push(Value::from(i64::try_from(filter.limit).unwrap_or(i64::MAX)));
        let cards = self.read(|connection| {
            connection.prepare(&sql)?.query_map(params_from_iter(&values), rows::card)?.collect::<rusqlite::Result<_>>()
        })?;
        Ok(cards.unwrap_or_default())
    }

    /// Returns a card with its links, notes and attachments.
    ///
    /// # Errors
    /// Returns an error if the card is unknown, or the file cannot be read.
    pub fn details(&self, board: &str, id: i64) -> Result<CardDetails, BoardError> {
        let details = self.read(|connection| {
            let card = match rows::find(connection, board, id)? {
                Ok(card) => card,
                Err(error) => return Ok(Err(error)),
            };
            let sql = format!(
                "SELECT {} FROM cards JOIN card_links ON parent = id WHERE child = ?1 ORDER BY id",
                rows::COLUMNS
            );
            let parents = connection.prepare(&sql)?.query_map([id], rows::card)?.collect::<rusqlite::Result<_>>()?;
            let notes = "SELECT time, author, kind, text FROM (SELECT * FROM card_notes WHERE card = ?1 ORDER BY id DESC LIMIT ?2) ORDER BY id";
            let notes = connection.prepare(notes)?.query_map([id, SHOWN_NOTES], note)?.collect::<rusqlite::Result<_>>()?;
            let children = rows::children(connection, id)?;
            Ok(Ok(CardDetails { card, parents, children, notes, attachments: attachments(connection, id)? }))
        })?;
        details.unwrap_or_else(|| Err(rows::unknown(board, id)))
    }

    /// Returns the content of an attachment of a card.
    ///
    /// # Errors
    /// Returns an error if the card does not have the attachment, or the file cannot be read.
    pub fn attachment(&self, board: &str, card: i64, id: i64) -> Result<(Attachment, Vec<u8>), BoardError> {
        let attachment = self.read(|connection| {
            let sql = "SELECT a.id, a.name, a.content_type, length(a.content), a.author, a.content FROM card_attachments a \
                       JOIN cards c ON c.id = a.card WHERE c.board = ?1 AND c.id = ?2 AND a.id = ?3";
            let values = [Value::from(board.to_owned()), Value::from(card), Value::from(id)];
            let row = |row: &rusqlite::Row<'_>| Ok((self::attachment(row)?, row.get(5)?));
            connection.query_row(sql, params_from_iter(values), row).optional()
        })?;
        attachment.flatten().ok_or_else(|| BoardError::NotFound(format!("t{card} has no attachment {id}")))
    }

    /// Ends the claims that were not renewed, and calls `read`. Returns `None` if the file does not exist.
    fn read<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<Option<T>, BoardError> {
        let now = milliseconds(SystemTime::now());
        let sql = "SELECT EXISTS (SELECT 1 FROM cards WHERE claim IS NOT NULL AND claim_ends <= ?1)";
        let has_expired = self.database.read(|connection| connection.query_row(sql, [now], |row| row.get(0)))?;
        if has_expired == Some(true) {
            self.change(|_, _| Ok(Ok(())))?;
        }
        Ok(self.database.read(read)?)
    }
}

fn note(row: &rusqlite::Row<'_>) -> rusqlite::Result<CardNote> {
    Ok(CardNote { time: from_milliseconds(row.get(0)?), author: row.get(1)?, kind: row.get(2)?, text: row.get(3)? })
}

fn attachments(connection: &Connection, card: i64) -> rusqlite::Result<Vec<Attachment>> {
    let sql =
        "SELECT id, name, content_type, length(content), author FROM card_attachments WHERE card = ?1 ORDER BY id";
    connection.prepare(sql)?.query_map([card], attachment)?.collect()
}

fn attachment(row: &rusqlite::Row<'_>) -> rusqlite::Result<Attachment> {
    Ok(Attachment {
        id: row.get(0)?,
        name: row.get(1)?,
        content_type: row.get(2)?,
        size: u64::try_from(row.get::<_, i64>(3)?).unwrap_or_default(),
        author: row.get(4)?,
    })
}
