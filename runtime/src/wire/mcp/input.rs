//! Questions to the user of a client before the result of a call: `input_required` of the protocol version 2026-07-28. The client sends the
//! call again, with the answers.

use crate::text::json;
use crate::wire::WireError;
use crate::wire::mcp::{Era, Request, reply};
use crate::wire::node::{Node, Object};
use crate::wire::write::raw_json;
use serde_json::value::RawValue;

/// The key of a client's capabilities in a request's `_meta`.
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// A form for the user of a client.
#[derive(Debug, Clone, Copy)]
pub struct Form<'a> {
    /// The key of the question and of its answer. Must be unique among the forms of a result.
    pub key: &'a str,
    /// The text for the user.
    pub message: &'a str,
    /// The JSON Schema of the answer: an object whose properties are strings, numbers, booleans and lists of strings.
    pub schema: &'a RawValue,
}

/// The answer of a user to a [`Form`].
#[derive(Debug, Clone)]
pub enum FormAnswer {
    /// The user has sent the form. This is its content, an object that the client may not have validated.
    Accepted(Box<RawValue>),
    /// The user has declined.
    Declined,
    /// The user has closed the form without an answer.
    Cancelled,
}

/// What a request says about questions: whether the client can ask, and the answers.
#[derive(Debug, Clone, Default)]
pub(super) struct Input {
    can_ask: bool,
    state: Option<String>,
    answers: Vec<(String, FormAnswer)>,
}

impl Input {
    pub(super) fn read(params: &Object<'_>, meta: Option<&Object<'_>>) -> Result<Self, WireError> {
        let capabilities = meta.and_then(|meta| meta.get(CAPABILITIES_KEY)).map(|node| node.object()).transpose()?;
        let modes = capabilities.and_then(|capabilities| capabilities.get("elicitation"));
        let can_ask = match modes {
            // A client without a mode supports forms.
            Some(modes) => {
                let modes = modes.object()?;
                modes.get("form").is_some() || modes.get("url").is_none()
            }
            None => false,
        };
        let answers = match params.get("inputResponses") {
            Some(answers) => {
                let answers = answers.object()?;
                let keys: Vec<String> = answers.all().map(|(key, _)| key.to_owned()).collect();
                let answers = keys.into_iter().filter_map(|key| Some((answers.get(&key)?, key)));
                answers.map(|(node, key)| Ok((key, answer(&node)?))).collect::<Result<_, WireError>>()?
            }
            None => Vec::new(),
        };
        Ok(Self { can_ask, state: params.optional_text("requestState")?, answers })
    }
}

fn answer(node: &Node<'_>) -> Result<FormAnswer, WireError> {
    let answer = node.object()?;
    let action = answer.require("action", "`accept`, `decline` or `cancel`")?;
    match &*action.text()? {
        "accept" => {
            let content =
                answer.get("content").map(|content| content.require_object().map(|node| node.json.to_owned()));
            let content = content.transpose()?.unwrap_or_else(|| raw_json("{}".to_owned()));
            Ok(FormAnswer::Accepted(content))
        }
        "decline" => Ok(FormAnswer::Declined),
        "cancel" => Ok(FormAnswer::Cancelled),
        _ => Err(action.unexpected("`accept`, `decline` or `cancel`")),
    }
}

impl Request {
    /// Returns whether the client can show [forms](Self::ask): it has the protocol version 2026-07-28, and declares this capability.
    pub fn can_ask(&self) -> bool {
        self.era == Era::Stateless && self.input.can_ask
    }

