//! The server on streams: hostile input, and many calls.

use std::io::{BufRead as _, BufReader, PipeReader, PipeWriter, Write};
use std::sync::Arc;
use std::thread;

use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::fixture::{Done, PATIENCE, RAN, call, server, text};

/// A server on two pipes.
struct Piped {
    input: Option<PipeWriter>,
    output: BufReader<PipeReader>,
    ended: JoinHandle<std::io::Result<()>>,
    done: Arc<Done>,
    _folder: tempfile::TempDir,
}

impl Piped {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let done = Arc::new(Done::default());
        let (theirs, input) = std::io::pipe().expect("failed to make a pipe");
        let (output, to_us) = std::io::pipe().expect("failed to make a pipe");
        let server = server(&done, folder.path());
        let ended = tokio::spawn(server.serve_stdio(BufReader::new(theirs), to_us));
        Self { input: Some(input), output: BufReader::new(output), ended, done, _folder: folder }
    }

    fn write(&mut self, bytes: &[u8]) {
        self.input.as_mut().expect("it is open").write_all(bytes).expect("the server reads");
    }

    fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the server writes");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    fn initialize(&mut self, capabilities: Value) {
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": { "name": "t", "version": "1" },
        });
        self.send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }));
        assert_eq!(self.receive()["id"], 0);
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    }

    /// Calls `echo`, and checks the answer.
    fn check(&mut self, id: u32) {
        self.send(&call(id, "echo", json!({ "text": "still here" })));
        let answer = self.receive();
        assert_eq!((&answer["id"], text(&answer)), (&json!(id), "still here"));
    }

    /// Closes the input, and waits until the server has ended.
    async fn end(mut self) {
        drop(self.input.take());
        let ended = tokio::time::timeout(PATIENCE, &mut self.ended).await;
        ended.expect("it ends in time").expect("it does not panic").expect("it succeeds");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_is_answered_and_the_next_line_is_read() {
    let mut piped = Piped::start();
    // Before the first request, too.
    piped.write(b"\xff\xfe\n\n{\n[]\n");
    for code in [-32700, -32700, -32600] {
        assert_eq!(piped.receive()["error"]["code"], code);
    }
    piped.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }));
    piped.send(&json!({ "jsonrpc": "2.0", "id": 7, "result": {} }));
    piped.initialize(json!({}));
    piped.check(1);
    let deep = [b"[".repeat(100_000), b"\n".to_vec()].concat();
    for (line, code) in [(&b"nonsense\n"[..], -32700), (&deep, -32700), (b"7\n", -32600)] {
        piped.write(line);
        assert_eq!(piped.receive()["error"]["code"], code);
        piped.check(2);
    }
    piped.send(&json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": { "name": 7 } }));
    let answer = piped.receive();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(3), &json!(-32602)), "{answer}");
    piped.send(&json!({ "jsonrpc": "2.0", "id": 4, "method": "no/such" }));
    assert_eq!(piped.receive()["error"]["code"], -32601);
    // Half a message at the end of the input.
    piped.write(br#"{"jsonrpc":"2.0","id":5,"meth"#);
    piped.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_of_a_hundred_megabytes_is_refused_and_skipped() {
    let mut piped = Piped::start();
    piped.initialize(json!({}));
    let mut input = piped.input.take().expect("it is open");
    let writer = thread::spawn(move || {
        let part = vec![b'x'; 1 << 20];
        input
            .write_all(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":""#)
            .expect("the server reads");
        (0..100).for_each(|_| input.write_all(&part).expect("the server reads"));
        input.write_all(b"\"}}\n").expect("the server reads");
        input
    });
    let answer = piped.receive();
    assert!(answer["error"]["message"].as_str().is_some_and(|text| text.contains("16 MiB")), "{answer}");
    piped.input = Some(writer.join().expect("it does not panic"));
    piped.check(2);
    piped.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_calls_at_once_are_all_answered() {
    let mut piped = Piped::start();
    piped.initialize(json!({}));
    let mut input = piped.input.take().expect("it is open");
    let writer = thread::spawn(move || {
        for id in 1..=1_000 {
            writeln!(input, "{}", call(id, "echo", json!({ "text": id.to_string() }))).expect("the server reads");
        }
        input
    });
    let mut ids: Vec<u64> = (0..1_000)
        .map(|_| {
            let answer = piped.receive();
            assert_eq!(text(&answer), answer["id"].to_string());
            answer["id"].as_u64().expect("it is a number")
        })
        .collect();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(1..=1_000));
    piped.input = Some(writer.join().expect("it does not panic"));
    piped.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_that_is_in_use_is_refused() {
    let mut piped = Piped::start();
    piped.initialize(json!({}));
    piped.send(&call(1, "wait", json!({ "ms": 300 })));
    piped.send(&call(1, "echo", json!({ "text": "a" })));
    let answers: Vec<Value> = (0..3).map(|_| piped.receive()).filter(|message| message.get("id").is_some()).collect();
    let [refused, waited] = answers.as_slice() else { panic!("two answers: {answers:?}") };
    assert!(refused["error"]["message"].as_str().is_some_and(|text| text.contains("this id")), "{refused}");
    assert_eq!(text(waited), "waited");
    piped.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_is_asked_while_other_calls_run() {
    let mut piped = Piped::start();
    piped.initialize(json!({ "elicitation": {} }));
    piped.send(&call(1, "guarded", json!({})));
    let question = piped.receive();
    assert_eq!(question["method"], "elicitation/create");
    piped.check(2);
    let content = json!({ "decision": "approve once" });
    piped
        .send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "accept", "content": content } }));
    assert_eq!(text(&piped.receive()), RAN);
    assert_eq!(piped.done.guarded.load(std::sync::atomic::Ordering::SeqCst), 1);
    piped.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_run_at_the_end_of_the_input_are_answered() {
    let mut piped = Piped::start();
    piped.initialize(json!({}));
    piped.send(&call(1, "wait", json!({ "ms": 300 })));
    assert_eq!(piped.receive()["method"], "notifications/progress");
    drop(piped.input.take());
    assert_eq!(text(&piped.receive()), "waited");
    piped.end().await;
}

/// An output that takes its time, as a full pipe does.
#[derive(Debug, Clone, Default)]
struct SlowOutput(Arc<std::sync::Mutex<Vec<u8>>>);

impl Write for SlowOutput {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        std::thread::sleep(std::time::Duration::from_millis(300));
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_message_is_answered_before_the_server_ends_with_its_input() {
    let initialize = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" },
    });
    let first = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize });
    for (input, answers) in [
        (format!("{}\n", call(1, "echo", json!({ "text": "a" }))), 1),
        (format!("{}\n", json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {} })), 1),
        ("nonsense\n".to_owned(), 1),
        ("nonsense\nnonsense".to_owned(), 2),
        (format!("{first}\n"), 1),
        (format!("\u{feff}{first}\n"), 1),
        (format!("{first}\n{{}}\n"), 2),
        (String::new(), 0),
    ] {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let (output, done) = (SlowOutput::default(), Arc::new(Done::default()));
        // It may fail, because the conversation did not begin.
        let _ = server(&done, folder.path()).serve_stdio(std::io::Cursor::new(input.clone()), output.clone()).await;
        let written = String::from_utf8(output.0.lock().expect("no panic").clone()).expect("it is UTF-8");
        assert_eq!(written.lines().count(), answers, "{input}: {written}");
        assert!(written.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{input}: {written}");
    }
}
