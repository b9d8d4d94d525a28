//! Texts that YAML cannot read, or reads otherwise than their author meant: what was meant, and what is wrong with them.

use crate::note::Code;

/// Characters that open or close a quotation in typography.
const SMART: &[char] = &['“', '”', '„', '‟', '«', '»', '‘', '’', '‚'];

/// Returns the text that a value means which YAML cannot read: its lines joined, without the quotes around it.
pub(crate) fn meant(raw: &str) -> String {
    let (is_literal, raw) = without_indicator(raw.trim());
    unquoted(joined(raw, is_literal)).trim().to_owned()
}

fn unquoted(text: String) -> String {
    if let Some(inner) = without_smart_quotes(&text) {
        return inner.to_owned();
    }
    for quote in ['"', '\''] {
        let Some(rest) = text.strip_prefix(quote) else { continue };
        // A comma after the value comes from JSON.
        let end = rest.strip_suffix(',').unwrap_or(rest).trim_end();
        return match end.strip_suffix(quote) {
            Some(inner) if quote == '"' => inner.replace("\\\"", "\"").replace("\\\\", "\\"),
            Some(inner) => inner.replace("''", "'"),
            None if !rest.contains(quote) => rest.to_owned(),
            None => text,
        };
    }
    text
}

/// Removes the indicator of a block, such as `>-`, and returns whether the lines are kept.
fn without_indicator(raw: &str) -> (bool, &str) {
    let Some(rest) = raw.strip_prefix(['|', '>']) else { return (false, raw) };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-'));
    if rest.starts_with(char::is_whitespace) { (raw.starts_with('|'), rest.trim_start()) } else { (false, raw) }
}

/// Joins lines as YAML folds them: with a space, and a blank line is a line break.
fn joined(raw: &str, is_literal: bool) -> String {
    let mut text = String::with_capacity(raw.len());
    for line in raw.lines().flat_map(|line| line.split('\r')).map(str::trim) {
        if !text.is_empty() {
            let is_break = is_literal || line.is_empty() || text.ends_with('\n');
            if !is_break {
                text.push(' ');
            } else if line.is_empty() || is_literal {
                text.push('\n');
            }
        }
        text.push_str(line);
    }
    text.trim().to_owned()
}

/// Returns the text inside typographic quotes, if they are around the whole text or are not closed.
pub(crate) fn without_smart_quotes(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(SMART)?;
    let inner = rest.strip_suffix(SMART).or_else(|| rest.strip_suffix(['"', '\''])).unwrap_or(rest);
    // An apostrophe is not a quote.
    let is_quote =
        |c: char| SMART.contains(&c) && !(text.starts_with(['“', '„', '«', '”', '»', '‟']) && matches!(c, '’' | '‘'));
    (!inner.contains(is_quote) && !inner.trim().is_empty()).then(|| inner.trim())
}

/// Returns what is wrong with a value that YAML cannot read, and the byte of its first fault.
pub(crate) fn cause(raw: &str) -> (Code, usize) {
    let text = raw.trim_start();
    let start = raw.len() - text.len();
    let at = |pattern: &str| text.find(pattern).map(|at| start + at);
    let first = text.chars().next().unwrap_or_default();
    if SMART.contains(&first) {
        return (Code::SmartQuotes, start);
    }
    if matches!(first, '"' | '\'') {
        return (quote_fault(text, first), start);
    }
    let indicator = text.lines().next().unwrap_or_default().trim_end();
    if matches!(first, '|' | '>') && indicator[1..].chars().all(|c| c.is_ascii_digit() || matches!(c, '+' | '-')) {
        let content = text[indicator.len()..].trim_start();
        return (Code::BlockIndent, start + text.len() - content.len());
    }
    if matches!(first, '@' | '*' | '&' | '!' | '%' | '{' | '[' | ']' | '}' | '`' | '|' | '>' | ',')
        || text.starts_with("- ")
        || text.starts_with("? ")
    {
        return (Code::ReservedStart, start);
    }
    if let Some(tab) = ["\n\t", "\r\t"].into_iter().find_map(at) {
        return (Code::OddSpace, tab + 1);
    }
    let colon = [": ", ":\n", ":\r", ":\t"].into_iter().filter_map(at).min();
    if let Some(colon) = colon.or_else(|| text.trim_end().ends_with(':').then(|| start + text.trim_end().len() - 1)) {
        return (Code::ColonInValue, colon);
    }
    if let Some(comment) = at(" #") {
        return (Code::CommentInValue, comment + 1);
    }
    (Code::UnreadableText, start)
}