    /// Returns the message that asks for input before the result of the call, as one line, or `None` if the client cannot
    /// [ask](Self::can_ask). The client sends the call again with a new id, the answers and `state`.
    ///
    /// A client can forge `state` and the answers. Sign the state, or make it a random key to data that the server stores. Accept a state
    /// only once, and only for the same tool and arguments.
    pub fn ask(&self, forms: &[Form<'_>], state: &str) -> Option<String> {
        if !self.can_ask() {
            return None;
        }
        let mut out = String::from(r#"{"inputRequests":{"#);
        for (at, Form { key, message, schema }) in forms.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            json::push_string(&mut out, key);
            out.push_str(r#":{"method":"elicitation/create","params":{"mode":"form","message":"#);
            json::push_string(&mut out, message);
            out.push_str(r#","requestedSchema":"#);
            out.push_str(schema.get());
            out.push_str("}}");
        }
        out.push_str(r#"},"requestState":"#);
        json::push_string(&mut out, state);
        out.push('}');
        Some(reply(&self.id, &out, self.era, "input_required"))
    }

    /// Returns the state that an earlier [`ask`](Self::ask) passed, if this is the call after it.
    pub fn state(&self) -> Option<&str> {
        self.input.state.as_deref()
    }

    /// Returns the answer to the [`Form`] with this key.
    pub fn answer(&self, key: &str) -> Option<&FormAnswer> {
        self.input.answers.iter().find(|(known, _)| known == key).map(|(_, answer)| answer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::data::dialect::Dialect;
    use crate::fakes::{Fake, tool};
    use crate::wire::mcp::{Incoming, Server};

    /// Returns what the server makes of a call with these parameters.
    fn receive(capabilities: &Value, version: &str, more: &Value) -> Incoming {
        let turn = Fake::new([tool("find", "web", &[])]).registry().session().build().unwrap();
        let meta = json!({ "io.modelcontextprotocol/protocolVersion": version, CAPABILITIES_KEY: capabilities });
        let mut params = json!({ "name": "find", "_meta": meta });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let message = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
        Server::new("s", "1").receive(&message.to_string(), &turn.turn_blocking(Dialect::Mcp))
    }

    fn request(capabilities: &Value, version: &str, more: &Value) -> Request {
        match receive(capabilities, version, more) {
            Incoming::Call(request) => request,
            other => panic!("{other:?}"),
        }
    }

    const NEWEST: &str = "2026-07-28";

    #[test]
    fn a_client_is_asked_if_it_can_show_forms() {
        let schema = RawValue::from_string(r#"{"type":"object","properties":{}}"#.to_owned()).unwrap();
        let form = Form { key: "ok", message: "Run \"it\"?", schema: &schema };
        let can = json!({ "elicitation": {} });
        for capabilities in [&can, &json!({ "elicitation": { "form": {}, "url": {} } })] {
            let asked =
                request(capabilities, NEWEST, &json!({})).ask(&[form, Form { key: "b", ..form }], "s1").unwrap();
            let params = json!({ "mode": "form", "message": "Run \"it\"?", "requestedSchema": { "type": "object", "properties": {} } });
            let form = json!({ "method": "elicitation/create", "params": params });
            let result = json!({ "resultType": "input_required", "inputRequests": { "ok": form, "b": form }, "requestState": "s1" });
            let expected = json!({ "jsonrpc": "2.0", "id": 7, "result": result });
            assert_eq!(serde_json::from_str::<Value>(&asked).unwrap(), expected);
        }
        for (capabilities, version) in
            [(&json!({}), NEWEST), (&json!({ "elicitation": { "url": {} } }), NEWEST), (&can, "2025-11-25")]
        {
            assert_eq!(request(capabilities, version, &json!({})).ask(&[form], "s1"), None, "{capabilities} {version}");
        }
    }

    #[test]
    fn the_answers_come_with_the_next_call() {
        let answers = json!({
            "a": { "action": "accept", "content": { "n": 1 } }, "b": { "action": "decline" },
            "c": { "action": "cancel", "content": null }, "d": { "action": "accept" },
        });
        let request = request(&json!({}), NEWEST, &json!({ "inputResponses": answers, "requestState": "s1" }));
        assert_eq!(request.state(), Some("s1"));
        let shown = ["a", "b", "c", "d", "e"].map(|key| match request.answer(key) {
            Some(FormAnswer::Accepted(content)) => content.get().to_owned(),
            other => format!("{other:?}"),
        });
        assert_eq!(shown, [r#"{"n":1}"#, "Some(Declined)", "Some(Cancelled)", "{}", "None"]);
        for (wrong, error) in [
            (json!({ "a": { "action": "maybe" } }), "/params/inputResponses/a/action: expected `accept`"),
            (
                json!({ "a": { "action": "accept", "content": [] } }),
                "/params/inputResponses/a/content: expected an object",
            ),
            (json!([]), "/params/inputResponses: expected an object"),
        ] {
            let Incoming::Reply(reply) = receive(&json!({}), NEWEST, &json!({ "inputResponses": wrong })) else {
                panic!("it is an error")
            };
            assert!(reply.contains("-32602") && reply.contains(error), "{reply}");
        }
    }
}
