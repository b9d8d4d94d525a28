//! Messages that cannot be read, and the errors that answer them.

use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Why a message is not handled, and which request it is.
#[derive(Debug)]
pub(super) struct Unreadable {
    id: Option<RequestId>,
    error: ErrorData,
}

/// The parts of a message that say which request it is.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<&'a RawValue>,
}

/// Reads a message.
///
/// # Errors
/// Returns the error that answers it.
pub(super) fn read(bytes: &[u8]) -> Result<ClientJsonRpcMessage, Unreadable> {
    let not_json = |why: String| Unreadable { id: None, error: ErrorData::parse_error(why, None) };
    let text = std::str::from_utf8(bytes).map_err(|_| not_json("the message is not UTF-8".to_owned()))?;
    match serde_json::from_str(text) {
        Ok(message) => Ok(message),
        Err(error) if error.is_syntax() || error.is_eof() => Err(not_json(format!("the message is not JSON: {error}"))),
        Err(error) => Err(Unreadable::of(text, &error)),
    }
}

impl Unreadable {
    fn of(text: &str, error: &serde_json::Error) -> Self {
        let envelope = serde_json::from_str::<Envelope<'_>>(text).ok();
        let id = envelope.as_ref().and_then(|envelope| serde_json::from_str(envelope.id?.get()).ok());
        let is_request = envelope.is_some_and(|envelope| envelope.method.is_some());
        let (code, what) = match id {
            Some(_) if is_request => (ErrorCode::INVALID_PARAMS, "the request is not valid"),
            _ => (ErrorCode::INVALID_REQUEST, "the message is not valid"),
        };
        Self { id, error: ErrorData::new(code, format!("{what}: {error}"), None) }
    }

    /// Returns the error of a message with more bytes than that.
    pub(super) fn too_long(max: usize) -> Self {
        let text = format!("the message has more than {} MiB", max >> 20);
        Self { id: None, error: ErrorData::new(ErrorCode::INVALID_REQUEST, text, None) }
    }

    /// Returns the error of a request that comes while others are handled.
    pub(super) fn busy(message: &ClientJsonRpcMessage) -> Self {
        let id = if let JsonRpcMessage::Request(request) = message { Some(request.id.clone()) } else { None };
        let text = "a request with this id, or too many others, are being handled: try again later";
        Self { id, error: ErrorData::new(ErrorCode::INTERNAL_ERROR, text, None) }
    }

    /// Returns the message that answers it.
    pub(super) fn message(self) -> ServerJsonRpcMessage {
        JsonRpcMessage::error(self.error, self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(message: &[u8]) -> serde_json::Value {
        serde_json::to_value(read(message).expect_err("it cannot be read").message()).expect("an error is JSON")
    }

    #[test]
    fn a_message_that_cannot_be_read_is_answered_with_its_id() {
        for (message, code, id) in [
            (&b"\xff"[..], -32700, None),
            (b"{", -32700, None),
            (b"nonsense", -32700, None),
            (b"[]", -32600, None),
            (b"7", -32600, None),
            (br#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32602, Some(1)),
            (br#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":7}}"#, -32602, Some(2)),
            (br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, None),
            (br#"{"jsonrpc":"2.0","id":4}"#, -32600, Some(4)),
        ] {
            let answer = answer(message);
            let text = String::from_utf8_lossy(message);
            assert_eq!((&answer["error"]["code"], answer.get("id")), (&code.into(), id.map(Into::into).as_ref()), "{text}");
        }
        let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
        assert!(answer(&deep)["error"]["code"].is_number());
    }
}
