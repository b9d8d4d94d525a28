//! The type of a schema in generated code. The argument table and the Rust types both use it, so that they agree.

use serde_json::Value;
use toolc::__gen::table::{SlotKind, Type};

use super::{Additional, DefId, Defs, Property, Reference, Schema, type_of};

/// A schema with `$ref`s resolved and null removed.
#[derive(Debug, Clone, Copy)]
pub struct ResolvedSchema<'s> {
    /// What is left.
    pub schema: &'s Schema,
    /// The first definition that was led to.
    pub via: Option<DefId>,
    /// Whether null is also allowed.
    pub nullable: bool,
}

/// One of several sorts of values that can be told apart.
#[derive(Debug, Clone, Copy)]
pub struct Alternative<'s> {
    /// As it is written.
    pub schema: &'s Schema,
    /// Its type, without null.
    pub ty: Type,
    /// The property that every object among the alternatives has, and its value in this one.
    pub tag: Option<(&'s str, &'s Value)>,
}

/// Why a property does not tell which of several objects it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TagDefect {
    /// Nothing, or more than one value, is named.
    NoOneValue,
    /// It, or its value, is there in some turns only.
    Conditional,
    /// Its value cannot be a tag: null, a fraction, an array or an object.
    NotSimple,
    /// It may be null.
    Nullable,
    /// It need not be sent.
    Optional,
}

impl Alternative<'_> {
    /// Whether a value that one of the alternatives allows is of this sort.
    pub fn is(&self, value: &Value) -> bool {
        let of = type_of(value);
        (of == self.ty
            || (of, self.ty) == (Type::Integer, Type::Number)
            || (of, self.ty) == (Type::Number, Type::Integer))
            && self.tag.is_none_or(|(name, tag)| value.get(name) == Some(tag))
    }
}

impl Defs {
    /// What a schema is, once nothing is around it.
    pub fn resolve<'s>(&'s self, schema: &'s Schema) -> ResolvedSchema<'s> {
        let mut bare = ResolvedSchema { schema, via: None, nullable: false };
        let mut as_written = None;
        loop {
            if let Some(reference) = bare.schema.alias() {
                bare.schema = &self.get(reference.to).schema;
                bare.via.get_or_insert(reference.to);
            } else if let Some(other) = bare.schema.nullable()
                // `oneOf` refuses null if two alternatives allow it.
                && (bare.schema.one_of.is_empty() || !self.allows_null(other))
            {
                as_written.get_or_insert(bare);
                bare = ResolvedSchema { schema: other, nullable: true, ..bare };
            } else {
                break;
            }
        }
        let schema = bare.schema;
        let has_room = self.union(schema).is_some() || !(schema.is_composed() || schema.effective_types().is_empty());
        as_written.filter(|_| !has_room).unwrap_or(bare)
    }

    /// The types that a value may have, whatever leads to the schema. Empty: any.
    pub fn types(&self, schema: &Schema) -> Vec<Type> {
        let bare = self.resolve(schema);
        let mut types = bare.schema.effective_types();
        if bare.nullable && !types.contains(&Type::Null) {
            types.push(Type::Null);
        }
        types
    }

    /// The kind of slot that holds its values.
    pub fn form(&self, schema: &Schema) -> SlotKind {
        let schema = self.resolve(schema).schema;
        if self.union(schema).is_some() {
            return SlotKind::Union;
        }
        if schema.is_composed() {
            return SlotKind::Value;
        }
        let mut types = schema.effective_types();
        types.retain(|t| *t != Type::Null);
        let [one] = types.as_slice() else { return SlotKind::Value };
        match one {
            Type::Boolean => SlotKind::Boolean,
            Type::Integer => SlotKind::Integer,
            Type::Number => SlotKind::Number,
            Type::String if schema.choices.is_empty() && schema.constant.is_none() => SlotKind::String,
            Type::String => SlotKind::Choice,
            Type::Array => SlotKind::Array,
            // Objects of which only an enum tells what they are.
            Type::Object if !schema.is_object() => SlotKind::Value,
            Type::Object if schema.properties.is_empty() && !matches!(schema.additional, Additional::Deny) => {
                SlotKind::Map
            }
            Type::Object => SlotKind::Object,
            Type::Null => SlotKind::Value,
        }
    }

