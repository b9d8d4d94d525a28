//! A plain function where the manifest says `execution = "async"`.

use toolc::{Call, ToolOutput, ToolResult};
use toolc_tests::golden::{LaterTools, later};

struct Handlers;

impl LaterTools for Handlers {
    fn run_later(&self, _: later::run_later::Args, _: &Call<'_>) -> ToolResult {
        Ok(ToolOutput::text(""))
    }

    async fn wait(&self, _: later::wait::Args, _: &Call<'_>) -> ToolResult {
        Ok(ToolOutput::text(""))
    }
}

fn main() {}
