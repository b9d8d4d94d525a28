//! The texts and values of a tool that a model reads, and the turns in which each part of a text appears.

use std::collections::BTreeSet;
use std::ops::Range;

use toolc::__gen::segment::{Atoms, MAX_ATOMS};
use toolc_lower::schema::{Property, Schema};
use toolc_lower::text::atoms::{AtomId, Template, When};
use toolc_lower::text::template::Piece;
use toolc_lower::text::turns::turns;

use super::Lint;
use super::literal::StringLiteral;
use crate::catalog::{Atom, Requires, Tool, ToolId};
use crate::diagnostic::{At, Place};

/// A part of a text, with its place and the turns in which it appears.
#[derive(Debug)]
pub(super) struct Part<'t> {
    /// The text of the part.
    pub text: &'t str,
    /// The place of the whole text.
    pub text_place: Place,
    /// The offset of the part in the string, in bytes, or `None` if it is unknown because of escapes.
    pub start: Option<usize>,
    /// The turns in which the part appears, as values of the tool's atoms.
    pub turns: Vec<Atoms>,
}

impl Tool {
    /// Returns all texts: the descriptions of the tool and of its schemas.
    pub(super) fn texts(&self) -> impl Iterator<Item = &At<Template>> {
        let schemas = self.manifest.schemas().filter_map(|schema| schema.description.as_ref());
        self.descriptions().chain(schemas)
    }

    /// Returns the description, and those that replace it in dialects.
    pub(super) fn descriptions(&self) -> impl Iterator<Item = &At<Template>> {
        let manifest = &self.manifest;
        let of_dialects = manifest.dialect.iter().filter_map(|dialect| dialect.description.as_ref());
        [&manifest.description].into_iter().chain(of_dialects)
    }

    /// Returns the schemas of the arguments: the root, the definitions that it uses, and all nested schemas.
    pub(super) fn parameter_schemas(&self) -> impl Iterator<Item = &Schema> {
        let manifest = &self.manifest;
        let needed = manifest.defs.reachable_from([&manifest.params]);
        let defs = manifest.defs.iter().filter(move |(id, _)| needed[id.0]).map(|(_, def)| &def.schema);
        [&manifest.params].into_iter().chain(defs).flat_map(Schema::walk)
    }

    /// Returns the parameters, at any depth.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &Property> {
        self.parameter_schemas().flat_map(|schema| &schema.properties)
    }

    /// Returns whether all conditions of the tool are valid. Invalid ones have been reported.
    fn is_linked(&self) -> bool {
        self.atoms.len() == self.manifest.atom_table.atoms.len()
            && self.atoms.len() <= MAX_ATOMS
            && self.facts.len() == self.manifest.atom_table.facts.len()
    }
}

