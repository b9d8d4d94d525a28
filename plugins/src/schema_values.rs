//! The schemas of a plugin's tool: fills defaults into arguments, and validates results. The runtime does neither for a plugin,
//! because a plugin has no generated Rust types.

use jsonschema::Validator;
use toolc::Value;
use toolc_codegen::manifest::ToolManifest;
use toolc_codegen::schema::{Additional, Defs, Schema};

/// The schemas of one tool.
#[derive(Debug)]
pub(crate) struct ToolSchemas {
    params: Schema,
    defs: Defs,
    returns: Option<Validator>,
}

impl ToolSchemas {
    pub(crate) fn new(manifest: &ToolManifest) -> Self {
        let returns = manifest.returns.as_ref().map(|returns| manifest.defs.full_schema(returns));
        Self {
            params: manifest.params.clone(),
            defs: manifest.defs.clone(),
            // The compiler has checked the schema, so this does not fail.
            returns: returns.and_then(|returns| jsonschema::draft202012::new(&returns).ok()),
        }
    }

    /// Inserts the defaults of missing properties, as a compiled handler gets them.
    pub(crate) fn fill_defaults(&self, arguments: &mut Value) {
        self.fill(&self.params, arguments);
    }

    /// Inserts the defaults of missing properties into `value` and its nested values. The recursion ends, because the value is
    /// finite and the compiler refuses defaults that contain themselves.
    fn fill(&self, schema: &Schema, value: &mut Value) {
        let schema = self.defs.resolve(schema).schema;
        match value {
            Value::Object(map) => {
                for property in &schema.properties {
                    let name = &property.name.value;
                    if !map.contains_key(name)
                        && let Some(default) = &property.schema.default
                    {
                        map.insert(name.clone(), default.value.clone());
                    }
                    if let Some(value) = map.get_mut(name) {
                        self.fill(&property.schema, value);
                    }
                }
                if let Additional::Schema(further) = &schema.additional {
                    let is_declared = |name: &String| schema.properties.iter().any(|known| known.name.value == *name);
                    for (_, value) in map.iter_mut().filter(|(name, _)| !is_declared(name)) {
                        self.fill(further, value);
                    }
                }
            }
            Value::Array(items) => {
                if let Some(schema) = &schema.items {
                    for item in items {
                        self.fill(schema, item);
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns why a result does not match the schema in `returns`: the first errors. Returns `None` if the result is valid.
    pub(crate) fn mismatch(&self, result: &Value) -> Option<String> {
        const MAX_ERRORS: usize = 3;
        let errors: Vec<String> = (self.returns.iter())
            .flat_map(|returns| returns.iter_errors(result))
            .take(MAX_ERRORS)
            .map(|error| {
                let path = error.instance_path().to_string();
                if path.is_empty() { error.to_string() } else { format!("{path}: {error}") }
            })
            .collect();
        (!errors.is_empty()).then(|| errors.join("; "))
    }
}
