//! Reads YAML as JSON: bounded in depth, in values, and in what aliases stand for.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

/// The maximum nesting.
const MAX_DEPTH: usize = 128;
/// The maximum number of values, with those that aliases stand for.
const MAX_VALUES: usize = 2_000_000;

/// A collection that is being read.
enum Open {
    List(Vec<Value>, usize),
    Map(Map<String, Value>, Option<String>, usize),
}

#[derive(Default)]
struct Reader {
    open: Vec<Open>,
    anchors: BTreeMap<usize, (Value, usize)>,
    values: usize,
    root: Option<Value>,
}

/// Reads one YAML document.
///
/// # Errors
/// The line and what is wrong there.
pub fn parse(text: &str) -> Result<Value, String> {
    let mut reader = Reader::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| format!("line {}: {}", error.marker().line(), error.info()))?;
        reader.event(event).map_err(|why| format!("line {}: {why}", span.start.line()))?;
    }
    reader.root.ok_or_else(|| "the document holds no value".to_owned())
}

impl Reader {
    fn event(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_plain = style == ScalarStyle::Plain && tag.is_none();
                let value = if is_plain { plain(&text) } else { Value::String(text.clone().into_owned()) };
                // A key is a text, whatever it looks like: the codes of responses are.
                self.add(value, Some(&text), anchor, 1)
            }
            Event::Alias(anchor) => {
                let known = self.anchors.get(&anchor).cloned();
                let (value, count) = known.ok_or("an alias refers to a collection that contains it")?;
                let text = value.as_str().map(str::to_owned);
                self.add(value, text.as_deref(), 0, count)
            }
            Event::SequenceStart(anchor, _) => self.start(Open::List(Vec::new(), anchor)),
            Event::MappingStart(anchor, _) => self.start(Open::Map(Map::new(), None, anchor)),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::List(items, anchor)) => self.add(items.into(), None, anchor, 1),
                Some(Open::Map(map, _, anchor)) => self.add(map.into(), None, anchor, 1),
                None => Ok(()),
            },
            Event::DocumentStart(_) if self.root.is_some() => Err("a second document begins".to_owned()),
            _ => Ok(()),
        }
    }

    fn start(&mut self, open: Open) -> Result<(), String> {
        if self.open.len() >= MAX_DEPTH {
            return Err(format!("the document is nested more than {MAX_DEPTH} deep"));
        }
        self.open.push(open);
        Ok(())
    }

    /// Adds a value of which an alias counts as `count` values. `text` is what it is as a key.
    fn add(&mut self, value: Value, text: Option<&str>, anchor: usize, count: usize) -> Result<(), String> {
        self.values += count;
        if self.values > MAX_VALUES {
            return Err(format!("the document has more than {MAX_VALUES} values, with those that aliases stand for"));
        }
        if anchor > 0 {
            let size = size(&value);
            self.anchors.insert(anchor, (value.clone(), size));
        }
        match self.open.last_mut() {
            None => self.root = Some(value),
            Some(Open::List(items, _)) => items.push(value),
            Some(Open::Map(map, key, _)) => match key.take() {
                Some(key) if key == "<<" => merge(map, value),
                Some(key) => drop(map.insert(key, value)),
                None => *key = Some(text.ok_or("a key is a collection")?.to_owned()),
            },
        }
        Ok(())
    }
}

/// Adds the entries of a merge key that a mapping does not have.
fn merge(map: &mut Map<String, Value>, value: Value) {
    let sources = if let Value::Array(all) = value { all } else { vec![value] };
    for source in sources {
        if let Value::Object(source) = source {
            for (key, value) in source {
                map.entry(key).or_insert(value);
            }
        }
    }
}

/// Returns the number of values in a value.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(map) => map.values().map(size).sum(),
        _ => 0,
    }
}

/// Returns the value of a plain scalar in YAML's core schema.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return true.into(),
        "false" | "False" | "FALSE" => return false.into(),
        _ => {}
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_number = digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && digits.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte));
    if is_number && let Ok(integer) = text.strip_prefix('+').unwrap_or(text).parse::<i64>() {
        return integer.into();
    }
    if is_number && let Ok(float) = text.parse::<f64>() {
        return float.into();
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_document_is_read_as_json() {
        let text =
            "a: 1\nb: [x, 'true', true, ~, 1.5, 2020-01-01]\n200: {c: &x {d: e}}\nf: *x\ng:\n  <<: *x\n  h: \"i\\n\"\n";
        let expected = json!({
            "a": 1, "b": ["x", "true", true, null, 1.5, "2020-01-01"], "200": { "c": { "d": "e" } }, "f": { "d": "e" },
            "g": { "d": "e", "h": "i\n" },
        });
        assert_eq!(parse(text), Ok(expected));
    }

    #[test]
    fn aliases_that_multiply_end() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let last = level - 1;
            text += &format!("a{level}: &a{level} [{}]\n", vec![format!("*a{last}"); 10].join(", "));
        }
        assert!(parse(&text).is_err_and(|why| why.contains("aliases")));
        assert!(parse(&"[".repeat(10_000)).is_err());
        assert!(parse("a: &x [*x]").is_err());
        assert!(parse("a: [").is_err_and(|why| why.starts_with("line ")));
    }
}
