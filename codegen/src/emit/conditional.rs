//! The conditional parts of a tool, as JSON that a program in any language can evaluate.
//!
//! A document with every part is followed by a list of its parts that depend on the turn. Each has a JSON pointer into the document,
//! and either the condition under which it exists, or the pieces of its text. The document itself contains no markers, because a
//! parameter can have any name, and a default any value.

use serde_json::{Map, Value, json};
use toolc_lower::conditional_json::CondJson;
use toolc_lower::text::atoms::{AtomId, FactRef, Template, When};
use toolc_lower::text::condition::Condition;
use toolc_lower::text::template::Piece;
use toolc_tables::fact_to_json;

use crate::catalog::{Atom, Tool};
use crate::lower::Lowered;

/// Returns the descriptions and schemas of a tool that depend on the turn, with all their parts, and which parts these are; `None` if
/// nothing depends on it.
pub(super) fn conditional(catalog: &Lowered<'_>, tool: &Tool) -> Option<Value> {
    if tool.atoms.is_empty() && tool.facts.is_empty() {
        return None;
    }
    let manifest = &tool.manifest;
    let mut entries = vec![
        ("description", CondJson::Text(manifest.description.value.clone())),
        ("parameters", manifest.parameters()),
    ];
    entries.extend(manifest.returns.as_ref().map(|returns| ("returns", manifest.defs.document(returns))));
    let overrides = manifest.dialect.iter().filter_map(|dialect| {
        let text = CondJson::Text(dialect.description.as_ref()?.value.clone());
        Some((None, dialect.dialect.value.clone(), CondJson::object([("description", text)])))
    });
    let overrides: Vec<_> = overrides.collect();
    if !overrides.is_empty() {
        entries.push(("dialect", CondJson::Object(overrides)));
    }
    // What is the same in every turn is in the catalog already.
    let depends =
        |(key, value): (&str, CondJson)| with_parts(catalog, tool, &value).map(|_| (None, key.to_owned(), value));
    let document = CondJson::Object(entries.into_iter().filter_map(depends).collect());
    with_parts(catalog, tool, &document)
}

/// Returns a document with all its parts, and the parts that depend on the turn; `None` if nothing depends on it.
pub(super) fn with_parts(catalog: &Lowered<'_>, tool: &Tool, document: &CondJson) -> Option<Value> {
    let mut collector = Collector { catalog, tool, parts: Vec::new() };
    collector.collect(document, &mut String::new());
    let parts = collector.parts;
    if parts.is_empty() { None } else { Some(json!({ "full": document.full_value(), "parts": parts })) }
}

/// Returns the pieces of a text of a tool.
pub(super) fn text_json(catalog: &Lowered<'_>, tool: &Tool, text: &Template) -> Value {
    Collector { catalog, tool, parts: Vec::new() }.text(text)
}

struct Collector<'c> {
    catalog: &'c Lowered<'c>,
    tool: &'c Tool,
    /// In the order of the document: a part is before the parts in it, and before the later items of its array.
    parts: Vec<Value>,
}

impl Collector<'_> {
    fn collect(&mut self, document: &CondJson, pointer: &mut String) {
        match document {
            CondJson::Json(_) => {}
            CondJson::Text(text) => {
                if text.iter().any(|piece| !matches!(piece, Piece::Text(_))) {
                    self.parts.push(json!({ "at": pointer, "text": self.text(text) }));
                }
            }
            CondJson::Array(items) => {
                for (index, (when, item)) in items.iter().enumerate() {
                    self.step(&index.to_string(), when.as_ref(), item, pointer);
                }
            }
            CondJson::Object(entries) => {
                for (when, key, value) in entries {
                    self.step(&key.replace('~', "~0").replace('/', "~1"), when.as_ref(), value, pointer);
                }
            }
        }
    }

    fn step(&mut self, key: &str, when: Option<&When>, value: &CondJson, pointer: &mut String) {
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(key);
        if let Some(when) = when {
            let when = condition_json(when, &self.tool.atoms, self.catalog);
            self.parts.push(json!({ "at": pointer, "when": when }));
        }
        self.collect(value, pointer);
        pointer.truncate(length);
    }

    /// Returns the pieces of a text.
    fn text(&self, text: &Template) -> Value {
        text.iter().map(|piece| self.piece(piece)).collect()
    }

    fn piece(&self, piece: &Piece<AtomId, FactRef>) -> Value {
        match piece {
            Piece::Text(text) => json!(text),
            Piece::Fact(FactRef(fact)) => json!({ "fact": self.catalog[self.tool.facts[*fact]].name.value }),
            Piece::Available { tools, join } => {
                let tools = tools.iter().map(|(AtomId(atom), name)| {
                    json!({ "when": atom_json(&self.tool.atoms[*atom], self.catalog), "text": name })
                });
                json!({ "join": tools.collect::<Value>(), "with": join })
            }
            Piece::Choice { branches, otherwise } => {
                let branches = branches.iter().map(|(when, text)| {
                    json!({ "when": condition_json(when, &self.tool.atoms, self.catalog), "text": self.text(text) })
                });
                let mut choice = Map::from_iter([("first".to_owned(), branches.collect())]);
                if !otherwise.is_empty() {
                    choice.insert("otherwise".to_owned(), self.text(otherwise));
                }
                choice.into()
            }
        }
    }
}

/// Returns a condition as JSON.
pub(super) fn condition_json(when: &When, atoms: &[Atom], catalog: &Lowered<'_>) -> Value {
    let all = |parts: &[When]| parts.iter().map(|part| condition_json(part, atoms, catalog)).collect::<Value>();
    match when {
        Condition::Not(inner) => json!({ "not": condition_json(inner, atoms, catalog) }),
        Condition::And(parts) => json!({ "all": all(parts) }),
        Condition::Or(parts) => json!({ "any": all(parts) }),
        Condition::Atom(AtomId(atom)) => atom_json(&atoms[*atom], catalog),
    }
}

/// Returns the condition that an atom holds, as JSON.
pub(super) fn atom_json(atom: &Atom, catalog: &Lowered<'_>) -> Value {
    match atom {
        Atom::Tool(id) => json!({ "tool": catalog[*id].name() }),
        Atom::External(id) => json!({ "tool": catalog[*id] }),
        Atom::Fact(id) => json!({ "fact": catalog[*id].name.value, "is": "==", "value": true }),
        Atom::Compared(id, comparison, literal) => {
            json!({ "fact": catalog[*id].name.value, "is": comparison.sign(), "value": fact_to_json(literal) })
        }
    }
}
