//! Types as annotations of Python.

use serde_json::Value;

use crate::lower::shape::{Class, Shape};

/// Returns the annotation of a type.
pub(crate) fn annotation(shape: &Shape, classes: &[Class<'_>]) -> String {
    let of = |shape: &Shape| annotation(shape, classes);
    match shape {
        Shape::Any => "Any".to_owned(),
        Shape::Null => "None".to_owned(),
        Shape::Boolean => "bool".to_owned(),
        Shape::Integer | Shape::SmallInteger => "int".to_owned(),
        Shape::Number => "float".to_owned(),
        Shape::String => "str".to_owned(),
        Shape::Literals(values) => format!("Literal[{}]", values.iter().map(literal).collect::<Vec<_>>().join(", ")),
        Shape::List(item) => format!("list[{}]", of(item)),
        Shape::Map(value) => format!("dict[str, {}]", of(value)),
        Shape::Class(index) => classes[*index].name.clone(),
        Shape::Union(shapes) => shapes.iter().map(of).collect::<Vec<_>>().join(" | "),
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        // The escapes of JSON are escapes of Python.
        other => other.to_string(),
    }
}
