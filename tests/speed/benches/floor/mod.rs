//! The floor: a program written by hand with serde for exactly these 40 tools, without repair, without validation beyond types
//! and without toolsets.

mod others;

use serde::Deserialize;

use crate::handler;

/// Returns the response to a call.
pub(crate) use others::call;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Trivial {
    query: String,
    #[serde(default = "limit")]
    limit: i64,
    #[serde(default)]
    recursive: bool,
    #[serde(default)]
    sort: Sort,
    tags: Option<Vec<String>>,
}

fn limit() -> i64 {
    10
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Sort {
    #[default]
    Relevance,
    Newest,
    Oldest,
}

impl Sort {
    fn as_str(self) -> &'static str {
        match self {
            Sort::Relevance => "relevance",
            Sort::Newest => "newest",
            Sort::Oldest => "oldest",
        }
    }
}

fn trivial(arguments: &str) -> serde_json::Result<String> {
    let Trivial { query, limit, recursive, sort, tags } = serde_json::from_str(arguments)?;
    serde_json::to_string(&handler::trivial(&query, limit, recursive, sort.as_str(), tags.as_deref()))
}
