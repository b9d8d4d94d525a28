//! Lines of a client that are not what the protocol says: each is answered or ignored, and the next line is read.

use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::fixture::{Done, server};

/// An output that is kept.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns the answers to these lines of a client that has begun, without that to its first request.
async fn answers(lines: &[Vec<u8>]) -> Vec<Value> {
    let (folder, output) = (tempfile::tempdir().expect("failed to make a folder"), Kept::default());
    let begin = json!({ "jsonrpc": "2.0", "id": "begin", "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" },
    } });
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let mut input = format!("{begin}\n{initialized}\n").into_bytes();
    for line in lines {
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    let served = server(&Arc::new(Done::default()), folder.path()).serve_stdio(Cursor::new(input), output.clone());
    served.await.expect("it ends with its input");
    let text = String::from_utf8(output.0.lock().unwrap_or_else(PoisonError::into_inner).clone()).expect("UTF-8");
    let all: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
    all.into_iter().filter(|answer| answer["id"] != "begin").collect()
}

fn ping(id: &str) -> Vec<u8> {
    json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }).to_string().into_bytes()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_odd_line_is_answered_and_the_next_one_is_read() {
    let request = |more: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call"{more}}}"#).into_bytes();
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    for (line, code) in [
        (request(r#","params":[]"#), -32602),
        (request(r#","params":[1,2]"#), -32602),
        (request(r#","params":"x""#), -32602),
        (request(r#","params":7"#), -32602),
        (request(r#","params":null"#), -32602),
        (request(r#","params":true"#), -32602),
        (request(""), -32602),
        (request(r#","params":{}"#), -32602),
        (request(r#","params":{"name":null}"#), -32602),
        (request(r#","params":{"name":["echo"]}"#), -32602),
        (request(r#","params":{"name":"no such tool"}"#), -32602),
        (request(&format!(r#","params":{{"name":"echo","arguments":{deep}}}"#)), -32700),
        (br#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]}"#.to_vec(), -32602),
        (br#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#.to_vec(), -32601),
        (br#"{"jsonrpc":"2.0","id":1,"method":""}"#.to_vec(), -32601),
        (br#"{"jsonrpc":"2.0","id":1,"method":null}"#.to_vec(), -32600),
        (br#"{"jsonrpc":"2.0","id":1,"method":["ping"]}"#.to_vec(), -32600),
        (br#"{"jsonrpc":"2.0","id":1}"#.to_vec(), -32600),
        (br#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#.to_vec(), -32600),
        (br#"{"id":1,"method":"ping"}"#.to_vec(), -32600),
        (br#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}"#.to_vec(), -32600),
        (br#"{"jsonrpc":"2.0","id":1,"method":"ping"}}"#.to_vec(), -32700),
        (br#"{"jsonrpc":"2.0","id":1,"method":"ping","#.to_vec(), -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}".to_vec(), -32700),
    ] {
        let shown = String::from_utf8_lossy(&line[..line.len().min(100)]).into_owned();
        let answers = answers(&[line, ping("next")]).await;
        let of = |id: Value| answers.iter().find(|answer| answer["id"] == id);
        assert_eq!(of(json!(1)).map(|answer| &answer["error"]["code"]), Some(&json!(code)), "{shown}: {answers:?}");
        assert!(of(json!("next")).is_some_and(|answer| answer["result"].is_object()), "{shown}: {answers:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_without_a_usable_id_does_not_end_the_conversation() {
    let binary: Vec<u8> = (0..=255).filter(|byte| *byte != b'\n').collect();
    let long = [b"{\"jsonrpc\":\"2.0\",\"id\":\"long\",\"method\":\"".to_vec(), vec![b'x'; 17 << 20], b"\"}".to_vec()]
        .concat();
    for line in [
        binary,
        vec![0; 100],
        b"null".to_vec(),
        b"7".to_vec(),
        b"\"ping\"".to_vec(),
        b"[]".to_vec(),
        b"[1]".to_vec(),
        b"[[]]".to_vec(),
        b"{}".to_vec(),
        b"\r".to_vec(),
        br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#.to_vec(),
        br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#.to_vec(),
        br#"{"jsonrpc":"2.0","id":1e999,"method":"ping"}"#.to_vec(),
        br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#.to_vec(),
        br#"{"jsonrpc":"2.0","id":99,"result":{}}"#.to_vec(),
        br#"{"jsonrpc":"2.0","id":99,"error":7}"#.to_vec(),
        br#"{"jsonrpc":"2.0","method":"notifications/none"}"#.to_vec(),
        br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}"#.to_vec(),
        br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":1}}}"#.to_vec(),
        br#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":[]}}"#.to_vec(),
        long,
        b"Content-Length: 40".to_vec(),
    ] {
        let shown = String::from_utf8_lossy(&line[..line.len().min(100)]).into_owned();
        let answers = answers(&[line, ping("next")]).await;
        let last = answers.iter().find(|answer| answer["id"] == "next");
        assert!(last.is_some_and(|answer| answer["result"].is_object()), "{shown}: {answers:?}");
        if shown.contains("\"long\"") {
            assert!(answers.iter().any(|answer| answer["id"] == "long" && answer["error"].is_object()), "{answers:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_requests_of_a_batch_are_answered_one_by_one() {
    let batch = json!([
        { "jsonrpc": "2.0", "id": "a", "method": "ping" },
        { "jsonrpc": "2.0", "method": "notifications/none" },
        { "jsonrpc": "2.0", "id": "b", "method": "no/such" },
        { "jsonrpc": "2.0", "id": 1.5, "method": "ping" },
        { "jsonrpc": "2.0", "id": "c", "method": "tools/list", "params": [] },
    ]);
    let answers = answers(&[batch.to_string().into_bytes(), ping("next")]).await;
    let of =
        |id: Value| answers.iter().find(|answer| answer["id"] == id).unwrap_or_else(|| panic!("{id}: {answers:?}"));
    assert!(of(json!("a"))["result"].is_object() && of(json!("next"))["result"].is_object());
    assert_eq!(of(json!("b"))["error"]["code"], -32601);
    assert_eq!(of(json!(1.5))["error"]["code"], -32600);
    assert!(of(json!("c"))["result"]["tools"].is_array());
}

#[tokio::test(flavor = "multi_thread")]
async fn half_a_surrogate_pair_reaches_a_tool_as_a_replacement() {
    let call = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a \ud83d b","text":"\udc00 c"}}}"#;
    let answers = answers(&[call.to_vec(), ping("next")]).await;
    let text = answers
        .iter()
        .find(|answer| answer["id"] == 1)
        .map(|answer| answer["result"]["content"][0]["text"].to_string());
    assert!(text.as_ref().is_some_and(|text| text.contains("\u{fffd} c")), "{answers:?}");
}
