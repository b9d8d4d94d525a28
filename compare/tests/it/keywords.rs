//! Every keyword of schemas, changed in both directions, in arguments and in results. The readers of both sides judge.

use serde_json::{Value, json};
use toolc::args::{read_value, validate};
use toolc_compare::{Tier, Witness};

use crate::project::{codes, compared, of, snapshot, tool};

/// A schema, and a wider one: everything that the first one accepts, the second one accepts as well, and more. In inline TOML.
const EDITS: &[(&str, &str, &str)] = &[
    ("type", "type = \"integer\"", "type = \"number\""),
    ("type list", "type = \"string\"", "type = [\"string\", \"integer\"]"),
    ("enum", "type = \"string\", enum = [\"a\", \"b\"]", "type = \"string\", enum = [\"a\", \"b\", \"c\"]"),
    ("enum to type", "type = \"string\", enum = [\"a\", \"b\"]", "type = \"string\""),
    ("const", "const = \"a\"", "type = \"string\", enum = [\"a\", \"b\"]"),
    ("minimum", "type = \"integer\", minimum = 5", "type = \"integer\", minimum = 1"),
    ("minimum of numbers", "type = \"number\", minimum = 0.5", "type = \"number\""),
    ("maximum", "type = \"integer\", maximum = 50", "type = \"integer\", maximum = 500"),
    ("exclusiveMinimum", "type = \"number\", exclusiveMinimum = 0", "type = \"number\", minimum = 0"),
    ("exclusiveMaximum", "type = \"integer\", exclusiveMaximum = 10", "type = \"integer\", maximum = 10"),
    ("multipleOf", "type = \"integer\", multipleOf = 6", "type = \"integer\", multipleOf = 3"),
    ("minLength", "type = \"string\", minLength = 4", "type = \"string\", minLength = 2"),
    ("maxLength", "type = \"string\", maxLength = 20", "type = \"string\", maxLength = 300"),
    ("pattern", "type = \"string\", pattern = '^[a-z]+$'", "type = \"string\""),
    ("another pattern", "type = \"string\", pattern = '^a{3}$'", "type = \"string\", pattern = '^[ab]+$'"),
    ("format", "type = \"string\", format = \"date\"", "type = \"string\""),
    (
        "minItems",
        "type = \"array\", items = { type = \"string\" }, minItems = 2",
        "type = \"array\", items = { type = \"string\" }",
    ),
    (
        "maxItems",
        "type = \"array\", items = { type = \"string\" }, maxItems = 3",
        "type = \"array\", items = { type = \"string\" }, maxItems = 9",
    ),
    (
        "uniqueItems",
        "type = \"array\", items = { type = \"integer\" }, uniqueItems = true",
        "type = \"array\", items = { type = \"integer\" }",
    ),
    (
        "items",
        "type = \"array\", items = { type = \"integer\", minimum = 3 }",
        "type = \"array\", items = { type = \"integer\" }",
    ),
    (
        "required",
        "type = \"object\", properties = { a = { type = \"string\", required = true } }",
        "type = \"object\", properties = { a = { type = \"string\" } }",
    ),
    (
        "properties",
        "type = \"object\", properties = { a = { type = \"string\" } }",
        "type = \"object\", properties = { a = { type = \"string\" }, b = { type = \"integer\" } }",
    ),
    (
        "additionalProperties",
        "type = \"object\", additionalProperties = { type = \"integer\", minimum = 1 }",
        "type = \"object\", additionalProperties = { type = \"integer\" }",
    ),
    (
        "minProperties",
        "type = \"object\", additionalProperties = { type = \"integer\" }, minProperties = 2",
        "type = \"object\", additionalProperties = { type = \"integer\" }",
    ),
    (
        "maxProperties",
        "type = \"object\", additionalProperties = { type = \"integer\" }, maxProperties = 1",
        "type = \"object\", additionalProperties = { type = \"integer\" }",
    ),
    (
        "anyOf",
        "anyOf = [{ type = \"integer\" }, { type = \"boolean\" }]",
        "anyOf = [{ type = \"integer\" }, { type = \"boolean\" }, { type = \"array\", items = { type = \"integer\" } }]",
    ),
    (
        "oneOf",
        "oneOf = [{ type = \"object\", properties = { k = { const = \"x\", required = true } } }]",
        "oneOf = [{ type = \"object\", properties = { k = { const = \"x\", required = true } } }, { type = \"object\", properties = { k = { const = \"y\", required = true } } }]",
    ),
    (
        "allOf",
        "type = \"integer\", allOf = [{ minimum = 1 }, { maximum = 9 }]",
        "type = \"integer\", allOf = [{ minimum = 1 }]",
    ),
    (
        "array to object",
        "type = \"array\", items = { type = \"string\" }",
        "type = [\"array\", \"object\"], items = { type = \"string\" }",
    ),
];