    /// Whether null is allowed. Always false for schemas that are passed as a raw JSON value.
    pub fn is_nullable(&self, schema: &Schema) -> bool {
        let bare = self.resolve(schema);
        let own = |schema: &Schema| schema.effective_types().contains(&Type::Null);
        let union = self.union(bare.schema).is_some();
        bare.nullable || own(bare.schema) || (union && bare.schema.in_place().any(|one| self.is_nullable(one)))
    }

    /// The same, by the keywords alone. The type of a schema depends on this.
    fn allows_null(&self, schema: &Schema) -> bool {
        if let Some(reference) = schema.alias() {
            return self.allows_null(&self.get(reference.to).schema);
        }
        match schema.alternatives() {
            Some(some) => {
                let hits = some.iter().filter(|one| self.allows_null(one)).count();
                if schema.one_of.is_empty() { hits > 0 } else { hits == 1 }
            }
            None => schema.effective_types().contains(&Type::Null),
        }
    }

    /// The alternatives of a union of which every value tells which one it is; those that are null left out.
    pub fn union<'s>(&'s self, schema: &'s Schema) -> Option<Vec<Alternative<'s>>> {
        let alternatives = schema.alternatives()?.iter().filter(|one| !one.is_null());
        let mut union: Vec<Alternative<'s>> = alternatives.map(|one| self.alternative(one)).collect::<Option<_>>()?;
        let (objects, others): (Vec<_>, Vec<_>) = union.iter_mut().partition(|one| one.ty == Type::Object);
        let differ = differ(&others.iter().map(|one| one.ty).collect::<Vec<_>>());
        if objects.len() > 1 {
            let first = self.resolve(objects[0].schema).schema;
            let tags = first.properties.iter().find_map(|property| self.tags(&property.name.value, &objects))?;
            objects.into_iter().zip(tags).for_each(|(object, tag)| object.tag = Some(tag));
        }
        (differ && union.len() > 1).then_some(union)
    }

    /// The alternatives of an `anyOf` or `oneOf` that would be a tagged union if its objects had a tag.
    pub(crate) fn union_without_tag<'s>(&'s self, schema: &'s Schema) -> Option<Vec<Alternative<'s>>> {
        let alternatives = schema.alternatives().filter(|_| self.union(schema).is_none())?;
        let all = alternatives.iter().filter(|one| !one.is_null()).map(|one| self.alternative(one));
        let all: Vec<Alternative<'s>> = all.collect::<Option<_>>()?;
        let others: Vec<Type> = all.iter().map(|one| one.ty).filter(|ty| *ty != Type::Object).collect();
        (all.len() > others.len() + 1 && differ(&others)).then_some(all)
    }

    fn alternative<'s>(&'s self, schema: &'s Schema) -> Option<Alternative<'s>> {
        let bare = self.resolve(schema).schema;
        let mut types = bare.effective_types();
        types.retain(|t| *t != Type::Null);
        match types.as_slice() {
            [ty] if !bare.is_composed() => Some(Alternative { schema, ty: *ty, tag: None }),
            _ => None,
        }
    }

    /// What each of these objects has in the property `name`, if that tells them apart.
    fn tags<'s>(&'s self, name: &str, objects: &[&mut Alternative<'s>]) -> Option<Vec<(&'s str, &'s Value)>> {
        let mut tags: Vec<(&str, &Value)> = Vec::new();
        for object in objects {
            let properties = &self.resolve(object.schema).schema.properties;
            let property = properties.iter().find(|property| property.name.value == name)?;
            let tag = self.tag(property).ok()?;
            if tags.iter().any(|(_, taken)| *taken == tag) {
                return None;
            }
            tags.push((&property.name.value, tag));
        }
        Some(tags)
    }

