//! An operation as a tool: its parameters and its body are one object.

use serde_json::{Map, Value, json};

use super::references::{Document, Documents};
use super::schema::{Schemas, Side};
use super::{Choice, security};
use crate::report::escaped;
use crate::tool::ForeignTool;

/// The order of places: the first one that has a name keeps it.
const PLACES: [&str; 6] = ["path", "query", "header", "cookie", "formData", "body"];
/// Headers that the client of HTTP sets.
const HEADERS: [&str; 4] = ["accept", "content-type", "authorization", "content-length"];
/// The parts of the schema of a parameter that `OpenAPI` 2.0 writes next to its name.
const OF_PARAMETERS: [&str; 10] = [
    "name",
    "in",
    "description",
    "required",
    "schema",
    "content",
    "style",
    "explode",
    "allowReserved",
    "collectionFormat",
];

/// An operation and where it is.
pub(super) struct Operation<'d> {
    pub(super) documents: &'d Documents,
    pub(super) at: Document,
    pub(super) method: &'d str,
    pub(super) path: &'d str,
    pub(super) item: &'d Value,
    pub(super) value: &'d Value,
}

/// A property of the arguments.
struct Parameter {
    name: String,
    place: &'static str,
    schema: Value,
    is_required: bool,
}

impl Operation<'_> {
    /// Returns the tool, and adds the variables that it requires.
    pub(super) fn tool(&self, choice: &Choice, env: &mut Vec<(String, String)>) -> Result<ForeignTool, String> {
        let mut schemas = Schemas::new(self.documents, Side::Request);
        let mut notes = Vec::new();
        let mut parameters = self.parameters(&mut schemas, &mut notes)?;
        let is_open = self.body(&mut schemas, &mut parameters, &mut notes)?;
        parameters.sort_by_key(|parameter| PLACES.iter().position(|place| *place == parameter.place));
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for parameter in parameters {
            let name = free_name(&properties, &parameter, &mut notes);
            if parameter.is_required {
                required.push(Value::from(name.as_str()));
            }
            properties.insert(name, parameter.schema);
        }
        let schema = json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": is_open,
        });
        let arguments = schemas.with_definitions(schema)?;
        let returns = self.returns(&mut notes);
        let reads = ["get", "head", "options", "trace"].contains(&self.method);
        let annotations = json!({
            "readOnlyHint": reads, "destructiveHint": !reads, "idempotentHint": reads || ["put", "delete"].contains(&self.method),
            "openWorldHint": true,
        });
        Ok(ForeignTool {
            name: self.name(),
            title: self.text("summary"),
            description: self.description(),
            arguments,
            arguments_at: "",
            returns,
            annotations: annotations.as_object().cloned().unwrap_or_default(),
            env: security::variables(self.documents, self.value, choice, env),
            asks: !reads,
            left_out: notes,
            ..ForeignTool::default()
        })
    }

    fn text(&self, key: &str) -> Option<String> {
        let text = self.value[key].as_str().map(str::trim).filter(|text| !text.is_empty());
        text.map(str::to_owned)
    }

    /// Returns the name of the operation, or one of its method and path.
    fn name(&self) -> String {
        self.text("operationId").unwrap_or_else(|| {
            let parts = self.path.split('/').map(|part| part.trim_matches(['{', '}'])).filter(|part| !part.is_empty());
            std::iter::once(self.method).chain(parts).collect::<Vec<_>>().join("_")
        })
    }

    fn description(&self) -> Option<String> {
        let (summary, description) = (self.text("summary"), self.text("description"));
        match (summary, description) {
            (Some(summary), Some(text)) if !text.starts_with(&summary) => {
                let end = if summary.ends_with(['.', '!', '?']) { "" } else { "." };
                Some(format!("{summary}{end}\n\n{text}"))
            }
            (summary, description) => {
                let place = || format!("{} {}", self.method.to_uppercase(), self.path);
                description.or(summary).or_else(|| Some(place()))
            }
        }
    }

    /// Reads the parameters of the path and those of the operation, which replace them.
    fn parameters(
        &self,
        schemas: &mut Schemas<'_>,
        notes: &mut Vec<(String, String, String)>,
    ) -> Result<Vec<Parameter>, String> {
        let mut all: Vec<(Document, Value)> = Vec::new();
        for list in [&self.item["parameters"], &self.value["parameters"]] {
            for parameter in list.as_array().into_iter().flatten() {
                let (at, parameter) = self.documents.resolve(&self.at, parameter)?;
                all.retain(|(_, other)| other["name"] != parameter["name"] || other["in"] != parameter["in"]);
                all.push((at, parameter));
            }
        }
        let mut found = Vec::new();
        for (at, parameter) in all {
            let name = parameter["name"].as_str().unwrap_or_default();
            let Some(place) = PLACES.into_iter().find(|place| parameter["in"] == *place) else {
                let what = format!("`{name}` is in `{}`", parameter["in"].as_str().unwrap_or_default());
                notes.push(("/parameters".to_owned(), what, "left out: not a place of parameters".to_owned()));
                continue;
            };
            if place == "body" || place == "header" && HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
                continue;
            }
            let mut schema = schemas.schema(&at, &schema_of(&parameter), 0)?;
            if let (Some(text), Some(map)) = (parameter["description"].as_str(), schema.as_object_mut()) {
                map.insert("description".to_owned(), text.into());
            }
            let is_required = place == "path" || parameter["required"] == true;
            found.push(Parameter { name: name.to_owned(), place, schema, is_required });
        }
        Ok(found)
    }

    /// Reads the body: the properties of an object are parameters, and anything else is the parameter `body`. Returns whether further
    /// properties are accepted.
    fn body(
        &self,
        schemas: &mut Schemas<'_>,
        parameters: &mut Vec<Parameter>,
        notes: &mut Vec<(String, String, String)>,
    ) -> Result<bool, String> {
        let Some((at, schema, is_required)) = self.body_schema(notes)? else { return Ok(false) };
        let (target_at, target) = self.documents.resolve(&at, &schema)?;
        let properties = target["properties"].as_object().filter(|properties| !properties.is_empty());
        let is_plain = ["oneOf", "anyOf", "allOf", "not", "if", "minProperties", "maxProperties", "discriminator"]
            .iter()
            .all(|keyword| target.get(*keyword).is_none())
            && target.get("nullable") != Some(&Value::Bool(true))
            && !target.get("additionalProperties").is_some_and(Value::is_object);
        let names = target["required"].as_array().cloned().unwrap_or_default();
        // An optional body with required properties can be left out as a whole only.
        let can_be_merged = is_plain && (is_required || names.is_empty());
        let Some(_) = properties.filter(|_| can_be_merged) else {
            let schema = schemas.schema(&at, &schema, 0)?;
            parameters.push(Parameter { name: "body".to_owned(), place: "body", schema, is_required });
            return Ok(false);
        };
        let converted = schemas.schema(&target_at, &target, 0)?;
        let names = converted["required"].as_array().cloned().unwrap_or_default();
        for (name, schema) in converted["properties"].as_object().into_iter().flatten() {
            let is_required = names.iter().any(|other| other == name.as_str());
            parameters.push(Parameter { name: name.clone(), place: "body", schema: schema.clone(), is_required });
        }
        Ok(target.get("additionalProperties") == Some(&Value::Bool(true)))
    }

    /// Returns the schema of the body, and whether it is required.
    fn body_schema(
        &self,
        notes: &mut Vec<(String, String, String)>,
    ) -> Result<Option<(Document, Value, bool)>, String> {
        // OpenAPI 2.0 has it among the parameters.
        for list in [&self.value["parameters"], &self.item["parameters"]] {
            for parameter in list.as_array().into_iter().flatten() {
                let (at, parameter) = self.documents.resolve(&self.at, parameter)?;
                if parameter["in"] == "body" {
                    return Ok(Some((at, parameter["schema"].clone(), parameter["required"] == true)));
                }
            }
        }
        let Some(body) = self.value.get("requestBody") else { return Ok(None) };
        let (at, body) = self.documents.resolve(&self.at, body)?;
        let Some((media, content)) = media_type(&body["content"]) else {
            return Err("has a body without a schema".to_owned());
        };
        if !is_json(media) {
            notes.push(("/requestBody/content".to_owned(), media.to_owned(), "the body is not JSON".to_owned()));
        }
        let schema = content.get("schema").cloned().unwrap_or_else(|| json!({}));
        Ok(Some((at, schema, body["required"] == true)))
    }

    /// Returns the schema of the first successful response.
    fn returns(&self, notes: &mut Vec<(String, String, String)>) -> Option<Value> {
        let responses = self.value["responses"].as_object()?;
        let mut codes: Vec<&String> = responses.keys().filter(|code| code.starts_with('2')).collect();
        codes.sort();
        let code = codes.first()?;
        let schema = self.documents.resolve(&self.at, &responses[*code]).and_then(|(at, response)| {
            let content = media_type(&response["content"]).filter(|(media, _)| is_json(media));
            let schema = content.and_then(|(_, content)| content.get("schema")).or_else(|| response.get("schema"));
            let Some(schema) = schema else { return Ok(None) };
            let mut schemas = Schemas::new(self.documents, Side::Response);
            let converted = schemas.schema(&at, schema, 0)?;
            schemas.with_definitions(converted).map(Some)
        });
        schema.unwrap_or_else(|why| {
            notes.push((format!("/responses/{}", escaped(code)), String::new(), format!("left out: {why}")));
            None
        })
    }
}

