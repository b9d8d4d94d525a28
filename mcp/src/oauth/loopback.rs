//! Waits until the browser returns from the authorization server, on a random port of this machine.

use std::time::Duration;

use rmcp::transport::auth::AuthorizationCallback;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use super::failed;
use crate::error::{ErrorKind, McpError};

/// The path of the redirect URL.
const PATH: &str = "/callback";
/// The maximum number of bytes of a request.
const MAX_REQUEST: usize = 16 << 10;
/// The time limit of a request.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The maximum number of connections for one login. Anyone on this machine can connect.
const MAX_CONNECTIONS: usize = 100;

/// What the browser sees. It repeats nothing of the request.
const DONE: &str =
    "<!doctype html><meta charset=utf-8><title>toolc</title><p>You are logged in. This window can be closed.";
const REFUSED: &str =
    "<!doctype html><meta charset=utf-8><title>toolc</title><p>This is not an answer to a login of toolc.";
const FAILED: &str = "<!doctype html><meta charset=utf-8><title>toolc</title><p>The login has failed. toolc says why.";

/// An address of this machine to which the browser is sent.
#[derive(Debug)]
pub(super) struct Loopback {
    listener: TcpListener,
    port: u16,
}

/// What the authorization server has answered.
pub(super) type Callback = Result<AuthorizationCallback, McpError>;

impl Loopback {
    pub(super) async fn open() -> Result<Self, McpError> {
        let failed = |error: std::io::Error| {
            McpError::new(ErrorKind::System, format!("failed to wait for the browser: {error}")).caused_by(error)
        };
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        Ok(Self { listener, port })
    }

    /// Returns the address to which the browser is sent.
    pub(super) fn redirect(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// Waits for the answer to the login with this state. Other requests are refused.
    pub(super) async fn callback(&self, state: &str) -> Callback {
        let (sender, mut answers) = mpsc::channel(1);
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..MAX_CONNECTIONS {
            let stream = tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => stream,
                    Err(_) => continue,
                },
                Some(answer) = answers.recv() => {
                    // The browser gets its page first.
                    while tasks.join_next().await.is_some() {}
                    return answer;
                }
            };
            let (sender, state) = (sender.clone(), state.to_owned());
            tasks.spawn(async move {
                let _ = tokio::time::timeout(TIMEOUT, serve(stream, &state, &sender)).await;
            });
        }
        let message = "too many programs have connected to the address of the login";
        Err(McpError::new(ErrorKind::Login, message))
    }
}

/// Answers one request.
async fn serve(mut stream: TcpStream, state: &str, answers: &mpsc::Sender<Callback>) {
    let mut request = Vec::new();
    let mut part = [0; 2048];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut part).await {
            Ok(length) if length > 0 && request.len() + length <= MAX_REQUEST => {
                request.extend_from_slice(&part[..length]);
            }
            _ => return,
        }
    }
    let request = String::from_utf8_lossy(&request);
    let target = request.strip_prefix("GET ").and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    let callback = read(target, state);
    let (status, page) = match &callback {
        Some(Ok(_)) => ("200 OK", DONE),
        Some(Err(_)) => ("400 Bad Request", FAILED),
        None => ("400 Bad Request", REFUSED),
    };
    if let Some(callback) = callback {
        let _ = answers.try_send(callback);
    }
    let head = "Content-Type: text/html; charset=utf-8\r\nContent-Security-Policy: default-src 'none'\r\nReferrer-Policy: no-referrer\r\n\
                Cache-Control: no-store\r\nConnection: close";
    let length = page.len();
    let response = format!("HTTP/1.1 {status}\r\n{head}\r\nContent-Length: {length}\r\n\r\n{page}");
    let _ = stream.write_all(response.as_bytes()).await;
    let _ = stream.shutdown().await;
}

/// Returns the answer of the authorization server in an address to which the browser was sent, or `None` if it is not an answer to the
/// login with this state.
pub(super) fn read(target: &str, state: &str) -> Option<Callback> {
    let base = reqwest::Url::parse("http://127.0.0.1/").ok()?;
    let url = base.join(target).ok()?;
    let value = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    if url.path() != PATH || value("state").as_deref() != Some(state) {
        return None;
    }
    if let Some(error) = value("error") {
        let text = [Some(error), value("error_description")].into_iter().flatten().collect::<Vec<_>>().join(": ");
        let text: String = text.chars().take(300).collect();
        let message = format!("the authorization server refuses the login: {}", text.escape_debug());
        return Some(Err(McpError::new(ErrorKind::Declined, message)));
    }
    Some(AuthorizationCallback::from_redirect_url(url.as_str()).map_err(failed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_answer_to_this_login_counts() {
        let ok = read("/callback?code=c&state=s&iss=https%3A%2F%2Fa", "s")
            .expect("the answer belongs to this login")
            .expect("the answer has a code");
        assert_eq!((&*ok.code, &*ok.csrf_token, ok.issuer.as_deref()), ("c", "s", Some("https://a")));
        for other in
            ["/callback?code=c&state=t", "/callback?code=c", "/other?code=c&state=s", "/favicon.ico", "", "\u{0}"]
        {
            assert!(read(other, "s").is_none(), "{other}");
        }
        let refused = read("/callback?error=access_denied&error_description=%1b%5B2J&state=s", "s").expect("it is one");
        let refused = refused.expect_err("it is refused").to_string();
        assert!(refused.contains("access_denied") && !refused.contains('\u{1b}'), "{refused}");
        assert!(read("/callback?state=s", "s").expect("it is one").is_err(), "without a code");
    }

    #[tokio::test]
    async fn other_connections_do_not_disturb_a_login() {
        let loopback = Loopback::open().await.expect("a port is free");
        let address = ("127.0.0.1", loopback.port);
        let browser = async {
            let silent = TcpStream::connect(address).await.expect("it listens");
            for (target, status) in [("/callback?code=evil&state=guess", "400"), ("/callback?code=c&state=s", "200")] {
                let mut stream = TcpStream::connect(address).await.expect("it listens");
                stream
                    .write_all(format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes())
                    .await
                    .expect("it reads");
                let mut response = String::new();
                stream.read_to_string(&mut response).await.expect("it answers");
                assert!(
                    response.starts_with(&format!("HTTP/1.1 {status}")) && !response.contains("evil"),
                    "{response}"
                );
            }
            drop(silent);
        };
        let (callback, ()) = tokio::join!(loopback.callback("s"), browser);
        assert_eq!(callback.expect("it is a code").code, "c");
    }
}
