//! Random schemas and values: what a schema allows is accepted, and what is left out of one forbids nothing.

use jsonschema::{Validator, draft202012};
use serde_json::{Map, Value, json};
use toolc::args::{repair, validate};
use toolc::schema::Table;

/// A generator of the same numbers in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits fit") % limit
    }

    fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    fn name(&mut self) -> &'static str {
        self.one_of::<&str>(&["a", "b", "xa"])
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 5 } else { 9 }) {
            0 => self.below(2).eq(&0).into(),
            1 => self.below(4).into(),
            2 => json!(1.5),
            3 => "x".into(),
            4 => "xyz".into(),
            5 | 6 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
            _ => self.object(depth - 1),
        }
    }

    fn object(&mut self, depth: usize) -> Value {
        let entries: Map<String, Value> =
            (0..self.below(4)).map(|_| (self.name().to_owned(), self.value(depth))).collect();
        entries.into()
    }

    fn schema(&mut self, depth: usize) -> Value {
        if depth == 0 || self.below(6) == 0 {
            return match self.below(8) {
                0 => json!({}),
                1 => json!({ "const": self.value(0) }),
                2 => json!({ "minimum": 2 }),
                3 => json!({ "maxLength": 1 }),
                4 => json!({ "required": [self.name()] }),
                5 => json!(self.below(4) > 0),
                _ => json!({ "type": self.one_of(&["string", "integer", "number", "object", "array", "boolean"]) }),
            };
        }
        let mut map = Map::new();
        for _ in 0..=self.below(3) {
            self.keyword(depth - 1, &mut map);
        }
        map.into()
    }

    fn keyword(&mut self, depth: usize, map: &mut Map<String, Value>) {
        let name = *self.one_of(&[
            "type",
            "properties",
            "required",
            "additionalProperties",
            "patternProperties",
            "propertyNames",
            "items",
            "prefixItems",
            "contains",
            "maxContains",
            "minContains",
            "not",
            "if",
            "then",
            "else",
            "anyOf",
            "oneOf",
            "allOf",
            "dependentRequired",
            "dependentSchemas",
            "unevaluatedProperties",
            "unevaluatedItems",
            "minItems",
            "uniqueItems",
            "$ref",
            "enum",
        ]);
        let value = match name {
            "type" => {
                json!([self.one_of(&["string", "integer", "object", "array"]), self.one_of(&["number", "boolean"])])
            }
            "properties" => json!({ (self.name()): self.schema(depth), (self.name()): self.schema(depth) }),
            "patternProperties" => json!({ "^x": self.schema(depth) }),
            "dependentSchemas" => json!({ (self.name()): self.schema(depth) }),
            "dependentRequired" => json!({ (self.name()): [self.name()] }),
            "required" => json!([self.name()]),
            "maxContains" | "minContains" | "minItems" => self.below(3).into(),
            "uniqueItems" => true.into(),
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => json!([self.schema(depth), self.schema(depth)]),
            "$ref" => self.one_of(&["#/$defs/d", "#/$defs/e"]).to_string().into(),
            "enum" => json!([self.value(1), self.value(1), "x"]),
            _ => self.schema(depth),
        };
        map.insert(name.to_owned(), value);
    }

    fn root(&mut self) -> Value {
        let mut root = match self.schema(3) {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        root.insert("type".to_owned(), "object".into());
        root.insert(
            "$defs".to_owned(),
            json!({ "d": self.schema(1), "e": { "properties": { "b": { "$ref": "#" } } } }),
        );
        root.into()
    }
}

fn judge(schema: &Value) -> Validator {
    draft202012::options().build(schema).unwrap_or_else(|error| panic!("{schema}: {error}"))
}

/// Returns whether a schema applies itself to the same value again and again, which no validator judges.
fn is_endless(schema: &Value) -> bool {
    // Only `#` leads back, and `properties` of `e` goes into the value.
    schema["$defs"]["d"].to_string().contains("$ref")
}

#[test]
fn a_table_accepts_whatever_its_schema_allows() {
    let (mut random, mut accepted, mut refused) = (Random(1), 0, 0);
    for _ in 0..6_000 {
        let schema = random.root();
        if is_endless(&schema) {
            continue;
        }
        let judge = judge(&schema);
        let table = Table::from_schema(&schema).expect("it is small");
        for _ in 0..6 {
            let value = random.object(2);
            let problems = validate(&value, &table);
            if !judge.is_valid(&value) {
                refused += usize::from(!problems.is_empty());
                continue;
            }
            accepted += 1;
            assert!(problems.is_empty(), "{schema} allows {value}: {problems:?}");
            let mut repaired = value.clone();
            repair(&mut repaired, &table);
            assert_eq!(repaired, value, "{schema} allows it as it is");
        }
    }
    assert!(accepted > 5_000 && refused > 5_000, "{accepted} {refused}");
}

/// Replaces the schema at a random place. Returns whether there is one.
fn replace(schema: &mut Value, with: &Value, random: &mut Random) -> bool {
    let Some(map) = schema.as_object_mut() else { return false };
    let mut places = 0;
    toolc_lower::schema::subschemas(map, &mut |_, _, _| places += 1);
    if places == 0 {
        return false;
    }
    let (chosen, deeper) = (random.below(places), random.below(3) > 0);
    let (mut at, mut is_done) = (0, false);
    toolc_lower::schema::subschemas(map, &mut |_, _, inner| {
        if at == chosen && !(deeper && replace(inner, with, random)) {
            *inner = with.clone();
        }
        is_done |= at == chosen;
        at += 1;
    });
    is_done
}

#[test]
fn what_is_left_out_of_a_schema_forbids_nothing() {
    let (mut random, mut checked) = (Random(2), 0);
    for _ in 0..2_000 {
        let schema = random.root();
        if is_endless(&schema) {
            continue;
        }
        let seed = random.0;
        let with = |part: Value| {
            let mut changed = schema.clone();
            replace(&mut changed, &part, &mut Random(seed)).then_some(changed)
        };
        let broken =
            random.one_of(&[json!({ "type": "blob" }), json!({ "$ref": "#/$defs/missing" }), json!(7)]).clone();
        let (Some(mut mended), Some(anything), Some(nothing)) = (with(broken), with(json!(true)), with(json!(false)))
        else {
            continue;
        };
        let before = mended.clone();
        super::mend(&mut mended).unwrap_or_else(|error| panic!("{before}: {error}"));
        let (meant, is_allowed) = ([judge(&anything), judge(&nothing)], judge(&mended));
        for _ in 0..6 {
            let value = random.object(2);
            for meant in &meant {
                if meant.is_valid(&value) {
                    checked += 1;
                    assert!(is_allowed.is_valid(&value), "{before} became {mended}, which forbids {value}");
                }
            }
        }
    }
    assert!(checked > 2_000, "{checked}");
}
