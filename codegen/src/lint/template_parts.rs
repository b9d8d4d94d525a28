//! What a model reads of a tool: its texts, the values beside them, and in which turns each part of a text is there.

use std::collections::BTreeSet;
use std::ops::Range;

use toolc::__gen::segment::{Atoms, MOST_ATOMS};

use super::Lint;
use super::literal::StringLiteral;
use crate::catalog::{Atom, Requires, Tool, ToolId};
use crate::diagnostic::{At, Place};
use crate::schema::{Property, Schema};
use crate::text::atoms::{AtomId, Template, When};
use crate::text::template::Piece;
use crate::text::turns::turns;

/// Words of a text, and where and when they are there.
#[derive(Debug)]
pub(super) struct Part<'t> {
    /// The words.
    pub text: &'t str,
    /// The text that they are part of.
    pub of: Place,
    /// How many bytes of that text, as it is written, stand before them. None where an escape hides that.
    pub start: Option<usize>,
    /// The answers to the tool's atoms that bring them about.
    pub turns: Vec<Atoms>,
}

impl Tool {
    /// Every text: its own descriptions, and those of its schemas.
    pub(super) fn texts(&self) -> impl Iterator<Item = &At<Template>> {
        let schemas = self.manifest.schemas().filter_map(|schema| schema.description.as_ref());
        self.descriptions().chain(schemas)
    }

    /// Its description, and those that dialects have instead.
    pub(super) fn descriptions(&self) -> impl Iterator<Item = &At<Template>> {
        let manifest = &self.manifest;
        let of_dialects = manifest.dialect.iter().filter_map(|dialect| dialect.description.as_ref());
        [&manifest.description].into_iter().chain(of_dialects)
    }

    /// The schemas that its arguments are made of: the root and the definitions that it leads to, and all below.
    pub(super) fn parameter_schemas(&self) -> impl Iterator<Item = &Schema> {
        let manifest = &self.manifest;
        let needed = manifest.defs.needed_by([&manifest.params]);
        let defs = manifest.defs.iter().filter(move |(id, _)| needed[id.0]).map(|(_, def)| &def.schema);
        [&manifest.params].into_iter().chain(defs).flat_map(Schema::walk)
    }

    /// Its parameters, at any depth.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &Property> {
        self.parameter_schemas().flat_map(|schema| &schema.properties)
    }

    /// Whether its conditions can be judged. If not, that has been reported.
    fn is_linked(&self) -> bool {
        self.atoms.len() == self.manifest.atom_table.atoms.len()
            && self.atoms.len() <= MOST_ATOMS
            && self.facts.len() == self.manifest.atom_table.facts.len()
    }
}

