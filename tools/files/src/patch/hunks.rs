//! Finds where hunks apply in a text, by the lines that they keep and remove. Line numbers only decide between several places.

use std::fmt::Write;
use std::ops::Range;

use super::change::{Hunk, Op};
use super::endings::NormalizedText;
use super::failure::closest;
use super::find::{Comparison, Edit, Line, lines, occurrences};
use super::indent::IndentUnit;

/// The maximum number of comparisons of lines for the hunks of a file: they take about a second.
const MAX_COMPARISONS: usize = 100_000_000;

/// The text with all hunks applied.
#[derive(Debug)]
pub(super) struct Applied {
    pub(super) text: String,
    /// The least exact comparison by which a hunk was found.
    pub(super) comparison: Comparison,
}

/// The reason why a hunk cannot be applied.
#[derive(Debug)]
pub(super) struct HunkFailure {
    /// The index of the hunk in the file, from 1.
    pub(super) index: usize,
    /// The line number of the hunk in the patch.
    pub(super) patch_line: usize,
    /// The problem, and what to do, for the model.
    pub(super) problem: String,
    /// Whether the lines of the hunk are not in the file.
    pub(super) is_not_found: bool,
}

/// Applies the hunks to a text. If `sequential`, each hunk applies to the result of the previous ones.
pub(super) fn apply(text: &str, hunks: &[Hunk<'_>], sequential: bool) -> Result<Applied, Vec<HunkFailure>> {
    if !sequential {
        return apply_all(text, hunks);
    }
    let mut applied = Applied { text: text.to_owned(), comparison: Comparison::Exact };
    for (index, hunk) in hunks.iter().enumerate() {
        let result = apply_all(&applied.text, std::slice::from_ref(hunk));
        let next = result.map_err(|mut failures| {
            for failure in &mut failures {
                failure.index = index + 1;
            }
            failures
        })?;
        applied = Applied { text: next.text, comparison: applied.comparison.max(next.comparison) };
    }
    Ok(applied)
}

fn apply_all(original: &str, hunks: &[Hunk<'_>]) -> Result<Applied, Vec<HunkFailure>> {
    let normalized = NormalizedText::new(original);
    let text = normalized.normalized();
    let mut placement = Placement {
        text,
        lines: lines(text),
        keys: [const { None }; 3],
        budget: MAX_COMPARISONS,
        unit: IndentUnit::of_file(text),
        covered: Vec::new(),
        edits: Vec::new(),
        comparison: Comparison::Exact,
        drift: 0,
        cursor: 0,
        final_newline: None,
    };
    let mut failures = Vec::new();
    let is_change = hunks.iter().any(Hunk::is_change);
    for (index, hunk) in hunks.iter().enumerate() {
        // A hunk without a change is accepted only if another hunk changes something: it restricts where that hunk can be.
        let result = if is_change { placement.place(hunk) } else { Err(Problem::ChangesNothing) };
        if let Err(problem) = result {
            let is_not_found = matches!(problem, Problem::NotFound | Problem::AnchorNotFound(_));
            let problem = problem.explain(hunk, text);
            failures.push(HunkFailure { index: index + 1, patch_line: hunk.patch_line, problem, is_not_found });
        }
    }
    if !failures.is_empty() {
        return Err(failures);
    }
    let Placement { mut edits, comparison, final_newline, .. } = placement;
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let edits: Vec<_> = edits.into_iter().map(|edit| normalized.to_original(edit)).collect();
    let mut text = super::apply(original, &edits);
    match final_newline {
        Some(true) if !text.is_empty() && !text.ends_with('\n') => text.push_str(normalized.main_ending()),
        Some(false) => {
            let len = text.strip_suffix('\n').map_or(text.len(), |rest| rest.strip_suffix('\r').unwrap_or(rest).len());
            text.truncate(len);
        }
        _ => {}
    }
    Ok(Applied { text, comparison })
}

/// The hunks that have been placed so far.
struct Placement<'a> {
    text: &'a str,
    lines: Vec<Line<'a>>,
    /// The parts of the lines that each [`Comparison`] compares, computed when they are first needed.
    keys: [Option<Vec<&'a str>>; 3],
    /// The number of remaining comparisons of lines.
    budget: usize,
    unit: Option<IndentUnit>,
    /// The lines that the placed hunks cover.
    covered: Vec<Range<usize>>,
    edits: Vec<Edit>,
    comparison: Comparison,
    /// The difference between the line at which the last numbered hunk was found and its line number.
    drift: isize,
    /// The line after the last hunk.
    cursor: usize,
    /// Whether the new text must end with a newline. `None` if no hunk determines this.
    final_newline: Option<bool>,
}

enum Problem {
    NotFound,
    /// The hunk occurs at several lines, which have these numbers, from 1.
    Ambiguous(Vec<usize>),
    /// Other hunks cover all lines at which the hunk occurs.
    Overlaps,
    AnchorNotFound(String),
    NoContext,
    ChangesNothing,
    TooManyComparisons,
}

impl Placement<'_> {
    fn place(&mut self, hunk: &Hunk<'_>) -> Result<(), Problem> {
        let anchor = self.last_anchor(hunk)?;
        let old = hunk.old_lines();
        if old.is_empty() {
            let at = self.place_without_context(hunk, anchor)?;
            if self.covered.iter().any(|covered| covered.start < at && at < covered.end) {
                return Err(Problem::Overlaps);
            }
            self.add(hunk, at, Comparison::Exact);
            return Ok(());
        }
        for comparison in [Comparison::Exact, Comparison::TrailingBlanks, Comparison::Indentation] {
            if comparison != Comparison::Exact && old.iter().all(|line| line.trim().is_empty()) {
                break;
            }
            let keys = self.keys[comparison as usize].get_or_insert_with(|| comparison.keys(&self.lines));
            let old_keys: Vec<_> = old.iter().map(|line| comparison.key(line)).collect();
            let mut candidates = occurrences(keys, &old_keys, &mut self.budget).ok_or(Problem::TooManyComparisons)?;
            if comparison == Comparison::Indentation {
                candidates.retain(|&at| self.adapted(hunk, at, comparison).is_some());
            }
            if candidates.is_empty() {
                continue;
            }
            candidates
                .retain(|&at| !self.covered.iter().any(|covered| at < covered.end && covered.start < at + old.len()));
            if candidates.is_empty() {
                return Err(Problem::Overlaps);
            }
            let at = self.select(hunk, candidates, old.len(), anchor)?;
            self.add(hunk, at, comparison);
            return Ok(());
        }
        Err(Problem::NotFound)
    }

    /// Returns the line of the last anchor of the hunk, after which the hunk must be.
    fn last_anchor(&self, hunk: &Hunk<'_>) -> Result<Option<usize>, Problem> {
        let mut at = None;
        for anchor in &hunk.anchors {
            let find = |from: usize, matches: &dyn Fn(&str) -> bool| {
                (from..self.lines.len()).find(|&line| matches(self.lines[line].text.trim()))
            };
            let from = at.map_or(self.cursor, |at| at + 1);
            let found =
                find(from, &|line| line == anchor.trim()).or_else(|| find(from, &|line| line.contains(anchor.trim())));
            // The first anchor may also be before the last hunk.
            let found =
                found.or_else(|| if at.is_none() { find(0, &|line| line.contains(anchor.trim())) } else { None });
            at = Some(found.ok_or_else(|| Problem::AnchorNotFound((*anchor).to_owned()))?);
        }
        Ok(at)
    }

    fn place_without_context(&self, hunk: &Hunk<'_>, anchor: Option<usize>) -> Result<usize, Problem> {
        match anchor {
            _ if self.text.is_empty() => Ok(0),
            _ if hunk.at_end => Ok(self.lines.len()),
            Some(anchor) => Ok(anchor + 1),
            None => Err(Problem::NoContext),
        }
    }

    /// Selects one of the lines at which the hunk could be.
    fn select(
        &self,
        hunk: &Hunk<'_>,
        mut candidates: Vec<usize>,
        len: usize,
        anchor: Option<usize>,
    ) -> Result<usize, Problem> {
        if let Some(anchor) = anchor {
            candidates.retain(|&at| at >= anchor);
            candidates.truncate(1);
            return candidates.pop().ok_or(Problem::NotFound);
        }
        let is_last = |&at: &usize| at + len == self.lines.len();
        if hunk.at_end && candidates.iter().any(is_last) {
            candidates.retain(is_last);
        }
        if let Some(start) = hunk.start {
            let expected = start.saturating_sub(1).checked_add_signed(self.drift).unwrap_or(0);
            candidates.sort_by_key(|&at| (at.abs_diff(expected), at));
            if let [first, second, ..] = candidates[..]
                && first.abs_diff(expected) == second.abs_diff(expected)
            {
                return Err(Problem::Ambiguous(vec![first + 1, second + 1]));
            }
            candidates.truncate(1);
        }
        if candidates.len() > 1 {
            // Hunks are in the order of the file.
            let after: Vec<_> = candidates.iter().copied().filter(|&at| at >= self.cursor).collect();
            if let ([only], true) = (&after[..], self.cursor > 0) {
                return Ok(*only);
            }
        }
        match candidates[..] {
            [] => Err(Problem::NotFound),
            [at] => Ok(at),
            _ => Err(Problem::Ambiguous(candidates.iter().map(|at| at + 1).collect())),
        }
    }

    /// Returns the added lines with the indentation of the file at `at`, or `None` if no single rule fits the indentation of the lines.
    fn adapted(&self, hunk: &Hunk<'_>, at: usize, comparison: Comparison) -> Option<Vec<String>> {
        let old = hunk.old_lines();
        let window = &self.lines[at..at + old.len()];
        let added: Vec<_> = hunk.lines.iter().filter(|(op, _)| *op == Op::Add).map(|(_, line)| *line).collect();
        if added.is_empty() {
            // There is nothing to adapt, but one rule must still fit the indentation of all lines.
            return comparison.adapt(window, &old, "", self.unit).map(|_| Vec::new());
        }
        let adapted = comparison.adapt(window, &old, &added.join("\n"), self.unit)?;
        Some(adapted.split('\n').map(str::to_owned).collect())
    }

    /// Adds the edits of a hunk whose first old line is the line at the index `at`.
    fn add(&mut self, hunk: &Hunk<'_>, at: usize, comparison: Comparison) {
        let added = if hunk.old_lines().is_empty() { None } else { self.adapted(hunk, at, comparison) };
        let added = added.unwrap_or_else(|| hunk.new_lines().into_iter().map(str::to_owned).collect());
        let mut added = added.into_iter();
        let mut next = at;
        let mut replaced = at..at;
        let mut new = Vec::new();
        for (op, _) in &hunk.lines {
            match op {
                Op::Remove => next += 1,
                Op::Add => new.extend(added.next()),
                Op::Keep => {
                    self.edit(replaced.start..next, &new);
                    new.clear();
                    next += 1;
                    replaced = next..next;
                }
            }
        }
        self.edit(replaced.start..next, &new);
        if next == self.lines.len() && hunk.old_unterminated != hunk.new_unterminated {
            self.final_newline = Some(hunk.old_unterminated);
        }
        if let Some(start) = hunk.start {
            self.drift = at.cast_signed() - start.saturating_sub(1).cast_signed();
        }
        self.covered.push(at..next);
        self.cursor = self.cursor.max(next);
        self.comparison = self.comparison.max(comparison);
    }

    /// Replaces lines.
    fn edit(&mut self, replaced: Range<usize>, new: &[String]) {
        if replaced.is_empty() && new.is_empty() {
            return;
        }
        let start = |line: usize| self.lines.get(line).map_or(self.text.len(), |line| line.start);
        let range = start(replaced.start)..start(replaced.end);
        let mut new = new.iter().flat_map(|line| [line, "\n"]).collect::<String>();
        let ends_unterminated = !self.text.is_empty() && !self.text.ends_with('\n');
        if ends_unterminated && replaced.end == self.lines.len() {
            // The last line has no newline, neither before nor after the edit.
            new.pop();
            if replaced.is_empty() {
                new.insert(0, '\n');
            }
        }
        self.edits.push(Edit { range, new });
    }
}

impl Problem {
    fn explain(self, hunk: &Hunk<'_>, text: &str) -> String {
        match self {
            Problem::NotFound => {
                let mut message = format!("these lines are not in the file:\n{}", excerpt(&hunk.old_lines()));
                let new = hunk.new_lines().join("\n");
                if !new.trim().is_empty() && text.contains(&new) {
                    message.push_str("The new lines are in the file: perhaps the hunk has already been applied. ");
                }
                match closest(text, &hunk.old_lines().join("\n")) {
                    Some(closest) => {
                        let _ = write!(message, "The closest lines of the file are these:\n{closest}");
                    }
                    None => message.push_str("No line of the file is similar: read the file again"),
                }
                message
            }
            Problem::Ambiguous(numbers) => {
                const MAX_NUMBERS: usize = 5;
                let more = if numbers.len() > MAX_NUMBERS { ", ..." } else { "" };
                let shown: Vec<_> = numbers.iter().take(MAX_NUMBERS).map(usize::to_string).collect();
                format!(
                    "the lines of the hunk occur several times (line {}{more}): add unchanged lines around the change until they are unique",
                    shown.join(", ")
                )
            }
            Problem::Overlaps => "the lines of the hunk are part of another hunk: join the two hunks".to_owned(),
            Problem::AnchorNotFound(anchor) => {
                let mut message = format!("no line of the file contains the text `{anchor}` after `@@`");
                if let Some(closest) = closest(text, &anchor) {
                    let _ = write!(message, ". The closest lines of the file are these:\n{closest}");
                }
                message
            }
            Problem::NoContext => {
                "the hunk has only new lines, so its place is unknown: add the unchanged lines around them".to_owned()
            }
            Problem::TooManyComparisons => {
                "finding the lines of the hunk takes too long: apply fewer hunks at once".to_owned()
            }
            Problem::ChangesNothing => "the hunk neither adds nor removes a line".to_owned(),
        }
    }
}

/// Returns the first of some lines, for a message.
fn excerpt(lines: &[&str]) -> String {
    const MAX_LINES: usize = 8;
    const MAX_LINE_CHARS: usize = 120;
    let mut text = String::new();
    for line in lines.iter().take(MAX_LINES) {
        let line: String = line.chars().take(MAX_LINE_CHARS).collect();
        let _ = writeln!(text, "       {line}");
    }
    if lines.len() > MAX_LINES {
        let _ = writeln!(text, "       ... and {} more", lines.len() - MAX_LINES);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunk(lines: &[(Op, &'static str)], start: Option<usize>) -> Hunk<'static> {
        Hunk { lines: lines.to_vec(), start, ..Hunk::default() }
    }

    #[test]
    fn many_hunks_in_a_long_file_are_placed() {
        let text: String = (0..50_000).map(|line| format!("line {line}\n")).collect::<Vec<_>>().concat();
        let lines: Vec<_> = (0..1_000).map(|at| format!("line {}", at * 50)).collect();
        let hunks: Vec<_> = lines
            .iter()
            .map(|line| Hunk { lines: vec![(Op::Remove, &**line), (Op::Add, "new")], ..Hunk::default() })
            .collect();
        let applied = apply(&text, &hunks, false).unwrap();
        assert_eq!(applied.text.matches("new\n").count(), 1_000);
    }

    #[test]
    fn a_search_in_a_repetitive_text_ends() {
        let text = "x\n".repeat(200_000);
        let lines: Vec<_> = (0..20_000).map(|_| (Op::Keep, "x")).chain([(Op::Add, "y")]).collect();
        let failures = apply(&text, &[hunk(&lines, None)], false).unwrap_err();
        assert!(failures[0].problem.contains("takes too long"), "{failures:?}");
    }
}
