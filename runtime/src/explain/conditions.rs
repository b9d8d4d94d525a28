//! The conditional parts of a tool's definition, and the values of their conditions.

use std::collections::{BTreeSet, VecDeque};

use super::{AtomValue, ConditionalPart, PartLocation};
use crate::data::segment;
use crate::data::segment::{Atom, Atoms, Condition, FactValue, Op, Segment};
use crate::data::table::{Literal, Node, Part as TablePart, Property, Span, Table};
use crate::data::to_json::ToJson as _;
use crate::registration::atoms::ResolvedAtom;
use crate::registration::ids::ToolId;
use crate::session::turn::Turn;

impl Turn {
    /// Returns the conditional parts of a tool's definition.
    pub(crate) fn conditional_parts(&self, id: ToolId) -> Vec<ConditionalPart> {
        let (tool, resolved) = (self.state().tool(id), &self.state()[id].atoms);
        let atoms = self.atoms(id);
        let part = |location, condition: &Condition, is_shown| ConditionalPart {
            location,
            condition: condition.to_manifest(&tool.atoms),
            atoms: self.values(condition, &tool.atoms, resolved),
            is_shown,
        };
        let mut parts = Vec::new();
        if let Some(definition) = self.state().definition(id, self.dialect()) {
            let values: Vec<FactValue> = tool.facts.iter().filter_map(|name| self.facts().get(name).cloned()).collect();
            for (location, condition, is_shown) in texts(&definition.segments, atoms, &values) {
                parts.push(part(location, condition, is_shown));
            }
        }
        let table = &*tool.arguments;
        parts.extend(table.conditions.iter().map(|(table_part, condition)| {
            let location = match *table_part {
                TablePart::Property(at) => {
                    let name = table.properties.get(usize::from(at)).map(|property| property.name.to_string());
                    let mut path = path(table, |node| holds(node.properties, at));
                    path.extend(name);
                    PartLocation::Parameter(path.join("."))
                }
                TablePart::Literal(at) => PartLocation::Value {
                    parameter: path(table, |node| holds(node.literals, at)).join("."),
                    value: table.literals.get(usize::from(at)).map_or_else(|| "null".to_owned(), value),
                },
            };
            part(location, condition, condition.holds(atoms))
        }));
        parts
    }

    /// Returns each atom of a condition once, with its value.
    fn values(&self, condition: &Condition, atoms: &[Atom], resolved: &[ResolvedAtom]) -> Vec<(String, AtomValue)> {
        let mut visited = BTreeSet::new();
        let used = condition.0.iter().filter_map(|op| match *op {
            Op::Atom(atom) => Some(usize::from(atom)).filter(|atom| visited.insert(*atom)),
            _ => None,
        });
        let value = |at: usize| {
            let atom = atoms.get(at)?;
            let value = match (atom, resolved.get(at)) {
                (Atom::Tool(name), Some(ResolvedAtom::Tool(id))) => {
                    AtomValue::Tool(name.clone(), id.is_some_and(|id| self.has(id)))
                }
                (Atom::Tool(name), _) => AtomValue::Tool(name.clone(), false),
                (Atom::Fact(name) | Atom::Compared(name, ..), _) => {
                    AtomValue::Fact(name.clone(), self.facts().get(name).cloned())
                }
            };
            Some((atom.to_string(), value))
        };
        used.filter_map(value).collect()
    }
}

/// Returns the conditional texts, each with its location, its condition, and whether it is included.
fn texts<'s>(segments: &'s [Segment], atoms: Atoms, facts: &[FactValue]) -> Vec<(PartLocation, &'s Condition, bool)> {
    let (mut texts, mut scan) = (Vec::new(), Scan::default());
    // The enclosing conditions: the index of the first segment after each of them, and whether it holds.
    let mut enclosing = Vec::<(usize, bool)>::new();
    for (at, segment) in segments.iter().enumerate() {
        enclosing.retain(|(end, _)| at < *end);
        match segment {
            Segment::Text(text) => scan.read(text),
            Segment::When { condition, segments: count } => {
                let end = (at + 1 + usize::from(*count)).min(segments.len());
                let is_shown = condition.holds(atoms) && enclosing.iter().all(|(_, holds)| *holds);
                enclosing.push((end, condition.holds(atoms)));
                // Conditions outside of strings are those of parameters and values, which the table has.
                if scan.string.is_some() {
                    let mut text = String::new();
                    segment::render(&segments[at + 1..end], atoms, facts, &mut text);
                    let text = serde_json::from_str(&format!("\"{text}\"")).unwrap_or(text);
                    let within = scan.keys.iter().filter(|key| !key.is_empty()).cloned().collect();
                    texts.push((PartLocation::Text { within, text }, condition, is_shown));
                }
            }
            Segment::Fact(_) | Segment::Available { .. } => {}
        }
    }
    texts
}

/// A scanner for the location of each segment in a JSON text.
#[derive(Default)]
struct Scan {
    /// The current key of each open object.
    keys: Vec<String>,
    /// The open string, if any.
    string: Option<String>,
    is_escaped: bool,
    /// The most recent complete string.
    last: String,
}

impl Scan {
    fn read(&mut self, text: &str) {
        for letter in text.chars() {
            if let Some(string) = &mut self.string {
                if letter == '"' && !self.is_escaped {
                    self.last = self.string.take().unwrap_or_default();
                    continue;
                }
                self.is_escaped = letter == '\\' && !self.is_escaped;
                string.push(letter);
                continue;
            }
            match letter {
                '"' => self.string = Some(String::new()),
                '{' => self.keys.push(String::new()),
                '}' => drop(self.keys.pop()),
                ':' => {
                    if let Some(key) = self.keys.last_mut() {
                        key.clone_from(&self.last);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Returns the path from the arguments to the nearest node for which `is_target` returns true, as names of parameters.
fn path(table: &Table, is_target: impl Fn(&Node) -> bool) -> Vec<String> {
    let (mut queue, mut visited) = (VecDeque::from([(0, Vec::new())]), BTreeSet::from([0]));
    while let Some((id, path)) = queue.pop_front() {
        let node = table.node(id);
        if is_target(node) {
            return path;
        }
        let child = |property: &Property| (property.node, [&path[..], &[property.name.to_string()]].concat());
        let inner = node.items.iter().chain(table.any_of(node)).chain(table.all_of(node));
        let inner = inner.map(|next| (*next, path.clone()));
        for (next, path) in table.properties(node).iter().map(child).chain(inner) {
            if visited.insert(next) {
                queue.push_back((next, path));
            }
        }
    }
    Vec::new()
}

fn holds(span: Span, at: u16) -> bool {
    (span.start..span.start.saturating_add(span.len)).contains(&at)
}

fn value(literal: &Literal) -> String {
    let mut json = String::new();
    match literal {
        Literal::Null => json.push_str("null"),
        Literal::Boolean(flag) => flag.to_json(&mut json),
        Literal::Integer(integer) => integer.to_json(&mut json),
        Literal::Number(number) => number.to_json(&mut json),
        Literal::String(text) => text.to_json(&mut json),
        Literal::Json(text) => json.push_str(text),
        Literal::Hidden => {}
    }
    json
}
