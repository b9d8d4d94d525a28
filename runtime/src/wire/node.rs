//! JSON values of a message, each with its path for error messages. A value keeps the text that the vendor sent, so that
//! it can be sent back unchanged, including the spelling of numbers and the order of keys.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::text::display::Truncated;
use crate::wire::WireError;
use serde_core::de::{Deserialize, Deserializer, Error as _};
use serde_json::value::RawValue;

/// The maximum depth of nested arrays and objects.
const MAX_DEPTH: usize = 128;
/// The maximum number of values in a message or an assembled stream, nested ones included. A value can take dozens of
/// times more memory than its text.
pub(super) const MAX_VALUES: usize = 1 << 22;
/// The maximum number of items in an array, including arrays that are assembled from a stream.
pub(super) const MAX_ITEMS: usize = 65_536;
/// The maximum length of a string in an error, in characters.
const MAX_EXCERPT_CHARS: usize = 40;

/// The arguments of a call without arguments.
const NO_ARGUMENTS: &str = "{}";

/// A JSON value and its path.
#[derive(Debug, Clone)]
pub(super) struct Node<'a> {
    pub(super) json: &'a RawValue,
    pub(super) path: String,
}

/// The entries of an object, and the path of the object.
#[derive(Debug, Clone)]
pub(super) struct Object<'a> {
    entries: BTreeMap<String, &'a RawValue>,
    path: String,
}

impl<'a> Node<'a> {
    /// Parses the JSON text `json`.
    pub(super) fn root(json: &'a str, path: impl Into<String>) -> Result<Self, WireError> {
        let path = path.into();
        let (depth, values) = measure(json);
        if depth > MAX_DEPTH {
            return Err(WireError::new(path, format!("at most {MAX_DEPTH} levels of JSON"), "more"));
        }
        if values > MAX_VALUES {
            return Err(WireError::new(path, format!("at most {MAX_VALUES} values"), "more"));
        }
        match serde_json::from_str(json) {
            Ok(json) => Ok(Self { json, path }),
            Err(error) => {
                let got = format!("`{}` ({error})", Truncated(json.trim_start(), MAX_EXCERPT_CHARS));
                Err(WireError::new(path, "JSON", got))
            }
        }
    }

    pub(super) fn object(&self) -> Result<Object<'a>, WireError> {
        let with_any_keys = || {
            let entries: BTreeMap<Key, &RawValue> = serde_json::from_str(self.json.get()).ok()?;
            Some(entries.into_iter().map(|(key, json)| (key.0, json)).collect())
        };
        let entries = serde_json::from_str(self.json.get()).ok().or_else(with_any_keys);
        let entries = entries.ok_or_else(|| self.unexpected("an object"))?;
        Ok(Object { entries, path: self.path.clone() })
    }

    pub(super) fn items(&self) -> Result<Vec<Node<'a>>, WireError> {
        let items: Vec<&RawValue> = serde_json::from_str(self.json.get()).map_err(|_| self.unexpected("an array"))?;
        if items.len() > MAX_ITEMS {
            return Err(WireError::new(&*self.path, format!("at most {MAX_ITEMS} items"), items.len().to_string()));
        }
        Ok(items.into_iter().enumerate().map(|(at, json)| Node { json, path: format!("{}/{at}", self.path) }).collect())
    }

    /// Returns the only item of an array of alternatives, or `None` if the array is empty. A stream may send several
    /// alternatives, each with its index: only index 0 is accepted.
    #[cfg(feature = "wire-gemini")]
    pub(super) fn single(&self, expected: &str) -> Result<Option<Node<'a>>, WireError> {
        let mut items = self.items()?;
        if items.len() > 1 {
            return Err(WireError::new(&*self.path, expected, items.len().to_string()));
        }
        let Some(item) = items.pop() else { return Ok(None) };
        match item.object()?.get("index").map(|index| index.number()).transpose()? {
            None | Some(0) => Ok(Some(item)),
            Some(index) => Err(WireError::new(&*self.path, expected, format!("one with index {index}"))),
        }
    }

    /// Returns the string. U+FFFD replaces each half of a surrogate pair without its other half.
    pub(super) fn text(&self) -> Result<String, WireError> {
        unescaped(self.json.get()).ok_or_else(|| self.unexpected("a string"))
    }

    /// Returns the string, which must not be empty.
    pub(super) fn non_empty_text(&self) -> Result<String, WireError> {
        let text = self.text()?;
        if text.is_empty() { Err(self.unexpected("a non-empty string")) } else { Ok(text) }
    }

    pub(super) fn number(&self) -> Result<u64, WireError> {
        serde_json::from_str(self.json.get()).map_err(|_| self.unexpected("a non-negative integer"))
    }

    /// Returns this node if it is an object, or else an error.
    pub(super) fn require_object(&self) -> Result<&Self, WireError> {
        if self.json.get().starts_with('{') { Ok(self) } else { Err(self.unexpected("an object")) }
    }

    /// Returns the error that `expected` was expected instead of this value.
    pub(super) fn unexpected(&self, expected: impl Into<String>) -> WireError {
        WireError::new(&*self.path, expected, describe(self.json.get()))
    }
}

