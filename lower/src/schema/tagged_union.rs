//! The shape of a schema's values: nullable, union or plain. The argument table and the generated Rust types both use it, so that
//! they agree.

use serde_json::Value;
use toolc::__gen::table::{SlotKind, Type};

use super::{Additional, DefId, Defs, Property, Reference, Schema, type_of};

/// A schema with `$ref`s resolved and null removed.
#[derive(Debug, Clone, Copy)]
pub struct ResolvedSchema<'s> {
    /// The schema without `$ref` and null.
    pub schema: &'s Schema,
    /// The first definition that was followed.
    pub via: Option<DefId>,
    /// Whether null is allowed in addition to the values of `schema`.
    pub nullable: bool,
}

/// An alternative of a union whose values can be distinguished from those of all other alternatives.
#[derive(Debug, Clone, Copy)]
pub struct Alternative<'s> {
    /// The alternative as written.
    pub schema: &'s Schema,
    /// The type of its values, without null.
    pub ty: Type,
    /// The name and value of the tag: a property that every object of the union has, with a different constant in each. `None` if
    /// the union has only one object.
    pub tag: Option<(&'s str, &'s Value)>,
}

/// The reason why a property cannot be the tag of a union.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagDefect {
    /// It has not exactly one value in `const` or `enum`.
    NotConstant,
    /// The property, or its value, is present in some turns only.
    Conditional,
    /// Its value cannot be a tag: null, a fraction, an array or an object.
    NotSimple,
    /// It may be null.
    Nullable,
    /// It need not be sent.
    Optional,
}

impl Alternative<'_> {
    /// Returns whether a value of the union belongs to this alternative.
    pub fn matches(&self, value: &Value) -> bool {
        let is_number = |ty: Type| matches!(ty, Type::Integer | Type::Number);
        let ty = type_of(value);
        (ty == self.ty || (is_number(ty) && is_number(self.ty)))
            && self.tag.is_none_or(|(name, tag)| value.get(name) == Some(tag))
    }
}

impl Defs {
    /// Follows `$ref`s without siblings, and unions of a schema with null, to the schema of the non-null values.
    ///
    /// If the result would be passed as a raw JSON value, null is not removed: such a value can hold null itself.
    pub fn resolve<'s>(&'s self, schema: &'s Schema) -> ResolvedSchema<'s> {
        let mut resolved = ResolvedSchema { schema, via: None, nullable: false };
        let mut with_null = None;
        loop {
            if let Some(reference) = resolved.schema.alias() {
                resolved.schema = &self.get(reference.to).schema;
                resolved.via.get_or_insert(reference.to);
            } else if let Some(other) = resolved.schema.non_null_alternative()
                // `oneOf` refuses null if both alternatives allow it.
                && (resolved.schema.one_of.is_empty() || !self.allows_null(other))
            {
                with_null.get_or_insert(resolved);
                resolved = ResolvedSchema { schema: other, nullable: true, ..resolved };
            } else {
                break;
            }
        }
        let schema = resolved.schema;
        let is_raw = self.union(schema).is_none() && (schema.is_composed() || schema.effective_types().is_empty());
        with_null.filter(|_| is_raw).unwrap_or(resolved)
    }

    /// Returns the types that a value may have, after resolving `$ref`s. Empty if any type is allowed.
    pub fn types(&self, schema: &Schema) -> Vec<Type> {
        let resolved = self.resolve(schema);
        let mut types = resolved.schema.effective_types();
        if resolved.nullable && !types.contains(&Type::Null) {
            types.push(Type::Null);
        }
        types
    }

