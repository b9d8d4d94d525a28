//! A description of a tool or parameter that names another tool in a turn in which that tool may be unavailable. A
//! name counts if it is in backticks, contains `_`, or is between "the" and "tool". It is allowed
//!
//! - under a condition on the named tool;
//! - if the two tools cannot be separated: no toolset contains only one of them, and the named one requires no more than
//!   the other ([`mention-within-toolset`](#m021-mention-within-toolset) reports these);
//! - in a comparison ("similar to"), a prohibition, and a sentence that says "when available".
//!
//! A tool that is added at run time can always be missing. A name that is also that of a parameter or an enum value
//! counts only before the word "tool". A name that a tool has only in one dialect, or that a client gives it
//! (`mcp__SERVER__TOOL`), is always reported outside of that dialect, because the tool has another name elsewhere.
//!
//! ## Why is this bad
//! Models call the tools that they read about. Each call of a tool that was not granted, or that cannot run here,
//! fails.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! description = "Read a text file, or a window of its lines. To find out more about it, use `web_search` afterwards."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! description = "Read a text file, or a window of its lines.{% if tools.web_search %} To find out more about it, use `web_search` afterwards.{% endif %}"
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use toolc_lower::dialects::DIALECTS;
use toolc::__gen::segment::Atoms;

use crate::lint::codes;
use crate::catalog::{Atom, ExternalId, Tool, ToolId};
use crate::diagnostic::{Code, Diagnostic, Level, Place, Sink};
use crate::lint::mentions::{is_harmless, mentions};
use crate::lint::template_parts::Part;
use crate::lint::together::Separation;
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("M014", "unconditional-mention", Some(Level::Warning), Check::Catalog(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    report_mentions(lint, sink, |context, other, places| match other {
        Named::Tool(other) => {
            let separation = context.lint.separation(context.id, other);
            let is_separable = separation.is_some() || context.is_denied(other);
            is_separable.then(|| {
                let found = context.finding(codes::UNCONDITIONAL_MENTION, context.lint[other].name(), "may be unavailable", places);
                match separation {
                    Some(Separation { place, why }) => found.related(place, why),
                    None => found,
                }
            })
        }
        Named::External(other) => {
            Some(context.finding(codes::UNCONDITIONAL_MENTION, &context.lint[other], "may not be registered", places))
        }
        Named::Elsewhere(other, by) => {
            let name = context.lint[other].name();
            let message = format!("`{}` mentions `{name}` by its name in {by}, which it does not have elsewhere", context.tool.name());
            let help = format!("use `{{{{ available('{name}') }}}}`, or put the text into the descriptions of single dialects");
            Some(Diagnostic::new(codes::UNCONDITIONAL_MENTION, places[0], message).help(help))
        }
    });
}

/// What a text names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Named {
    Tool(ToolId),
    /// A tool that is added at run time.
    External(ExternalId),
    /// A tool, by the name that it has only in a dialect or with a client.
    Elsewhere(ToolId, String),
}

/// Calls `report` for each tool that a text of another tool names in a turn that does not imply it, with the places.
pub(super) fn report_mentions(
    lint: &Lint<'_>,
    sink: &Sink,
    report: impl Fn(&Context<'_>, Named, &[Place]) -> Option<Diagnostic>,
) {
    let names = names(lint);
    for (id, tool) in lint.tools() {
        // Most tools mention no other tool, so skip them early.
        if !lint.mentioned(id).iter().any(|name| names.contains_key(plain(name.trim_start_matches('`')))) {
            continue;
        }
        let Some(turns) = lint.turns(id) else { continue };
        let mut context = Context { lint, names: &names, id, tool, denied: Vec::new() };
        let mut found: BTreeMap<(Place, Named), Vec<Place>> = BTreeMap::new();
        for part in lint.parts(tool, &turns) {
            for (named, span) in context.uncertain_mentions(&part) {
                found.entry((part.text_place, named)).or_default().push(part.place(lint, span));
            }
        }
        for ((_, named), places) in found {
            if let Some(found) = report(&context, named, &places) {
                sink.push(found);
            }
        }
    }
}

/// Returns every name by which a text can mention a tool.
fn names<'l>(lint: &'l Lint<'_>) -> BTreeMap<&'l str, Named> {
    let mut names = BTreeMap::new();
    for (id, tool) in lint.tools() {
        for dialect in DIALECTS {
            let name = tool.name_in(dialect.name);
            if name != tool.name() {
                names.entry(name).or_insert_with(|| Named::Elsewhere(id, format!("`{}`", dialect.name)));
            }
        }
    }
    names.extend((0..).map(ExternalId).zip(lint.external()).map(|(id, name)| (name.as_str(), Named::External(id))));
    names.extend(lint.tools().map(|(id, tool)| (tool.name(), Named::Tool(id))));
    names
}

/// Returns the name of a tool without the prefix that clients of MCP give it: `mcp__SERVER__TOOL`.
fn plain(name: &str) -> &str {
    name.strip_prefix("mcp__").and_then(|rest| Some(rest.split_once("__")?.1)).unwrap_or(name)
}

pub(super) struct Context<'l> {
    pub(super) lint: &'l Lint<'l>,
    names: &'l BTreeMap<&'l str, Named>,
    pub(super) id: ToolId,
    tool: &'l Tool,
    /// The tools that a text names although its condition says that they are unavailable.
    denied: Vec<ToolId>,
}