/// A key of an object, read like [`Node::text`].
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key(String);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = <&RawValue>::deserialize(deserializer)?;
        unescaped(json.get()).map(Self).ok_or_else(|| D::Error::custom("a key is not a string"))
    }
}

/// Returns the text of a JSON string. U+FFFD replaces each half of a surrogate pair without its other half.
pub(super) fn unescaped(json: &str) -> Option<String> {
    serde_json::from_str(json).ok().or_else(|| {
        let is_string = json.starts_with('"');
        is_string.then(|| serde_json::from_str(&without_lone_surrogates(json)).ok()).flatten()
    })
}

/// Replaces each escape of half a surrogate pair, without its other half, by the escape of U+FFFD.
pub(super) fn without_lone_surrogates(json: &str) -> Cow<'_, str> {
    let unit = |at: usize| {
        let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let (mut out, mut done, mut at) = (String::new(), 0, 0);
    while let Some(found) = json.as_bytes()[at..].iter().position(|byte| *byte == b'\\') {
        at += found;
        at = match (unit(at), unit(at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => at + 12,
            (Some(0xd800..=0xdfff), _) => {
                out.push_str(&json[done..at]);
                out.push_str("\\ufffd");
                done = at + 6;
                done
            }
            // Another escape. Its second character may be a backslash, but is one byte in valid JSON.
            _ => (at + 2).min(json.len()),
        };
    }
    if done == 0 { json.into() } else { (out + &json[done..]).into() }
}

/// Describes a JSON value in a few words.
pub(super) fn describe(json: &str) -> String {
    match json.as_bytes().first() {
        Some(b'{') => "an object".to_owned(),
        Some(b'[') => "an array".to_owned(),
        _ => Truncated(json, MAX_EXCERPT_CHARS).to_string(),
    }
}

/// Returns the path of the value of `key` in the object at `path`.
pub(super) fn child_path(path: &str, key: &str) -> String {
    format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"))
}

impl<'a> Object<'a> {
    /// Returns an empty object.
    #[cfg(feature = "wire-mcp")]
    pub(super) fn empty(path: &str) -> Self {
        Self { entries: BTreeMap::new(), path: path.to_owned() }
    }

    /// Returns the value of `key`, unless it is null.
    pub(super) fn get(&self, key: &str) -> Option<Node<'a>> {
        let json = *self.entries.get(key)?;
        (json.get() != "null").then(|| Node { json, path: self.path_of(key) })
    }

    /// Returns the value of `key`, which must exist.
    pub(super) fn require(&self, key: &str, expected: &str) -> Result<Node<'a>, WireError> {
        self.get(key).ok_or_else(|| WireError::new(self.path_of(key), expected, "nothing"))
    }

    /// Returns the string of `key`, which must exist.
    pub(super) fn text(&self, key: &str) -> Result<String, WireError> {
        self.require(key, "a string")?.text()
    }

    /// Returns the string of `key`, which must exist and must not be empty.
    pub(super) fn non_empty_text(&self, key: &str) -> Result<String, WireError> {
        self.require(key, "a non-empty string")?.non_empty_text()
    }

    /// Returns the string of `key`, if it exists.
    pub(super) fn optional_text(&self, key: &str) -> Result<Option<String>, WireError> {
        self.get(key).map(|node| node.text()).transpose()
    }

    /// Returns the reason why a model stopped: the string of `key`, or a description of any other value, which no word means. `None` for null
    /// and `false`.
    #[cfg(feature = "__wire-api")]
    pub(super) fn stop_reason(&self, key: &str) -> Option<String> {
        let node = self.get(key).filter(|node| node.json.get() != "false")?;
        Some(node.text().unwrap_or_else(|_| describe(node.json.get())))
    }

    /// Returns the id of `key`, which some servers send as a number. Any other value is not an id.
    pub(super) fn id(&self, key: &str) -> String {
        let Some(node) = self.get(key) else { return String::new() };
        node.text().or_else(|_| node.number().map(|id| id.to_string())).unwrap_or_default()
    }

    /// Returns the text of the arguments of a call: the content of a string, or the JSON of any other value. Some servers send
    /// nothing, null or an empty string if there are no arguments.
    pub(super) fn arguments(&self, key: &str) -> Result<String, WireError> {
        let Some(node) = self.get(key) else { return Ok(NO_ARGUMENTS.to_owned()) };
        if !node.json.get().starts_with('"') {
            return Ok(node.json.get().to_owned());
        }
        let text = node.text()?;
        Ok(if text.trim().is_empty() { NO_ARGUMENTS.to_owned() } else { text })
    }

    /// Returns the text of the arguments of a call, which must be an object, or a string whose content is read like the arguments of a
    /// model. Nothing, null and an empty string are read as an empty object.
    #[cfg(feature = "wire-mcp")]
    pub(super) fn object_arguments(&self, key: &str) -> Result<String, WireError> {
        let Some(node) = self.get(key) else { return Ok(NO_ARGUMENTS.to_owned()) };
        if let Ok(text) = node.text() {
            return Ok(if text.trim().is_empty() { NO_ARGUMENTS.to_owned() } else { text });
        }
        Ok(node.require_object()?.json.get().to_owned())
    }

    /// Returns all entries.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.entries.iter().map(|(key, json)| (&**key, *json))
    }

    /// Returns the path of the value of `key`, whether it exists or not.
    pub(super) fn path_of(&self, key: &str) -> String {
        child_path(&self.path, key)
    }
}

