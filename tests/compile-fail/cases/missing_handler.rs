//! A tool without its handler: exactly one error, and it names the method.

use toolc::{Call, ToolOutput, ToolResult};
use toolc_tests::golden::{LibTools, lib_};

struct Handlers;

impl LibTools for Handlers {
    fn no_parameters(&self, _: lib_::no_parameters::Args, _: &Call<'_>) -> ToolResult {
        Ok(ToolOutput::text(""))
    }

    fn odd_names(&self, _: lib_::odd_names::Args, _: &Call<'_>) -> ToolResult {
        Ok(ToolOutput::text(""))
    }
}

fn main() {
    toolc_tests::golden::lib_::provider(Handlers);
}
