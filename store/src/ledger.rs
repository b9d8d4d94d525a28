//! What requests to models have cost.

use std::sync::Arc;

use jiff::Zoned;
use rusqlite::{Connection, params};

use crate::database::Database;
use crate::error::StoreError;

/// What requests to models have cost, in a [`Database`]: for each conversation and day. Processes can add to it at the same time.
#[derive(Debug, Clone)]
pub struct Ledger {
    database: Arc<Database>,
}

/// A cost, and a number of tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spent {
    /// In the currency of the prices. Models without prices add nothing.
    pub cost: f64,
    /// The tokens of requests and answers, of all models.
    pub tokens: u64,
}

impl Ledger {
    /// Returns the ledger in a database.
    pub fn new(database: Arc<Database>) -> Self {
        Self { database }
    }

    /// Adds what a conversation has spent to the sums of the conversation and of today.
    ///
    /// # Errors
    /// If the file cannot be changed.
    pub fn add(&self, session: &str, spent: Spent) -> Result<(), StoreError> {
        self.add_on(&today(), session, spent)
    }

    fn add_on(&self, day: &str, session: &str, spent: Spent) -> Result<(), StoreError> {
        let sql = "INSERT INTO spending (day, session, cost, tokens) VALUES (?1, ?2, ?3, ?4) \
                   ON CONFLICT DO UPDATE SET cost = cost + excluded.cost, tokens = tokens + excluded.tokens";
        let tokens = i64::try_from(spent.tokens).unwrap_or(i64::MAX);
        let row = params![day, session, spent.cost, tokens];
        self.database.write(|connection| connection.execute(sql, row).map(drop))
    }

    /// Returns what a conversation has spent.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn of_session(&self, session: &str) -> Result<Spent, StoreError> {
        self.sum("session", session)
    }

    /// Returns what all conversations have spent today, by the clock and the time zone of this machine.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn of_today(&self) -> Result<Spent, StoreError> {
        self.sum("day", &today())
    }

    fn sum(&self, column: &str, value: &str) -> Result<Spent, StoreError> {
        let sql = format!("SELECT total(cost), CAST(total(tokens) AS INTEGER) FROM spending WHERE {column} = ?1");
        let sum = |connection: &Connection| {
            connection.query_row(&sql, [value], |row| {
                let tokens = u64::try_from(row.get::<_, i64>(1)?).unwrap_or_default();
                Ok(Spent { cost: row.get(0)?, tokens })
            })
        };
        Ok(self.database.read(sum)?.unwrap_or_default())
    }
}

fn today() -> String {
    Zoned::now().date().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spent(cost: f64, tokens: u64) -> Spent {
        Spent { cost, tokens }
    }

    #[test]
    fn what_processes_spend_at_the_same_time_is_summed_for_the_conversation_and_the_day() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let path = folder.path().join("state.db");
        let open = || Ledger::new(Arc::new(Database::new(&path)));
        assert_eq!(open().of_today().expect("a missing file is not an error"), Spent::default());
        std::thread::scope(|scope| {
            for name in ["a", "b", "a", "b"] {
                scope.spawn(move || {
                    let ledger = open();
                    for _ in 0..10 {
                        ledger.add(name, spent(0.25, 100)).expect("failed to write");
                    }
                });
            }
        });
        let ledger = open();
        ledger.add_on("2020-01-01", "a", spent(1.0, 5)).expect("failed to write");
        assert_eq!(ledger.of_session("a").expect("failed to read"), spent(6.0, 2_005));
        assert_eq!(ledger.of_session("b").expect("failed to read"), spent(5.0, 2_000));
        assert_eq!(ledger.of_today().expect("failed to read"), spent(10.0, 4_000));
    }
}
