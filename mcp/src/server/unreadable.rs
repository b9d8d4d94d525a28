//! Messages that cannot be read, and the errors that answer them.

use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::rewritten::rewritten;

/// Why a message is not handled, and which request it is.
#[derive(Debug)]
pub(super) struct Unreadable {
    id: Option<RequestId>,
    error: ErrorData,
}

/// The part of a message that says which request it is.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
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
    let message = parse(bytes)?;
    Ok(match rewritten(&message) {
        Some(rewritten) => (rewritten, true),
        None => (message, false),
    })
}

fn parse(bytes: &[u8]) -> Result<ClientJsonRpcMessage, Box<Unreadable>> {
    let not_json = |why: String| Box::new(Unreadable { id: None, error: ErrorData::parse_error(why, None) });
    let text = std::str::from_utf8(bytes).map_err(|_| not_json("the message is not UTF-8".to_owned()))?;
    // Some programs begin their output with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match serde_json::from_str(text) {
        Ok(message) => Ok(message),
        Err(error) if error.is_syntax() || error.is_eof() => Err(not_json(format!("the message is not JSON: {error}"))),
        Err(error) => Err(Box::new(Unreadable::invalid(text, &error))),
    }
}

impl Unreadable {
    fn invalid(text: &str, error: &serde_json::Error) -> Self {
        let id = serde_json::from_str::<Envelope<'_>>(text).ok().and_then(|envelope| envelope.id);
        let id = id.and_then(|id| serde_json::from_str(id.get()).ok());
        Self { id, error: ErrorData::invalid_request(format!("the message is not valid: {error}"), None) }
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
            (br#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600, Some(1)),
            (br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, None),
            (br#"{"jsonrpc":"2.0","id":4}"#, -32600, Some(4)),
        ] {
            let answer = answer(message);
            let text = String::from_utf8_lossy(message);
            assert_eq!(
                (&answer["error"]["code"], answer.get("id")),
                (&code.into(), id.map(Into::into).as_ref()),
                "{text}"
            );
        }
        let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
        assert!(answer(&deep)["error"]["code"].is_number());
    }
}
