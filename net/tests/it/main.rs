//! Fetches from servers on this machine, which a policy has to allow.

mod cache;
mod hostile;
#[cfg(target_os = "linux")]
mod own_network;
mod redirects;
mod refused;
mod robots;
mod server;
mod spellings;
mod tls;

use std::io::{Read as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use server::{Server, answer};
use toolc_net::{
    AddressPolicy, Answer, Client, Fetch, FetchError, FetchFault, HeaderValue, Limits, Policy, Ports, Target,
};

/// Returns a policy that allows this machine.
fn this_machine() -> AddressPolicy {
    AddressPolicy::new(["127.0.0.0/8", "::1"].map(|text| text.parse().expect("a range")).to_vec())
}

/// Returns a client that may fetch from this machine, from the ports of these servers.
fn client(servers: &[&Server]) -> Client {
    let policy =
        Policy { addresses: this_machine(), ports: Ports::Only(servers.iter().map(|server| server.port).collect()) };
    Client::new(policy, "toolc-net tests")
}

fn get(client: &Client, address: &str, limits: &Limits) -> Result<Answer, FetchError> {
    client.fetch(Fetch::get(client.target(address).expect("a valid address")), limits)
}

#[test]
fn an_answer_has_its_status_headers_and_body() {
    let server = Server::start(|_| answer("404 Not Found", "Content-Type: text/plain\r\n", b"no such page"));
    let found = get(&client(&[&server]), &server.url("/a?b#c"), &Limits::default()).expect("an answer");
    assert_eq!((found.status, &*found.body, found.is_cut), (404, &b"no such page"[..], false));
    assert_eq!(found.headers["content-type"], "text/plain");
    let request = server.requests().remove(0);
    assert!(request.starts_with("GET /a?b HTTP/1.1\r\n"), "{request}");
    for header in ["user-agent: toolc-net tests\r\n", "accept-encoding: gzip, br\r\n"] {
        assert!(request.to_lowercase().contains(header), "{request}");
    }
    assert!(!request.to_lowercase().contains("referer") && !request.to_lowercase().contains("cookie"), "{request}");
}

#[test]
fn a_body_is_decompressed_and_cut_at_the_limit() {
    let server = Server::start(|path| match path {
        "/gzip" => answer("200 OK", "Content-Encoding: gzip\r\n", &gzip(b"some text")),
        "/bomb" => answer("200 OK", "Content-Encoding: gzip\r\n", &gzip(&vec![0; 32 << 20])),
        "/zstd" => answer("200 OK", "Content-Encoding: zstd\r\n", b"x"),
        _ => answer("200 OK", "", &[b'x'; 5_000]),
    });
    let client = client(&[&server]);
    let limits = Limits { body_bytes: 4_000, ..Limits::default() };
    let cut = get(&client, &server.url("/"), &limits).expect("an answer");
    assert_eq!((cut.body.len(), cut.is_cut), (4_000, true));
    let whole = get(&client, &server.url("/gzip"), &limits).expect("an answer");
    assert_eq!((&*whole.body, whole.is_cut), (&b"some text"[..], false));
    let large = Limits { body_bytes: usize::MAX, ..limits };
    assert_eq!(get(&client, &server.url("/bomb"), &large).expect_err("a bomb").fault, FetchFault::Bomb);
    let error = get(&client, &server.url("/zstd"), &limits).expect_err("an encoding that was not asked for");
    assert!(error.to_string().contains("encoded as `zstd`"), "{error}");
}

#[test]
fn a_get_is_sent_again_if_a_kept_connection_has_ended() {
    let server = Server::start_raw(|path, mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
        // The next request on the connection gets no answer.
        let is_kept = path == "/kept" && stream.read(&mut [0; 1_000]).is_ok_and(|read| read > 0);
        drop((stream, is_kept));
    });
    let client = client(&[&server]);
    for _ in 0..2 {
        assert_eq!(get(&client, &server.url("/kept"), &Limits::default()).expect("an answer").body, b"x");
        assert_eq!(get(&client, &server.url("/"), &Limits::default()).expect("an answer").body, b"x");
    }
    // The server may have done what it was asked to do.
    get(&client, &server.url("/kept"), &Limits::default()).expect("an answer");
    let target = client.target(&server.url("/")).expect("a valid address");
    let fetch = Fetch::post(target, HeaderValue::from_static("text/plain"), b"x".to_vec());
    let error = client.fetch(fetch, &Limits::default()).expect_err("the connection has ended");
    assert!(matches!(error.fault, FetchFault::Connection(_)) && error.fault.is_transient(), "{error}");
}

