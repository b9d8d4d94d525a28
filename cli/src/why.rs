//! `why`: explains why a tool is shown or hidden.

use clap::Args;

use crate::app::App;
use crate::failure::Failure;
use crate::report;
use crate::selection::View;
use crate::streams::Streams;

/// The arguments of `why`.
#[derive(Debug, Args)]
pub struct WhyArgs {
    /// The name of the tool.
    pub tool: String,
    /// What the model is shown.
    #[command(flatten)]
    pub view: View,
    /// Print one line of JSON.
    #[arg(long)]
    pub json: bool,
}

impl WhyArgs {
    pub(crate) fn run(&self, app: &App, streams: &mut Streams<'_>) -> Result<bool, Failure> {
        report::why(&self.view.turn(app)?, &app.info(), &self.tool, self.json, streams)
    }
}
