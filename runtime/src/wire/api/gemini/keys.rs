//! Keys in snake case: the API's format allows both spellings, and some gateways send this one.

use std::collections::BTreeMap;

use crate::wire::WireError;
use crate::wire::node::Node;
use crate::wire::write::{list, object, raw_json};
use serde_json::value::RawValue;

/// Keys that show that a response is in snake case.
const SNAKE: &[&str] = &[
    "finish_reason",
    "function_call",
    "function_response",
    "thought_signature",
    "usage_metadata",
    "prompt_feedback",
    "response_id",
    "inline_data",
    "executable_code",
    "code_execution_result",
];
/// Keys whose values are data of tools.
const DATA: &[&str] = &["args", "response"];

/// Returns a response whose keys are in camel case, or `None` if they are so already.
pub(super) fn in_camel_case(response: &Node<'_>) -> Result<Option<Box<RawValue>>, WireError> {
    let text = response.json.get();
    let has = |key: &&str| text.contains(&format!("\"{key}\""));
    if SNAKE.iter().any(has) { camel_case(response).map(Some) } else { Ok(None) }
}

fn camel_case(node: &Node<'_>) -> Result<Box<RawValue>, WireError> {
    let json = node.json.get();
    if json.starts_with('[') {
        let items: Vec<_> = node.items()?.iter().map(camel_case).collect::<Result<_, _>>()?;
        return Ok(raw_json(list(&items)));
    }
    if !json.starts_with('{') {
        return Ok(node.json.to_owned());
    }
    let of_object = node.object()?;
    let mut entries: BTreeMap<String, Box<RawValue>> = BTreeMap::new();
    for (key, json) in of_object.all() {
        let is_data = DATA.contains(&key);
        let value = Node { json, path: of_object.path_of(key) };
        entries.insert(camel(key), if is_data { json.to_owned() } else { camel_case(&value)? });
    }
    Ok(raw_json(object(&entries)))
}

/// Returns a key in camel case.
fn camel(key: &str) -> String {
    let mut words = key.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut camel, word| {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        camel + letters.as_str()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_keys_of_the_api_change() {
        let text = r#"{"usage_metadata":{"total_token_count":1},"candidates":[{"content":{"parts":[
            {"function_call":{"name":"a_b","args":{"c_d":{"e_f":1}}},"thought_signature":"x"}]},"finish_reason":"STOP"}]}"#;
        let changed = in_camel_case(&Node::root(text, "").unwrap()).unwrap().unwrap();
        let part = r#"{"functionCall":{"args":{"c_d":{"e_f":1}},"name":"a_b"},"thoughtSignature":"x"}"#;
        let expected = format!(
            r#"{{"candidates":[{{"content":{{"parts":[{part}]}},"finishReason":"STOP"}}],"usageMetadata":{{"totalTokenCount":1}}}}"#
        );
        assert_eq!(changed.get(), expected);
        assert!(in_camel_case(&Node::root(&expected, "").unwrap()).unwrap().is_none());
    }
}
