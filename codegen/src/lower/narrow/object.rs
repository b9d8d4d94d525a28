//! The properties of objects.

use serde_json::Value;
use toolc::__gen::table::Type;

use super::Narrower;
use crate::diagnostic::At;
use crate::schema::{Additional, Choice, Property, Schema};

impl Narrower<'_> {
    /// Narrows the schema of additional properties.
    pub(super) fn additional_values(&mut self, object: &mut Schema) {
        if let Additional::Schema(values) = &mut object.additional {
            **values = self.below(".*", |narrower| narrower.schema((**values).clone())).schema;
        }
    }

    pub(super) fn property(&mut self, property: Property) -> Property {
        let Property { name, required, secret, when, schema } = property;
        let mut schema = self.below(&format!(".{}", name.value), |narrower| narrower.schema(schema)).schema;
        let is_always_required = self.dialect.schema.optional_properties().is_some();
        if !required && is_always_required {
            allow_null(&mut schema);
        }
        Property { required: required || is_always_required, name, secret, when, schema }
    }
}

/// Lets a schema allow null, too: which stands for absence.
pub(super) fn allow_null(schema: &mut Schema) {
    let null = |schema: &Schema| {
        let mut null = Schema::new(schema.place);
        null.types = vec![Type::Null];
        null
    };
    if schema.reference.is_some() {
        let mut either = Schema::new(schema.place);
        either.any_of = vec![schema.clone(), null(schema)];
        *schema = either;
    } else if !schema.any_of.is_empty() {
        if !schema.any_of.iter().any(|one| one.types.contains(&Type::Null)) {
            schema.any_of.push(null(schema));
        }
    } else if !schema.types.contains(&Type::Null) || !has_null(schema) {
        if !schema.types.contains(&Type::Null) {
            schema.types.push(Type::Null);
        }
        if let Some(constant) = schema.constant.take() {
            schema.choices = vec![Choice { value: constant, when: None }];
        }
        if !has_null(schema) {
            schema.choices.push(Choice { value: At::new(Value::Null, schema.place), when: None });
        }
    }
}

/// Whether null is among the values of an `enum`, or there is none.
fn has_null(schema: &Schema) -> bool {
    let nulls = schema.choices.iter().filter(|choice| choice.value.value.is_null());
    schema.constant.is_none() && (schema.choices.is_empty() || nulls.into_iter().any(|choice| choice.when.is_none()))
}