    /// Returns the kind of slot for the values of a schema.
    pub fn slot_kind(&self, schema: &Schema) -> SlotKind {
        let schema = self.resolve(schema).schema;
        if self.union(schema).is_some() {
            return SlotKind::Union;
        }
        if schema.is_composed() {
            return SlotKind::Value;
        }
        let mut types = schema.effective_types();
        types.retain(|t| *t != Type::Null);
        let [only] = types.as_slice() else { return SlotKind::Value };
        match only {
            Type::Boolean => SlotKind::Boolean,
            Type::Integer => SlotKind::Integer,
            Type::Number => SlotKind::Number,
            Type::String if schema.choices.is_empty() && schema.constant.is_none() => SlotKind::String,
            Type::String => SlotKind::Choice,
            Type::Array => SlotKind::Array,
            // The objects are only known from the values of an enum.
            Type::Object if !schema.is_object() => SlotKind::Value,
            Type::Object if schema.properties.is_empty() && !matches!(schema.additional, Additional::Deny) => {
                SlotKind::Map
            }
            Type::Object => SlotKind::Object,
            Type::Null => SlotKind::Value,
        }
    }

    /// Returns whether null is allowed. Always false for schemas that are passed as a raw JSON value.
    pub fn is_nullable(&self, schema: &Schema) -> bool {
        let resolved = self.resolve(schema);
        let schema = resolved.schema;
        resolved.nullable
            || schema.effective_types().contains(&Type::Null)
            || (self.union(schema).is_some() && schema.in_place().any(|subschema| self.is_nullable(subschema)))
    }

    /// Returns whether the keywords of a schema allow null. Unlike [`is_nullable`](Self::is_nullable), this does not resolve the
    /// schema: resolving depends on it.
    fn allows_null(&self, schema: &Schema) -> bool {
        if let Some(reference) = schema.alias() {
            return self.allows_null(&self.get(reference.to).schema);
        }
        match schema.alternatives() {
            Some(alternatives) => {
                let count = alternatives.iter().filter(|alternative| self.allows_null(alternative)).count();
                if schema.one_of.is_empty() { count > 0 } else { count == 1 }
            }
            None => schema.effective_types().contains(&Type::Null),
        }
    }

    /// Returns the alternatives of an `anyOf` or `oneOf`, without null, if every value can be assigned to one of them by its type or
    /// tag. Returns `None` for any other schema.
    pub fn union<'s>(&'s self, schema: &'s Schema) -> Option<Vec<Alternative<'s>>> {
        let alternatives = schema.alternatives()?.iter().filter(|alternative| !alternative.is_null());
        let mut union: Vec<Alternative<'s>> =
            alternatives.map(|alternative| self.alternative(alternative)).collect::<Option<_>>()?;
        let (objects, others): (Vec<_>, Vec<_>) = union.iter_mut().partition(|other| other.ty == Type::Object);
        let are_distinct = are_distinct(&others.iter().map(|other| other.ty).collect::<Vec<_>>());
        if objects.len() > 1 {
            let first = self.resolve(objects[0].schema).schema;
            let tags = first.properties.iter().find_map(|property| self.tags(&property.name.value, &objects))?;
            objects.into_iter().zip(tags).for_each(|(object, tag)| object.tag = Some(tag));
        }
        if are_distinct && union.len() > 1 { Some(union) } else { None }
    }

    /// Returns the alternatives of an `anyOf` or `oneOf` that would be a union if its objects had a tag.
    pub fn union_without_tag<'s>(&'s self, schema: &'s Schema) -> Option<Vec<Alternative<'s>>> {
        let alternatives = schema.alternatives().filter(|_| self.union(schema).is_none())?;
        let alternatives = alternatives.iter().filter(|alternative| !alternative.is_null());
        let alternatives: Vec<Alternative<'s>> =
            alternatives.map(|alternative| self.alternative(alternative)).collect::<Option<_>>()?;
        let types = alternatives.iter().map(|alternative| alternative.ty);
        let others: Vec<Type> = types.filter(|ty| *ty != Type::Object).collect();
        let has_several_objects = alternatives.len() > others.len() + 1;
        if has_several_objects && are_distinct(&others) { Some(alternatives) } else { None }
    }

    /// Returns a schema as an alternative without a tag, or `None` if its values do not have exactly one type.
    fn alternative<'s>(&'s self, schema: &'s Schema) -> Option<Alternative<'s>> {
        let resolved = self.resolve(schema).schema;
        let mut types = resolved.effective_types();
        types.retain(|t| *t != Type::Null);
        match types.as_slice() {
            [ty] if !resolved.is_composed() => Some(Alternative { schema, ty: *ty, tag: None }),
            _ => None,
        }
    }

