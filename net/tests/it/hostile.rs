//! Servers that do what servers should not. Every fetch ends within its limits, and none reaches another server.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use toolc_net::{AddressPolicy, Client, Fetch, Limits, Policy, Ports};

use crate::gzip;
use crate::server::{Server, answer};

/// The limits of a fetch from a server that takes all the time. Other ones have more, because the machine may be busy.
const LIMITS: Limits =
    Limits { time: Duration::from_secs(1), redirects: 3, header_bytes: 16 << 10, body_bytes: 64 << 10 };
const MORE_TIME: Duration = Duration::from_secs(20);
/// A busy machine may notice the end of the time late.
const PATIENCE: Duration = Duration::from_mins(1);
/// Sixteen MiB of zeros.
const BROTLI_BOMB: &[u8] = b"\xcf\xff\xff\x7f\xf8\x27\x00\xe2\xb1\x40\x20\xf7\xfe\x7f";

/// What a server sends, and then it closes the connection.
enum Sends {
    All(Vec<u8>),
    /// The second part again and again.
    Endless(Vec<u8>, Vec<u8>),
    /// The second part again and again, slowly.
    Slow(Vec<u8>, Vec<u8>),
    /// A part, and then nothing.
    Silence(Vec<u8>),
}

/// A server, and how a fetch from it may end: with `ok`, `cut`, or the name of a fault.
type Case = (&'static str, Sends, &'static [&'static str]);

fn all(text: impl AsRef<[u8]>) -> Sends {
    Sends::All(text.as_ref().to_vec())
}

fn endless(head: &str, part: impl AsRef<[u8]>) -> Sends {
    Sends::Endless(head.into(), part.as_ref().to_vec())
}

fn slow(head: &str, part: &str) -> Sends {
    Sends::Slow(head.into(), part.into())
}

fn body(headers: &str, body: &[u8]) -> Sends {
    Sends::All(answer("200 OK", headers, body))
}

fn redirect(status: &str, location: &str) -> Sends {
    Sends::All(answer(status, &format!("Location: {location}\r\n"), b""))
}

/// Servers that lead to another one, at this port of an address that is refused.
fn leading_elsewhere(port: u16) -> Vec<Case> {
    let place = format!("127.0.0.2:{port}/");
    let refresh = format!("Refresh: 0; url=http://{place}\r\nContent-Location: http://{place}\r\n");
    let others = format!("Link: <http://{place}>; rel=preload\r\nAlt-Svc: h2=\"127.0.0.2:{port}\"\r\n");
    let page = format!("<meta http-equiv=refresh content='0; url=http://{place}'>");
    let twice =
        |first: &str, second: &str| all(answer("302 x", &format!("Location: {first}\r\nLocation: {second}\r\n"), b""));
    vec![
        ("301", redirect("301 x", &format!("http://{place}")), &["Refused"]),
        ("302", redirect("302 x", &format!("http://{place}")), &["Refused"]),
        ("303", redirect("303 x", &format!("http://{place}")), &["Refused"]),
        ("307", redirect("307 x", &format!("http://{place}")), &["Refused"]),
        ("308", redirect("308 x", &format!("http://{place}")), &["Refused"]),
        ("same scheme", redirect("302 x", &format!("//{place}")), &["Refused"]),
        ("backslashes", redirect("302 x", &format!("\\\\{place}")), &["Refused"]),
        ("three slashes", redirect("302 x", &format!("///{place}")), &["Refused", "Target"]),
        ("tabs", redirect("302 x", &format!("ht\ttp://{place}")), &["Refused"]),
        ("a user", redirect("302 x", &format!("http://example.com@{place}")), &["Target"]),
        ("a file", redirect("302 x", "file:///etc/passwd"), &["Target"]),
        ("two places", twice(&format!("http://{place}"), "/"), &["Refused"]),
        ("a loop", redirect("302 x", "?"), &["Redirects"]),
        ("a growing loop", redirect("302 x", "./a/"), &["Redirects"]),
        ("a long place", redirect("302 x", &format!("/{}", "a".repeat(9_000))), &["Target"]),
        ("bytes", all(b"HTTP/1.1 302 x\r\nLocation: /\xff\xfe\r\nContent-Length: 0\r\n\r\n"), &["Redirects"]),
        ("choices", redirect("300 x", &format!("http://{place}")), &["ok"]),
        ("not modified", all(format!("HTTP/1.1 304 x\r\nLocation: http://{place}\r\n\r\n")), &["ok"]),
        ("a proxy", redirect("305 x", &format!("http://{place}")), &["ok"]),
        ("created", redirect("201 x", &format!("http://{place}")), &["ok"]),
        ("refresh", body(&refresh, b"x"), &["ok"]),
        ("other headers", body(&others, b"x"), &["ok"]),
        ("a page", body("Content-Type: text/html\r\n", page.as_bytes()), &["ok"]),
    ]
}

fn compressed() -> Vec<Case> {
    const GZIP: &str = "Content-Encoding: gzip\r\n";
    let zeros = gzip(&vec![0; 16 << 20]);
    let chunked = format!("HTTP/1.1 200 OK\r\n{GZIP}Transfer-Encoding: chunked\r\n\r\n");
    let empty = gzip(b"");
    let chunk = [format!("{:x}\r\n", empty.len()).as_bytes(), &empty, b"\r\n"].concat();
    let twice = body("Content-Encoding: gzip, gzip\r\n", &gzip(&zeros));
    vec![
        ("a gzip bomb", body(GZIP, &zeros), &["cut"]),
        ("a brotli bomb", body("Content-Encoding: br\r\n", BROTLI_BOMB), &["cut"]),
        ("gzip in gzip", twice, &["Encoding"]),
        ("brotli in gzip", body("Content-Encoding: br, gzip\r\n", &gzip(BROTLI_BOMB)), &["Encoding"]),
        ("deflate", body("Content-Encoding: deflate\r\n", b"x"), &["Encoding"]),
        ("zstd", body("Content-Encoding: zstd\r\n", b"x"), &["Encoding"]),
        ("a long encoding", body(&format!("Content-Encoding: {}\r\n", "gzip, ".repeat(500)), b"x"), &["Encoding"]),
        ("not gzip", body(GZIP, b"plain text, not gzip"), &["Broken"]),
        ("not brotli", body("Content-Encoding: br\r\n", b"plain text, not brotli"), &["Broken"]),
        ("half of a gzip", body(GZIP, &gzip(b"some text")[..15]), &["Broken"]),
        ("text after gzip", body(GZIP, &[gzip(b"a"), b"more text".to_vec()].concat()), &["Broken"]),
        ("gzip of nothing, endless", Sends::Endless(chunked.into(), chunk), &["TimedOut"]),
    ]
}

fn bodies() -> Vec<Case> {
    const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let lengths = |lengths: &str| all(format!("HTTP/1.1 200 OK\r\n{lengths}\r\n\r\nabc"));
    let huge = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", u64::MAX);
    vec![
        ("endless", endless("HTTP/1.1 200 OK\r\n\r\n", "a".repeat(1_000)), &["cut"]),
        ("endless with a length", endless(&huge, "a".repeat(1_000)), &["cut"]),
        ("endless chunks", endless(CHUNKED, "4\r\naaaa\r\n"), &["cut"]),
        ("endless chunks of a byte", endless(CHUNKED, "1\r\na\r\n"), &["cut"]),
        ("an endless chunk size", endless(CHUNKED, "0"), &["Broken", "Protocol", "TimedOut"]),
        ("an endless chunk name", endless(&format!("{CHUNKED}1;"), "a"), &["Broken", "Protocol", "TimedOut"]),
        (
            "endless trailers",
            endless(&format!("{CHUNKED}0\r\n"), "A: b\r\n"),
            &["Broken", "Protocol", "TimedOut", "ok"],
        ),
        ("a huge chunk", all(format!("{CHUNKED}ffffffffffffffff\r\nabc")), &["Broken", "Protocol"]),
        (
            "a chunk size that overflows",
            all(format!("{CHUNKED}10000000000000001\r\na\r\n0\r\n\r\n")),
            &["Broken", "Protocol"],
        ),
        ("a negative chunk size", all(format!("{CHUNKED}-1\r\na\r\n0\r\n\r\n")), &["Broken", "Protocol"]),
        ("no last chunk", all(format!("{CHUNKED}3\r\nabc\r\n")), &["Broken", "Protocol", "Connection"]),
        ("slow", slow("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", "a"), &["TimedOut"]),
        ("slow chunks", slow(CHUNKED, "1\r\na\r\n"), &["TimedOut"]),
        ("silence", Sends::Silence(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc".to_vec()), &["TimedOut"]),
        ("too short", lengths("Content-Length: 9"), &["Broken", "Connection"]),
        ("too long", lengths("Content-Length: 2"), &["ok"]),
        ("a negative length", lengths("Content-Length: -3"), &["Protocol"]),
        ("a length in words", lengths("Content-Length: three"), &["Protocol"]),
        ("a length that overflows", lengths("Content-Length: 99999999999999999999999"), &["Protocol"]),
        ("two lengths", lengths("Content-Length: 3\r\nContent-Length: 9"), &["Protocol", "Broken", "ok"]),
    ]
}

fn heads() -> Vec<Case> {
    const START: &str = "HTTP/1.1 200 OK\r\n";
    const TOO_LONG: &[&str] = &["Headers", "Protocol"];
    vec![
        ("endless headers", endless(START, "X-Header: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n"), TOO_LONG),
        ("many short headers", endless(START, "A:\r\n"), TOO_LONG),
        ("an endless header", endless(&format!("{START}A: "), "a"), TOO_LONG),
        ("an endless name", endless(START, "a"), TOO_LONG),
        ("an endless status", endless("HTTP/1.1 200 ", "O"), TOO_LONG),
        ("endless cookies", endless(START, "Set-Cookie: a=b\r\n"), TOO_LONG),
        (
            "endless early hints",
            endless("", "HTTP/1.1 103 x\r\nLink: </a>\r\n\r\n"),
            &["Headers", "Protocol", "TimedOut"],
        ),
        ("endless continues", endless("", "HTTP/1.1 100 Continue\r\n\r\n"), &["Headers", "Protocol", "TimedOut"]),
        ("endless lines", endless("", "\r\n"), &["Headers", "Protocol", "TimedOut"]),
        ("slow headers", slow(START, "a"), &["TimedOut"]),
        ("a slow status", slow("HTTP/1.1 200 ", "O"), &["TimedOut"]),
        ("silence at once", Sends::Silence(Vec::new()), &["TimedOut"]),
        ("nothing", all(""), &["Connection", "Protocol", "Broken"]),
        ("half a head", all("HTTP/1.1 200 OK\r\nA: b"), &["Connection", "Protocol", "Broken"]),
        ("another protocol", all("SSH-2.0-OpenSSH_9.2\r\n"), &["Protocol", "Connection"]),
        ("a page without a head", all("<html>text</html>\r\n\r\n"), &["Protocol", "Connection"]),
        (
            "HTTP/2",
            all(b"\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0d\0\x04\0\x10\0\0\0\x06\0\x01\0\0\r\n\r\n"),
            &["Protocol", "Connection"],
        ),
        ("TLS", all(b"\x15\x03\x01\0\x02\x02\x0a"), &["Protocol", "Connection"]),
        ("bytes", all((0..=255).cycle().take(4_000).collect::<Vec<u8>>()), &["Protocol", "Connection"]),
        ("endless bytes", endless("", [0, 255, 13, 10]), &["Protocol", "Headers"]),
        ("a status of two digits", all("HTTP/1.1 20 OK\r\n\r\n"), &["Protocol"]),
        ("a status of four digits", all("HTTP/1.1 2000 OK\r\n\r\n"), &["Protocol"]),
        ("a zero byte", all("HTTP/1.1 200 OK\r\nA: b\0c\r\nContent-Length: 0\r\n\r\n"), &["Protocol"]),
        ("a header without a name", all("HTTP/1.1 200 OK\r\n: b\r\nContent-Length: 0\r\n\r\n"), &["Protocol"]),
        (
            "a switch of protocols",
            all("HTTP/1.1 101 x\r\nUpgrade: a\r\nConnection: upgrade\r\n\r\nabc"),
            &["ok", "Protocol", "Connection", "TimedOut"],
        ),
    ]
}

impl Sends {
    fn serve(&self, mut stream: TcpStream) {
        let (head, part, pause) = match self {
            Self::All(bytes) => (bytes, None, Duration::ZERO),
            Self::Endless(head, part) => (head, Some(part), Duration::ZERO),
            Self::Slow(head, part) => (head, Some(part), Duration::from_millis(20)),
            Self::Silence(head) => {
                let _ = stream.write_all(head);
                let _ = stream.set_read_timeout(Some(PATIENCE));
                let _ = stream.read(&mut [0]);
                return;
            }
        };
        // Larger writes, where the pace does not matter.
        let part = part.map(|part| if pause.is_zero() { part.repeat(10_000 / part.len() + 1) } else { part.clone() });
        let _ = stream.write_all(head);
        while let Some(part) = &part {
            if stream.write_all(part).is_err() {
                break;
            }
            thread::sleep(pause);
        }
    }
}

/// Fetches from one server. Returns how that has ended.
fn fetch(server: &Server, hidden: u16, limits: &Limits) -> String {
    let addresses = AddressPolicy::new(vec!["127.0.0.1".parse().expect("a range")]);
    let client = Client::new(Policy { addresses, ports: Ports::Only(vec![server.port, hidden]) }, "test");
    let target = client.target(&server.url("/")).expect("a valid address");
    let started = Instant::now();
    let found = client.fetch(Fetch::get(target), limits);
    assert!(started.elapsed() < PATIENCE, "it took {:?}", started.elapsed());
    match found {
        Ok(answer) => {
            assert!(answer.body.len() <= limits.body_bytes);
            if answer.is_cut { "cut" } else { "ok" }.to_owned()
        }
        Err(error) => format!("{:?}", error.fault).split(['(', ' ']).next().unwrap_or_default().to_owned(),
    }
}

#[test]
fn every_fetch_from_a_hostile_server_ends_within_its_limits() {
    let listener = TcpListener::bind("0.0.0.0:0").expect("a port is free");
    let hidden = listener.local_addr().expect("it is bound").port();
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    thread::spawn(move || listener.incoming().for_each(|_| _ = counted.fetch_add(1, Ordering::SeqCst)));
    let cases: Vec<Case> = [leading_elsewhere(hidden), compressed(), bodies(), heads()].into_iter().flatten().collect();
    assert!(cases.len() >= 80, "{}", cases.len());
    let wrong: Vec<String> = thread::scope(|scope| {
        let started: Vec<_> = cases
            .into_iter()
            .map(|(name, sends, expected)| {
                scope.spawn(move || {
                    let server = Server::start_raw(move |_, stream| sends.serve(stream));
                    let time = if expected.contains(&"TimedOut") { LIMITS.time } else { MORE_TIME };
                    let found = fetch(&server, hidden, &Limits { time, ..LIMITS });
                    (!expected.contains(&found.as_str())).then(|| format!("{name}: {found}, but expected {expected:?}"))
                })
            })
            .collect();
        started.into_iter().filter_map(|thread| thread.join().expect("no fetch panics")).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(connections.load(Ordering::SeqCst), 0);
}

#[test]
fn a_bomb_is_recognised_where_the_limit_is_large() {
    let limits = Limits { body_bytes: usize::MAX, ..Limits::default() };
    for (headers, bytes) in
        [("Content-Encoding: gzip\r\n", gzip(&vec![0; 16 << 20])), ("Content-Encoding: br\r\n", BROTLI_BOMB.to_vec())]
    {
        let server = Server::start(move |_| answer("200 OK", headers, &bytes));
        assert_eq!(fetch(&server, 80, &limits), "Bomb", "{headers}");
    }
}
