//! The forms that a command takes at run time, as far as they are known: with each value of a variable, and with variables of the
//! environment that are not set.

use std::borrow::Cow;

use crate::judge::line::{Choice, Line};
use crate::reading::{Command, Program};
use crate::syntax::{Assignment, Glob, Operation, Origin, Part, Word};

/// The maximum number of forms with each combination of the values of variables. With more, one variable at a time gets its values.
const MAX_COMBINED: usize = 16;
/// The maximum number of forms. Further values of variables count as unknown.
const MAX_FORMS: usize = 128;

/// The maximum depth of variables within the values of variables.
const MAX_DEPTH: usize = 3;

/// Returns the forms of a command, with what is known about loops and assignments filled in. Usually this is only the command itself.
pub(super) fn forms<'c>(line: &Line<'_>, command: &'c Command) -> Vec<Cow<'c, Command>> {
    let mut done: Vec<String> = Vec::new();
    let mut forms = vec![Cow::Borrowed(command)];
    for _ in 0..MAX_DEPTH {
        let count = done.len();
        let with_values = |form: Cow<'c, Command>, done: &mut Vec<String>| filled(line, form, count, done);
        forms = forms.into_iter().flat_map(|form| with_values(form, &mut done)).take(MAX_FORMS).collect();
        if done.len() == count {
            break;
        }
    }
    forms
}

/// Returns the forms of a command with the values of its variables, apart from the first `count` of those that are `done`.
fn filled<'c>(
    line: &Line<'_>,
    command: Cow<'c, Command>,
    count: usize,
    done: &mut Vec<String>,
) -> Vec<Cow<'c, Command>> {
    let chosen: Vec<(String, Choice<'_>)> = chosen_variables(line, &command)
        .into_iter()
        .filter(|(name, _)| !done[..count].iter().any(|done| done == name))
        .map(|(name, choice)| (name.to_owned(), choice))
        .collect();
    done.extend(chosen.iter().map(|(name, _)| name.clone()));
    let count =
        |choice: &Choice<'_>| choice.values.len() + usize::from(choice.is_partial) + usize::from(choice.can_be_unset);
    let combined = chosen.iter().fold(1_usize, |product, (_, choice)| product.saturating_mul(count(choice)));
    let mut forms = vec![command];
    if combined <= MAX_COMBINED {
        for (name, choice) in &chosen {
            forms = forms.iter().flat_map(|form| with_each(form, name, choice)).collect();
        }
    } else {
        let each = chosen.iter().flat_map(|(name, choice)| with_each(&forms[0], name, choice)).take(MAX_FORMS - 1);
        forms = each.chain([forms[0].clone()]).collect::<Vec<_>>();
    }
    forms
}

/// Returns the forms of a command with each value of a variable.
fn with_each<'c>(form: &Cow<'c, Command>, name: &str, choice: &Choice<'_>) -> Vec<Cow<'c, Command>> {
    let is_unset = |part: &Part| matches!(part, Part::Variable { name: own, .. } if own == name);
    let without = (choice.can_be_unset || choice.is_partial).then(|| Cow::Owned(without(form, &is_unset)));
    // In `"${NAME##*/}"`, the quotes can be about the word or about the pattern.
    let is_ambiguous = |part: &Part| match part {
        Part::Variable { name: own, operation: Some(operation), .. } => {
            own == name && matches!(operation.operand.as_slice(), [Part::Literal { text, .. }] if text == "*/")
        }
        _ => false,
    };
    let has_patterns = [true, false];
    let ways =
        if parts_of(form).any(|word| word.parts.iter().any(is_ambiguous)) { &has_patterns } else { &has_patterns[..1] };
    let each = choice.values.iter().flat_map(|word| ways.iter().map(move |is_pattern| (word, *is_pattern)));
    let with = each.map(|(word, is_pattern)| Cow::Owned(with_value(form, name, word, is_pattern)));
    with.chain(without).chain(choice.is_partial.then(|| form.clone())).collect()
}

/// Returns the command as it is if no variable of the environment is set. `None` if that changes nothing.
pub(super) fn without_environment(line: &Line<'_>, command: &Command) -> Option<Command> {
    let is_unset = |part: &Part| match part {
        // `${NAME:?}` ends the command if the variable is not set.
        Part::Variable { operation: Some(operation), .. } if operation.operator.ends_with('?') => false,
        Part::Variable { name, .. } => name != "HOME" && line.is_of_environment(name),
        _ => false,
    };
    let is_plain = |word: &Word| !word.parts.iter().any(is_unset);
    // A program whose name is unknown needs a person anyway.
    if command.program == Program::Unknown || parts_of(command).all(is_plain) {
        return None;
    }
    Some(without(command, &is_unset))
}

/// Returns a command without the variables that are not set.
fn without(command: &Command, is_unset: &impl Fn(&Part) -> bool) -> Command {
    let mut changed = command.clone();
    changed.words = command.words.iter().filter_map(|word| emptied(word, is_unset)).collect();
    for redirect in &mut changed.redirects {
        redirect.target = emptied(&redirect.target, is_unset).unwrap_or_else(|| Word::plain("", redirect.target.span));
    }
    for Assignment { value, .. } in &mut changed.assignments {
        *value = emptied(value, is_unset).unwrap_or_else(|| Word::plain("", value.span));
    }
    changed
}

