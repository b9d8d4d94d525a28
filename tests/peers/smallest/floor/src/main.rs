//! The smallest hand-written program: one tool, called once with the arguments on the command line.

use serde::{Deserialize, Serialize};

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

#[derive(Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Sort {
    #[default]
    Relevance,
    Newest,
    Oldest,
}

#[derive(Serialize)]
struct Found {
    query: String,
    limit: i64,
    recursive: bool,
    sort: Sort,
    tags: Option<Vec<String>>,
    total: usize,
}

fn main() {
    let arguments = std::env::args().nth(1).unwrap_or_default();
    println!("{}", call("trivial", &arguments).unwrap_or_else(|error| error.to_string()));
}

fn call(name: &str, arguments: &str) -> serde_json::Result<String> {
    match name {
        "trivial" => {
            let Trivial { query, limit, recursive, sort, tags } = serde_json::from_str(arguments)?;
            let total = query.len();
            serde_json::to_string(&Found { query, limit, recursive, sort, tags, total })
        }
        _ => Err(serde::de::Error::custom("there is no such tool")),
    }
}
