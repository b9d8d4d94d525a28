//! Details that a dialect refuses of the keywords that it accepts: patterns that not every engine of regular expressions reads, and
//! keywords next to a `$ref`.

use serde_json::Value;
use toolc_tables::diagnostic::At;

use super::pattern::is_common_pattern;
use super::{Fallback, Narrower};
use crate::dialects::Dialect;
use crate::prose::keyword_prose;
use crate::schema::{Additional, Def, Defs, Other, Schema};

/// The keywords that a vendor accepts next to a `$ref` if it refuses others. The root also has `$defs`.
const ANNOTATIONS: &[&str] = &["$ref", "$defs", "description", "default"];

/// Returns whether a dialect refuses a detail of a schema.
pub(super) fn refuses(dialect: &Dialect, schema: &Schema) -> bool {
    let refuses = |schema: &&Schema| {
        schema.pattern.as_ref().is_some_and(|pattern| refuses_pattern(dialect, &pattern.value))
            || refuses_siblings(dialect, schema)
            || schema.others.iter().any(|other| refuses_other(dialect, other))
    };
    has_rules(dialect) && schema.walk().iter().any(refuses)
}

/// Returns whether a dialect refuses a detail of a schema that is JSON. It may be one of a value that looks like a schema.
pub fn refuses_json(dialect: &Dialect, schema: &Value) -> bool {
    has_rules(dialect) && refuses_nested(dialect, schema)
}

fn has_rules(dialect: &Dialect) -> bool {
    dialect.tool.engine_patterns().is_some() || dialect.tool.ref_siblings().is_some()
}

fn refuses_nested(dialect: &Dialect, value: &Value) -> bool {
    match value {
        Value::Object(map) => {
            let pattern = map.get("pattern").and_then(Value::as_str);
            let of_names = map.get("patternProperties").and_then(Value::as_object).into_iter().flatten();
            let mut patterns = pattern.into_iter().chain(of_names.map(|(pattern, _)| pattern.as_str()));
            let has_siblings = map.get("$ref").is_some_and(Value::is_string)
                && map.keys().any(|keyword| !ANNOTATIONS.contains(&keyword.as_str()));
            patterns.any(|pattern| refuses_pattern(dialect, pattern))
                || (has_siblings && dialect.tool.ref_siblings().is_some())
                || map.values().any(|value| refuses_nested(dialect, value))
        }
        Value::Array(values) => values.iter().any(|value| refuses_nested(dialect, value)),
        _ => false,
    }
}

/// Returns whether a dialect refuses a pattern that it would have to read itself.
pub(super) fn refuses_pattern(dialect: &Dialect, pattern: &str) -> bool {
    dialect.tool.engine_patterns().is_some() && !is_common_pattern(pattern)
}

fn refuses_siblings(dialect: &Dialect, schema: &Schema) -> bool {
    let has_siblings = schema.alias().is_none()
        || schema.title.is_some()
        || schema.format.is_some()
        || !schema.examples.is_empty()
        || schema.deprecated;
    dialect.tool.ref_siblings().is_some() && schema.reference.is_some() && has_siblings
}

fn refuses_other(dialect: &Dialect, other: &Other) -> bool {
    let holder = Value::Object([(other.keyword.to_owned(), other.value.clone())].into_iter().collect());
    refuses_nested(dialect, &holder)
}

impl Narrower<'_> {
    /// Replaces the details that the dialect refuses in a schema and in the definitions.
    pub(super) fn accept_document(&mut self, root: Schema) -> (Schema, Option<Defs>) {
        let root = self.accept(root);
        if !self.defs.iter().any(|(_, def)| refuses(self.dialect, &def.schema)) {
            return (root, None);
        }
        let defs = self.defs;
        let accepted = defs.iter().map(|(id, def)| {
            self.path = format!("$defs.{}", def.name.value);
            let schema = self.scoped(|narrower| {
                narrower.inlined.push(id);
                narrower.accept(def.schema.clone())
            });
            Def { name: def.name.clone(), schema }
        });
        let accepted = Defs::new(accepted.collect());
        (root, Some(accepted))
    }

    /// Replaces the details that the dialect refuses in a schema. The schema need not refuse any.
    fn accept(&mut self, schema: Schema) -> Schema {
        if refuses(self.dialect, &schema) { self.scoped(|narrower| narrower.accept_refused(schema)) } else { schema }
    }

    fn accept_refused(&mut self, schema: Schema) -> Schema {
        let mut schema = if refuses_siblings(self.dialect, &schema) { self.merge_target(schema) } else { schema };
        if let Some(At { value, place }) =
            schema.pattern.take_if(|pattern| refuses_pattern(self.dialect, &pattern.value))
        {
            self.describe_keyword(&mut schema, "pattern", place, keyword_prose("pattern", &Value::from(value)));
        }
        let (refused, kept): (Vec<_>, Vec<_>) =
            std::mem::take(&mut schema.others).into_iter().partition(|other| refuses_other(self.dialect, other));
        schema.others = kept;
        if !refused.is_empty() {
            let prose = self.others_description(&schema, refused, "Must");
            schema.add_description(prose);
        }
        for property in &mut schema.properties {
            let step = format!(".{}", property.name.value);
            property.schema = self.at_path(&step, |narrower| narrower.accept(property.schema.clone()));
        }
        for inner in schema.any_of.iter_mut().chain(&mut schema.one_of).chain(&mut schema.all_of) {
            *inner = self.accept(inner.clone());
        }
        schema.items = schema.items.take().map(|items| Box::new(self.at_path("[]", |inner| inner.accept(*items))));
        if let Additional::Schema(values) = &mut schema.additional {
            **values = self.at_path(".*", |narrower| narrower.accept((**values).clone()));
        }
        schema
    }

    /// Merges the target of a `$ref` with the keywords next to it. If the target contains the schema, they are left out.
    fn merge_target(&mut self, schema: Schema) -> Schema {
        if self.exceeds_limits() {
            self.without_siblings(&schema)
        } else {
            self.flatten_fully(schema).unwrap_or_else(|schema| self.without_siblings(&schema))
        }
    }

    fn without_siblings(&mut self, schema: &Schema) -> Schema {
        self.record_loss(schema.place, "$ref", Fallback::Dropped);
        let mut alone = Schema::new(schema.place);
        alone.reference.clone_from(&schema.reference);
        alone.description.clone_from(&schema.description);
        alone.default.clone_from(&schema.default);
        alone
    }
}
