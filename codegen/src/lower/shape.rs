//! The types of arguments and results in a form that every language can print. An object with declared keys is a class with a name.

use serde_json::Value;
use toolc::__gen::table::{SlotKind, Type};
use toolc_lower::schema::{Additional, DefId, Defs, Property, Schema};

use super::words::{Scope, pascal};
use crate::diagnostic::At;

/// A type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    /// Any value.
    Any,
    Null,
    Boolean,
    Integer,
    /// An integer whose bounds are within 2^53, so that it is exact as a float.
    SmallInteger,
    Number,
    String,
    /// One of these values, which are neither floats nor arrays nor objects.
    Literals(Vec<Value>),
    List(Box<Shape>),
    /// A map with strings as keys.
    Map(Box<Shape>),
    /// The class with this index.
    Class(usize),
    Union(Vec<Shape>),
}

impl Shape {
    /// Returns whether a text can be a value of the type.
    pub(crate) fn has_text(&self) -> bool {
        match self {
            Shape::Any | Shape::String => true,
            Shape::Union(shapes) => shapes.iter().any(Shape::has_text),
            Shape::Literals(values) => values.iter().any(Value::is_string),
            _ => false,
        }
    }

    /// Returns whether null is a value of the type.
    fn has_null(&self) -> bool {
        match self {
            Shape::Any | Shape::Null => true,
            Shape::Union(shapes) => shapes.iter().any(Shape::has_null),
            Shape::Literals(values) => values.contains(&Value::Null),
            _ => false,
        }
    }

    /// Returns the type with null.
    pub(crate) fn or_null(self) -> Shape {
        match self {
            shape if shape.has_null() => shape,
            Shape::Union(mut shapes) => {
                shapes.push(Shape::Null);
                Shape::Union(shapes)
            }
            shape => Shape::Union(vec![shape, Shape::Null]),
        }
    }

    fn list(item: Shape) -> Shape {
        Shape::List(Box::new(item))
    }

    fn map(value: Shape) -> Shape {
        Shape::Map(Box::new(value))
    }
}

/// An object with declared keys.
#[derive(Debug)]
pub(crate) struct Class<'s> {
    pub(crate) name: String,
    pub(crate) schema: &'s Schema,
    pub(crate) keys: Vec<Key<'s>>,
}

/// A key of an object.
#[derive(Debug)]
pub(crate) struct Key<'s> {
    pub(crate) property: &'s Property,
    pub(crate) shape: Shape,
}

/// The types of a tool.
pub(crate) struct Shapes<'s, 'n> {
    defs: &'s Defs,
    /// The names of classes that are taken.
    names: &'n mut Scope,
    pub(crate) classes: Vec<Class<'s>>,
    /// The class of each definition that has one.
    of_defs: Vec<Option<usize>>,
    /// The definitions that are being described, from the outermost to the innermost.
    within: Vec<DefId>,
}

impl<'s, 'n> Shapes<'s, 'n> {
    pub(crate) fn new(defs: &'s Defs, names: &'n mut Scope) -> Self {
        Self { defs, names, classes: Vec::new(), of_defs: vec![None; defs.len()], within: Vec::new() }
    }

    /// Returns the type of a schema. `path` is the name of a class that it needs.
    pub(crate) fn of(&mut self, schema: &'s Schema, path: &[&str]) -> Shape {
        let kind = self.defs.slot_kind(schema);
        let resolved = self.defs.resolve(schema);
        let is_nullable = kind != SlotKind::Value && self.defs.is_nullable(schema);
        let shape = match resolved.via {
            None => self.of_resolved(resolved.schema, kind, None, path),
            Some(id) => self.of_def(id, resolved.schema, kind, path),
        };
        if is_nullable { shape.or_null() } else { shape }
    }

    /// Returns the class of an object, even if it declares no keys.
    pub(crate) fn class(&mut self, schema: &'s Schema, path: &[&str]) -> usize {
        self.named_class(schema, None, path)
    }

    /// Returns the type of a definition. One that contains itself without a class between is not described.
    fn of_def(&mut self, id: DefId, schema: &'s Schema, kind: SlotKind, path: &[&str]) -> Shape {
        if let Some(class) = self.of_defs[id.0] {
            return Shape::Class(class);
        }
        if self.within.contains(&id) {
            return Shape::Any;
        }
        self.within.push(id);
        let shape = self.of_resolved(schema, kind, Some(id), path);
        self.within.pop();
        shape
    }

