//! Checks data languages with parsers in this process.

use saphyr_parser::{Event, Parser};
use serde::de::IgnoredAny;

use super::SyntaxError;

pub(super) fn json(text: &str) -> Option<SyntaxError> {
    json_error("json", text, 1)
}

/// Checks a text with a JSON value on each line.
pub(super) fn json_lines(text: &str) -> Option<SyntaxError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.into_iter().find_map(|(index, line)| json_error("jsonl", line, index + 1))
}

/// Checks a JSON text that begins at line `first`.
fn json_error(language: &'static str, text: &str, first: usize) -> Option<SyntaxError> {
    // `IgnoredAny` decides, because parsing a `Value` also fails at limits such as the maximum depth. The messages of `Value` are better.
    let mut error = serde_json::from_str::<IgnoredAny>(text).err()?;
    if let Err(better) = serde_json::from_str::<serde_json::Value>(text)
        && (better.line(), better.column()) == (error.line(), error.column())
    {
        error = better;
    }
    let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
    // The column counts bytes.
    let column = line.char_indices().take_while(|(at, _)| *at < error.column()).count();
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default().to_owned();
    Some(SyntaxError { language, line: first + error.line().saturating_sub(1), column: column.max(1), message })
}

pub(super) fn toml(text: &str) -> Option<SyntaxError> {
    let error = toml::from_str::<toml::Table>(text).err()?;
    let before = text.get(..error.span().map_or(0, |span| span.start))?;
    let message = error.message().replace('\n', "; ");
    // Exceeding a limit of the parser is not a syntax error.
    if message.contains("recursion") {
        return None;
    }
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Some(SyntaxError { language: "toml", line, column, message })
}

/// Checks a YAML text, unless it is a template. Ends early if `should_stop` returns true.
pub(super) fn yaml(text: &str, should_stop: impl Fn() -> bool) -> Option<SyntaxError> {
    /// The number of events after which the time is checked.
    const EVENTS: usize = 256;
    if text.lines().any(|line| line.trim_start().starts_with("{{") || line.contains("{%")) {
        return None;
    }
    for (count, event) in Parser::new_from_str(text).enumerate() {
        match event {
            Ok((Event::StreamEnd, _)) => break,
            Ok(_) if count % EVENTS == EVENTS - 1 && should_stop() => return None,
            Ok(_) => {}
            // Exceeding a limit of the parser is not a syntax error.
            Err(error) if error.info().contains("recursion limit") => return None,
            Err(error) => {
                let (line, column) = (error.marker().line().max(1), error.marker().col() + 1);
                return Some(SyntaxError { language: "yaml", line, column, message: error.info().to_owned() });
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the place and message of an error.
    fn at(error: Option<SyntaxError>) -> Option<(usize, usize, String)> {
        error.map(|error| (error.line, error.column, error.message))
    }

    #[test]
    fn errors_in_json_have_their_place() {
        assert_eq!(json("{\"a\": [1, {}]}\n"), None);
        assert_eq!(at(json("{\n  \"é\": 1,\n}")), Some((3, 1, "trailing comma".into())));
        assert_eq!(at(json("[\"é\" 1]")), Some((1, 6, "expected `,` or `]`".into())));
        assert_eq!(at(json("")), Some((1, 1, "EOF while parsing a value".into())));
        assert_eq!(json(&("[".repeat(100_000) + &"]".repeat(100_000))), None, "no limit on the depth");
    }

    #[test]
    fn each_line_of_json_lines_is_checked() {
        assert_eq!(json_lines("{}\n\n[1]\n"), None);
        let error = json_lines("{}\n\n{\"a\": }\n[").unwrap();
        assert_eq!((error.language, error.line, error.column), ("jsonl", 3, 7));
    }

    #[test]
    fn errors_in_toml_have_their_place() {
        assert_eq!(toml("a = 1\n[b]\nc = [1,\n 2]\n"), None);
        let error = toml("[a]\nb = 1\né = = 2\n").unwrap();
        assert_eq!((error.language, error.line), ("toml", 3));
        assert_eq!(toml("a = 1\na = 2\n").unwrap().line, 2, "a repeated key");
        assert_eq!(toml(&("a = ".to_owned() + &"[".repeat(50_000) + &"]".repeat(50_000))), None);
    }

    #[test]
    fn errors_in_yaml_have_their_place() {
        let never = || false;
        assert_eq!(yaml("a: 1\nb:\n  - x\n---\nc: \"d\"\n", never), None);
        assert_eq!(yaml("run: echo ${{ github.ref }}\n", never), None);
        let error = yaml("a:\n  - b\n c: d\n", never).unwrap();
        assert_eq!((error.language, error.line), ("yaml", 3));
        assert_eq!(yaml("a: [1, 2\nb: 3\n", never).unwrap().line, 2);
        assert_eq!(yaml("{{ if x }}\na: 1\n{{ end }}\n", never), None, "a template");
        assert_eq!(yaml(&"[".repeat(100_000), never), None, "a limit of the parser");
        let long = "- a\n".repeat(1_000) + "- [\n";
        assert!(yaml(&long, never).is_some() && yaml(&long, || true).is_none(), "the time is over");
    }
}
