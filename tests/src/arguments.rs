//! Random arguments for a JSON Schema: valid ones, almost valid ones, and arbitrary ones.

use serde_json::{Map, Value, json};
use toolc::__gen::text_rule::Format;

use crate::random::Random;

/// The maximum depth of values. Deeper values are simple ones, whatever the schema.
const MAX_DEPTH: usize = 8;

/// Returns arguments that `schema` usually accepts. It may refuse them, because parts of a schema can contradict each other.
pub fn valid_arguments(schema: &Value, random: &mut Random) -> Value {
    let mut arguments = Arguments { root: schema, random };
    Value::Object(arguments.object(schema, 0))
}

/// Returns random arguments, unrelated to the schema except for the names.
pub fn unrelated_arguments(schema: &Value, random: &mut Random) -> Value {
    let names = schema["properties"].as_object().into_iter().flat_map(Map::keys);
    let names: Vec<&str> = names.map(String::as_str).chain(["other"]).collect();
    let count = random.below(4);
    (0..count).map(|_| ((*random.pick(&names)).to_owned(), any(random, 0))).collect()
}

/// Changes a value as models do: values become strings, lists of one item become that item.
pub fn misspell(value: &mut Value, random: &mut Random) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| misspell(item, random)),
        Value::Object(map) => map.values_mut().for_each(|value| misspell(value, random)),
        _ => {}
    }
    match value {
        Value::Array(items) if items.len() == 1 && random.one_in(3) => *value = items.remove(0),
        Value::Null | Value::String(_) => {}
        _ if random.one_in(4) => *value = value.to_string().into(),
        _ => {}
    }
}

/// Changes a value in one or two places.
pub fn mutate(value: &mut Value, random: &mut Random) {
    for _ in 0..=random.below(2) {
        let places = count(value);
        change(at(value, &mut random.below(places)), random);
    }
}

/// Returns JSON text with a duplicate first key in one of its objects, or `None` if no object has a key.
pub fn doubled(value: &Value, random: &mut Random) -> Option<String> {
    let mut marked = value.clone();
    let places = count(value);
    let first = random.below(places);
    (0..places).find_map(|step| {
        let Value::Object(map) = at(&mut marked, &mut { (first + step) % places }) else { return None };
        let (key, value) = map.iter().next()?;
        let entry = format!("{}:{value}", json!(key));
        let text = json!(map).to_string();
        let twice = format!("{{{entry},{}", &text[1..]);
        let place = at(&mut marked, &mut { (first + step) % places });
        *place = json!(MARK);
        Some(marked.to_string().replace(&json!(MARK).to_string(), &twice))
    })
}

/// A name that no value contains.
const MARK: &str = "\u{e000}";

struct Arguments<'a> {
    root: &'a Value,
    random: &'a mut Random,
}

