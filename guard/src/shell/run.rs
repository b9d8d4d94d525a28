//! The files that commands run, or of which they make other files.

use super::command::Plain;
use crate::tables::names::interpreter;
use crate::uses::{ANY, Uses};

/// The maximum number of words of a command that can be the file which it runs.
const MAX_WORDS: usize = 8;

/// Keeps the files that a command runs or copies. `feeding` are the commands whose output it gets.
pub(super) fn record(command: &Plain, feeding: &[&Plain], uses: &mut Uses) {
    let words = || command.arguments.iter().filter(|word| !word.starts_with('-'));
    let fed = || feeding.iter().flat_map(|other| other.arguments.iter().chain(&other.reads));
    if let Some(language) = interpreter(&command.name) {
        let first = words().take(1).chain(&command.behind).chain(&command.reads).chain(fed());
        first.for_each(|word| uses.add_run(word, language));
        words().skip(1).take(MAX_WORDS).for_each(|word| uses.add_maybe_run(word, language));
    }
    if command.program.contains('/') || command.program.starts_with('$') {
        uses.add_run(&command.program, ANY);
    }
    match command.name.as_str() {
        "chmod" => words().skip(1).for_each(|word| uses.add_run(word, ANY)),
        "make" | "gmake" | "just" | "task" => {
            let pairs = command.arguments.windows(2);
            let files = pairs.filter(|pair| pair[0].starts_with("-f") || pair[0].ends_with("file"));
            files.for_each(|pair| uses.add_run(&pair[1], "make"));
        }
        "crontab" | "at" | "batch" | "parallel" | "xargs" => words().for_each(|word| uses.add_run(word, "sh")),
        _ => {}
    }
    let Some(target) = command.writes.first().or_else(|| words().next_back()) else { return };
    words().chain(&command.reads).chain(fed()).for_each(|word| uses.add_copy(word, target));
}
