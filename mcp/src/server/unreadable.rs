//! Messages that cannot be read, and the errors that answer them.

use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData, JsonRpcMessage};
use serde_json::value::RawValue;

use super::rewritten::{rewritten, without_empty_members};
use crate::message::repaired;
use crate::stdio::IdScanner;

/// Why a message is not handled, and which request it is.
#[derive(Debug)]
pub(super) struct Unreadable {
    /// The id as the client spells it. It need not be one that the protocol allows.
    id: Option<Box<RawValue>>,
    error: ErrorData,
}

/// Reads a message.
///
/// # Errors
/// Returns the error that answers it.
pub(super) fn read(bytes: &[u8]) -> Result<ClientJsonRpcMessage, Box<Unreadable>> {
    read_or_rewrite(bytes).map(|(message, _)| message)
}

/// Reads a message like [`read`]. Returns also whether it was [rewritten], because it did not have the form of the protocol.
///
/// # Errors
/// Returns the error that answers it.
pub(super) fn read_or_rewrite(bytes: &[u8]) -> Result<(ClientJsonRpcMessage, bool), Box<Unreadable>> {
    let (message, is_repaired) = parse(bytes)?;
    Ok(match rewritten(&message) {
        Some(rewritten) => (rewritten, true),
        None => (message, is_repaired),
    })
}

/// Reads a message, and returns whether its text was repaired: half a surrogate pair, as JavaScript and Python write it, is not a character.
fn parse(bytes: &[u8]) -> Result<(ClientJsonRpcMessage, bool), Box<Unreadable>> {
    let not_json = |why: String| Box::new(Unreadable { id: id(bytes), error: ErrorData::parse_error(why, None) });
    let text = std::str::from_utf8(bytes).map_err(|_| not_json("the message is not UTF-8".to_owned()))?;
    // Some programs begin their output with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (message, is_repaired) = match serde_json::from_str(text) {
        Ok(message) => (message, false),
        Err(error) if error.is_syntax() || error.is_eof() => match serde_json::from_str(&repaired(bytes)) {
            Ok(message) => (message, true),
            Err(_) => return Err(not_json(format!("the message is not JSON: {error}"))),
        },
        Err(error) => match without_empty_members(text) {
            Some(message) => (message, true),
            None => return Err(Box::new(Unreadable::invalid(bytes, &error.to_string()))),
        },
    };
    // The protocol library takes a request whose id it cannot read for a notification, which gets no answer.
    let has_id = |method: &str| !method.starts_with("notifications/") && scanned(bytes).id_text().is_some();
    match &message {
        JsonRpcMessage::Notification(other) if method(&other.notification).is_some_and(|method| has_id(&method)) => {
            Err(Box::new(Unreadable::invalid(bytes, "its `id` is neither a string nor an integer")))
        }
        _ => Ok((message, is_repaired)),
    }
}

/// Returns the method of a notification.
fn method(notification: &rmcp::model::ClientNotification) -> Option<String> {
    let json = serde_json::to_value(notification).ok()?;
    json["method"].as_str().map(str::to_owned)
}

fn scanned(bytes: &[u8]) -> IdScanner {
    let mut scanner = IdScanner::default();
    scanner.push(bytes);
    scanner
}

/// Returns the id of a message that cannot be read: a string or a number.
fn id(bytes: &[u8]) -> Option<Box<RawValue>> {
    let scanner = scanned(bytes);
    let text = scanner
        .id_text()
        .filter(|text| text.starts_with(['"', '-']) || text.starts_with(|c: char| c.is_ascii_digit()))?;
    // A number that no client can read would spoil the answer.
    serde_json::from_str::<serde_json::Value>(text).ok().and_then(|_| RawValue::from_string(text.to_owned()).ok())
}

