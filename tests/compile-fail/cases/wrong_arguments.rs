//! A handler that takes another tool's arguments.

use toolc::{Call, ToolOutput, ToolResult};
use toolc_catalog::{TodoTools, terminal};

struct Handlers;

impl TodoTools for Handlers {
    fn todo(&self, _: terminal::terminal::Args, _: &Call<'_>) -> ToolResult {
        Ok(ToolOutput::text(""))
    }
}

fn main() {}
