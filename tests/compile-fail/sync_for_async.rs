//! A plain function where the manifest says `execution = "async"`.

use toolc::{Call, Output, ToolError};
use toolc_tests::golden::{LaterTools, later};

struct Handlers;

impl LaterTools for Handlers {
    fn run_later(&self, _: later::run_later::Args, _: &Call<'_>) -> Result<Output, ToolError> {
        Ok(Output::text(""))
    }

    async fn wait(&self, _: later::wait::Args, _: &Call<'_>) -> Result<Output, ToolError> {
        Ok(Output::text(""))
    }
}

fn main() {}
