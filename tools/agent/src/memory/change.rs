//! Applies the operations of the tool to a list of entries.

use toolc::redaction::Redactor;
use toolc::{ErrorKind, ToolError};

use super::{MemoryTarget, error};

/// The line between two entries in a file. An entry cannot have such a line.
pub(super) const SEPARATOR: &str = "§";

/// The maximum length of an entry in an error, in characters.
const SHOWN_CHARS: usize = 80;

/// A change of one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Operation {
    Add(String),
    Replace { old_text: String, content: String },
    Remove(String),
}

/// The entries after a change.
pub(super) struct ChangedEntries {
    pub(super) entries: Vec<String>,
    /// Notes about the change for the model.
    pub(super) notes: Vec<String>,
}

/// Applies all operations in order, or none. Only the result must fit into the budget, so that one call can replace entries with others.
pub(super) fn apply(
    target: MemoryTarget,
    mut entries: Vec<String>,
    operations: &[Operation],
    secrets: &Redactor,
) -> Result<ChangedEntries, ToolError> {
    let mut notes = Vec::new();
    for (number, operation) in (1..).zip(operations) {
        let with_number = |problem: ToolError| {
            if operations.len() == 1 {
                return problem;
            }
            ToolError::with_kind(problem.kind(), format!("operation {number}: {}", problem.message()))
        };
        apply_one(&mut entries, operation, secrets, &mut notes).map_err(with_number)?;
    }
    let (chars, max) = (total_chars(&entries), target.max_chars());
    let grows = operations.iter().any(|operation| !matches!(operation, Operation::Remove(_)));
    if chars > max && grows {
        return Err(error(&format!(
            "the entries of `{}` would have {chars} characters, {} more than the maximum of {max}: in the same call, remove what matters \
             least, or replace entries with shorter ones",
            target.word(),
            chars - max
        )));
    }
    Ok(ChangedEntries { entries, notes })
}

fn apply_one(
    entries: &mut Vec<String>,
    operation: &Operation,
    secrets: &Redactor,
    notes: &mut Vec<String>,
) -> Result<(), ToolError> {
    match operation {
        Operation::Add(content) => {
            let content = check_entry(content, secrets)?;
            if entries.contains(&content) {
                notes.push(format!("the entry \"{}\" already exists", beginning(&content)));
            } else {
                entries.push(content);
            }
        }
        Operation::Replace { old_text, content } => {
            let content = check_entry(content, secrets)?;
            let old = find(entries, old_text)?;
            let first = entries.iter().position(|entry| *entry == old);
            let mut index = 0;
            // Of equal entries, only the first is kept.
            entries.retain(|entry| {
                let keep = *entry != old && *entry != content || Some(index) == first;
                index += 1;
                keep
            });
            if let Some(entry) = entries.iter_mut().find(|entry| **entry == old) {
                *entry = content;
            }
        }
        Operation::Remove(old_text) => {
            let old = find(entries, old_text)?;
            entries.retain(|entry| *entry != old);
        }
    }
    Ok(())
}

/// Finds the only entry that equals the text, or else the only entry that contains it.
fn find(entries: &[String], old_text: &str) -> Result<String, ToolError> {
    let old_text = normalise(old_text);
    let shown = sanitize(entries);
    let find_all = |is_match: &dyn Fn(&str) -> bool| {
        let mut matching: Vec<&String> =
            entries.iter().zip(&shown).filter(|(_, shown)| is_match(shown)).map(|(entry, _)| entry).collect();
        matching.dedup();
        matching
    };
    let mut matching = find_all(&|shown| shown == old_text);
    if matching.is_empty() {
        matching = find_all(&|shown| shown.contains(&old_text));
    }
    let list = |entries: &[&str]| {
        let entries: Vec<String> = entries.iter().map(|entry| format!("\n- {}", beginning(entry))).collect();
        entries.concat()
    };
    match &matching[..] {
        [entry] => Ok((*entry).clone()),
        [] if entries.is_empty() => {
            Err(error(&format!("no entry contains \"{}\", because no entries exist", beginning(&old_text))))
        }
        [] => {
            let all: Vec<&str> = shown.iter().map(String::as_str).collect();
            let message = format!(
                "no entry contains the text \"{}\". Nothing was changed. The entries:{}",
                beginning(&old_text),
                list(&all)
            );
            Err(ToolError::with_kind(ErrorKind::NotFound, message))
        }
        several => {
            let fitting: Vec<&str> =
                shown.iter().map(String::as_str).filter(|shown| shown.contains(&old_text)).collect();
            Err(ToolError::new(format!(
                "{} entries contain the text \"{}\": pass a part that only one entry contains. Nothing was changed. The entries:{}",
                several.len(),
                beginning(&old_text),
                list(&fitting)
            )))
        }
    }
}

/// Checks and normalises an entry.
///
/// # Errors
/// Returns an error if the entry would manipulate a model that reads it, contains a secret, or contains the separator of the file.
fn check_entry(content: &str, secrets: &Redactor) -> Result<String, ToolError> {
    let content = normalise(content);
    if content.lines().any(|line| line.trim() == SEPARATOR) {
        return Err(error("an entry cannot contain a line with only `§`, which separates entries in the file"));
    }
    if secrets.kept_text(&content) != content {
        let message = "the entry is refused, because it contains a secret, such as a key, a token or a value of `.env`, which notes would \
                       show to every later conversation. Nothing was changed. Write down where the secret is, such as the name of its \
                       variable, instead of the secret";
        return Err(ToolError::with_kind(ErrorKind::Refused, message));
    }
    if let Some(problem) = toolc_scan::problem(&content) {
        let message = format!(
            "the entry is refused, because later conversations would take it for an instruction: {problem}. Nothing was changed. \
             Write down the fact in plain words, if there is one"
        );
        return Err(ToolError::with_kind(ErrorKind::Refused, message));
    }
    Ok(content)
}

/// Returns a text with `\n` as line endings, and without surrounding blanks.
fn normalise(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n").trim().to_owned()
}

/// Returns the entries as a model may see them. An entry that would manipulate the model is replaced with a placeholder, by which the
/// model can remove the entry.
pub(super) fn sanitize(entries: &[String]) -> Vec<String> {
    let sanitized = |(number, entry): (usize, &String)| match toolc_scan::manipulation(entry) {
        Some(found) => format!("[entry {number} is not shown: it {}]", found.what),
        None => match toolc_scan::hidden_character(entry) {
            Some(name) => format!("[entry {number} is not shown: it contains the invisible character {name}]"),
            None => entry.clone(),
        },
    };
    (1..).zip(entries).map(sanitized).collect()
}

/// Returns the number of characters of entries in their file.
pub(super) fn total_chars(entries: &[String]) -> usize {
    let chars: usize = entries.iter().map(|entry| entry.chars().count()).sum();
    chars + entries.len().saturating_sub(1) * (SEPARATOR.chars().count() + 2)
}

fn beginning(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    toolc::text::beginning(&line, SHOWN_CHARS).into_owned()
}