    /// The one value that a property has wherever the object is. Err: why there is none that tells what object it is.
    pub(crate) fn tag<'s>(&'s self, property: &'s Property) -> Result<&'s Value, TagDefect> {
        let value = self.only_value(&property.schema).ok_or(TagDefect::NoOneValue)?;
        let is_simple = matches!(value, Value::String(_) | Value::Bool(_)) || value.is_i64();
        let named = self.named(&property.schema);
        let is_conditional = named.constant.is_none() && named.choices.iter().any(|choice| choice.when.is_some());
        match property {
            _ if !is_simple => Err(TagDefect::NotSimple),
            _ if is_conditional || property.when.is_some() => Err(TagDefect::Conditional),
            _ if self.allows_null(&property.schema) => Err(TagDefect::Nullable),
            _ if !property.required => Err(TagDefect::Optional),
            _ => Ok(value),
        }
    }

    /// The only value that is named, apart from null.
    pub(crate) fn only_value<'s>(&'s self, schema: &'s Schema) -> Option<&'s Value> {
        let named = self.named(schema);
        match (&named.constant, named.choices.as_slice()) {
            (Some(constant), _) => Some(&constant.value),
            (None, [only]) => Some(&only.value.value),
            _ => None,
        }
    }

    /// Resolves `$ref`s and removes null. [`bare`](Self::bare) also looks for a tag, so it must not be used while one is looked for.
    fn named<'s>(&'s self, mut schema: &'s Schema) -> &'s Schema {
        loop {
            schema = match (schema.alias(), schema.nullable()) {
                (Some(reference), _) => &self.get(reference.to).schema,
                (None, Some(other)) => other,
                (None, None) => return schema,
            };
        }
    }
}

/// Whether no two of these types are the same.
fn differ(types: &[Type]) -> bool {
    let numeric = |t: Type| if t == Type::Integer { Type::Number } else { t };
    types.iter().enumerate().all(|(index, ty)| types[..index].iter().all(|earlier| numeric(*earlier) != numeric(*ty)))
}

impl Schema {
    /// Its `$ref`, if no sibling keyword constrains the value.
    pub fn alias(&self) -> Option<&Reference> {
        self.reference.as_ref().filter(|_| !self.constrains() && self.in_place().next().is_none())
    }

    /// Whether it is put together from other schemas for the same value.
    fn is_composed(&self) -> bool {
        self.reference.is_some() || self.in_place().next().is_some()
    }

    /// Whether words of its own say what a value may be.
    pub(crate) fn constrains(&self) -> bool {
        !self.types.is_empty()
            || !self.choices.is_empty()
            || self.constant.is_some()
            || !self.properties.is_empty()
            || self.items.is_some()
            || self.pattern.is_some()
            || self.bounds.iter().next().is_some()
            || !matches!(self.additional, Additional::Deny)
    }

    /// Those of `anyOf` or `oneOf`, where nothing else says what a value may be.
    fn alternatives(&self) -> Option<&[Schema]> {
        match (self.any_of.as_slice(), self.one_of.as_slice()) {
            (some, []) | ([], some)
                if !some.is_empty() && self.all_of.is_empty() && self.reference.is_none() && !self.constrains() =>
            {
                Some(some)
            }
            _ => None,
        }
    }

    /// The other alternative, if it has two and one is null.
    pub(crate) fn nullable(&self) -> Option<&Schema> {
        match self.alternatives()? {
            [other, null] | [null, other] if null.is_null() && !other.is_null() => Some(other),
            _ => None,
        }
    }

    /// Whether it is null and nothing else.
    pub fn is_null(&self) -> bool {
        self.types == [Type::Null] && self.choices.is_empty()
    }
}