impl<'a> Arguments<'a> {
    fn value(&mut self, schema: &'a Value, depth: usize) -> Value {
        if depth > MAX_DEPTH || schema.as_object().is_none_or(Map::is_empty) {
            return any(self.random, depth);
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(values) = schema["enum"].as_array() {
            return self.random.pick(values).clone();
        }
        let own = ["type", "properties", "items", "minimum", "minLength"];
        let says_more = own.iter().any(|word| schema.get(word).is_some());
        let mut others: Vec<&'a Value> = Vec::new();
        for word in ["anyOf", "oneOf"] {
            others.extend(schema[word].as_array().map(|all| self.random.pick(all)));
        }
        others.extend(schema["$ref"].as_str().and_then(|to| self.root.pointer(to.strip_prefix('#')?)));
        let takes_other = !says_more || !self.random.one_in(3);
        if takes_other && !others.is_empty() {
            let other = *self.random.pick(&others);
            return self.value(other, depth + 1);
        }
        let named = match &schema["type"] {
            Value::String(word) => word.as_str(),
            Value::Array(words) => self.random.pick(words).as_str().unwrap_or_default(),
            _ => implied(schema),
        };
        match named {
            "null" => Value::Null,
            "boolean" => json!(self.random.one_in(2)),
            "integer" => self.integer(schema),
            "number" => self.number(schema),
            "string" => self.string(schema).into(),
            "array" => self.array(schema, depth),
            "object" => self.object(schema, depth).into(),
            _ => match schema["allOf"].as_array() {
                Some(all) => {
                    let one = self.random.pick(all);
                    self.value(one, depth + 1)
                }
                None => any(self.random, depth),
            },
        }
    }

    fn integer(&mut self, schema: &Value) -> Value {
        let step = schema["multipleOf"].as_i64().unwrap_or(1);
        let number = match self.number(schema) {
            number if number.is_i64() => number,
            number => json!(number.as_f64().unwrap_or_default().ceil()),
        };
        match number.as_i64() {
            Some(integer) if step > 1 => json!(integer - integer % step),
            // Some models write integers as floats.
            Some(integer) if integer.unsigned_abs() < 1000 && self.random.one_in(8) => {
                json!(format!("{integer}.0").parse::<f64>().ok())
            }
            _ => number,
        }
    }

    /// Returns a bound, a number near one, or any number.
    fn number(&mut self, schema: &Value) -> Value {
        let bound = |words: [&str; 2]| words.iter().find_map(|word| schema.get(word)).cloned();
        let low = bound(["minimum", "exclusiveMinimum"]);
        let high = bound(["maximum", "exclusiveMaximum"]);
        let near = |bound: Value, by: i64| match bound.as_i64() {
            Some(integer) => json!(integer.saturating_add(by)),
            None => json!(bound.as_f64().unwrap_or_default() + if by > 0 { 0.5 } else { -0.5 }),
        };
        match (self.random.below(4), low, high) {
            (0, Some(bound), _) | (1, _, Some(bound)) => bound,
            (2 | 3, Some(low), None) => near(low, 1),
            (2, _, Some(high)) => near(high, -1),
            _ => number(self.random),
        }
    }

    fn string(&mut self, schema: &Value) -> String {
        let least = schema["minLength"].as_u64().unwrap_or(0);
        let most = schema["maxLength"].as_u64();
        if let Some(format) = schema["format"].as_str().and_then(Format::from_name) {
            return format.form().1.to_owned();
        }
        let mut text = (*self.random.pick(&STRINGS)).to_owned();
        // The only pattern of random schemas.
        if schema.get("pattern").is_some() {
            text.retain(|letter| letter.is_ascii_lowercase());
            text.push_str(&"a".repeat(usize::try_from(least).unwrap_or_default().max(1)));
        }
        while (text.chars().count() as u64) < least {
            text.push(*self.random.pick(&['a', 'é', '5', ' ']));
        }
        while most.is_some_and(|most| text.chars().count() as u64 > most) {
            text.pop();
        }
        text
    }

    fn array(&mut self, schema: &'a Value, depth: usize) -> Value {
        let least = schema["minItems"].as_u64().unwrap_or(0);
        let most = schema["maxItems"].as_u64().unwrap_or(least + 3);
        let count = least + self.random.below(3) as u64;
        let mut items: Vec<Value> = Vec::new();
        for _ in 0..count.min(most) {
            let item = self.value(&schema["items"], depth + 1);
            if schema["uniqueItems"] != true || !items.contains(&item) {
                items.push(item);
            }
        }
        items.into()
    }

    fn object(&mut self, schema: &'a Value, depth: usize) -> Map<String, Value> {
        let mut map = Map::new();
        let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
        for (name, below) in schema["properties"].as_object().into_iter().flatten() {
            if required.contains(&json!(name)) || (depth < MAX_DEPTH && self.random.one_in(2)) {
                map.insert(name.clone(), self.value(below, depth + 1));
            } else if self.random.one_in(8) {
                // Strict dialects make models send null.
                map.insert(name.clone(), Value::Null);
            }
        }
        let least = schema["minProperties"].as_u64().unwrap_or(0);
        let others = &schema["additionalProperties"];
        for name in ["other", "a b", "a", "c", "\u{1f600}"] {
            let wanted = (map.len() as u64) < least || self.random.one_in(6);
            if *others != false && wanted && !map.contains_key(name) && depth < MAX_DEPTH {
                map.insert(name.to_owned(), self.value(others, depth + 1));
            }
        }
        for word in ["allOf", "anyOf", "oneOf"] {
            let all = schema[word].as_array().map_or(&[][..], Vec::as_slice);
            let all = if word == "allOf" || all.is_empty() { all } else { std::slice::from_ref(self.random.pick(all)) };
            for other in all {
                for (name, value) in self.object(other, depth + 1) {
                    map.entry(name).or_insert(value);
                }
            }
        }
        map
    }
}

/// Returns the type that the keywords of a schema apply to.
fn implied(schema: &Value) -> &'static str {
    let words = [
        ("properties", "object"),
        ("minProperties", "object"),
        ("maxProperties", "object"),
        ("items", "array"),
        ("minItems", "array"),
        ("maxItems", "array"),
        ("minLength", "string"),
        ("maxLength", "string"),
        ("minimum", "number"),
        ("maximum", "number"),
        ("exclusiveMinimum", "number"),
        ("exclusiveMaximum", "number"),
        ("multipleOf", "number"),
    ];
    words.iter().find(|(word, _)| schema.get(word).is_some()).map_or("", |(_, ty)| ty)
}

