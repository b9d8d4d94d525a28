//! Function definitions in OpenAI's format, for tools that are made at run time.

use std::borrow::Cow;
use std::pin::Pin;

use serde_json::{Map, Value, json};

use crate::call::Call;
use crate::provider::dynamic::DynamicTool;
use crate::provider::invalid_tools::{InvalidTool, InvalidTools, check_tool_name, table};
use crate::result::output::ToolResult;

const KEYS: [&str; 4] = ["name", "description", "parameters", "strict"];

/// A function definition in OpenAI's format: the name, the description and the parameters of a tool. With a handler, it
/// becomes a [`DynamicTool`].
///
/// ```
/// use serde_json::json;
/// use toolc::schema::FunctionDefinition;
/// use toolc::{Registry, ToolOutput};
///
/// let definition = json!({
///     "type": "function",
///     "function": {
///         "name": "weather",
///         "description": "The weather in a city, now.",
///         "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
///     },
/// });
/// let weather = FunctionDefinition::from_openai(&definition)?
///     .sync(|args, _| Ok(ToolOutput::text(format!("It rains in {}.", args["city"]))));
/// Registry::new().add(weather.build()?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FunctionDefinition {
    /// The name of the tool.
    pub name: Cow<'static, str>,
    /// The description of the tool; may be empty.
    pub description: Cow<'static, str>,
    /// The JSON Schema of the arguments.
    pub parameters: Value,
}

impl FunctionDefinition {
    /// Returns the definition of a tool with this JSON Schema of its arguments. The description may be empty.
    ///
    /// # Errors
    /// Returns all problems of the definition: a name that a vendor would refuse, and a schema that
    /// [`DynamicTools::build`](crate::DynamicTools::build) would refuse.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
        parameters: Value,
    ) -> Result<Self, InvalidTools> {
        let definition = Self { name: name.into(), description: description.into(), parameters };
        let mut problems = Vec::new();
        definition.check(&mut problems);
        InvalidTools::check(problems)?;
        Ok(definition)
    }

    /// Parses a definition: nested, as in Chat Completions (`{"type": "function", "function": {"name": ...}}`), or flat, as
    /// in the Responses API (`{"type": "function", "name": ...}`). `type` and `description` are optional. Without
    /// `parameters`, the function takes no arguments. `strict` is ignored: definitions of tools that are made at run time
    /// are never strict.
    ///
    /// # Errors
    /// Returns all problems of the definition: values of a wrong type, unknown or missing keys, a name that a vendor would
    /// refuse, and a schema that [`DynamicTools::build`](crate::DynamicTools::build) would refuse.
    pub fn from_openai(definition: &Value) -> Result<Self, InvalidTools> {
        let mut reader = Reader { problems: Vec::new() };
        let read = reader.definition(definition);
        InvalidTools::check(reader.problems)?;
        Ok(read)
    }

    /// Returns the tool with a handler that runs inline: see [`DynamicTool::sync`].
    pub fn sync<F>(self, handler: F) -> DynamicTool
    where
        F: Fn(Value, &Call<'_>) -> ToolResult + Send + Sync + 'static,
    {
        DynamicTool::sync(self.name, self.description, self.parameters, handler)
    }

    /// Returns the tool with a handler that runs on a thread of the pool: see [`DynamicTool::blocking`].
    pub fn blocking<F>(self, handler: F) -> DynamicTool
    where
        F: Fn(Value, &Call<'_>) -> ToolResult + Send + Sync + 'static,
    {
        DynamicTool::blocking(self.name, self.description, self.parameters, handler)
    }

    /// Returns the tool with a handler that returns a future: see [`DynamicTool::future`].
    pub fn future<F>(self, handler: F) -> DynamicTool
    where
        F: for<'a> Fn(Value, &'a Call<'a>) -> Pin<Box<dyn Future<Output = ToolResult> + Send + 'a>>
            + Send
            + Sync
            + 'static,
    {
        DynamicTool::future(self.name, self.description, self.parameters, handler)
    }

    fn check(&self, problems: &mut Vec<InvalidTool>) {
        check_tool_name(&self.name, problems);
        table(&self.name, &self.parameters, problems);
    }
}

struct Reader {
    problems: Vec<InvalidTool>,
}

impl Reader {
    fn definition(&mut self, definition: &Value) -> FunctionDefinition {
        let nothing = Map::new();
        let outer = self.object("", definition).unwrap_or(&nothing);
        if let Some(kind) = outer.get("type")
            && kind != "function"
        {
            self.problem("/type", format!("expected \"function\", got {kind}"));
        }
        #[expect(clippy::single_match_else, reason = "the two forms of a definition, next to each other")]
        let (at, function) = match outer.get("function") {
            Some(function) => {
                self.unknown_keys("", outer, &["type", "function"]);
                let function = self.object("/function", function).unwrap_or(&nothing);
                self.unknown_keys("/function", function, &KEYS);
                ("/function", function)
            }
            None => {
                self.unknown_keys("", outer, &[&["type"], &KEYS[..]].concat());
                ("", outer)
            }
        };
        let is_broken = !self.problems.is_empty() && function.is_empty();
        let name = self.string(at, function, "name").unwrap_or_else(|| {
            if !is_broken && !function.contains_key("name") {
                self.problem(at, "missing key `name`".to_owned());
            }
            String::new()
        });
        let name: Cow<'static, str> = name.into();
        let description = self.string(at, function, "description").unwrap_or_default().into();
        let parameters = match function.get("parameters") {
            None | Some(Value::Null) => json!({"type": "object", "properties": {}}),
            Some(parameters) => parameters.clone(),
        };
        let definition = FunctionDefinition { name, description, parameters };
        if !definition.name.is_empty() {
            definition.check(&mut self.problems);
        }
        definition
    }

    fn object<'v>(&mut self, path: &str, value: &'v Value) -> Option<&'v Map<String, Value>> {
        if value.as_object().is_none() {
            self.problem(path, format!("expected an object, got {}", noun(value)));
        }
        value.as_object()
    }

    /// Returns the string at a key, or `None` if it is missing or null. Any other value is a problem.
    fn string(&mut self, path: &str, map: &Map<String, Value>, key: &str) -> Option<String> {
        match map.get(key)? {
            Value::String(text) => Some(text.clone()),
            Value::Null if key != "name" => None,
            other => {
                self.problem(&format!("{path}/{key}"), format!("expected a string, got {}", noun(other)));
                None
            }
        }
    }

    fn unknown_keys(&mut self, path: &str, map: &Map<String, Value>, known: &[&str]) {
        for key in map.keys().filter(|key| !known.contains(&key.as_str())) {
            let message = format!("unknown key `{}`: expected one of {}", key.escape_debug(), known.join(", "));
            self.problem(path, message);
        }
    }

    fn problem(&mut self, path: &str, message: String) {
        self.problems.push(InvalidTool::Definition { path: path.to_owned(), message });
    }
}

