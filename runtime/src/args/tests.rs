//! Tests of the strict and the lenient pass together.

use serde_json::{Value, json};

use super::*;
use crate::data::table::{Additional, Bound, Bounds, Literal, Node, Property, SlotKind, Span, Type, Types};

fn limits() -> Limits {
    Limits::default()
}

/// Returns a table like those of generated code, with a property of each slot kind.
pub(super) fn typed() -> Table {
    use Type::{Array, Boolean, Integer, Null, Number, Object, String};
    let node = |form, types: &[Type]| Node { form, types: Types::new(types), ..Node::ANY };
    let nodes = vec![
        Node { properties: Span::new(0, 14), additional: Additional::Deny, ..node(SlotKind::Object, &[Object]) },
        Node { bounds: Some(0), ..node(SlotKind::String, &[String]) },
        Node { bounds: Some(1), ..node(SlotKind::Integer, &[Integer]) },
        node(SlotKind::Number, &[Number]),
        node(SlotKind::Boolean, &[Boolean]),
        Node { literals: Span::new(0, 3), ..node(SlotKind::Choice, &[String]) },
        Node { items: Some(7), bounds: Some(2), ..node(SlotKind::Array, &[Array]) },
        node(SlotKind::String, &[String]),
        node(SlotKind::Integer, &[Integer, Null]),
        Node { properties: Span::new(14, 3), additional: Additional::Allow, ..node(SlotKind::Object, &[Object]) },
        Node { additional: Additional::Node(2), ..node(SlotKind::Map, &[Object]) },
        Node::ANY,
        node(SlotKind::String, &[String, Null]),
        Node { any_of: Span::new(0, 2), ..Node::ANY },
        Node { literals: Span::new(3, 3), ..node(SlotKind::Choice, &[String, Null]) },
        Node { items: Some(9), ..node(SlotKind::Array, &[Array]) },
        Node { any_of: Span::new(2, 5), ..node(SlotKind::Union, &[]) },
        Node { properties: Span::new(17, 3), additional: Additional::Deny, ..node(SlotKind::Object, &[Object]) },
        Node { properties: Span::new(20, 2), additional: Additional::Node(2), ..node(SlotKind::Object, &[Object]) },
        Node { literals: Span::new(6, 1), ..node(SlotKind::Choice, &[String]) },
        Node { literals: Span::new(7, 1), ..node(SlotKind::Choice, &[String]) },
        node(SlotKind::Value, &[Null]),
    ];
    let property = |name: &'static str, required, node| Property {
        name: name.into(),
        required,
        node,
        hidden: false,
        secret: false,
    };
    let properties = vec![
        property("text", true, 1),
        property("limit", false, 2),
        property("ratio", false, 3),
        property("flag", false, 4),
        property("mode", false, 5),
        property("names", false, 6),
        property("maybe", false, 8),
        property("nested", false, 9),
        property("counts", false, 10),
        property("any", false, 11),
        property("note", false, 12),
        property("union", false, 13),
        property("choice", false, 14),
        property("shape", false, 16),
        property("id", true, 2),
        property("label", false, 7),
        property("children", false, 15),
        property("kind", true, 19),
        property("inner", false, 16),
        property("all", false, 10),
        property("id", false, 2),
        property("kind", true, 20),
    ];
    let word = |w: &'static str| Literal::String(w.into());
    let literals =
        vec![word("content"), word("files"), word("count"), word("a"), word("b"), Literal::Null, word("a"), word("b")];
    let bounds = vec![
        Bounds { min_length: Some(1), max_length: Some(5), ..Bounds::NONE },
        Bounds { minimum: Some(Bound::Integer(1)), maximum: Some(Bound::Integer(2000)), ..Bounds::NONE },
        Bounds { max_items: Some(3), ..Bounds::NONE },
    ];
    Table { nodes, properties, literals, branches: vec![8, 9, 17, 18, 6, 2, 21], bounds, ..Table::default() }
}

