//! The time of a fetch from a server on this machine, with and without what is kept from the one before: `cargo bench -p toolc-net`.
//!
//! The server answers at once with a page of 100 kB, and keeps connections. No benchmark fails because it is slow.

use std::hint::black_box;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use toolc_net::{AddressPolicy, Cache, Client, Fetch, Limits, Policy, Ports};

/// The number of fetches of each kind.
const ROUNDS: usize = 300;
/// The number of fetches at once.
const AT_ONCE: usize = 100;
const PAGE: usize = 100_000;
/// The time that the server takes for an answer of which many are asked for at once.
const SLOW: Duration = Duration::from_millis(50);

fn main() {
    let port = start();
    let folder = tempfile::tempdir().expect("failed to make a folder");
    println!("{:44}{:>10}{:>10}", "one fetch", "median", "slowest");
    report("new client, new connection", || {
        fetch(&client(port), port, "/fresh");
    });
    let kept = client(port);
    report("kept connection", || {
        fetch(&kept, port, "/fresh");
    });
    let cached = client(port).with_cache(open(folder.path()));
    report("cache: still fresh", || {
        fetch(&cached, port, "/fresh");
    });
    report("cache: the server says that it is unchanged", || {
        fetch(&cached, port, "/unchanged");
    });
    let mut number = 0;
    report("cache: a new page is kept", || {
        number += 1;
        fetch(&cached, port, &format!("/fresh?{number}"));
    });
    for other in 0..1_000 {
        fetch(&cached, port, &format!("/fresh?other={other}"));
    }
    report("cache of 1,300 pages: a new page is kept", || {
        number += 1;
        fetch(&cached, port, &format!("/fresh?{number}"));
    });
    println!("\n{:44}{:>10}{:>10}", format!("{AT_ONCE} fetches at once"), "median", "slowest");
    report_of(20, "answered at once", || at_once(&client(port), port, "/fresh"));
    report_of(20, "answered after 50 ms", || at_once(&client(port), port, "/slow"));
    report_of(20, "answered after 50 ms, kept connections", || at_once(&kept, port, "/slow"));
    report_of(20, "from the cache", || at_once(&cached, port, "/fresh"));
}

fn report(name: &str, run: impl FnMut()) {
    report_of(ROUNDS, name, run);
}

fn report_of(rounds: usize, name: &str, mut run: impl FnMut()) {
    run();
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let started = Instant::now();
            run();
            started.elapsed()
        })
        .collect();
    times.sort();
    println!("{name:44}{:>10}{:>10}", milliseconds(times[rounds / 2]), milliseconds(times[rounds - 1]));
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1_000.0)
}

fn client(port: u16) -> Client {
    let networks = vec!["127.0.0.0/8".parse().expect("a range")];
    Client::new(Policy { addresses: AddressPolicy::new(networks), ports: Ports::Only(vec![port]) }, "toolc-net bench")
}

fn open(folder: &Path) -> Cache {
    Cache::open(folder, 1 << 30).expect("failed to make a folder")
}

fn fetch(client: &Client, port: u16, path: &str) {
    let target = client.target(&format!("http://127.0.0.1:{port}{path}")).expect("a valid address");
    let answer = client.fetch(Fetch::get(target), &Limits::default()).expect("an answer");
    assert_eq!(answer.body.len(), PAGE);
    black_box(answer);
}

fn at_once(client: &Client, port: u16, path: &str) {
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| fetch(client, port, path));
        }
    });
}

/// Starts the server. Returns its port.
fn start() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || serve(&stream));
        }
    });
    port
}

/// Answers the requests of a connection until it ends.
fn serve(mut stream: &TcpStream) -> Option<()> {
    let page = "a page with words ".repeat(PAGE / 18 + 1);
    let _ = stream.set_nodelay(true);
    let mut lines = BufReader::new(stream).lines();
    loop {
        let path = lines.next()?.ok()?.split(' ').nth(1)?.to_owned();
        let mut is_condition = false;
        loop {
            let line = lines.next()?.ok()?;
            is_condition |= line.to_ascii_lowercase().starts_with("if-none-match");
            if line.is_empty() {
                break;
            }
        }
        if path == "/slow" {
            thread::sleep(SLOW);
        }
        let answer = if is_condition {
            "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n".to_owned()
        } else {
            let age = if path.starts_with("/fresh") { 600 } else { 0 };
            let head = format!("Cache-Control: max-age={age}\r\nETag: \"1\"\r\nContent-Length: {PAGE}\r\n");
            format!("HTTP/1.1 200 OK\r\n{head}\r\n{}", &page[..PAGE])
        };
        stream.write_all(answer.as_bytes()).ok()?;
    }
}
