//! Containment of schemas.

use serde_json::{Value, json};
use toolc_compare::{Containment, contain};

#[expect(clippy::needless_pass_by_value, reason = "tests pass values of `json!`")]
fn is_contained(narrow: Value, wide: Value) -> Containment {
    contain(&narrow, &wide).unwrap()
}

#[test]
fn unions_cover_what_none_of_their_alternatives_covers_alone() {
    let wide = json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }, { "const": true }, { "const": false }] });
    assert_eq!(is_contained(json!({ "type": ["string", "integer", "boolean"] }), wide.clone()), Containment::Contained);
    assert!(matches!(is_contained(json!({ "type": "number" }), wide), Containment::Witness(Value::Number(_))));
}

#[test]
fn a_value_that_two_alternatives_of_one_of_accept_is_a_witness() {
    let wide = json!({ "oneOf": [{ "type": "integer", "minimum": 0 }, { "type": "integer", "maximum": 9 }] });
    let found = is_contained(json!({ "type": "integer" }), wide);
    let Containment::Witness(witness) = found else { panic!("{found:?}") };
    assert!((0..=9).contains(&witness.as_i64().unwrap()));
    let disjoint = json!({ "oneOf": [{ "type": "integer" }, { "type": "string" }] });
    assert_eq!(is_contained(json!({ "type": "string" }), disjoint), Containment::Contained);
}

#[test]
fn recursion_is_proved_by_itself_and_never_proves_too_much() {
    let list = |item: Value| {
        json!({
            "$ref": "#/$defs/list",
            "$defs": { "list": { "type": "object", "properties": { "head": item, "tail": { "$ref": "#/$defs/list" } } } },
        })
    };
    let (narrow, wide) = (list(json!({ "type": "integer" })), list(json!({ "type": "number" })));
    assert_eq!(is_contained(narrow.clone(), wide.clone()), Containment::Contained);
    assert!(matches!(is_contained(wide, narrow), Containment::Witness(_)));
}

#[test]
fn what_cannot_be_decided_is_said() {
    // Equal languages, written in two ways.
    let [one, other] = ["^(ab)+$", "^ab(ab)*$"].map(|pattern| json!({ "type": "string", "pattern": pattern }));
    assert_eq!(is_contained(one, other), Containment::Contained);
    let found =
        is_contained(json!({ "type": "string", "format": "ipv4" }), json!({ "type": "string", "format": "hostname" }));
    assert!(matches!(&found, Containment::Unknown(why) if why.contains("values")), "{found:?}");
}

#[test]
fn names_of_properties_are_compared() {
    let named = |names: Value| json!({ "type": "object", "propertyNames": names, "additionalProperties": {} });
    let (any, lower, short) =
        (json!({ "type": "string" }), json!({ "pattern": "^[a-z]+$" }), json!({ "type": "string", "maxLength": 3 }));
    for (narrow, wide) in [(any.clone(), any.clone()), (lower.clone(), any.clone()), (short.clone(), short.clone())] {
        assert_eq!(is_contained(named(narrow.clone()), named(wide)), Containment::Contained);
        assert_eq!(is_contained(named(narrow), json!({ "type": "object" })), Containment::Contained);
    }
    for (narrow, wide) in [(any.clone(), lower), (any.clone(), short)] {
        assert!(!matches!(is_contained(named(narrow), named(wide)), Containment::Contained));
    }
    let closed = json!({ "type": "object", "propertyNames": any, "additionalProperties": false });
    assert!(matches!(is_contained(named(json!({ "type": "string" })), closed), Containment::Witness(_)));
}

#[test]
fn an_invalid_schema_is_an_error() {
    assert!(contain(&json!({ "type": 3 }), &json!({})).is_err());
}

/// A schema that is contained by proof accepts nothing that the other one refuses. Random pairs of small schemas.
#[test]
fn proofs_and_witnesses_agree_with_a_validator() {
    let parts = [
        json!({ "type": "integer" }),
        json!({ "type": "number", "minimum": 2 }),
        json!({ "type": "integer", "minimum": 1, "maximum": 4 }),
        json!({ "type": "integer", "multipleOf": 2 }),
        json!({ "enum": [1, 2, "a"] }),
        json!({ "type": "string" }),
        json!({ "type": "string", "minLength": 1, "maxLength": 2 }),
        json!({ "type": ["string", "null"] }),
        json!({ "type": "array", "items": { "type": "integer" }, "maxItems": 2 }),
        json!({ "type": "array", "items": { "type": "number" }, "uniqueItems": true }),
        json!({ "type": "object", "properties": { "a": { "type": "integer" } }, "required": ["a"] }),
        json!({ "type": "object", "properties": { "a": { "type": "number" } }, "additionalProperties": false }),
        json!({ "type": "object", "additionalProperties": { "type": "string" }, "maxProperties": 1 }),
        json!(true),
        json!(false),
        json!({ "not": { "type": "string" } }),
    ];
    let mut all: Vec<Value> = parts.to_vec();
    for (index, one) in parts.iter().enumerate() {
        let other = &parts[(index * 7 + 3) % parts.len()];
        all.extend(["anyOf", "oneOf", "allOf"].map(|keyword| json!({ keyword: [one, other] })));
    }
    let samples = [
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(2),
        json!(3),
        json!(4),
        json!(5),
        json!(2.5),
        json!(-1),
        json!(""),
        json!("a"),
        json!("bc"),
        json!("def"),
        json!([]),
        json!([1]),
        json!([1, 1]),
        json!([1, 2]),
        json!([1.5]),
        json!([1, 2, 3]),
        json!(["a"]),
        json!({}),
        json!({ "a": 1 }),
        json!({ "a": 1.5 }),
        json!({ "a": "x" }),
        json!({ "b": "x" }),
        json!({ "a": 1, "b": "x" }),
        json!({ "b": "x", "c": "y" }),
        json!({ "b": 1 }),
    ];
    let (mut proved, mut witnessed, mut unknown) = (0, 0, 0);
    for narrow in &all {
        for wide in &all {
            let [one, other] = [narrow, wide].map(|schema| jsonschema::validator_for(schema).unwrap());
            let refused = samples.iter().find(|value| one.is_valid(value) && !other.is_valid(value));
            match contain(narrow, wide).unwrap() {
                Containment::Contained => {
                    assert_eq!(refused, None, "{narrow} in {wide}");
                    proved += 1;
                }
                Containment::Witness(witness) => {
                    assert!(one.is_valid(&witness) && !other.is_valid(&witness), "{narrow} in {wide}: {witness}");
                    witnessed += 1;
                }
                Containment::Unknown(_) => {
                    assert_eq!(refused, None, "{narrow} in {wide}");
                    unknown += 1;
                }
            }
        }
    }
    println!("{proved} proved, {witnessed} with a witness, {unknown} undecided");
    assert!(proved > 400 && witnessed > 2_000 && unknown * 20 < proved + witnessed, "{proved} {witnessed} {unknown}");
}
