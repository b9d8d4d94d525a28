//! A call within a call: the name and the arguments in the arguments of `tool_call`, as they stand in the model's text, so
//! that they are read once, as those of the tool that they are for.

use std::borrow::Cow;

use super::Limits;
use super::scan::Scan;

/// The name, and the text of the arguments: an object as it stands, or the text in a string; none, or null, is an empty
/// object. None where `text` is anything else than an object of these two.
pub(crate) fn bridged(text: &str, limits: Limits) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
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
        bridged(text, Limits::default()).map(|(name, arguments)| (name.into(), arguments.into()))
    }

    #[test]
    fn the_call_within_is_found_as_it_stands() {
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
    fn anything_else_is_no_call() {
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
