//! What to tell a model whose text was not found, or not found once: enough to get it right without another
//! look at the file.

use std::collections::HashMap;
use std::fmt::Write;

use toolc::{ErrorKind, ToolError};

use super::find::{Miss, Search};

impl Miss {
    /// The error for the model. `path`: the file's.
    pub(super) fn explain(self, search: &Search<'_>, path: &str) -> ToolError {
        match self {
            Miss::Several(count, places) => {
                let mut lines: Vec<_> = places.iter().map(|&at| line_number(search.text, at).to_string()).collect();
                lines.dedup();
                let more = if count > places.len() { ", ..." } else { "" };
                ToolError::new(format!(
                    "the old text stands {count} times in `{path}` (line {}{more}): add lines around it until it is \
                     unique, or set replace_all to change every one. Nothing was written.",
                    lines.join(", ")
                ))
            }
            Miss::TooMuch => ToolError::with_kind(
                ErrorKind::Refused,
                format!("`{path}` would become too large, and nothing was written; edit it with a script"),
            ),
            Miss::Nowhere => {
                let mut message = format!("the old text is not in `{path}`, and nothing was written.");
                if !search.new.trim().is_empty() && search.text.contains(search.new) {
                    message.push_str(" The new text is: perhaps this edit was made before.");
                }
                match closest(search.text, search.old) {
                    Some(excerpt) => {
                        let _ = write!(
                            message,
                            " The closest lines are these; copy the text from them, without numbers:\n{excerpt}"
                        );
                    }
                    None => message.push_str(" No line is like it: read the file again."),
                }
                ToolError::with_kind(ErrorKind::NotFound, message)
            }
        }
    }
}

fn line_number(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// The lines that the old text was probably meant to be, numbered.
fn closest(text: &str, old: &str) -> Option<String> {
    const AROUND: usize = 2;
    const MOST_LINES: usize = 10;
    const LONGEST_LINE: usize = 120;
    let lines: Vec<&str> = text.lines().collect();
    let start = by_votes(&lines, old).or_else(|| by_likeness(&lines, old))?.saturating_sub(AROUND);
    let count = (old.lines().count() + 2 * AROUND).min(MOST_LINES);
    let mut excerpt = String::new();
    for (number, line) in lines.iter().enumerate().skip(start).take(count) {
        let line: String = line.chars().take(LONGEST_LINE).collect();
        let _ = writeln!(excerpt, "{:>6}|{line}", number + 1);
    }
    Some(excerpt)
}

/// Where most lines of the old text would be in their place: each line that is found votes for a beginning.
fn by_votes(lines: &[&str], old: &str) -> Option<usize> {
    const HEARD: usize = 50;
    let mut witnesses: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in old.lines().enumerate().take(HEARD) {
        // A lone bracket proves nothing.
        if line.trim().len() > 2 {
            witnesses.entry(line.trim()).or_default().push(at);
        }
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        for offset in witnesses.get(line.trim()).into_iter().flatten() {
            *votes.entry(at.saturating_sub(*offset)).or_default() += 1;
        }
    }
    votes.into_iter().max_by_key(|&(start, votes)| (votes, std::cmp::Reverse(start))).map(|(start, _)| start)
}

/// The line that looks most like the first line of the old text.
fn by_likeness(lines: &[&str], old: &str) -> Option<usize> {
    /// The measure costs some microseconds a line.
    const LOOKED_AT: usize = 10_000;
    const LONGEST: usize = 300;
    const ENOUGH: f64 = 0.5;
    let (offset, wanted) = old.lines().enumerate().find(|(_, line)| line.trim().len() > 2)?;
    let wanted: String = wanted.trim().chars().take(LONGEST).collect();
    let likeness = |line: &str| strsim::sorensen_dice(&wanted, line.trim());
    let candidates = lines.iter().enumerate().take(LOOKED_AT).filter(|(_, line)| line.len() <= LONGEST);
    let scored = candidates.map(|(at, line)| (at, likeness(line))).filter(|(_, score)| *score >= ENOUGH);
    // The first of equals: `max_by` would take the last.
    let best = scored.reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map(|(at, _)| at.saturating_sub(offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_lines_are_found_by_their_equals_or_by_likeness() {
        let text = (1..=40).map(|i| format!("let value_{i} = compute({i});")).collect::<Vec<_>>().join("\n");
        let votes = closest(&text, "let wrong = 1;\nlet value_20 = compute(20);\nlet value_21 = compute(21);").unwrap();
        assert!(votes.starts_with("    17|let value_17") && votes.lines().count() == 7, "{votes}");
        let like = closest("alpha\nfn handle_request(x: u32) {\nomega\n", "fn handle_requests(x: u64) {").unwrap();
        assert_eq!(like, "     1|alpha\n     2|fn handle_request(x: u32) {\n     3|omega\n");
        assert_eq!(closest("alpha\nbeta\n", "something else entirely"), None);
    }
}
