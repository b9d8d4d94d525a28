//! A provider of every tool, with a field whose type does not handle its toolset.

use toolc::{Call, ToolError, ToolOutput, ToolResult};
use toolc_catalog::{CodeTools, Handlers, TerminalTools, TodoTools, code, terminal, todo};

struct Desk;

impl CodeTools for Desk {
    fn execute_code(&self, _: code::execute_code::Args, _: &Call<'_>) -> Result<code::execute_code::Returns, ToolError> {
        Err(ToolError::new("closed"))
    }
}

impl TerminalTools for Desk {
    fn process(&self, _: terminal::process::Args, _: &Call<'_>) -> Result<terminal::process::Returns, ToolError> {
        Err(ToolError::new("closed"))
    }

    fn terminal(&self, _: terminal::terminal::Args, _: &Call<'_>) -> Result<terminal::terminal::Returns, ToolError> {
        Err(ToolError::new("closed"))
    }

    fn terminal_directory(&self, _: &terminal::terminal::Args, _: &Call<'_>) -> Result<toolc::directory::FoundDirectory, ToolError> {
        Err(ToolError::new("closed"))
    }
}

impl TodoTools for Desk {
    fn todo(&self, _: todo::todo::Args, _: &Call<'_>) -> ToolResult {
        Ok(ToolOutput::text(""))
    }
}

fn main() {
    toolc_catalog::provider(Handlers { code: Desk, file: Desk, terminal: Desk, todo: Desk });
}
