//! The smallest program with toolc: one tool, called once with the arguments on the command line.

#[path = "../../../../projects/smallest/generated/rust/lib.rs"]
mod generated;
#[path = "../../ready.rs"]
mod ready;

use generated::bench::trivial;
use toolc::{Call, Dialect, Registry, ToolCall, ToolError};

struct Handlers;

impl generated::BenchTools for Handlers {
    fn trivial(&self, args: trivial::Args, _: &Call<'_>) -> Result<trivial::Returns, ToolError> {
        let trivial::Args { query, limit, recursive, sort, tags } = args;
        let total = i64::try_from(query.len()).unwrap_or(i64::MAX);
        Ok(trivial::Returns { query, limit, recursive, sort, tags, total })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = std::env::args().nth(1).unwrap_or_default();
    let registry = Registry::new();
    registry.add(generated::shared_provider(Handlers))?;
    let turn = registry.session().build()?.turn_blocking(Dialect::OpenAi);
    println!("{}", ready::ready(turn.call(&ToolCall::new("trivial", &arguments))).json);
    Ok(())
}
