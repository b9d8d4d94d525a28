//! Rewrites messages that say clearly what they mean, and not in the form of the protocol: members that are null, ids that are written
//! as 1.0, errors without a code, and descriptions of a server that lack what only people read.

use std::collections::BTreeMap;

use rmcp::model::{Implementation, RequestId, ServerCapabilities};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::text;

/// The members of a message. A server may write those that a message does not have as null.
const MEMBERS: [&str; 5] = ["method", "params", "id", "error", "result"];
/// The code of an error without a code: an internal error.
const NO_CODE: i64 = -32603;
/// The id of an answer without one. Requests have numbers as ids.
pub(super) const NAMELESS: &str = "an answer without an id";
/// The version of JSON-RPC, as JSON.
const JSON_RPC: &str = r#""2.0""#;
/// What stands for a name or a version that a server does not tell.
const UNKNOWN: &str = "unknown";

/// Returns a message in the form of the protocol. An answer without an id answers `asked`, or has the id [`NAMELESS`]. Returns `None` if it is
/// not a JSON object.
pub(super) fn normalized(message: &[u8], asked: Option<&RequestId>) -> Option<String> {
    let text = text::repaired(message);
    let mut members: BTreeMap<String, &RawValue> = serde_json::from_str(&text).ok()?;
    let is_null = |member: &RawValue| member.get() == "null";
    let has = |name: &str| members.get(name).is_some_and(|member| !is_null(member));
    let is_without_result = has("error") || has("method");
    members.retain(|name, member| {
        // A result that is null is not one that is absent, unless there is an error instead, or the message is not an answer.
        let is_needed = name == "result" && !is_without_result;
        is_needed || !MEMBERS.contains(&name.as_str()) || !is_null(member)
    });
    let mut changed = BTreeMap::new();
    if is_answer(&members) {
        // Lines of a log can have an error or a result, too.
        let is_certain = asked.is_some() || members.contains_key("jsonrpc");
        if !members.contains_key("id") && is_certain {
            let id = asked.map_or_else(|| json!(NAMELESS), |id| json!(id));
            changed.insert("id", id.to_string());
        }
        if members.contains_key("id") || is_certain {
            changed.insert("jsonrpc", JSON_RPC.to_owned());
        }
    }
    for (name, member) in &members {
        let new = match name.as_str() {
            "id" => integer(member),
            "error" => serde_json::from_str(member.get()).ok().and_then(error),
            "result" => description(member).or_else(|| content(member)),
            _ => None,
        };
        if let Some(new) = new {
            changed.insert(name.as_str(), new.to_string());
        }
    }
    let kept = members.iter().filter(|(name, _)| !changed.contains_key(name.as_str()));
    let kept = kept.map(|(name, member)| (name.as_str(), member.get()));
    let changed = changed.iter().map(|(name, member)| (*name, member.as_str()));
    let member = |(name, member): (&str, &str)| format!("{}:{member}", Value::from(name));
    Some(format!("{{{}}}", kept.chain(changed).map(member).collect::<Vec<_>>().join(",")))
}

fn is_answer(members: &BTreeMap<String, &RawValue>) -> bool {
    !members.contains_key("method") && ["result", "error"].iter().any(|name| members.contains_key(*name))
}

/// Returns an id that is written as a number with a fraction of zero.
fn integer(id: &RawValue) -> Option<Value> {
    let (integer, fraction) = id.get().split_once('.')?;
    let is_zero = fraction.bytes().all(|digit| digit == b'0');
    integer.parse::<i64>().ok().filter(|_| is_zero).map(Value::from)
}

/// Returns an error with a code and a message.
fn error(error: Value) -> Option<Value> {
    let mut members = match error {
        Value::Object(members) => members,
        Value::Null => return None,
        message => Map::from_iter([("message".to_owned(), message)]),
    };
    let code = members.get("code").and_then(code).unwrap_or(NO_CODE);
    let message = match members.get("message") {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => String::new(),
        Some(other) => other.to_string(),
    };
    members.insert("code".to_owned(), code.into());
    members.insert("message".to_owned(), message.into());
    Some(members.into())
}

/// Returns the code of an error, if it is a number of 32 bits.
fn code(code: &Value) -> Option<i64> {
    let number = match code {
        Value::String(text) => text.trim().parse().ok(),
        #[expect(clippy::cast_possible_truncation, reason = "only values in the range of i32 are kept")]
        number => number.as_i64().or_else(|| number.as_f64().filter(|number| number.fract() == 0.0).map(|n| n as i64)),
    };
    number.filter(|number| i32::try_from(*number).is_ok())
}

/// Returns a result that is a text or a list as one with this content.
fn content(result: &RawValue) -> Option<Value> {
    match serde_json::from_str(result.get()).ok()? {
        text @ Value::String(_) => Some(json!({ "content": [{ "type": "text", "text": text }] })),
        Value::Array(parts) => Some(json!({ "content": parts })),
        _ => None,
    }
}

