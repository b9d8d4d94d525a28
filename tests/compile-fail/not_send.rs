//! An asynchronous handler whose future cannot move between threads.

use std::rc::Rc;

use toolc::{Call, Output, ToolError};
use toolc_tests::golden::{LaterTools, later};

struct Handlers;

impl LaterTools for Handlers {
    async fn run_later(&self, _: later::run_later::Args, _: &Call<'_>) -> Result<Output, ToolError> {
        let text = Rc::new("shared");
        std::future::ready(()).await;
        Ok(Output::text(&*text))
    }

    async fn wait(&self, _: later::wait::Args, _: &Call<'_>) -> Result<Output, ToolError> {
        Ok(Output::text(""))
    }
}

fn main() {}
