//! Reading conversations.

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{MessageKind, SessionInfo, Sessions, StoredMessage, TokenCounts};
use crate::error::StoreError;
use crate::time::from_milliseconds;

/// The columns of a [`SessionInfo`], of `sessions AS s`.
const SESSION: &str = "s.name, s.started, s.source, s.directory, s.api, s.model, s.title, \
    count(m.id), coalesce(max(m.time), s.started), \
    coalesce(sum(m.input_tokens), 0), coalesce(sum(m.cached_tokens), 0), coalesce(sum(m.output_tokens), 0)";

/// The columns of a [`StoredMessage`], of `messages AS m` and `sessions AS s`.
pub(super) const MESSAGE: &str = "m.id, s.name, m.kind, m.time, m.text, m.raw, m.details, m.keeps_from, \
    m.input_tokens, m.cached_tokens, m.output_tokens, m.api";

impl Sessions {
    /// Returns the last [state](Self::set_state) of a conversation, or `None` if it has none.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn state(&self, session: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT state FROM sessions WHERE name = ?1";
        let rows =
            self.database.read(|connection| connection.query_row(sql, [session], |row| row.get(0)).optional())?;
        Ok(rows.flatten().flatten())
    }

    /// Returns the latest conversations, the latest first.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn list(&self, limit: usize) -> Result<Vec<SessionInfo>, StoreError> {
        // The inner query needs only an index, and the outer query reads the messages of only few sessions.
        let sql = format!(
            "SELECT {SESSION} FROM sessions AS s LEFT JOIN messages AS m ON m.session = s.id WHERE s.id IN ( \
                 SELECT o.id FROM sessions AS o ORDER BY coalesce( \
                     (SELECT l.time FROM messages AS l WHERE l.session = o.id ORDER BY l.id DESC LIMIT 1), o.started \
                 ) DESC, o.id DESC LIMIT ?1 \
             ) GROUP BY s.id ORDER BY 9 DESC, s.id DESC"
        );
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = self.database.read(|connection| {
            connection.prepare(&sql)?.query_map([limit], session)?.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        Ok(rows.unwrap_or_default())
    }

    /// Returns the conversations whose names begin with `name`. A complete name finds only that conversation.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn find(&self, name: &str) -> Result<Vec<SessionInfo>, StoreError> {
        let sql = format!(
            "SELECT {SESSION} FROM sessions AS s LEFT JOIN messages AS m ON m.session = s.id \
             WHERE substr(s.name, 1, length(?1)) = ?1 GROUP BY s.id ORDER BY s.id"
        );
        let rows = self.database.read(|connection| {
            connection.prepare(&sql)?.query_map([name], session)?.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        Ok(rows.unwrap_or_default())
    }

    /// Returns the last messages of a conversation, the oldest first.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn last_messages(&self, session: &str, count: usize) -> Result<Vec<StoredMessage>, StoreError> {
        let sql = format!(
            "SELECT {MESSAGE} FROM messages AS m JOIN sessions AS s ON s.id = m.session WHERE s.name = ?1 \
             ORDER BY m.id DESC LIMIT ?2"
        );
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let rows = self.database.read(|connection| {
            connection.prepare(&sql)?.query_map(params![session, count], message)?.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        let mut messages = rows.unwrap_or_default();
        messages.reverse();
        Ok(messages)
    }

    /// Returns the messages of a conversation, the oldest first. The list is empty if the conversation does not exist.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn messages(&self, session: &str) -> Result<Vec<StoredMessage>, StoreError> {
        let mut messages = Vec::new();
        self.each_message(session, |message| messages.push(message))?;
        Ok(messages)
    }

    /// Calls `each` with the messages of a conversation, the oldest first, without holding all of them in memory.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn each_message(&self, session: &str, mut each: impl FnMut(StoredMessage)) -> Result<(), StoreError> {
        let sql = format!(
            "SELECT {MESSAGE} FROM messages AS m JOIN sessions AS s ON s.id = m.session WHERE s.name = ?1 ORDER BY m.id"
        );
        self.database.read(|connection| {
            let mut statement = connection.prepare(&sql)?;
            let mut rows = statement.query([session])?;
            while let Some(row) = rows.next()? {
                each(message(row)?);
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Returns a message, with up to `window` messages of its conversation before it and after it. The list is empty if the
    /// message does not exist.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn around(&self, message: i64, window: usize) -> Result<Vec<StoredMessage>, StoreError> {
        let window = i64::try_from(window).unwrap_or(i64::MAX);
        let rows = self.database.read(|connection| around(connection, message, window))?;
        Ok(rows.unwrap_or_default())
    }
}

fn around(connection: &Connection, id: i64, window: i64) -> rusqlite::Result<Vec<StoredMessage>> {
    let sql = "SELECT session FROM messages WHERE id = ?1";
    let Some(session) = connection.query_row(sql, [id], |row| row.get::<_, i64>(0)).optional()? else {
        return Ok(Vec::new());
    };
    let part = |condition: &str, order: &str, limit: i64| -> rusqlite::Result<Vec<StoredMessage>> {
        let sql = format!(
            "SELECT {MESSAGE} FROM messages AS m JOIN sessions AS s ON s.id = m.session \
             WHERE m.session = ?1 AND m.id {condition} ?2 ORDER BY m.id {order} LIMIT ?3"
        );
        connection.prepare(&sql)?.query_map(params![session, id, limit], message)?.collect()
    };
    let mut messages = part("<=", "DESC", window.saturating_add(1))?;
    messages.reverse();
    messages.extend(part(">", "ASC", window)?);
    Ok(messages)
}

fn session(row: &Row<'_>) -> rusqlite::Result<SessionInfo> {
    let count = |column| row.get::<_, i64>(column).map(i64::cast_unsigned);
    Ok(SessionInfo {
        name: row.get(0)?,
        started: from_milliseconds(row.get(1)?),
        source: row.get(2)?,
        directory: row.get(3)?,
        api: row.get(4)?,
        model: row.get(5)?,
        title: row.get(6)?,
        messages: count(7)?,
        updated: from_milliseconds(row.get(8)?),
        tokens: TokenCounts { input: count(9)?, cached: count(10)?, output: count(11)? },
    })
}

pub(super) fn message(row: &Row<'_>) -> rusqlite::Result<StoredMessage> {
    let kind: String = row.get(2)?;
    let count = |column| row.get::<_, Option<i64>>(column).map(|count| count.map(i64::cast_unsigned));
    let (input, cached, output) = (count(8)?, count(9)?, count(10)?);
    Ok(StoredMessage {
        id: row.get(0)?,
        session: row.get(1)?,
        kind: MessageKind::from_word(&kind).ok_or(rusqlite::Error::InvalidQuery)?,
        time: from_milliseconds(row.get(3)?),
        text: row.get(4)?,
        raw: row.get(5)?,
        details: row.get(6)?,
        keeps_from: row.get(7)?,
        api: row.get(11)?,
        tokens: input.zip(output).map(|(input, output)| TokenCounts {
            input,
            cached: cached.unwrap_or_default(),
            output,
        }),
    })
}
