//! Colours of code.

use std::sync::OnceLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use crate::look::Look;
use crate::span::{Colour, Span, Style, paint};

/// The longest line that is coloured, in bytes. A grammar may take long for a line that is not written by hand.
const LONGEST_LINE: usize = 1_000;
/// The number of lines of one block that are coloured.
const MOST_LINES: usize = 5_000;

/// The style of a scope. The longest scope that matches decides, and within a stack of scopes, the innermost.
const STYLES: &[(&str, Style)] = &[
    ("comment", Style { italic: true, ..Style::DIM }),
    ("constant", coloured(Colour::Yellow)),
    ("constant.character.escape", coloured(Colour::Cyan)),
    ("entity.name", coloured(Colour::Blue)),
    ("entity.name.section", Style { bold: true, ..coloured(Colour::Blue) }),
    ("entity.name.tag", coloured(Colour::Magenta)),
    ("entity.name.type", coloured(Colour::Cyan)),
    ("entity.other.attribute-name", coloured(Colour::Blue)),
    ("invalid", coloured(Colour::Red)),
    ("keyword", coloured(Colour::Magenta)),
    ("keyword.operator", Style::PLAIN),
    ("markup.deleted", coloured(Colour::Red)),
    ("markup.inserted", coloured(Colour::Green)),
    ("meta.diff.header", Style { bold: true, ..Style::PLAIN }),
    ("meta.diff.range", coloured(Colour::Cyan)),
    ("storage", coloured(Colour::Magenta)),
    ("storage.type", coloured(Colour::Cyan)),
    ("string", coloured(Colour::Green)),
    ("support.function", coloured(Colour::Blue)),
    ("support.type", coloured(Colour::Cyan)),
    ("variable.function", coloured(Colour::Blue)),
];

const fn coloured(colour: Colour) -> Style {
    Style { colour: Some(colour), ..Style::PLAIN }
}

/// Colours the lines of one block of code, in order.
#[derive(Debug, Default)]
pub(crate) struct Highlighter {
    /// `None` if the language is unknown, or if colouring has been given up.
    state: Option<(ParseState, ScopeStack)>,
    lines: usize,
}

impl Highlighter {
    /// Returns the highlighter of a language, as in the first line of a block: `rust`, `rust,ignore`, `{.python}`.
    pub(crate) fn new(info: &str) -> Self {
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '+' | '#' | '-' | '_');
        let name: String = info.trim_start_matches(['{', '.']).chars().take_while(|c| is_name(*c)).collect();
        let syntax = Some(name).filter(|name| !name.is_empty()).and_then(|name| syntaxes().find_syntax_by_token(&name));
        Self { state: syntax.map(|syntax| (ParseState::new(syntax), ScopeStack::new())), lines: 0 }
    }

    /// Returns a line in colours.
    pub(crate) fn line(&mut self, line: &str) -> Vec<Span> {
        self.lines += 1;
        let text = line.replace('\t', "    ");
        if line.len() > LONGEST_LINE || self.lines > MOST_LINES {
            self.state = None;
        }
        let Some(spans) = self.state.as_mut().and_then(|(state, stack)| spans(state, stack, &text)) else {
            self.state = None;
            return vec![Span::new(text, Style::PLAIN)];
        };
        spans
    }
}

/// Returns a text in the colours of a language, as rows that are not wrapped.
pub fn highlighted(text: &str, language: &str, look: Look) -> Vec<String> {
    let mut highlighter = Highlighter::new(language);
    text.lines().map(|line| paint(&highlighter.line(line), look)).collect()
}

/// Returns the spans of a line, or `None` if the grammar fails.
fn spans(state: &mut ParseState, stack: &mut ScopeStack, line: &str) -> Option<Vec<Span>> {
    let changes = state.parse_line(&format!("{line}\n"), syntaxes()).ok()?;
    let mut spans: Vec<Span> = Vec::new();
    let mut at = 0;
    let mut add = |from: usize, to: usize, stack: &ScopeStack| {
        let Some(text) = line.get(from..to.min(line.len())).filter(|text| !text.is_empty()) else { return };
        let style = style(stack);
        match spans.last_mut() {
            Some(last) if last.style == style => last.text.push_str(text),
            _ => spans.push(Span::new(text, style)),
        }
    };
    for (position, change) in changes {
        add(at, position, stack);
        at = position.max(at);
        stack.apply(&change).ok()?;
    }
    add(at, line.len(), stack);
    Some(spans)
}

fn style(stack: &ScopeStack) -> Style {
    static SCOPES: OnceLock<Vec<(Scope, Style)>> = OnceLock::new();
    let scopes = SCOPES
        .get_or_init(|| STYLES.iter().filter_map(|(name, style)| Some((Scope::new(name).ok()?, *style))).collect());
    let of = |scope: &Scope| {
        let matching = scopes.iter().filter(|(known, _)| known.is_prefix_of(*scope));
        matching.max_by_key(|(known, _)| known.len()).map(|(_, style)| *style)
    };
    stack.scopes.iter().rev().find_map(of).unwrap_or_default()
}

fn syntaxes() -> &'static SyntaxSet {
    static SYNTAXES: OnceLock<SyntaxSet> = OnceLock::new();
    SYNTAXES.get_or_init(two_face::syntax::extra_newlines)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOK: Look = Look { width: 80, styled: true };

    #[test]
    fn keywords_strings_and_comments_of_known_languages_have_colours() {
        let rows = highlighted("let a = \"b\"; // c", "rust,ignore", LOOK);
        assert_eq!(rows.len(), 1);
        for part in ["\u{1b}[32m\"b\"\u{1b}[0m", "\u{1b}[2;3m// c\u{1b}[0m"] {
            assert!(rows[0].contains(part), "{rows:?}");
        }
        for (language, line) in
            [("toml", "a = 1"), ("ts", "const a = 1"), ("py", "def f(): pass"), ("sh", "echo 'a'"), ("diff", "+ a")]
        {
            assert!(highlighted(line, language, LOOK)[0].contains("\u{1b}["), "{language}");
        }
    }

    #[test]
    fn nothing_is_lost_in_unknown_languages_and_long_lines() {
        let plain = |text: &str, language: &str| highlighted(text, language, Look { styled: false, ..LOOK }).join("\n");
        let long = "x = 1; ".repeat(1_000);
        for language in ["", "klingon", "rust", "{.python}", "json"] {
            for text in ["a\n\n  \"b", &long, "日本 = 'é'"] {
                assert_eq!(plain(text, language), text.trim_end_matches('\n'), "{language}");
            }
        }
    }
}
