//! The transport over streamable HTTP: accepts connections within limits, checks each request, and passes it on to rmcp.

// In the order of a request: `connections` limits the number of connections, and `stream` the time that one may take; `gate` decides
// who sends a request and whether it is read; `body` reads it within limits; `sessions` knows the owners of the protocol's sessions.
mod body;
mod connections;
mod gate;
mod sessions;
mod stream;

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::handler::{Handler, Shared};
use super::{GRACE, Tokens};
use connections::{Admitted, Connections};
use gate::Gate;
use stream::LimitedStream;

/// The path at which the server answers.
pub const PATH: &str = "/mcp";
/// The maximum number of bytes of a request.
pub const MAX_REQUEST: usize = 4 << 20;
/// The number of connections that are open at the same time. One more closes the oldest that has sent no valid token. If there is
/// none, it waits.
const MAX_CONNECTIONS: usize = 2_048;
/// The time that a client has to send the head of a request. It begins when the server starts to wait for a request, so it also
/// limits idle connections.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// The maximum size of a head, in bytes.
const MAX_HEAD: usize = 32 << 10;
/// The time after which an unused session ends.
const SESSION_IDLE: Duration = Duration::from_mins(30);
/// The pause after a failure to accept a connection, for example because of too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Who can connect.
#[derive(Debug, Clone, Default)]
pub struct HttpAccess {
    /// Each request must have one of these tokens. Without tokens, the server can be reached only from this machine.
    pub tokens: Tokens,
    /// The values of the header `Host` that are accepted besides `localhost` and the loopback addresses: `HOST` or `HOST:PORT`.
    pub hosts: Vec<String>,
    /// The origins of web pages that can send requests, such as `https://app.example.com`, besides the server's own addresses.
    pub origins: Vec<String>,
}

/// A server that listens.
#[derive(Debug)]
pub struct HttpServer {
    listener: TcpListener,
    access: HttpAccess,
}

impl HttpServer {
    /// Listens at an address.
    ///
    /// # Errors
    /// Returns an error if the address cannot be used, or other machines could connect without a token.
    pub async fn bind(address: SocketAddr, access: HttpAccess) -> io::Result<Self> {
        if access.tokens.is_empty() && !address.ip().is_loopback() {
            let message = format!(
                "{address} can be reached from other machines, and there is no token: anyone could run the tools. Set a token, or \
                 listen at 127.0.0.1"
            );
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
        Ok(Self { listener: TcpListener::bind(address).await?, access })
    }

    /// Returns the address at which the server listens.
    ///
    /// # Errors
    /// Returns an error if the system does not know it.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop` ends. Then no connection is accepted any more, and what runs has a few seconds to end.
    pub(super) async fn serve(self, shared: Arc<Shared>, stop: impl Future<Output = ()>) -> io::Result<()> {
        let address = self.address()?;
        let cancel = CancellationToken::new();
        let mut manager = LocalSessionManager::default();
        let mut sessions = SessionConfig::default();
        sessions.keep_alive = Some(SESSION_IDLE);
        manager.session_config = sessions;
        let manager = Arc::new(manager);
        let shared_for_handlers = Arc::clone(&shared);
        let service = StreamableHttpService::new(
            move || Ok(Handler::new(Arc::clone(&shared_for_handlers))),
            Arc::clone(&manager),
            config(&self.access, address, &cancel),
        );
        let gate = Arc::new(Gate::new(service, manager, self.access.tokens));
        let (closing, connections) = (CancellationToken::new(), TaskTracker::new());
        let open = Connections::new(MAX_CONNECTIONS);
        let mut stop = std::pin::pin!(stop);
        loop {
            let (stream, admitted) = tokio::select! {
                accepted = accept(&self.listener, &open) => accepted,
                () = &mut stop => break,
            };
            connections.spawn(connection(stream, admitted, Arc::clone(&gate), closing.clone()));
        }
        drop(self.listener);
        connections.close();
        closing.cancel();
        let _ = tokio::join!(shared.stop(), tokio::time::timeout(GRACE, gate.answered()));
        // Ends the streams on which a client waits for messages.
        cancel.cancel();
        let _ = tokio::time::timeout(GRACE, connections.wait()).await;
        Ok(())
    }
}

/// Accepts a connection, and waits until it is admitted.
async fn accept(listener: &TcpListener, open: &Arc<Connections>) -> (TcpStream, Admitted) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, open.admit().await),
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}

