//! Lists of tools in the forms of vendors, protocols and frameworks. The form is found for each item.

mod catalog;

use serde_json::{Map, Value, json};

use crate::schema::noun;
use crate::tool::{ForeignTool, Source};

/// The maximum number of tools of a list.
const MAX_TOOLS: usize = 10_000;
/// The maximum nesting of lists in each other.
const MAX_NESTING: usize = 8;

/// Keys of an object that hold a list of tools.
const LISTS: [&str; 6] =
    ["tools", "functionDeclarations", "function_declarations", "functions", "toolConfig", "result"];
/// Keys of an object that hold one tool.
const WRAPPERS: [&str; 2] = ["function", "toolSpec"];
/// Keys of a tool that hold the schema of its arguments.
const ARGUMENTS: [&str; 9] = [
    "inputSchema",
    "input_schema",
    "parametersJsonSchema",
    "parameters_json_schema",
    "parameters",
    "args_schema",
    "argsSchema",
    "jsonSchema",
    "args",
];
/// Keys of a tool that hold the schema of its result.
const RETURNS: [&str; 6] =
    ["outputSchema", "output_schema", "responseJsonSchema", "response_json_schema", "response", "returns"];
/// Keys of a tool that are read, or that say nothing about its meaning.
const READ: [&str; 14] = [
    "name",
    "title",
    "description",
    "annotations",
    "icons",
    "_meta",
    "type",
    "function",
    "toolSpec",
    "properties",
    "required",
    "additionalProperties",
    "$defs",
    "definitions",
];

/// Reads a list of tools from JSON.
pub fn read(value: &Value, label: &str) -> Source {
    let mut source = Source { label: label.to_owned(), ..Source::default() };
    collect(value, "", 0, &mut source);
    let required: Vec<String> = source.tools.iter().flat_map(catalog::variables).collect();
    for variable in value.get("env").and_then(Value::as_array).into_iter().flatten() {
        let text = |key: &str| variable[key].as_str().unwrap_or_default().to_owned();
        if required.contains(&text("name")) {
            source.env.push((text("name"), text("description")));
        }
    }
    source
}

fn collect(value: &Value, pointer: &str, depth: usize, source: &mut Source) {
    let mut broken = |why: String| source.broken.push((pointer.to_owned(), why));
    if depth > MAX_NESTING {
        return broken(format!("lists are nested more than {MAX_NESTING} deep"));
    }
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect(item, &format!("{pointer}/{index}"), depth + 1, source);
            }
        }
        Value::Object(map) => object(map, pointer, depth, source),
        other => broken(format!("{} is not a tool", noun(other))),
    }
}

fn object(map: &Map<String, Value>, pointer: &str, depth: usize, source: &mut Source) {
    if let Some(error) = map.get("error").filter(|_| map.contains_key("jsonrpc")) {
        return source.broken.push((pointer.to_owned(), format!("the server has answered with an error: {error}")));
    }
    let lists: Vec<&str> = LISTS.into_iter().filter(|key| map.get(*key).is_some_and(is_list)).collect();
    if !lists.is_empty() && !ARGUMENTS.iter().any(|key| map.contains_key(*key)) {
        for key in lists {
            let below = format!("{pointer}/{key}");
            match &map[key] {
                // The AI SDK and hand-written lists have the names as keys.
                Value::Object(tools) if is_by_name(tools) => by_name(tools, &below, source),
                list => collect(list, &below, depth + 1, source),
            }
        }
        return;
    }
    if is_by_name(map) {
        return by_name(map, pointer, source);
    }
    if source.tools.len() >= MAX_TOOLS {
        return source.broken.push((pointer.to_owned(), format!("at most {MAX_TOOLS} tools are read")));
    }
    match tool(map, None) {
        Ok(tool) => source.tools.push(tool),
        Err(why) => source.broken.push((pointer.to_owned(), why)),
    }
}

fn is_list(value: &Value) -> bool {
    value.is_array() || value.is_object()
}

/// Returns whether all values of an object are tools without a name: their keys are the names.
fn is_by_name(map: &Map<String, Value>) -> bool {
    let is_tool = |value: &Value| {
        value.as_object().is_some_and(|tool| {
            !tool.contains_key("name") && ARGUMENTS[..7].iter().any(|key| tool.get(*key).is_some_and(Value::is_object))
        })
    };
    !map.is_empty() && map.values().all(is_tool)
}