/// Returns the slots of the strict pass, or `None` if it fails.
pub(super) fn strictly<'s, 'a>(
    reader: &Reader<'_>,
    text: &'a str,
    buffer: &'s mut SlotBuffer<'a>,
) -> Option<&'s [Slot<'a>]> {
    reader.read_strictly(text, buffer)?;
    Some(buffer.all_slots())
}

fn heap(heap: Heap<'_>) -> Slot<'_> {
    heap.into()
}

/// Slots are equal if their values are, however they are stored.
impl PartialEq for Slot<'_> {
    fn eq(&self, other: &Self) -> bool {
        value_of(self) == value_of(other)
    }
}

/// Returns a text that represents the value of a slot.
fn value_of(slot: &Slot<'_>) -> String {
    let all = |slots: &[Slot<'_>]| slots.iter().map(value_of).collect::<Vec<_>>();
    match slot {
        Slot::Text(text) => format!("{text:?}"),
        Slot::Strings(items) => {
            format!("Array({:?})", items.iter().map(|item| format!("{item:?}")).collect::<Vec<_>>())
        }
        Slot::Heap(heap) => match &**heap {
            Heap::String(text) => format!("{text:?}"),
            Heap::Array(items) => format!("Array({:?})", all(items)),
            Heap::Object(slots) => format!("Object({:?})", all(slots)),
            Heap::Map(entries) => {
                format!("Map({:?})", entries.iter().map(|(k, v)| (k, value_of(v))).collect::<Vec<_>>())
            }
            Heap::Variant(index, value) => format!("Variant({index}, {})", value_of(value)),
            Heap::Value(value) => format!("Value({value})"),
        },
        slot => format!("{slot:?}"),
    }
}

fn error(text: &str, table: &Table) -> ToolError {
    read(text, table, limits(), &mut SlotBuffer::default()).unwrap_err()
}

pub(super) fn value(text: &str, schema: &Value) -> Result<Value, ToolError> {
    let table = Table::from_schema(schema).unwrap();
    read(text, &table, limits(), &mut SlotBuffer::default()).map(|mut slots| slots.value(0))
}

fn malformed_message(text: &str) -> String {
    let error = error(text, &typed());
    assert_eq!(error.kind(), ErrorKind::MalformedArguments, "{text}");
    error.message().to_owned()
}

#[test]
fn valid_arguments_are_borrowed_and_read_without_a_tree() {
    let table = typed();
    let text = r#" { "limit" : 5, "text":"añ", "names":["b","\u00fc"], "ratio":1, "flag":false, "mode":"files",
        "maybe":null, "nested":{"id":7,"extra":[{}],"children":[{"id":1e3}]}, "counts":{"y":2,"x":1},
        "any":{"k":[null]}, "note":"n", "union":{"id":5.0}, "choice":null,
        "shape":{"kind":"a","inner":{"x":2,"kind":"b"}} } "#;
    let mut buffer = SlotBuffer::default();
    let slots = strictly(&Reader::new(&table, limits()), text, &mut buffer).unwrap();
    assert!(matches!(slots[0], Slot::Text("añ")));
    assert_eq!(
        slots[1..6],
        [
            Slot::Integer(5),
            Slot::Number(1.0),
            Slot::Boolean(false),
            Slot::Choice(1),
            Slot::Strings(vec!["b".into(), "ü".into()]),
        ]
    );
    assert_eq!(slots[6], Slot::Null);
    let none = heap(Heap::Map(Vec::new()));
    let child = heap(Heap::Object(vec![Slot::Integer(1000), Slot::Absent, Slot::Absent, none]));
    let extra = heap(Heap::Map(vec![("extra".into(), heap(Heap::Value(json!([{}]))))]));
    assert_eq!(
        slots[7],
        heap(Heap::Object(vec![Slot::Integer(7), Slot::Absent, heap(Heap::Array(vec![child])), extra]))
    );
    let entries = vec![("x".into(), Slot::Integer(1)), ("y".into(), Slot::Integer(2))];
    assert_eq!(slots[8], heap(Heap::Map(entries)));
    assert_eq!(slots[9], heap(Heap::Value(json!({"k": [null]}))));
    assert_eq!(slots[11], heap(Heap::Value(json!({"id": 5}))));
    assert_eq!(slots[12], Slot::Null);
    let others = heap(Heap::Map(vec![("x".into(), Slot::Integer(2))]));
    let inner = heap(Heap::Variant(1, heap(Heap::Object(vec![Slot::Absent, Slot::Choice(0), others]))));
    assert_eq!(slots[13], heap(Heap::Variant(0, heap(Heap::Object(vec![Slot::Choice(0), inner, Slot::Absent])))));
}

