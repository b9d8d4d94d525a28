//! Who can send requests, and what is refused before it is read.

use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use toolc_mcp::server::{HttpAccess, MAX_REQUEST};

use crate::fixture::{Client, OTHER_TOKEN, PATIENCE, Reply, Serving, TOKEN, call, text};

const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

fn with(token: &str) -> Client<'_> {
    Client { token: Some(token), session: None }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_bearer_of_a_token_is_answered() {
    let serving = Serving::start().await;
    for client in [Client::default(), with("wrong-wrong-wrong-wrong"), with(""), with(&TOKEN[1..])] {
        let reply = serving.request(client).body(LIST).send().await.expect("the server answers");
        assert_eq!(reply.status(), 401, "{client:?}");
        assert_eq!(reply.headers()["www-authenticate"], "Bearer");
    }
    for header in [format!("Basic {TOKEN}"), TOKEN.to_owned(), format!("Bearer {TOKEN}, Bearer {TOKEN}")] {
        let reply = serving.request(Client::default()).header("authorization", &header).body(LIST).send().await;
        assert_eq!(reply.expect("the server answers").status(), 401, "{header}");
    }
    let twice = serving.request(with(TOKEN)).header("authorization", format!("Bearer {TOKEN}")).body(LIST).send().await;
    assert_eq!(twice.expect("the server answers").status(), 401, "two headers");
    let session = serving.initialize(Some(TOKEN), json!({})).await;
    let mut reply =
        serving.post(Client { session: Some(&session), ..with(TOKEN) }, &call(1, "echo", json!({ "text": "a" }))).await;
    assert_eq!(text(&reply.answer().await), "a");
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_cannot_be_used_with_another_token() {
    let serving = Serving::start().await;
    let session = serving.initialize(Some(TOKEN), json!({})).await;
    let (own, other) = (
        Client { token: Some(TOKEN), session: Some(&session) },
        Client { token: Some(OTHER_TOKEN), session: Some(&session) },
    );
    let echo = call(1, "echo", json!({ "text": "a" }));
    assert_eq!(serving.post(other, &echo).await.status, 404);
    let http = &serving.http;
    for method in [reqwest::Method::GET, reqwest::Method::DELETE] {
        let request = http.request(method.clone(), serving.url()).header("accept", "text/event-stream");
        let request = request.header("mcp-session-id", &session).bearer_auth(OTHER_TOKEN).timeout(PATIENCE);
        assert_eq!(request.send().await.expect("the server answers").status(), 404, "{method}");
    }
    assert_eq!(text(&serving.post(own, &echo).await.answer().await), "a", "the session is still there");
    let ended = http.delete(serving.url()).header("mcp-session-id", &session).bearer_auth(TOKEN).send().await;
    assert_eq!(ended.expect("the server answers").status(), 204);
    assert_eq!(serving.post(own, &echo).await.status, 404, "the session has ended");
    assert_eq!(serving.post(Client { session: Some("made-up"), ..own }, &echo).await.status, 404);
    let delete = || http.delete(serving.url()).bearer_auth(TOKEN);
    let again = delete().header("mcp-session-id", &session).send().await;
    assert_eq!(again.expect("the server answers").status(), 404, "it has ended already");
    let without = delete().send().await;
    assert_eq!(without.expect("the server answers").status(), 400, "a session is named");
    let newest = delete().header("mcp-protocol-version", "2026-07-28").send().await;
    assert_eq!(newest.expect("the server answers").status(), 405, "2026-07-28 has no sessions");
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_web_page_and_a_name_that_points_here_are_refused() {
    let access = |access| HttpAccess {
        hosts: vec!["tools.example".to_owned()],
        origins: vec!["https://app.example".to_owned()],
        ..access
    };
    let serving = Serving::with(|server| server, access).await;
    let port = serving.address.port();
    let session = serving.initialize(Some(TOKEN), json!({})).await;
    let client = Client { token: Some(TOKEN), session: Some(&session) };
    let id = std::sync::atomic::AtomicU32::new(1);
    let status = async |name: &str, value: &str| {
        // An answer that is not read may leave its id in use.
        let id = id.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let echo = call(id, "echo", json!({ "text": "a" }));
        Reply::of(serving.request(client).header(name, value).body(echo.to_string())).await.status
    };
    for origin in
        ["https://evil.example", "null", "http://app.example", "https://app.example:444", "http://localhost:1", "x"]
    {
        assert_eq!(status("origin", origin).await, 403, "{origin}");
    }
    for origin in
        ["https://app.example".to_owned(), format!("http://127.0.0.1:{port}"), format!("http://localhost:{port}")]
    {
        assert_eq!(status("origin", &origin).await, 200, "{origin}");
    }
    for (host, expected) in
        [("evil.example", 403), ("tools.example", 200), ("localhost", 200), ("127.0.0.1:1", 200), ("a b", 400)]
    {
        assert_eq!(status("host", host).await, expected, "{host}");
    }
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_not_one_is_answered_with_an_error_of_the_protocol() {
    let serving = Serving::open().await;
    let answer = async |body: Vec<u8>| {
        let mut reply = Reply::of(serving.request(Client::default()).body(body)).await;
        (reply.status, reply.next().await.unwrap_or_default())
    };
    for (body, code) in [(&b"{"[..], -32700), (b"\xff", -32700), (b"[]", -32600), (b"", -32700)] {
        let (status, answer) = answer(body.to_vec()).await;
        assert_eq!((status, &answer["error"]["code"]), (400, &json!(code)), "{body:?}: {answer}");
    }
    let (status, _) = answer(vec![b'['; 100_000]).await;
    assert_eq!(status, 400, "deeply nested");
    let elsewhere = serving.http.post(format!("http://{}/", serving.address)).body(LIST).send().await;
    assert_eq!(elsewhere.expect("the server answers").status(), 404);
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_over_the_limit_is_refused_however_it_is_sent() {
    let serving = Serving::open().await;
    let body = vec![b' '; MAX_REQUEST + 1];
    // The server may close the connection before it has read everything.
    if let Ok(reply) = serving.request(Client::default()).body(body.clone()).send().await {
        assert_eq!(reply.status(), 413);
    }
    let mut stream = TcpStream::connect(serving.address).await.expect("failed to connect");
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        serving.address
    );
    stream.write_all(head.as_bytes()).await.expect("the server reads");
    let chunk = [format!("{:x}\r\n", 1 << 20).into_bytes(), vec![b' '; 1 << 20], b"\r\n".to_vec()].concat();
    // It stops reading at the limit.
    for _ in 0..64 {
        if stream.write_all(&chunk).await.is_err() {
            break;
        }
    }
    let mut answer = [0; 64];
    let read = tokio::time::timeout(PATIENCE, stream.read(&mut answer)).await.expect("it does not hang");
    if let Ok(read) = read {
        let answer = String::from_utf8_lossy(&answer[..read]);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 413"), "{answer}");
    }
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_clients_do_not_delay_others_or_the_end() {
    let serving = Serving::open().await;
    let mut slow = Vec::new();
    for n in 0..200 {
        let mut stream = std::net::TcpStream::connect(serving.address).expect("failed to connect");
        let part = match n % 3 {
            0 => "POST /mcp HT".to_owned(),
            1 => format!("POST /mcp HTTP/1.1\r\nHost: {}\r\nX: ", serving.address),
            _ => format!("POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Length: 50\r\n\r\n{{", serving.address),
        };
        stream.write_all(part.as_bytes()).expect("the server reads");
        slow.push(stream);
    }
    let started = Instant::now();
    let session = serving.initialize(None, json!({})).await;
    let client = Client { token: None, session: Some(&session) };
    assert_eq!(text(&serving.post(client, &call(1, "echo", json!({ "text": "a" }))).await.answer().await), "a");
    assert!(started.elapsed() < PATIENCE / 2, "{:?}", started.elapsed());
    serving.stop().await;
}

/// More idle connections than the server keeps open. The client and the server need a descriptor for each.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn idle_connections_without_a_token_keep_nobody_out() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    const IDLE: usize = 2_100;
    let maximum = getrlimit(Resource::Nofile).maximum;
    if maximum.is_some_and(|maximum| maximum < 3 * IDLE as u64) {
        eprintln!("skipped: this process can have only {maximum:?} open files");
        return;
    }
    setrlimit(Resource::Nofile, Rlimit { current: Some(3 * IDLE as u64), maximum }).expect("it is below the maximum");
    let serving = Serving::start().await;
    let mut idle = Vec::new();
    for _ in 0..IDLE {
        idle.push(TcpStream::connect(serving.address).await.expect("failed to connect"));
    }
    let started = Instant::now();
    let session = serving.initialize(Some(TOKEN), json!({})).await;
    let client = Client { token: Some(TOKEN), session: Some(&session) };
    assert_eq!(text(&serving.post(client, &call(1, "echo", json!({ "text": "a" }))).await.answer().await), "a");
    assert!(started.elapsed() < PATIENCE / 2, "{:?}", started.elapsed());
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_is_limited_and_has_one_host_and_one_origin() {
    let serving = Serving::open().await;
    let status = async |target: &str, headers: &str| {
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#;
        let head = format!(
            "POST {target} HTTP/1.1\r\n{headers}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(serving.address).await.expect("failed to connect");
        // The server may answer before it has read everything.
        let _ = stream.write_all(head.as_bytes()).await;
        let mut answer = [0; 12];
        let read = tokio::time::timeout(PATIENCE, stream.read_exact(&mut answer)).await.expect("it does not hang");
        read.map_or(0, |_| String::from_utf8_lossy(&answer[9..]).parse().unwrap_or(0))
    };
    let (host, own) = (format!("Host: {}\r\n", serving.address), format!("Origin: http://{}\r\n", serving.address));
    let (large, larger) = (format!("X: {}\r\n", "a".repeat(31 << 10)), format!("X: {}\r\n", "a".repeat(32 << 10)));
    for (target, headers, expected) in [
        ("/mcp", host.clone(), 200),
        ("/mcp", format!("{host}{own}"), 200),
        ("/mcp", format!("{host}{large}"), 200),
        ("/mcp", format!("{host}{larger}"), 431),
        ("/mcp", format!("{host}Host: evil.example\r\n"), 400),
        ("/mcp", format!("{host}{host}"), 400),
        ("/mcp", format!("{host}{own}Origin: https://evil.example\r\n"), 400),
        ("http://evil.example/mcp", host.clone(), 400),
        ("/mcp", "Host: evil.example\r\n".to_owned(), 403),
        ("/mcp", String::new(), 400),
    ] {
        assert_eq!(status(target, &headers).await, expected, "{target} {}", &headers[..headers.len().min(200)]);
    }
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_runs_when_the_server_is_stopped_can_end() {
    let serving = Serving::open().await;
    let reply = serving.stateless(
        Client::default(),
        "tools/call",
        json!({ "name": "wait", "arguments": { "ms": 500 } }),
        json!({}),
    );
    let reply = tokio::spawn({
        let (reply, ()) = tokio::join!(reply, tokio::time::sleep(Duration::ZERO));
        async move {
            let mut reply = reply;
            reply.answer().await
        }
    });
    serving.stop().await;
    let answer: Value = reply.await.expect("it does not panic");
    assert_eq!(text(&answer), "waited");
}
