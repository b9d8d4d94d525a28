//! MCP servers in the configuration files of clients: Claude, Cursor, VS Code, Zed and Codex.

use std::path::PathBuf;

use serde_json::{Map, Value};
use toolc_codegen::Failure;
use toolc_mcp::Endpoint;

/// The places of the servers in the files of clients.
const PLACES: [&str; 6] =
    ["/mcpServers", "/mcp_servers", "/servers", "/context_servers", "/mcp/servers", "/mcp/mcpServers"];

/// Returns the servers of a configuration file, or `None` if it is another kind of document.
pub fn servers(document: &Value) -> Option<&Map<String, Value>> {
    let is_server =
        |value: &Value| ["command", "url", "serverUrl", "httpUrl"].iter().any(|key| value.get(key).is_some());
    let found = PLACES.iter().filter_map(|place| document.pointer(place)?.as_object());
    found.into_iter().find(|all| !all.is_empty() && all.values().all(is_server))
}

/// Returns a server of a configuration file. `variable` returns the value of an environment variable.
///
/// # Errors
/// If no server is named, the server is unknown, or its settings cannot be used.
pub fn endpoint(
    servers: &Map<String, Value>,
    name: Option<&str>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Endpoint, Failure> {
    let names = servers.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
    let Some(name) = name else {
        return Err(Failure::new(format!(
            "the file configures MCP servers: name the one to start, --server NAME: {names}"
        )));
    };
    let settings =
        servers.get(name).ok_or_else(|| Failure::new(format!("unknown server `{name}`: the file has {names}")))?;
    read(settings, variable).map_err(|why| Failure::new(format!("the server `{name}` cannot be started: {why}")))
}

fn read(settings: &Value, variable: &dyn Fn(&str) -> Option<String>) -> Result<Endpoint, String> {
    let text = |value: &Value| match value {
        Value::String(text) => expanded(text, variable),
        Value::Number(_) | Value::Bool(_) => Ok(value.to_string()),
        other => Err(format!("expected a string, got {}", crate::schema::noun(other))),
    };
    let pairs = |key: &str| -> Result<Vec<(String, String)>, String> {
        let map = settings.get(key).and_then(Value::as_object);
        map.into_iter().flatten().map(|(name, value)| Ok((name.clone(), text(value)?))).collect()
    };
    let url = ["url", "serverUrl", "httpUrl"].iter().find_map(|key| settings.get(*key));
    if let Some(url) = url {
        let mut headers = pairs("headers")?;
        headers.extend(pairs("http_headers")?);
        for (name, source) in settings.get("env_http_headers").and_then(Value::as_object).into_iter().flatten() {
            headers.push((name.clone(), set(source.as_str().unwrap_or_default(), variable)?));
        }
        if let Some(name) = settings.get("bearer_token_env_var").and_then(Value::as_str) {
            headers.push(("Authorization".to_owned(), format!("Bearer {}", set(name, variable)?)));
        }
        return Ok(Endpoint::Address { url: text(url)?, headers });
    }
    // Zed nests the command.
    let (program, nested) = match settings.get("command") {
        Some(Value::Object(nested)) => (nested.get("path"), Some(nested)),
        program => (program, None),
    };
    let mut command = vec![text(program.ok_or("expected `command` or `url`")?)?];
    let args = nested.and_then(|nested| nested.get("args")).or_else(|| settings.get("args"));
    for arg in args.and_then(Value::as_array).into_iter().flatten() {
        command.push(text(arg)?);
    }
    let mut env = pairs("env")?;
    for name in settings.get("env_vars").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        env.push((name.to_owned(), set(name, variable)?));
    }
    let directory = settings.get("cwd").map(text).transpose()?.map(PathBuf::from);
    Ok(Endpoint::Program { command, env, directory })
}

fn set(name: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    variable(name).ok_or_else(|| format!("the variable {name} is not set"))
}

/// Replaces `${NAME}`, `${env:NAME}` and `${NAME:-default}` by the values of variables.
fn expanded(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        let Some((reference, next)) = after.split_once('}') else { break };
        out += before;
        let reference = reference.strip_prefix("env:").unwrap_or(reference);
        let (name, default) = reference.split_once(":-").map_or((reference, None), |(name, it)| (name, Some(it)));
        let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        if !is_name {
            return Err(format!("it refers to `${{{reference}}}`, which only its client knows: write the value"));
        }
        out += &match (variable(name), default) {
            (Some(value), _) => value,
            (None, Some(default)) => default.to_owned(),
            (None, None) => return Err(format!("the variable {name} is not set")),
        };
        rest = next;
    }
    Ok(out + rest)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(document: &Value, name: &str) -> Result<Endpoint, String> {
        let variable = |name: &str| (name == "KEY").then(|| "secret".to_owned());
        endpoint(servers(document).expect("it has servers"), Some(name), &variable)
            .map_err(|failure| failure.to_string())
    }

    #[test]
    fn each_client_writes_its_servers_at_its_own_place() {
        let server =
            json!({ "command": "npx", "args": ["-y", "pkg", 8080], "env": { "A": "${KEY}", "B": "${NONE:-b}" } });
        let expected = Endpoint::Program {
            command: ["npx", "-y", "pkg", "8080"].map(str::to_owned).to_vec(),
            env: vec![("A".to_owned(), "secret".to_owned()), ("B".to_owned(), "b".to_owned())],
            directory: None,
        };
        for document in [
            json!({ "mcpServers": { "s": server } }),
            json!({ "servers": { "s": server }, "inputs": [] }),
            json!({ "mcp": { "servers": { "s": server } } }),
            json!({ "mcp_servers": { "s": server } }),
        ] {
            assert_eq!(of(&document, "s").as_ref(), Ok(&expected), "{document}");
        }
        let zed = json!({ "context_servers": { "s": { "command": { "path": "x", "args": ["y"] } } } });
        assert!(matches!(of(&zed, "s"), Ok(Endpoint::Program { command, .. }) if command == ["x", "y"]));
        let codex = json!({ "mcp_servers": { "s": { "url": "https://x/mcp", "bearer_token_env_var": "KEY" } } });
        let headers = vec![("Authorization".to_owned(), "Bearer secret".to_owned())];
        assert_eq!(of(&codex, "s"), Ok(Endpoint::Address { url: "https://x/mcp".to_owned(), headers }));
    }

    #[test]
    fn a_server_that_is_not_named_is_not_started() {
        let document = json!({ "mcpServers": { "a": { "command": "x" }, "b": { "command": "${input:key}" } } });
        let error = endpoint(servers(&document).expect("it has servers"), None, &|_| None).expect_err("none is named");
        assert!(error.to_string().contains("--server NAME: a, b"), "{error}");
        assert!(of(&document, "c").is_err_and(|error| error.contains("a, b")));
        assert!(of(&document, "b").is_err_and(|error| error.contains("only its client knows")));
        assert_eq!(servers(&json!({ "tools": [] })), None);
        assert_eq!(servers(&json!({ "servers": [{ "url": "https://api.example.com" }] })), None);
    }
}