fn noun(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::ToolCall;
    use crate::data::dialect::Dialect;
    use crate::fakes::wait;
    use crate::registry::Registry;
    use crate::result::output::ToolOutput;

    fn parameters() -> Value {
        json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]})
    }

    #[test]
    fn wrapped_and_flat_definitions_mean_the_same() {
        let function = json!({"name": "weather", "description": "Now.", "parameters": parameters(), "strict": true});
        let mut flat = function.clone();
        flat["type"] = "function".into();
        let wrapped = json!({"type": "function", "function": function});
        let read = FunctionDefinition::from_openai(&wrapped).unwrap();
        for definition in [&flat, &function, &json!({"function": function})] {
            assert_eq!(FunctionDefinition::from_openai(definition).as_ref(), Ok(&read));
        }
        let expected =
            FunctionDefinition { name: "weather".into(), description: "Now.".into(), parameters: parameters() };
        assert_eq!(read, expected);
        assert_eq!(FunctionDefinition::new("weather", "Now.", parameters()), Ok(expected));
    }

    #[test]
    fn the_schema_is_kept_and_the_tool_runs() {
        let definition = json!({"type": "function", "function": {"name": "weather", "description": "Now.", "parameters": parameters()}});
        let read = || FunctionDefinition::from_openai(&definition).unwrap();
        let answer = |args: Value| Ok(ToolOutput::text(args["city"].as_str().unwrap_or_default()));
        for tool in [
            read().sync(move |args, _| answer(args)),
            read().blocking(move |args, _| answer(args)),
            read().future(move |args, _| Box::pin(async move { answer(args) })),
        ] {
            let registry = Registry::new();
            registry.add(tool.build().unwrap()).unwrap();
            let turn = registry.session().build().unwrap().turn_blocking(Dialect::OpenAi);
            assert_eq!(serde_json::from_str::<Value>(turn.definitions()).unwrap(), json!([definition]));
            let called = |arguments| wait(turn.call(&ToolCall::new("weather", arguments)));
            assert_eq!(called(r#"{"city": "Rome"}"#).json, r#""Rome""#);
            assert!(called("{}").is_error());
        }
    }

    #[test]
    fn a_function_without_parameters_takes_no_arguments() {
        let read = FunctionDefinition::from_openai(&json!({"type": "function", "name": "now"})).unwrap();
        assert_eq!((read.description, read.parameters), ("".into(), json!({"type": "object", "properties": {}})));
    }

    #[test]
    fn all_problems_of_a_definition_are_reported() {
        let problems = |definition: Value| FunctionDefinition::from_openai(&definition).unwrap_err().to_string();
        assert_eq!(problems(json!([])), "the definition: expected an object, got an array");
        assert_eq!(problems(json!({})), "the definition: missing key `name`");
        assert_eq!(problems(json!({"function": 7})), "the definition at /function: expected an object, got a number");
        assert_eq!(
            problems(json!({"type": "tool", "function": {"name": 7, "description": [], "paramters": {}}, "name": "x"})),
            "the definition at /type: expected \"function\", got \"tool\"; \
             the definition: unknown key `name`: expected one of type, function; \
             the definition at /function: unknown key `paramters`: expected one of name, description, parameters, strict; \
             the definition at /function/name: expected a string, got a number; \
             the definition at /function/description: expected a string, got an array"
        );
        assert_eq!(
            problems(json!({"type": "function", "name": "a.b", "parameters": {"type": "string"}})),
            "`a.b` cannot be the name of a tool: expected a letter or `_`, then letters, digits, `_` or `-`; at most 64 in \
             all; the tool `a.b`: the schema of its arguments must have `\"type\": \"object\"`"
        );
        let parts = FunctionDefinition::new("a.b", "", json!({"type": "string"})).unwrap_err().to_string();
        assert_eq!(parts, problems(json!({"name": "a.b", "parameters": {"type": "string"}})));
        assert!(FunctionDefinition::new("", "", json!({"type": "object"})).is_err());
    }
}
