//! The typed model of JSON Schema. All output that depends on a schema is made from this model, never from its JSON.

mod defs;
mod foreign;
mod mend;
mod tagged_union;
mod to_json;

use std::cmp::Ordering;
use std::ops::Deref;
use std::sync::LazyLock;

use serde_json::Value;
use toolc::__gen::table::{self, Bound, Type};
use toolc::__gen::text_rule::{PatternCause, problem};
use toolc_tables::diagnostic::{At, Place};

pub use defs::MAX_REF_DEPTH;
pub use defs::{Def, DefId, Defs, REF_PREFIX, Reference};
pub use foreign::from_json;
pub use mend::{Mend, leave_out, mend, without_false_prohibitions};
pub use mend::{for_each_subschema as subschemas, is_in_place, target_of};
pub use tagged_union::TagDefect;
pub use tagged_union::{Alternative, ResolvedSchema};
pub use to_json::Spelling;

use crate::text::atoms::{Template, When};

/// A schema.
#[derive(Debug, Clone)]
pub struct Schema {
    /// The place of its name, or of the header of its table.
    pub place: Place,
    /// `$ref`: a definition that the value must match too.
    pub reference: Option<Reference>,
    /// `type`, in the author's order. Empty if any type is allowed.
    pub types: Vec<Type>,
    /// `title`: a short name for people.
    pub title: Option<At<String>>,
    /// `description`: the text for the model.
    pub description: Option<At<Template>>,
    /// `deprecated`. An annotation.
    pub deprecated: bool,
    /// `enum`. Empty if any value is allowed.
    pub choices: Vec<Choice>,
    /// `const`: the only value that is allowed.
    pub constant: Option<At<Value>>,
    /// `default`: the value that is used if none is sent.
    pub default: Option<At<Value>>,
    /// `examples`. An annotation.
    pub examples: Vec<At<Value>>,
    /// The bounds of numbers, lengths and sizes.
    pub bounds: BoxedBounds,
    /// `pattern`: a regular expression that a string must match.
    pub pattern: Option<At<String>>,
    /// `format`: what a string represents, such as `date-time` or `uri`. An annotation.
    pub format: Option<At<String>>,
    /// `anyOf`: the value must match at least one of these.
    pub any_of: Vec<Schema>,
    /// `oneOf`: the value must match exactly one of these.
    pub one_of: Vec<Schema>,
    /// `allOf`: the value must match all of these.
    pub all_of: Vec<Schema>,
    /// `items`: the schema of the items of an array.
    pub items: Option<Box<Schema>>,
    /// `properties` of an object, in the author's order.
    pub properties: Vec<Property>,
    /// `additionalProperties`.
    pub additional: Additional,
    /// Further keywords. Manifests have none; the schemas of servers may have them.
    pub others: Vec<Other>,
    /// Whether a part of the schema had an error and was left out. What depends on the missing part is not reported again.
    pub has_errors: bool,
}

/// The bounds of a schema, as written.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "named as JSON Schema names them")]
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
    /// Returns the bounds that are set, with their keywords.
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

    /// Returns the bounds as the runtime compares values with them.
    pub fn for_table(&self) -> table::Bounds {
        let number = |bound: &Option<At<Value>>| {
            let value = &bound.as_ref()?.value;
            let integer = value.as_i64().map(Bound::Integer).or_else(|| value.as_u64().map(Bound::Unsigned));
            integer.or_else(|| value.as_f64().map(Bound::Number))
        };
        let length = |bound: &Option<At<Value>>| bound.as_ref()?.value.as_u64();
        table::Bounds {
            minimum: number(&self.minimum),
            maximum: number(&self.maximum),
            exclusive_minimum: number(&self.exclusive_minimum),
            exclusive_maximum: number(&self.exclusive_maximum),
            multiple_of: number(&self.multiple_of),
            min_length: length(&self.min_length),
            max_length: length(&self.max_length),
            min_items: length(&self.min_items),
            max_items: length(&self.max_items),
            unique_items: self.unique_items.as_ref().is_some_and(|flag| flag.value == Value::Bool(true)),
            min_properties: length(&self.min_properties),
            max_properties: length(&self.max_properties),
            text: None,
        }
    }

    /// Sets the bound of a keyword.
    ///
    /// # Panics
    /// If `keyword` is not the keyword of a bound.
    pub fn set(&mut self, keyword: &str, bound: At<Value>) {
        let slot = match keyword {
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
            other => unreachable!("{other} is not the keyword of a bound"),
        };
        *slot = Some(bound);
    }
}

