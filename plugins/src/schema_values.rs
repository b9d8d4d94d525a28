//! What a tool's schemas say that its table does not: the values of what was not sent, and what it returns.

use jsonschema::Validator;
use toolc::Value;
use toolc_codegen::manifest::ToolManifest;
use toolc_codegen::schema::{Additional, Defs, Schema};

/// The schemas of one tool.
#[derive(Debug)]
pub(crate) struct Shape {
    params: Schema,
    defs: Defs,
    returns: Option<Validator>,
}

impl Shape {
    pub(crate) fn of(manifest: &ToolManifest) -> Self {
        let returns = manifest.returns.as_ref().map(|returns| manifest.defs.full_schema(returns));
        Self {
            params: manifest.params.clone(),
            defs: manifest.defs.clone(),
            // The compiler has looked at it.
            returns: returns.and_then(|returns| jsonschema::draft202012::new(&returns).ok()),
        }
    }

    /// Puts the defaults of what was not sent in its place, as a compiled handler finds them.
    pub(crate) fn fill(&self, arguments: &mut Value) {
        self.fill_in(&self.params, arguments);
    }

    /// Terminates, because the value is finite and no default contains itself.
    fn fill_in(&self, schema: &Schema, value: &mut Value) {
        let schema = self.defs.resolve(schema).schema;
        match value {
            Value::Object(map) => {
                for property in &schema.properties {
                    let name = &property.name.value;
                    if let (false, Some(default)) = (map.contains_key(name), &property.schema.default) {
                        map.insert(name.clone(), default.value.clone());
                    }
                    if let Some(value) = map.get_mut(name) {
                        self.fill_in(&property.schema, value);
                    }
                }
                if let Additional::Schema(further) = &schema.additional {
                    let is_declared = |name: &String| schema.properties.iter().any(|known| known.name.value == *name);
                    for (_, value) in map.iter_mut().filter(|(name, _)| !is_declared(name)) {
                        self.fill_in(further, value);
                    }
                }
            }
            Value::Array(items) => {
                if let Some(schema) = &schema.items {
                    for item in items {
                        self.fill_in(schema, item);
                    }
                }
            }
            _ => {}
        }
    }

    /// What is wrong with a result, if anything is.
    pub(crate) fn mismatch(&self, result: &Value) -> Option<String> {
        /// The rest is mostly of the same sort.
        const MOST: usize = 3;
        let errors: Vec<String> = (self.returns.iter())
            .flat_map(|returns| returns.iter_errors(result))
            .take(MOST)
            .map(|error| match error.instance_path().to_string() {
                path if path.is_empty() => error.to_string(),
                path => format!("{path}: {error}"),
            })
            .collect();
        (!errors.is_empty()).then(|| errors.join("; "))
    }
}
