//! A provider of everything, of a type that handles two toolsets of three.

use toolc::{Call, Output, ToolError};
use toolc_tests::golden::{LaterTools, LibTools, later, lib_};

struct Handlers;

impl LaterTools for Handlers {
    async fn run_later(&self, _: later::run_later::Args, _: &Call<'_>) -> Result<Output, ToolError> {
        Ok(Output::text(""))
    }

    async fn wait(&self, _: later::wait::Args, _: &Call<'_>) -> Result<Output, ToolError> {
        Ok(Output::text(""))
    }
}

impl LibTools for Handlers {
    fn no_parameters(&self, _: lib_::no_parameters::Args, _: &Call<'_>) -> Result<Output, ToolError> {
        Ok(Output::text(""))
    }

    fn odd_names(&self, _: lib_::odd_names::Args, _: &Call<'_>) -> Result<Output, ToolError> {
        Ok(Output::text(""))
    }

    fn run_now(&self, _: lib_::run_now::Args, _: &Call<'_>) -> Result<Output, ToolError> {
        Ok(Output::text(""))
    }
}

fn main() {
    toolc_tests::golden::provider(Handlers);
}
