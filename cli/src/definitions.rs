//! `definitions`: what a model sees.

use std::io;

use toolc::Turn;
use toolc::availability::HiddenReason;

use crate::streams::Streams;

/// Prints the definitions of a turn: formatted for people on a terminal, otherwise or with `one_line` as a model sees them. Prints the
/// number of hidden tools to stderr, without those that are optional.
pub(crate) fn print(turn: &Turn, one_line: bool, optional: &[String], streams: &mut Streams<'_>) -> io::Result<()> {
    if streams.out_is_terminal && !one_line {
        writeln!(streams.out, "{}", turn.pretty_definitions().trim_end())?;
    } else {
        writeln!(streams.out, "{}", turn.definitions().trim_end())?;
    }
    let undeclared = |reason: &&HiddenReason| matches!(reason, HiddenReason::UndeclaredDialect(_));
    if let Some(reason) = turn.hidden().map(|hidden| hidden.reason).find(undeclared) {
        writeln!(streams.err, "warning: the project {reason}")?;
    }
    let is_needed = |name: &str| !optional.iter().any(|optional| optional == name);
    match turn.hidden().filter(|hidden| is_needed(hidden.tool)).count() {
        0 => Ok(()),
        1 => writeln!(streams.err, "note: 1 tool is hidden; `doctor` says why"),
        hidden => writeln!(streams.err, "note: {hidden} tools are hidden; `doctor` says why"),
    }
}