/// Returns what a server says about itself, in answer to `initialize` or `server/discover`, with defaults for what is for display only.
fn description(result: &RawValue) -> Option<Value> {
    let Value::Object(mut result) = serde_json::from_str(result.get()).ok()? else { return None };
    let is_initialized = result.get("protocolVersion").is_some_and(Value::is_string);
    let is_discovered = result.get("supportedVersions").is_some_and(Value::is_array);
    if !is_initialized && !is_discovered {
        return None;
    }
    result.insert("capabilities".to_owned(), capabilities::<ServerCapabilities>(result.get("capabilities")));
    if result.get("instructions").is_some_and(|text| !text.is_string()) {
        result.remove("instructions");
    }
    if result.get("_meta").is_some_and(|meta| !meta.is_object()) {
        result.remove("_meta");
    }
    if is_initialized {
        result.insert("serverInfo".to_owned(), implementation(result.get("serverInfo")));
    }
    if is_discovered {
        cacheable(&mut result);
    }
    Some(result.into())
}

/// Adds the members that say how long an answer can be kept. By default, it cannot be kept.
fn cacheable(result: &mut Map<String, Value>) {
    let is_text = |value: &Value, words: &[&str]| value.as_str().is_some_and(|word| words.contains(&word));
    if !result.get("resultType").is_some_and(Value::is_string) {
        result.insert("resultType".to_owned(), "complete".into());
    }
    if !result.get("ttlMs").is_some_and(Value::is_u64) {
        result.insert("ttlMs".to_owned(), 0.into());
    }
    if !result.get("cacheScope").is_some_and(|scope| is_text(scope, &["public", "private"])) {
        result.insert("cacheScope".to_owned(), "private".into());
    }
}

/// Returns the name and the version of a program, as far as it tells them.
pub(crate) fn implementation(info: Option<&Value>) -> Value {
    if let Some(info) = info
        && serde_json::from_value::<Implementation>(info.clone()).is_ok()
    {
        return info.clone();
    }
    let text = |key: &str| match info.and_then(|info| info.get(key)) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    let name = text("name").or_else(|| info.and_then(Value::as_str).map(str::to_owned));
    let mut known = json!({
        "name": name.unwrap_or_else(|| UNKNOWN.to_owned()),
        "version": text("version").unwrap_or_else(|| UNKNOWN.to_owned()),
    });
    if let Some(title) = text("title") {
        known["title"] = title.into();
    }
    known
}