/// Returns the words of a command, the targets of its redirections and the values that it assigns.
fn parts_of(command: &Command) -> impl Iterator<Item = &Word> {
    let targets = command.redirects.iter().map(|redirect| &redirect.target);
    let values = command.assignments.iter().map(|assignment| &assignment.value);
    command.words.iter().chain(targets).chain(values)
}

/// Returns a word without the variables that are not set, or `None` if nothing is left of it.
fn emptied(word: &Word, is_unset: &impl Fn(&Part) -> bool) -> Option<Word> {
    let mut parts = Vec::with_capacity(word.parts.len());
    for part in &word.parts {
        match part {
            Part::Variable { operation, quoted, .. } if is_unset(part) => {
                if *quoted {
                    parts.push(Part::Literal { text: String::new(), origin: Origin::Quoted });
                }
                parts.extend(operation.iter().flat_map(|operation| default_of(operation)).cloned());
            }
            part => parts.push(part.clone()),
        }
    }
    (!parts.is_empty()).then_some(Word { parts, span: word.span })
}

/// Returns what an operation gives for a variable that is not set.
fn default_of(operation: &Operation) -> &[Part] {
    match operation.operator.as_str() {
        "-" | ":-" | "=" | ":=" => &operation.operand,
        _ => &[],
    }
}

/// Returns the variables of the command of which values are known, each once.
fn chosen_variables<'l, 'c>(line: &Line<'l>, command: &'c Command) -> Vec<(&'c str, Choice<'l>)> {
    let mut chosen: Vec<(&str, Choice<'_>)> = Vec::new();
    for part in parts_of(command).flat_map(|word| &word.parts) {
        if let Part::Variable { name, .. } = part
            && !chosen.iter().any(|(known, _)| known == name)
            && let Some(choice) = line.choice(name, command.scope)
        {
            chosen.push((name, choice));
        }
    }
    chosen
}

/// Returns the command with a value in place of a variable.
fn with_value(command: &Command, name: &str, value: &Word, is_pattern: bool) -> Command {
    let mut changed = command.clone();
    let targets = changed.redirects.iter_mut().map(|redirect| &mut redirect.target);
    let values = changed.assignments.iter_mut().map(|assignment| &mut assignment.value);
    for word in changed.words.iter_mut().chain(targets).chain(values) {
        let is_variable = |part: &Part| matches!(part, Part::Variable { name: own, .. } if own == name);
        if !word.parts.iter().any(is_variable) {
            continue;
        }
        let parts = std::mem::take(&mut word.parts);
        for part in parts {
            match &part {
                Part::Variable { operation, .. } if is_variable(&part) => {
                    match applied(operation.as_deref(), value, is_pattern) {
                        Some(parts) => word.parts.extend(parts),
                        None => word.parts.push(part),
                    }
                }
                _ => word.parts.push(part),
            }
        }
    }
    changed
}

/// Returns the parts of a value after an operation on it, such as `${file%.txt}`. `None` if the result is not certain. `is_pattern` says
/// whether a literal `*/` is a pattern.
fn applied(operation: Option<&Operation>, value: &Word, is_pattern: bool) -> Option<Vec<Part>> {
    let mut parts: Vec<Part> = value.parts.iter().map(as_expanded).collect();
    let Some(Operation { operator, operand }) = operation else { return Some(parts) };
    let is_empty = parts.iter().all(|part| matches!(part, Part::Literal { text, .. } if text.is_empty()));
    if is_empty && operator.starts_with(':') {
        return match operator.as_str() {
            ":-" | ":=" => Some(operand.clone()),
            _ => None,
        };
    }
    if operator == "##" && is_up_to_slash(operand, is_pattern) {
        let text = |part: &Part| matches!(part, Part::Literal { text, .. } if text.contains('/'));
        if let Some(at) = parts.iter().rposition(text) {
            parts.drain(..at);
            if let Some(Part::Literal { text, .. }) = parts.first_mut() {
                *text = text.rsplit('/').next().unwrap_or_default().to_owned();
            }
        }
        return Some(parts);
    }
    let [Part::Literal { text: affix, .. }] = operand.as_slice() else { return None };
    match (operator.as_str(), parts.first_mut()) {
        ("#" | "##", Some(Part::Literal { text, .. })) => {
            *text = text.strip_prefix(affix.as_str()).unwrap_or(text).to_owned();
        }
        ("%" | "%%", Some(_)) => {
            let Some(Part::Literal { text, .. }) = parts.last_mut() else { return None };
            *text = text.strip_suffix(affix.as_str()).unwrap_or(text).to_owned();
        }
        ("-" | ":-" | "?" | ":?" | "=" | ":=", _) => {}
        _ => return None,
    }
    Some(parts)
}

/// Returns whether an operand is `*/`, with which `##` gives the name of a file.
fn is_up_to_slash(operand: &[Part], is_pattern: bool) -> bool {
    match operand {
        [Part::Glob(Glob::AnyText), Part::Literal { text, .. }] => text == "/",
        [Part::Literal { text, .. }] => is_pattern && text == "*/",
        _ => false,
    }
}

/// Returns a part of a word as a part of a variable's value.
fn as_expanded(part: &Part) -> Part {
    match part {
        Part::Literal { text, .. } => Part::Literal { text: text.clone(), origin: Origin::Expanded },
        part => part.clone(),
    }
}
