//! A description of a tool or parameter that names another tool in a turn in which that tool may be unavailable. A
//! name counts if it is in backticks or contains `_`. It is allowed under a condition on the named tool, and where
//! the tool itself, or another tool that the text is conditional on, requires the named tool. A name that is also
//! that of a parameter or an enum value counts only before the word "tool".
//!
//! ## Why is this bad
//! Models call the tools that they read about. Each call of a tool that was not granted, or that cannot run here,
//! fails.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! description = "Read a text file, or a window of its lines. To change it, use `write_file` afterwards."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! description = "Read a text file, or a window of its lines.{% if tools.write_file %} To change it, use `write_file` afterwards.{% endif %}"
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use toolc::__gen::segment::Atoms;

use crate::catalog::{Atom, Tool, ToolId};
use crate::diagnostic::{Code, Diagnostic, Level, Place, Sink};
use crate::lint::template_parts::Part;
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("M014", "unconditional-mention", Some(Level::Warning), Check::Catalog(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    let names: BTreeMap<&str, ToolId> = lint.tools().map(|(id, tool)| (tool.name(), id)).collect();
    for (id, tool) in lint.tools() {
        // Most tools mention no other tool, so skip them early.
        let mentions_tool = |text: &str| mentions(text).any(|mention| names.contains_key(mention.name));
        let literals = tool.texts().filter_map(|text| lint.string(text.place));
        if !literals.into_iter().any(|literal| mentions_tool(literal.value())) {
            continue;
        }
        let Some(turns) = lint.turns(id) else { continue };
        let context = Context { lint, names: &names, id, tool, always_available: lint.implied_tools(id) };
        let mut found: BTreeMap<(Place, ToolId), Vec<Place>> = BTreeMap::new();
        for part in lint.parts(tool, &turns) {
            for (other, span) in context.uncertain_mentions(&part) {
                found.entry((part.text_place, other)).or_default().push(part.place(lint, span));
            }
        }
        for ((_, other), places) in found {
            context.report(other, &places, sink);
        }
    }
}

struct Context<'l> {
    lint: &'l Lint<'l>,
    names: &'l BTreeMap<&'l str, ToolId>,
    id: ToolId,
    tool: &'l Tool,
    /// The tools that are available whenever this tool is.
    always_available: BTreeSet<ToolId>,
}

impl Context<'_> {
    /// Returns the tools that a part mentions and that may be unavailable, with the place of each mention.
    fn uncertain_mentions(&self, part: &Part<'_>) -> Vec<(ToolId, Range<usize>)> {
        let named = mentions(part.text).filter_map(|mention| {
            let other = *self.names.get(mention.name)?;
            let is_own = other == self.id || !mention.is_called_tool && self.has_part_named(mention.name);
            (!is_own && !part.turns.iter().all(|&turn| self.is_available(other, turn))).then_some((other, mention.span))
        });
        named.collect()
    }

    fn is_available(&self, other: ToolId, turn: Atoms) -> bool {
        let true_atoms = self.tool.atoms.iter().enumerate().filter(|(index, _)| turn >> index & 1 == 1);
        let mut available = true_atoms.filter_map(|(_, atom)| if let Atom::Tool(id) = atom { Some(*id) } else { None });
        self.always_available.contains(&other) || available.any(|id| self.lint.implied_tools(id).contains(&other))
    }

    /// Returns whether the tool has a parameter, an enum value or a definition of this name.
    fn has_part_named(&self, name: &str) -> bool {
        let manifest = &self.tool.manifest;
        manifest.defs.iter().any(|(_, def)| def.name.value == name)
            || manifest.schemas().any(|schema| {
                let mut values = schema.choices.iter().map(|choice| &choice.value).chain(&schema.constant);
                schema.properties.iter().any(|property| property.name.value == name)
                    || values.any(|value| value.value.as_str() == Some(name))
            })
    }

    fn report(&self, other: ToolId, places: &[Place], sink: &Sink) {
        let (name, other) = (self.tool.name(), self.lint[other].name());
        let message = format!("`{name}` mentions the tool `{other}`, which may be unavailable");
        let found = Diagnostic::new(Code::UNCONDITIONAL_MENTION, places[0], message);
        let found = places[1..].iter().fold(found, |found, place| found.related(*place, "and here"));
        sink.push(found.help(format!(
            "put the text under `{{% if tools.{other} %}} ... {{% endif %}}`, remove the name, or add the tool to `requires.tools`"
        )));
    }
}

/// A possible mention of a tool.
struct Mention<'t> {
    name: &'t str,
    span: Range<usize>,
    /// Whether the word "tool" follows.
    is_called_tool: bool,
}

/// Finds names in backticks and words that contain `_`, unless they are part of a path, a URL or a field access.
fn mentions(text: &str) -> impl Iterator<Item = Mention<'_>> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + text[at..].find(|letter: char| letter.is_ascii_alphabetic() || letter == '_')?;
            let length = text[start..].find(|letter| !is_part(letter)).unwrap_or(text.len() - start);
            // A trailing dash is not part of the word.
            let word = text[start..start + length].trim_end_matches('-');
            at = start + length;
            let (before, after) = (&text[..start], &text[start + word.len()..]);
            let in_ticks = before.ends_with('`') && (after.starts_with('`') || after.starts_with('('));
            let ends = |letter: Option<char>, signs: &str| letter.is_none_or(|letter| !signs.contains(letter));
            let mut next = after.chars();
            let (first, second) = (next.next(), next.next());
            // `name.` ends a sentence, `name.md` does not.
            let is_field = first == Some('.') && second.is_some_and(char::is_alphanumeric);
            let is_separate = ends(before.chars().next_back(), "/.-:@#$%&=\\~")
                && !before.ends_with(|letter: char| letter.is_alphanumeric())
                && ends(first, "/=\\@")
                && !is_field;
            if in_ticks || is_separate && word.contains('_') {
                let rest = after.trim_start_matches(['`', '"', '\'', '*']).trim_start();
                if starts_with_word(rest, "toolset") {
                    continue;
                }
                let is_called_tool = starts_with_word(rest, "tool") || starts_with_word(rest, "tools");
                return Some(Mention { name: word, span: start..start + word.len(), is_called_tool });
            }
        }
    })
}

fn starts_with_word(text: &str, word: &str) -> bool {
    text.strip_prefix(word)
        .is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_are_not_part_of_something_longer() {
        let found = |text| mentions(text).map(|mention| mention.name.to_owned()).collect::<Vec<_>>();
        assert_eq!(found("Use read_file, `patch` or web-search; (list_all)."), ["read_file", "patch", "list_all"]);
        assert_eq!(found("`read_file(path)` and write_file()"), ["read_file", "write_file"]);
        assert_eq!(found("a/read_file read_file/b x.read_file read_file.md $read_file read_file="), [""; 0]);
        assert_eq!(found("see read_file. \"read_file\": `web-search`"), ["read_file", "read_file", "web-search"]);
        assert_eq!(found("the `file_ops` toolset, `terminal` toolset, file_ops- x"), ["file_ops"]);
        assert!(mentions("`patch` tool").all(|mention| mention.is_called_tool));
        assert_eq!(found("éread_file"), [""; 0]);
    }
}