/// The bounds of a schema, in a box because they are large and rare.
#[derive(Debug, Clone, Default)]
pub struct BoxedBounds(Option<Box<Bounds>>);

impl BoxedBounds {
    /// Returns a changed copy.
    #[must_use]
    pub fn with(&self, change: impl FnOnce(&mut Bounds)) -> Self {
        let mut bounds = Bounds::clone(self);
        change(&mut bounds);
        bounds.into()
    }
}

impl From<Bounds> for BoxedBounds {
    fn from(bounds: Bounds) -> Self {
        let is_empty = bounds.iter().next().is_none();
        Self(if is_empty { None } else { Some(Box::new(bounds)) })
    }
}

impl Deref for BoxedBounds {
    type Target = Bounds;

    fn deref(&self) -> &Bounds {
        static NONE: LazyLock<Bounds> = LazyLock::new(Bounds::default);
        self.0.as_deref().unwrap_or_else(|| &NONE)
    }
}

/// A value of an `enum`.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The value.
    pub value: At<Value>,
    /// The turns in which it is allowed, or `None` for all.
    pub when: Option<At<When>>,
}

/// A keyword that manifests do not have, such as `patternProperties`.
#[derive(Debug, Clone, PartialEq)]
pub struct Other {
    /// The keyword.
    pub keyword: &'static str,
    /// Its value, as JSON.
    pub value: Value,
    /// The definitions to which the value refers.
    pub references: Vec<DefId>,
}

/// A property of an object.
#[derive(Debug, Clone)]
pub struct Property {
    /// The name in JSON.
    pub name: At<String>,
    /// Whether the property must be sent.
    pub required: bool,
    /// Whether the value must not appear in errors and logs.
    pub secret: bool,
    /// Other names by which models know the property. No dialect shows them.
    pub aliases: Vec<At<String>>,
    /// Whether a number beyond `minimum` or `maximum` becomes this bound.
    pub clamp: bool,
    /// The turns in which the property is available, or `None` for all.
    pub when: Option<At<When>>,
    /// `x-mcp-header`: the name of the HTTP header in which MCP clients repeat the value.
    pub mcp_header: Option<At<String>>,
    /// The schema of the value.
    pub schema: Schema,
}

/// The properties that an object may have besides its declared ones.
#[derive(Debug, Clone)]
pub enum Additional {
    /// None.
    Deny,
    /// Properties with any value.
    Allow,
    /// Properties with any value, because the schema does not say otherwise. Manifests do not have this: their objects are closed.
    Unstated,
    /// Properties whose values match this schema.
    Schema(Box<Schema>),
}

