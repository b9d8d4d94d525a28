//! The cells of notebooks of Jupyter.

use serde_json::Value;

/// A cell, or the commands of a shell in it.
pub(crate) struct Cell {
    /// The place of the first line in the file.
    pub(crate) at: usize,
    /// The language of the code, or `None` for Markdown.
    pub(crate) language: Option<&'static str>,
    pub(crate) text: String,
}

/// Words after `%%` that give a cell a language.
const MAGICS: &[(&str, &str)] = &[
    ("bash", "sh"),
    ("sh", "sh"),
    ("cmd", "sh"),
    ("system", "sh"),
    ("sx", "sh"),
    ("!", "sh"),
    ("script", "sh"),
    ("python", "python"),
    ("python3", "python"),
    ("javascript", "javascript"),
    ("js", "javascript"),
    ("html", "javascript"),
    ("perl", "perl"),
    ("ruby", "ruby"),
];

/// Returns the cells of a notebook. All code in Python is one cell, because cells share their variables.
pub(crate) fn cells(text: &str) -> Vec<Cell> {
    let Ok(notebook) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let sheets = notebook["worksheets"].as_array().into_iter().flatten();
    let lists = std::iter::once(&notebook["cells"]).chain(sheets.map(|sheet| &sheet["cells"]));
    let (mut found, mut python, mut first) = (Vec::new(), String::new(), None);
    let mut from = 0;
    for cell in lists.filter_map(Value::as_array).flatten() {
        let Some(source) = source(cell) else { continue };
        let at = place(text, &source, from);
        from = at;
        if cell["cell_type"] != "code" {
            found.push(Cell { at, language: None, text: source });
            continue;
        }
        if let Some((language, body)) = magic(&source) {
            found.push(Cell { at, language: Some(language), text: body.to_owned() });
            continue;
        }
        let (code, commands) = split(&source);
        if !commands.is_empty() {
            found.push(Cell { at, language: Some("sh"), text: commands });
        }
        first.get_or_insert(at);
        python.push_str(&code);
    }
    found.push(Cell { at: first.unwrap_or_default(), language: Some("python"), text: python });
    found
}

fn source(cell: &Value) -> Option<String> {
    match [&cell["source"], &cell["input"]].into_iter().find(|source| !source.is_null())? {
        Value::Array(lines) => Some(lines.iter().filter_map(Value::as_str).collect()),
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}

/// Returns the language of a cell that begins with `%%NAME` or `!!`, and its code.
fn magic(source: &str) -> Option<(&'static str, &str)> {
    let source = source.trim_start();
    if let Some(commands) = source.strip_prefix("!!") {
        return Some(("sh", commands));
    }
    let (words, body) = source.strip_prefix("%%")?.split_once('\n')?;
    let name = words.split_whitespace().find(|word| *word != "script").unwrap_or("script");
    let language = MAGICS.iter().find(|(known, _)| *known == name).map_or("python", |(_, language)| language);
    Some((language, body))
}

/// Returns the code of a cell and the commands of a shell in it: `!x`, `a = !x`, `%system x`.
fn split(text: &str) -> (String, String) {
    const MARKS: [&str; 5] = ["!", "%system ", "%sx ", "%sc ", "%bash "];
    let (mut code, mut commands) = (String::new(), String::new());
    for line in text.lines() {
        let start = line.trim_start();
        let marked = MARKS.iter().find_map(|mark| start.strip_prefix(mark));
        match marked.or_else(|| start.split_once("= !").map(|(_, rest)| rest)) {
            Some(command) => commands.extend([command, "\n"]),
            None if start.starts_with('%') => {}
            None => code.extend([line, "\n"]),
        }
    }
    (code, commands)
}

/// Returns the place of a text in the JSON, by its first line.
fn place(json: &str, text: &str, from: usize) -> usize {
    let line = text.lines().find(|line| !line.is_empty()).unwrap_or_default();
    let quoted = Value::from(line).to_string();
    let inside = quoted.trim_matches('"');
    json.get(from..).and_then(|rest| rest.find(inside)).map_or(from, |at| from + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_their_languages() {
        let notebook = serde_json::json!({ "cells": [
            { "cell_type": "markdown", "source": ["# a\n", "b"] },
            { "cell_type": "code", "source": "!c d\nimport e\nx = !f\n%matplotlib inline" },
            { "cell_type": "code", "source": ["%%script bash\n", "g"] },
            { "cell_type": "code", "source": ["h(e)"] },
            { "cell_type": "raw" },
        ] });
        let cells = cells(&notebook.to_string());
        let found: Vec<_> = cells.iter().map(|cell| (cell.language, cell.text.as_str())).collect();
        let python = (Some("python"), "import e\nh(e)\n");
        assert_eq!(found, [(None, "# a\nb"), (Some("sh"), "c d\nf\n"), (Some("sh"), "g"), python]);
        assert!(super::cells("{").is_empty());
    }
}
