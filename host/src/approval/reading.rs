//! Lists the commands that a command line would run, for a person and for a model.

use std::fmt::Write as _;

use serde_json::Value;
use toolc_commands::{How, Reading, Word};

use crate::ground::show;

/// Returns the commands that would run, one on each line, with the commands that run them.
pub(crate) fn would_run(reading: &Reading) -> String {
    if reading.commands.is_empty() {
        return "    nothing\n".to_owned();
    }
    let mut text = String::new();
    for (number, command) in (1..).zip(&reading.commands) {
        let mut chain = Vec::new();
        let mut via = command.via;
        // A command is run by an earlier command of the list, so the chain is finite.
        while let Some(outer) = via.filter(|_| chain.len() < 64) {
            let runner = reading.commands.get(outer.command as usize);
            let name = runner.and_then(|runner| runner.program.name()).unwrap_or("another program");
            chain.push(format!("{} {}", how(outer.how), show::one_line(name)));
            via = runner.and_then(|runner| runner.via);
        }
        let command = show::one_line(&show::command_text(command));
        let chain = if chain.is_empty() { String::new() } else { format!("   ({})", chain.join(", ")) };
        let _ = writeln!(text, "{number:>4}. {command}{chain}");
    }
    text
}

/// Returns the words of each command that would run.
pub(crate) fn words(reading: &Reading) -> Value {
    reading.commands.iter().map(|command| command.words.iter().map(Word::text).collect::<Value>()).collect()
}

fn how(how: How) -> &'static str {
    match how {
        How::Arguments => "run by",
        How::Code => "in the code of",
        How::Input => "in the input of",
        How::Name => "called as",
    }
}