/// Returns an error if the message is the API's own error.
pub(super) fn no_error(message: &Node<'_>) -> Result<(), WireError> {
    // Gemini sends its errors in an array if an array was expected.
    let first = message.items().ok().and_then(|items| items.into_iter().next());
    let Ok(message) = first.as_ref().unwrap_or(message).object() else { return Ok(()) };
    // Some servers send the error's keys at the top level.
    let is_error =
        ["type", "object"].iter().any(|key| message.get(key).is_some_and(|node| node.json.get() == r#""error""#));
    let nested = message.get("error").filter(|error| {
        let is_empty = |error: &Object<'_>| error.all().next().is_none();
        !matches!(error.json.get(), "false" | r#""""#) && !error.object().is_ok_and(|error| is_empty(&error))
    });
    match nested {
        Some(error) => {
            Err(error.object().map_or_else(|_| WireError::api("", &text_or_json(&error)), |error| api_error(&error)))
        }
        None if is_error => Err(api_error(&message)),
        None => Ok(()),
    }
}

/// Returns the error in an object. OpenAI sends `code` or `type`, Anthropic `type`, Gemini `status` and a numeric `code`, and routers only a
/// numeric `code`, which is a status of HTTP.
fn api_error(error: &Object<'_>) -> WireError {
    let kinds = ["code", "type", "status"].iter().filter_map(|key| error.get(key)?.text().ok());
    let number = || {
        let code = error.get("code")?.json.get().to_owned();
        code.bytes().all(|byte| byte.is_ascii_digit()).then_some(code)
    };
    let kind = kinds.into_iter().find(|kind| kind != "error").or_else(number).unwrap_or_default();
    WireError::api(&kind, &error.get("message").map(|message| text_or_json(&message)).unwrap_or_default())
}

/// Returns a string, or the JSON of any other value.
fn text_or_json(node: &Node<'_>) -> String {
    node.text().unwrap_or_else(|_| node.json.get().to_owned())
}

/// Returns the depth of nested arrays and objects in a JSON text, and an upper bound of the number of its values.
pub(super) fn measure(json: &str) -> (usize, usize) {
    let mut measure = Measure::default();
    measure.push(json);
    (measure.deepest, measure.values + 1)
}

/// The depth of a JSON text that may arrive in pieces, and the number of its values.
#[derive(Debug, Default)]
pub(super) struct Measure {
    deepest: usize,
    depth: usize,
    values: usize,
    quoted: bool,
    escaped: bool,
    has_begun: bool,
}

impl Measure {
    pub(super) fn push(&mut self, json: &str) {
        self.has_begun |= !json.trim_ascii().is_empty();
        for byte in json.bytes() {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.quoted => self.escaped = true,
                b'"' => self.quoted = !self.quoted,
                b',' if !self.quoted => self.values += 1,
                b'{' | b'[' if !self.quoted => {
                    self.depth += 1;
                    self.values += 1;
                    self.deepest = self.deepest.max(self.depth);
                }
                b'}' | b']' if !self.quoted => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Returns whether the text is blank so far.
    pub(super) fn is_blank(&self) -> bool {
        !self.has_begun
    }

    /// Returns whether the text so far is a whole value: no string, array or object is open.
    pub(super) fn is_whole(&self) -> bool {
        self.has_begun && !self.quoted && self.depth == 0
    }
}

/// Returns whether a text is a whole value: no string, array or object is open.
pub(super) fn is_whole(json: &str) -> bool {
    let mut measure = Measure::default();
    measure.push(json);
    measure.is_whole()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "wire-mcp")]
    #[test]
    fn missing_arguments_are_an_empty_object() {
        let arguments = |json: &str| {
            let object = Node::root(json, "").unwrap().object().unwrap();
            [object.arguments("a"), object.object_arguments("a")].map(Result::ok)
        };
        let both = |text: &str| [Some(text.to_owned()), Some(text.to_owned())];
        for missing in ["{}", r#"{"a":null}"#, r#"{"a":""}"#, r#"{"a":" \n"}"#, r#"{"a":{}}"#] {
            assert_eq!(arguments(missing), both("{}"), "{missing}");
        }
        assert_eq!(arguments(r#"{"a":{"b":1}}"#), both(r#"{"b":1}"#));
        assert_eq!(arguments(r#"{"a":"{\"b\":"}"#), both(r#"{"b":"#));
        assert_eq!(arguments(r#"{"a":[1]}"#), [Some("[1]".to_owned()), None]);
    }

    #[test]
    fn each_value_has_its_path_and_its_text() {
        let root = Node::root(r#" {"a/b~": [1, {"c": 12345678901234567890.50}], "n": null, "a": "" } "#, "").unwrap();
        let object = root.object().unwrap();
        let items = object.require("a/b~", "an array").unwrap().items().unwrap();
        let number = items[1].object().unwrap().require("c", "a number").unwrap();
        assert_eq!((&*number.path, number.json.get()), ("/a~1b~0/1/c", "12345678901234567890.50"));
        assert_eq!(
            number.number().unwrap_err().to_string(),
            format!("{}: expected a non-negative integer, got {}", number.path, number.json.get())
        );
        assert_eq!(object.non_empty_text("a").unwrap_err().to_string(), r#"/a: expected a non-empty string, got """#);
        assert_eq!(object.text("n").unwrap_err().to_string(), "/n: expected a string, got nothing");
        assert_eq!(items[1].text().unwrap_err().to_string(), "/a~1b~0/1: expected a string, got an object");
    }

    #[test]
    fn half_a_surrogate_pair_is_replaced() {
        for (json, expected) in [
            (r#""\ud83d\ude00""#, "😀"),
            (r#""a\ud83d""#, "a\u{fffd}"),
            (r#""\ude00\uD83D\\ud83d\ud83d\ud83d\ude00""#, "\u{fffd}\u{fffd}\\ud83d\u{fffd}😀"),
            (r#""\\\ud83dé""#, "\\\u{fffd}é"),
        ] {
            let object = format!(r#"{{{json}:{json},"b":1}}"#);
            let object = Node::root(&object, "").unwrap().object().unwrap();
            assert_eq!(object.text(expected).as_deref(), Ok(expected), "{json}");
            assert!(object.get("b").is_some());
        }
        for odd in ["{\"a\":\"\n\"}", "[1]", r#"{"a":"\ud8"}"#] {
            let text = serde_json::from_str::<&RawValue>(odd).ok().map(|json| Node { json, path: String::new() });
            assert!(text.is_none_or(|node| node.text().is_err()), "{odd}");
        }
    }

    #[test]
    fn a_text_in_pieces_is_whole_if_nothing_is_open() {
        let mut measure = Measure::default();
        let mut push = |piece: &str| {
            measure.push(piece);
            (measure.is_blank(), measure.is_whole())
        };
        assert_eq!(push(" "), (true, false));
        for (piece, is_whole) in [("{\"a", false), ("}\\\"]\": [", false), ("]", false), ("} ", true), ("{", false)] {
            assert_eq!(push(piece), (false, is_whole), "{piece}");
        }
    }

    #[test]
    fn errors_truncate_long_values() {
        let secret = format!(r#"{{"key": "{}"}}"#, "sk-".repeat(100));
        let error =
            Node::root(&secret, "").unwrap().object().unwrap().require("key", "").unwrap().number().unwrap_err();
        assert!(error.to_string().chars().count() < 90, "{error}");
        let error = Node::root(&secret[..200], "event 1").unwrap_err();
        assert!(error.to_string().chars().count() < 140, "{error}");
    }

    #[test]
    fn depth_and_values_are_measured_outside_of_strings() {
        let texts = ["1", "[]", r#"[{"a\"[[": "[[\\,"}, []]"#, "[[[", "[1,2,{\"a\":3}]"];
        assert_eq!(texts.map(measure), [(0, 1), (1, 2), (2, 5), (3, 4), (2, 5)]);
        assert!(Node::root(&format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH)), "").is_ok());
        assert!(Node::root(&"[".repeat(1_000_000), "").unwrap_err().to_string().contains("128 levels"));
    }

    #[test]
    fn the_number_of_values_is_limited_before_parsing() {
        let error = Node::root(&",".repeat(MAX_VALUES), "event 1").unwrap_err().to_string();
        assert_eq!(error, "event 1: expected at most 4194304 values, got more");
    }

    #[test]
    fn the_length_of_a_list_is_limited() {
        let list = |count: usize| format!("[0{}]", ",0".repeat(count - 1));
        let items = |json: &str| Node::root(json, "").unwrap().items().map(|items| items.len());
        assert_eq!(items(&list(MAX_ITEMS)), Ok(MAX_ITEMS));
        let error = items(&list(MAX_ITEMS + 1)).unwrap_err().to_string();
        assert_eq!(error, "expected at most 65536 items, got 65537");
    }

    #[test]
    fn an_error_of_the_api_is_returned() {
        for (body, expected) in [
            (r#"{"error": "out of memory"}"#, ": out of memory"),
            (
                r#"{"error": {"message": "m", "type": "tokens", "code": "rate_limit_exceeded"}}"#,
                " (rate_limit_exceeded): m",
            ),
            (r#"{"type": "error", "error": {"type": "overloaded_error", "message": "m"}}"#, " (overloaded_error): m"),
            (r#"{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "m"}}"#, " (RESOURCE_EXHAUSTED): m"),
            (r#"[{"error": {"status": "UNAVAILABLE", "message": "m"}}, 1]"#, " (UNAVAILABLE): m"),
            (r#"{"object": "error", "type": "BadRequestError", "code": 400, "message": "m"}"#, " (BadRequestError): m"),
            (r#"{"type": "error", "code": null, "message": "m"}"#, ": m"),
            (r#"{"type": "error", "error": {}}"#, ": "),
            (r#"{"error": {"message": {"a": ["b"]}}}"#, r#": {"a": ["b"]}"#),
            (r#"{"error": true}"#, ": true"),
        ] {
            let error = no_error(&Node::root(body, "").unwrap()).unwrap_err();
            assert_eq!(error.to_string(), format!("the API returned an error{expected}"));
        }
        let long = format!(r#"{{"error": "{}"}}"#, "x".repeat(10_000));
        let error = no_error(&Node::root(&long, "").unwrap()).unwrap_err();
        assert!(format!("{error:?}").len() < 600);
        for none in ["null", "{ }", r#""""#, "false"] {
            let body = format!(r#"{{"error": {none}, "type": "message", "object": "response"}}"#);
            assert_eq!(no_error(&Node::root(&body, "").unwrap()), Ok(()), "{none}");
        }
    }
}
