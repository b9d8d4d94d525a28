//! The schema model: what a manifest says about a parameter, typed. All that is written from a schema is written
//! from this, never by walking JSON.

mod defs;
mod tagged_union;
mod to_json;

use std::cmp::Ordering;
use std::ops::Deref;
use std::sync::LazyLock;

use serde_json::Value;
use toolc::__gen::table::Type;

pub use defs::{Def, DefId, Defs, LEAD, Reference};
pub(crate) use tagged_union::TagDefect;
pub use tagged_union::{Alternative, ResolvedSchema};
pub use to_json::Spelling;

use crate::diagnostic::{At, Place};
use crate::text::atoms::{Template, When};

/// One schema.
#[derive(Debug, Clone)]
pub struct Schema {
    /// Where it stands: its name, or its table's header.
    pub place: Place,
    /// `$ref`: the definition that has to hold, too.
    pub reference: Option<Reference>,
    /// In the order in which they are named. Empty: any.
    pub types: Vec<Type>,
    /// A short name for people.
    pub title: Option<String>,
    /// The description for the model.
    pub description: Option<At<Template>>,
    /// Whether it is better left alone. An annotation.
    pub deprecated: bool,
    /// `enum`. Empty: any value.
    pub choices: Vec<Choice>,
    /// `const`: the one value that is allowed.
    pub constant: Option<At<Value>>,
    /// What is assumed where nothing is sent.
    pub default: Option<At<Value>>,
    /// Values that show what is meant.
    pub examples: Vec<At<Value>>,
    /// Bounds of numbers, lengths and sizes.
    pub bounds: OwnBounds,
    /// A regular expression that a string has to match.
    pub pattern: Option<At<String>>,
    /// What a string stands for: `date-time`, `uri` and the like. An annotation.
    pub format: Option<String>,
    /// Alternatives, of which one has to hold.
    pub any_of: Vec<Schema>,
    /// Alternatives, of which exactly one has to hold.
    pub one_of: Vec<Schema>,
    /// Schemas that have to hold all together.
    pub all_of: Vec<Schema>,
    /// The schema of an array's items.
    pub items: Option<Box<Schema>>,
    /// An object's properties, in the author's order.
    pub properties: Vec<Property>,
    /// What else an object may hold.
    pub additional: Additional,
    /// Whether a part of it has an error that has been reported, so that missing parts are not reported again.
    pub has_errors: bool,
}

/// JSON Schema's bounds, as written.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "named as JSON Schema names them")]
pub struct Bounds {
    pub minimum: Option<At<Value>>,
    pub maximum: Option<At<Value>>,
    pub exclusive_minimum: Option<At<Value>>,
    pub exclusive_maximum: Option<At<Value>>,
    pub multiple_of: Option<At<Value>>,
    pub min_length: Option<At<Value>>,
    pub max_length: Option<At<Value>>,
    pub min_items: Option<At<Value>>,
    pub max_items: Option<At<Value>>,
    pub unique_items: Option<At<Value>>,
    pub min_properties: Option<At<Value>>,
    pub max_properties: Option<At<Value>>,
}

impl Bounds {
    /// Those that are there, by JSON Schema's names.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &At<Value>)> {
        [
            ("minimum", &self.minimum),
            ("maximum", &self.maximum),
            ("exclusiveMinimum", &self.exclusive_minimum),
            ("exclusiveMaximum", &self.exclusive_maximum),
            ("multipleOf", &self.multiple_of),
            ("minLength", &self.min_length),
            ("maxLength", &self.max_length),
            ("minItems", &self.min_items),
            ("maxItems", &self.max_items),
            ("uniqueItems", &self.unique_items),
            ("minProperties", &self.min_properties),
            ("maxProperties", &self.max_properties),
        ]
        .into_iter()
        .filter_map(|(name, bound)| Some((name, bound.as_ref()?)))
    }

    /// Sets the one that JSON Schema calls `name`.
    pub fn set(&mut self, name: &str, bound: At<Value>) {
        let place = match name {
            "minimum" => &mut self.minimum,
            "maximum" => &mut self.maximum,
            "exclusiveMinimum" => &mut self.exclusive_minimum,
            "exclusiveMaximum" => &mut self.exclusive_maximum,
            "multipleOf" => &mut self.multiple_of,
            "minLength" => &mut self.min_length,
            "maxLength" => &mut self.max_length,
            "minItems" => &mut self.min_items,
            "maxItems" => &mut self.max_items,
            "uniqueItems" => &mut self.unique_items,
            "minProperties" => &mut self.min_properties,
            "maxProperties" => &mut self.max_properties,
            other => unreachable!("no bound is called {other}"),
        };
        *place = Some(bound);
    }
}

/// The bounds of a schema, boxed because they are large and rare.
#[derive(Debug, Clone, Default)]
pub struct OwnBounds(Option<Box<Bounds>>);

impl OwnBounds {
    /// The same with something changed.
    #[must_use]
    pub fn with(&self, change: impl FnOnce(&mut Bounds)) -> Self {
        let mut bounds = Bounds::clone(self);
        change(&mut bounds);
        bounds.into()
    }
}

impl From<Bounds> for OwnBounds {
    fn from(bounds: Bounds) -> Self {
        let is_some = bounds.iter().next().is_some();
        Self(is_some.then(|| Box::new(bounds)))
    }
}

impl Deref for OwnBounds {
    type Target = Bounds;

    fn deref(&self) -> &Bounds {
        static NONE: LazyLock<Bounds> = LazyLock::new(Bounds::default);
        self.0.as_deref().unwrap_or_else(|| &NONE)
    }
}

