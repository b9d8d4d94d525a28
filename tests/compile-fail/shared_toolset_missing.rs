//! A provider of every tool, of one type that handles two toolsets of three.

use toolc::{Call, ToolError, ToolOutput, ToolResult};
use toolc_catalog::{TerminalTools, TodoTools, terminal, todo};

struct Desk;

impl TerminalTools for Desk {
    fn process(&self, _: terminal::process::Args, _: &Call<'_>) -> Result<terminal::process::Returns, ToolError> {
        Err(ToolError::new("closed"))
    }

    fn terminal(&self, _: terminal::terminal::Args, _: &Call<'_>) -> Result<terminal::terminal::Returns, ToolError> {
        Err(ToolError::new("closed"))
    }
}

impl TodoTools for Desk {
    fn todo(&self, _: todo::todo::Args, _: &Call<'_>) -> ToolResult {
        Ok(ToolOutput::text(""))
    }
}

fn main() {
    toolc_catalog::shared_provider(Desk);
}
