//! An `async fn` where the manifest says `execution = "sync"`.

use toolc::{Call, ToolOutput, ToolResult};
use toolc_catalog::{TodoTools, todo};

struct Handlers;

impl TodoTools for Handlers {
    async fn todo(&self, _: todo::todo::Args, _: &Call<'_>) -> ToolResult {
        Ok(ToolOutput::text(""))
    }
}

fn main() {}