fn by_name(tools: &Map<String, Value>, pointer: &str, source: &mut Source) {
    for (name, value) in tools {
        match value.as_object().ok_or_else(|| "not a tool".to_owned()).and_then(|map| tool(map, Some(name))) {
            Ok(tool) if source.tools.len() < MAX_TOOLS => source.tools.push(tool),
            Ok(_) => source.broken.push((pointer.to_owned(), format!("at most {MAX_TOOLS} tools are read"))),
            Err(why) => source.broken.push((format!("{pointer}/{name}"), why)),
        }
    }
}

/// Reads a tool in any form.
///
/// # Errors
/// Why it cannot be a tool.
pub fn tool(map: &Map<String, Value>, key: Option<&str>) -> Result<ForeignTool, String> {
    let wrapped = WRAPPERS.into_iter().find_map(|key| Some((key, map.get(key)?.as_object()?)));
    let (outer, map) = wrapped.map_or(("", map), |(key, inner)| (key, inner));
    let text = |key: &str| map.get(key).and_then(Value::as_str).map(str::to_owned);
    let is_schema = is_described_schema(map);
    let name = key.map(str::to_owned).or_else(|| text("name")).or_else(|| text("title").filter(|_| is_schema));
    let name = name.ok_or_else(|| {
        let keys: Vec<&str> = map.keys().map(String::as_str).take(6).collect();
        format!("has no `name`, and keys `{}`: not a tool of a known form", keys.join("`, `"))
    })?;
    let (arguments_at, arguments) = arguments(map, outer, is_schema).ok_or_else(|| no_arguments(&name, map))?;
    let mut tool = ForeignTool {
        title: text("title").filter(|_| !is_schema),
        description: text("description"),
        arguments,
        arguments_at,
        returns: RETURNS.iter().find_map(|key| map.get(*key)).filter(|schema| schema.is_object()).map(unwrapped),
        annotations: map.get("annotations").and_then(Value::as_object).cloned().unwrap_or_default(),
        icons: icons(map.get("icons")),
        meta: map.get("_meta").or_else(|| map.get("meta")).filter(|meta| meta.is_object()).cloned(),
        keys: catalog::keys(map),
        name,
        ..ForeignTool::default()
    };
    let is_read = |key: &str| {
        catalog::is_whole(map, key)
            || READ.contains(&key)
            || RETURNS.contains(&key)
            || key == "meta"
            || arguments_at.rsplit('/').next() == Some(key)
    };
    for (key, value) in map.iter().filter(|(key, value)| !is_read(key) && !value.is_null()) {
        let found = value.to_string();
        tool.left_out.push((format!("/{key}"), found, "left out: it has no meaning in a manifest".to_owned()));
    }
    Ok(tool)
}

/// Returns whether a tool is itself the schema of its arguments, as `LangChain` accepts it.
fn is_described_schema(map: &Map<String, Value>) -> bool {
    map.get("type").is_some_and(|ty| ty == "object") && map.contains_key("properties") && !map.contains_key("name")
}

/// Finds the schema of the arguments, and its place.
fn arguments(map: &Map<String, Value>, outer: &str, is_schema: bool) -> Option<(&'static str, Value)> {
    if is_schema {
        let mut schema = map.clone();
        schema.shift_remove("title");
        schema.shift_remove("description");
        return Some(("", Value::Object(schema)));
    }
    for key in ARGUMENTS {
        let Some(value) = map.get(key).filter(|value| !value.is_null()) else { continue };
        // `LangChain` lists only the properties.
        if key == "args" {
            return value.is_object().then(|| ("/args", json!({ "type": "object", "properties": value })));
        }
        return Some((place(outer, key), unwrapped(value)));
    }
    // A function without parameters may leave them out; a tool of the vendor has none either, but another type.
    let is_function = outer == "function" || map.get("type").is_none_or(|ty| ty == "function");
    is_function.then(|| {
        (place(outer, "parameters"), json!({ "type": "object", "properties": {}, "additionalProperties": false }))
    })
}

/// Returns a schema without the envelope that the AI SDK and Bedrock put around it.
fn unwrapped(value: &Value) -> Value {
    for key in ["jsonSchema", "json", "schema"] {
        if let Some(schema) = value.get(key).filter(|schema| schema.is_object() && value.get("type").is_none()) {
            return schema.clone();
        }
    }
    // A few frameworks write a schema as text.
    value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok()).unwrap_or_else(|| value.clone())
}

