//! A handler that takes another tool's arguments.

use toolc::{Call, Output, ToolError};
use toolc_catalog::{TodoTools, terminal};

struct Handlers;

impl TodoTools for Handlers {
    fn todo(&self, _: terminal::terminal::Args, _: &Call<'_>) -> Result<Output, ToolError> {
        Ok(Output::text(""))
    }
}

fn main() {}
