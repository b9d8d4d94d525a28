//! The limits of schemas that others wrote.

use serde_json::Value;

/// The maximum nesting of a definition. Manifests are nested at most 64 deep, with two levels for a property.
pub const MAX_DEPTH: usize = 100;
/// The maximum number of values in a definition.
const MAX_VALUES: usize = 100_000;

/// Checks the size of a schema.
///
/// # Errors
/// If it is nested too deep, or has too many parts.
pub fn check_depth(schema: &Value) -> Result<(), String> {
    let mut open = vec![(schema, 1)];
    let mut count = 0;
    while let Some((value, depth)) = open.pop() {
        count += 1;
        if depth > MAX_DEPTH {
            return Err(format!("its schema is nested more than {MAX_DEPTH} deep"));
        }
        if count > MAX_VALUES {
            return Err(format!("its schema has more than {MAX_VALUES} parts"));
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(map) => open.extend(map.values().map(|value| (value, depth + 1))),
            _ => {}
        }
    }
    Ok(())
}
