//! A schema as JSON Schema, with what depends on the turn still in it.

use serde_json::{Value, json};

use super::{Additional, Choice, Defs, Property, Schema};
use crate::doc::Doc;
use crate::text::questions::When;

impl Defs {
    /// A schema that stands by itself: with the definitions that it needs.
    pub fn document(&self, root: &Schema) -> Doc {
        let needed = self.needed_by([root]);
        let mut doc = root.to_doc();
        if let (Doc::Object(words), true) = (&mut doc, needed.contains(&true)) {
            let defs = self.iter().filter(|(id, _)| needed[id.0]);
            let defs = defs.map(|(_, def)| (None, def.name.value.clone(), def.schema.to_doc())).collect();
            words.push((None, "$defs".to_owned(), Doc::Object(defs)));
        }
        doc
    }

    /// The same as JSON, with everything that may be there: what a value may at most be.
    pub fn whole(&self, root: &Schema) -> Value {
        self.document(root).whole()
    }
}

impl Schema {
    /// Draft 2020-12: nothing added, nothing left out.
    fn to_doc(&self) -> Doc {
        let mut out: Vec<(Option<When>, String, Doc)> = Vec::new();
        let mut put = |key: &str, doc: Doc| out.push((None, key.to_owned(), doc));
        if let Some(reference) = &self.reference {
            put("$ref", Value::from(reference.written()).into());
        }
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
        if self.deprecated {
            put("deprecated", Value::Bool(true).into());
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
        for (word, alternatives) in [("anyOf", &self.any_of), ("oneOf", &self.one_of), ("allOf", &self.all_of)] {
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
}
