//! A server that answers as a test says, and keeps the requests.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

pub(crate) struct Server {
    pub(crate) port: u16,
    requests: Arc<Mutex<Vec<String>>>,
    is_closed: Arc<AtomicBool>,
    accepting: Option<thread::JoinHandle<()>>,
}

/// Returns the bytes of an answer, after which the connection ends.
pub(crate) fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n");
    [head.as_bytes(), body].concat()
}

impl Server {
    /// Starts a server whose answers depend on the path.
    pub(crate) fn start(answers: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::start_raw(move |path, mut stream| {
            let _ = stream.write_all(&answers(path));
        })
    }

    /// Starts a server whose answers depend on the whole request.
    pub(crate) fn start_reading(answers: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::serve(move |request, mut stream| {
            let _ = stream.write_all(&answers(request));
        })
    }

    /// Starts a server that does something with each connection after a request for a path.
    pub(crate) fn start_raw(serve: impl Fn(&str, TcpStream) + Send + Sync + 'static) -> Self {
        Self::serve(move |request, stream| serve(request.split(' ').nth(1).unwrap_or_default(), stream))
    }

    fn serve(serve: impl Fn(&str, TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let (requests, is_closed) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (kept, closed, serve) = (Arc::clone(&requests), Arc::clone(&is_closed), Arc::new(serve));
        let accepting = thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if closed.load(Ordering::Relaxed) {
                    return;
                }
                let (kept, serve) = (Arc::clone(&kept), Arc::clone(&serve));
                thread::spawn(move || {
                    let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
                    let request = read_request(&stream);
                    kept.lock().expect("no test panics with it").push(request.clone());
                    serve(&request, stream);
                });
            }
        });
        Self { port, requests, is_closed, accepting: Some(accepting) }
    }

    /// Returns the address of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Returns the requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("no test panics with it").clone()
    }
}

impl Drop for Server {
    /// Closes the port.
    fn drop(&mut self) {
        self.is_closed.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

/// Reads the head of a request, and its body if it says how long that is.
fn read_request(mut stream: &TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read == 1) {
        bytes.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let length = head.to_lowercase().lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    let _ = stream.read_exact(&mut body);
    head + &String::from_utf8_lossy(&body)
}