impl Lint<'_> {
    /// What a text of the tool says where everything is there and every fact is at its default.
    pub(super) fn full_text(&self, tool: &Tool, template: &Template) -> Option<String> {
        tool.is_linked().then(|| self.full_setting(tool).text(template))
    }

    /// Every string that a model may see, as it is written: texts, and values such as defaults and examples.
    pub(super) fn strings<'s>(&'s self, tool: &'s Tool) -> impl Iterator<Item = StringLiteral<'s>> {
        let texts = tool.texts().filter_map(|text| self.string(text.place));
        texts.chain(self.values(tool))
    }

    /// Those of them that are values.
    pub(super) fn values<'s>(&'s self, tool: &'s Tool) -> impl Iterator<Item = StringLiteral<'s>> {
        let of = |schema: &'s Schema| {
            let choices = schema.choices.iter().map(|choice| &choice.value);
            choices.chain(&schema.constant).chain(&schema.default).chain(&schema.examples)
        };
        tool.manifest.schemas().flat_map(of).filter_map(|value| match &value.value {
            serde_json::Value::String(_) => self.string(value.place),
            serde_json::Value::Array(_) | serde_json::Value::Object(_) => Some(self.raw(value.place)),
            _ => None,
        })
    }

    /// The tools that are there wherever this one is, itself included: what it requires, what that requires, and so on.
    /// Of several that would do, what all of them require.
    pub(super) fn with(&self, id: ToolId) -> BTreeSet<ToolId> {
        let mut with = BTreeSet::new();
        self.require(id, &mut with, &mut Vec::new());
        with
    }

    fn require(&self, id: ToolId, with: &mut BTreeSet<ToolId>, way: &mut Vec<ToolId>) {
        if way.contains(&id) || !with.insert(id) {
            return;
        }
        way.push(id);
        let requires: [&Requires; 2] = [&self[id].requires, &self[self[id].home].requires];
        for requires in requires {
            for (other, _) in &requires.tools {
                self.require(*other, with, way);
            }
            let alternatives = requires.any_tools.iter().map(|(other, _)| {
                let mut with = BTreeSet::new();
                self.require(*other, &mut with, way);
                with
            });
            let common = alternatives.reduce(|some, others| some.intersection(&others).copied().collect());
            with.extend(common.into_iter().flatten());
        }
        way.pop();
    }

    /// The answers to a tool's atoms that there can be where it is shown. None where its conditions cannot be judged.
    pub(super) fn turns(&self, id: ToolId) -> Option<Vec<Atoms>> {
        let tool = &self[id];
        let mut all = tool.is_linked().then(|| turns(tool.manifest.atom_table.atoms.iter().map(|asks| &asks.value)))?;
        let asked = |index: usize| if let Atom::Tool(id) = tool.atoms[index] { Some(id) } else { None };
        let sure = self.with(id);
        let given: Vec<(Option<usize>, BTreeSet<ToolId>)> = [(None, sure)]
            .into_iter()
            .chain((0..tool.atoms.len()).filter_map(|index| Some((Some(index), self.with(asked(index)?)))))
            .collect();
        all.retain(|&atoms| {
            let is_there = |given: &Option<usize>| given.is_none_or(|index| bit(index, atoms));
            let met = |with: &BTreeSet<ToolId>| {
                (0..tool.atoms.len())
                    .all(|index| bit(index, atoms) || asked(index).is_none_or(|id| !with.contains(&id)))
            };
            given.iter().filter(|(given, _)| is_there(given)).all(|(_, with)| met(with))
                && tool.manifest.requires.when.as_ref().is_none_or(|when| holds(&when.value, atoms))
        });
        Some(all)
    }

    /// The words of all texts of a tool, with their turns.
    pub(super) fn parts<'t>(&self, tool: &'t Tool, within: &[Atoms]) -> Vec<Part<'t>> {
        let mut parts = Vec::new();
        for text in tool.descriptions() {
            self.text_parts(text, within, &mut parts);
        }
        // Definitions are told in every turn, whatever leads to them.
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
                    let there: Vec<Atoms> = within.iter().copied().filter(|atoms| holds(&when.value, *atoms)).collect();
                    self.schema_parts(&property.schema, &there, parts);
                }
            }
        }
        for below in schema.below() {
            self.schema_parts(below, within, parts);
        }
    }

    fn text_parts<'t>(&self, text: &'t At<Template>, within: &[Atoms], parts: &mut Vec<Part<'t>>) {
        let written = self.string(text.place);
        let mut finder = Finder { of: text.place, value: written.as_ref().map(StringLiteral::value), at: 0 };
        finder.pieces(&text.value, within, parts);
    }
}

/// Finds the pieces of a template, which come in the order in which they are written, in its string.
struct Finder<'w> {
    of: Place,
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
                    parts.push(Part { text, of: self.of, start, turns: within.to_vec() });
                }
                Piece::Fact(_) | Piece::Available { .. } => {}
                Piece::Choice { branches, otherwise } => {
                    let mut left = within.to_vec();
                    for (when, inner) in branches {
                        let (there, others) = left.into_iter().partition::<Vec<_>, _>(|&atoms| holds(when, atoms));
                        self.pieces(inner, &there, parts);
                        left = others;
                    }
                    self.pieces(otherwise, &left, parts);
                }
            }
        }
    }
}

impl Part<'_> {
    /// Where these bytes of it stand.
    pub(super) fn place(&self, lint: &Lint<'_>, span: Range<usize>) -> Place {
        let within = self.start.map(|start| start + span.start..start + span.end);
        let place = |within| lint.string(self.of).map(|written| written.place(within));
        within.and_then(place).unwrap_or(self.of)
    }
}

pub(super) fn holds(when: &When, atoms: Atoms) -> bool {
    when.holds(&|AtomId(atom)| bit(*atom, atoms))
}

fn bit(index: usize, atoms: Atoms) -> bool {
    atoms >> index & 1 == 1
}