impl Schema {
    /// Creates a schema without keywords.
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
            bounds: BoxedBounds::default(),
            pattern: None,
            format: None,
            any_of: Vec::new(),
            one_of: Vec::new(),
            all_of: Vec::new(),
            items: None,
            properties: Vec::new(),
            additional: Additional::Deny,
            others: Vec::new(),
            has_errors: false,
        }
    }

    /// Returns the place of a keyword, or the place of the schema if that of the keyword is not recorded.
    pub fn keyword_place(&self, keyword: &str) -> Place {
        let first = |schemas: &[Schema]| schemas.first().map(|schema| schema.place);
        let place = match keyword {
            "$ref" => self.reference.as_ref().map(|reference| reference.place),
            "enum" => self.choices.first().map(|choice| choice.value.place),
            "const" => self.constant.as_ref().map(|constant| constant.place),
            "default" => self.default.as_ref().map(|default| default.place),
            "examples" => self.examples.first().map(|example| example.place),
            "pattern" => self.pattern.as_ref().map(|pattern| pattern.place),
            "format" => self.format.as_ref().map(|format| format.place),
            "additionalProperties" => match &self.additional {
                Additional::Schema(schema) => Some(schema.place),
                Additional::Deny | Additional::Allow | Additional::Unstated => None,
            },
            "anyOf" => first(&self.any_of),
            "oneOf" => first(&self.one_of),
            "allOf" => first(&self.all_of),
            _ => None,
        };
        place.unwrap_or(self.place)
    }

    /// Returns the types of `type`, or those of the values of `enum` or `const` if there is no `type`. Empty if any type is allowed.
    pub fn effective_types(&self) -> Vec<Type> {
        let mut types = self.types.clone();
        if types.is_empty() {
            let choices = self.choices.iter().map(|choice| &choice.value.value);
            for ty in choices.chain(self.constant.iter().map(|constant| &constant.value)).map(type_of) {
                if !types.contains(&ty) {
                    types.push(ty);
                }
            }
        }
        types
    }

    /// Returns whether the schema has the type object, or a keyword about objects.
    pub fn is_object(&self) -> bool {
        self.types.contains(&Type::Object)
            || !self.properties.is_empty()
            || !matches!(self.additional, Additional::Deny)
    }

    /// Returns the direct subschemas except those of properties.
    pub fn subschemas(&self) -> impl Iterator<Item = &Schema> {
        let additional = if let Additional::Schema(schema) = &self.additional { Some(&**schema) } else { None };
        self.in_place().chain(self.items.as_deref()).chain(additional)
    }

    /// Returns the direct subschemas for the same value: those of `anyOf`, `oneOf` and `allOf`.
    pub fn in_place(&self) -> impl Iterator<Item = &Schema> {
        self.any_of.iter().chain(&self.one_of).chain(&self.all_of)
    }

    /// Returns this schema and all nested ones, each after the list of enclosing schemas for the same value.
    pub fn walk_with_parents(&self) -> Vec<(Vec<&Schema>, &Schema)> {
        let mut schemas = vec![(Vec::new(), self)];
        let mut next = 0;
        while let Some((parents, schema)) = schemas.get(next).cloned() {
            let with_this: Vec<&Schema> = parents.into_iter().chain([schema]).collect();
            schemas.extend(schema.in_place().map(|subschema| (with_this.clone(), subschema)));
            let additional = if let Additional::Schema(schema) = &schema.additional { Some(&**schema) } else { None };
            let other_values = schema.items.as_deref().into_iter().chain(additional);
            let other_values = other_values.chain(schema.properties.iter().map(|property| &property.schema));
            schemas.extend(other_values.map(|subschema| (Vec::new(), subschema)));
            next += 1;
        }
        schemas
    }

    /// Returns this schema and all nested ones, parents first.
    pub fn walk(&self) -> Vec<&Schema> {
        let mut schemas = vec![self];
        let mut next = 0;
        while let Some(schema) = schemas.get(next).copied() {
            schemas.extend(schema.properties.iter().map(|property| &property.schema));
            schemas.extend(schema.subschemas());
            next += 1;
        }
        schemas
    }
}

/// Returns why a `pattern` is not a regular expression of ECMA-262. `None` if it is one.
pub fn problem_of_pattern(pattern: &str) -> Option<&'static str> {
    match problem(pattern)?.cause {
        PatternCause::Invalid(why) => Some(why),
        _ => None,
    }
}

/// Returns whether two values are equal in JSON Schema, which compares numbers by value: `1` equals `1.0`.
pub fn equal(one: &Value, other: &Value) -> bool {
    one == other || compare_numbers(one, other) == Some(Ordering::Equal)
}

/// Compares two numbers by value. Returns `None` if one of the values is not a number.
pub fn compare_numbers(one: &Value, other: &Value) -> Option<Ordering> {
    match (one.as_i64(), other.as_i64()) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}

/// Returns the type of a value. A number is an integer if it is written as one: `1`, but not `1.0`.
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
