//! Converts schemas to JSON with conditions: parts that exist in some turns only keep their conditions.

use serde_json::Value;
use toolc::__gen::table::Type;

use super::{Additional, Choice, Defs, Property, Schema};
use crate::conditional_json::CondJson;
use crate::text::atoms::When;

/// How a dialect writes schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a spelling of its own")]
pub struct Spelling {
    /// Whether types are written as in `OpenAPI`: in capitals, with `nullable` instead of null.
    pub openapi: bool,
    /// Whether `additionalProperties: false` is written. Objects are closed without it too.
    pub says_closed: bool,
    /// Whether an empty `required` is written.
    pub says_required: bool,
    /// Whether `x-mcp-header` is written.
    pub says_mcp_headers: bool,
}

impl Spelling {
    /// JSON Schema, draft 2020-12.
    pub const JSON_SCHEMA: Self =
        Self { openapi: false, says_closed: true, says_required: false, says_mcp_headers: false };
}

impl Defs {
    /// Returns a schema as a standalone JSON Schema, with the definitions that it needs.
    pub fn document(&self, root: &Schema) -> CondJson {
        self.document_in(root, Spelling::JSON_SCHEMA)
    }

    /// Returns a schema as a standalone document in a spelling, with the definitions that it needs.
    pub fn document_in(&self, root: &Schema, spelling: Spelling) -> CondJson {
        let reachable = self.reachable_from([root]);
        let mut json = root.to_json(spelling);
        if let CondJson::Object(entries) = &mut json
            && reachable.contains(&true)
        {
            let defs = self.iter().filter(|(id, _)| reachable[id.0]);
            let defs = defs.map(|(_, def)| (None, def.name.value.clone(), def.schema.to_json(spelling))).collect();
            entries.push((None, "$defs".to_owned(), CondJson::Object(defs)));
        }
        json
    }

    /// Returns a schema as a standalone JSON Schema with all its conditional parts: it allows every value that any turn allows.
    pub fn full_schema(&self, root: &Schema) -> Value {
        self.document(root).full_value()
    }
}

/// The entries of a JSON object, each with its condition.
type Entries = Vec<(Option<When>, String, CondJson)>;

impl Schema {
    fn to_json(&self, spelling: Spelling) -> CondJson {
        let mut out = Entries::new();
        self.put_types(spelling, &mut out);
        self.put_values(spelling, &mut out);
        let mut put = |key: &str, json: CondJson| out.push((None, key.to_owned(), json));
        for (keyword, schemas) in [("anyOf", &self.any_of), ("oneOf", &self.one_of), ("allOf", &self.all_of)] {
            if !schemas.is_empty() {
                put(keyword, CondJson::Array(schemas.iter().map(|schema| (None, schema.to_json(spelling))).collect()));
            }
        }
        if let Some(items) = &self.items {
            put("items", items.to_json(spelling));
        }
        if self.is_object() {
            self.put_properties(spelling, &mut out);
        }
        out.extend(self.others.iter().map(|other| (None, other.keyword.to_owned(), other.value.clone().into())));
        CondJson::Object(out)
    }

    /// Adds the keywords that say what the schema is about.
    fn put_types(&self, spelling: Spelling, out: &mut Entries) {
        let mut put = |key: &str, json: CondJson| out.push((None, key.to_owned(), json));
        if let Some(reference) = &self.reference {
            put("$ref", Value::from(reference.uri()).into());
        }
        let is_null = self.types == [Type::Null];
        let is_written = |ty: &&Type| !spelling.openapi || is_null || **ty != Type::Null;
        let name = |ty: &Type| if spelling.openapi { ty.name().to_uppercase() } else { ty.name().to_owned() };
        let types: Vec<String> = self.types.iter().filter(is_written).map(name).collect();
        if let [only] = types.as_slice() {
            put("type", Value::from(only.as_str()).into());
        } else if !types.is_empty() {
            put("type", Value::from(types).into());
        }
        if spelling.openapi && !is_null && self.types.contains(&Type::Null) {
            put("nullable", Value::Bool(true).into());
        }
        if let Some(title) = &self.title {
            put("title", Value::from(title.value.as_str()).into());
        }
        if let Some(description) = &self.description {
            put("description", CondJson::Text(description.value.clone()));
        }
        if self.deprecated {
            put("deprecated", Value::Bool(true).into());
        }
    }

    /// Adds the keywords about single values.
    fn put_values(&self, spelling: Spelling, out: &mut Entries) {
        let mut put = |key: &str, json: CondJson| out.push((None, key.to_owned(), json));
        if !self.choices.is_empty() {
            let when = |choice: &Choice| choice.when.as_ref().map(|when| when.value.clone());
            let value = |choice: &Choice| CondJson::Json(choice.value.value.clone());
            // In OpenAPI, `nullable` adds null to the values.
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
            put("format", Value::from(format.value.as_str()).into());
        }
    }

    /// Adds the keywords about the properties of objects.
    fn put_properties(&self, spelling: Spelling, out: &mut Entries) {
        let mut put = |key: &str, json: CondJson| out.push((None, key.to_owned(), json));
        let when = |property: &Property| property.when.as_ref().map(|when| when.value.clone());
        let entry = |property: &Property| {
            let mut schema = property.schema.to_json(spelling);
            if let (Some(header), CondJson::Object(entries)) = (&property.mcp_header, &mut schema)
                && spelling.says_mcp_headers
            {
                entries.push((None, "x-mcp-header".to_owned(), Value::from(header.value.as_str()).into()));
            }
            (when(property), property.name.value.clone(), schema)
        };
        put("properties", CondJson::Object(self.properties.iter().map(entry).collect()));
        // Properties that are required whenever they are available.
        let required: Vec<_> = self.properties.iter().filter(|property| property.required).collect();
        if required.iter().any(|property| property.when.is_some()) {
            let name = |property: &Property| Value::from(property.name.value.as_str()).into();
            let names = required.iter().map(|property| (when(property), name(property))).collect();
            put("required", CondJson::Array(names));
        } else if !required.is_empty() || spelling.says_required {
            let names = required.iter().map(|property| property.name.value.as_str()).collect::<Value>();
            put("required", names.into());
        }
        match &self.additional {
            Additional::Deny if !spelling.says_closed => {}
            Additional::Unstated => {}
            Additional::Deny => put("additionalProperties", Value::Bool(false).into()),
            Additional::Allow => put("additionalProperties", Value::Bool(true).into()),
            Additional::Schema(schema) => put("additionalProperties", schema.to_json(spelling)),
        }
    }
}
