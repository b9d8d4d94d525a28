//! The records of calls: what ran, why, and how it ended.

use std::time::SystemTime;

use rusqlite::{Connection, Row, params};

use super::read::{MESSAGE, message};
use super::{Sessions, StoredMessage, id};
use crate::error::StoreError;
use crate::time::{from_milliseconds, milliseconds};

/// The maximum number of calls that one query returns.
const MAX_FOUND: usize = 200;

/// The record of a call, to add to a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewCall<'a> {
    /// The id of the call in the model's API. For a call inside another one, a name made from both.
    pub call: &'a str,
    /// The id of the call that it is inside of.
    pub inside: Option<&'a str>,
    /// The own name of the tool.
    pub tool: &'a str,
    /// When it began.
    pub began: SystemTime,
    /// Everything else, as a JSON value.
    pub details: &'a str,
}

/// The record of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallRecord {
    /// The name of the conversation.
    pub session: String,
    /// The id of the call in the model's API. For a call inside another one, a name made from both.
    pub call: String,
    /// The id of the call that it is inside of.
    pub inside: Option<String>,
    /// The own name of the tool.
    pub tool: String,
    /// When it began.
    pub began: SystemTime,
    /// Everything else, as a JSON value.
    pub details: String,
}

/// The id of a call in a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallName {
    /// The name of the conversation.
    pub session: String,
    /// The id of the call.
    pub call: String,
    /// The name of the tool. For a call without a record, it is the name that the model wrote.
    pub tool: String,
    /// When the call began, or when the model made it.
    pub time: SystemTime,
}

impl Sessions {
    /// Adds records of calls to a conversation, apart from a [message](super::NewMessage::calls).
    ///
    /// # Errors
    /// Returns an error if the file cannot be changed, or the conversation does not exist.
    pub fn add_calls(&self, session: &str, calls: &[NewCall<'_>]) -> Result<(), StoreError> {
        self.database.write(|connection| {
            let session = id(connection, session)?;
            insert(connection, session, calls)
        })
    }

    /// Returns the calls whose ids begin with `call`, the latest first: of all conversations, or of one. A complete id finds only calls
    /// with that id. Calls of earlier versions, which have no record, are found in the messages. At most 200 are returned.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn find_calls(&self, call: &str, session: Option<&str>) -> Result<Vec<CallName>, StoreError> {
        // Each call once, whether it has a record, a message or both.
        let sql = format!(
            "WITH found AS ( \
                 SELECT s.name AS session, c.call AS call, c.tool AS tool, c.began AS time \
                 FROM calls AS c JOIN sessions AS s ON s.id = c.session \
                 WHERE substr(c.call, 1, length(?1)) = ?1 AND (?2 IS NULL OR s.name = ?2) \
                 UNION ALL \
                 SELECT s.name, j.value ->> 'id', j.value ->> 'name', m.time \
                 FROM messages AS m JOIN sessions AS s ON s.id = m.session, json_each({DETAILS}) AS j \
                 WHERE m.kind = 'model' AND substr(j.value ->> 'id', 1, length(?1)) = ?1 AND (?2 IS NULL OR s.name = ?2) \
             ) SELECT session, call, min(tool), max(time) FROM found GROUP BY session, call \
             ORDER BY call = ?1 DESC, max(time) DESC, call LIMIT {MAX_FOUND}"
        );
        let name = |row: &Row<'_>| {
            let (session, call, tool) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(CallName { session, call, tool, time: from_milliseconds(row.get(3)?) })
        };
        let found = self.database.read(|connection| {
            connection.prepare(&sql)?.query_map(params![call, session], name)?.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        let mut found = found.unwrap_or_default();
        if found.first().is_some_and(|first| first.call == call) {
            found.retain(|found| found.call == call);
        }
        Ok(found)
    }

    /// Returns the records of the calls of a conversation with this id, in the order in which they ended.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn calls(&self, session: &str, call: &str) -> Result<Vec<CallRecord>, StoreError> {
        self.records(session, "c.call = ?2", call)
    }

    /// Returns the records of the calls inside a call, in the order in which they ended.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn calls_inside(&self, session: &str, call: &str) -> Result<Vec<CallRecord>, StoreError> {
        self.records(session, "c.inside = ?2", call)
    }

    fn records(&self, session: &str, condition: &str, call: &str) -> Result<Vec<CallRecord>, StoreError> {
        let sql = format!(
            "SELECT s.name, c.call, c.inside, c.tool, c.began, c.details \
             FROM calls AS c JOIN sessions AS s ON s.id = c.session WHERE s.name = ?1 AND {condition} ORDER BY c.id"
        );
        let rows = self.database.read(|connection| {
            connection.prepare(&sql)?.query_map([session, call], record)?.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        Ok(rows.unwrap_or_default())
    }

    /// Returns the messages of a conversation with this call or with its results, in their order.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn messages_of_call(&self, session: &str, call: &str) -> Result<Vec<StoredMessage>, StoreError> {
        let sql = format!(
            "SELECT {MESSAGE} FROM messages AS m JOIN sessions AS s ON s.id = m.session \
             WHERE s.name = ?1 AND m.kind IN ('model', 'results') \
             AND EXISTS (SELECT 1 FROM json_each({DETAILS}) AS j WHERE j.value ->> 'id' = ?2) ORDER BY m.id"
        );
        let rows = self.database.read(|connection| {
            connection.prepare(&sql)?.query_map([session, call], message)?.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        Ok(rows.unwrap_or_default())
    }
}

/// The calls or results of a message as an array, even if the message has none or is damaged.
const DETAILS: &str = "CASE WHEN m.kind IN ('model', 'results') AND json_valid(m.details) THEN m.details ELSE '[]' END";

/// Adds the records of calls.
pub(super) fn insert(connection: &Connection, session: i64, calls: &[NewCall<'_>]) -> rusqlite::Result<()> {
    let sql = "INSERT INTO calls (session, call, inside, tool, began, details) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let mut statement = connection.prepare(sql)?;
    for NewCall { call, inside, tool, began, details } in calls {
        statement.execute(params![session, call, inside, tool, milliseconds(*began), details])?;
    }
    Ok(())
}

/// Copies the records of a conversation.
pub(super) fn copy(connection: &Connection, old: i64, new: i64) -> rusqlite::Result<()> {
    let sql = "INSERT INTO calls (session, call, inside, tool, began, details) \
               SELECT ?2, call, inside, tool, began, details FROM calls WHERE session = ?1 ORDER BY id";
    connection.execute(sql, [old, new]).map(drop)
}

fn record(row: &Row<'_>) -> rusqlite::Result<CallRecord> {
    Ok(CallRecord {
        session: row.get(0)?,
        call: row.get(1)?,
        inside: row.get(2)?,
        tool: row.get(3)?,
        began: from_milliseconds(row.get(4)?),
        details: row.get(5)?,
    })
}