fn params(schema: &str) -> String {
    format!("params.x = {{ {schema}, description = \"A value.\", required = true }}\n")
}

fn returns(schema: &str) -> String {
    format!(
        "[returns]\ntype = \"object\"\ndescription = \"The result.\"\nproperties.x = {{ {schema}, description = \"A value.\", required = true }}\n"
    )
}

/// Random numbers, by xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth > 2 { 5 } else { 9 }) {
            0 => json!(self.below(2) == 0),
            1 => json!(self.below(24)),
            2 => json!(f64::from(u32::try_from(self.below(100)).unwrap()) / 4.0 - 5.0),
            3 => json!(["a", "b", "c", "x", "ab", "aaa", "2026-01-31", "abcd", "y"][self.below(9)]),
            4 => json!("abba ".repeat(self.below(12))),
            5 | 6 => (0..self.below(5)).map(|_| self.value(depth + 1)).collect(),
            _ => (0..self.below(3))
                .map(|_| (["a", "b", "k", "c"][self.below(4)].to_owned(), self.value(depth + 1)))
                .collect(),
        }
    }
}

/// Returns values of all kinds. They do not depend on the schemas.
fn values(count: usize) -> Vec<Value> {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    (0..count).map(|_| json!({ "x": random.value(0) })).collect()
}

/// The number of values for each edit. `cargo xtask soak breaking` tries more.
fn tries() -> usize {
    std::env::var("TOOLC_TRIES").ok().and_then(|tries| tries.parse().ok()).unwrap_or(200)
}

#[test]
fn a_narrower_argument_is_a_break_with_a_witness_that_both_readers_confirm() {
    for (keyword, narrow, wide) in EDITS {
        let [narrow, wide] = [narrow, wide].map(|schema| params(schema));
        let comparison = compared(&wide, &narrow);
        let (old, new) = (snapshot([tool("t", &wide)]), snapshot([tool("t", &narrow)]));
        let [old, new] = [old.readers().table("t").unwrap(), new.readers().table("t").unwrap()];
        let refused: Vec<Value> = values(tries())
            .into_iter()
            .filter(|value| validate(value, &old).is_empty() && read_value(&value.to_string(), &new).is_err())
            .collect();
        let found: Vec<_> = of(&comparison, Tier::Wire).collect();
        let repaired = of(&comparison, Tier::Behaviour).any(|found| found.code.id == "B009");
        assert!(!found.is_empty() || repaired, "{keyword}: {:#?}", comparison.findings);
        assert!(found.iter().any(|found| found.code.id == "W002") || refused.is_empty(), "{keyword}: {refused:?}");
        for found in found {
            assert_eq!((found.code.id, found.at.starts_with("/params/x")), ("W002", true), "{keyword}: {found:?}");
            let Witness::Value(witness) = &found.witness else { panic!("{keyword}: {found:?}") };
            assert!(validate(witness, &old).is_empty(), "{keyword}: the old reader refuses {witness}");
            assert!(read_value(&witness.to_string(), &new).is_err(), "{keyword}: the new reader accepts {witness}");
            assert!(found.place.is_some());
        }
    }
}

