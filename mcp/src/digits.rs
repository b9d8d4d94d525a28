//! Numbers with the digits of their author. A [`Number`](serde_json::Number) rounds numbers beyond 64 bits, and changes the spelling of
//! fractions. In the values of this crate, a marked string takes the place of such a number. It becomes the number again when the value is
//! written as text.

use std::borrow::Cow;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Number, Value};

/// The beginning of a marked string. It is random, so that neither a model nor a server can write one.
static MARK: LazyLock<String> = LazyLock::new(|| {
    let random = || RandomState::new().hash_one(0_u8);
    format!("number {:016x}{:016x} ", random(), random())
});

/// Returns the value for a number with these digits.
pub(crate) fn marked(digits: &str) -> Value {
    format!("{}{digits}", *MARK).into()
}

/// Returns the digits of a marked string, or `None` for any other string.
pub(crate) fn of_marked(text: &str) -> Option<&str> {
    text.strip_prefix(&**MARK)
}

/// Returns a JSON text in which marked strings are numbers again.
pub(crate) fn unmarked(json: String) -> String {
    let begin = format!("\"{}", *MARK);
    if !json.contains(&begin) {
        return json;
    }
    let mut parts = json.split(&begin);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // No digit needs an escape.
        let (digits, rest) = part.split_once('"').unwrap_or((part, ""));
        out.push_str(digits);
        out.push_str(rest);
    }
    out
}

/// Returns a value in which the nearest numbers replace marked strings.
pub(crate) fn rounded(value: &Value) -> Cow<'_, Value> {
    fn has_mark(value: &Value) -> bool {
        match value {
            Value::String(text) => of_marked(text).is_some(),
            Value::Array(items) => items.iter().any(has_mark),
            Value::Object(map) => map.values().any(has_mark),
            _ => false,
        }
    }
    if !has_mark(value) {
        return Cow::Borrowed(value);
    }
    let mut value = value.clone();
    round(&mut value);
    Cow::Owned(value)
}

fn round(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some(digits) = of_marked(text) {
                let nearest = digits.parse().unwrap_or(0.0_f64).clamp(f64::MIN, f64::MAX);
                *value = Number::from_f64(nearest).into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(round),
        Value::Object(map) => map.values_mut().for_each(round),
        _ => {}
    }
}

/// Returns the message of a server in which the numbers of the structured content are marked, if a [`Number`] would change them.
pub(crate) fn with_marks(message: &[u8]) -> Cow<'_, [u8]> {
    #[derive(Deserialize)]
    struct Answer<'m> {
        #[serde(borrow)]
        result: CallResult<'m>,
    }
    #[derive(Deserialize)]
    struct CallResult<'m> {
        #[serde(borrow, rename = "structuredContent")]
        structured: &'m RawValue,
    }
    const KEY: &[u8] = b"structuredContent";
    if !message.windows(KEY.len()).any(|part| part == KEY) {
        return Cow::Borrowed(message);
    }
    let Ok(Answer { result }) = serde_json::from_slice::<Answer<'_>>(message) else { return Cow::Borrowed(message) };
    let content = result.structured.get();
    let start = content.as_ptr().addr() - message.as_ptr().addr();
    let (Some(marked), Some((before, rest))) = (mark_numbers(content), message.split_at_checked(start)) else {
        return Cow::Borrowed(message);
    };
    let after = rest.get(content.len()..).unwrap_or_default();
    Cow::Owned([before, marked.as_bytes(), after].concat())
}

/// Returns a JSON text in which the numbers are marked that a [`Number`] would change, or `None` if there are none.
fn mark_numbers(json: &str) -> Option<String> {
    let (bytes, mut out, mut done, mut at) = (json.as_bytes(), String::new(), 0, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at += 1;
                while let Some(byte) = bytes.get(at).filter(|byte| **byte != b'"') {
                    at += if *byte == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' => {
                let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                let length = bytes[at..].iter().position(|byte| !is_part(byte)).unwrap_or(bytes.len() - at);
                let digits = &json[at..at + length];
                if serde_json::from_str::<Number>(digits).is_ok_and(|number| number.to_string() == digits) {
                    at += length;
                    continue;
                }
                out.push_str(&json[done..at]);
                out.push('"');
                out.push_str(&MARK);
                out.push_str(digits);
                out.push('"');
                at += length;
                done = at;
            }
            _ => at += 1,
        }
    }
    (done > 0).then(|| out + &json[done..])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn marked_numbers_become_the_same_numbers_again() {
        for content in [
            r#"{"id":123456789012345678901234567890}"#,
            r"[3.10,1e5,-0,1E+2,1e400,0.1234567890123456789]",
            r#"{"a \"1.10":["1.10 \\",1.10,"\\"],"n":18446744073709551616}"#,
        ] {
            let message =
                format!(r#"{{"jsonrpc":"2.0","id":1e0,"result":{{"content":[],"structuredContent":{content}}}}}"#);
            let read = with_marks(message.as_bytes());
            let value: Value = serde_json::from_slice(&read).unwrap();
            let structured = &value["result"]["structuredContent"];
            assert_eq!(unmarked(structured.to_string()), content);
            let is_number = |value: &Value| !value.to_string().contains("number ");
            assert!(is_number(&rounded(structured)) && !is_number(structured), "{content}");
            assert!(value["id"].is_number(), "only the structured content is marked");
        }
    }

    #[test]
    fn other_messages_stay_as_they_are() {
        for message in [
            r#"{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"n":[1,-5,2.5,18446744073709551615,"1.10"]}}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1.10}}"#,
            r#"{"result":{"structuredContent":{"n":1.10"#,
            "structuredContent 1.10",
        ] {
            assert!(matches!(with_marks(message.as_bytes()), Cow::Borrowed(_)), "{message}");
        }
        let value = json!({ "a": "number 12", "b": [1.5] });
        assert_eq!((unmarked(value.to_string()), &*rounded(&value)), (value.to_string(), &value));
    }
}