fn quote_fault(text: &str, quote: char) -> Code {
    let rest = &text[1..];
    let mut escaped = false;
    let quotes = rest.chars().filter(|c| {
        let counts = *c == quote && !escaped;
        escaped = quote == '"' && *c == '\\' && !escaped;
        counts
    });
    match quotes.count() {
        0 => Code::UnclosedQuote,
        1 if quote == '"' && rest.trim_end().ends_with('"') => Code::BadEscape,
        _ => Code::QuoteInValue,
    }
}

/// Returns whether ` #` in a plain value begins a comment, as YAML reads it, rather than a part of the sentence.
///
/// `before` is the text before it, and `comment` begins with `#`. Prose continues after `#12` and `#channel`, and after `#` in the
/// middle of a sentence; a comment follows the end of a sentence or two spaces.
pub(crate) fn is_comment(before: &str, comment: &str, is_prose: bool) -> bool {
    let has_space = comment[1..].starts_with(|c: char| c.is_whitespace() || c == '#') || comment.len() == 1;
    let is_end = !is_prose || is_end_of_sentence(before);
    has_space && is_end
}

fn is_end_of_sentence(before: &str) -> bool {
    before.ends_with("  ") || before.ends_with('\t') || before.trim_end().ends_with(['.', '!', '?', ')'])
}

/// Splits a list of tools at commas and white space outside parentheses.
pub(crate) fn tools(text: &str) -> Vec<String> {
    let is_balanced = text.matches('(').count() == text.matches(')').count();
    let (mut tools, mut tool, mut depth) = (Vec::new(), String::new(), 0_usize);
    for c in text.chars() {
        match c {
            '(' if is_balanced => depth += 1,
            ')' if is_balanced => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (c == ',' || c == ';' || c.is_whitespace()) {
            tools.push(std::mem::take(&mut tool));
        } else {
            tool.push(c);
        }
    }
    tools.push(tool);
    tools.retain(|tool| !tool.is_empty() && tool != "-");
    tools
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_meant_text_has_no_quotes_around_it() {
        for (raw, text, code) in [
            ("Use it: now", "Use it: now", Code::ColonInValue),
            ("Use\n  it: now", "Use it: now", Code::ColonInValue),
            ("\"open", "open", Code::UnclosedQuote),
            ("'it's open'", "it's open", Code::QuoteInValue),
            ("\"say \"hi\" now\"", "say \"hi\" now", Code::QuoteInValue),
            ("\"a\" and \"b\" x", "\"a\" and \"b\" x", Code::QuoteInValue),
            ("\"C:\\dir \\\"x\\\"\"", "C:\\dir \"x\"", Code::BadEscape),
            ("\"json\",", "json", Code::QuoteInValue),
            ("“smart: it’s”", "smart: it’s", Code::SmartQuotes),
            ("> folded\ntext: a", "folded text: a", Code::ReservedStart),
            ("|\none\ntwo\n\nthree", "one\ntwo\n\nthree", Code::BlockIndent),
            ("one\n\ntwo", "one\ntwo", Code::UnreadableText),
            ("@team", "@team", Code::ReservedStart),
            ("[a] b", "[a] b", Code::ReservedStart),
            ("a\n\tb", "a b", Code::OddSpace),
        ] {
            assert_eq!((meant(raw).as_str(), cause(raw).0), (text, code), "{raw}");
        }
        assert_eq!(cause("one\ntwo: x"), (Code::ColonInValue, 7));
    }

    #[test]
    fn typographic_quotes_inside_a_text_are_kept() {
        assert_eq!(without_smart_quotes("“a” and “b”"), None);
        assert_eq!(without_smart_quotes("a “b”"), None);
        assert_eq!(without_smart_quotes("“open"), Some("open"));
        assert_eq!(without_smart_quotes("“"), None);
    }

    #[test]
    fn a_hash_in_a_sentence_begins_no_comment() {
        assert!(!is_comment("fix ", "#12 and more", true) && !is_comment("lines with ", "# at the start", true));
        assert!(is_comment("Done. ", "# a comment", true) && is_comment("MIT ", "# see LICENSE", false));
    }

    #[test]
    fn tools_are_split_outside_parentheses() {
        let expected = ["Bash(git add:*, git:*)", "Read", "mcp__x__y"];
        for text in [
            "Bash(git add:*, git:*) Read mcp__x__y",
            "Bash(git add:*, git:*), Read,mcp__x__y",
            "- Bash(git add:*, git:*)\n- Read ; mcp__x__y",
        ] {
            assert_eq!(tools(text), expected, "{text}");
        }
        assert_eq!(tools("Bash(git Read"), ["Bash(git", "Read"]);
        assert_eq!(tools(" "), [] as [&str; 0]);
    }
}
