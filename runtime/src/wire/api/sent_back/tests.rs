use crate::wire::Api;

/// Returns what is sent back of the message of a response. It needs no further change, so that later requests have the same bytes.
fn sent_back(api: Api, body: &str) -> String {
    let messages = api.parse(body).unwrap_or_else(|error| panic!("{body}: {error}")).messages().to_vec();
    let again = api.sent_back(&messages);
    let [messages, again] =
        [messages, again].map(|all| all.iter().map(|json| json.get().to_owned()).collect::<Vec<_>>());
    assert_eq!(messages, again, "{body}");
    messages.join("\n")
}

fn check(api: Api, cases: &[(&str, &str)], body: impl Fn(&str) -> String) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(sent, expected)| {
            let got = sent_back(api, &body(sent));
            (got != *expected).then(|| format!("{sent}\n  expected {expected}\n  got      {got}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// Messages of Chat Completions that servers send and refuse, and what is sent back.
const CHAT: &[(&str, &str)] = &[
    // Nothing is changed without a reason.
    (r#"{"role":"assistant", "content" : "a\u00e9"}"#, r#"{"role":"assistant", "content" : "a\u00e9"}"#),
    (
        r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"b\": 1.50, \"a\":[]}"}}]}"#,
        r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"b\": 1.50, \"a\":[]}"}}]}"#,
    ),
    // vLLM, SGLang and OpenAI send null and empty members.
    (
        r#"{"role":"assistant","content":"a","refusal":null,"annotations":[],"audio":null,"function_call":null,"tool_calls":[],"reasoning_content":null}"#,
        r#"{"role":"assistant","content":"a"}"#,
    ),
    (r#"{"role":"assistant","content":"a","tool_calls":null}"#, r#"{"role":"assistant","content":"a"}"#),
    (r#"{"content":"a"}"#, r#"{"content":"a","role":"assistant"}"#),
    (r#"{"role":null,"content":"a"}"#, r#"{"content":"a","role":"assistant"}"#),
    (
        r#"{"role":"assistant","content":"a","executed_tools":[{"x":1}],"index":0,"model":"m"}"#,
        r#"{"role":"assistant","content":"a"}"#,
    ),
    // A message that says nothing.
    (r#"{"role":"assistant","content":null}"#, ""),
    (r#"{"role":"assistant","content":""}"#, ""),
    (r#"{"role":"assistant","content":[]}"#, ""),
    (r#"{"role":"assistant","reasoning_content":"hm"}"#, ""),
    // Contents.
    (
        r#"{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":""},{"type":"text","text":"b","annotations":[]}]}"#,
        r#"{"role":"assistant","content":"ab"}"#,
    ),
    (
        r#"{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":""},{"type":"text","text":"a"}]}"#,
        r#"{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"a"}]}"#,
    ),
    (r#"{"role":"assistant","content":"half \ud83d"}"#, r#"{"role":"assistant","content":"half \ufffd"}"#),
    // Refusals and sounds.
    (r#"{"role":"assistant","content":null,"refusal":"No."}"#, r#"{"role":"assistant","content":"No."}"#),
    (r#"{"role":"assistant","content":"I see. ","refusal":"No."}"#, r#"{"role":"assistant","content":"I see. No."}"#),
    (r#"{"role":"assistant","refusal":"No."}"#, r#"{"role":"assistant","content":"No."}"#),
    (
        r#"{"role":"assistant","content":null,"audio":{"id":"audio_1","data":"AAAA","expires_at":1,"transcript":"a"}}"#,
        r#"{"role":"assistant","content":null,"audio":{"id":"audio_1"}}"#,
    ),
    // Thinking that DeepSeek, Moonshot and OpenRouter want back.
    (
        r#"{"role":"assistant","content":"a","reasoning_content":"hm","reasoning_details":[{"type":"reasoning.encrypted","data":"x"}],"reasoning_opaque":"o"}"#,
        r#"{"role":"assistant","content":"a","reasoning_content":"hm","reasoning_details":[{"type":"reasoning.encrypted","data":"x"}],"reasoning_opaque":"o"}"#,
    ),
    // The older form of a call.
    (
        r#"{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}"#,
        r#"{"content":null,"role":"assistant","tool_calls":[{"id":"ID","type":"function","function":{"name":"f","arguments":"{}"}}]}"#,
    ),
];

/// Calls of Chat Completions that servers send and refuse, and what is sent back.
const CHAT_CALLS: &[(&str, &str)] = &[
    // Blank contents next to calls, and members of a stream.
    (
        r#""content":"","tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]"#,
        r#""content":null,"tool_calls":[CALL]"#,
    ),
    (
        r#""content":"\n\n","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}","parsed_arguments":null}}]"#,
        r#""content":null,"tool_calls":[CALL]"#,
    ),
    (
        r#""content":[],"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]"#,
        r#""content":null,"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"},"type":"function"}]"#,
    ),
    (
        r#""tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]"#,
        r#""tool_calls":[CALL],"content":null"#,
    ),
    (
        r#""content":null,"tool_calls":{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}"#,
        r#""content":null,"tool_calls":[CALL]"#,
    ),
    (
        r#""content":null,"tool_calls":[{"id":"c","type":"tool_call","function":{"name":"f","arguments":"{}"}}]"#,
        r#""content":null,"tool_calls":[CALL]"#,
    ),
    (
        r#""content":null,"tool_calls":[{"id":"c","type":"","function":{"name":"f","arguments":"{}"},"custom":null}]"#,
        r#""content":null,"tool_calls":[CALL]"#,
    ),
    // Nothing else is wrong with these.
    (
        r#""content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]"#,
        r#""content":null,"tool_calls":[CALL]"#,
    ),
    (
        r#""content":"\n\n","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]"#,
        r#""content":null,"tool_calls":[CALL]"#,
    ),
    // Signatures of other APIs behind a gateway.
    (
        r#""content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s"}}}]"#,
        r#""content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s"}}}]"#,
    ),
    (
        r#""content":null,"function_call":{"name":"f","arguments":"{}"},"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]"#,
        r#""content":null,"tool_calls":[CALL]"#,
    ),
    (
        r#""content":"x","tool_calls":[{"id":"c","type":"custom","custom":{"name":"p","input":"{a"}}]"#,
        r#""content":"x","tool_calls":[{"id":"c","type":"custom","custom":{"name":"p","input":"{a"}}]"#,
    ),
];

/// Names and arguments of calls, and what is sent back: a string of JSON, and an object.
const ARGUMENTS: &[(&str, &str)] = &[
    (r#""{\"a\": 1.50}""#, r#"{"a": 1.50}"#),
    (r#""""#, "{}"),
    (r#"" ""#, "{}"),
    ("null", "{}"),
    (r#""null""#, "{}"),
    (r#"{"b": 1, "a": 12345678901234567890123}"#, r#"{"b": 1, "a": 12345678901234567890123}"#),
    (r#""{'a': True, 'n': None}""#, r#"{"a":true,"n":null}"#),
    (r#""{\"a\":1,}""#, r#"{"a":1}"#),
    (r#""{\"a\":\"x\ny\"}""#, r#"{"a":"x\ny"}"#),
    (r#""```json\n{\"a\":1e5}\n```""#, r#"{"a":1e5}"#),
    (r#""{\"a\":1}{\"a\":1}""#, r#"{"a":1}"#),
    (r#""{}{\"a\":1}""#, r#"{"a":1}"#),
    (r#""\"{\\\"a\\\":1}\"""#, r#"{"a":1}"#),
    (r#""{\"a\":\"\\ud83d\"}""#, r#"{"a":"\ufffd"}"#),
    // What cannot be read.
    (r#""{\"a\": ""#, r#"{"INVALID_JSON":"{\"a\": "}"#),
    (r#""{\"a\":1}{\"a\":2}""#, r#"{"INVALID_JSON":"{\"a\":1}{\"a\":2}"}"#),
    (r#""[1]""#, r#"{"INVALID_JSON":"[1]"}"#),
    ("[1]", r#"{"INVALID_JSON":"[1]"}"#),
    (r#""ls -l""#, r#"{"INVALID_JSON":"ls -l"}"#),
    (r#""7""#, r#"{"INVALID_JSON":"7"}"#),
    (r#""{\"a\":NaN}""#, r#"{"INVALID_JSON":"{\"a\":NaN}"}"#),
    (r#""<a>1</a>""#, r#"{"INVALID_JSON":"<a>1</a>"}"#),
];

/// Names of calls, and what is sent back.
const NAMES: &[(&str, &str)] = &[
    ("f", "f"),
    ("mcp__a-b__c", "mcp__a-b__c"),
    ("read file", "read_file"),
    ("default_api/f", "default_api_f"),
    ("f\\n", "f_"),
    ("$f(x)", "_f_x_"),
    ("été", "_t_"),
    ("<tool_call>", "_tool_call_"),
];

fn chat(message: &str) -> String {
    format!(r#"{{"choices":[{{"message":{message},"finish_reason":"stop"}}]}}"#)
}

#[test]
fn chat_completions_gets_messages_that_every_server_takes() {
    let id = Api::ChatCompletions.parse(&chat(r#"{"function_call":{"name":"f","arguments":"{}"}}"#)).unwrap();
    let id = id.calls()[0].id().to_owned();
    let cases: Vec<_> = CHAT.iter().map(|(sent, expected)| (*sent, expected.replace("ID", &id))).collect();
    let cases: Vec<_> = cases.iter().map(|(sent, expected)| (*sent, &**expected)).collect();
    check(Api::ChatCompletions, &cases, chat);
    let call = r#"{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}"#;
    for (sent, expected) in CHAT_CALLS {
        let got = sent_back(Api::ChatCompletions, &chat(&format!(r#"{{"role":"assistant",{sent}}}"#)));
        assert_eq!(got, format!(r#"{{"role":"assistant",{}}}"#, expected.replace("CALL", call)), "{sent}");
    }
}

#[test]
fn every_api_gets_arguments_that_are_an_object() {
    for (sent, expected) in ARGUMENTS {
        let text = super::quoted(expected);
        for (api, body, of_string) in [
            (
                Api::ChatCompletions,
                chat(&format!(
                    r#"{{"content":null,"role":"assistant","tool_calls":[{{"id":"c","type":"function","function":{{"name":"f","arguments":{sent}}}}}]}}"#
                )),
                true,
            ),
            (
                Api::Responses,
                format!(
                    r#"{{"status":"completed","output":[{{"type":"function_call","call_id":"c","name":"f","arguments":{sent}}}]}}"#
                ),
                true,
            ),
            (
                Api::Anthropic,
                format!(
                    r#"{{"stop_reason":"tool_use","content":[{{"type":"tool_use","id":"c","name":"f","input":{sent}}}]}}"#
                ),
                false,
            ),
            (
                Api::Gemini,
                format!(
                    r#"{{"candidates":[{{"finishReason":"STOP","content":{{"parts":[{{"functionCall":{{"name":"f","args":{sent}}}}}]}}}}]}}"#
                ),
                false,
            ),
            (
                Api::Interactions,
                format!(
                    r#"{{"status":"requires_action","steps":[{{"type":"function_call","id":"c","name":"f","arguments":{sent}}}]}}"#
                ),
                false,
            ),
        ] {
            let expected = if of_string { &*text } else { expected };
            let is_absent = api == Api::Gemini && *sent == "null";
            let got = sent_back(api, &body);
            assert!(got.contains(&format!(":{expected}}}")) || is_absent, "{api:?} {sent}: {got}");
        }
    }
}

#[test]
fn every_api_gets_names_of_functions_that_it_takes() {
    let long = ("x".repeat(200), "x".repeat(64));
    let names = NAMES.iter().copied().chain([(&*long.0, &*long.1)]);
    for (sent, expected) in names {
        for (api, body) in [
            (Api::ChatCompletions, chat(&format!(r#"{{"tool_calls":[{{"id":"c","function":{{"name":"{sent}"}}}}]}}"#))),
            (
                Api::Responses,
                format!(
                    r#"{{"status":"completed","output":[{{"type":"function_call","call_id":"c","name":"{sent}"}}]}}"#
                ),
            ),
            (
                Api::Anthropic,
                format!(r#"{{"stop_reason":"tool_use","content":[{{"type":"tool_use","id":"c","name":"{sent}"}}]}}"#),
            ),
            (
                Api::Gemini,
                format!(
                    r#"{{"candidates":[{{"finishReason":"STOP","content":{{"parts":[{{"functionCall":{{"name":"{sent}"}}}}]}}}}]}}"#
                ),
            ),
        ] {
            let response = api.parse(&body).unwrap();
            assert_eq!(
                super::quoted(response.calls()[0].name()).replace("\\u000a", "\\n"),
                format!("\"{sent}\""),
                "the model's own name"
            );
            assert!(sent_back(api, &body).contains(&format!(r#""name":"{expected}"#)), "{api:?} {sent}");
        }
    }
}

/// Items of Responses that servers send and refuse, and what is sent back.
const RESPONSES: &[(&str, &str)] = &[
    (
        r#"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"},{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":"{}","status":"completed"}"#,
        "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[],\"encrypted_content\":\"x\"}\n{\"type\":\"function_call\",\"id\":\"fc_1\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\",\"status\":\"completed\"}",
    ),
    (
        r#"{"type":"reasoning","id":"rs_1","summary":[],"content":null,"encrypted_content":"x","status":"completed"},{"type":"function_call","id":"","call_id":"c","name":"f","arguments":"{}","status":null,"parsed_arguments":null}"#,
        "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[],\"encrypted_content\":\"x\"}\n{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\"}",
    ),
    (
        r#"{"type":"reasoning","id":"rs_1","encrypted_content":"x"},{"type":"message","content":"a"}"#,
        "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"encrypted_content\":\"x\",\"summary\":[]}\n{\"type\":\"message\",\"content\":\"a\",\"role\":\"assistant\"}",
    ),
    // Reasoning that the server has not stored, and without an item after it.
    (
        r#"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":null},{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":"{}"}"#,
        r#"{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}"#,
    ),
    (
        r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a","annotations":[]}]},{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}"#,
        r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a","annotations":[]}]}"#,
    ),
    (r#"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}"#, ""),
    (
        r#"{"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}"#,
        "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[],\"content\":[{\"type\":\"reasoning_text\",\"text\":\"hm\"}]}\n{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\"}",
    ),
    // Messages.
    (
        r#"{"type":"message","id":"msg_1","role":"assistant","status":"completed","phase":"commentary","content":[{"type":"output_text","text":"a","annotations":[],"logprobs":[]}]}"#,
        r#"{"type":"message","id":"msg_1","role":"assistant","status":"completed","phase":"commentary","content":[{"type":"output_text","text":"a","annotations":[]}]}"#,
    ),
    (
        r#"{"type":"message","id":null,"content":[{"type":"output_text","text":"a"}],"index":0}"#,
        r#"{"type":"message","content":[{"type":"output_text","text":"a","annotations":[]}],"role":"assistant"}"#,
    ),
    (r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"","annotations":[]}]}"#, ""),
    (
        r#"{"type":"message","role":"assistant","content":[]},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}"#,
        r#"{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}"#,
    ),
    (
        r#"{"type":"message","role":"assistant","status":"done","content":[{"type":"refusal","refusal":"No.","x":1}]}"#,
        r#"{"type":"message","role":"assistant","status":"completed","content":[{"type":"refusal","refusal":"No."}]}"#,
    ),
    // Two items with one id.
    (
        r#"{"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"a","annotations":[]}]},{"type":"function_call","id":"m","call_id":"c","name":"f","arguments":"{}"}"#,
        "{\"type\":\"message\",\"id\":\"m\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"a\",\"annotations\":[]}]}\n{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\"}",
    ),
    // What the host does not know stays as it is.
    (
        r#"{"type":"web_search_call","id":"ws_1","status":"completed","action":null}"#,
        r#"{"type":"web_search_call","id":"ws_1","status":"completed","action":null}"#,
    ),
    (
        r#"{"type":"custom_tool_call","call_id":"c","name":"p","input":"{a","status":"completed","index":1}"#,
        r#"{"type":"custom_tool_call","call_id":"c","name":"p","input":"{a","status":"completed"}"#,
    ),
];

#[test]
fn responses_gets_items_that_every_server_takes() {
    check(Api::Responses, RESPONSES, |items| format!(r#"{{"status":"completed","output":[{items}]}}"#));
}

/// Blocks of Anthropic that servers send and refuse, and what is sent back.
const ANTHROPIC: &[(&str, &str)] = &[
    (
        r#"{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"a"}"#,
        r#"{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"a"}"#,
    ),
    (
        r#"{"type":"thinking","thinking":"","signature":"s"},{"type":"text","text":"a"}"#,
        r#"{"type":"thinking","thinking":"","signature":"s"},{"type":"text","text":"a"}"#,
    ),
    (
        r#"{"type":"thinking","thinking":"hm"},{"type":"text","text":"a"}"#,
        r#"{"type":"thinking","thinking":"hm","signature":""},{"type":"text","text":"a"}"#,
    ),
    (r#"{"type":"thinking","thinking":""},{"type":"text","text":"a"}"#, r#"{"type":"text","text":"a"}"#),
    (
        r#"{"type":"redacted_thinking","data":"x"},{"type":"text","text":"a"}"#,
        r#"{"type":"redacted_thinking","data":"x"},{"type":"text","text":"a"}"#,
    ),
    (
        r#"{"type":"text","text":"a"},{"type":"thinking","thinking":"hm","signature":"s"}"#,
        r#"{"type":"text","text":"a"}"#,
    ),
    (r#"{"type":"thinking","thinking":"hm","signature":"s"}"#, ""),
    (
        r#"{"type":"text","text":""},{"type":"text","text":" \n"},{"type":"text","text":"a "}"#,
        r#"{"type":"text","text":"a "}"#,
    ),
    (r#"{"type":"text","text":""}"#, ""),
    (r#"{"type":"text","text":"a","citations":null,"parsed_output":null}"#, r#"{"type":"text","text":"a"}"#),
    (
        r#"{"type":"text","text":"a","citations":[{"type":"char_location"}]}"#,
        r#"{"type":"text","text":"a","citations":[{"type":"char_location"}]}"#,
    ),
    (r#"{"type":"text","text":"a","citations":[],"index":0,"cache_control":null}"#, r#"{"type":"text","text":"a"}"#),
    (
        r#"{"type":"tool_use","id":"c","name":"f","input":{"b":1.50,"a":2},"caller":{"type":"direct"},"partial_json":"","index":1}"#,
        r#"{"type":"tool_use","id":"c","name":"f","input":{"b":1.50,"a":2}}"#,
    ),
    (
        r#"{"type":"tool_use","id":"c","name":"f","input":{},"caller":{"type":"code_execution_20250825","tool_id":"srvtoolu_1"}}"#,
        r#"{"type":"tool_use","id":"c","name":"f","input":{},"caller":{"type":"code_execution_20250825","tool_id":"srvtoolu_1"}}"#,
    ),
    (r#"{"type":"tool_use","id":"c","name":"f"}"#, r#"{"type":"tool_use","id":"c","name":"f","input":{}}"#),
    (
        r#"{"type":"tool_use","id":"c","name":"f","input":null,"text":""}"#,
        r#"{"type":"tool_use","id":"c","name":"f","input":{}}"#,
    ),
    (
        r#"{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"x":null}},{"type":"text","text":"a"}"#,
        r#"{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"x":null}},{"type":"text","text":"a"}"#,
    ),
    (r#"{"type":"text","text":"half \udc00"}"#, r#"{"type":"text","text":"half \ufffd"}"#),
];

#[test]
fn anthropic_gets_blocks_that_every_server_takes() {
    for (sent, expected) in ANTHROPIC {
        let got = sent_back(Api::Anthropic, &format!(r#"{{"stop_reason":"end_turn","content":[{sent}]}}"#));
        let message = format!(r#"{{"role":"assistant","content":[{expected}]}}"#);
        assert_eq!(got, if expected.is_empty() { "" } else { &message }, "{sent}");
    }
    let body =
        r#"{"content":[{"type":"tool_use","id":"functions.bash:0","name":"f","input":{}}],"stop_reason":"tool_use"}"#;
    let response = Api::Anthropic.parse(body).unwrap();
    let id = response.calls()[0].id().to_owned();
    assert!(id.len() == 9 && response.messages()[0].get().contains(&id), "an id that the API does not take: {id}");
}

/// Parts of Gemini that servers send and refuse, and what is sent back.
const GEMINI: &[(&str, &str)] = &[
    (r#"{"text":"a"}"#, r#"{"text":"a"}"#),
    (
        r#"{"functionCall":{"name":"f","args":{"b":1,"a":2}},"thoughtSignature":"s"}"#,
        r#"{"functionCall":{"name":"f","args":{"b":1,"a":2}},"thoughtSignature":"s"}"#,
    ),
    (r#"{"text":"","thoughtSignature":"s"}"#, r#"{"text":"","thoughtSignature":"s"}"#),
    (r#"{"thoughtSignature":"s"}"#, r#"{"thoughtSignature":"s","text":""}"#),
    (r#"{"text":"a","thoughtSignature":"s"},{"text":""}"#, r#"{"text":"a","thoughtSignature":"s"}"#),
    (r#"{"text":"hm","thought":true},{"text":"a"}"#, r#"{"text":"hm","thought":true},{"text":"a"}"#),
    (r#"{"text":""},{"functionCall":{"name":"f"}}"#, r#"{"functionCall":{"name":"f"}}"#),
    (r#"{"text":""}"#, ""),
    ("{}", ""),
    (r#"{},{"text":"a"}"#, r#"{"text":"a"}"#),
    (r#"{"thought":true},{"text":"a"}"#, r#"{"text":"a"}"#),
    (r#"{"text":"a","index":0}"#, r#"{"text":"a"}"#),
    (r#"{"text":"a","functionCall":null,"inlineData":null}"#, r#"{"text":"a"}"#),
    (
        r#"{"functionCall":{"id":"","name":"f","args":{},"partialArgs":null,"willContinue":false}}"#,
        r#"{"functionCall":{"name":"f","args":{}}}"#,
    ),
    (r#"{"functionCall":{"id":"c","name":"f","args":null},"text":null}"#, r#"{"functionCall":{"id":"c","name":"f"}}"#),
    (
        r#"{"inlineData":{"mimeType":"image/png","data":"AA"}}"#,
        r#"{"inlineData":{"mimeType":"image/png","data":"AA"}}"#,
    ),
    (
        r#"{"executableCode":{"language":"PYTHON","code":"1"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK"}}"#,
        r#"{"executableCode":{"language":"PYTHON","code":"1"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK"}}"#,
    ),
    (r#"{"hologram":{"x":1},"thoughtSignature":""}"#, r#"{"hologram":{"x":1},"thoughtSignature":""}"#),
];

#[test]
fn gemini_gets_parts_that_every_server_takes() {
    for (sent, expected) in GEMINI {
        let body = format!(r#"{{"candidates":[{{"finishReason":"STOP","content":{{"parts":[{sent}]}}}}]}}"#);
        let message = format!(r#"{{"role":"model","parts":[{expected}]}}"#);
        assert_eq!(sent_back(Api::Gemini, &body), if expected.is_empty() { "" } else { &message }, "{sent}");
    }
}