#[test]
fn a_wider_argument_is_no_break() {
    for (keyword, narrow, wide) in EDITS {
        let comparison = compared(&params(narrow), &params(wide));
        assert_eq!(codes(&comparison, Tier::Wire), [""; 0], "{keyword}: {:#?}", comparison.findings);
        let [old, new] = [narrow, wide].map(|schema| snapshot([tool("t", &params(schema))]));
        let [old, new] = [old.readers().table("t").unwrap(), new.readers().table("t").unwrap()];
        for value in values(tries()) {
            let is_refused = validate(&value, &old).is_empty() && read_value(&value.to_string(), &new).is_err();
            assert!(!is_refused, "{keyword}: {value}");
        }
    }
}

#[test]
fn a_wider_result_is_a_break_and_a_narrower_one_is_not() {
    for (keyword, narrow, wide) in EDITS {
        let [narrow, wide] = [narrow, wide].map(|schema| returns(schema));
        let comparison = compared(&narrow, &wide);
        // Who reads a result ignores further keys.
        let expected: &[&str] = if *keyword == "properties" { &[] } else { &["W003"] };
        assert_eq!(codes(&comparison, Tier::Wire), expected, "{keyword}: {:#?}", comparison.findings);
        let comparison = compared(&wide, &narrow);
        assert_eq!(codes(&comparison, Tier::Wire), [""; 0], "{keyword}: {:#?}", comparison.findings);
    }
}

/// The reader fills in defaults of optional parameters only.
#[test]
fn a_new_required_parameter_is_a_break_even_with_a_default() {
    let new = |lines: &str| format!("params.x = {{ type = \"string\", description = \"A value.\" }}\n{lines}");
    let optional = new("params.y = { type = \"integer\", description = \"Another.\", default = 3 }\n");
    let comparison = compared(&new(""), &optional);
    assert_eq!(codes(&comparison, Tier::Wire), [""; 0], "{:#?}", comparison.findings);
    let required = new("params.y = { type = \"integer\", description = \"Another.\", default = 3, required = true }\n");
    let comparison = compared(&new(""), &required);
    let found: Vec<_> = of(&comparison, Tier::Wire).collect();
    assert_eq!((found.len(), found[0].code.id, &found[0].witness), (1, "W002", &Witness::Value(json!({}))));
    assert!(found[0].reason.contains('y'), "{}", found[0].reason);
}

#[test]
fn a_renamed_parameter_is_a_break_unless_its_old_name_is_an_alias() {
    let old = "params.limit = { type = \"integer\", description = \"How many.\", required = true }\n";
    let new = "params.count = { type = \"integer\", description = \"How many.\", required = true }\n";
    assert_eq!(codes(&compared(old, new), Tier::Wire), ["W002"]);
    let kept = new.replace("required", "aliases = [\"limit\"], required");
    let comparison = compared(old, &kept);
    assert_eq!(codes(&comparison, Tier::Wire), [""; 0], "{:#?}", comparison.findings);
    assert_eq!(codes(&comparison, Tier::Source), ["S002"]);
    // And the alias is a name that others rely on from now on.
    let comparison = compared(&kept, new);
    let found: Vec<_> = of(&comparison, Tier::Wire).collect();
    assert_eq!((found.len(), found[0].code.id), (1, "W005"), "{:#?}", comparison.findings);
    assert!(matches!(&found[0].witness, Witness::Value(value) if value.get("limit").is_some()));
}

#[test]
fn recursive_schemas_are_compared_without_end() {
    let tree = |more: &str| {
        format!(
            "params.x = {{ \"$ref\" = \"#/$defs/node\", description = \"A tree.\", required = true }}\n[schema.\"$defs\".node]\ntype = \"object\"\n\
             properties.name = {{ type = \"string\", description = \"A name.\", required = true{more} }}\n\
             properties.children = {{ type = \"array\", items = {{ \"$ref\" = \"#/$defs/node\" }}, description = \"Below.\" }}\n"
        )
    };
    assert_eq!(codes(&compared(&tree(", maxLength = 9"), &tree("")), Tier::Wire), [""; 0]);
    let comparison = compared(&tree(""), &tree(", maxLength = 9"));
    assert_eq!(codes(&comparison, Tier::Wire), ["W002"], "{:#?}", comparison.findings);
}
