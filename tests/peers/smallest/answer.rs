//! Code that the peers' handlers of `trivial` share: the type of an argument, and the result as JSON text, the form that each library
//! returns fastest.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Sort {
    Relevance,
    Newest,
    Oldest,
}

#[derive(Serialize)]
struct Found<'a> {
    query: &'a str,
    limit: i64,
    recursive: bool,
    sort: Sort,
    tags: Option<&'a [String]>,
    total: usize,
}

pub(crate) fn answer(
    query: &str,
    limit: Option<i64>,
    recursive: Option<bool>,
    sort: Option<Sort>,
    tags: Option<&[String]>,
) -> serde_json::Result<String> {
    serde_json::to_string(&Found {
        query,
        limit: limit.unwrap_or(10),
        recursive: recursive.unwrap_or(false),
        sort: sort.unwrap_or(Sort::Relevance),
        tags,
        total: query.len(),
    })
}
