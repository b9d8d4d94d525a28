//! Recognises files and lines that are not meant as TOML, so that they are reported once.

use std::ops::Range;

use super::characters;
use super::problem::{Problem, quoted};
use super::scanner::{Scanner, closing_brace};

/// Returns the problem of a text that as a whole is not TOML.
pub(super) fn whole_file(text: &str) -> Option<Problem> {
    not_a_text(text).or_else(|| conflict(text)).or_else(|| fence(text)).or_else(|| other_format(text))
}

/// Returns the range and text of each line.
fn lines(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    text.split('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len() + 1;
        Some((start..start + line.len(), line))
    })
}

/// Recognises a file in UTF-16 without a mark, or a program.
fn not_a_text(text: &str) -> Option<Problem> {
    let nulls = text.chars().take(64).filter(|letter| *letter == '\0').count();
    (nulls > 2).then(|| Problem::new(0..0, "this file is not UTF-8 text").help("save the file as UTF-8"))
}

/// Finds the markers of a merge that stopped at a conflict.
fn conflict(text: &str) -> Option<Problem> {
    let is_marker = |line: &str, sign: &str| {
        line.strip_prefix(&sign.repeat(7)).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let first = lines(text).find(|(_, line)| is_marker(line, "<"));
    let last = lines(text).find(|(_, line)| is_marker(line, ">"));
    if first.is_none() && last.is_none() {
        return None;
    }
    let middle = lines(text).filter(|(_, line)| is_marker(line, "|") || is_marker(line, "="));
    let mut places = first.into_iter().chain(middle).chain(last).map(|(span, _)| span);
    let problem = Problem::new(places.next()?, "unresolved merge conflict");
    let problem = places.take(3).fold(problem, |problem, span| problem.related(span, ""));
    Some(problem.help("keep one of the versions, and remove the lines with `<<<<<<<`, `=======` and `>>>>>>>`"))
}

/// Finds Markdown code fences.
fn fence(text: &str) -> Option<Problem> {
    let is_fence = |line: &str| line.trim_start().starts_with("```");
    let mut fences = lines(text).filter(|(_, line)| is_fence(line)).map(|(span, _)| span);
    // Within a text in three quotes, a fence is part of a description.
    if text.contains("\"\"\"") || text.contains("'''") {
        return None;
    }
    let problem = Problem::new(fences.next()?, "this line is Markdown");
    Some(
        fences
            .take(1)
            .fold(problem, |problem, span| problem.related(span, ""))
            .help("remove the lines with code fences"),
    )
}

/// Recognises other formats by their first letters.
fn other_format(text: &str) -> Option<Problem> {
    let start =
        text.len() - text.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}').len();
    let body = &text[start..];
    let first_line = body.lines().next().unwrap_or_default();
    let at = start..start + first_line.trim_end().len();
    if body.starts_with('{') || is_json_array(body) {
        return Some(json(start..start + 1, "this file is JSON, not TOML"));
    }
    if body.starts_with('<') {
        return Some(Problem::new(at, "this file is XML or HTML, not TOML").help("write the manifest in TOML"));
    }
    if ["diff --git ", "--- a/", "@@ -", "Index: "].iter().any(|prefix| body.starts_with(prefix)) {
        return Some(
            Problem::new(at, "this file is a diff, not TOML").help("apply the patch instead of saving it here"),
        );
    }
    if first_line.starts_with("%YAML") || first_line.trim_end() == "---" {
        return Some(yaml(at, "this file is YAML, not TOML"));
    }
    if first_line.starts_with("#!/")
        || ["import ", "from ", "def ", "class ", "use ", "pub "].iter().any(|word| body.starts_with(word))
    {
        return Some(Problem::new(at, "this file is source code, not TOML").help("write the manifest in TOML"));
    }
    None
}

fn is_json_array(body: &str) -> bool {
    body.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with(['{', '[']) && rest.contains(':'))
        && !body.starts_with("[[")
}

fn json(at: Range<usize>, message: &str) -> Problem {
    Problem::new(at, message)
        .help("write `name = \"...\"` for `\"name\": \"...\"`, and a table, `[params.NAME]`, for a nested object")
}

