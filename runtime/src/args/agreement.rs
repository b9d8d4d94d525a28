//! Checks with random arguments that the strict and the lenient pass agree: if the strict pass accepts arguments, the lenient
//! pass reads them to the same slots, and the strict pass accepts all arguments that need no repair.

use serde_json::{Map, Value, json};

use super::tests::{strictly, typed};
use super::*;
use crate::data::table::{Additional, Literal, NodeId, SlotKind, Type};
use crate::text::names::same_name;

const ROUNDS: usize = 20_000;

/// A small random number generator (xorshift), so that failures can be reproduced.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap_or(0)
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    /// Returns a value for a node, mostly a valid one.
    fn value(&mut self, table: &Table, id: NodeId, depth: usize) -> Value {
        let mut node = table.node(id);
        if node.form == SlotKind::Union {
            node = table.node(self.pick(table.any_of(node)));
        }
        if self.one_in(40) || node.types.is_any() {
            return self.odd();
        }
        if let [first, ..] = table.literals(node) {
            return match first {
                Literal::String(_) => json!(self.pick(&["content", "files", "a", "b", "null", "Files ", "A"])),
                _ => Value::Null,
            };
        }
        let types: Vec<Type> = node.types.iter().collect();
        match self.pick(&types) {
            Type::Null => Value::Null,
            Type::Boolean => json!(self.one_in(2)),
            Type::Integer => {
                self.pick(&[json!(1), json!(7.0), json!(2000), json!(-3), json!(9_007_199_254_740_993_i64)])
            }
            Type::Number => self.pick(&[json!(0), json!(-1.5), json!(1e300), json!(u64::MAX)]),
            Type::String => json!(self.pick(&["a", "añ\n", "\u{1f600}", "\"\\", "NULL", "null ", "5", "abcde"])),
            Type::Array => {
                let count = self.below(4);
                (0..count).map(|_| node.items.map_or(Value::Null, |id| self.value(table, id, depth + 1))).collect()
            }
            Type::Object => {
                let mut map = Map::new();
                for property in table.properties(node) {
                    if depth < 4 && (property.required || self.one_in(3)) {
                        let mut name = property.name.to_string();
                        if self.one_in(40) {
                            name = self.pick(&[name.to_uppercase(), format!(" {name}-")]);
                        }
                        map.insert(name, self.value(table, property.node, depth + 1));
                    }
                }
                if let Additional::Node(id) = node.additional {
                    map.insert("x".to_owned(), self.value(table, id, depth + 1));
                }
                if node.additional == Additional::Allow || self.one_in(40) {
                    map.insert("extra".to_owned(), self.odd());
                }
                Value::Object(map)
            }
        }
    }

    fn odd(&mut self) -> Value {
        self.pick(&[
            json!(null),
            json!(true),
            json!("5"),
            json!("null"),
            json!("[1]"),
            json!(5),
            json!(2.5),
            json!([]),
            json!({"a": [1]}),
            json!({"id": 1, "label": null}),
            json!({"kind": "b", "x": 2}),
        ])
    }

    /// Returns `text` with a character inserted, removed or replaced.
    fn spoil(&mut self, text: &str) -> String {
        let mut characters: Vec<char> = text.chars().collect();
        let at = self.below(characters.len());
        if self.one_in(2) {
            characters.remove(at);
        }
        if self.one_in(2) {
            characters.insert(
                at,
                self.pick(&['"', '\\', '{', '}', '[', ']', ',', ':', '0', '-', '.', 'e', 'n', ' ', 'é', '\u{1}']),
            );
        }
        characters.into_iter().collect()
    }

    /// Writes `value` as JSON with random spaces, escapes and order, sometimes with errors.
    fn write(&mut self, value: &Value, out: &mut String) {
        out.push_str(self.pick(&["", "", "", " ", "\n\t "]));
        match value {
            Value::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    self.write(item, out);
                }
                out.push_str(self.pick(&["]", "]", "]", " ]"]));
            }
            Value::Object(map) => {
                let mut entries: Vec<_> = map.iter().collect();
                if self.one_in(2) {
                    entries.reverse();
                }
                if let Some(twice) = entries.first().copied().filter(|_| self.one_in(100)) {
                    entries.push(twice);
                }
                out.push('{');
                for (index, (key, value)) in entries.into_iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    self.write(&json!(key), out);
                    out.push_str(self.pick(&[":", ":", " : "]));
                    self.write(value, out);
                }
                out.push('}');
            }
            Value::String(text) if self.one_in(4) => {
                out.push('"');
                for unit in text.encode_utf16() {
                    let _ = write!(out, "\\u{unit:04x}");
                }
                out.push('"');
            }
            other => out.push_str(&other.to_string()),
        }
        if self.one_in(300) {
            out.push_str(self.pick(&["]", ",", "1", "\"", "\\"]));
        }
    }
}

/// Returns the names of the parameters that were recorded as repaired, and an empty one for the arguments as a whole.
fn recorded(parameters: RepairedParameters, table: &Table) -> Vec<String> {
    let properties = table.properties(table.node(0));
    let indices = parameters.indices().expect("all properties are declared");
    let mut names: Vec<String> = indices.map(|index| properties[index].name.to_string()).collect();
    names.extend(parameters.has_whole().then(String::new));
    names.sort();
    names
}

/// Returns the same names by the repairs that are found.
fn found(text: &str, table: &Table) -> Vec<String> {
    let repairs = repairs::find(text, table, Limits::default());
    let mut names: Vec<String> = repairs
        .iter()
        .map(|repair| {
            let sent = repair.path.split('/').nth(1).unwrap_or_default();
            let declared = table.properties(table.node(0)).iter().find(|property| same_name(&property.name, sent));
            declared.map(|property| property.name.to_string()).unwrap_or_default()
        })
        .collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn what_the_strict_reading_accepts_comes_out_of_the_tree_as_well() {
    let table = typed();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let (mut strict, mut repaired, mut refused) = (0, 0, 0);
    for _ in 0..ROUNDS {
        let value = random.value(&table, 0, 0);
        let mut text = String::new();
        random.write(&value, &mut text);
        if random.one_in(3) {
            text = random.spoil(&text);
        }
        let reader = Reader::new(&table, Limits::default());
        let mut buffer = SlotBuffer::default();
        match (strictly(&reader, &text, &mut buffer), read_leniently(&text, &reader)) {
            (Some(slots), Ok((same, parameters))) => {
                assert_eq!(slots, &*same, "{text}");
                assert!(parameters.is_empty() && repairs::find(&text, &table, Limits::default()).is_empty(), "{text}");
                strict += 1;
            }
            (Some(_), Err(error)) => panic!("accepted {text}, but {error}"),
            (None, Ok((_, parameters))) => {
                assert_eq!(recorded(parameters, &table), found(&text, &table), "{text}");
                assert!(!parameters.is_empty(), "refused without need: {text}");
                repaired += 1;
            }
            (None, Err(_)) => refused += 1,
        }
    }
    // The test is meaningful only if the generator produces all three cases.
    assert!(strict > ROUNDS / 10 && repaired > ROUNDS / 50 && refused > ROUNDS / 50, "{strict} {repaired} {refused}");
}
