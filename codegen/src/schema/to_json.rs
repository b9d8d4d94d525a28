//! A schema as JSON Schema, with what depends on the turn still in it.

use serde_json::Value;
use toolc::__gen::table::Type;

use super::{Additional, Choice, Defs, Property, Schema};
use crate::conditional_json::CondJson;
use crate::text::atoms::When;

/// How a language of schemas spells what all of them have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spelling {
    /// Types in capitals, with `nullable` for null, as `OpenAPI` has them. JSON Schema's otherwise.
    pub openapi: bool,
    /// Whether `additionalProperties: false` is written. Where it is not, an object has its properties and no others all
    /// the same.
    pub says_closed: bool,
    /// Whether an object without required properties says so.
    pub says_required: bool,
}

impl Spelling {
    /// Draft 2020-12: nothing added, nothing left out.
    pub const JSON_SCHEMA: Self = Self { openapi: false, says_closed: true, says_required: false };
}

impl Defs {
    /// A schema that stands by itself: with the definitions that it needs.
    pub fn document(&self, root: &Schema) -> CondJson {
        self.document_in(root, Spelling::JSON_SCHEMA)
    }

    /// The same in another spelling.
    pub fn document_in(&self, root: &Schema, spelling: Spelling) -> CondJson {
        let needed = self.needed_by([root]);
        let mut doc = root.to_doc(spelling);
        if let (CondJson::Object(words), true) = (&mut doc, needed.contains(&true)) {
            let defs = self.iter().filter(|(id, _)| needed[id.0]);
            let defs = defs.map(|(_, def)| (None, def.name.value.clone(), def.schema.to_doc(spelling))).collect();
            words.push((None, "$defs".to_owned(), CondJson::Object(defs)));
        }
        doc
    }

    /// The same as JSON, with everything that may be there: what a value may at most be.
    pub fn whole(&self, root: &Schema) -> Value {
        self.document(root).whole()
    }
}

impl Schema {
    fn to_doc(&self, spelling: Spelling) -> CondJson {
        let mut out: Vec<(Option<When>, String, CondJson)> = Vec::new();
        let mut put = |key: &str, doc: CondJson| out.push((None, key.to_owned(), doc));
        if let Some(reference) = &self.reference {
            put("$ref", Value::from(reference.written()).into());
        }
        let is_null = self.types == [Type::Null];
        let is_named = |t: &&Type| !spelling.openapi || is_null || **t != Type::Null;
        let case = |t: &Type| if spelling.openapi { t.name().to_uppercase() } else { t.name().to_owned() };
        let types: Vec<String> = self.types.iter().filter(is_named).map(case).collect();
        if let [one] = types.as_slice() {
            put("type", Value::from(one.as_str()).into());
        } else if !types.is_empty() {
            put("type", Value::from(types).into());
        }
        if spelling.openapi && !is_null && self.types.contains(&Type::Null) {
            put("nullable", Value::Bool(true).into());
        }
        if let Some(title) = &self.title {
            put("title", Value::from(title.as_str()).into());
        }
        if let Some(description) = &self.description {
            put("description", CondJson::Text(description.value.clone()));
        }
        if self.deprecated {
            put("deprecated", Value::Bool(true).into());
        }
        if !self.choices.is_empty() {
            let when = |choice: &Choice| choice.when.as_ref().map(|when| when.value.clone());
            let value = |choice: &Choice| CondJson::Json(choice.value.value.clone());
            // OpenAPI says by `nullable` that null is one of them.
            let choices = self.choices.iter().filter(|choice| !spelling.openapi || !choice.value.value.is_null());
            put("enum", CondJson::Array(choices.map(|choice| (when(choice), value(choice))).collect()));
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
                put(word, CondJson::Array(alternatives.iter().map(|one| (None, one.to_doc(spelling))).collect()));
            }
        }
        if let Some(items) = &self.items {
            put("items", items.to_doc(spelling));
        }
        if self.is_object() {
            let when = |property: &Property| property.when.as_ref().map(|when| when.value.clone());
            let entry =
                |property: &Property| (when(property), property.name.value.clone(), property.schema.to_doc(spelling));
            put("properties", CondJson::Object(self.properties.iter().map(entry).collect()));
            // Properties that are required whenever they are available.
            let required: Vec<_> = self.properties.iter().filter(|property| property.required).collect();
            if required.iter().any(|property| property.when.is_some()) {
                let name = |property: &Property| Value::from(property.name.value.as_str()).into();
                put("required", CondJson::Array(required.iter().map(|one| (when(one), name(one))).collect()));
            } else if !required.is_empty() || spelling.says_required {
                put("required", required.iter().map(|one| one.name.value.as_str()).collect::<Value>().into());
            }
            match &self.additional {
                Additional::Deny if !spelling.says_closed => {}
                Additional::Deny => put("additionalProperties", Value::Bool(false).into()),
                Additional::Allow => put("additionalProperties", Value::Bool(true).into()),
                Additional::Schema(schema) => put("additionalProperties", schema.to_doc(spelling)),
            }
        }
        CondJson::Object(out)
    }
}
