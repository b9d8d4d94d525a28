//! Manifests of tools with random parameters, which use every keyword of a schema.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::random::Random;

/// The maximum depth of schemas.
const MAX_DEPTH: usize = 4;
/// The number of definitions of a tool.
const DEFS: usize = 3;
/// The conditions of parameters and enum values.
const FACTS: [&str; 2] = ["facts.one", "facts.two"];

/// Returns the files of a project with `count` random tools: path and text.
pub fn project(count: usize, random: &mut Random) -> Vec<(String, String)> {
    let facts =
        "[facts.one]\ndefault = true\ndescription = \"One.\"\n[facts.two]\ndefault = false\ndescription = \"Two.\"\n";
    let home = "name = \"s\"\ndescription = \"Tools.\"\n";
    // Any combination of keywords occurs, also those that no value satisfies or that a vendor refuses.
    let settings = "dialects = [\"openai\"]\n[lint]\nS = \"allow\"\n";
    let fixed = [("toolc.toml", settings), ("manifests/facts.toml", facts), ("manifests/toolsets/s.toml", home)];
    let tools = (0..count).map(|number| {
        let name = format!("t{number:05}");
        (format!("manifests/tools/{name}.toml"), tool(&name, random))
    });
    fixed.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).chain(tools).collect()
}

/// Returns the manifest of a random tool.
fn tool(name: &str, random: &mut Random) -> String {
    let mut schemas = Schemas { random, def: DEFS };
    let params = schemas.properties(0, true);
    let mut root = schemas.arguments();
    let defs = (0..DEFS).map(|def| {
        // The value itself refers to later definitions only, so that no definition is an alias of itself.
        schemas.def = def;
        (format!("d{def}"), schemas.schema(2))
    });
    root.insert("$defs".to_owned(), defs.collect());
    let mut text = format!("name = \"{name}\"\ntoolset = \"s\"\ndescription = \"A tool.\"\nparams = ");
    write("", &params, &mut text);
    text.push_str("\nschema = ");
    write("", &root.into(), &mut text);
    text + "\n"
}

/// Returns the manifest of a tool with the parameters of a JSON Schema.
pub fn manifest(name: &str, schema: &Value) -> String {
    let mut root = declared(schema);
    let params = root.as_object_mut().and_then(|root| root.remove("properties")).unwrap_or_else(|| json!({}));
    let mut text = format!("name = {}\ntoolset = \"s\"\ndescription = \"A tool.\"\nparams = ", json!(name));
    write("", &params, &mut text);
    text.push_str("\nschema = ");
    write("", &root, &mut text);
    text + "\n"
}

/// Converts a JSON Schema to the form of a manifest.
fn declared(schema: &Value) -> Value {
    let Value::Object(keywords) = schema else { return schema.clone() };
    let each = |all: &Value| -> Map<String, Value> {
        let all = all.as_object().into_iter().flatten();
        all.map(|(name, below)| (name.clone(), declared(below))).collect()
    };
    let mut out = Map::new();
    for (keyword, value) in keywords {
        let value = match keyword.as_str() {
            "required" => continue,
            "items" | "additionalProperties" => declared(value),
            "anyOf" | "oneOf" | "allOf" => value.as_array().into_iter().flatten().map(declared).collect(),
            "enum" => value.as_array().into_iter().flatten().map(|value| json!({ "value": value })).collect(),
            "properties" => {
                let mut all = each(value);
                for name in keywords.get("required").and_then(Value::as_array).into_iter().flatten() {
                    if let Some(below) = name.as_str().and_then(|name| all.get_mut(name)?.as_object_mut()) {
                        below.insert("required".to_owned(), true.into());
                    }
                }
                all.into()
            }
            "$defs" => each(value).into(),
            "description" => literal(value.as_str().unwrap_or_default()).into(),
            _ => value.clone(),
        };
        out.insert(keyword.clone(), value);
    }
    out.into()
}

/// Returns a template that results in this text.
fn literal(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = ["{{", "}}", "{%", "%}"].iter().filter_map(|braces| rest.find(braces)).min() {
        let (before, from) = rest.split_at(at);
        let (braces, after) = from.split_at(2);
        out = out + before + "{{ '" + braces + "' }}";
        rest = after;
    }
    out + rest
}

/// Generates schemas in the form of a manifest: JSON Schema except for `required` and `when`, and an `enum` of `value` and `when`.
struct Schemas<'r> {
    random: &'r mut Random,
    /// The index of the definition that is being generated.
    def: usize,
}

