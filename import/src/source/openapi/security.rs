//! Credentials: they are variables of the environment, never parameters.

use serde_json::Value;

use super::Choice;
use super::references::Documents;

/// Returns the variables that an operation requires, and adds their descriptions.
pub(super) fn variables(
    documents: &Documents,
    operation: &Value,
    choice: &Choice,
    all: &mut Vec<(String, String)>,
) -> Vec<String> {
    let root = documents.root();
    let requirements = operation.get("security").or_else(|| root.get("security")).and_then(Value::as_array);
    let Some(requirements) = requirements else { return Vec::new() };
    // An empty requirement is met without credentials. The first of several alternatives is used.
    if requirements.iter().any(|requirement| requirement.as_object().is_none_or(serde_json::Map::is_empty)) {
        return Vec::new();
    }
    let first = requirements.first().and_then(Value::as_object);
    let mut found = Vec::new();
    for name in first.into_iter().flatten().map(|(name, _)| name) {
        let schemes = [&root["components"]["securitySchemes"], &root["securityDefinitions"]];
        let scheme = schemes.into_iter().find_map(|schemes| schemes.get(name)).cloned().unwrap_or_default();
        let scheme = documents.resolve(&root, &scheme).map_or(scheme, |(_, scheme)| scheme);
        let variable = variable(&choice.variables, name);
        all.push((variable.clone(), description(name, &scheme)));
        found.push(variable);
    }
    found.sort();
    found.dedup();
    found
}

/// Returns the name of the variable of a scheme.
fn variable(prefix: &str, scheme: &str) -> String {
    let mut name = String::new();
    let mut was_lower = false;
    for letter in format!("{prefix}_{scheme}").chars() {
        if letter.is_ascii_uppercase() && was_lower {
            name.push('_');
        }
        was_lower = letter.is_ascii_lowercase() || letter.is_ascii_digit();
        if letter.is_ascii_alphanumeric() {
            name.push(letter.to_ascii_uppercase());
        } else if !name.ends_with('_') && !name.is_empty() {
            name.push('_');
        }
    }
    let name = name.trim_matches('_').to_owned();
    if name.starts_with(|first: char| first.is_ascii_digit()) { format!("API_{name}") } else { name }
}

fn description(name: &str, scheme: &Value) -> String {
    let text = |key: &str| scheme[key].as_str().unwrap_or_default();
    let what = match (text("type"), text("scheme")) {
        ("apiKey", _) => format!("The API key that is sent as `{}` in the {}", text("name"), text("in")),
        ("basic", _) | ("http", "basic") => "The user and the password, as `USER:PASSWORD`".to_owned(),
        ("http", _) => "The token that is sent as `Authorization: Bearer`".to_owned(),
        ("oauth2" | "openIdConnect", _) => "The access token of OAuth".to_owned(),
        _ => "The credentials".to_owned(),
    };
    format!("{what}, for the scheme `{name}`.")
}

#[cfg(test)]
mod tests {
    use super::variable;

    #[test]
    fn a_variable_is_named_after_the_source_and_the_scheme() {
        for (prefix, scheme, name) in [
            ("petstore", "api_key", "PETSTORE_API_KEY"),
            ("my-shop", "bearerAuth", "MY_SHOP_BEARER_AUTH"),
            ("3d", "x", "API_3D_X"),
        ] {
            assert_eq!(variable(prefix, scheme), name);
        }
    }
}
