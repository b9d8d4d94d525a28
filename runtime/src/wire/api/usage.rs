//! The numbers of tokens that an API reports.

use crate::wire::node::Object;

/// The numbers of tokens of a request and its response, as the API reports them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[non_exhaustive]
pub struct Usage {
    /// The tokens of the request, including those in the vendor's cache.
    pub input: u64,
    /// The tokens of the request that were read from the vendor's cache.
    pub cached: u64,
    /// The tokens of the request that were written to the vendor's cache. Anthropic and OpenAI report them.
    pub cache_writes: u64,
    /// The tokens of the request that are results of tools that the vendor runs. Gemini reports them.
    pub tool_use: u64,
    /// The tokens of the response, including thinking.
    pub output: u64,
    /// The tokens of the response that are thinking.
    pub thinking: u64,
}

/// Returns a number of an object, or 0, because an unreadable usage must not make a response unusable.
pub(super) fn count(object: &Object<'_>, key: &str) -> u64 {
    object.get(key).and_then(|node| node.number().ok()).unwrap_or_default()
}

/// Returns the sum of numbers that a server sent: the largest number if it is larger.
#[cfg(any(feature = "wire-anthropic", feature = "wire-gemini"))]
pub(super) fn sum<const N: usize>(numbers: [u64; N]) -> u64 {
    numbers.into_iter().fold(0, u64::saturating_add)
}

/// Returns a number of an object within an object, or 0.
#[cfg(any(feature = "wire-openai", feature = "wire-anthropic"))]
pub(super) fn count_in(object: &Object<'_>, outer: &str, key: &str) -> u64 {
    object.get(outer).and_then(|node| node.object().ok()).map_or(0, |object| count(&object, key))
}

/// Returns the object of a key, if it is one.
pub(super) fn object<'a>(object: &Object<'a>, key: &str) -> Option<Object<'a>> {
    object.get(key)?.object().ok()
}

#[cfg(all(test, feature = "wire-openai", feature = "wire-anthropic", feature = "wire-gemini"))]
mod tests {
    use super::*;
    use crate::wire::Api;

    fn streamed(api: Api, events: &[&str]) -> Option<Usage> {
        let mut stream = api.stream();
        for event in events {
            stream.push(format!("data: {event}\n\n").as_bytes()).unwrap();
        }
        stream.finish().unwrap().usage()
    }