#[test]
fn many_fetches_at_once_keep_their_order() {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (now, highest) = (Arc::clone(&running), Arc::clone(&most));
    let server = Server::start(move |path| {
        highest.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        // Long enough for the others to arrive.
        std::thread::sleep(Duration::from_millis(20));
        now.fetch_sub(1, Ordering::SeqCst);
        answer("200 OK", "", path.as_bytes())
    });
    let client = client(&[&server]);
    let target = |number: usize| {
        let address = if number == 7 { "http://10.0.0.1/".to_owned() } else { server.url(&format!("/{number}")) };
        Target::parse(&address, &Ports::Any).expect("a valid address")
    };
    let fetches = || (0..20).map(|number| Fetch::get(target(number))).collect();
    let answers = client.fetch_all(fetches(), &Limits::default(), 4);
    assert_eq!(answers.len(), 20);
    for (number, answer) in answers.into_iter().enumerate() {
        match answer {
            Ok(answer) => assert_eq!(answer.body, format!("/{number}").as_bytes()),
            Err(error) => assert!(number == 7, "{error}"),
        }
    }
    assert!(most.load(Ordering::SeqCst) <= 4);
    assert_eq!(client.fetch_all(Vec::new(), &Limits::default(), 0).len(), 0);
    most.store(0, Ordering::SeqCst);
    client.fetch_all(fetches(), &Limits::default(), 0);
    assert_eq!(most.load(Ordering::SeqCst), 1);
}

#[test]
fn a_slow_server_ends_a_fetch_in_time() {
    let server = Server::start_raw(|path, mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n");
        if path == "/body" {
            let _ = stream.write_all(b"\r\n");
        }
        // A byte now and then keeps a limit on single reads from ending it.
        while stream.write_all(b"a").is_ok() && stream.flush().is_ok() {
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    let limits = Limits { time: Duration::from_millis(400), ..Limits::default() };
    for path in ["/headers", "/body"] {
        let started = Instant::now();
        let error = get(&client(&[&server]), &server.url(path), &limits).expect_err("it never ends");
        assert_eq!(error.fault, FetchFault::TimedOut(limits.time), "{path}");
        assert!(started.elapsed() < Duration::from_secs(5), "{path}: {:?}", started.elapsed());
    }
}

#[test]
fn headers_without_an_end_are_refused() {
    let server = Server::start_raw(|_, mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while stream.write_all(b"X-Header: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n").is_ok() {}
    });
    let error = get(&client(&[&server]), &server.url("/"), &Limits::default()).expect_err("too many headers");
    assert!(matches!(error.fault, FetchFault::Headers(_) | FetchFault::Protocol(_)), "{error:?}");
}

#[test]
fn an_answer_that_ends_early_or_is_not_http_is_an_error() {
    let server = Server::start_raw(|path, mut stream| {
        let bytes: &[u8] = match path {
            "/short" => b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc",
            "/chunk" => b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc",
            "/none" => b"",
            _ => b"SSH-2.0-OpenSSH_9.2\r\n",
        };
        let _ = stream.write_all(bytes);
    });
    for path in ["/short", "/chunk", "/none", "/ssh"] {
        let error = get(&client(&[&server]), &server.url(path), &Limits::default()).expect_err(path);
        assert!(!matches!(error.fault, FetchFault::TimedOut(_)), "{path}: {error}");
    }
    let closed = client(&[&server]);
    let url = server.url("/");
    drop(server);
    let error = get(&closed, &url, &Limits::default()).expect_err("the server has ended");
    assert!(matches!(error.fault, FetchFault::Connection(_)) && error.fault.is_transient(), "{error:?}");
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory does not fail")
}
