//! Search in the text of all conversations.

use rusqlite::params;

use super::read::{MESSAGE, message};
use super::{Sessions, StoredMessage};
use crate::error::StoreError;

/// The maximum number of words of a query. Others are ignored.
const MAX_WORDS: usize = 32;

/// A message that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// The message.
    pub message: StoredMessage,
    /// The part of its text that was found, with `**` around the words.
    pub excerpt: String,
}

/// The order of what was found.
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

impl Sessions {
    /// Returns the messages whose text contains all words of `query`, in any form of their letters: `Élan` finds `elan`. Words in
    /// quotes must follow each other. A query without words finds nothing.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn search(&self, query: &str, order: Order, limit: usize) -> Result<Vec<Found>, StoreError> {
        let Some(query) = expression(query) else { return Ok(Vec::new()) };
        let order = match order {
            Order::Best => "rank, m.id DESC",
            Order::Newest => "m.id DESC",
            Order::Oldest => "m.id",
        };
        let sql = format!(
            "SELECT {MESSAGE}, snippet(messages_index, 0, '**', '**', '…', 24) FROM messages_index \
             JOIN messages AS m ON m.id = messages_index.rowid JOIN sessions AS s ON s.id = m.session \
             WHERE messages_index MATCH ?1 ORDER BY {order} LIMIT ?2"
        );
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let found = self.database.read(|connection| {
            let mut statement = connection.prepare(&sql)?;
            let rows = statement
                .query_map(params![query, limit], |row| Ok(Found { message: message(row)?, excerpt: row.get(11)? }))?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        Ok(found.unwrap_or_default())
    }
}

/// Returns the words and phrases of a query as an expression of FTS5, in which nothing of the query is an operator.
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
