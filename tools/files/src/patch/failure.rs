//! Errors for the model if the old text was not found or is not unique. They show enough of the file for a correct second attempt.

use std::collections::HashMap;
use std::fmt::Write;

use toolc::{ErrorKind, ToolError};

use super::find::{Failure, Search};

impl Failure {
    /// Returns the error for the model. `path` is the path of the file.
    pub(super) fn explain(self, search: &Search<'_>, path: &str) -> ToolError {
        match self {
            Failure::NotUnique { count, first } => {
                let mut lines: Vec<_> = first.iter().map(|&at| line_number(search.text, at).to_string()).collect();
                lines.dedup();
                let more = if count > first.len() { ", ..." } else { "" };
                ToolError::new(format!(
                    "the old text occurs {count} times in `{path}` (line {}{more}): add lines around it until it is \
                     unique, or set replace_all to change every occurrence. Nothing was written.",
                    lines.join(", ")
                ))
            }
            Failure::TooLarge => ToolError::with_kind(
                ErrorKind::Refused,
                format!("`{path}` would become too large, so nothing was written; edit it with a script"),
            ),
            Failure::NotFound => {
                let mut message = format!("the old text is not in `{path}`; nothing was written.");
                if !search.new.trim().is_empty() && search.text.contains(search.new) {
                    message.push_str(" The new text is in the file: perhaps this edit has already been made.");
                }
                match closest(search.text, search.old) {
                    Some(excerpt) => {
                        let _ = write!(
                            message,
                            " The closest lines are these; copy the text from them, without numbers:\n{excerpt}"
                        );
                    }
                    None => message.push_str(" No line is similar: read the file again."),
                }
                ToolError::with_kind(ErrorKind::NotFound, message)
            }
        }
    }
}

/// Returns the line number of a byte position, from 1.
fn line_number(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// Returns the lines of the file that are most similar to the old text, with line numbers.
pub(super) fn closest(text: &str, old: &str) -> Option<String> {
    const CONTEXT: usize = 2;
    const MAX_LINES: usize = 10;
    const MAX_LINE_CHARS: usize = 120;
    let lines: Vec<&str> = text.lines().collect();
    let start = by_votes(&lines, old).or_else(|| by_similarity(&lines, old))?.saturating_sub(CONTEXT);
    let count = (old.lines().count() + 2 * CONTEXT).min(MAX_LINES);
    let mut excerpt = String::new();
    for (number, line) in lines.iter().enumerate().skip(start).take(count) {
        let line: String = line.chars().take(MAX_LINE_CHARS).collect();
        let _ = writeln!(excerpt, "{:>6}|{line}", number + 1);
    }
    Some(excerpt)
}

/// Returns the line index at which most lines of the old text would match: each line that equals a line of the file votes for a start.
fn by_votes(lines: &[&str], old: &str) -> Option<usize> {
    const MAX_OLD_LINES: usize = 50;
    let mut offsets: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in old.lines().enumerate().take(MAX_OLD_LINES) {
        // Lines such as a single bracket are too common.
        if line.trim().len() > 2 {
            offsets.entry(line.trim()).or_default().push(at);
        }
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        for offset in offsets.get(line.trim()).into_iter().flatten() {
            *votes.entry(at.saturating_sub(*offset)).or_default() += 1;
        }
    }
    votes.into_iter().max_by_key(|&(start, votes)| (votes, std::cmp::Reverse(start))).map(|(start, _)| start)
}

/// Returns the index of the line that is most similar to the first significant line of the old text.
fn by_similarity(lines: &[&str], old: &str) -> Option<usize> {
    /// Comparing a line takes some microseconds.
    const MAX_LINES: usize = 10_000;
    const MAX_LINE_LEN: usize = 300;
    const MIN_SIMILARITY: f64 = 0.5;
    let (offset, expected) = old.lines().enumerate().find(|(_, line)| line.trim().len() > 2)?;
    let expected: String = expected.trim().chars().take(MAX_LINE_LEN).collect();
    let similarity = |line: &str| strsim::sorensen_dice(&expected, line.trim());
    let candidates = lines.iter().enumerate().take(MAX_LINES).filter(|(_, line)| line.len() <= MAX_LINE_LEN);
    let scored = candidates.map(|(at, line)| (at, similarity(line))).filter(|(_, score)| *score >= MIN_SIMILARITY);
    // Take the first of equal scores; `max_by` would take the last.
    let best = scored.reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map(|(at, _)| at.saturating_sub(offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_lines_have_equal_or_similar_lines() {
        let text = (1..=40).map(|i| format!("let value_{i} = compute({i});")).collect::<Vec<_>>().join("\n");
        let votes = closest(&text, "let wrong = 1;\nlet value_20 = compute(20);\nlet value_21 = compute(21);").unwrap();
        assert!(votes.starts_with("    17|let value_17") && votes.lines().count() == 7, "{votes}");
        let similar = closest("alpha\nfn handle_request(x: u32) {\nomega\n", "fn handle_requests(x: u64) {").unwrap();
        assert_eq!(similar, "     1|alpha\n     2|fn handle_request(x: u32) {\n     3|omega\n");
        assert_eq!(closest("alpha\nbeta\n", "something else entirely"), None);
    }
}
