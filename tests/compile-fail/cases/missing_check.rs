//! A toolset with `check = true` whose handlers have no check.

use toolc::{Call, ToolOutput, ToolResult};
use toolc_tests::golden::{GuardsTools, guards};

struct Handlers;

impl GuardsTools for Handlers {
    fn guarded(&self, _: guards::guarded::Args, _: &Call<'_>) -> ToolResult {
        Ok(ToolOutput::text(""))
    }

    fn in_chat(&self, _: guards::in_chat::Args, _: &Call<'_>) -> ToolResult {
        Ok(ToolOutput::text(""))
    }
}

fn main() {
    toolc_tests::golden::guards::provider(Handlers);
}