    fn of_resolved(&mut self, schema: &'s Schema, kind: SlotKind, via: Option<DefId>, path: &[&str]) -> Shape {
        if let Some(literals) = literals(schema) {
            return Shape::Literals(literals);
        }
        match kind {
            SlotKind::Boolean => Shape::Boolean,
            SlotKind::Integer if is_small(schema) => Shape::SmallInteger,
            SlotKind::Integer => Shape::Integer,
            SlotKind::Number => Shape::Number,
            SlotKind::String | SlotKind::Choice => Shape::String,
            SlotKind::Array => {
                let item = schema.items.as_deref().map(|items| self.of(items, &[path, &["item"]].concat()));
                Shape::list(item.unwrap_or(Shape::Any))
            }
            SlotKind::Map => {
                let Additional::Schema(additional) = &schema.additional else { return Shape::map(Shape::Any) };
                Shape::map(self.of(additional, &[path, &["value"]].concat()))
            }
            SlotKind::Object if schema.properties.is_empty() => Shape::map(Shape::Any),
            SlotKind::Object => Shape::Class(self.named_class(schema, via, path)),
            SlotKind::Union => self.union(schema.in_place(), path),
            SlotKind::Value if !schema.any_of.is_empty() => self.union(schema.any_of.iter(), path),
            SlotKind::Value if !schema.one_of.is_empty() => self.union(schema.one_of.iter(), path),
            SlotKind::Value => of_types(&schema.types),
        }
    }

    fn union(&mut self, alternatives: impl Iterator<Item = &'s Schema>, path: &[&str]) -> Shape {
        let mut shapes: Vec<Shape> = Vec::new();
        for (index, alternative) in alternatives.enumerate() {
            let shape = self.of(alternative, &[path, &[&(index + 1).to_string()]].concat());
            let parts = if let Shape::Union(parts) = shape { parts } else { vec![shape] };
            for part in parts {
                if !shapes.contains(&part) {
                    shapes.push(part);
                }
            }
        }
        if shapes.contains(&Shape::Any) { Shape::Any } else { one_or_union(shapes) }
    }

    fn named_class(&mut self, schema: &'s Schema, via: Option<DefId>, path: &[&str]) -> usize {
        let index = self.classes.len();
        self.classes.push(Class { name: self.names.claim(pascal(path)), schema, keys: Vec::new() });
        if let Some(id) = via {
            self.of_defs[id.0] = Some(index);
        }
        let keys = schema.properties.iter().map(|property| {
            let shape = self.of(&property.schema, &[path, &[&property.name.value]].concat());
            Key { property, shape }
        });
        let keys = keys.collect();
        self.classes[index].keys = keys;
        index
    }
}

/// Returns whether the bounds of an integer are within 2^53.
fn is_small(schema: &Schema) -> bool {
    const LARGEST: f64 = 9_007_199_254_740_991.0;
    let bounds = &schema.bounds;
    let is_within = |bounds: [&Option<At<Value>>; 2]| {
        bounds.into_iter().flatten().filter_map(|bound| bound.value.as_f64()).any(|bound| bound.abs() <= LARGEST)
    };
    is_within([&bounds.minimum, &bounds.exclusive_minimum]) && is_within([&bounds.maximum, &bounds.exclusive_maximum])
}

fn one_or_union(mut shapes: Vec<Shape>) -> Shape {
    match shapes.len() {
        0 => Shape::Any,
        1 => shapes.remove(0),
        _ => Shape::Union(shapes),
    }
}

/// Returns the only values that a schema allows, or `None` if it allows others, or values that are not literals in every language.
fn literals(schema: &Schema) -> Option<Vec<Value>> {
    let constant = schema.constant.iter().map(|constant| &constant.value);
    let values: Vec<&Value> = schema.choices.iter().map(|choice| &choice.value.value).chain(constant).collect();
    let is_literal = |value: &&Value| match value {
        Value::Null | Value::Bool(_) | Value::String(_) => true,
        Value::Number(number) => number.is_i64(),
        Value::Array(_) | Value::Object(_) => false,
    };
    (!values.is_empty() && values.iter().all(is_literal)).then(|| values.into_iter().cloned().collect())
}

fn of_types(types: &[Type]) -> Shape {
    let of_type = |ty: &Type| match ty {
        Type::Null => Shape::Null,
        Type::Boolean => Shape::Boolean,
        Type::Integer => Shape::Integer,
        Type::Number => Shape::Number,
        Type::String => Shape::String,
        Type::Array => Shape::list(Shape::Any),
        Type::Object => Shape::map(Shape::Any),
    };
    if types.is_empty() { Shape::Any } else { one_or_union(types.iter().map(of_type).collect()) }
}