    #[test]
    fn the_tokens_of_all_apis_have_one_meaning() {
        let expected = Usage { input: 100, cached: 60, cache_writes: 30, tool_use: 0, output: 7, thinking: 2 };
        let chat = r#""choices":[{"message":{"role":"assistant","content":"a"},"finish_reason":"stop","delta":{"content":"a"}}]"#;
        let tokens = r#""usage":{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":60,"cache_write_tokens":30},"completion_tokens_details":{"reasoning_tokens":2}}"#;
        assert_eq!(Api::ChatCompletions.parse(&format!("{{{chat},{tokens}}}")).unwrap().usage(), Some(expected));
        let events = [&*format!("{{{chat}}}"), &*format!("{{{tokens},\"choices\":[]}}")];
        assert_eq!(streamed(Api::ChatCompletions, &events), Some(expected));

        let tokens = r#""usage":{"input_tokens":100,"output_tokens":7,"input_tokens_details":{"cached_tokens":60,"cache_write_tokens":30},"output_tokens_details":{"reasoning_tokens":2}}"#;
        let response = format!(r#"{{"status":"completed","output":[],{tokens}}}"#);
        assert_eq!(Api::Responses.parse(&response).unwrap().usage(), Some(expected));
        let event = format!(r#"{{"type":"response.completed","response":{response}}}"#);
        assert_eq!(streamed(Api::Responses, &[&event]), Some(expected));

        let tokens = r#""usage":{"input_tokens":10,"cache_read_input_tokens":60,"cache_creation_input_tokens":30,"output_tokens":7,"output_tokens_details":{"thinking_tokens":2}}"#;
        let body = format!(r#"{{"content":[],"stop_reason":"end_turn",{tokens}}}"#);
        assert_eq!(Api::Anthropic.parse(&body).unwrap().usage(), Some(expected));
        let start = format!(r#"{{"type":"message_start","message":{{{}}}}}"#, tokens.replace(":7", ":1"));
        let delta = r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}"#;
        let events = [&*start, delta, r#"{"type":"message_stop"}"#];
        assert_eq!(streamed(Api::Anthropic, &events), Some(expected));

        let expected = Usage { cache_writes: 0, tool_use: 10, ..expected };
        let tokens = r#""usageMetadata":{"promptTokenCount":90,"toolUsePromptTokenCount":10,"cachedContentTokenCount":60,"candidatesTokenCount":5,"thoughtsTokenCount":2}"#;
        let body =
            format!(r#"{{"candidates":[{{"content":{{"parts":[{{"text":"a"}}]}},"finishReason":"STOP"}}],{tokens}}}"#);
        assert_eq!(Api::Gemini.parse(&body).unwrap().usage(), Some(expected));
        assert_eq!(streamed(Api::Gemini, &[&body]), Some(expected));

        let tokens = r#""usage":{"total_input_tokens":90,"total_tool_use_tokens":10,"total_cached_tokens":60,"total_output_tokens":5,"total_thought_tokens":2}"#;
        let interaction = format!(r#"{{"id":"i","status":"completed","steps":[],{tokens}}}"#);
        assert_eq!(Api::Interactions.parse(&interaction).unwrap().usage(), Some(expected));
        let event = format!(r#"{{"event_type":"interaction.completed","interaction":{interaction}}}"#);
        assert_eq!(streamed(Api::Interactions, &[&event]), Some(expected));
    }

    #[test]
    fn numbers_of_tokens_of_any_size_are_accepted() {
        let (most, largest) = (Some(u64::MAX), "18446744073709551615");
        let body = format!(
            r#"{{"content":[],"stop_reason":"end_turn","usage":{{"input_tokens":{largest},"cache_read_input_tokens":2}}}}"#
        );
        assert_eq!(Api::Anthropic.parse(&body).unwrap().usage().map(|usage| usage.input), most);
        let start = format!(
            r#"{{"type":"message_start","message":{{"usage":{{"input_tokens":2,"cache_creation_input_tokens":{largest}}}}}}}"#
        );
        let delta = r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}"#;
        let used = streamed(Api::Anthropic, &[&start, delta, r#"{"type":"message_stop"}"#]);
        assert_eq!(used.map(|usage| (usage.input, usage.output)), Some((u64::MAX, 7)));

        let numbers = |keys: [&str; 4]| keys.map(|key| format!("\"{key}\":{largest}")).join(",");
        let tokens =
            numbers(["promptTokenCount", "toolUsePromptTokenCount", "candidatesTokenCount", "thoughtsTokenCount"]);
        let body = format!(r#"{{"candidates":[{{"finishReason":"STOP"}}],"usageMetadata":{{{tokens}}}}}"#);
        for used in [Api::Gemini.parse(&body).unwrap().usage(), streamed(Api::Gemini, &[&body])] {
            assert_eq!(used.map(|usage| (usage.input, usage.output)), Some((u64::MAX, u64::MAX)));
        }

        let tokens =
            numbers(["total_input_tokens", "total_tool_use_tokens", "total_output_tokens", "total_thought_tokens"]);
        let interaction = format!(r#"{{"id":"i","status":"completed","steps":[],"usage":{{{tokens}}}}}"#);
        let event = format!(r#"{{"event_type":"interaction.completed","interaction":{interaction}}}"#);
        for used in [Api::Interactions.parse(&interaction).unwrap().usage(), streamed(Api::Interactions, &[&event])] {
            assert_eq!(used.map(|usage| (usage.input, usage.output)), Some((u64::MAX, u64::MAX)));
        }
    }

    #[test]
    fn a_usage_that_cannot_be_read_is_ignored() {
        let chat = r#""choices":[{"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}]"#;
        for usage in [r#""usage":null"#, r#""usage":[]"#, r#""usage":5"#] {
            assert_eq!(Api::ChatCompletions.parse(&format!("{{{chat},{usage}}}")).unwrap().usage(), None, "{usage}");
        }
        let odd = Api::ChatCompletions
            .parse(&format!(r#"{{{chat},"usage":{{"prompt_tokens":-1,"completion_tokens":"x"}}}}"#));
        assert_eq!(odd.unwrap().usage(), Some(Usage::default()));
    }
}
