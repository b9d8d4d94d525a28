//! Requests that say clearly what they mean, and not in the form of the protocol: a client that lacks what is for display only, and
//! arguments that are not an object.

use rmcp::model::{
    ClientCapabilities, ClientJsonRpcMessage, ClientRequest, CustomRequest, JsonObject, JsonRpcMessage, ProtocolVersion,
};
use serde_json::{Map, Value, json};

use crate::message::{capabilities, implementation};

/// The key of arguments that are not an object, in the object that takes their place.
const WHOLE: &str = "toolc/arguments";

/// The key of the protocol version in `_meta` of a request.
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// Returns a request in the form of the protocol, if it does not have it and its meaning is clear.
pub(super) fn rewritten(message: &ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
    let JsonRpcMessage::Request(request) = message else { return None };
    // The protocol library treats a request with invalid parameters as an unknown request.
    let ClientRequest::CustomRequest(CustomRequest { method, params, .. }) = &request.request else { return None };
    let params = match (method.as_str(), params) {
        ("initialize", params) if !is_stateless(message) => initialize(params.as_ref()),
        ("tools/call", Some(Value::Object(params))) => call(params.clone())?,
        // Some libraries write no parameters so.
        (_, Some(params)) if says_nothing(params) => {
            let without = json!({ "jsonrpc": "2.0", "id": request.id, "method": method });
            return serde_json::from_value(without).ok();
        }
        _ => return None,
    };
    let rewritten = json!({ "jsonrpc": "2.0", "id": request.id, "method": method, "params": params });
    serde_json::from_value(rewritten).ok()
}

/// Returns a message without parameters and without an id that say nothing, if it has such ones: the protocol library does not read it.
pub(super) fn without_empty_members(text: &str) -> Option<ClientJsonRpcMessage> {
    let Value::Object(mut message) = serde_json::from_str(text).ok()? else { return None };
    let length = message.len();
    if message.get("params").is_some_and(says_nothing) {
        message.remove("params");
    }
    let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
    if method.starts_with("notifications/") && message.get("id").is_some_and(Value::is_null) {
        message.remove("id");
    }
    if message.len() == length { None } else { serde_json::from_value(message.into()).ok() }
}

/// Returns whether parameters are as good as absent.
fn says_nothing(params: &Value) -> bool {
    match params {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    }
}

/// Returns the arguments of a call as the client sent them: repair and validation decide what they mean.
pub(super) fn arguments(arguments: JsonObject) -> Value {
    let mut arguments = arguments;
    match arguments.remove(WHOLE) {
        Some(whole) if arguments.is_empty() => whole,
        Some(whole) => {
            arguments.insert(WHOLE.to_owned(), whole);
            arguments.into()
        }
        None => arguments.into(),
    }
}

/// Returns whether a request belongs to the stateless protocol, which has no handshake: its `_meta` has the version.
fn is_stateless(message: &ClientJsonRpcMessage) -> bool {
    serde_json::to_value(message).is_ok_and(|message| message["params"]["_meta"].get(META_VERSION).is_some())
}

fn initialize(params: Option<&Value>) -> Value {
    let get = |key: &str| params.and_then(|params| params.get(key));
    let version = get("protocolVersion").and_then(Value::as_str);
    let mut rewritten = json!({
        "protocolVersion": version.unwrap_or(ProtocolVersion::LATEST_WITH_INITIALIZE.as_str()),
        "capabilities": capabilities::<ClientCapabilities>(get("capabilities")),
        "clientInfo": implementation(get("clientInfo")),
    });
    if let Some(meta @ Value::Object(_)) = get("_meta") {
        rewritten["_meta"] = meta.clone();
    }
    rewritten
}

fn call(mut params: Map<String, Value>) -> Option<Value> {
    let arguments = params.remove("arguments").filter(|arguments| !arguments.is_object() && !arguments.is_null())?;
    params.insert("arguments".to_owned(), json!({ WHOLE: arguments }));
    Some(params.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(method: &str, params: Value) -> ClientRequest {
        let mut message = json!({ "jsonrpc": "2.0", "id": 1, "method": method });
        if !params.is_null() {
            message["params"] = params;
        }
        let message: ClientJsonRpcMessage = serde_json::from_value(message).expect("it is a request");
        let message = rewritten(&message).unwrap_or(message);
        let JsonRpcMessage::Request(request) = message else { panic!("it is a request") };
        request.request
    }

    #[test]
    fn a_client_can_begin_without_what_is_for_display() {
        let info = json!({ "name": "c", "version": "1" });
        for params in [
            json!(null),
            json!({}),
            json!({ "protocolVersion": 7 }),
            json!({ "protocolVersion": "2025-06-18", "capabilities": true, "clientInfo": info }),
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "c" } }),
            json!({ "protocolVersion": "2025-06-18", "capabilities": { "roots": true, "sampling": [] }, "clientInfo": "c" }),
            json!({ "protocolVersion": "2025-06-18", "capabilities": null, "clientInfo": info }),
        ] {
            assert!(matches!(read("initialize", params.clone()), ClientRequest::InitializeRequest(_)), "{params}");
        }
        let params = json!({ "protocolVersion": "2025-03-26", "capabilities": { "sampling": {}, "roots": 1 } });
        let ClientRequest::InitializeRequest(request) = read("initialize", params) else { panic!("it begins") };
        assert_eq!(request.params.protocol_version, ProtocolVersion::V_2025_03_26);
        let stateless = json!({ "_meta": { META_VERSION: "2026-07-28" } });
        assert!(matches!(read("initialize", stateless), ClientRequest::CustomRequest(_)), "there is no handshake");
    }

    #[test]
    fn parameters_that_say_nothing_are_absent() {
        let request = |method: &str, params: &Value| {
            let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
            match crate::server::unreadable::read(message.as_bytes()) {
                Ok(JsonRpcMessage::Request(request)) => Some(request.request),
                _ => None,
            }
        };
        for params in [json!([]), json!(""), json!(false), json!(null)] {
            assert!(matches!(request("tools/list", &params), Some(ClientRequest::ListToolsRequest(_))), "{params}");
            assert!(matches!(request("ping", &params), Some(ClientRequest::PingRequest(_))), "{params}");
        }
        for params in [json!([1]), json!("x"), json!(7), json!(true)] {
            assert!(!matches!(request("tools/list", &params), Some(ClientRequest::ListToolsRequest(_))), "{params}");
        }
    }

    #[test]
    fn arguments_that_are_not_an_object_reach_the_tool_as_they_are() {
        for whole in [json!("{\"path\":\"a\"}"), json!([1]), json!(7), json!(true)] {
            let ClientRequest::CallToolRequest(request) =
                read("tools/call", json!({ "name": "t", "arguments": whole }))
            else {
                panic!("it is a call: {whole}")
            };
            assert_eq!(arguments(request.params.arguments.expect("arguments")), whole);
        }
        let object = json!({ "path": "a" });
        let ClientRequest::CallToolRequest(request) = read("tools/call", json!({ "name": "t", "arguments": object }))
        else {
            panic!("it is a call")
        };
        assert_eq!(arguments(request.params.arguments.expect("arguments")), object);
        let unnamed = read("tools/call", json!({ "arguments": "x" }));
        assert!(matches!(unnamed, ClientRequest::CustomRequest(_)), "the name is missing");
    }
}
