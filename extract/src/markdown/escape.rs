//! Escapes text where Markdown would read it as syntax, and only there: every backslash costs the model a token.

/// Where a text is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// In the text of a link, where brackets would end it.
    pub(super) link: bool,
    /// In a cell of a table, where bars would end it.
    pub(super) cell: bool,
}

/// Appends a word to `out`. A word has no white space; `spaced` says whether some follows it.
pub(super) fn push_word(out: &mut String, word: &str, place: Place, spaced: bool) {
    if !word.bytes().any(|byte| matches!(byte, b'\\' | b'`' | b'*' | b'_' | b'[' | b']' | b'<' | b'&' | b'~' | b'|')) {
        out.push_str(word);
        return;
    }
    let mut at = 0;
    while let Some(c) = word[at..].chars().next() {
        // Characters are judged by runs: `__init__` has two.
        let is_run = matches!(c, '*' | '_' | '~');
        let size = if is_run { word[at..].len() - word[at..].trim_start_matches(c).len() } else { c.len_utf8() };
        let before = out.chars().next_back().filter(|c| !c.is_whitespace());
        if is_syntax(c, size, before, &word[at + size..], spaced, place) {
            for c in word[at..at + size].chars() {
                out.push('\\');
                out.push(c);
            }
        } else {
            out.push_str(&word[at..at + size]);
        }
        at += size;
    }
}

fn is_syntax(c: char, run: usize, before: Option<char>, rest: &str, spaced: bool, place: Place) -> bool {
    let after = rest.chars().next();
    match c {
        '\\' => after.is_some_and(|c| c.is_ascii_punctuation()),
        '`' => true,
        // What has space on both sides neither opens nor closes emphasis.
        '*' => before.is_some() || after.is_some() || !spaced,
        // Within a word, an underscore is one.
        '_' => {
            let inside = before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric);
            !inside && (before.is_some() || after.is_some())
        }
        '~' => run > 1,
        '[' => place.link,
        ']' => place.link || matches!(after, Some('(' | '[' | ':')),
        '<' => after.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')),
        '&' => is_entity(rest),
        '|' => place.cell,
        _ => false,
    }
}

/// Whether a text continues `&` to an entity.
fn is_entity(rest: &str) -> bool {
    let Some(end) = rest.bytes().take(33).position(|byte| byte == b';') else { return false };
    let name = rest[..end].strip_prefix('#').unwrap_or(&rest[..end]);
    (1..=31).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Escapes the beginning of a line that would begin a block, such as `# ` or `1. `.
pub(super) fn line_start(line: &str) -> String {
    let space_or_end = |at: usize| line[at..].chars().next().is_none_or(char::is_whitespace);
    let escaped_at = |at: usize| format!("{}\\{}", &line[..at], &line[at..]);
    let hashes = line.bytes().take_while(|byte| *byte == b'#').count();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    match line.bytes().next() {
        Some(b'#') if hashes <= 6 && space_or_end(hashes) => escaped_at(0),
        Some(b'-' | b'+' | b'*') if space_or_end(1) => escaped_at(0),
        Some(b'>') => escaped_at(0),
        Some(b'-' | b'=') if line.trim_end().bytes().all(|byte| byte == line.as_bytes()[0]) => escaped_at(0),
        Some(b'~') if line.starts_with("~~~") => escaped_at(0),
        Some(b'0'..=b'9') if digits <= 9 && line[digits..].starts_with(['.', ')']) && space_or_end(digits + 1) => {
            escaped_at(digits)
        }
        _ => line.to_owned(),
    }
}

/// A code span: as many backticks as its text needs.
pub(super) fn code_span(code: &str, place: Place) -> String {
    let code = if place.cell { code.replace('|', "\\|") } else { code.to_owned() };
    let fence = "`".repeat(longest_run(&code, '`') + 1);
    let fence = if code.contains('`') { fence } else { "`".to_owned() };
    if code.starts_with('`') || code.ends_with('`') {
        format!("{fence} {code} {fence}")
    } else {
        format!("{fence}{code}{fence}")
    }
}

/// A fenced code block.
pub(super) fn fenced(code: &str, language: &str) -> String {
    let fence = "`".repeat((longest_run(code, '`') + 1).max(3));
    format!("{fence}{language}\n{code}\n{fence}")
}

fn longest_run(text: &str, of: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == of { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(word: &str) -> String {
        let mut out = String::new();
        push_word(&mut out, word, Place::default(), false);
        out
    }

    #[test]
    fn only_what_is_syntax_is_escaped() {
        for plain in ["snake_case_name", "a&b", "C:\\dir", "[1]", "x<5", "a~b", "100%", "AT&T", "_"] {
            assert_eq!(word(plain), plain);
        }
        let cases = [
            ("*x*", "\\*x\\*"),
            ("2*3*4", "2\\*3\\*4"),
            ("__init__", "\\_\\_init\\_\\_"),
            ("_x", "\\_x"),
            ("`x`", "\\`x\\`"),
            ("a\\*", "a\\\\\\*"),
            ("[a](b)", "[a\\](b)"),
            ("[a]:", "[a\\]:"),
            ("<b>", "\\<b>"),
            ("&lt;", "\\&lt;"),
            ("~~x~~", "\\~\\~x\\~\\~"),
        ];
        for (from, to) in cases {
            assert_eq!(word(from), to);
        }
    }

    #[test]
    fn a_line_that_would_begin_a_block_is_escaped() {
        let cases = [
            ("# 1", "\\# 1"),
            ("#1", "#1"),
            ("- x", "\\- x"),
            ("-x", "-x"),
            ("12. x", "12\\. x"),
            ("12.5", "12.5"),
            ("> x", "\\> x"),
            ("---", "\\---"),
            ("===", "\\==="),
            ("~~~", "\\~~~"),
        ];
        for (from, to) in cases {
            assert_eq!(line_start(from), to);
        }
    }

    #[test]
    fn code_gets_a_fence_that_its_text_does_not_have() {
        assert_eq!(code_span("a`b", Place::default()), "``a`b``");
        assert_eq!(code_span("`", Place::default()), "`` ` ``");
        assert_eq!(code_span("a|b", Place { cell: true, link: false }), "`a\\|b`");
        assert_eq!(fenced("```", "md"), "````md\n```\n````");
    }
}
