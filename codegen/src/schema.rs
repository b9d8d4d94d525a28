//! The schema model: what a manifest says about a parameter, typed. All that is written from a schema is written
//! from this, never by walking JSON.

use serde_json::{Map, Value, json};
use toolc::table::Type;

use crate::diagnostic::{At, Place};

/// One schema.
#[derive(Debug, Clone)]
pub struct Schema {
    /// Where it stands: its name, or its table's header.
    pub place: Place,
    /// In the order in which they are named. Empty: any.
    pub types: Vec<Type>,
    /// A short name for people.
    pub title: Option<String>,
    /// What the model is told.
    pub description: Option<At<String>>,
    /// `enum`. Empty: any value.
    pub choices: Vec<At<Value>>,
    /// What is assumed where nothing is sent.
    pub default: Option<At<Value>>,
    /// Values that show what is meant.
    pub examples: Vec<At<Value>>,
    /// Bounds of numbers, lengths and sizes.
    pub bounds: Bounds,
    /// The schema of an array's items.
    pub items: Option<Box<Schema>>,
    /// An object's properties, in the author's order.
    pub properties: Vec<Property>,
    /// What else an object may hold.
    pub additional: Additional,
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
}

/// One property of an object.
#[derive(Debug, Clone)]
pub struct Property {
    /// As the model writes it.
    pub name: At<String>,
    /// Whether it must be sent.
    pub required: bool,
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
            types: Vec::new(),
            title: None,
            description: None,
            choices: Vec::new(),
            default: None,
            examples: Vec::new(),
            bounds: Bounds::default(),
            items: None,
            properties: Vec::new(),
            additional: Additional::Deny,
        }
    }

    /// The types that a value may have, also where only the enum's values tell them. Empty: any.
    pub fn effective_types(&self) -> Vec<Type> {
        let mut types = self.types.clone();
        if types.is_empty() {
            for found in self.choices.iter().map(|choice| type_of(&choice.value)) {
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

    /// As JSON Schema, draft 2020-12: nothing added, nothing left out.
    pub fn to_json(&self) -> Value {
        let mut out = Map::new();
        let types: Vec<&str> = self.types.iter().map(|t| t.name()).collect();
        if let [one] = types.as_slice() {
            out.insert("type".into(), (*one).into());
        } else if !types.is_empty() {
            out.insert("type".into(), types.into());
        }
        if let Some(title) = &self.title {
            out.insert("title".into(), title.as_str().into());
        }
        if let Some(description) = &self.description {
            out.insert("description".into(), description.value.as_str().into());
        }
        let values = |list: &[At<Value>]| list.iter().map(|at| at.value.clone()).collect::<Value>();
        if !self.choices.is_empty() {
            out.insert("enum".into(), values(&self.choices));
        }
        if let Some(default) = &self.default {
            out.insert("default".into(), default.value.clone());
        }
        if !self.examples.is_empty() {
            out.insert("examples".into(), values(&self.examples));
        }
        for (name, bound) in self.bounds.iter() {
            out.insert(name.into(), bound.value.clone());
        }
        if let Some(items) = &self.items {
            out.insert("items".into(), items.to_json());
        }
        if self.is_object() {
            let properties = self.properties.iter().map(|p| (p.name.value.clone(), p.schema.to_json()));
            out.insert("properties".into(), properties.collect::<Map<_, _>>().into());
            let required: Vec<&str> =
                self.properties.iter().filter(|p| p.required).map(|p| p.name.value.as_str()).collect();
            if !required.is_empty() {
                out.insert("required".into(), json!(required));
            }
            let additional = match &self.additional {
                Additional::Deny => Value::Bool(false),
                Additional::Allow => Value::Bool(true),
                Additional::Schema(schema) => schema.to_json(),
            };
            out.insert("additionalProperties".into(), additional);
        }
        out.into()
    }

    /// This schema and all below it, parents first.
    pub fn walk(&self) -> Vec<&Schema> {
        let mut found = vec![self];
        let mut next = 0;
        while let Some(schema) = found.get(next).copied() {
            found.extend(schema.properties.iter().map(|p| &p.schema));
            found.extend(schema.items.as_deref());
            if let Additional::Schema(additional) = &schema.additional {
                found.push(additional);
            }
            next += 1;
        }
        found
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
