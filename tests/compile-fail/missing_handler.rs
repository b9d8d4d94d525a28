//! A tool without its handler: exactly one error, and it names the method.

use toolc::{Call, Output, ToolError};
use toolc_tests::golden::{LibTools, lib_};

struct Handlers;

impl LibTools for Handlers {
    fn no_parameters(&self, _: lib_::no_parameters::Args, _: &Call<'_>) -> Result<Output, ToolError> {
        Ok(Output::text(""))
    }

    fn odd_names(&self, _: lib_::odd_names::Args, _: &Call<'_>) -> Result<Output, ToolError> {
        Ok(Output::text(""))
    }
}

fn main() {
    toolc_tests::golden::lib_::provider(Handlers);
}