/// Returns the capabilities of a program, each as an object, without those that cannot be read.
pub(crate) fn capabilities<C: DeserializeOwned>(capabilities: Option<&Value>) -> Value {
    let is_valid = |value: &Value| serde_json::from_value::<C>(value.clone()).is_ok();
    let Some(Value::Object(written)) = capabilities else { return json!({}) };
    if capabilities.is_some_and(is_valid) {
        return json!(written);
    }
    let mut read = Map::new();
    for (name, value) in written {
        let value = if value.is_object() { value.clone() } else { json!({}) };
        let is_declared = !matches!(written.get(name), Some(Value::Null | Value::Bool(false)));
        if is_declared && is_valid(&json!({ (name.as_str()): value })) {
            read.insert(name.clone(), value);
        }
    }
    read.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(message: &Value) -> Value {
        serde_json::from_str(&normalized(message.to_string().as_bytes(), None).expect("it is an object"))
            .expect("it is JSON")
    }

    #[test]
    fn members_that_are_null_are_absent() {
        for (message, expected) in [
            (
                json!({ "id": 1, "method": null, "params": null, "result": {}, "error": null }),
                json!({ "jsonrpc": "2.0", "id": 1, "result": {} }),
            ),
            (
                json!({ "id": 1, "result": null, "error": { "code": -1, "message": "m" } }),
                json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -1, "message": "m" } }),
            ),
            (json!({ "id": null, "method": "a", "params": null }), json!({ "method": "a" })),
            (json!({ "id": null, "method": "a", "result": null, "error": null }), json!({ "method": "a" })),
            (json!({ "id": 1, "result": null, "error": null }), json!({ "jsonrpc": "2.0", "id": 1, "result": null })),
        ] {
            assert_eq!(read(&message), expected, "{message}");
        }
        let asked = RequestId::Number(7);
        for (message, id) in [
            (json!({ "id": null, "result": {} }), json!(7)),
            (json!({ "error": { "code": 1, "message": "m" } }), json!(7)),
            (json!({ "id": 3, "result": {} }), json!(3)),
            (json!({ "method": "a" }), json!(null)),
            (json!({ "type": "heartbeat" }), json!(null)),
        ] {
            let text = normalized(message.to_string().as_bytes(), Some(&asked)).expect("it is an object");
            let read: Value = serde_json::from_str(&text).expect("it is JSON");
            assert_eq!(read["id"], id, "{message}");
        }
        assert_eq!(normalized(b"[]", None), None);
        assert_eq!(normalized(b"starting", None), None);
    }

    #[test]
    fn an_answer_without_an_id_or_a_version_is_an_answer_unless_it_may_be_a_line_of_a_log() {
        let nameless = json!({ "jsonrpc": "2.0", "id": NAMELESS, "result": {} });
        for (message, expected) in [
            (json!({ "jsonrpc": "2.0", "result": {} }), nameless.clone()),
            (json!({ "jsonrpc": "2.0", "id": null, "result": {} }), nameless),
            (json!({ "id": 1, "result": {} }), json!({ "jsonrpc": "2.0", "id": 1, "result": {} })),
            (json!({ "jsonrpc": "1.0", "id": 1, "result": {} }), json!({ "jsonrpc": "2.0", "id": 1, "result": {} })),
            (json!({ "level": "info", "result": {} }), json!({ "level": "info", "result": {} })),
            (json!({ "id": 1, "level": "info" }), json!({ "id": 1, "level": "info" })),
        ] {
            assert_eq!(read(&message), expected, "{message}");
        }
    }

    #[test]
    fn a_result_that_is_a_text_or_a_list_has_it_as_its_content() {
        let part = json!({ "type": "text", "text": "words" });
        for result in [json!("words"), json!([part])] {
            assert_eq!(read(&json!({ "id": 1, "result": result }))["result"]["content"], json!([part]), "{result}");
        }
        assert_eq!(read(&json!({ "id": 1, "result": 7 }))["result"], json!(7));
    }

    #[test]
    fn an_id_with_a_fraction_of_zero_is_an_integer() {
        for (id, expected) in [("5.0", json!(5)), ("-1.000", json!(-1)), ("5.5", json!(5.5)), ("\"5.0\"", json!("5.0"))]
        {
            let message = format!("{{\"id\":{id},\"result\":{{}}}}");
            let read: Value =
                serde_json::from_str(&normalized(message.as_bytes(), None).expect("an object")).expect("JSON");
            assert_eq!(read["id"], expected, "{id}");
        }
    }

    #[test]
    fn an_error_always_has_a_code_and_a_message() {
        for (error, code, message) in [
            (json!({ "code": -32000, "message": "m", "data": 1 }), -32000, "m"),
            (json!({ "code": "-32001", "message": "m" }), -32001, "m"),
            (json!({ "code": -32002.0, "message": "m" }), -32002, "m"),
            (json!({ "code": 9_000_000_000_u64, "message": "m" }), NO_CODE, "m"),
            (json!({ "message": "m" }), NO_CODE, "m"),
            (json!({ "message": { "why": 1 } }), NO_CODE, "{\"why\":1}"),
            (json!({}), NO_CODE, ""),
            (json!({ "message": null, "data": "d" }), NO_CODE, ""),
            (json!("broken"), NO_CODE, "broken"),
            (json!([{ "message": "m" }]), NO_CODE, "[{\"message\":\"m\"}]"),
            (json!(7), NO_CODE, "7"),
        ] {
            let read = read(&json!({ "id": 1, "error": error }));
            assert_eq!((&read["error"]["code"], &read["error"]["message"]), (&json!(code), &json!(message)), "{error}");
        }
        assert_eq!(
            read(&json!({ "id": 1, "error": { "code": 1, "message": "m", "data": [2] } }))["error"]["data"],
            json!([2])
        );
    }

    #[test]
    fn what_a_server_does_not_tell_about_itself_has_a_default() {
        for (capabilities, info, expected) in [
            (json!(true), json!({ "name": "s" }), json!([{}, "s", "unknown"])),
            (json!({ "tools": true }), json!({ "name": "s", "version": 2 }), json!([{ "tools": {} }, "s", "2"])),
            (
                json!({ "tools": { "listChanged": true }, "logging": [] }),
                json!(null),
                json!([{ "tools": { "listChanged": true }, "logging": {} }, "unknown", "unknown"]),
            ),
            (json!({ "tools": { "listChanged": "yes" }, "prompts": false }), json!("s"), json!([{}, "s", "unknown"])),
            (json!(null), json!({ "name": "s", "version": "1", "icons": "none" }), json!([{}, "s", "1"])),
        ] {
            let result = json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": info });
            let read = read(&json!({ "id": 1, "result": result }))["result"].take();
            assert_eq!(
                json!([read["capabilities"], read["serverInfo"]["name"], read["serverInfo"]["version"]]),
                expected,
                "{result}"
            );
            assert!(serde_json::from_value::<rmcp::model::InitializeResult>(read).is_ok(), "{result}");
        }
    }

    #[test]
    fn a_discovery_without_hints_for_caches_is_read() {
        for more in
            [json!({}), json!({ "ttlMs": -1, "cacheScope": "all", "resultType": null, "_meta": 7, "instructions": [] })]
        {
            let mut result = json!({ "supportedVersions": ["2026-07-28"], "capabilities": { "tools": null } });
            result.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
            let read = read(&json!({ "id": 1, "result": result }))["result"].take();
            assert_eq!((&read["ttlMs"], &read["cacheScope"]), (&json!(0), &json!("private")));
            assert!(serde_json::from_value::<rmcp::model::DiscoverResult>(read).is_ok(), "{result}");
        }
    }
}