#[test]
fn a_union_selects_the_alternative_of_the_value() {
    for (text, variant) in [
        (r#""7""#, Heap::Variant(3, Slot::Integer(7)).into()),
        (r#"["x"]"#, Heap::Variant(2, Slot::Strings(vec!["x".into()])).into()),
        (r#""NULL""#, Slot::Null),
    ] {
        let read = read_leniently(&format!(r#"{{"text":"a","shape":{text}}}"#), &Reader::new(&typed(), limits()));
        assert_eq!(read.unwrap().0[13], variant, "{text}");
    }
    let error = error(r#"{"text":"a","shape":{"kind":"a","innre":1}}"#, &typed());
    assert_eq!(error.problems()[0].path, "/shape/innre");
}

#[test]
fn a_hidden_property_is_read_as_an_additional_one() {
    let mut table = typed();
    table.properties[15].hidden = true;
    let text = r#"{"text":"a","nested":{"id":1,"label":"x"}}"#;
    let reader = Reader::new(&table, limits());
    let mut buffer = SlotBuffer::default();
    let slots = strictly(&reader, text, &mut buffer).unwrap();
    let others = heap(Heap::Map(vec![("label".into(), heap(Heap::Value(json!("x"))))]));
    assert_eq!(slots[7], heap(Heap::Object(vec![Slot::Integer(1), Slot::Absent, Slot::Absent, others])));
    assert_eq!(slots, &*read_leniently(text, &reader).unwrap().0);
}

#[test]
fn all_problems_of_the_arguments_are_reported() {
    let text = r#"{"limit":5000,"mode":"contents","names":["a","b","c","d"],"limti":4,"nested":{"id":[]},
        "counts":{"a~/b":"x"},"union":"x","note":[]}"#;
    let error = error(text, &typed());
    assert_eq!(error.kind(), ErrorKind::InvalidArguments);
    assert!(error.message().starts_with(
        "invalid arguments: /text: expected string with 1 to 5 characters (required), got nothing; \
         /limit: expected integer between 1 and 2000, got 5000; "
    ));
    let problems: Vec<_> = error.problems().iter().map(|p| (&*p.path, &*p.expected, &*p.got)).collect();
    assert_eq!(
        problems,
        [
            ("/text", "string with 1 to 5 characters (required)", "nothing"),
            ("/limit", "integer between 1 and 2000", "5000"),
            ("/mode", r#"one of "content", "files", "count""#, r#""contents""#),
            ("/names", "array of string with at most 3 items", "4 items"),
            ("/nested/id", "integer between 1 and 2000", "array"),
            ("/counts/a~0~1b", "integer between 1 and 2000", r#""x""#),
            ("/note", "string or null", "array"),
            ("/union", "integer or null or object with \"id\"", r#""x""#),
            ("/limti", r#"no argument of this name (did you mean "limit"?)"#, "4"),
        ]
    );
}

#[test]
fn arguments_must_be_an_object() {
    for (text, got) in [("[1]", "array"), ("false", "false"), ("3", "3"), (r#""{\"text\":""#, r#""{\"text\":""#)] {
        let error = error(text, &typed());
        assert_eq!(error.problems(), [Problem { path: String::new(), expected: "object".into(), got: got.into() }]);
    }
    let mut buffer = SlotBuffer::default();
    let mut slots = read(r#""{'text': \"a\"}""#, &typed(), limits(), &mut buffer).unwrap();
    assert_eq!(slots.value::<String>(0), "a");
}

#[test]
fn text_cut_off_anywhere_is_malformed() {
    let text = r#"{"text":"añ\n\ud83d\ude00","limit":-5.5e1,"flag":true,"any":[null,{"a":[]}]}"#;
    for end in (1..text.len()).filter(|end| text.is_char_boundary(*end)) {
        let message = malformed_message(&text[..end]);
        assert!(message.contains("is cut off") && message.contains("line 1 column"), "{end}: {message}");
    }
}

#[test]
fn missing_arguments_are_an_empty_object() {
    let optional = json!({"properties": {"a": {"type": "integer"}}});
    let required = json!({"properties": {"a": {"type": "integer"}}, "required": ["a"]});
    for empty in ["", " \n", "null", " null ", r#""""#, r#""  ""#, r#""null""#, r#""{}""#] {
        assert_eq!(value(empty, &optional).unwrap(), json!({}), "{empty}");
        let error = value(empty, &required).unwrap_err();
        assert!(
            error.message().ends_with("invalid arguments: /a: expected integer (required), got nothing"),
            "{error:?}"
        );
        assert_eq!(error.problems().len(), 1);
        // No text at all may be a call that was cut off.
        let is_malformed = error.kind() == ErrorKind::MalformedArguments;
        assert_eq!(is_malformed, empty.trim().is_empty(), "{empty}");
        assert_eq!(is_malformed, error.message().contains("they are empty"), "{empty}");
    }
}

#[test]
fn arguments_that_are_almost_json_are_read() {
    let table = typed();
    for text in [
        r#"{"text":"a\nb",}"#,
        "{'text': 'a\\nb'}",
        "{\"text\":\"a\nb\"}",
        "```json\n{\"text\": \"a\\nb\"}\n```",
        " ```\n{\"text\": \"a\\nb\",}```\n",
        "```JSON{\"text\": \"a\\nb\"}```",
        r#""{'text': 'a\\nb'}""#,
    ] {
        let mut buffer = SlotBuffer::default();
        let mut slots = read(text, &table, limits(), &mut buffer).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(slots.value::<String>(0), "a\nb", "{text}");
    }
    for text in [
        "{\"text\":\"a\",\"text\":\"b\",}",
        "```json\n{\"text\": \"a\"}",
        "```python\n{\"text\": \"a\"}\n```",
        "Here: ```json\n{\"text\": \"a\"}\n```",
        "{\"text\": \"a\"} {\"text\": \"b\"}",
        "{\"text\": \"a\"}}",
        "{\"text\": \"C:\\dir\\new\",}",
        "[{\"text\": \"a\",}]",
        "{\"text\": \"a\", // the text\n}",
    ] {
        malformed_message(text);
    }
}

#[test]
fn invalid_json_is_malformed() {
    for text in
        ["{\"text\":\"a\"} x", "{text:1}", "{\"text\":\"a\",,}", "{\"text\":\"\u{1}\"}", "{\"limit\":01}", "nonsense"]
    {
        assert!(malformed_message(text).contains("at line 1 column"), "{text}");
    }
    for text in [r#"{"text":"\ud800"}"#, r#"{"text":"\udc00\ud800"}"#, r#"{"text":"\x"}"#, r#"{"ratio":+1}"#] {
        malformed_message(text);
    }
    for (text, column) in [("hunter2", 1), (r#"{"text":hunter2}"#, 9)] {
        let message = malformed_message(text);
        let expected = format!("invalid JSON at line 1 column {column}. Send one JSON object");
        assert!(message.ends_with(&expected), "{message}");
    }
    assert!(malformed_message(r#"{"ratio":1e999}"#).contains("numbers must be between -1.79"));
}

#[test]
fn a_repeated_key_is_malformed_at_any_depth() {
    for text in [
        r#"{"text":"a","text":"a"}"#,
        r#"{"text":"a","t\u0065xt":"b"}"#,
        r#"{"text":"a","maybe":null,"maybe":1}"#,
        r#"{"text":"a","any":[{"x":1,"x":2}]}"#,
        r#"{"text":"a","nested":{"id":1,"q":1,"q":1}}"#,
        r#"{"text":"a","nested":{"id":1,"q":{"z":1,"z":1}}}"#,
        r#"{"text":"a","counts":{"x":1,"x":1}}"#,
    ] {
        assert!(malformed_message(text).contains("occurs twice in one object"), "{text}");
    }
    let schema = json!({"properties": {"o": {"type": "object"}}});
    assert_eq!(value(r#"{"o":"{\"a\":1,\"a\":2}"}"#, &schema).unwrap(), json!({"o": {"a": 2}}));
}

#[test]
fn depth_and_size_are_limited() {
    let nested = |depth: usize| format!(r#"{{"text":"a","any":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
    assert!(read(&nested(63), &typed(), limits(), &mut SlotBuffer::default()).is_ok());
    for depth in [64, 127, 128, 5_000, 1_000_000] {
        assert!(malformed_message(&nested(depth)).contains("nested too deep"), "{depth}");
    }
    malformed_message(&"[".repeat(5_000));
    let small = Limits { max_bytes: 10, ..limits() };
    let error = read(r#"{"text":"a"}"#, &typed(), small, &mut SlotBuffer::default()).unwrap_err();
    assert!(error.message().contains("12 bytes, but at most 10"));
    let deep = Limits { max_depth: usize::MAX, ..limits() };
    assert!(read(&nested(5_000), &typed(), deep, &mut SlotBuffer::default()).is_err());
}

#[test]
fn numbers_are_exact_or_refused() {
    let typed = typed();
    let limit = |number: &str| {
        let text = format!(r#"{{"text":"a","maybe":{number}}}"#);
        read(&text, &typed, limits(), &mut SlotBuffer::default())
            .map(|mut slots| slots.value::<Option<i64>>(6).unwrap())
    };
    for (text, integer) in [
        ("9007199254740993", 9_007_199_254_740_993),
        ("\"9007199254740993\"", 9_007_199_254_740_993),
        ("\"9007199254740993.0\"", 9_007_199_254_740_993),
        ("9007199254740993.0", 9_007_199_254_740_993),
        ("9.223372036854775807e18", i64::MAX),
        ("9223372036854775807", i64::MAX),
        ("-9223372036854775808", i64::MIN),
        ("\"-9223372036854775808\"", i64::MIN),
        ("5.0", 5),
        ("1e3", 1000),
        ("-0", 0),
        ("\"007\"", 7),
        ("\"+7.\"", 7),
        ("\"1e18\"", 1_000_000_000_000_000_000),
        ("\"0e99999999999999999999\"", 0),
    ] {
        assert_eq!(limit(text).unwrap(), integer, "{text}");
    }
    for text in ["9223372036854775808", "-9223372036854775809", "1e300", "-9223372036854775809.0", "9007199254740993.5"]
    {
        let error = limit(text).unwrap_err();
        assert_eq!(error.problems()[0].expected, "integer between -9223372036854775808 and 9223372036854775807");
    }
    for text in ["5.5", "\"9223372036854775808\"", "\"1e19\"", "\"0.1e1\"", "\"10e-1\"", "\"0x10\"", "\"٣\"", "\".\""]
    {
        assert!(limit(text).is_err(), "{text}");
    }
    let schema = json!({"properties": {"x": {"type": "number"}}});
    let number = |text: &str| value(&json!({ "x": text }).to_string(), &schema).map(|v| v["x"].clone());
    assert_eq!(number(" .5 ").unwrap(), json!(0.5));
    assert_eq!(number("0e5").unwrap(), json!(0));
    assert!(number("1e-400").is_err() && number("1e400").is_err() && number("Infinity").is_err());
}

#[test]
fn null_for_an_optional_property_is_absence_at_every_depth() {
    let text = r#"{"text":"a","limit":null,"mode":null,"names":null,"nested":{"id":1,"label":null},"union":null}"#;
    let table = typed();
    let mut buffer = SlotBuffer::default();
    let slots = strictly(&Reader::new(&table, limits()), text, &mut buffer).unwrap();
    assert_eq!(slots[1..3], [Slot::Absent, Slot::Absent]);
    let none = heap(Heap::Map(Vec::new()));
    assert_eq!(slots[7], heap(Heap::Object(vec![Slot::Integer(1), Slot::Absent, Slot::Absent, none])));
    assert_eq!(slots[11], Slot::Null);
    assert_eq!(slots, &*read_leniently(text, &Reader::new(&table, limits())).unwrap().0);
    let schema =
        json!({"properties": {"o": {"anyOf": [{"type": "object", "properties": {"x": {"type": "integer"}}}]}}});
    assert_eq!(value(r#"{"o":{"x":null,"y":null}}"#, &schema).unwrap(), json!({"o": {"y": null}}));
    assert!(read(r#"{"text":null}"#, &table, limits(), &mut SlotBuffer::default()).is_err());
}

#[test]
fn absent_properties_are_removed_before_validation() {
    let text = json!({"type": "string"});
    let schema = |more: Value| {
        let mut schema = json!({"properties": {"a": text, "b": text}});
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    let choice = json!([{"required": ["a"]}, {"required": ["b"]}]);
    for (more, sent, expected) in [
        (json!({"anyOf": choice}), json!({"a": null, "b": null}), None),
        (json!({"anyOf": choice}), json!({"a": "x", "b": null}), Some(json!({"a": "x"}))),
        (json!({"oneOf": choice}), json!({"a": "x", "b": null}), Some(json!({"a": "x"}))),
        (json!({"oneOf": choice}), json!({"a": null, "b": "x"}), Some(json!({"b": "x"}))),
        (json!({"oneOf": choice}), json!({"a": "x", "b": "x"}), None),
        (json!({"allOf": [{"required": ["a"]}]}), json!({"a": null}), None),
        (json!({"allOf": [{"minProperties": 1}]}), json!({"a": null}), None),
        (json!({"minProperties": 1}), json!({"a": null, "b": "x"}), Some(json!({"b": "x"}))),
        (json!({"allOf": [{"properties": {"c": text}}]}), json!({"c": null}), Some(json!({}))),
        // One schema allows null, but not all do.
        (json!({"properties": {"c": {}}, "allOf": [{"properties": {"c": text}}]}), json!({"c": null}), Some(json!({}))),
        // One alternative accepts the null.
        (
            json!({"oneOf": [{"properties": {"c": text}}, {"properties": {"c": {"type": "null"}}}]}),
            json!({"c": null}),
            Some(json!({"c": null})),
        ),
        (
            json!({"anyOf": [
                {"properties": {"kind": {"const": "a"}, "n": {"type": "integer"}}, "required": ["kind"]},
                {"properties": {"kind": {"const": "b"}, "n": {"type": "integer"}}, "required": ["kind", "n"]},
            ]}),
            json!({"kind": "a", "n": null}),
            Some(json!({"kind": "a"})),
        ),
    ] {
        let got = value(&sent.to_string(), &schema(more.clone()));
        assert_eq!(got.ok(), expected, "{more} {sent}");
    }
}

#[test]
fn secrets_are_not_in_errors_of_any_schema() {
    for (schema, sent) in [
        (json!({"allOf": [{"properties": {"pin": {"enum": ["a", "b"]}}}]}), json!({"pin": "hunter2"})),
        (json!({"allOf": [{"properties": {"q": {}}, "additionalProperties": false}]}), json!({"pin": "hunter2"})),
        (json!({"allOf": [{"properties": {"q": {}}, "additionalProperties": false}]}), json!({"pim": "hunter2"})),
        (
            json!({"anyOf": [{"properties": {"pin": {"type": "integer"}}, "required": ["pin"]}]}),
            json!({"pin": "hunter2"}),
        ),
        (json!({"allOf": [{"additionalProperties": {"type": "integer"}}]}), json!({"pin": {"hunter2": 1}})),
        (
            json!({"allOf": [{"properties": {"pin": {"properties": {}, "additionalProperties": false}}}]}),
            json!({"pin": {"hunter2": 1}}),
        ),
    ] {
        let mut schema = schema;
        schema["properties"] = json!({"pin": {}, "kind": {"type": "string"}});
        let mut table = Table::from_schema(&schema).unwrap();
        let first = table.properties.iter_mut().find(|property| &*property.name == "pin").unwrap();
        first.secret = true;
        let error = error(&sent.to_string(), &table);
        assert!(!format!("{error:?}").contains("hunter2"), "{schema}: {error:?}");
    }
}

/// A part of the error of arguments that exceed the reader's budget of work.
const EXHAUSTED: &str = "expected something simpler";

#[test]
fn hostile_text_is_read_with_linear_work() {
    let read = |text: &str, table: &Table| {
        // Four steps of work for each byte.
        let result = read_leniently(text, &Reader::with_budget(table, limits(), 4 * text.len()));
        let is_exhausted = result.as_ref().is_err_and(|error| error.message().contains(EXHAUSTED));
        assert!(!is_exhausted, "{} bytes", text.len());
        result
    };
    let typed = typed();
    let keys = (0..300_000).map(|i| format!("\"k{i}\":1,")).collect::<Vec<_>>().concat();
    let error = read(&format!("{{{keys}\"text\":\"a\"}}"), &typed).unwrap_err();
    assert!(error.message().ends_with("and 299980 more") && error.problems().len() == 20);
    assert!(read(&format!(r#"{{"text":"a","nested":{{{keys}"id":1}}}}"#), &typed).is_ok());

    // JSON strings that contain JSON strings.
    let array = json!({"type": "array", "items": {"$ref": "#/$defs/a"}});
    let item = json!({"type": ["array", "object"], "items": {"$ref": "#/$defs/a"}});
    let nested = Table::from_schema(&json!({"properties": {"v": array}, "$defs": {"a": item}})).unwrap();
    let mut text = "[[".to_owned();
    while text.len() < 1_000_000 {
        text = json!([text, "[", "{'"]).to_string();
    }
    assert!(read(&json!({ "v": text }).to_string(), &nested).is_err());
}

#[test]
fn text_with_exponentially_many_alternatives_is_refused() {
    let is_refused = |text: &str, schema: &Value| {
        let table = Table::from_schema(schema).unwrap();
        // With the default budget, a debug build would take seconds.
        let error = read_leniently(text, &Reader::with_budget(&table, limits(), 200_000)).unwrap_err();
        assert!(error.message().contains(EXHAUSTED), "{}", error.message());
    };
    let alternative = json!({"$ref": "#/$defs/a"});
    let same = json!({"anyOf": [alternative, alternative], "properties": {"x": alternative}, "type": "object"});
    let schema = json!({"properties": {"v": alternative}, "$defs": {"a": same}});
    is_refused(&format!(r#"{{"v":{}1{}}}"#, r#"{"x":"#.repeat(40), "}".repeat(40)), &schema);
    let array = json!({"type": "array", "items": alternative});
    let any_of = json!([array, {"type": "integer"}, array]);
    let schema = json!({"properties": {"v": alternative}, "$defs": {"a": {"anyOf": any_of}}});
    is_refused(&format!(r#"{{"v":{}"x"{}}}"#, "[".repeat(60), "]".repeat(60)), &schema);
}

#[test]
fn hidden_secrets_are_not_in_errors() {
    let mut table = typed();
    let property = &mut table.properties[10];
    assert_eq!(&*property.name, "note");
    (property.secret, property.hidden) = (true, true);
    let error = error(r#"{"text":"a","note":"hunter2"}"#, &table);
    assert_eq!(error.problems()[0].path, "/note");
    assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
}

#[test]
fn an_error_about_alternatives_names_each_kind_once() {
    let object =
        |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required});
    let words =
        |count: usize| (0..count).map(|index| object(json!({}), json!([format!("k{index}")]))).collect::<Vec<_>>();
    let named = |count: usize| {
        let keys: Vec<String> = (0..count).map(|index| format!("with \"k{index}\"")).collect();
        format!("object {}", keys.join(" or "))
    };
    let plain = |count: usize| vec![json!({"type": "object"}); count];
    let nested = |count: usize| json!({"oneOf": plain(count)});
    for (schema, expected) in [
        (json!({"oneOf": plain(14)}), "object"),
        (json!({"anyOf": plain(14)}), "object"),
        (json!({"anyOf": [nested(5), nested(5), nested(4)]}), "object"),
        (
            json!({"anyOf": [{"anyOf": plain(3)}, {"anyOf": [{"type": "object"}, {"type": "integer"}]}]}),
            "object or integer",
        ),
        (json!({"oneOf": words(2)}), "object with \"k0\" or with \"k1\""),
        (
            json!({"oneOf": [words(2)[0], {"type": "boolean"}, words(2)[1]]}),
            "object with \"k0\" or with \"k1\" or boolean",
        ),
        (json!({"oneOf": words(14)}), &*named(14)),
        (json!({"oneOf": words(60)}), &*(named(35) + " or 25 more")),
        (json!({"oneOf": [{"type": "object"}, words(1)[0]]}), "object"),
        (json!({"oneOf": [{"type": "integer"}, {"type": "boolean"}]}), "integer or boolean"),
        (
            json!({"anyOf": [{"type": "integer", "minimum": 3}, {"type": "integer", "minimum": 3}]}),
            "integer at least 3",
        ),
        (
            json!({"anyOf": [{"type": "boolean"}, {"const": "a"}, {"const": "a"}, {"const": "b"}]}),
            "boolean or \"a\" or \"b\"",
        ),
        (
            json!({"anyOf": [{"anyOf": [{"type": "boolean"}, {"type": "integer"}]}, {"type": "boolean"}]}),
            "boolean or integer",
        ),
    ] {
        let schema = json!({"properties": {"v": schema}});
        let error = value(r#"{"v": "x"}"#, &schema).expect_err("no alternative fits");
        assert_eq!(error.problems()[0].expected, expected, "{schema}");
    }
}

#[test]
fn an_error_about_alternatives_that_only_require_names_the_keys() {
    let requires = |keys: &[&str]| json!({ "required": keys });
    for (schema, expected) in [
        (json!({ "anyOf": [requires(&["a"]), requires(&["b"])] }), "object with \"a\" or with \"b\""),
        (json!({ "oneOf": [requires(&["op", "a"]), requires(&["b"])] }), "object with \"op\", \"a\" or with \"b\""),
        (
            json!({ "anyOf": [requires(&["a"]), { "properties": { "k": { "const": 1 } }, "required": ["k"] }] }),
            "object with \"a\" or with \"k\": 1",
        ),
    ] {
        let error = value("{}", &schema).expect_err("no alternative fits");
        assert_eq!(error.problems()[0].expected, expected, "{schema}");
    }
}
