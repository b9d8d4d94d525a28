//! Text that runs when it is used as a subscript: `x='a[$(reboot)]'; echo $((x))`.

use super::Unfolder;
use crate::doubt::DoubtKind;
use crate::reading::Command;
use crate::syntax::{Part, Word};

/// Operators of `[[` that evaluate their operands.
const NUMERIC: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v", "-R"];

impl Unfolder<'_> {
    /// Adds a doubt if the line has such a text, and evaluates something.
    pub(super) fn find_hidden_code(&mut self) {
        let has_code =
            |text: &str| text.contains("$(") || text.contains('`') || text.contains("${") || text.contains("$[");
        if !self.line.contains('[') && !self.evaluates || !self.line.contains(['\'', '"', '\\']) {
            return;
        }
        let mut suspect = None;
        for command in &self.reading.commands {
            let values = command.assignments.iter().map(|assignment| (&assignment.value, true));
            let targets = command.redirects.iter().map(|redirect| (&redirect.target, false));
            let is_declaration = evaluates(command);
            for (word, is_value) in command.words.iter().map(|word| (word, is_declaration)).chain(values).chain(targets)
            {
                let text = literals(word);
                if has_code(&text) && (is_value || text.contains('[')) {
                    suspect = Some(word.span);
                }
            }
        }
        let Some(span) = suspect else { return };
        if self.evaluates || self.reading.commands.iter().any(evaluates) {
            self.doubt(DoubtKind::HiddenCode, span);
        }
    }
}

fn literals(word: &Word) -> String {
    let literal = |part: &Part| match part {
        Part::Literal { text, .. } => text.clone(),
        _ => String::from("\u{1}"),
    };
    match word.parts.as_slice() {
        [Part::Literal { text, .. }] => text.clone(),
        parts => parts.iter().map(literal).collect(),
    }
}

/// Returns whether a command evaluates a subscript in its arguments.
fn evaluates(command: &Command) -> bool {
    let has = |options: &[&str]| {
        let is_one =
            |word: &Word| word.text().is_some_and(|text| options.contains(&&*text)) || word.starts_with_expansion();
        command.arguments().iter().any(is_one)
    };
    match command.program.name() {
        Some(
            "let" | "declare" | "typeset" | "local" | "export" | "readonly" | "unset" | "read" | "mapfile"
            | "readarray" | "getopts" | "((",
        ) => true,
        Some("[[") => has(NUMERIC),
        Some("test" | "[") => has(&["-v", "-R"]),
        Some("printf" | "wait") => command.arguments().iter().any(|word| {
            let start = word.certain_start();
            start.starts_with("-v") || start.starts_with("-p") || word.starts_with_expansion()
        }),
        _ => false,
    }
}
