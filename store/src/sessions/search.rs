//! Searches the text of all conversations.

use std::time::SystemTime;

use rusqlite::types::Value;
use rusqlite::{Connection, params, params_from_iter};

use super::read::{MESSAGE, message};
use super::{MessageKind, Sessions, StoredMessage};
use crate::error::StoreError;
use crate::time::milliseconds;

/// The maximum number of words of a query. Further words are ignored.
const MAX_WORDS: usize = 32;

/// A message that a search has found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchHit {
    /// The message.
    pub message: StoredMessage,
    /// The matching part of the text, with `**` around the words.
    pub excerpt: String,
}

/// The order of the found messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The best match first.
    #[default]
    Best,
    /// The latest message first.
    Newest,
    /// The earliest message first.
    Oldest,
}

/// A search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Search<'s> {
    /// The words. Words in quotes must follow each other.
    pub query: &'s str,
    /// The order of the found messages.
    pub order: Order,
    /// The maximum number of messages.
    pub limit: usize,
    /// The name of the conversation to search, or `None` for all conversations.
    pub session: Option<&'s str>,
    /// The name of a conversation to exclude.
    pub except: Option<&'s str>,
    /// The kinds of messages to search. An empty list means all kinds.
    pub kinds: &'s [MessageKind],
    /// Excludes messages that were added before this time.
    pub after: Option<SystemTime>,
    /// Excludes messages that were added at this time or later.
    pub before: Option<SystemTime>,
}

impl Sessions {
    /// Returns the messages whose text contains all words of a query, in any form of their letters: `Élan` finds `elan`. A query
    /// without words finds nothing.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn search(&self, search: &Search<'_>) -> Result<Vec<SearchHit>, StoreError> {
        let Some(query) = expression(search.query) else { return Ok(Vec::new()) };
        let hits = self.database.read(|connection| {
            let ids = search.ids(connection, &query)?;
            // An excerpt costs more than the search, so make excerpts only for the returned messages.
            let mut statement = connection.prepare(&format!(
                "SELECT {MESSAGE}, snippet(messages_index, 0, '**', '**', '…', 24) FROM messages_index \
                 JOIN messages AS m ON m.id = messages_index.rowid JOIN sessions AS s ON s.id = m.session \
                 WHERE messages_index MATCH ?1 AND messages_index.rowid = ?2"
            ))?;
            let mut hit = |id: &i64| {
                statement.query_row(params![query, id], |row| {
                    Ok(SearchHit { message: message(row)?, excerpt: row.get(12)? })
                })
            };
            ids.iter().map(&mut hit).collect::<rusqlite::Result<Vec<_>>>()
        })?;
        Ok(hits.unwrap_or_default())
    }
}

impl Search<'_> {
    /// Returns the ids of the found messages, in order.
    fn ids(&self, connection: &Connection, query: &str) -> rusqlite::Result<Vec<i64>> {
        let (mut conditions, mut values) = (String::new(), vec![Value::from(query.to_owned())]);
        let mut add = |condition: &str, value: Value| {
            values.push(value);
            conditions += &format!(" AND {}", condition.replace('?', &format!("?{}", values.len())));
        };
        if let Some(name) = self.session {
            add("m.session = (SELECT id FROM sessions WHERE name = ?)", name.to_owned().into());
        }
        if let Some(name) = self.except {
            add("m.session IS NOT (SELECT id FROM sessions WHERE name = ?)", name.to_owned().into());
        }
        if let Some(time) = self.after {
            add("m.time >= ?", milliseconds(time).into());
        }
        if let Some(time) = self.before {
            add("m.time < ?", milliseconds(time).into());
        }
        if !self.kinds.is_empty() {
            // The words come from an enum.
            let kinds: Vec<String> = self.kinds.iter().map(|kind| format!("'{}'", kind.word())).collect();
            conditions += &format!(" AND m.kind IN ({})", kinds.join(", "));
        }
        values.push(i64::try_from(self.limit).unwrap_or(i64::MAX).into());
        let order = match self.order {
            // Ties are in the order of the index: a second key would make SQLite sort all matching messages.
            Order::Best => "rank",
            Order::Newest => "messages_index.rowid DESC",
            Order::Oldest => "messages_index.rowid",
        };
        // The index can sort the results only without a join.
        let join = if conditions.is_empty() { "" } else { "CROSS JOIN messages AS m ON m.id = messages_index.rowid" };
        let sql = format!(
            "SELECT messages_index.rowid FROM messages_index {join} WHERE messages_index MATCH ?1{conditions} \
             ORDER BY {order} LIMIT ?{}",
            values.len()
        );
        connection.prepare(&sql)?.query_map(params_from_iter(values), |row| row.get(0))?.collect()
    }
}

/// Returns the words and phrases of a query as an FTS5 expression without operators.
fn expression(query: &str) -> Option<String> {
    let mut terms = Vec::new();
    for (index, part) in query.split('"').enumerate() {
        let words = part.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        let is_phrase = index % 2 == 1;
        if is_phrase {
            let words: Vec<&str> = words.collect();
            terms.extend((!words.is_empty()).then(|| format!("\"{}\"", words.join(" "))));
        } else {
            terms.extend(words.map(|word| format!("\"{word}\"")));
        }
    }
    terms.truncate(MAX_WORDS);
    (!terms.is_empty()).then(|| terms.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_part_of_a_query_is_an_operator() {
        for (query, expected) in [
            ("disk full", Some(r#""disk" "full""#)),
            ("a OR b*", Some(r#""a" "OR" "b""#)),
            (r#"x "no space left" y"#, Some(r#""x" "no space left" "y""#)),
            (r#""open"#, Some(r#""open""#)),
            ("text:x - (y", Some(r#""text" "x" "y""#)),
            (" \"\" -* ", None),
        ] {
            assert_eq!(expression(query).as_deref(), expected, "{query}");
        }
        assert_eq!(expression(&"word ".repeat(1000)).map(|text| text.matches("word").count()), Some(MAX_WORDS));
    }
}
