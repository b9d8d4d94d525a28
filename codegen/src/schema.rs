//! The schema model: what a manifest says about a parameter, typed. All that is written from a schema is written
//! from this, never by walking JSON.

use serde_json::{Value, json};
use toolc::table::Type;

use crate::diagnostic::{At, Place};
use crate::doc::Doc;
use crate::text::questions::{Template, When};

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
    pub description: Option<At<Template>>,
    /// `enum`. Empty: any value.
    pub choices: Vec<Choice>,
    /// `const`: the one value that is allowed.
    pub constant: Option<At<Value>>,
    /// What is assumed where nothing is sent.
    pub default: Option<At<Value>>,
    /// Values that show what is meant.
    pub examples: Vec<At<Value>>,
    /// Bounds of numbers, lengths and sizes.
    pub bounds: Bounds,
    /// A regular expression that a string has to match.
    pub pattern: Option<At<String>>,
    /// What a string stands for: `date-time`, `uri` and the like. An annotation.
    pub format: Option<String>,
    /// Alternatives, of which one has to hold.
    pub any_of: Vec<Schema>,
    /// Alternatives, of which exactly one has to hold.
    pub one_of: Vec<Schema>,
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

/// One value of an enum.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The value.
    pub value: At<Value>,
    /// In which turns it is allowed. None: in all.
    pub when: Option<At<When>>,
}

/// One property of an object.
#[derive(Debug, Clone)]
pub struct Property {
    /// As the model writes it.
    pub name: At<String>,
    /// Whether it must be sent.
    pub required: bool,
    /// In which turns it is there. None: in all.
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
            types: Vec::new(),
            title: None,
            description: None,
            choices: Vec::new(),
            constant: None,
            default: None,
            examples: Vec::new(),
            bounds: Bounds::default(),
            pattern: None,
            format: None,
            any_of: Vec::new(),
            one_of: Vec::new(),
            items: None,
            properties: Vec::new(),
            additional: Additional::Deny,
        }
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

    /// As JSON Schema, draft 2020-12: nothing added, nothing left out.
    pub fn to_doc(&self) -> Doc {
        let mut out: Vec<(Option<When>, String, Doc)> = Vec::new();
        let mut put = |key: &str, doc: Doc| out.push((None, key.to_owned(), doc));
        let types: Vec<&str> = self.types.iter().map(|t| t.name()).collect();
        if let [one] = types.as_slice() {
            put("type", Value::from(*one).into());
        } else if !types.is_empty() {
            put("type", Value::from(types).into());
        }
        if let Some(title) = &self.title {
            put("title", Value::from(title.as_str()).into());
        }
        if let Some(description) = &self.description {
            put("description", Doc::Text(description.value.clone()));
        }
        if !self.choices.is_empty() {
            let when = |choice: &Choice| choice.when.as_ref().map(|when| when.value.clone());
            let value = |choice: &Choice| Doc::Json(choice.value.value.clone());
            put("enum", Doc::Array(self.choices.iter().map(|choice| (when(choice), value(choice))).collect()));
        }
        if let Some(constant) = &self.constant {
            put("const", constant.value.clone().into());
        }
        if let Some(default) = &self.default {
            put("default", default.value.clone().into());
        }
        if !self.examples.is_empty() {
            put("examples", self.examples.iter().map(|at| at.value.clone()).collect::<Value>().into());
        }
        for (name, bound) in self.bounds.iter() {
            put(name, bound.value.clone().into());
        }
        if let Some(pattern) = &self.pattern {
            put("pattern", Value::from(pattern.value.as_str()).into());
        }
        if let Some(format) = &self.format {
            put("format", Value::from(format.as_str()).into());
        }
        for (word, alternatives) in [("anyOf", &self.any_of), ("oneOf", &self.one_of)] {
            if !alternatives.is_empty() {
                put(word, Doc::Array(alternatives.iter().map(|one| (None, one.to_doc())).collect()));
            }
        }
        if let Some(items) = &self.items {
            put("items", items.to_doc());
        }
        if self.is_object() {
            let when = |property: &Property| property.when.as_ref().map(|when| when.value.clone());
            let entry = |property: &Property| (when(property), property.name.value.clone(), property.schema.to_doc());
            put("properties", Doc::Object(self.properties.iter().map(entry).collect()));
            // A property that has to be sent is always there: this list needs no conditions.
            let required: Vec<&str> =
                self.properties.iter().filter(|p| p.required).map(|p| p.name.value.as_str()).collect();
            if !required.is_empty() {
                put("required", json!(required).into());
            }
            let additional = match &self.additional {
                Additional::Deny => Value::Bool(false).into(),
                Additional::Allow => Value::Bool(true).into(),
                Additional::Schema(schema) => schema.to_doc(),
            };
            put("additionalProperties", additional);
        }
        Doc::Object(out)
    }

    /// As JSON, with everything that may be there: what a value may at most be.
    pub fn to_json(&self) -> Value {
        self.to_doc().whole()
    }

    /// The schemas right below it that are no properties.
    pub fn below(&self) -> impl Iterator<Item = &Schema> {
        let additional = if let Additional::Schema(schema) = &self.additional { Some(&**schema) } else { None };
        self.any_of.iter().chain(&self.one_of).chain(self.items.as_deref()).chain(additional)
    }

    /// Of `anyOf` or `oneOf` with null beside one other, and nothing else that is said: the other.
    pub fn nullable(&self) -> Option<&Schema> {
        let silent = self.types.is_empty()
            && self.choices.is_empty()
            && self.constant.is_none()
            && self.properties.is_empty()
            && self.items.is_none()
            && self.pattern.is_none()
            && self.bounds.iter().next().is_none()
            && matches!(self.additional, Additional::Deny);
        let alternatives = match (self.any_of.as_slice(), self.one_of.as_slice()) {
            (some, []) | ([], some) if silent => some,
            _ => return None,
        };
        let is_null = |schema: &Schema| schema.types == [Type::Null] && schema.choices.is_empty();
        match alternatives {
            [other, null] | [null, other] if is_null(null) && !is_null(other) => Some(other),
            _ => None,
        }
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
