//! The protocol between the host and an interpreter. Messages are JSON. On a socket, each message is preceded by its length in four
//! bytes. Messages of an interpreter are untrusted, because a script can write to the connection itself: their size is limited, and their
//! content is checked.

use std::io::{self, Read};

use serde::{Deserialize, Serialize};

/// The maximum length of a message of an interpreter, in bytes.
pub(crate) const MAX_MESSAGE: usize = 8 * 1024 * 1024;

/// A message of an interpreter.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum FromScript {
    /// The interpreter has started.
    Ready {
        /// The version of Python.
        version: (u32, u32),
    },
    /// A script calls a tool.
    Call {
        id: u64,
        run: u64,
        tool: String,
        /// The JSON text of the arguments.
        arguments: String,
    },
    /// A script has ended.
    Done {
        run: u64,
        result: Option<String>,
        error: Option<Exception>,
        /// The directory of the interpreter, or `None` if it has no path or one that is not UTF-8.
        directory: Option<String>,
    },
}

/// An exception that ended a script.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Exception {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) message: String,
    pub(crate) traceback: Vec<String>,
}

/// A message of the host.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ToScript<'m> {
    /// Run a script.
    Run {
        run: u64,
        code: &'m str,
        /// The text that the interpreter writes to both output streams at the end of the script.
        mark: &'m str,
        /// The source of the module with the tools, if it has changed.
        module: Option<&'m str>,
        /// The directory in which the script was judged. The script runs there or not at all. `None` for the current one.
        directory: Option<&'m str>,
    },
    /// The response to a call.
    Answer { id: u64, json: &'m str, failed: bool },
}

/// Returns the frame of a message.
pub(crate) fn frame(message: &[u8]) -> io::Result<Vec<u8>> {
    let too_long = |_| io::Error::other("the message for the interpreter is longer than 4 GiB");
    let length = u32::try_from(message.len()).map_err(too_long)?;
    Ok([&length.to_be_bytes(), message].concat())
}

/// Reads a frame. Returns `None` at the end of the connection.
///
/// # Errors
/// Returns an error whose subject is the interpreter, such as "has sent a message of ...".
pub(crate) fn read(from: &mut impl Read) -> Result<Option<FromScript>, String> {
    let mut length = [0; 4];
    // A connection that closes within a frame counts as closed: the interpreter may have been ended while it wrote.
    if from.read_exact(&mut length).is_err() {
        return Ok(None);
    }
    let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
    if length > MAX_MESSAGE {
        return Err(too_long(length));
    }
    // The buffer grows as bytes arrive, because the length is untrusted.
    let mut frame = Vec::new();
    match from.take(length as u64).read_to_end(&mut frame) {
        Ok(read) if read == length => {}
        Ok(_) | Err(_) => return Ok(None),
    }
    parse(&frame).map(Some)
}

/// Parses a message.
///
/// # Errors
/// Returns the same errors as [`read`].
pub(crate) fn parse(message: &[u8]) -> Result<FromScript, String> {
    if message.len() > MAX_MESSAGE {
        return Err(too_long(message.len()));
    }
    let message = serde_json::from_slice(message);
    message.map_err(|error| format!("has sent a message that the protocol does not define: {error}"))
}

fn too_long(length: usize) -> String {
    format!("has sent a message of {length} bytes, and the maximum is {MAX_MESSAGE}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(text: &str) -> Vec<u8> {
        super::frame(text.as_bytes()).unwrap()
    }

    #[test]
    fn messages_are_read_to_the_end_of_the_connection() {
        let call = r#"{"type":"call","id":1,"run":2,"tool":"read_file","arguments":"{}"}"#;
        let done = r#"{"type":"done","run":2,"result":null,"error":null,"directory":"/"}"#;
        let bytes = [frame(call), frame(done)].concat();
        let mut from = bytes.as_slice();
        assert!(matches!(read(&mut from), Ok(Some(FromScript::Call { id: 1, run: 2, .. }))));
        assert!(matches!(
            read(&mut from),
            Ok(Some(FromScript::Done { run: 2, result: None, error: None, directory: Some(_) }))
        ));
        assert!(matches!(read(&mut from), Ok(None)));
        assert!(matches!(read(&mut &bytes[..20]), Ok(None)), "an incomplete frame");
    }

    #[test]
    fn invalid_frames_are_reported() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for text in ["", "null", "{}", r#"{"type":"stop"}"#, r#"{"type":"done","run":-1}"#, "\u{0}", deep.as_str()] {
            let error = read(&mut frame(text).as_slice()).expect_err("an invalid message");
            assert!(error.contains("protocol"), "{error}");
        }
        let unknown_key = r#"{"type":"ready","version":[3,11],"more":1}"#;
        assert!(read(&mut frame(unknown_key).as_slice()).is_err());
        let error = read(&mut &b"GET / HTTP/1.1\r\n"[..]).expect_err("a length of more than a gigabyte");
        assert_eq!(error, format!("has sent a message of 1195725856 bytes, and the maximum is {MAX_MESSAGE}"));
    }
}
