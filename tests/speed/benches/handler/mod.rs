//! The work that both sides do once they have their arguments: as little as a handler can do.

use serde::Serialize;

/// What `trivial` answers.
#[derive(Serialize)]
pub(crate) struct Found<'a> {
    query: &'a str,
    limit: i64,
    recursive: bool,
    sort: &'static str,
    tags: Option<&'a [String]>,
    total: usize,
}

pub(crate) fn trivial<'a>(
    query: &'a str,
    limit: i64,
    recursive: bool,
    sort: &'static str,
    tags: Option<&'a [String]>,
) -> Found<'a> {
    Found { query, limit, recursive, sort, tags, total: query.len() }
}

/// What every other tool answers.
#[derive(Default, Serialize)]
pub(crate) struct Done {
    total: usize,
}
