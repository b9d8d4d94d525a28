//! The tool for rmcp: a method of the server.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;

use super::server::Server;
use crate::answer::{Sort, answer};

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    /// Words that must occur in an entry; case does not matter.
    query: String,
    /// How many entries to return at most.
    limit: Option<i64>,
    /// Also look at entries within entries.
    recursive: Option<bool>,
    /// In which order the entries come.
    sort: Option<Sort>,
    /// Labels that an entry must have.
    tags: Option<Vec<String>>,
}

#[tool_router(router = trivial_router, vis = "pub(crate)")]
impl Server {
    /// Find entries by their text. Does nothing but hand its arguments back, so that a call's time is that of the way to the handler and back. Use it to compare that way with a hand-written one; there is nothing to be found with it.
    #[tool]
    fn trivial(&self, Parameters(arguments): Parameters<Arguments>) -> Result<String, String> {
        let Arguments { query, limit, recursive, sort, tags } = arguments;
        answer(&query, limit, recursive, sort, tags.as_deref()).map_err(|error| error.to_string())
    }
}