impl Unreadable {
    fn invalid(bytes: &[u8], why: &str) -> Self {
        #[derive(serde::Deserialize)]
        struct Parameters<'m> {
            #[serde(borrow)]
            params: &'m RawValue,
        }
        let id = id(bytes);
        let params = serde_json::from_slice::<Parameters<'_>>(bytes).ok().map(|message| message.params.get());
        let error = match params {
            Some(params) if id.is_some() && !params.starts_with('{') => {
                ErrorData::invalid_params("the parameters are not an object", None)
            }
            _ => ErrorData::invalid_request(format!("the message is not valid: {why}"), None),
        };
        Self { id, error }
    }

    /// Returns the error of a message with more bytes than that.
    pub(super) fn too_long(max: usize) -> Self {
        let text = format!("the message has more than {} MiB", max >> 20);
        Self { id: None, error: ErrorData::new(ErrorCode::INVALID_REQUEST, text, None) }
    }

    /// Returns the error of a message whose beginning is this, and that has more bytes than that.
    pub(super) fn too_long_after(beginning: &[u8], max: usize) -> Self {
        Self { id: id(beginning), ..Self::too_long(max) }
    }

    /// Returns the error of a request that comes while others are handled.
    pub(super) fn busy(message: &ClientJsonRpcMessage) -> Self {
        let id = if let JsonRpcMessage::Request(request) = message {
            serde_json::value::to_raw_value(&request.id).ok()
        } else {
            None
        };
        let text = "a request with this id, or too many others, are being handled: try again later";
        Self { id, error: ErrorData::new(ErrorCode::INTERNAL_ERROR, text, None) }
    }

    /// Returns the message that answers it, as JSON on one line.
    pub(super) fn message(self) -> String {
        let error = serde_json::to_string(&self.error).unwrap_or_default();
        let id = self.id.map(|id| format!(r#""id":{},"#, id.get())).unwrap_or_default();
        format!(r#"{{"jsonrpc":"2.0",{id}"error":{error}}}"#)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(message: &[u8]) -> serde_json::Value {
        serde_json::from_str(&read(message).expect_err("it cannot be read").message()).expect("an error is JSON")
    }

    #[test]
    fn half_a_surrogate_pair_is_no_reason_to_refuse_a_message() {
        for (text, expected) in [
            (r"a \ud83d b", "a \u{fffd} b"),
            (r"\udc00", "\u{fffd}"),
            (r"\ud83d\ude00", "\u{1f600}"),
            (r"\ud83d\u0041", "\u{fffd}A"),
        ] {
            let message = format!(
                r#"{{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{{"name":"t","arguments":{{"{text}":"{text}"}}}}}}"#
            );
            let message = read(message.as_bytes()).expect("it can be read");
            let message = serde_json::to_value(&message).expect("it is JSON");
            assert_eq!(message["params"]["arguments"], json!({ expected: expected }), "{text}");
        }
    }

    #[test]
    fn a_notification_may_have_an_id() {
        let message = br#"{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}"#;
        assert!(matches!(read(message), Ok(JsonRpcMessage::Notification(_))));
    }

    #[test]
    fn a_message_after_a_byte_order_mark_is_read() {
        let message = "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\"}";
        assert!(matches!(read(message.as_bytes()), Ok(JsonRpcMessage::Request(_))));
    }

    #[test]
    fn a_message_that_cannot_be_read_is_answered_with_its_id() {
        for (message, code, id) in [
            (&b"\xff"[..], -32700, None),
            (b"{", -32700, None),
            (b"nonsense", -32700, None),
            (b"[]", -32600, None),
            (b"7", -32600, None),
            (br#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600, Some(json!(1))),
            (br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, Some(json!(1.5))),
            (br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, None),
            (br#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#, -32600, None),
            (br#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, -32600, None),
            (br#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, -32600, None),
            (br#"{"jsonrpc":"2.0","id":18446744073709551615,"method":"ping"}"#, -32600, Some(json!(u64::MAX))),
            (br#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32600, Some(json!(2))),
            (br#"{"jsonrpc":"2.0","method":"ping","method":"ping","id":"x"}"#, -32600, Some(json!("x"))),
            (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"a" "b"}}"#, -32700, Some(json!(5))),
            (b"{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"caf\xe9\"}", -32700, Some(json!(6))),
            (br#"{"jsonrpc":"2.0","id":7,"method":7}"#, -32600, Some(json!(7))),
            (br#"{"id":8,"method":"ping"}"#, -32600, Some(json!(8))),
            (b"\x00\x01\x02{}", -32700, None),
            (br#"{"jsonrpc":"2.0","id":4}"#, -32600, Some(json!(4))),
        ] {
            let answer = answer(message);
            let text = String::from_utf8_lossy(message);
            assert_eq!((&answer["error"]["code"], answer.get("id")), (&json!(code), id.as_ref()), "{text}");
        }
        let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
        assert!(answer(&deep)["error"]["code"].is_number());
        let nested = format!(
            r#"{{"jsonrpc":"2.0","id":9,"method":"ping","params":{{"a":{}1{}}}}}"#,
            "[".repeat(5_000),
            "]".repeat(5_000)
        );
        assert_eq!(answer(nested.as_bytes())["id"], 9);
        let huge = read(br#"{"jsonrpc":"2.0","id":1e400,"method":"ping"}"#).expect_err("no id is so large").message();
        assert!(!huge.contains("1e400") && serde_json::from_str::<serde_json::Value>(&huge).is_ok(), "{huge}");
    }
}
