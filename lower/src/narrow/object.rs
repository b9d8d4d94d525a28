//! Properties of objects. A dialect may require all of them: null then represents an absent value.

use serde_json::Value;
use toolc::__gen::table::Type;
use toolc_tables::diagnostic::At;

use super::Narrower;
use crate::schema::{Additional, Choice, Property, Schema};

impl Narrower<'_> {
    /// Narrows the schema of additional properties.
    pub(super) fn narrow_additional(&mut self, object: &mut Schema) {
        if let Additional::Schema(values) = &mut object.additional {
            **values = self.at_path(".*", |narrower| narrower.narrow_schema((**values).clone())).schema;
        }
    }

    /// Narrows a property, and makes it required and nullable if the dialect has no optional properties.
    pub(super) fn narrow_property(&mut self, property: Property) -> Property {
        let Property { name, required, secret, aliases, clamp, when, mcp_header, schema } = property;
        let mut schema = self.at_path(&format!(".{}", name.value), |narrower| narrower.narrow_schema(schema)).schema;
        let is_always_required = self.dialect.schema.optional_properties().is_some();
        if !required && is_always_required {
            allow_null(&mut schema);
        }
        Property { required: required || is_always_required, name, secret, aliases, clamp, when, mcp_header, schema }
    }
}

/// Makes a schema also allow null, which represents an absent value.
pub(super) fn allow_null(schema: &mut Schema) {
    let null = |schema: &Schema| {
        let mut null = Schema::new(schema.place);
        null.types = vec![Type::Null];
        null
    };
    if schema.reference.is_some() {
        let mut union = Schema::new(schema.place);
        union.any_of = vec![schema.clone(), null(schema)];
        *schema = union;
    } else if !schema.any_of.is_empty() {
        if !schema.any_of.iter().any(|alternative| alternative.types.contains(&Type::Null)) {
            schema.any_of.push(null(schema));
        }
    } else if !schema.types.contains(&Type::Null) || !values_allow_null(schema) {
        if !schema.types.contains(&Type::Null) {
            schema.types.push(Type::Null);
        }
        if let Some(constant) = schema.constant.take() {
            schema.choices = vec![Choice { value: constant, when: None }];
        }
        if !values_allow_null(schema) {
            schema.choices.push(Choice { value: At::new(Value::Null, schema.place), when: None });
        }
    }
}

/// Returns whether `enum` and `const` allow null in every turn.
fn values_allow_null(schema: &Schema) -> bool {
    let nulls = schema.choices.iter().filter(|choice| choice.value.value.is_null());
    schema.constant.is_none() && (schema.choices.is_empty() || nulls.into_iter().any(|choice| choice.when.is_none()))
}
