//! Parsing the inner call of `tool_call`: its name and arguments, borrowed from the model's text. The arguments are not parsed
//! here, but later as those of the inner tool.

use std::borrow::Cow;

use super::Limits;
use super::scan::Scan;

/// Returns the name, and the text of the arguments: an object, or the content of a string. Missing arguments and null become
/// `{}`. Returns `None` if `text` is not an object with exactly the keys `name` and (optionally) `arguments`.
pub(crate) fn inner_call(text: &str, limits: Limits) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    if text.len() > limits.max_bytes {
        return None;
    }
    let (mut scan, mut name, mut arguments, mut first) = (Scan::new(text), None, None, true);
    if !scan.eat(b'{') {
        return None;
    }
    while scan.next(first, b'}')? {
        first = false;
        let key = string(&mut scan)?;
        if !scan.eat(b':') {
            return None;
        }
        let is_string = scan.peek()? == b'"';
        let value = if is_string { string(&mut scan)? } else { Cow::Borrowed(scan.skip()?) };
        match &*key {
            "name" if is_string && name.is_none() => name = Some(value),
            "arguments" if arguments.is_none() => arguments = Some(value),
            _ => return None,
        }
    }
    let arguments = arguments.filter(|arguments| arguments.trim() != "null");
    scan.is_at_end().then_some((name?, arguments.unwrap_or(Cow::Borrowed("{}"))))
}

fn string<'a>(scan: &mut Scan<'a>) -> Option<Cow<'a, str>> {
    scan.peek()?;
    scan.plain_string().map(Cow::Borrowed).or_else(|| scan.escaped_string().map(Cow::Owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(String, String)> {
        inner_call(text, Limits::default()).map(|(name, arguments)| (name.into(), arguments.into()))
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
}
