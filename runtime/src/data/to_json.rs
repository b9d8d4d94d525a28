//! Conversion of typed results to JSON text, which generated `Returns` types implement. Structs pass their fields as data to
//! one function, because a derive for each type takes longer to compile than the rest of a tool.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::text::json;
use serde_json::{Map, Number, Value};

/// A value that can be written as JSON text.
pub trait ToJson {
    /// Appends the JSON text of the value.
    fn to_json(&self, out: &mut String);

    /// Returns whether the value is absent, so that an optional property is omitted.
    fn is_absent(&self) -> bool {
        false
    }
}

/// Returns the JSON text of a value.
pub(crate) fn text(value: &dyn ToJson) -> String {
    let mut out = String::new();
    value.to_json(&mut out);
    out
}

/// The way in which a property without a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// The property is written as `null`.
    Always,
    /// The property is omitted.
    Optional,
}

/// A property of a generated struct: its name as JSON with a comma before and a colon after it, its presence, and its value.
pub type Field<'a> = (&'static str, Presence, &'a dyn ToJson);

/// Appends a JSON object with these properties, in order.
///
/// ```
/// use toolc::__gen::to_json::{Presence, object};
///
/// let mut out = String::new();
/// let (name, size) = ("a", None::<i64>);
/// object(&mut out, &[
///     (",\"name\":", Presence::Always, &name),
///     (",\"size\":", Presence::Always, &size),
///     (",\"note\":", Presence::Optional, &None::<String>),
/// ]);
/// assert_eq!(out, r#"{"name":"a","size":null}"#);
/// ```
pub fn object(out: &mut String, fields: &[Field<'_>]) {
    out.push('{');
    declared(out, fields);
    out.push('}');
}

/// Appends a JSON object with these properties, in order, and then those in `rest`, except for declared names.
pub fn open_object<T: ToJson>(out: &mut String, fields: &[Field<'_>], rest: &BTreeMap<String, T>) {
    out.push('{');
    let mut first = declared(out, fields);
    let is_declared = |name: &str| {
        let name = name.strip_prefix(',').unwrap_or(name);
        fields.iter().any(|(declared, ..)| declared[1..] == *name)
    };
    for (name, value) in rest {
        let end = out.len();
        push_name(out, first, name);
        if is_declared(&out[end..]) {
            out.truncate(end);
        } else {
            first = false;
            value.to_json(out);
        }
    }
    out.push('}');
}

/// Appends the declared properties that are present. Returns true if none is present.
fn declared(out: &mut String, fields: &[Field<'_>]) -> bool {
    let mut first = true;
    for (name, presence, value) in fields {
        if *presence == Presence::Always || !value.is_absent() {
            out.push_str(if first { &name[1..] } else { name });
            first = false;
            value.to_json(out);
        }
    }
    first
}

fn push_name(out: &mut String, first: bool, name: &str) {
    if !first {
        out.push(',');
    }
    json::push_string(out, name);
    out.push(':');
}

fn entries<'a>(out: &mut String, entries: impl Iterator<Item = (&'a String, &'a (impl ToJson + 'a))>) {
    out.push('{');
    for (index, (name, value)) in entries.enumerate() {
        push_name(out, index == 0, name);
        value.to_json(out);
    }
    out.push('}');
}

fn items<'a, T: ToJson + 'a>(out: &mut String, items: impl Iterator<Item = &'a T>) {
    out.push('[');
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(',');
        }
        item.to_json(out);
    }
    out.push(']');
}

impl ToJson for bool {
    fn to_json(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }
}

impl ToJson for i64 {
    fn to_json(&self, out: &mut String) {
        out.push_str(itoa::Buffer::new().format(*self));
    }
}

/// Writes infinities and NaN as `null`, because JSON has neither.
impl ToJson for f64 {
    fn to_json(&self, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = match Number::from_f64(*self) {
            Some(number) => write!(out, "{number}"),
            None => write!(out, "null"),
        };
    }
}

impl ToJson for str {
    fn to_json(&self, out: &mut String) {
        json::push_string(out, self);
    }
}

