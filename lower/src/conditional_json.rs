//! JSON with conditions, and its conversion to segments, which the runtime renders in each turn.

use serde_json::Value;
use toolc::__gen::segment;
use toolc::__gen::segment::{Atoms, Condition as Compiled, Op, Segment};
use toolc::FactValue;

use crate::text::atoms::{AtomId, FactRef, Template, When};
use crate::text::condition::Condition;
use crate::text::template::Piece;

/// A JSON value with parts that are present in some turns only.
#[derive(Debug, Clone)]
pub enum CondJson {
    /// A value that is the same in every turn.
    Json(Value),
    /// A string.
    Text(Template),
    /// An array. An item with a condition is present if the condition holds.
    Array(Vec<(Option<When>, CondJson)>),
    /// An object. An entry with a condition is present if the condition holds.
    Object(Vec<(Option<When>, String, CondJson)>),
}

impl From<Value> for CondJson {
    fn from(value: Value) -> Self {
        CondJson::Json(value)
    }
}

impl CondJson {
    /// Creates an object with unconditional entries.
    pub fn object<const N: usize>(entries: [(&str, CondJson); N]) -> Self {
        CondJson::Object(entries.into_iter().map(|(key, value)| (None, key.to_owned(), value)).collect())
    }

    /// Returns the JSON text as segments. They render to well-formed JSON without white space, whichever atoms hold.
    pub fn segments(&self) -> Vec<Segment> {
        let mut segments = Vec::new();
        flatten(&self.json(), &mut segments);
        segments
    }

    /// Returns the JSON text as a template, for use in a description. The values of facts in it are escaped once, as in any text.
    pub fn json(&self) -> Template {
        let mut text = Template::new();
        self.write(&mut text);
        text
    }

    /// Returns the value in a turn. `atoms` are those that hold, as bits by index; `facts` are the values of the tool's facts.
    pub fn value(&self, atoms: Atoms, facts: &[FactValue]) -> Value {
        let mut text = String::new();
        segment::render(&self.segments(), atoms, facts, &mut text);
        serde_json::from_str(&text).unwrap_or_else(|error| unreachable!("segments render to JSON: {error}: {text}"))
    }

    /// Returns the value with all items and entries, whatever their conditions. Strings contain only their unconditional text.
    pub fn full_value(&self) -> Value {
        match self {
            CondJson::Json(value) => value.clone(),
            CondJson::Text(template) => Value::String(unconditional_text(template)),
            CondJson::Array(items) => items.iter().map(|(_, item)| item.full_value()).collect(),
            CondJson::Object(entries) => {
                entries.iter().map(|(_, key, value)| (key.clone(), value.full_value())).collect()
            }
        }
    }

    /// Renames the tools that `available(...)` lists in the texts.
    pub fn rename<'n>(&mut self, name_of: &impl Fn(AtomId) -> Option<&'n str>) {
        match self {
            CondJson::Json(_) => {}
            CondJson::Text(template) => rename_in(template, name_of),
            CondJson::Array(items) => items.iter_mut().for_each(|(_, item)| item.rename(name_of)),
            CondJson::Object(entries) => entries.iter_mut().for_each(|(_, _, value)| value.rename(name_of)),
        }
    }

    fn write(&self, out: &mut Template) {
        match self {
            CondJson::Json(value) => push(out, &value.to_string()),
            CondJson::Text(template) => {
                push(out, "\"");
                for piece in template {
                    append(out, escaped_piece(piece));
                }
                push(out, "\"");
            }
            CondJson::Array(items) => {
                push(out, "[");
                let items: Vec<_> = items.iter().map(|(when, item)| (when.as_ref(), None, item)).collect();
                write_list(&items, out);
                push(out, "]");
            }
            CondJson::Object(entries) => {
                push(out, "{");
                let entries: Vec<_> =
                    entries.iter().map(|(when, key, value)| (when.as_ref(), Some(key), value)).collect();
                write_list(&entries, out);
                push(out, "}");
            }
        }
    }
}

fn rename_in<'n>(template: &mut Template, name_of: &impl Fn(AtomId) -> Option<&'n str>) {
    for piece in template {
        match piece {
            Piece::Text(_) | Piece::Fact(_) => {}
            Piece::Available { tools, .. } => {
                for (atom, name) in tools {
                    if let Some(new) = name_of(*atom) {
                        new.clone_into(name);
                    }
                }
            }
            Piece::Choice { branches, otherwise } => {
                for (_, pieces) in branches {
                    rename_in(pieces, name_of);
                }
                rename_in(otherwise, name_of);
            }
        }
    }
}

/// Returns the parts of a text that are the same in every turn.
pub fn unconditional_text(template: &Template) -> String {
    let texts = template.iter().map(|piece| if let Piece::Text(text) = piece { text.as_str() } else { "" });
    texts.collect()
}

