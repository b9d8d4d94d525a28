//! A provider of everything, of a type that handles two toolsets of three.

use toolc::{Call, Output, ToolError};
use toolc_catalog::{TerminalTools, TodoTools, terminal, todo};

struct Handlers;

impl TerminalTools for Handlers {
    fn terminal(&self, _: terminal::terminal::Args, _: &Call<'_>) -> Result<Output, ToolError> {
        Ok(Output::text(""))
    }
}

impl TodoTools for Handlers {
    fn todo(&self, _: todo::todo::Args, _: &Call<'_>) -> Result<Output, ToolError> {
        Ok(Output::text(""))
    }
}

fn main() {
    toolc_catalog::provider(Handlers);
}
