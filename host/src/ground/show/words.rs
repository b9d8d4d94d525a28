//! Renders a command as a line of shell code for a person.

use toolc_commands::syntax::{Assignment, Descriptor, Glob, Redirect, RedirectKind, Word};
use toolc_commands::{Command, Part};

/// Returns a command as it would run: wrappers and variables of the line are resolved, and words are quoted if necessary.
pub(crate) fn command_text(command: &Command) -> String {
    let assignments = command.assignments.iter().map(assignment);
    let words = command.words.iter().map(word);
    let redirects = command.redirects.iter().map(redirect);
    let mut parts: Vec<String> = assignments.chain(words).chain(redirects).collect();
    if command.appended {
        parts.push("...".to_owned());
    }
    parts.join(" ")
}

fn assignment(assignment: &Assignment) -> String {
    let operator = if assignment.append { "+=" } else { "=" };
    let value = if assignment.value.parts.is_empty() { String::new() } else { word(&assignment.value) };
    format!("{}{operator}{value}", assignment.name)
}

fn redirect(redirect: &Redirect) -> String {
    let descriptor = match &redirect.descriptor {
        Some(Descriptor::Number(number)) => number.to_string(),
        Some(Descriptor::Variable(name)) => format!("{{{name}}}"),
        None => String::new(),
    };
    let operator = match redirect.kind {
        RedirectKind::Read => "<",
        RedirectKind::Write => ">",
        RedirectKind::Overwrite => ">|",
        RedirectKind::Append => ">>",
        RedirectKind::ReadWrite => "<>",
        RedirectKind::DuplicateInput => "<&",
        RedirectKind::DuplicateOutput => ">&",
        RedirectKind::WriteBoth => "&>",
        RedirectKind::AppendBoth => "&>>",
        RedirectKind::HereDocument => return format!("{descriptor}<<..."),
        RedirectKind::HereString => "<<<",
    };
    format!("{descriptor}{operator}{}", word(&redirect.target))
}

fn word(word: &Word) -> String {
    if let Some(text) = word.text() {
        // A word of a shell cannot contain a zero byte, so it is shown as text.
        return shlex::try_quote(&text).map_or_else(|_| text.replace('\0', "\\0"), Into::into);
    }
    let text: String = word.parts.iter().map(part).collect();
    let needs_quotes =
        |part: &Part| matches!(part, Part::Literal { text, .. } if text.contains([' ', '\t', '\n', ';', '&', '|']));
    if word.parts.iter().any(needs_quotes) { format!("\"{text}\"") } else { text }
}

fn part(part: &Part) -> String {
    match part {
        Part::Literal { text, .. } | Part::Glob(Glob::Extended(text)) => text.clone(),
        Part::Tilde { user } => format!("~{user}"),
        Part::Glob(Glob::AnyText) => "*".to_owned(),
        Part::Glob(Glob::AnyChar) => "?".to_owned(),
        Part::Glob(Glob::Class(class)) => format!("[{class}]"),
        Part::Variable { name, operation: None, .. } => format!("${name}"),
        Part::Variable { name, operation: Some(operation), .. } => {
            let operand: String = operation.operand.iter().map(self::part).collect();
            format!("${{{name}{}{operand}}}", operation.operator)
        }
        Part::Substitution { .. } => "$(...)".to_owned(),
        Part::ProcessSubstitution { input: true, .. } => "<(...)".to_owned(),
        Part::ProcessSubstitution { input: false, .. } => ">(...)".to_owned(),
        Part::Arithmetic { .. } => "$((...))".to_owned(),
        Part::Unknown { .. } => "...".to_owned(),
    }
}