/// One value of an enum.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The value.
    pub value: At<Value>,
    /// The turns in which it is allowed, or `None` for all.
    pub when: Option<At<When>>,
}

/// One property of an object.
#[derive(Debug, Clone)]
pub struct Property {
    /// As the model writes it.
    pub name: At<String>,
    /// Whether it must be sent.
    pub required: bool,
    /// Whether its value must not be shown in an error or a log.
    pub secret: bool,
    /// The turns in which it is available, or `None` for all.
    pub when: Option<At<When>>,
    /// Its schema.
    pub schema: Schema,
}

/// What an object may hold beyond its declared properties.
#[derive(Debug, Clone)]
pub enum Additional {
    /// Nothing.
    Deny,
    /// Anything.
    Allow,
    /// Values of this schema.
    Schema(Box<Schema>),
}

impl Schema {
    /// One that says nothing, at `place`.
    pub fn new(place: Place) -> Self {
        Self {
            place,
            reference: None,
            types: Vec::new(),
            title: None,
            description: None,
            deprecated: false,
            choices: Vec::new(),
            constant: None,
            default: None,
            examples: Vec::new(),
            bounds: OwnBounds::default(),
            pattern: None,
            format: None,
            any_of: Vec::new(),
            one_of: Vec::new(),
            all_of: Vec::new(),
            items: None,
            properties: Vec::new(),
            additional: Additional::Deny,
            has_errors: false,
        }
    }

    /// Where a word of it stands; the schema itself, where that is not known.
    pub fn word_place(&self, word: &str) -> Place {
        let first = |parts: &[Schema]| parts.first().map(|part| part.place);
        let place = match word {
            "$ref" => self.reference.as_ref().map(|reference| reference.place),
            "enum" => self.choices.first().map(|choice| choice.value.place),
            "const" => self.constant.as_ref().map(|constant| constant.place),
            "default" => self.default.as_ref().map(|default| default.place),
            "examples" => self.examples.first().map(|example| example.place),
            "pattern" => self.pattern.as_ref().map(|pattern| pattern.place),
            "additionalProperties" => match &self.additional {
                Additional::Schema(schema) => Some(schema.place),
                Additional::Deny | Additional::Allow => None,
            },
            "anyOf" => first(&self.any_of),
            "oneOf" => first(&self.one_of),
            "allOf" => first(&self.all_of),
            _ => None,
        };
        place.unwrap_or(self.place)
    }

    /// The types that a value may have, also where only the enum's values tell them. Empty: any.
    pub fn effective_types(&self) -> Vec<Type> {
        let mut types = self.types.clone();
        if types.is_empty() {
            let choices = self.choices.iter().map(|choice| &choice.value.value);
            for found in choices.chain(self.constant.iter().map(|at| &at.value)).map(type_of) {
                if !types.contains(&found) {
                    types.push(found);
                }
            }
        }
        types
    }

    /// Whether it may describe an object.
    pub fn is_object(&self) -> bool {
        self.types.contains(&Type::Object)
            || !self.properties.is_empty()
            || !matches!(self.additional, Additional::Deny)
    }

    /// The direct subschemas except properties.
    pub fn below(&self) -> impl Iterator<Item = &Schema> {
        let additional = if let Additional::Schema(schema) = &self.additional { Some(&**schema) } else { None };
        self.in_place().chain(self.items.as_deref()).chain(additional)
    }

    /// Those among them that are about the same value.
    pub fn in_place(&self) -> impl Iterator<Item = &Schema> {
        self.any_of.iter().chain(&self.one_of).chain(&self.all_of)
    }

    /// This schema and all below it, each with those around it that are about the same value.
    pub fn walk_around(&self) -> Vec<(Vec<&Schema>, &Schema)> {
        let mut found = vec![(Vec::new(), self)];
        let mut next = 0;
        while let Some((around, schema)) = found.get(next).cloned() {
            let here: Vec<&Schema> = around.into_iter().chain([schema]).collect();
            found.extend(schema.in_place().map(|part| (here.clone(), part)));
            let additional = if let Additional::Schema(schema) = &schema.additional { Some(&**schema) } else { None };
            let apart = schema.items.as_deref().into_iter().chain(additional);
            found.extend(apart.chain(schema.properties.iter().map(|p| &p.schema)).map(|below| (Vec::new(), below)));
            next += 1;
        }
        found
    }

    /// This schema and all below it, parents first.
    pub fn walk(&self) -> Vec<&Schema> {
        let mut found = vec![self];
        let mut next = 0;
        while let Some(schema) = found.get(next).copied() {
            found.extend(schema.properties.iter().map(|property| &property.schema));
            found.extend(schema.below());
            next += 1;
        }
        found
    }
}

/// Whether two values are equal as JSON Schema defines it: numbers are compared by value, so `1` equals `1.0`.
pub(crate) fn equal(one: &Value, other: &Value) -> bool {
    one == other || compare_numbers(one, other) == Some(Ordering::Equal)
}

/// Compares two numbers by value. Returns `None` if one of the values is not a number.
pub(crate) fn compare_numbers(one: &Value, other: &Value) -> Option<Ordering> {
    match (one.as_i64(), other.as_i64()) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}

/// The JSON type of a value; of a number without a fractional part, `integer`.
pub fn type_of(value: &Value) -> Type {
    match value {
        Value::Null => Type::Null,
        Value::Bool(_) => Type::Boolean,
        Value::Number(number) if number.is_f64() => Type::Number,
        Value::Number(_) => Type::Integer,
        Value::String(_) => Type::String,
        Value::Array(_) => Type::Array,
        Value::Object(_) => Type::Object,
    }
}