/// Returns the schema of a parameter, in the form of any version.
fn schema_of(parameter: &Value) -> Value {
    if let Some(schema) = parameter.get("schema") {
        return schema.clone();
    }
    if let Some((_, content)) = media_type(&parameter["content"]) {
        return content.get("schema").cloned().unwrap_or_else(|| json!({}));
    }
    let map = parameter.as_object().into_iter().flatten();
    map.filter(|(key, _)| !OF_PARAMETERS.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// Returns the media type of a content that is used: JSON, or else the first one.
fn media_type(content: &Value) -> Option<(&str, &Value)> {
    let content = content.as_object()?;
    let found = content.iter().find(|(media, _)| is_json(media)).or_else(|| content.iter().next());
    found.map(|(media, content)| (media.as_str(), content))
}

fn is_json(media: &str) -> bool {
    let media = media.split(';').next().unwrap_or_default().trim();
    media == "application/json" || media.ends_with("+json") || media == "*/*"
}

/// Returns the name of a parameter. If another one has it, the place is put before it.
fn free_name(taken: &Map<String, Value>, parameter: &Parameter, notes: &mut Vec<(String, String, String)>) -> String {
    if !taken.contains_key(&parameter.name) {
        return parameter.name.clone();
    }
    let mut name = format!("{}_{}", parameter.place, parameter.name);
    while taken.contains_key(&name) {
        name.push('_');
    }
    let found = format!("`{}` is also in another place", parameter.name);
    notes.push((
        format!("/parameters/{}", escaped(&parameter.name)),
        found,
        format!("named `{name}` in the {}", parameter.place),
    ));
    name
}