type Schema = Map<String, Value>;

impl Schemas<'_> {
    /// Returns keywords for the arguments as a whole.
    fn arguments(&mut self) -> Schema {
        let mut root = Schema::new();
        if self.random.one_in(4) {
            root.insert("additionalProperties".to_owned(), self.additional(2));
        }
        if self.random.one_in(6) {
            self.range("minProperties", "maxProperties", &mut root);
        }
        if self.random.one_in(6) {
            let keyword = *self.random.pick(&["anyOf", "oneOf", "allOf"]);
            let all = (0..=self.random.below(2)).map(|_| self.open(3)).collect();
            root.insert(keyword.to_owned(), all);
        }
        root
    }

    fn schema(&mut self, depth: usize) -> Value {
        if depth >= MAX_DEPTH {
            return self.simple();
        }
        match self.random.below(20) {
            0..4 => self.simple(),
            4 | 5 => self.array(depth),
            6..9 => self.object(depth),
            9 => self.map(depth),
            10 => self.nullable(depth),
            11 => self.tagged(depth),
            12 | 13 => self.union(depth),
            14 => self.all_of(depth),
            15 | 16 => self.reference(),
            17 => self.several_types(depth),
            18 => self.untyped(),
            _ => self.chosen(),
        }
    }

    fn simple(&mut self) -> Value {
        match self.random.below(8) {
            0 | 1 => self.string(),
            2 | 3 => self.number("integer"),
            4 => self.number("number"),
            5 => json!({ "type": "boolean" }),
            6 => self.chosen(),
            _ => self.random.pick(&[json!({}), json!({ "type": "null" }), json!({ "type": "string" })]).clone(),
        }
    }

    fn string(&mut self) -> Value {
        let mut schema = typed("string");
        if self.random.one_in(3) {
            self.range("minLength", "maxLength", &mut schema);
        }
        if self.random.one_in(8) {
            schema.insert("pattern".to_owned(), json!("^[a-z]+$"));
        }
        if self.random.one_in(8) {
            schema.insert("format".to_owned(), json!("date"));
        }
        schema.into()
    }

    fn number(&mut self, ty: &str) -> Value {
        let mut schema = typed(ty);
        self.numeric(&mut schema);
        schema.into()
    }

    fn numeric(&mut self, schema: &mut Schema) {
        const LOW: [&str; 2] = ["minimum", "exclusiveMinimum"];
        const HIGH: [&str; 2] = ["maximum", "exclusiveMaximum"];
        if self.random.one_in(3) {
            let low = [json!(0), json!(1), json!(-3.5), json!(i64::MIN), json!(9_007_199_254_740_993_i64)];
            schema.insert((*self.random.pick(&LOW)).to_owned(), self.random.pick(&low).clone());
        }
        if self.random.one_in(3) {
            let high = [json!(2), json!(100.0), json!(7.25), json!(1e300), json!(i64::MAX)];
            schema.insert((*self.random.pick(&HIGH)).to_owned(), self.random.pick(&high).clone());
        }
        if self.random.one_in(6) {
            let steps = [json!(2), json!(3.0), json!(0.25), json!(7)];
            schema.insert("multipleOf".to_owned(), self.random.pick(&steps).clone());
        }
    }

    /// Returns an `enum` or a `const`.
    fn chosen(&mut self) -> Value {
        let strings = [json!("a"), json!("b"), json!("null"), json!("5"), json!("été"), json!("")];
        let others = [
            json!(null),
            json!(true),
            json!(1),
            json!(5.0),
            json!(2.5),
            json!(i64::MAX),
            json!([]),
            json!([1, { "a": null }]),
            json!({}),
            json!({ "a": 1.0 }),
        ];
        if self.random.one_in(4) {
            let (all, strings): (_, &[Value]) = (strings.iter().chain(&others).collect::<Vec<_>>(), &strings);
            let value = if self.random.one_in(2) { self.random.pick(strings) } else { self.random.pick(&all) };
            return json!({ "const": value });
        }
        let mut values: Vec<Value> = strings[..=self.random.below(strings.len())].to_vec();
        if self.random.one_in(2) {
            values.extend((0..=self.random.below(3)).map(|_| self.random.pick(&others).clone()));
        }
        self.random.shuffle(&mut values);
        values.truncate(1 + self.random.below(4));
        let mut types: Vec<&str> = values.iter().map(type_of).collect();
        let mut choices: Vec<Value> = Vec::new();
        for value in values {
            // At least one value is available in every turn.
            let when = (!choices.is_empty() && self.random.one_in(6)).then(|| *self.random.pick(&FACTS));
            if !choices.iter().any(|choice| choice["value"] == value) {
                choices.push(json!({ "value": value, "when": when }));
            }
        }
        let mut schema = Schema::new();
        if self.random.one_in(2) {
            types.sort_unstable();
            types.dedup();
            if types.contains(&"object") {
                schema.insert("additionalProperties".to_owned(), json!(true));
            }
            schema.insert("type".to_owned(), if let [one] = types.as_slice() { json!(one) } else { json!(types) });
        }
        schema.insert("enum".to_owned(), choices.into());
        schema.into()
    }

    fn array(&mut self, depth: usize) -> Value {
        let mut schema = typed("array");
        if !self.random.one_in(6) {
            schema.insert("items".to_owned(), self.within(depth));
        }
        if self.random.one_in(3) {
            self.range("minItems", "maxItems", &mut schema);
        }
        if self.random.one_in(5) {
            schema.insert("uniqueItems".to_owned(), json!(true));
        }
        schema.into()
    }

    fn object(&mut self, depth: usize) -> Value {
        let mut schema = typed("object");
        schema.insert("properties".to_owned(), self.properties(depth, false));
        if self.random.one_in(3) {
            schema.insert("additionalProperties".to_owned(), self.additional(depth));
        }
        if self.random.one_in(6) {
            self.range("minProperties", "maxProperties", &mut schema);
        }
        schema.into()
    }

    /// Returns an object that allows additional properties.
    fn open(&mut self, depth: usize) -> Value {
        let mut schema = self.object(depth);
        schema["additionalProperties"] = json!(true);
        schema
    }

    fn map(&mut self, depth: usize) -> Value {
        let mut schema = typed("object");
        schema.insert("additionalProperties".to_owned(), self.additional(depth));
        if self.random.one_in(3) {
            self.range("minProperties", "maxProperties", &mut schema);
        }
        schema.into()
    }

    fn additional(&mut self, depth: usize) -> Value {
        if self.random.one_in(2) { json!(true) } else { self.within(depth) }
    }

    fn nullable(&mut self, depth: usize) -> Value {
        let mut either = vec![self.schema(depth + 1), json!({ "type": "null" })];
        self.random.shuffle(&mut either);
        json!({ *self.random.pick(&["anyOf", "oneOf"]): either })
    }

    /// Returns a tagged union, perhaps with other alternatives.
    fn tagged(&mut self, depth: usize) -> Value {
        let mut all: Vec<Value> = Vec::new();
        for tag in [json!("circle"), json!("box"), json!(3)].into_iter().take(2 + self.random.below(2)) {
            let mut object = self.object(depth + 1);
            object["properties"]["kind"] = json!({ "const": tag, "required": true });
            all.push(object);
        }
        if self.random.one_in(3) {
            all.push(self.random.pick(&[json!({ "type": "null" }), json!({ "type": "string" })]).clone());
        }
        json!({ *self.random.pick(&["anyOf", "oneOf"]): all })
    }

    /// Returns alternatives of any kind, perhaps with sibling keywords.
    fn union(&mut self, depth: usize) -> Value {
        let mut schema = match self.random.below(6) {
            0 => json!({ "type": "object", "additionalProperties": true }),
            1 => self.untyped(),
            _ => json!({}),
        };
        for keyword in ["anyOf", "oneOf"].into_iter().skip(self.random.below(2)).take(1 + self.random.below(2)) {
            schema[keyword] = (0..=self.random.below(3)).map(|_| self.schema(depth + 1)).collect();
        }
        schema
    }

    fn all_of(&mut self, depth: usize) -> Value {
        match self.random.below(3) {
            0 => json!({ "allOf": [self.schema(depth + 1), self.untyped()] }),
            1 => json!({ "allOf": [self.open(depth + 1), self.open(depth + 1)] }),
            _ => {
                let mut schema = self.open(depth + 1);
                schema["allOf"] = json!([self.open(depth + 1)]);
                schema
            }
        }
    }

    /// Returns a `$ref`, perhaps with sibling keywords.
    fn reference(&mut self) -> Value {
        // For the same value only later definitions, so that two definitions are never aliases of one another.
        let first = if self.def < DEFS { self.def + 1 } else { 0 };
        if first >= DEFS {
            return self.simple();
        }
        let to = first + self.random.below(DEFS - first);
        let mut schema = if self.random.one_in(4) { self.untyped() } else { json!({}) };
        schema["$ref"] = json!(format!("#/$defs/d{to}"));
        schema
    }

    /// Returns the schema of a nested value, which may refer to any definition, including the enclosing one.
    fn within(&mut self, depth: usize) -> Value {
        let outer = std::mem::replace(&mut self.def, DEFS);
        let schema = self.schema(depth + 1);
        self.def = outer;
        schema
    }

    fn several_types(&mut self, depth: usize) -> Value {
        let mut types = ["null", "boolean", "integer", "number", "string", "array", "object"];
        self.random.shuffle(&mut types);
        let types = &types[..2 + self.random.below(2)];
        let mut schema = Schema::new();
        schema.insert("type".to_owned(), json!(types));
        if types.contains(&"string") && self.random.one_in(2) {
            self.range("minLength", "maxLength", &mut schema);
        }
        if (types.contains(&"integer") || types.contains(&"number")) && self.random.one_in(2) {
            self.numeric(&mut schema);
        }
        if types.contains(&"array") && self.random.one_in(2) {
            schema.insert("items".to_owned(), self.within(depth));
        }
        if types.contains(&"object") {
            schema.insert("properties".to_owned(), self.properties(depth + 1, false));
            schema.insert("additionalProperties".to_owned(), json!(true));
        }
        schema.into()
    }

    /// Returns keywords that limit values without a type.
    fn untyped(&mut self) -> Value {
        let mut schema = Schema::new();
        match self.random.below(4) {
            0 => self.numeric(&mut schema),
            1 => self.range("minLength", "maxLength", &mut schema),
            2 => self.range("minItems", "maxItems", &mut schema),
            _ => self.range("minProperties", "maxProperties", &mut schema),
        }
        schema.into()
    }

    fn range(&mut self, least: &str, most: &str, schema: &mut Schema) {
        let low = self.random.below(3);
        if self.random.one_in(2) {
            schema.insert(least.to_owned(), json!(low));
        }
        if self.random.one_in(2) {
            schema.insert(most.to_owned(), json!(low + self.random.below(3)));
        }
    }

    fn properties(&mut self, depth: usize, parameters: bool) -> Value {
        const NAMES: [&str; 7] = ["a", "b", "c", "type", "x-y", "é", "$d"];
        let first = self.random.below(NAMES.len());
        let count = self.random.below(4) + usize::from(parameters);
        let mut properties = Schema::new();
        for number in 0..count {
            let name = NAMES[(first + number) % NAMES.len()];
            let required = self.random.one_in(3);
            // A required property must not contain its own definition.
            let mut schema = if required { self.schema(depth + 1) } else { self.within(depth) };
            if required {
                schema["required"] = json!(true);
            } else if self.random.one_in(8) {
                schema["when"] = json!(self.random.pick(&FACTS));
            }
            properties.insert(name.to_owned(), schema);
        }
        properties.into()
    }
}