/// Writes entries and the commas between them. Entries before the first unconditional one have a comma after them, and later ones
/// have one before them. If all are conditional, an entry has a comma before it if any earlier entry is present.
fn write_list(entries: &[(Option<&When>, Option<&String>, &CondJson)], out: &mut Template) {
    let anchor = entries.iter().position(|(when, ..)| when.is_none());
    for (index, (when, key, value)) in entries.iter().enumerate() {
        let entry = |out: &mut Template| {
            if anchor.is_some_and(|anchor| index > anchor) {
                push(out, ",");
            } else if anchor.is_none() && index > 0 {
                let before = entries[..index].iter().filter_map(|(when, ..)| when.cloned()).collect();
                append(out, conditional(Condition::Or(before), vec![Piece::Text(",".to_owned())]));
            }
            if let Some(key) = key {
                push(out, &Value::from(key.as_str()).to_string());
                push(out, ":");
            }
            value.write(out);
            if anchor.is_some_and(|anchor| index < anchor) {
                push(out, ",");
            }
        };
        match when {
            Some(when) => {
                let mut inner = Template::new();
                entry(&mut inner);
                append(out, conditional((*when).clone(), inner));
            }
            None => entry(out),
        }
    }
}

/// Creates a piece that contains `pieces` if `when` holds, and is empty otherwise.
pub fn conditional(when: When, pieces: Template) -> Piece<AtomId, FactRef> {
    Piece::Choice { branches: vec![(when, pieces)], otherwise: Vec::new() }
}

/// Appends a piece. Adjacent texts are joined.
pub fn append(out: &mut Template, piece: Piece<AtomId, FactRef>) {
    match piece {
        Piece::Text(text) => push(out, &text),
        piece => out.push(piece),
    }
}

fn push(out: &mut Template, text: &str) {
    match out.last_mut() {
        _ if text.is_empty() => {}
        Some(Piece::Text(last)) => last.push_str(text),
        _ => out.push(Piece::Text(text.to_owned())),
    }
}

/// Escapes the text of a piece for JSON. Facts are escaped when they are rendered.
fn escaped_piece(piece: &Piece<AtomId, FactRef>) -> Piece<AtomId, FactRef> {
    let all = |pieces: &Template| pieces.iter().map(escaped_piece).collect();
    match piece {
        Piece::Text(text) => Piece::Text(escaped(text)),
        Piece::Fact(fact) => Piece::Fact(*fact),
        Piece::Available { tools, join } => Piece::Available {
            tools: tools.iter().map(|(tool, name)| (*tool, escaped(name))).collect(),
            join: escaped(join),
        },
        Piece::Choice { branches, otherwise } => Piece::Choice {
            branches: branches.iter().map(|(when, pieces)| (when.clone(), all(pieces))).collect(),
            otherwise: all(otherwise),
        },
    }
}

