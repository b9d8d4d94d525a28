//! Comments that allow a finding: `# lint: allow CODE reason`.
//!
//! At the end of a line, the comment covers the values that start on that line. On a line of its own, it covers those that start on
//! the next line that is neither empty nor a comment. At the top of a file, followed by an empty line, it covers the file. A comment
//! that covers a table header covers the whole table.

use std::ops::Range;

use super::levels::{Selected, select};
use crate::diagnostic::{Code, Diagnostic, Edit, Place, Places, Sink, SourceId};
use crate::lint::codes;
use crate::source::COMMENT_PREFIX;

const USAGE: &str = "write `# lint: allow CODE reason`, with a rule's code or name";

/// Removes the findings that comments allow, and reports comments that allow none. `rules` are the enabled rules.
pub(super) fn apply(places: &Places<'_>, rules: &[Code], sink: &Sink) {
    let mut allows = Vec::new();
    for (id, source) in (0..).map(SourceId).zip(places.sources.all()) {
        if source.has_comments() {
            allows.extend(comments(id, places).into_iter().filter_map(|comment| comment.read(places, sink)));
        }
    }
    if allows.is_empty() {
        return;
    }
    let mut used = vec![false; allows.len()];
    sink.retain(|found| {
        let mut covering = (0..allows.len()).filter(|&index| allows[index].covers(found, places)).peekable();
        let is_kept = covering.peek().is_none();
        covering.for_each(|index| used[index] = true);
        is_kept
    });
    for (allow, _) in allows.iter().zip(used).filter(|(allow, used)| !used && rules.contains(&allow.code)) {
        let message = format!("no finding of `{}` to allow here", allow.code.name);
        sink.push(
            Diagnostic::new(codes::UNUSED_ALLOW, allow.comment.place, message)
                .help("remove the comment")
                .fix(Edit::Replace(allow.comment.whole, String::new())),
        );
    }
}

struct Comment {
    /// The text after `lint:`.
    text: String,
    place: Place,
    /// The text that is removed together with the comment.
    whole: Place,
    /// The JSON Pointers of the covered values.
    covers: Vec<String>,
}

struct Allow {
    code: Code,
    comment: Comment,
}

impl Comment {
    /// Parses the comment. An invalid one is reported.
    fn read(self, places: &Places<'_>, sink: &Sink) -> Option<Allow> {
        let report = |code: Code, message: String| Diagnostic::new(code, self.place, message);
        let mut words = self.text.split_whitespace();
        let (Some("allow"), Some(name)) = (words.next(), words.next()) else {
            sink.push(report(codes::UNKNOWN_CODE, "invalid `lint:` comment".to_owned()).help(USAGE));
            return None;
        };
        let code = match select(name) {
            Selected::Rules(rules) if rules.len() == 1 && name.len() > 1 => rules[0],
            Selected::Fixed(code) => {
                let message = format!("`{}` is always an error and cannot be allowed", code.name);
                sink.push(report(codes::UNKNOWN_CODE, message).help("correct the error, and remove the comment"));
                return None;
            }
            _ => {
                let names = super::all_codes().filter(|code| !code.is_fixed()).map(|code| code.name);
                let found = report(codes::UNKNOWN_CODE, format!("unknown rule `{name}`"));
                sink.push(found.help_nearest(name, names, "the rules are").help(USAGE));
                return None;
            }
        };
        if words.next().is_none() {
            let line = places.positions(self.place)[0].line;
            sink.push(
                report(codes::ALLOW_WITHOUT_REASON, format!("line {line} allows `{}` without a reason", code.name))
                    .help(format!("add the reason: `# lint: allow {name} reason`")),
            );
        }
        Some(Allow { code, comment: self })
    }
}

impl Allow {
    fn covers(&self, found: &Diagnostic, places: &Places<'_>) -> bool {
        let (place, _) = found.at;
        if found.code != self.code || place.source != self.comment.place.source {
            return false;
        }
        let pointer = places.pointer(place);
        let contains = |covered: &String| {
            pointer.strip_prefix(covered).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.comment.covers.iter().any(contains)
    }
}

/// Returns the `lint:` comments of a file.
fn comments(id: SourceId, places: &Places<'_>) -> Vec<Comment> {
    let (text, tree) = (&places.sources.get(id).text, places.tree(id));
    let Some(first) = tree.start() else { return Vec::new() };
    let mut found = Vec::new();
    for line in lines(text) {
        let written = &text[line.clone()];
        let hashes = written.match_indices('#').map(|(at, _)| line.start + at);
        let Some(start) = hashes.into_iter().find(|&at| !tree.is_in_string(at)) else { continue };
        let comment = text[start..line.end].trim_end();
        let Some(content) = comment[1..].trim_start().strip_prefix(COMMENT_PREFIX) else { continue };
        let before = text[line.start..start].trim_end();
        let covers = if before.is_empty() { next_value_line(text, &line, first) } else { Some(line.clone()) };
        let whole = if before.is_empty() { line.clone() } else { line.start + before.len()..start + comment.len() };
        found.push(Comment {
            text: content.to_owned(),
            place: Place::new(id, start..start + comment.len()),
            whole: Place::new(id, whole),
            covers: covers.map_or_else(|| vec![String::new()], |line| tree.starting_in(&line)),
        });
    }
    found
}

/// Returns the line that a comment on a line of its own covers, or `None` if it covers the whole file.
fn next_value_line(text: &str, line: &Range<usize>, first: usize) -> Option<Range<usize>> {
    let mut has_empty_line = false;
    for below in lines(text).skip_while(|other| other.start <= line.start) {
        let written = text[below.clone()].trim();
        if !written.is_empty() && !written.starts_with('#') {
            return (!has_empty_line || line.start > first).then_some(below);
        }
        has_empty_line |= written.is_empty();
    }
    Some(line.clone())
}

/// Returns the span of each line, including its line break.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some(start..*at)
    })
}
