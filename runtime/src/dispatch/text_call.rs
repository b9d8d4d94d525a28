//! Calls with a text instead of arguments.

use crate::call::ToolCall;
use crate::data::table::{Table, Type};
use crate::dispatch::expanded::Inner;
use crate::session::turn::Turn;
use crate::text::json;

impl Turn {
    /// Returns a call of a text tool with arguments. If no parameter takes the text, the arguments are the text as a JSON string, so
    /// that they are repaired or refused like those of any other call.
    #[cold]
    pub(super) fn with_arguments<'r>(&self, request: &ToolCall<'r>) -> Inner<'r> {
        let parameter = self.resolve_name(request.name()).and_then(|id| self.table(id).text_parameter());
        let mut arguments = String::with_capacity(request.arguments().len() + 32);
        if let Some(parameter) = parameter {
            arguments.push('{');
            json::push_string(&mut arguments, parameter);
            arguments.push(':');
        }
        json::push_string(&mut arguments, request.arguments());
        if parameter.is_some() {
            arguments.push('}');
        }
        Inner::Call { name: request.name().into(), arguments: arguments.into() }
    }
}

impl Table {
    /// Returns the parameter that takes the text of a call of a text tool: the only required one, if it accepts strings.
    fn text_parameter(&self) -> Option<&str> {
        let mut required = self.visible_properties(self.node(0)).filter(|property| property.required);
        let only = required.next().filter(|_| required.next().is_none())?;
        self.types(self.node(only.node)).contains(Type::String).then_some(&*only.name)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::call::ToolCall;
    use crate::call::hooks::{CallInfo, Hook, HookAction};
    use crate::data::dialect::Dialect;
    use crate::fakes::wait;
    use crate::provider::dynamic::DynamicTool;
    use crate::registry::Registry;
    use crate::result::error::ToolError;
    use crate::result::output::ToolOutput;
    use crate::session::turn::Turn;
    use std::sync::{Arc, Mutex};

    /// Returns a turn with a tool that has these parameters and returns its arguments, and what the hook has seen.
    fn turn(properties: &Value, required: &[&str]) -> (Turn, Arc<Mutex<Vec<String>>>) {
        struct Seen(Arc<Mutex<Vec<String>>>);
        impl Hook for Seen {
            fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
                self.0.lock().unwrap().push(call.arguments().to_string());
                Ok(HookAction::Continue)
            }
        }
        let seen = Arc::default();
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        let tool = DynamicTool::sync("apply", "Apply a patch.", schema, |args, _| ToolOutput::json(&args));
        let registry = Registry::new();
        registry.add(tool.build().unwrap()).unwrap();
        let session = registry.session().hook(Arc::new(Seen(Arc::clone(&seen))));
        (session.build().unwrap().turn_blocking(Dialect::OpenAi), seen)
    }

    #[test]
    fn a_text_becomes_the_only_required_parameter() {
        let text = "*** Begin \"patch\"\n{\"not\": json}\n";
        for properties in [
            json!({ "patch": { "type": "string" } }),
            json!({ "note": { "type": "string" }, "patch": { "type": ["string", "null"] } }),
        ] {
            let (turn, seen) = turn(&properties, &["patch"]);
            let response = wait(turn.call(&ToolCall::text("apply", text).with_id("c1")));
            let expected = json!({ "patch": text });
            assert_eq!(serde_json::from_str::<Value>(&response.json).unwrap(), expected);
            assert!(response.repairs.is_empty(), "{:?}", response.repairs);
            assert_eq!(*seen.lock().unwrap(), [expected.to_string()]);
            let batch = wait(turn.batch(&[ToolCall::text("apply", text)]));
            assert_eq!((batch[0].response.json.clone(), batch[0].call.arguments()), (response.json, text));
        }
    }

    #[test]
    fn a_text_for_another_tool_is_refused_with_what_was_expected() {
        for (properties, required) in [
            (json!({ "a": { "type": "string" }, "b": { "type": "string" } }), &["a", "b"][..]),
            (json!({ "a": { "type": "integer" } }), &["a"]),
            (json!({}), &[]),
        ] {
            let (turn, _) = turn(&properties, required);
            let response = wait(turn.call(&ToolCall::text("apply", "a text")));
            let error: Value = serde_json::from_str(&response.json).unwrap();
            assert_eq!(error["kind"], "invalid_arguments", "{error}");
            assert!(error.to_string().contains("object"), "{error}");
        }
        let (turn, _) = turn(&json!({}), &[]);
        let unknown = wait(turn.call(&ToolCall::text("aply", "a text"))).json;
        assert!(unknown.contains("did you mean `apply`?"), "{unknown}");
    }
}