    /// Returns the tag of each object if the property `name` is a tag of all of them with different values.
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

    /// Returns the value of a property that is the tag of its object.
    ///
    /// # Errors
    /// The reason why the property cannot be a tag.
    pub fn tag<'s>(&'s self, property: &'s Property) -> Result<&'s Value, TagDefect> {
        let value = self.only_value(&property.schema).ok_or(TagDefect::NotConstant)?;
        let is_simple = matches!(value, Value::String(_) | Value::Bool(_)) || value.is_i64();
        let schema = self.resolve_untagged(&property.schema);
        let is_conditional = schema.constant.is_none() && schema.choices.iter().any(|choice| choice.when.is_some());
        match property {
            _ if !is_simple => Err(TagDefect::NotSimple),
            _ if is_conditional || property.when.is_some() => Err(TagDefect::Conditional),
            _ if self.allows_null(&property.schema) => Err(TagDefect::Nullable),
            _ if !property.required => Err(TagDefect::Optional),
            _ => Ok(value),
        }
    }

    /// Returns the value of `const`, or of an `enum` with one value.
    pub fn only_value<'s>(&'s self, schema: &'s Schema) -> Option<&'s Value> {
        let schema = self.resolve_untagged(schema);
        match (&schema.constant, schema.choices.as_slice()) {
            (Some(constant), _) => Some(&constant.value),
            (None, [only]) => Some(&only.value.value),
            _ => None,
        }
    }

    /// Resolves `$ref`s and removes null. Unlike [`resolve`](Self::resolve), this does not search for a tag, so the search can use it.
    fn resolve_untagged<'s>(&'s self, mut schema: &'s Schema) -> &'s Schema {
        loop {
            schema = match (schema.alias(), schema.non_null_alternative()) {
                (Some(reference), _) => &self.get(reference.to).schema,
                (None, Some(other)) => other,
                (None, None) => return schema,
            };
        }
    }
}

/// Returns whether no two types are equal. Integers and numbers count as equal.
fn are_distinct(types: &[Type]) -> bool {
    let numeric = |t: Type| if t == Type::Integer { Type::Number } else { t };
    types.iter().enumerate().all(|(index, ty)| types[..index].iter().all(|earlier| numeric(*earlier) != numeric(*ty)))
}

impl Schema {
    /// Returns the `$ref` if no sibling keyword constrains the value.
    pub fn alias(&self) -> Option<&Reference> {
        self.reference.as_ref().filter(|_| !self.has_constraints() && self.in_place().next().is_none())
    }

    /// Returns whether the schema refers to other schemas for the same value.
    fn is_composed(&self) -> bool {
        self.reference.is_some() || self.in_place().next().is_some()
    }

    /// Returns whether the schema has keywords that constrain the value, other than `$ref`, `anyOf`, `oneOf` and `allOf`.
    pub fn has_constraints(&self) -> bool {
        !self.types.is_empty()
            || !self.choices.is_empty()
            || self.constant.is_some()
            || !self.properties.is_empty()
            || self.items.is_some()
            || self.pattern.is_some()
            || self.bounds.iter().next().is_some()
            || !matches!(self.additional, Additional::Deny)
            || !self.others.is_empty()
    }

    /// Returns the alternatives of `anyOf` or `oneOf` if no other keyword constrains the value.
    fn alternatives(&self) -> Option<&[Schema]> {
        if !self.all_of.is_empty() || self.reference.is_some() || self.has_constraints() {
            return None;
        }
        match (self.any_of.as_slice(), self.one_of.as_slice()) {
            (alternatives, []) | ([], alternatives) if !alternatives.is_empty() => Some(alternatives),
            _ => None,
        }
    }

    /// Returns the other alternative if the schema has two and one of them is null.
    pub fn non_null_alternative(&self) -> Option<&Schema> {
        match self.alternatives()? {
            [other, null] | [null, other] if null.is_null() && !other.is_null() => Some(other),
            _ => None,
        }
    }

    /// Returns whether the schema allows null only.
    pub fn is_null(&self) -> bool {
        self.types == [Type::Null] && self.choices.is_empty()
    }
}