fn escaped(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// Converts a text to the flat list of segments of the runtime.
fn flatten(text: &Template, out: &mut Vec<Segment>) {
    for piece in text {
        match piece {
            Piece::Text(text) => out.push(Segment::Text(text.clone().into())),
            Piece::Fact(fact) => out.push(Segment::Fact(to_u16(fact.0))),
            Piece::Available { tools, join } => out.push(Segment::Available {
                tools: tools.iter().map(|(tool, name)| (index(*tool), name.clone().into())).collect::<Vec<_>>(),
                join: join.clone().into(),
            }),
            Piece::Choice { branches, otherwise } => {
                // A branch is taken only if the conditions of all earlier branches are false.
                let mut earlier: Vec<When> = Vec::new();
                for (when, pieces) in branches {
                    let mut all: Vec<When> =
                        earlier.iter().cloned().map(|when| Condition::Not(Box::new(when))).collect();
                    all.push(when.clone());
                    flatten_conditional(&compile(&Condition::And(all)), pieces, out);
                    earlier.push(when.clone());
                }
                flatten_conditional(&compile(&Condition::Not(Box::new(Condition::Or(earlier)))), otherwise, out);
            }
        }
    }
}

/// Converts a text under a condition: a `When` segment with the number of segments that depend on it, and those segments.
fn flatten_conditional(condition: &Compiled, text: &Template, out: &mut Vec<Segment>) {
    let mut inner = Vec::new();
    flatten(text, &mut inner);
    if !inner.is_empty() {
        out.push(Segment::When { condition: condition.clone(), segments: to_u16(inner.len()) });
        out.extend(inner);
    }
}

/// Compiles a condition to the postfix operations that the runtime evaluates.
pub fn compile(condition: &When) -> Compiled {
    fn write_joined(parts: &[When], join: Op, ops: &mut Vec<Op>) {
        for (index, part) in parts.iter().enumerate() {
            write(part, ops);
            if index > 0 {
                ops.push(join);
            }
        }
    }
    fn write(condition: &When, ops: &mut Vec<Op>) {
        match condition {
            Condition::Atom(atom) => ops.push(Op::Atom(index(*atom))),
            Condition::Not(inner) => {
                write(inner, ops);
                ops.push(Op::Not);
            }
            Condition::And(parts) => write_joined(parts, Op::And, ops),
            Condition::Or(parts) => write_joined(parts, Op::Or, ops),
        }
    }
    let mut ops = Vec::new();
    write(condition, &mut ops);
    Compiled(ops)
}

fn index(atom: AtomId) -> u8 {
    u8::try_from(atom.0).unwrap_or_else(|_| unreachable!("more atoms than the checks let pass"))
}

fn to_u16(count: usize) -> u16 {
    u16::try_from(count).unwrap_or_else(|_| unreachable!("a definition larger than the checks let pass"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(index: usize) -> When {
        Condition::Atom(AtomId(index))
    }

    fn not(when: When) -> When {
        Condition::Not(Box::new(when))
    }

    fn holds(when: &When, atoms: Atoms) -> bool {
        when.holds(&|AtomId(atom)| atoms >> atom & 1 == 1)
    }

    /// Evaluates a document directly, without segments.
    fn evaluate(doc: &CondJson, atoms: Atoms) -> Value {
        let is_present = |when: &Option<When>| when.as_ref().is_none_or(|when| holds(when, atoms));
        match doc {
            CondJson::Json(value) => value.clone(),
            CondJson::Text(template) => Value::String(evaluate_text(template, atoms)),
            CondJson::Array(items) => {
                items.iter().filter(|(when, _)| is_present(when)).map(|(_, item)| evaluate(item, atoms)).collect()
            }
            CondJson::Object(entries) => (entries.iter().filter(|(when, ..)| is_present(when)))
                .map(|(_, key, value)| (key.clone(), evaluate(value, atoms)))
                .collect(),
        }
    }

    fn evaluate_text(template: &Template, atoms: Atoms) -> String {
        let evaluate_piece = |piece: &Piece<AtomId, FactRef>| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Fact(_) => "a \"fact\"".to_owned(),
            Piece::Available { tools, join } => {
                let available = tools.iter().filter(|(tool, _)| holds(&atom(tool.0), atoms));
                available.map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(join)
            }
            Piece::Choice { branches, otherwise } => {
                let taken = branches.iter().find(|(when, _)| holds(when, atoms)).map(|(_, pieces)| pieces);
                evaluate_text(taken.unwrap_or(otherwise), atoms)
            }
        };
        template.iter().map(evaluate_piece).collect()
    }

    /// Arrays and objects with up to four entries, with every combination of a few conditions.
    #[test]
    fn segments_render_to_the_value_of_the_document_in_every_turn() {
        let whens = [
            None,
            Some(atom(0)),
            Some(not(Condition::Or(vec![atom(0), atom(1)]))),
            Some(Condition::And(vec![atom(1), not(atom(2))])),
        ];
        let text = CondJson::Text(vec![
            Piece::Text("a \"b\" \\ \u{1}".into()),
            Piece::Choice {
                branches: vec![
                    (atom(0), vec![Piece::Text("x".into()), Piece::Fact(FactRef(0))]),
                    (
                        Condition::Or(vec![atom(1), not(atom(0))]),
                        vec![Piece::Choice {
                            branches: vec![(atom(2), vec![Piece::Text("deep".into())])],
                            otherwise: Vec::new(),
                        }],
                    ),
                ],
                otherwise: vec![Piece::Text("never".into())],
            },
            Piece::Text("!".into()),
            Piece::Available { tools: vec![(AtomId(0), "p".into()), (AtomId(2), "q".into())], join: "\" or ".into() },
        ]);
        let mut docs = vec![text.clone()];
        for count in 0..=4_u32 {
            for choice in 0..4_usize.pow(count) {
                let picked = (0..count).map(|index| whens[choice / 4_usize.pow(index) % 4].clone());
                let item = |index: usize| if index == 1 { text.clone() } else { Value::from(index).into() };
                let items = picked.clone().enumerate().map(|(index, when)| (when, item(index)));
                let array = CondJson::Array(items.collect());
                let entries = picked.enumerate().map(|(index, when)| (when, format!("\"{index}"), item(index)));
                let object = CondJson::Object(entries.collect());
                docs.push(CondJson::Array(vec![(None, array), (Some(atom(2)), object)]));
            }
        }
        let facts = [FactValue::Text("a \"fact\"".into())];
        for doc in docs {
            for atoms in 0..8 {
                assert_eq!(doc.value(atoms, &facts), evaluate(&doc, atoms), "{atoms:03b} {doc:?}");
            }
        }
    }
}
