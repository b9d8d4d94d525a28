//! Parsing the calls inside a call of `tool_call`: their names and arguments, borrowed from the model's text. The arguments are not
//! parsed here, but later as those of the inner tool.

use std::borrow::Cow;

use super::Limits;
use super::scan::Scan;

/// The key of the calls, as JSON.
const CALLS: &str = r#""calls""#;

/// A call inside a call of `tool_call`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct InnerCall<'a> {
    pub(crate) name: Cow<'a, str>,
    /// The text of the arguments: an object, or the content of a string.
    pub(crate) arguments: Cow<'a, str>,
}

impl InnerCall<'_> {
    fn into_owned(self) -> InnerCall<'static> {
        InnerCall { name: self.name.into_owned().into(), arguments: self.arguments.into_owned().into() }
    }
}

/// An inner call, or the text of one that cannot be read.
pub(crate) type ParsedCall<'a> = Result<InnerCall<'a>, Cow<'a, str>>;

/// Returns the call in `text`, if that is an array with one call. The fast path of [`inner_calls`].
pub(crate) fn only_inner_call(text: &str, limits: Limits) -> Option<InnerCall<'_>> {
    let mut scan = Scan::new(text);
    if text.len() > limits.max_bytes || !scan.eat(b'{') {
        return None;
    }
    scan.peek()?;
    if !scan.key(CALLS) || !scan.eat(b'[') {
        return None;
    }
    let call = object(&mut scan)?;
    (scan.eat(b']') && scan.eat(b'}') && scan.is_at_end()).then_some(call)
}

/// Passes each call in `text` to `each`: the items of `calls`, which may be an array, one call, or a string that holds either. A text
/// without `calls` is one call itself. Returns `None` if `text` is anything else; `each` may have been called then.
pub(crate) fn inner_calls<'a>(text: &'a str, limits: Limits, each: &mut impl FnMut(ParsedCall<'a>)) -> Option<()> {
    if text.len() > limits.max_bytes {
        return None;
    }
    let mut scan = Scan::new(text);
    if !scan.eat(b'{') {
        return None;
    }
    scan.peek()?;
    if !scan.key(CALLS) {
        each(Ok(inner_call(text)?));
        return Some(());
    }
    if scan.peek()? == b'"' {
        match string(&mut scan)? {
            Cow::Borrowed(calls) => whole(calls, each)?,
            Cow::Owned(calls) => whole(&calls, &mut |call| each(into_owned(call)))?,
        }
    } else {
        items(&mut scan, each)?;
    }
    let is_last = !scan.next(false, b'}')? && scan.is_at_end();
    is_last.then_some(())
}

/// Parses an inner call: an object, or a string that holds one.
pub(crate) fn parse_call(text: &str) -> ParsedCall<'_> {
    let mut scan = Scan::new(text);
    if scan.peek() != Some(b'"') {
        return inner_call(text).ok_or(Cow::Borrowed(text));
    }
    match string(&mut scan).filter(|_| scan.is_at_end()) {
        Some(Cow::Borrowed(call)) => inner_call(call).ok_or(Cow::Borrowed(call)),
        Some(Cow::Owned(call)) => inner_call(&call).map(InnerCall::into_owned).ok_or(Cow::Owned(call)),
        None => Err(Cow::Borrowed(text)),
    }
}

/// Returns a copy that borrows nothing.
pub(crate) fn into_owned(call: ParsedCall<'_>) -> ParsedCall<'static> {
    call.map(InnerCall::into_owned).map_err(|text| text.into_owned().into())
}

/// Passes each call in `calls` to `each`: an array of calls, or one call.
fn whole<'t>(calls: &'t str, each: &mut impl FnMut(ParsedCall<'t>)) -> Option<()> {
    let mut scan = Scan::new(calls);
    items(&mut scan, each)?;
    scan.is_at_end().then_some(())
}

/// Passes each call at the current position to `each`: an array of calls, or one call.
fn items<'t>(scan: &mut Scan<'t>, each: &mut impl FnMut(ParsedCall<'t>)) -> Option<()> {
    if scan.peek()? == b'{' {
        each(item(scan)?);
        return Some(());
    }
    if !scan.eat(b'[') {
        return None;
    }
    let mut first = true;
    while scan.next(first, b']')? {
        first = false;
        each(item(scan)?);
    }
    Some(())
}

/// Reads the call at the current position. One that cannot be read is skipped, so that it does not spoil the others.
fn item<'t>(scan: &mut Scan<'t>) -> Option<ParsedCall<'t>> {
    let start = *scan;
    if let Some(call) = object(scan) {
        return Some(Ok(call));
    }
    *scan = start;
    scan.skip().map(parse_call)
}

