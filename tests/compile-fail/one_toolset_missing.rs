//! A provider of everything, of a type that handles two toolsets of three.

use toolc::{ToolResult, Call, ToolOutput, ToolError};
use toolc_catalog::{TerminalTools, TodoTools, terminal, todo};

struct Handlers;

impl TerminalTools for Handlers {
    fn terminal(&self, _: terminal::terminal::Args, _: &Call<'_>) -> ToolResult {
        Ok(ToolOutput::text(""))
    }
}

impl TodoTools for Handlers {
    fn todo(&self, _: todo::todo::Args, _: &Call<'_>) -> ToolResult {
        Ok(ToolOutput::text(""))
    }
}

fn main() {
    toolc_catalog::provider(Handlers);
}
