//! A text that names a parameter which the tool does not have: in a list below `Args:`, as the docstring of a Python
//! function has, or in a phrase such as "if `max_depth` is given" or "the `max_depth` parameter".
//!
//! ## Why is this bad
//! A model sends the parameter, and the call is refused. Usually the parameter was renamed or removed, or the text was
//! copied from code.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! description = """
//! Read a text file of the project, or a window of its lines.
//!
//! Args:
//!     path: The file.
//!     encoding (str): How its bytes are read."""
//!
//! [params.path]
//! type = "string"
//! description = "The file, from the project's root."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! description = "Read a text file of the project, or a window of its lines. Its bytes are read as UTF-8."
//!
//! [params.path]
//! type = "string"
//! description = "The file, from the project's root."
//! ```

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use toolc_lower::schema::Additional;
use regex::Regex;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("M024", "unknown-parameter-mention", Some(Level::Warning), Check::Tool(check));

/// The header of a list of parameters.
static HEADER: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?mi)^[ \t#*]*(?:args|arguments|param(?:eter)?s|inputs?|input parameters):\**[ \t]*$"));

/// An entry of such a list: `name: text`, `name (str, optional): text` or `- **name** - text`.
static ENTRY: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"^[ \t]*(?:[-*•][ \t]+)?[`*]*(?P<name>[A-Za-z_][A-Za-z0-9_]*)[`*]*(?:[ \t]*[(\[][^)\]\n]*[)\]])?[`*]*[ \t]*(?::|[ \t]-[ \t])")
});

/// An entry of Sphinx: `:param name: text`.
static SPHINX: LazyLock<Regex> = LazyLock::new(|| regex(r"(?m)^[ \t]*:param(?:[ \t]+\w+)?[ \t]+(?P<name>[A-Za-z_]\w*):"));

/// Phrases about a parameter of this tool.
static PHRASES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    const NAME: &str = r"`(?P<name>[a-z][a-z0-9]*(?:[_A-Z][A-Za-z0-9]+)+)`";
    const GIVEN: &str = r"(?:is|are|was)[ \t]+(?:not[ \t]+|also[ \t]+)?(?:given|provided|specified|passed|supplied|omitted)\b";
    [
        format!(r"\b(?:if|unless|when|where|only if)[ \t]+{NAME}[ \t]+{GIVEN}"),
        format!(r"\b[Tt]he[ \t]+{NAME}[ \t]+(?:parameter|argument)\b"),
        format!(r"\b(?:parameter|argument)[ \t]+{NAME}"),
        format!(r"\b(?:combine with|together with)[ \t]+{NAME}(?:[ \t]*[.;,)]|$)"),
    ]
    .iter()
    .map(|pattern| regex(pattern))
    .collect()
});

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    // A tool that accepts any argument may be sent this one.
    if !matches!(tool.manifest.params.additional, Additional::Deny) && tool.manifest.params.properties.is_empty() {
        return;
    }
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for schema in tool.manifest.schemas() {
        known.extend(schema.properties.iter().map(|property| property.name.value.as_str()));
        let values = schema.choices.iter().map(|choice| &choice.value).chain(&schema.constant);
        known.extend(values.filter_map(|value| value.value.as_str()));
    }
    let is_known = |name: &str| known.contains(name) || lint.tools().any(|(_, tool)| tool.name() == name);
    for text in tool.texts() {
        let Some(literal) = lint.string(text.place) else { continue };
        let value = literal.value();
        let mut unknown: Vec<Range<usize>> = named(value).into_iter().filter(|name| !is_known(&value[name.clone()])).collect();
        unknown.sort_by_key(|name| name.start);
        unknown.dedup();
        let Some(first) = unknown.first() else { continue };
        let name = &value[first.clone()];
        let message = format!("`{}` has no parameter `{name}`", tool.name());
        let found = Diagnostic::new(codes::UNKNOWN_PARAMETER_MENTION, literal.place(first.clone()), message);
        let found = unknown[1..].iter().take(4).fold(found, |found, other| {
            found.related(literal.place(other.clone()), format!("nor `{}`", &value[other.clone()]))
        });
        let top = tool.manifest.params.properties.iter().map(|property| property.name.value.as_str());
        let found = found.help_nearest(name, top, "the parameters are");
        sink.push(found.help("correct the text, or declare the parameter in `[params.NAME]`"));
    }
}

/// Finds the names of parameters in a text.
fn named(text: &str) -> Vec<Range<usize>> {
    let mut found = listed(text);
    found.extend(SPHINX.captures_iter(text).filter_map(|entry| Some(entry.name("name")?.range())));
    for phrase in PHRASES.iter().flat_map(|phrase| phrase.captures_iter(text)) {
        let end = phrase.get(0).map_or(text.len(), |whole| whole.end());
        // "the `page_size` parameter of the API" is not one of this tool.
        let is_of_other = ["of ", "in ", "from ", "for "].iter().any(|word| text[end..].trim_start().starts_with(word));
        found.extend(phrase.name("name").filter(|_| !is_of_other).map(|name| name.range()));
    }
    found
}

/// Finds the names in lists of parameters.
fn listed(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for header in HEADER.find_iter(text) {
        let mut at = text[header.end()..].find('\n').map_or(text.len(), |end| header.end() + end + 1);
        let header_depth = depth(&text[text[..header.start()].rfind('\n').map_or(0, |at| at + 1)..]);
        let mut indent = None;
        while at < text.len() {
            let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
            let line = &text[at..end];
            let own = depth(line);
            // The header of the next section, such as `Returns:`, is not an entry.
            let is_header = own <= header_depth && line.trim_end().ends_with(':');
            match ENTRY.captures(line).and_then(|entry| entry.name("name")) {
                Some(name) if indent.is_none_or(|indent| indent == own) && !is_header => {
                    indent = Some(own);
                    found.push(at + name.start()..at + name.end());
                }
                // Further lines of an entry are indented more.
                _ if indent.is_some_and(|indent| own > indent) => {}
                _ if line.trim().is_empty() && indent.is_none() => {}
                _ => break,
            }
            at = end + 1;
        }
    }
    found
}

/// Returns how far a line is indented.
fn depth(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_parameters_are_read() {
        let names = |text: &'static str| named(text).into_iter().map(|name| &text[name]).collect::<Vec<_>>();
        let docstring = "Look up.\n\nArgs:\n    query (str): words\n    limit: how many:\n        one or two: both\n    all - of it\nReturns:\n    dict: it";
        assert_eq!(names(docstring), ["query", "limit", "all"]);
        assert_eq!(names("Look up.\nArgs:\nquery (str): words\nlimit (int): how many\nReturns:\ndict"), ["query", "limit"]);
        assert_eq!(names("**Parameters:**\n- `one`: x\n- **two** (optional): y\n\nNote: none"), ["one", "two"]);
        assert_eq!(names(":param str query: words\n:param limit: how many"), ["query", "limit"]);
        for text in ["Args: none.\nNote: this", "Parameters\n\nThe words to look for.", "Inputs:\nThe words: a or b"] {
            assert!(names(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn phrases_about_parameters_are_read() {
        let names = |text: &'static str| named(text).into_iter().map(|name| &text[name]).collect::<Vec<_>>();
        for text in ["Ignored unless `max_depth` is given.", "See the `max_depth` parameter.", "Overrides the argument `max_depth`."] {
            assert_eq!(names(text), ["max_depth"], "{text}");
        }
        for text in ["The `max_depth` parameter of GitHub's API", "Returns `max_depth` and `size`.", "If `path` is given"] {
            assert!(names(text).is_empty(), "{text}");
        }
    }
}
