use super::*;
use crate::call::response::CallResponse;
use crate::fakes::{Fake, tool};
use crate::render::search_tools::ToolSearch;
use crate::result::error::{ErrorKind, ToolError};

fn turn(dialect: Dialect) -> Turn {
    Fake::new([tool("find", "web", &[])]).registry().session().build().unwrap().turn_blocking(dialect)
}

fn request(rest: &str) -> Request {
    let message = format!(r#"{{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{{"name":"find"{rest}}}}}"#);
    match Server::new("s", "1").receive(&message, &turn(Dialect::Mcp)) {
        Incoming::Call(request) => request,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_batch_is_answered_in_one_line() {
    let session = Fake::new([tool("find", "web", &[])]).every_dialect().registry().session().build().unwrap();
    let (server, turn) = (Server::new("s", "1"), session.turn_blocking(Dialect::Mcp));
    let run = |request: &Request| Some(request.result(&turn, &crate::fakes::wait(turn.call(&request.call()))));
    let sent = |message: &str| server.receive(message, &turn).reply_with(run);
    let ping = |id: u8| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
    let answer = |id: u8| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let call = r#"{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"find"}}"#;
    let batch = format!("[{},{notification},{call},{}]", ping(1), ping(2));
    let reply = sent(&batch).unwrap();
    assert!(reply.starts_with(&format!("[{},", answer(1))) && reply.ends_with(&format!(",{}]", answer(2))), "{reply}");
    assert!(reply.contains(r#""id":"c","result":{"content""#) && reply.matches("jsonrpc").count() == 3, "{reply}");
    assert_eq!(sent(&format!("[{notification},{notification}]")), None);
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
    let incoming = server.receive(&format!("[{call},{cancel}]"), &turn);
    assert_eq!(incoming.requests().map(|request| request.call().id().to_owned()).collect::<Vec<_>>(), [r#""c""#]);
    assert_eq!(incoming.cancelled().collect::<Vec<_>>(), ["7"]);
    assert_eq!(incoming.reply_with(|_| None), None);
    // Mistakes in a batch are answered one by one, and an empty batch with one error.
    let reply = sent(&format!("[1,[],{}]", ping(1))).unwrap();
    assert!(reply.matches("-32600").count() == 2 && reply.ends_with(&format!("{}]", answer(1))), "{reply}");
    let reply = sent("[]").unwrap();
    assert!(reply.starts_with('{') && reply.contains("-32600"), "{reply}");
    let many = format!("[{}1]", "1,".repeat(MAX_BATCH));
    assert!(sent(&many).unwrap().starts_with('{'));
    let initialize = r#"[{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}]"#;
    let reply = sent(initialize).unwrap();
    assert!(reply.contains(r#""id":5,"error""#) && reply.contains("must not be part of a batch"), "{reply}");
}

#[test]
fn progress_is_sent_only_with_a_progress_token() {
    let progress =
        Progress { tool: "find", id: "\"a\"", task: "t", done: 1.5, total: Some(f64::INFINITY), message: "on it" };
    assert_eq!(request("").progress(&progress), None);
    assert_eq!(request(r#","_meta":{"progressToken":[7]}"#).progress(&progress), None, "it is not a token");
    let notification = request(r#","_meta":{"progressToken":7}"#).progress(&progress).unwrap();
    let params = r#"{"progressToken":7,"progress":1.5,"total":0,"message":"on it"}"#;
    assert_eq!(notification, format!(r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}"#));
}

#[test]
fn the_id_of_a_call_is_the_json_of_the_requests_id() {
    assert_eq!(request("").call().id(), r#""a""#);
}

#[test]
fn responses_of_a_client_get_no_reply() {
    for id in ["1", "null", "[]"] {
        for member in [r#""result":{}"#, r#""result":null"#, r#""error":{"code":-32600,"message":"no"}"#] {
            let message = format!(r#"{{"jsonrpc":"2.0","id":{id},{member}}}"#);
            let incoming = Server::new("s", "1").receive(&message, &turn(Dialect::Mcp));
            assert!(matches!(incoming, Incoming::Nothing), "{message}: {incoming:?}");
        }
    }
}

#[test]
fn a_response_is_one_line_whatever_a_handler_writes() {
    let definition = "{\n\"name\": \"find\",\n\"outputSchema\": {\"type\": \"object\"}}";
    let fake = Fake::new([tool("find", "web", &[])])
        .defined("find", Some(vec![crate::data::segment::Segment::Text(definition.into())]))
        .every_dialect();
    let turn = fake.registry().session().build().unwrap().turn_blocking(Dialect::Mcp);
    let response = CallResponse {
        json: "{\r\n\"a\": \"b\\n\"\n}".to_owned(),
        error: None,
        images: Vec::new(),
        attachments: Vec::new(),
        meta: None,
        repairs: crate::args::repairs::Repairs::NONE,
    };
    let result = request("").result(&turn, &response);
    assert!(result.contains(r#""structuredContent":{  "a": "b\n" }"#), "{result}");
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let Incoming::Reply(list) = Server::new("s", "1").receive(list, &turn) else { panic!("expected a reply") };
    assert!(list.contains(r#"{ "name": "find", "#) && !list.contains('\n'), "{list}");
}

#[test]
fn the_meta_of_a_result_is_sent_to_clients_of_each_era() {
    let meta = serde_json::json!({"com.example/trace": "7"});
    let response = CallResponse::from(crate::ToolOutput::text("a").with_meta(meta));
    for era in [Era::Sessions, Era::Stateless] {
        let result = Request { era, ..request("") }.result(&turn(Dialect::Mcp), &response);
        assert!(result.ends_with(r#","isError":false,"_meta":{"com.example/trace":"7"}}}"#), "{result}");
    }
    let plain = CallResponse::from(Ok(crate::ToolOutput::text("a")));
    assert!(!request("").result(&turn(Dialect::Mcp), &plain).contains("_meta"));
}

#[test]
fn only_an_unknown_tool_is_a_protocol_error() {
    let response = CallResponse::from(Err(ToolError::with_kind(ErrorKind::UnknownTool, "no such tool")));
    let turn = Fake::new([tool("find", "web", &[])]).every_dialect().registry().session();
    let turn = turn.tool_search(ToolSearch::with_threshold(0)).build().unwrap().turn_blocking(Dialect::Mcp);
    for (name, expected) in [("find", "isError"), ("tool_describe", "isError"), ("fond", "-32602")] {
        let request = Request { name: name.to_owned(), ..request("") };
        let result = request.result(&turn, &response);
        assert!(result.contains(expected) && result.contains("no such tool"), "{name}: {result}");
    }
}

#[test]
fn session_clients_only_see_output_schemas_of_objects() {
    let tool = |schema| RawValue::from_string(format!(r#"{{"name":"t","outputSchema":{schema}}}"#)).unwrap();
    for (schema, is_shown) in [
        (r#"{"type":"object"}"#, true),
        (r#"{"type":"array"}"#, false),
        (r#"{"type":["object","null"]}"#, false),
        (r##"{"$ref":"#/$defs/a"}"##, false),
        ("{}", false),
    ] {
        let tool = tool(schema);
        assert_eq!(result::definition_for(&tool, Era::Stateless), tool.get());
        let expected = if is_shown { tool.get() } else { r#"{"name":"t"}"# };
        assert_eq!(result::definition_for(&tool, Era::Sessions), expected, "{schema}");
    }
}

#[test]
fn a_turn_in_another_dialect_is_an_internal_error() {
    let message = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let Incoming::Reply(reply) = Server::new("s", "1").receive(message, &turn(Dialect::OpenAi)) else {
        panic!("expected a reply")
    };
    assert!(reply.contains("-32603"), "{reply}");
}

#[test]
fn the_time_and_the_scope_of_caches_are_those_of_the_server() {
    let server = Server::new("s", "1");
    let cached = |ttl| server.clone().with_cache(ttl, CacheScope::Public);
    for (server, expected) in [
        (cached(Duration::from_mins(5)), r#""ttlMs":300000,"cacheScope":"public""#),
        (cached(Duration::MAX), r#""ttlMs":86400000,"cacheScope":"public""#),
        (server.clone(), r#""ttlMs":0,"cacheScope":"private""#),
    ] {
        for method in ["tools/list", "server/discover"] {
            let meta = format!(r#"{{"{VERSION_KEY}":"{STATELESS_VERSION}"}}"#);
            let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"_meta":{meta}}}}}"#);
            let Incoming::Reply(reply) = server.receive(&message, &turn(Dialect::Mcp)) else {
                panic!("expected a reply")
            };
            assert!(reply.contains(expected) && reply.contains(r#""resultType":"complete""#), "{reply}");
        }
        let message = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        let Incoming::Reply(reply) = server.receive(message, &turn(Dialect::Mcp)) else { panic!("expected a reply") };
        assert!(!reply.contains("ttlMs") && !reply.contains("resultType"), "{reply}");
    }
}

#[test]
fn requests_whose_meaning_is_clear_are_answered() {
    let turn = crate::Registry::new().session().build().unwrap().turn_blocking(Dialect::Mcp);
    let server = Server::new("s", "1");
    for (method, params, expected) in [
        ("tools/list", r#"{"cursor":""}"#, r#""tools":[]"#),
        ("tools/list", r#"{"cursor":null}"#, r#""tools":[]"#),
        ("tools/list", "null", r#""tools":[]"#),
        ("initialize", "{}", r#""protocolVersion":"2025-11-25""#),
        ("initialize", r#"{"protocolVersion":7,"capabilities":true}"#, r#""protocolVersion":"2025-11-25""#),
        ("initialize", r#"{"protocolVersion":""}"#, r#""protocolVersion":"2025-11-25""#),
        ("initialize", r#"{"protocolVersion":"1999-01-01"}"#, r#""protocolVersion":"2025-11-25""#),
        ("ping", "null", r#""result":{}"#),
    ] {
        let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        let Incoming::Reply(reply) = server.receive(&message, &turn) else { panic!("{message} is answered") };
        assert!(reply.contains(expected), "{message}: {reply}");
    }
    for (arguments, expected) in [
        (r#""{\"a\":1}""#, r#"{"a":1}"#),
        (r#""""#, "{}"),
        ("null", "{}"),
        (r#""{'a': 1}""#, "{'a': 1}"),
        (r#"{"a":1}"#, r#"{"a":1}"#),
    ] {
        let message = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"f","arguments":{arguments}}}}}"#
        );
        let Incoming::Call(request) = server.receive(&message, &turn) else { panic!("{message} is a call") };
        assert_eq!(request.call().arguments(), expected, "{message}");
    }
}