impl Lint<'_> {
    /// Renders a text of the tool with all tools available and all facts at their defaults.
    pub(super) fn full_text(&self, tool: &Tool, template: &Template) -> Option<String> {
        tool.is_linked().then(|| self.full_turn_values(tool).text(template))
    }

    /// Returns every string that a model may read: texts, and values such as defaults and examples.
    pub(super) fn strings<'s>(&'s self, tool: &'s Tool) -> impl Iterator<Item = StringLiteral<'s>> {
        let texts = tool.texts().filter_map(|text| self.string(text.place));
        texts.chain(self.values(tool))
    }

    /// Returns the values that a model may read.
    pub(super) fn values<'s>(&'s self, tool: &'s Tool) -> impl Iterator<Item = StringLiteral<'s>> {
        let schema_values = |schema: &'s Schema| {
            let choices = schema.choices.iter().map(|choice| &choice.value);
            choices.chain(&schema.constant).chain(&schema.default).chain(&schema.examples)
        };
        tool.manifest.schemas().flat_map(schema_values).filter_map(|value| match &value.value {
            serde_json::Value::String(_) => self.string(value.place),
            serde_json::Value::Array(_) | serde_json::Value::Object(_) => Some(self.raw(value.place)),
            _ => None,
        })
    }

    /// Returns the tools that are available whenever this one is, including itself: its requirements, transitively. Alternatives
    /// add only the tools that all of them require.
    pub(super) fn implied_tools(&self, id: ToolId) -> BTreeSet<ToolId> {
        let mut implied = BTreeSet::new();
        self.require(id, &mut implied, &mut Vec::new());
        implied
    }

    fn require(&self, id: ToolId, implied: &mut BTreeSet<ToolId>, path: &mut Vec<ToolId>) {
        if path.contains(&id) || !implied.insert(id) {
            return;
        }
        path.push(id);
        let requires: [&Requires; 2] = [&self[id].requires, &self[self[id].home].requires];
        for requires in requires {
            for (other, _) in &requires.tools {
                self.require(*other, implied, path);
            }
            let alternatives = requires.any_tools.iter().map(|(other, _)| {
                let mut with = BTreeSet::new();
                self.require(*other, &mut with, path);
                with
            });
            let common = alternatives.reduce(|some, others| some.intersection(&others).copied().collect());
            implied.extend(common.into_iter().flatten());
        }
        path.pop();
    }

    /// Returns the turns that show a tool, as values of its atoms, or `None` if its conditions are invalid.
    pub(super) fn turns(&self, id: ToolId) -> Option<Vec<Atoms>> {
        let tool = &self[id];
        let mut all = tool.is_linked().then(|| turns(tool.manifest.atom_table.atoms.iter().map(|expr| &expr.value)))?;
        let tool_of_atom = |index: usize| if let Atom::Tool(id) = tool.atoms[index] { Some(id) } else { None };
        let implied = self.implied_tools(id);
        let given: Vec<(Option<usize>, BTreeSet<ToolId>)> = [(None, implied)]
            .into_iter()
            .chain(
                (0..tool.atoms.len()).filter_map(|index| Some((Some(index), self.implied_tools(tool_of_atom(index)?)))),
            )
            .collect();
        all.retain(|&atoms| {
            let is_given = |given: &Option<usize>| given.is_none_or(|index| bit(index, atoms));
            let met = |with: &BTreeSet<ToolId>| {
                (0..tool.atoms.len())
                    .all(|index| bit(index, atoms) || tool_of_atom(index).is_none_or(|id| !with.contains(&id)))
            };
            given.iter().filter(|(given, _)| is_given(given)).all(|(_, with)| met(with))
                && tool.manifest.requires.when.as_ref().is_none_or(|when| holds(&when.value, atoms))
        });
        Some(all)
    }

    /// Returns the parts of all texts of a tool, with their turns.
    pub(super) fn parts<'t>(&self, tool: &'t Tool, within: &[Atoms]) -> Vec<Part<'t>> {
        let mut parts = Vec::new();
        for text in tool.descriptions() {
            self.text_parts(text, within, &mut parts);
        }
        // Definitions appear in every turn, whatever refers to them.
        for schema in tool.manifest.roots() {
            self.schema_parts(schema, within, &mut parts);
        }
        parts
    }

    fn schema_parts<'t>(&self, schema: &'t Schema, within: &[Atoms], parts: &mut Vec<Part<'t>>) {
        if let Some(text) = &schema.description {
            self.text_parts(text, within, parts);
        }
        for property in &schema.properties {
            match &property.when {
                None => self.schema_parts(&property.schema, within, parts),
                Some(when) => {
                    let true_turns: Vec<Atoms> =
                        within.iter().copied().filter(|atoms| holds(&when.value, *atoms)).collect();
                    self.schema_parts(&property.schema, &true_turns, parts);
                }
            }
        }
        for subschema in schema.subschemas() {
            self.schema_parts(subschema, within, parts);
        }
    }

    fn text_parts<'t>(&self, text: &'t At<Template>, within: &[Atoms], parts: &mut Vec<Part<'t>>) {
        let literal = self.string(text.place);
        let mut finder = Finder { text_place: text.place, value: literal.as_ref().map(StringLiteral::value), at: 0 };
        finder.pieces(&text.value, within, parts);
    }
}

/// Locates the pieces of a template in its string, in order.
struct Finder<'w> {
    text_place: Place,
    value: Option<&'w str>,
    at: usize,
}

impl Finder<'_> {
    fn pieces<'t>(&mut self, pieces: &'t Template, within: &[Atoms], parts: &mut Vec<Part<'t>>) {
        for piece in pieces {
            match piece {
                Piece::Text(text) => {
                    let start = self.value.and_then(|value| Some(value.get(self.at..)?.find(text.as_str())? + self.at));
                    self.at = start.map_or(self.at, |start| start + text.len());
                    parts.push(Part { text, text_place: self.text_place, start, turns: within.to_vec() });
                }
                Piece::Fact(_) | Piece::Available { .. } => {}
                Piece::Choice { branches, otherwise } => {
                    let mut remaining = within.to_vec();
                    for (when, inner) in branches {
                        let (true_turns, others) =
                            remaining.into_iter().partition::<Vec<_>, _>(|&atoms| holds(when, atoms));
                        self.pieces(inner, &true_turns, parts);
                        remaining = others;
                    }
                    self.pieces(otherwise, &remaining, parts);
                }
            }
        }
    }
}

impl Part<'_> {
    /// Returns the place of a range of bytes of the part.
    pub(super) fn place(&self, lint: &Lint<'_>, span: Range<usize>) -> Place {
        let within = self.start.map(|start| start + span.start..start + span.end);
        let place = |within| lint.string(self.text_place).map(|literal| literal.place(within));
        within.and_then(place).unwrap_or(self.text_place)
    }
}

pub(super) fn holds(when: &When, atoms: Atoms) -> bool {
    when.holds(&|AtomId(atom)| bit(*atom, atoms))
}

fn bit(index: usize, atoms: Atoms) -> bool {
    atoms >> index & 1 == 1
}