impl Context<'_> {
    /// Returns what a part mentions and is not certain to be available, with the place of each mention.
    fn uncertain_mentions(&mut self, part: &Part<'_>) -> Vec<(Named, Range<usize>)> {
        let mut found = Vec::new();
        for mention in mentions(part.text) {
            let Some(named) = self.names.get(plain(mention.name)) else { continue };
            if !mention.is_called_tool && self.has_part_named(mention.name) || is_harmless(part.text, &mention) {
                continue;
            }
            let named = match named {
                Named::Tool(other) if plain(mention.name) != mention.name => Named::Elsewhere(*other, "some clients".to_owned()),
                named => named.clone(),
            };
            let is_certain = match &named {
                Named::Tool(other) | Named::Elsewhere(other, _) if *other == self.id => true,
                Named::Elsewhere(other, _) => self.is_text_of_dialect(part.text_place, *other, mention.name),
                Named::Tool(other) => {
                    let is_denied = part.turns.iter().any(|&turn| self.atom(turn, &Atom::Tool(*other)) == Some(false));
                    if is_denied && !self.denied.contains(other) {
                        self.denied.push(*other);
                    }
                    let is_implied = self.lint.implied_tools(self.id).contains(other);
                    let implying = self.atoms_that_imply(*other);
                    is_implied || part.turns.iter().all(|turn| turn & implying != 0)
                }
                Named::External(other) => {
                    part.turns.iter().all(|&turn| self.atom(turn, &Atom::External(*other)) == Some(true))
                        || self.tool.requires.external.contains(other)
                }
            };
            if !is_certain {
                found.push((named, mention.span));
            }
        }
        found
    }

    /// Returns the value of an atom in a turn, or `None` if no condition of the tool has it.
    fn atom(&self, turn: Atoms, atom: &Atom) -> Option<bool> {
        let index = self.tool.atoms.iter().position(|other| other == atom)?;
        Some(turn >> index & 1 == 1)
    }

    /// Returns the atoms, as bits, that stand for the tool or for one that cannot be separated from it.
    fn atoms_that_imply(&self, other: ToolId) -> Atoms {
        let implies = |atom: &Atom| {
            matches!(atom, Atom::Tool(id) if *id == other || self.lint.separation(*id, other).is_none())
        };
        self.tool.atoms.iter().enumerate().map(|(index, atom)| Atoms::from(implies(atom)) << index).sum()
    }

    /// Returns whether a condition on the named tool says that it is unavailable.
    fn is_denied(&self, other: ToolId) -> bool {
        self.denied.contains(&other)
    }

    /// Returns whether a text belongs to a dialect in which the tool has this name.
    fn is_text_of_dialect(&self, text: Place, other: ToolId, name: &str) -> bool {
        let overrides = &self.tool.manifest.dialect;
        overrides.iter().any(|one| {
            one.description.as_ref().is_some_and(|description| description.place == text)
                && self.lint[other].name_in(&one.dialect.value) == name
        })
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

    pub(super) fn finding(&self, code: Code, other: &str, problem: &str, places: &[Place]) -> Diagnostic {
        let message = format!("`{}` mentions the tool `{other}`, which {problem}", self.tool.name());
        let found = Diagnostic::new(code, places[0], message);
        let found = places[1..].iter().fold(found, |found, place| found.related(*place, "and here"));
        found.help(format!(
            "put the text under `{{% if tools.{other} %}} ... {{% endif %}}`, remove the name, or add the tool to `requires.tools`"
        ))
    }
}