fn yaml(at: Range<usize>, message: &str) -> Problem {
    Problem::new(at, message)
        .help("write `name = \"...\"` for `name: ...`, and a table, `[params.NAME]`, for a nested mapping")
}

/// Recognises other formats at the beginning of a statement, and moves past all of it.
pub(super) fn statement(scanner: &Scanner<'_>) -> Option<Problem> {
    let (line, at) = (scanner.line(), scanner.at);
    let whole = at..at + line.trim_end().len();
    for sign in ["//", "/*", "--", ";"] {
        let is_yaml = line.trim_end() == "---";
        if line.starts_with(sign) && !is_yaml && !line[sign.len()..].trim_start().starts_with(['=', '.']) {
            let span = at..at + sign.len();
            return Some(Problem::new(span, format!("`{sign}` does not start a comment")).help("write `#`"));
        }
    }
    if line.starts_with('{') {
        let end = closing_brace(scanner.text, at).unwrap_or(scanner.text.len());
        let problem = json(at..at + 1, "unexpected `{`: this is JSON, not TOML");
        return Some(problem.resume(end + scanner.text[end..].find('\n').unwrap_or(0)));
    }
    if is_yaml(line) {
        let end = yaml_end(scanner.text, at);
        let count = scanner.text[at..end].lines().filter(|line| is_yaml(line)).count();
        if count > 1 || line.starts_with("- ") || line.trim_end() == "---" {
            let is_all = scanner.text[..at]
                .trim_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}')
                .is_empty();
            let message = if is_all { "this file is YAML, not TOML" } else { "this is YAML, not TOML" };
            let problem = if line.starts_with(['"', '\'']) {
                json(whole, "this is JSON, not TOML")
            } else {
                yaml(whole, message)
            };
            return Some(problem.resume(end));
        }
    }
    let first = line.chars().next()?;
    if characters::lookalike(first) == Some('[') {
        return Some(
            Problem::new(at..at + first.len_utf8(), format!("unexpected {}", characters::shown(first)))
                .help("write `[`"),
        );
    }
    if matches!(first, ']' | '}' | ')' | ',') {
        let problem = Problem::new(at..at + 1, format!("unmatched `{first}`"));
        return Some(problem.help("remove it, or add what it closes"));
    }
    // A string or number without a key, such as an item of an unopened array.
    if matches!(first, '"' | '\'') {
        let mut item = scanner.clone();
        if item.value(None).is_ok() {
            item.skip_spaces();
            if matches!(item.peek(), None | Some('\n' | ',' | ']' | '#')) {
                let span = at..at + line.trim_end().len();
                return Some(
                    Problem::new(span, format!("{} has no key", quoted(line)))
                        .help("write `KEY = VALUE`, or the `[` of an array before it"),
                );
            }
        }
    }
    None
}

/// Returns whether a line looks like YAML, or like a member of an object of JSON: a key and a colon, or an item of a list.
fn is_yaml(line: &str) -> bool {
    let line = line.trim();
    if line == "---" || line == "-" || line.starts_with("- ") {
        return true;
    }
    let rest = match line.chars().next() {
        Some(quote @ ('"' | '\'')) => line[1..].split_once(quote).map(|(_, rest)| rest),
        _ => line
            .find(|letter: char| !(letter.is_alphanumeric() || "_-.$".contains(letter)))
            .filter(|at| *at > 0)
            .map(|at| &line[at..]),
    };
    rest.and_then(|rest| rest.strip_prefix(':')).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// Returns the end of the lines of YAML or JSON that begin at a position.
fn yaml_end(text: &str, start: usize) -> usize {
    let belongs = |line: &str| {
        let trimmed = line.trim();
        trimmed.is_empty()
            || trimmed.starts_with('#')
            || is_yaml(line)
            || line.starts_with([' ', '\t'])
            || trimmed.chars().all(|letter| "{}[],".contains(letter))
    };
    let lines = lines(&text[start..]).take_while(|(_, line)| belongs(line));
    lines.last().map_or(text.len(), |(span, _)| start + span.end).min(text.len())
}