/// Numbers, many of which are at the limits of types.
const NUMBERS: [&str; 18] = [
    "0",
    "-0.0",
    "1",
    "2",
    "5.0",
    "6",
    "0.25",
    "-1.5",
    "7.25",
    "1e3",
    "1e300",
    "1e-7",
    "9007199254740993",
    "9007199254740992.0",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551615",
];

/// Strings, many of which look like other types.
const STRINGS: [&str; 32] = [
    "",
    "a",
    "b",
    "ab",
    "été",
    "\u{1f600}",
    "a\n\"\\",
    "null",
    " NULL ",
    "Null",
    "true",
    "False",
    "5",
    " 007 ",
    "-0",
    "5.0",
    "2.5",
    "1e3",
    "1e-3",
    "1e300",
    "1e999",
    "9007199254740993",
    "9223372036854775808",
    "[1]",
    "[\"a\", null]",
    "['a', True, None,]",
    "[1, 2",
    "{\"a\": 1}",
    "{'a': 'b', 'c': {}}",
    "{\"a\": ",
    "\"a\"",
    "[[\"null\"]]",
];

fn number(random: &mut Random) -> Value {
    let text = random.pick(&NUMBERS);
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text} is not a number: {error}"))
}

/// Returns any value.
fn any(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth < 3 { 10 } else { 7 }) {
        0 => Value::Null,
        1 => json!(random.one_in(2)),
        2 | 3 => number(random),
        4..7 => json!(*random.pick(&STRINGS)),
        7 => (0..random.below(3)).map(|_| any(random, depth + 1)).collect(),
        _ => {
            let names = ["a", "b", "c", "kind", "other"];
            (0..random.below(3)).map(|_| ((*random.pick(&names)).to_owned(), any(random, depth + 1))).collect()
        }
    }
}

/// Makes one random change to a value.
fn change(value: &mut Value, random: &mut Random) {
    match (random.below(8), &mut *value) {
        // Mistakes that models make.
        (0 | 1, value) => *value = value.to_string().into(),
        (2, value) => *value = json!([value]),
        (3, value) => *value = Value::Null,
        (4, Value::Object(map)) if !map.is_empty() => {
            let key = random.below(map.len());
            let key = map.keys().nth(key).cloned().unwrap_or_default();
            let taken = map.remove(&key);
            if random.one_in(2) {
                map.insert(key + "s", taken.unwrap_or_default());
            }
        }
        (5, Value::Object(map)) => {
            map.insert("kind".to_owned(), any(random, 2));
        }
        (4 | 5, Value::Array(items)) if !items.is_empty() => {
            let index = random.below(items.len());
            let item = items.remove(index);
            if random.one_in(2) {
                items.extend([item.clone(), item]);
            }
        }
        (4 | 5, Value::String(text)) => text.push(*random.pick(&['a', 'é', '0'])),
        (4 | 5, Value::Number(number)) => {
            let by = if random.one_in(2) { 1.0 } else { -0.5 };
            *value = json!(number.as_f64().unwrap_or_default() + by);
        }
        (_, value) => *value = any(random, 1),
    }
}

/// Returns the number of values in a value, including itself.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum::<usize>(),
        Value::Object(map) => map.values().map(count).sum(),
        _ => 0,
    }
}

/// Returns the value at `index` among these, in depth-first order.
fn at<'v>(value: &'v mut Value, index: &mut usize) -> &'v mut Value {
    let mut value = value;
    loop {
        if *index == 0 {
            return value;
        }
        *index -= 1;
        let mut inner: Box<dyn Iterator<Item = &'v mut Value> + 'v> = match value {
            Value::Array(items) => Box::new(items.iter_mut()),
            Value::Object(map) => Box::new(map.values_mut()),
            simple => return simple,
        };
        value = loop {
            let Some(next) = inner.next() else { unreachable!("the index is below the count") };
            let size = count(next);
            if *index < size {
                break next;
            }
            *index -= size;
        };
    }
}