/// Returns the call in a text that is nothing else.
fn inner_call(text: &str) -> Option<InnerCall<'_>> {
    let mut scan = Scan::new(text);
    object(&mut scan).filter(|_| scan.is_at_end())
}

/// Reads the name, and the text of the arguments. Missing arguments and null become `{}`. Returns `None` if the next value is not an
/// object with exactly the keys `name` and (optionally) `arguments`.
fn object<'t>(scan: &mut Scan<'t>) -> Option<InnerCall<'t>> {
    let (mut name, mut arguments, mut first) = (None, None, true);
    if !scan.eat(b'{') {
        return None;
    }
    while scan.next(first, b'}')? {
        first = false;
        let key = string(scan)?;
        if !scan.eat(b':') {
            return None;
        }
        let is_string = scan.peek()? == b'"';
        let value = if is_string { string(scan)? } else { Cow::Borrowed(scan.skip()?) };
        match &*key {
            "name" if is_string && name.is_none() => name = Some(value),
            "arguments" if arguments.is_none() => arguments = Some(value),
            _ => return None,
        }
    }
    let arguments = arguments.filter(|arguments| arguments.trim() != "null");
    Some(InnerCall { name: name?, arguments: arguments.unwrap_or(Cow::Borrowed("{}")) })
}

fn string<'a>(scan: &mut Scan<'a>) -> Option<Cow<'a, str>> {
    scan.peek()?;
    scan.plain_string().map(Cow::Borrowed).or_else(|| scan.escaped_string().map(Cow::Owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(String, String)> {
        inner_call(text).map(|InnerCall { name, arguments }| (name.into(), arguments.into()))
    }

    /// Returns the calls in a text, each with its name and arguments, or its text if it cannot be read.
    fn calls(text: &str) -> Option<Vec<String>> {
        let mut all = Vec::new();
        let read = inner_calls(text, Limits::default(), &mut |call| {
            all.push(match call {
                Ok(InnerCall { name, arguments }) => format!("{name} {arguments}"),
                Err(text) => format!("not a call: {text}"),
            });
        });
        read.map(|()| all)
    }

    #[test]
    fn calls_are_read_from_an_array_an_object_and_their_json_text() {
        let two = ["a {}", r#"b {"x":[1]}"#];
        for text in [
            r#"{"calls":[{"name":"a"},{"name":"b","arguments":{"x":[1]}}]}"#,
            r#" { "calls" : [ {"name": "a"} , {"arguments":"{\"x\":[1]}","name":"b"} ] } "#,
            r#"{"calls":["{\"name\":\"a\"}", {"name":"b","arguments":{"x":[1]}}]}"#,
            r#"{"calls":"[{\"name\":\"a\"},{\"name\":\"b\",\"arguments\":{\"x\":[1]}}]"}"#,
        ] {
            assert_eq!(calls(text).unwrap(), two, "{text}");
        }
        for text in [
            r#"{"calls":[{"name":"a","arguments":{}}]}"#,
            r#"{"calls":{"name":"a","arguments":{}}}"#,
            r#"{"calls":"{\"name\":\"a\"}"}"#,
            r#"{"name":"a","arguments":{}}"#,
        ] {
            assert_eq!(calls(text).unwrap(), ["a {}"], "{text}");
        }
    }

    #[test]
    fn a_call_that_cannot_be_read_does_not_spoil_the_others() {
        let text = r#"{"calls":[{"name":"a"}, 3, {"nam":"b"}, "x", {"name":"c"}]}"#;
        let expected = ["a {}", "not a call: 3", r#"not a call: {"nam":"b"}"#, "not a call: x", "c {}"];
        assert_eq!(calls(text).unwrap(), expected);
    }

    #[test]
    fn other_texts_hold_no_calls() {
        for text in [
            r#"{"calls":3}"#,
            r#"{"calls":"x"}"#,
            r#"{"calls":"\"[]\""}"#,
            r#"{"calls":[{"name":"a"}],"more":1}"#,
            r#"{"calls":[{"name":"a"}"#,
            r#"{"calls":[{"name":"a"},]}"#,
            r#"{"calls":[]} x"#,
            r#"{"callers":[]}"#,
        ] {
            assert_eq!(calls(text), None, "{text}");
        }
        assert_eq!(calls(r#"{"calls":[]}"#).unwrap(), [] as [&str; 0]);
    }

    #[test]
    fn the_inner_call_is_borrowed_from_the_text() {
        for (text, arguments) in [
            (r#"{"name": "t", "arguments": {"a": "}\"]", "b": [{}]} }"#, r#"{"a": "}\"]", "b": [{}]}"#),
            (r#" { "arguments":{} , "name":"\u0074" } "#, "{}"),
            (r#"{"name": "t"}"#, "{}"),
            (r#"{"name": "t", "arguments": null}"#, "{}"),
            (r#"{"name": "t", "arguments": "{\"a\": 1}"}"#, r#"{"a": 1}"#),
            (r#"{"name": "t", "arguments": [}"#, "[}"),
        ] {
            let expected = (text != r#"{"name": "t", "arguments": [}"#).then(|| ("t".to_owned(), arguments.to_owned()));
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn other_texts_are_not_an_inner_call() {
        for text in [
            "",
            "{}",
            "[]",
            "{",
            r#"{"name": 1}"#,
            r#"{"name": "t", "name": "u"}"#,
            r#"{"name": "t", "arguments": {}, "arguments": {}}"#,
            r#"{"name": "t", "more": 1}"#,
            r#"{"name": "t"} x"#,
            r#"{"name": "t","#,
            r#"{"name": "t", "arguments": {"#,
            r#"{"arguments": {}}"#,
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    /// Returns the calls in a text as `serde_json` sees them, or `None` if there is any doubt about what they are.
    fn calls_of_json(text: &str) -> Option<Vec<(String, serde_json::Value)>> {
        let value: serde_json::Value = serde_json::from_str(text).ok()?;
        let calls = value.as_object().filter(|object| object.len() == 1)?.get("calls")?.as_array()?;
        let call = |call: &serde_json::Value| {
            let call = call.as_object().filter(|call| call.len() == 2)?;
            Some((call.get("name")?.as_str()?.to_owned(), call.get("arguments").filter(|all| all.is_object())?.clone()))
        };
        calls.iter().map(call).collect()
    }

    #[test]
    fn any_text_is_read_like_json_or_not_at_all() {
        const TEXTS: &[&str] = &[
            r#"{"calls": [{"name": "a", "arguments": {"x": [1, "]}"]}}, {"arguments": {}, "name": "b\u0041\""}]}"#,
            r#"{"calls": [{"name": "a", "arguments": {"x": "}"}}]}"#,
        ];
        const LETTERS: &[u8] = br#"{}[]",:\ a1un"#;
        let (mut seed, mut read) = (0x5eed_u64, 0);
        let mut below = |end: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(seed >> 33).unwrap() % end
        };
        for _ in 0..20_000 {
            let mut text = TEXTS[below(TEXTS.len())].as_bytes().to_vec();
            for _ in 0..below(4) {
                let at = below(text.len());
                match below(3) {
                    0 => text[at] = LETTERS[below(LETTERS.len())],
                    1 => text.insert(at, LETTERS[below(LETTERS.len())]),
                    _ => drop(text.remove(at)),
                }
            }
            let text = String::from_utf8(text).unwrap();
            let mut found = Vec::new();
            let result = inner_calls(&text, Limits::default(), &mut |call| found.push(call));
            let only = only_inner_call(&text, Limits::default());
            if let Some(only) = only {
                assert_eq!(found[..], [Ok(only)], "{text}");
            }
            let Some(expected) = calls_of_json(&text) else { continue };
            assert_eq!(result, Some(()), "{text}");
            assert_eq!(only_inner_call(&text, Limits::default()).is_some(), expected.len() == 1, "{text}");
            let found: Vec<(String, serde_json::Value)> = found
                .into_iter()
                .map(|call| call.unwrap_or_else(|call| panic!("{text}: {call}")))
                .map(|call| (call.name.into_owned(), serde_json::from_str(&call.arguments).unwrap()))
                .collect();
            assert_eq!(found, expected, "{text}");
            read += 1;
        }
        assert!(read > 5_000, "{read}");
    }
}
