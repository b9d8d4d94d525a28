//! A placeholder of another template language that nothing fills in: `{platform}`, `%s`, `${HOME}` or `<%= x %>`
//! in prose. Text in backticks or in quotes is code, and braces that contain more than a name are JSON or a glob.
//!
//! ## Why is this bad
//! The text comes from a format string, and is now sent to the model as it is. toolc fills in only
//! `{{ facts.NAME }}` and `{{ available(...) }}`.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! description = "Read a text file of {project}, or a window of its lines. Use it before changing a file."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! description = "Read a text file of the project, or a window of its lines. Use it before changing a file."
//! ```

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::lint::codes;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::mentions::sentence;
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("M023", "leftover-placeholder", Some(Level::Warning), Check::Catalog(check));

/// Placeholders. The group `name` is the name of a variable, if it has one.
static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\$?\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?:[!:][a-z0-9.<>]{1,6})?\}|%\((?P<python>\w+)\)[sdr]|%[sdf]\b|<%=?\s*\w+\s*%>")
        .expect("the pattern is valid")
});

fn check(lint: &Lint<'_>, sink: &Sink) {
    let facts: Vec<&str> = lint.facts().iter().map(|fact| fact.name.value.as_str()).collect();
    // Texts of plain manifests have none.
    for (id, tool) in lint.tools().filter(|(_, tool)| !tool.manifest.is_plain()) {
        let may_have = |text: &str| text.contains(['{', '%']);
        let literals = tool.texts().filter_map(|text| lint.string(text.place));
        if !literals.into_iter().any(|literal| may_have(literal.value())) {
            continue;
        }
        let Some(turns) = lint.turns(id) else { continue };
        for part in lint.parts(tool, &turns) {
            let Some(span) = placeholders(part.text).into_iter().next() else { continue };
            let shown = &part.text[span.clone()];
            let name = PLACEHOLDER.captures(shown).and_then(|found| Some(found.name("name").or(found.name("python"))?.as_str()));
            let message = format!("the placeholder `{shown}` in a text of `{}` is never filled in", tool.name());
            let found = Diagnostic::new(codes::LEFTOVER_PLACEHOLDER, part.place(lint, span.clone()), message);
            let fact = name.filter(|name| facts.contains(name));
            sink.push(match fact {
                Some(fact) => found.help(format!("write `{{{{ facts.{fact} }}}}`")),
                None => found.help("write the text itself, or declare a fact and write `{{ facts.NAME }}`; put code in backticks"),
            });
        }
    }
}

/// Finds placeholders in prose.
fn placeholders(text: &str) -> Vec<Range<usize>> {
    let found = PLACEHOLDER.find_iter(text).map(|found| found.range());
    found.filter(|span| is_prose(text, span)).collect()
}

/// Words of a sentence that describes placeholders.
const TEMPLATE_WORDS: &[&str] =
    &["expand", "format string", "interpolat", "placeholder", "replaced", "substitut", "syntax", "template", "variable", "wildcard"];

/// Returns whether a span is outside of code: not in backticks, in quotes, in a code block, or in a word such as a path.
fn is_prose(text: &str, span: &Range<usize>) -> bool {
    let (before, after) = (&text[..span.start], &text[span.end..]);
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let in_quotes = |quote: char| before[line..].matches(quote).count() % 2 == 1 && after.split('\n').next().unwrap_or_default().contains(quote);
    let in_block = before.matches("```").count() % 2 == 1;
    let is_percent = text[span.clone()].starts_with('%');
    // `100 %d` is a share, and `/{id}/` a part of a path. At the start of a path, such as `${HOME}/notes`, a folder is missing.
    let is_joined = before.ends_with(|letter: char| letter.is_alphanumeric() || "/=:{}$@.&?#_-\\<[(".contains(letter) && letter != '(')
        || !text[span.clone()].starts_with('$') && after.starts_with(['/', '=', '{', '}', '-', '_', '?', '&', ':', '>', ']', '@'])
        || after.starts_with(['}', '{']);
    // An indented line, or one that begins with a prompt, is code.
    let is_code_line = ["    ", "\t", "$ "].iter().any(|start| text[line..].starts_with(start));
    let sentence = sentence(text, span).to_lowercase();
    let is_explained = TEMPLATE_WORDS.iter().any(|word| sentence.contains(word));
    let is_after_number = is_percent && before.trim_end().ends_with(|letter: char| letter.is_ascii_digit());
    !(is_explained || in_quotes('`') || in_quotes('"') || in_quotes('\'') && before[line..].contains(" '") || in_block || is_joined || is_code_line || is_after_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_distinguished_from_code() {
        let found = |text: &'static str| placeholders(text).into_iter().map(|span| &text[span]).collect::<Vec<_>>();
        for (text, expected) in [
            ("Opens pages on {platform}.", "{platform}"),
            ("Opens pages on %s.", "%s"),
            ("Kept below ${HOME}/notes.", "${HOME}"),
            ("Returns at most {limit} items", "{limit}"),
            ("At most {count:02d} items", "{count:02d}"),
            ("for %(user)s only", "%(user)s"),
            ("(see {url})", "{url}"),
            ("Hello <%= name %>!", "<%= name %>"),
            ("It's the file of {user}.", "{user}"),
        ] {
            assert_eq!(found(text), [expected], "{text}");
        }
        for text in [
            "Send `{id}` or \"{id}\" or '{id}'.",
            "A glob such as *.{js,ts}, src/{a,b}",
            "GET /users/{id}/posts, /users/{id}",
            "JSON: {\"a\": {b}}",
            "echo `${HOME}`",
            "Returns {a: 1, b: 2}, {} or { x }",
            "50 %d",
            "100% sure, 5% of",
            "Format: `%s`",
            "```\nprint({x})\n```",
            "    print({x})",
            "https://x.example/{owner}/{repo}",
            "name={name}&x={y}",

            "%20",
            "projects/{project}/zones/{zone}",
            "The template; {name} is replaced by the name.",
        ] {
            assert!(found(text).is_empty(), "{text} {:?}", found(text));
        }
    }
}
