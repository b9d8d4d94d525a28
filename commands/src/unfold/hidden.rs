//! Finds text that runs when it is evaluated as a subscript: `x='a[$(reboot)]'; echo $((x))`.

use super::Unfolder;
use crate::doubt::DoubtKind;
use crate::reading::Command;
use crate::syntax::{Glob, Part, Redirect, RedirectKind, Word};

/// Operators of `[[` that evaluate their operands.
const NUMERIC: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v", "-R"];

/// Variables whose values the shell evaluates as arithmetic.
const NUMBERS: &[&str] = &[
    "BASHPID",
    "COLUMNS",
    "EPOCHSECONDS",
    "EUID",
    "FUNCNEST",
    "HISTCMD",
    "HISTFILESIZE",
    "HISTSIZE",
    "LINENO",
    "LINES",
    "MAILCHECK",
    "OPTERR",
    "OPTIND",
    "PPID",
    "RANDOM",
    "SECONDS",
    "SRANDOM",
    "TMOUT",
    "UID",
];
/// Escape sequences that `printf` turns into a `$` or a backquote.
const ESCAPES: &[&str] =
    &["\\44", "\\044", "\\0044", "\\x24", "\\u0024", "\\u24", "\\140", "\\0140", "\\x60", "\\u0060", "\\u60"];

impl Unfolder<'_> {
    /// Adds a doubt if the line contains such text, and evaluates a value.
    pub(super) fn find_hidden_code(&mut self) {
        if !self.line.contains(['\'', '"', '\\']) {
            return;
        }
        let mut suspect = None;
        let mut certain = None;
        // A subscript and its code can be put together from several values.
        let (mut bracket, mut dollar) = (None, None);
        for command in &self.reading.commands {
            for Redirect { target, .. } in command.redirects.iter().filter(|redirect| is_expanded_twice(redirect)) {
                if has_code(&literals(target)) {
                    certain = Some(target.span);
                }
            }
            let values = command.assignments.iter().map(|assignment| (&assignment.value, true));
            let targets = command.redirects.iter().map(|redirect| (&redirect.target, false));
            let is_declaration = evaluates(command);
            for (word, is_value) in command.words.iter().map(|word| (word, is_declaration)).chain(values).chain(targets)
            {
                let text = literals(word);
                if is_value {
                    bracket = bracket.or(text.contains('[').then_some(word.span));
                    dollar = dollar.or(text.contains(['$', '`']).then_some(word.span));
                }
                let is_printed = || ESCAPES.iter().any(|escape| text.contains(escape));
                if has_code(&text) && (is_value || text.contains('[')) || text.contains('[') && is_printed() {
                    suspect = Some(word.span);
                }
            }
        }
        if let Some(span) = certain {
            self.doubt(DoubtKind::HiddenCode, span);
        } else if let Some(span) = suspect.or(bracket.and(dollar))
            && (self.evaluates || self.reading.commands.iter().any(evaluates))
        {
            self.doubt(DoubtKind::HiddenCode, span);
        }
    }
}

/// Returns whether a text runs commands when it is expanded.
pub(super) fn has_code(text: &str) -> bool {
    text.contains('`') || text.contains("$(") || text.contains("${") || text.contains("$[")
}

/// Returns whether bash expands the target of a redirection, and then expands the result again: `>&'$(...)'`.
fn is_expanded_twice(redirect: &Redirect) -> bool {
    matches!(redirect.kind, RedirectKind::DuplicateInput | RedirectKind::DuplicateOutput)
}

/// Returns the literal text of a word, with a control character for each expansion.
fn literals(word: &Word) -> String {
    let literal = |part: &Part| match part {
        Part::Literal { text, .. } => text.clone(),
        Part::Glob(Glob::Class(text)) => format!("[{text}]"),
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
    if command.redirects.iter().any(|redirect| is_expanded_twice(redirect) && redirect.target.text().is_none()) {
        return true;
    }
    if command.assignments.iter().any(|assignment| NUMBERS.contains(&assignment.name.as_str())) {
        return true;
    }
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
