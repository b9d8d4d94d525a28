//! Comments that allow a finding: `# lint: allow CODE reason`.
//!
//! At the end of a line, such a comment covers whatever begins in that line, to its end; on a line of its own, what
//! begins in the next line that is neither empty nor a comment. At the top of a file, with an empty line below it, it
//! covers the file. What a header begins is its whole table.

use std::ops::Range;

use super::levels::{Selected, select};
use crate::diagnostic::{Code, Diagnostic, Edit, Place, Places, Sink, SourceId};

/// What such a comment begins with, behind its `#`.
const LEAD: &str = "lint:";
const USAGE: &str = "write `# lint: allow CODE reason`, with a rule's code or name";

/// Takes away what comments allow, and tells of comments that allow nothing. `rules`: those that are looked for.
pub(super) fn apply(places: &Places<'_>, rules: &[Code], sink: &Sink) {
    let mut allows = Vec::new();
    for (id, source) in (0..).map(SourceId).zip(places.sources.all()) {
        if source.text.contains(LEAD) {
            allows.extend(comments(id, places).into_iter().filter_map(|comment| comment.read(places, sink)));
        }
    }
    if allows.is_empty() {
        return;
    }
    let mut used = vec![false; allows.len()];
    sink.retain(|found| {
        let mut covering = (0..allows.len()).filter(|&index| allows[index].covers(found, places)).peekable();
        let matches = covering.peek().is_none();
        covering.for_each(|index| used[index] = true);
        matches
    });
    for (allow, _) in allows.iter().zip(used).filter(|(allow, used)| !used && rules.contains(&allow.code)) {
        let message = format!("there is no `{}` to allow here", allow.code.name);
        sink.push(
            Diagnostic::new(Code::UNUSED_ALLOW, allow.comment.place, message)
                .help("take the comment out")
                .fix(Edit::Replace(allow.comment.whole, String::new())),
        );
    }
}

struct Comment {
    /// What stands behind the lead.
    text: String,
    place: Place,
    /// What goes with it where it is taken out.
    whole: Place,
    /// The pointers of what it covers.
    covers: Vec<String>,
}

struct Allow {
    code: Code,
    comment: Comment,
}

impl Comment {
    /// None where it allows nothing, which is reported.
    fn read(self, places: &Places<'_>, sink: &Sink) -> Option<Allow> {
        let report = |code: Code, message: String| Diagnostic::new(code, self.place, message);
        let mut words = self.text.split_whitespace();
        let (Some("allow"), Some(name)) = (words.next(), words.next()) else {
            sink.push(report(Code::UNKNOWN_CODE, "this comment says nothing to the linter".to_owned()).help(USAGE));
            return None;
        };
        let code = match select(name) {
            Selected::Rules(rules) if rules.len() == 1 && rules[0].category() != name => rules[0],
            Selected::Fixed(code) => {
                let message = format!("`{}` is always an error, and cannot be allowed", code.name);
                sink.push(report(Code::UNKNOWN_CODE, message).help("mend what it is about, and take the comment out"));
                return None;
            }
            _ => {
                let names = super::codes().filter(|code| !code.is_fixed()).map(|code| code.name);
                let found = report(Code::UNKNOWN_CODE, format!("there is no rule `{name}`"));
                sink.push(found.help_nearest(name, names, "the rules are").help(USAGE));
                return None;
            }
        };
        if words.next().is_none() {
            let line = places.positions(self.place)[0].line;
            sink.push(
                report(Code::ALLOW_WITHOUT_REASON, format!("line {line} allows `{}` without a reason", code.name))
                    .help(format!("say why: `# lint: allow {name} reason`")),
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
        let below =
            |covered: &String| pointer.strip_prefix(covered).is_some_and(|b| b.is_empty() || b.starts_with('/'));
        self.comment.covers.iter().any(below)
    }
}

/// The comments of one file that speak to the linter.
fn comments(id: SourceId, places: &Places<'_>) -> Vec<Comment> {
    let (text, tree) = (&places.sources.get(id).text, places.tree(id));
    let Some(first) = tree.start() else { return Vec::new() };
    let mut found = Vec::new();
    for line in lines(text) {
        let written = &text[line.clone()];
        let hashes = written.match_indices('#').map(|(at, _)| line.start + at);
        let Some(start) = hashes.into_iter().find(|&at| !tree.is_text(at)) else { continue };
        let comment = text[start..line.end].trim_end();
        let Some(said) = comment[1..].trim_start().strip_prefix(LEAD) else { continue };
        let before = text[line.start..start].trim_end();
        let covers = if before.is_empty() { below(text, &line, first) } else { Some(line.clone()) };
        let whole = if before.is_empty() { line.clone() } else { line.start + before.len()..start + comment.len() };
        found.push(Comment {
            text: said.to_owned(),
            place: Place::new(id, start..start + comment.len()),
            whole: Place::new(id, whole),
            covers: covers.map_or_else(|| vec![String::new()], |line| tree.beginning(&line)),
        });
    }
    found
}

/// What a comment on this line is about: the next line that is no comment. None: the whole file.
fn below(text: &str, line: &Range<usize>, first: usize) -> Option<Range<usize>> {
    let mut is_apart = false;
    for below in lines(text).skip_while(|other| other.start <= line.start) {
        let written = text[below.clone()].trim();
        if !written.is_empty() && !written.starts_with('#') {
            return (!is_apart || line.start > first).then_some(below);
        }
        is_apart |= written.is_empty();
    }
    Some(line.clone())
}

/// The spans of all lines, each with its end.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some(start..*at)
    })
}