/// Answers the requests of a connection.
async fn connection(stream: TcpStream, admitted: Admitted, gate: Arc<Gate>, closing: CancellationToken) {
    // Small messages of a stream must not wait for larger ones.
    let _ = stream.set_nodelay(true);
    let admitted = Arc::new(admitted);
    let of_requests = Arc::clone(&admitted);
    let answer = service_fn(move |request| {
        let (gate, admitted) = (Arc::clone(&gate), Arc::clone(&of_requests));
        async move { Ok::<_, Infallible>(gate.answer(request, &admitted).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(LimitedStream::new(stream)), answer);
    let mut connection = std::pin::pin!(connection);
    let result = tokio::select! {
        result = connection.as_mut() => result,
        () = admitted.closed() => return,
        () = closing.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    // The client has closed the connection, or was too slow: no answer can reach it.
    drop(result);
}

fn config(access: &HttpAccess, address: SocketAddr, cancel: &CancellationToken) -> StreamableHttpServerConfig {
    let own = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let mut hosts: Vec<String> = own.into_iter().chain(access.hosts.iter().cloned()).collect();
    if !address.ip().is_unspecified() {
        hosts.push(address.ip().to_string());
    }
    let origin = |host: &String| match host.parse::<IpAddr>() {
        Ok(IpAddr::V6(_)) => format!("http://[{host}]:{}", address.port()),
        _ => format!("http://{host}:{}", address.port()),
    };
    let origins = own_hosts(&hosts).map(origin).chain(access.origins.iter().map(|origin| with_port(origin)));
    StreamableHttpServerConfig::default()
        .with_allowed_origins(origins.collect::<Vec<_>>())
        .enforce_origin_validation()
        .with_allowed_hosts(hosts)
        .with_max_request_body_bytes(MAX_REQUEST)
        .with_cancellation_token(cancel.clone())
}

/// Returns the hosts at which the server itself listens.
fn own_hosts(hosts: &[String]) -> impl Iterator<Item = &String> {
    hosts.iter().filter(|host| *host == "localhost" || host.parse::<IpAddr>().is_ok())
}

/// Returns an origin with its port. For an origin without a port, rmcp would accept any port.
fn with_port(origin: &str) -> String {
    let rest = origin.split_once("://").map_or(origin, |(_, rest)| rest);
    let has_port = rest.rsplit_once(':').is_some_and(|(_, port)| port == "*" || port.parse::<u16>().is_ok());
    match origin.split_once("://") {
        Some(("https", _)) if !has_port => format!("{origin}:443"),
        Some(("http", _)) if !has_port => format!("{origin}:80"),
        _ => origin.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_without_a_port_gets_the_default_port_of_its_scheme() {
        for (origin, expected) in [
            ("https://a.example", "https://a.example:443"),
            ("http://a.example", "http://a.example:80"),
            ("http://[::1]", "http://[::1]:80"),
            ("http://[::1]:7", "http://[::1]:7"),
            ("http://localhost:*", "http://localhost:*"),
            ("null", "null"),
        ] {
            assert_eq!(with_port(origin), expected);
        }
    }

    #[tokio::test]
    async fn without_a_token_the_server_is_only_for_this_machine() {
        for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
            let address: SocketAddr = address.parse().expect("it is an address");
            let error = HttpServer::bind(address, HttpAccess::default()).await.expect_err("it is refused");
            assert!(error.to_string().contains("there is no token"), "{error}");
        }
        let loopback = "127.0.0.1:0".parse().expect("it is an address");
        assert!(HttpServer::bind(loopback, HttpAccess::default()).await.is_ok());
        let mut tokens = Tokens::default();
        tokens.add("a test", "0123456789abcdef").expect("it is long enough");
        let access = HttpAccess { tokens, ..HttpAccess::default() };
        let any = "0.0.0.0:0".parse().expect("it is an address");
        assert!(HttpServer::bind(any, access).await.is_ok());
    }
}