impl ToJson for String {
    fn to_json(&self, out: &mut String) {
        json::push_string(out, self);
    }
}

impl ToJson for Cow<'static, str> {
    fn to_json(&self, out: &mut String) {
        (**self).to_json(out);
    }
}

impl ToJson for Value {
    fn to_json(&self, out: &mut String) {
        match self {
            Value::Null => out.push_str("null"),
            Value::Bool(flag) => flag.to_json(out),
            Value::Number(number) => {
                let _ = write!(out, "{number}");
            }
            Value::String(text) => text.to_json(out),
            Value::Array(values) => items(out, values.iter()),
            Value::Object(map) => map.to_json(out),
        }
    }
}

impl ToJson for Map<String, Value> {
    fn to_json(&self, out: &mut String) {
        entries(out, self.iter());
    }
}

/// Writes `None` as `null`. An optional property that is `None` is omitted.
impl<T: ToJson> ToJson for Option<T> {
    fn to_json(&self, out: &mut String) {
        match self {
            Some(value) => value.to_json(out),
            None => out.push_str("null"),
        }
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn to_json(&self, out: &mut String) {
        items(out, self.iter());
    }
}

impl<T: ToJson> ToJson for BTreeMap<String, T> {
    fn to_json(&self, out: &mut String) {
        entries(out, self.iter());
    }
}

impl<T: ToJson + ?Sized> ToJson for Box<T> {
    fn to_json(&self, out: &mut String) {
        (**self).to_json(out);
    }

    fn is_absent(&self) -> bool {
        (**self).is_absent()
    }
}

impl<T: ToJson + ?Sized> ToJson for &T {
    fn to_json(&self, out: &mut String) {
        (**self).to_json(out);
    }

    fn is_absent(&self) -> bool {
        (**self).is_absent()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_json_text() {
        let map = BTreeMap::from([("b\"".to_owned(), vec![1, -2]), (String::new(), vec![])]);
        let value = serde_json::json!({"a": [null, 1.5, "\n"]});
        for (value, json) in [
            (&true as &dyn ToJson, "true"),
            (&i64::MIN, "-9223372036854775808"),
            (&0.1, "0.1"),
            (&1e300, "1e+300"),
            (&2.0, "2.0"),
            (&f64::NAN, "null"),
            (&f64::NEG_INFINITY, "null"),
            (&"a\"\u{1}", r#""a\"\u0001""#),
            (&String::from("ü"), "\"ü\""),
            (&None::<i64>, "null"),
            (&Some(vec![Some("x"), None]), r#"["x",null]"#),
            (&Vec::<bool>::new(), "[]"),
            (&map, r#"{"":[],"b\"":[1,-2]}"#),
            (&Box::new(value.clone()), r#"{"a":[null,1.5,"\n"]}"#),
            (value.as_object().unwrap(), r#"{"a":[null,1.5,"\n"]}"#),
        ] {
            assert_eq!(text(value), json);
            assert!(serde_json::from_str::<Value>(json).is_ok(), "{json}");
        }
    }

    struct Tree {
        label: String,
        next: Option<Box<Tree>>,
        rest: BTreeMap<String, i64>,
    }

    impl ToJson for Tree {
        fn to_json(&self, out: &mut String) {
            use Presence::{Always, Optional};
            open_object(out, &[(",\"label\":", Always, &self.label), (",\"next\":", Optional, &self.next)], &self.rest);
        }
    }

    #[test]
    fn an_open_object_has_no_key_twice() {
        let leaf = Tree { label: "leaf".into(), next: None, rest: BTreeMap::new() };
        let rest = BTreeMap::from([("label".into(), 1), ("more".into(), 2), ("next".into(), 3)]);
        let tree = Tree { label: "root".into(), next: Some(Box::new(leaf)), rest };
        assert_eq!(text(&tree), r#"{"label":"root","next":{"label":"leaf"},"more":2}"#);
        let mut empty = String::new();
        object(&mut empty, &[]);
        assert_eq!(empty, "{}");
    }
}
