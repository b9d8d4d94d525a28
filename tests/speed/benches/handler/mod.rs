//! The work that both sides do with their arguments, which is as little as a handler can do, and the type of its result.

use serde::Serialize;

/// What `trivial` answers.
#[derive(Serialize)]
pub(crate) struct Found<'a> {
    query: &'a str,
    limit: i64,
    recursive: bool,
    sort: &'static str,
    tags: Option<&'a [String]>,
    total: i64,
}

pub(crate) fn trivial<'a>(
    query: &'a str,
    limit: i64,
    recursive: bool,
    sort: &'static str,
    tags: Option<&'a [String]>,
) -> Found<'a> {
    Found { query, limit, recursive, sort, tags, total: total(query) }
}

pub(crate) fn total(query: &str) -> i64 {
    i64::try_from(query.len()).unwrap_or(i64::MAX)
}

/// What every other tool answers.
#[derive(Default, Serialize)]
pub(crate) struct Done {
    total: usize,
}