fn place(outer: &str, key: &str) -> &'static str {
    match (outer, key) {
        ("function", "parameters") => "/function/parameters",
        ("toolSpec", _) => "/toolSpec/inputSchema",
        (_, "inputSchema") => "/inputSchema",
        (_, "input_schema") => "/input_schema",
        (_, "parametersJsonSchema") => "/parametersJsonSchema",
        (_, "parameters_json_schema") => "/parameters_json_schema",
        (_, "args_schema") => "/args_schema",
        (_, "argsSchema") => "/argsSchema",
        (_, "jsonSchema") => "/jsonSchema",
        _ => "/parameters",
    }
}

fn no_arguments(name: &str, map: &Map<String, Value>) -> String {
    let ty = map.get("type").and_then(Value::as_str).unwrap_or_default();
    format!("`{name}` has the type `{ty}` and no schema: a tool that the vendor runs itself cannot be imported")
}

fn icons(icons: Option<&Value>) -> Vec<String> {
    let address = |icon: &Value| icon.as_str().or_else(|| icon["src"].as_str()).map(str::to_owned);
    icons.and_then(Value::as_array).into_iter().flatten().filter_map(address).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(value: &Value) -> Vec<String> {
        read(value, "x").tools.into_iter().map(|tool| tool.name).collect()
    }

    #[test]
    fn each_form_of_a_tool_is_found_by_its_shape() {
        let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
        for (tool, place) in [
            (json!({ "type": "function", "function": { "name": "t", "parameters": schema } }), "/function/parameters"),
            (json!({ "type": "function", "name": "t", "parameters": schema, "strict": true }), "/parameters"),
            (json!({ "name": "t", "input_schema": schema }), "/input_schema"),
            (json!({ "name": "t", "inputSchema": schema }), "/inputSchema"),
            (json!({ "name": "t", "inputSchema": { "jsonSchema": schema } }), "/inputSchema"),
            (json!({ "name": "t", "parametersJsonSchema": schema }), "/parametersJsonSchema"),
            (json!({ "toolSpec": { "name": "t", "inputSchema": { "json": schema } } }), "/toolSpec/inputSchema"),
            (json!({ "name": "t", "args_schema": schema }), "/args_schema"),
            (json!({ "title": "t", "description": "d", "type": "object", "properties": schema["properties"] }), ""),
        ] {
            let source = read(&tool, "x");
            let [found] = &source.tools[..] else { panic!("{tool}: {source:?}") };
            assert_eq!((found.name.as_str(), found.arguments_at), ("t", place), "{tool}");
            assert_eq!(found.arguments["properties"], schema["properties"], "{tool}");
        }
        let args = read(&json!({ "name": "t", "args": { "a": { "type": "string" } } }), "x");
        assert_eq!(args.tools[0].arguments, schema);
    }

    #[test]
    fn a_list_is_found_in_its_envelope() {
        let tool = json!({ "name": "t", "inputSchema": { "type": "object" } });
        for list in [
            json!([tool]),
            json!({ "tools": [tool] }),
            json!({ "jsonrpc": "2.0", "id": 1, "result": { "tools": [tool], "nextCursor": "x" } }),
            json!({ "tools": [{ "functionDeclarations": [tool] }] }),
            json!({ "functions": [tool] }),
            json!({ "toolConfig": { "tools": [{ "toolSpec": tool }] } }),
            json!({ "t": { "description": "d", "inputSchema": { "type": "object" } } }),
            json!({ "tools": { "t": { "parameters": { "type": "object" } } } }),
        ] {
            assert_eq!(names(&list), ["t"], "{list}");
        }
    }

    #[test]
    fn an_item_that_is_no_tool_does_not_affect_the_others() {
        let list = json!([
            7, { "name": "a" }, { "type": "web_search_20250305", "name": "web_search" }, { "x": 1 }, { "name": "b", "parameters": {} },
        ]);
        let source = read(&list, "x");
        assert_eq!(source.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        let broken: Vec<&str> = source.broken.iter().map(|(pointer, _)| pointer.as_str()).collect();
        assert_eq!(broken, ["/0", "/2", "/3"], "{:?}", source.broken);
    }

    #[test]
    fn lists_that_are_nested_too_deep_end() {
        let mut list = json!([]);
        for _ in 0..100 {
            list = json!([list]);
        }
        let source = read(&list, "x");
        assert!(source.tools.is_empty() && source.broken.len() == 1, "{source:?}");
    }
}
