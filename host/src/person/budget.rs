//! Asks the person at the terminal for a higher limit of what requests may cost.

use std::pin::Pin;
use std::sync::Arc;

use super::dialog::{Dialog, Stop, TerminalAsker};
use crate::ground::show::Style;
use crate::models::{LimitAsker, Passed};

/// Asks the person at the terminal.
pub(crate) struct TerminalLimitAsker(pub(crate) Arc<TerminalAsker>);

impl LimitAsker for TerminalLimitAsker {
    fn ask(&self, passed: Passed) -> Pin<Box<dyn Future<Output = Option<f64>> + Send + '_>> {
        Box::pin(self.0.run(None, move |dialog| ask(dialog, &passed)))
    }
}

fn ask(dialog: &mut Dialog<'_>, passed: &Passed) -> Result<f64, Stop> {
    let title = dialog.look.paint(Style::Strong, "Spend more?");
    let offered = passed.text(passed.offered());
    dialog.begin(&format!(
        "\n{title} [Enter] raise the limit to {offered} [Esc] end the turn\n{passed}.\nOr type another limit, which holds until this conversation or the chat ends.\n"
    ))?;
    loop {
        let typed = dialog.read_line("limit: ", false)?;
        match passed.parse(&typed) {
            Ok(limit) => return Ok(limit),
            Err(problem) => dialog.show_lines(&format!("{problem}\n"))?,
        }
    }
}
