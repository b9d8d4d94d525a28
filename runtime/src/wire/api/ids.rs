//! New ids for calls without an id, or with the id of another call. Some local servers send both. Every API needs ids to match results to
//! calls, so a new id also becomes part of the model's message. The rest of the message is unchanged. A response always gets the same new
//! ids, and another response gets others, if its id, its time or its tokens differ.

use crate::wire::node::Object;

/// The characters of new ids. All servers accept an id of nine characters; some accept no other length.
const LETTERS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
const LENGTH: usize = 9;

/// Returns an id that depends on `seed`, the texts of a call, and is not in use.
pub(super) fn new_id(seed: &[&str], is_used: impl Fn(&str) -> bool) -> String {
    // FNV-1a, which is the same in every build.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in seed.iter().flat_map(|text| text.bytes().chain([0xff])) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    loop {
        let mut rest = hash;
        let letters = (0..LENGTH).map(|_| {
            let letter = LETTERS[usize::try_from(rest % 36).unwrap_or_default()];
            rest /= 36;
            char::from(letter)
        });
        let id: String = letters.collect();
        if !is_used(&id) {
            return id;
        }
        hash = hash.wrapping_add(1);
    }
}

/// Returns what tells a response from others, as far as the server sends it: its id and its time.
pub(super) fn identity(response: &Object<'_>) -> String {
    let parts = ["id", "responseId", "created", "created_at"].iter().filter_map(|key| response.get(key));
    let parts = parts.map(|node| node.json.get()).filter(|json| !json.starts_with(['{', '[']) && *json != "\"\"");
    parts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_id_has_nine_letters_and_is_not_in_use() {
        let first = new_id(&["find", "{}"], |_| false);
        assert!(first.len() == 9 && first.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{first}");
        assert_eq!(new_id(&["find", "{}"], |_| false), first);
        assert_ne!(new_id(&["find{", "}"], |_| false), first);
        assert_ne!(new_id(&["find", "{}"], |id| id == first), first);
    }

    /// Returns the id of the only call of a response, complete and streamed, to which `rest` belongs.
    #[cfg(all(feature = "wire-openai", feature = "wire-anthropic", feature = "wire-gemini"))]
    fn ids(api: crate::wire::Api, rest: &str) -> String {
        use crate::wire::Api;

        let call = r#""name":"f","arguments":"{}""#;
        let chat = |key: &str| {
            let message = format!(r#"{{"tool_calls":[{{"index":0,"function":{{{call}}}}}]}}"#);
            format!(r#"{{"choices":[{{"{key}":{message},"finish_reason":"stop"}}]{rest}}}"#)
        };
        let (body, events) = match api {
            Api::ChatCompletions => (chat("message"), vec![chat("delta")]),
            Api::Responses => {
                let body = format!(r#"{{"output":[{{"type":"function_call",{call}}}],"status":"completed"{rest}}}"#);
                (body.clone(), vec![format!(r#"{{"type":"response.completed","response":{body}}}"#)])
            }
            Api::Anthropic => {
                let block = r#"{"type":"tool_use","name":"f","input":{}}"#;
                let start = format!(r#"{{"type":"content_block_start","index":0,"content_block":{block}}}"#);
                let events = [
                    &*format!(r#"{{"type":"message_start","message":{{"role":"assistant"{rest}}}}}"#),
                    &start,
                    r#"{"type":"content_block_stop","index":0}"#,
                    r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#,
                    r#"{"type":"message_stop"}"#,
                ];
                let body = format!(r#"{{"content":[{block}],"stop_reason":"tool_use"{rest}}}"#);
                (body, events.map(str::to_owned).to_vec())
            }
            Api::Gemini => {
                let part = r#"{"functionCall":{"name":"f"}}"#;
                let candidate = format!(r#"{{"content":{{"parts":[{part}]}},"finishReason":"STOP"}}"#);
                let body = format!(r#"{{"candidates":[{candidate}]{rest}}}"#);
                (body.clone(), vec![body])
            }
            Api::Interactions => {
                let step = format!(r#"{{"type":"function_call",{call}}}"#);
                let body = format!(r#"{{"steps":[{step}],"status":"requires_action"{rest}}}"#);
                (body.clone(), vec![format!(r#"{{"event_type":"interaction.completed","interaction":{body}}}"#)])
            }
        };
        let mut stream = api.stream();
        for event in events {
            stream.push(format!("data: {event}\n\n").as_bytes()).unwrap();
        }
        let [parsed, again, streamed] = [api.parse(&body), api.parse(&body), stream.finish()]
            .map(|response| response.unwrap().calls()[0].id().to_owned());
        assert_eq!(parsed, again, "{body}");
        // The path of a call in an event of these differs.
        assert!(parsed == streamed || matches!(api, Api::Responses | Api::Interactions), "{body}");
        streamed
    }

    #[cfg(all(feature = "wire-openai", feature = "wire-anthropic", feature = "wire-gemini"))]
    #[test]
    fn calls_of_two_responses_have_different_new_ids() {
        use crate::wire::Api;

        let [id, other] = [r#","id":"a""#, r#","id":"b""#];
        for (api, rest) in [
            (Api::ChatCompletions, [id, other, r#","created":1"#, r#","usage":{"prompt_tokens":7}"#]),
            (Api::Responses, [id, other, r#","created_at":1"#, r#","usage":{"input_tokens":7}"#]),
            (Api::Anthropic, [id, other, r#","id":"c""#, r#","usage":{"input_tokens":7}"#]),
            (Api::Interactions, [id, other, r#","created":"1""#, r#","usage":{"total_input_tokens":7}"#]),
            (
                Api::Gemini,
                [
                    r#","responseId":"a""#,
                    r#","responseId":"b""#,
                    r#","responseId":"c""#,
                    r#","usageMetadata":{"promptTokenCount":7}"#,
                ],
            ),
        ] {
            let new: std::collections::BTreeSet<String> =
                rest.into_iter().chain([""]).map(|rest| ids(api, rest)).collect();
            assert_eq!(new.len(), 5, "{api:?}: {new:?}");
        }
    }
}
