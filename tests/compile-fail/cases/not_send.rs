//! An asynchronous handler whose future cannot move between threads.

use std::rc::Rc;

use toolc::{Call, ToolOutput, ToolResult};
use toolc_tests::golden::{LaterTools, later};

struct Handlers;

impl LaterTools for Handlers {
    async fn run_later(&self, _: later::run_later::Args, _: &Call<'_>) -> ToolResult {
        let text = Rc::new("shared");
        std::future::ready(()).await;
        Ok(ToolOutput::text(&*text))
    }

    async fn wait(&self, _: later::wait::Args, _: &Call<'_>) -> ToolResult {
        Ok(ToolOutput::text(""))
    }
}

fn main() {}
