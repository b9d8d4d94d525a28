//! The minimal work that the handlers of both sides do with their arguments, and the type of the result.

use serde::Serialize;

/// The result of `trivial`.
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

/// The result of every other tool.
#[derive(Default, Serialize)]
pub(crate) struct Done {
    total: usize,
}
