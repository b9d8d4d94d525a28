//! Generated values: those that a schema describes, and small changes of them.

use serde_json::{Map, Value, json};

/// A small generator of numbers, from a seed that is not zero.
pub struct Random(pub u64);

impl Random {
    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or(0) % end.max(1)
    }

    /// Returns one of several values.
    ///
    /// # Panics
    /// If there are none.
    pub fn pick<'v, T>(&mut self, all: &'v [T]) -> &'v T {
        &all[self.below(all.len())]
    }
}

/// Returns a value that a schema describes, mostly.
pub fn value(schema: &Value, root: &Value, random: &mut Random, depth: usize) -> Value {
    let Some(map) = schema.as_object() else { return json!("any") };
    if depth > 8 {
        return json!(null);
    }
    if let Some(target) = map.get("$ref").and_then(Value::as_str) {
        let target = target.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
        if let Some(target) = target {
            return value(target, root, random, depth + 1);
        }
    }
    if let Some(constant) = map.get("const") {
        return constant.clone();
    }
    if let Some(choices) = map.get("enum").and_then(Value::as_array).filter(|choices| !choices.is_empty()) {
        return random.pick(choices).clone();
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(schemas) = map.get(keyword).and_then(Value::as_array).filter(|schemas| !schemas.is_empty()) {
            let mut found = value(random.pick(schemas), root, random, depth + 1);
            if map.contains_key("properties") {
                let mut all = object(map, root, random, depth);
                all.extend(found.as_object().cloned().unwrap_or_default());
                found = Value::Object(all);
            }
            return found;
        }
    }
    let mut types: Vec<&str> = match map.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ if map.contains_key("properties") => vec!["object"],
        _ => vec!["string", "integer", "boolean", "null", "object", "array"],
    };
    if types.is_empty() {
        types.push("string");
    }
    match *random.pick(&types) {
        "object" => Value::Object(object(map, root, random, depth)),
        "array" => array(map, root, random, depth),
        "integer" => json!(number(map, random).round()),
        "number" => json!(number(map, random)),
        "boolean" => json!(random.below(2) == 0),
        "null" => json!(null),
        _ => text(map, random).into(),
    }
}

fn object(map: &Map<String, Value>, root: &Value, random: &mut Random, depth: usize) -> Map<String, Value> {
    let required: Vec<&str> =
        map.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let mut out = Map::new();
    for (name, schema) in map.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if required.contains(&name.as_str()) || random.below(3) > 0 && depth < 5 {
            out.insert(name.clone(), value(schema, root, random, depth + 1));
        }
    }
    if let Some(further) = map.get("additionalProperties").filter(|further| further.is_object()) {
        out.insert("further".to_owned(), value(further, root, random, depth + 1));
    }
    out
}

fn array(map: &Map<String, Value>, root: &Value, random: &mut Random, depth: usize) -> Value {
    let bound = |keyword: &str| map.get(keyword).and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok());
    let least = bound("minItems").unwrap_or(0);
    let most = bound("maxItems").unwrap_or(least + 2).min(least + 2);
    let first = map.get("prefixItems").and_then(Value::as_array).cloned().unwrap_or_default();
    let count = least + random.below(most.saturating_sub(least) + 1);
    let item = |index: usize, random: &mut Random| {
        let schema = first.get(index).or_else(|| map.get("items")).cloned().unwrap_or_default();
        value(&schema, root, random, depth + 1)
    };
    (0..count.min(20)).map(|index| item(index, random)).collect()
}

#[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
fn number(map: &Map<String, Value>, random: &mut Random) -> f64 {
    let bound = |keyword: &str| map.get(keyword).and_then(Value::as_f64);
    let low = bound("minimum").or_else(|| bound("exclusiveMinimum").map(|low| low + 1.0));
    let high = bound("maximum").or_else(|| bound("exclusiveMaximum").map(|high| high - 1.0));
    let step = bound("multipleOf").unwrap_or(1.0);
    let value = match (low, high) {
        (Some(low), Some(high)) => *random.pick(&[low, high]),
        (Some(low), None) => low + random.below(4) as f64 * step,
        (None, Some(high)) => high - random.below(4) as f64 * step,
        (None, None) => random.below(9) as f64 * step,
    };
    if value.abs() > 9e15 { 1.0 } else { value }
}

fn text(map: &Map<String, Value>, random: &mut Random) -> String {
    let known = match map.get("format").and_then(Value::as_str) {
        Some("date-time") => "2026-01-31T10:00:00Z",
        Some("date") => "2026-01-31",
        Some("uri" | "url") => "https://example.com/a",
        Some("email") => "a@example.com",
        Some("uuid") => "123e4567-e89b-12d3-a456-426614174000",
        Some("ipv4") => "10.0.0.1",
        _ => random.pick(&["", "a", "word", "two words", "ünï", "1", "2026-01-31"]),
    };
    let least = map.get("minLength").and_then(Value::as_u64).unwrap_or(0).min(2000);
    let missing = usize::try_from(least).unwrap_or(0).saturating_sub(known.chars().count());
    known.to_owned() + &"x".repeat(missing)
}

/// Changes one place of a value.
pub fn mutated(value: &Value, random: &mut Random) -> Value {
    let others = [
        json!(null),
        json!(""),
        json!("x"),
        json!(-1),
        json!(0),
        json!(1.5),
        json!(true),
        json!([]),
        json!({}),
        json!([1]),
        json!({ "zz": 1 }),
    ];
    match value {
        Value::Object(map) if random.below(6) > 0 => {
            let mut map = map.clone();
            match random.below(4) {
                0 => drop(map.insert("zz_unknown".to_owned(), random.pick(&others).clone())),
                1 if !map.is_empty() => {
                    let name = random.pick(&map.keys().cloned().collect::<Vec<_>>()).clone();
                    drop(map.remove(&name));
                }
                _ if !map.is_empty() => {
                    let name = random.pick(&map.keys().cloned().collect::<Vec<_>>()).clone();
                    let changed = mutated(&map[&name], random);
                    map.insert(name, changed);
                }
                _ => {}
            }
            Value::Object(map)
        }
        Value::Array(items) if random.below(4) > 0 && !items.is_empty() => {
            let mut items = items.clone();
            let index = random.below(items.len());
            match random.below(3) {
                0 => items.push(random.pick(&others).clone()),
                1 => drop(items.remove(index)),
                _ => items[index] = mutated(&items[index], random),
            }
            Value::Array(items)
        }
        _ => random.pick(&others).clone(),
    }
}