fn typed(ty: &str) -> Schema {
    [("type".to_owned(), json!(ty))].into_iter().collect()
}

/// Returns the name of a value's type.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Appends the value of `key` as TOML, in one line.
fn write(key: &str, value: &Value, out: &mut String) {
    match (key, value) {
        ("const", value) => write_value(value, out),
        ("enum", Value::Array(choices)) => {
            out.push('[');
            for choice in choices {
                if let Some(when) = choice["when"].as_str() {
                    out.push_str("{ value = ");
                    write_value(&choice["value"], out);
                    let _ = write!(out, ", when = {when:?} }}");
                } else {
                    write_value(&choice["value"], out);
                }
                out.push_str(", ");
            }
            out.push(']');
        }
        (_, Value::Array(items)) => {
            out.push('[');
            for item in items {
                write("", item, out);
                out.push_str(", ");
            }
            out.push(']');
        }
        (_, Value::Object(entries)) => {
            out.push_str("{ ");
            for (index, (key, value)) in entries.iter().enumerate() {
                let _ = write!(out, "{}{} = ", if index > 0 { ", " } else { "" }, json!(key));
                write(key, value, out);
            }
            out.push_str(" }");
        }
        (_, value) => write_value(value, out),
    }
}

/// Appends a value as TOML, or as JSON text if TOML cannot express it.
fn write_value(value: &Value, out: &mut String) {
    let _ = match value {
        Value::Null | Value::Array(_) | Value::Object(_) => {
            write!(out, "{{ json = {} }}", Value::String(value.to_string()))
        }
        simple => write!(out, "{simple}"),
    };
}
