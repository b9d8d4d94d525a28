//! A server of tools over HTTP, and a client that sends exactly what a test says.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use toolc::behaviour::Approval;
use toolc::limits::{ResultLimits, SpillFolder};
use toolc::{DynamicTool, DynamicTools, Registry, ToolError, ToolOutput};
use toolc_mcp::server::{ClientQuestions, HttpAccess, HttpServer, Input, Tokens, ToolServer};

/// The time limit for whatever a test waits for. It is only reached if the test fails.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);
pub(crate) const TOKEN: &str = "0123456789abcdef-one";
pub(crate) const OTHER_TOKEN: &str = "0123456789abcdef-two";
/// The version without sessions.
pub(crate) const STATELESS: &str = "2026-07-28";
/// What the tool `guarded` returns.
pub(crate) const RAN: &str = "it ran";

/// What the tools have done.
#[derive(Debug, Default)]
pub(crate) struct Done {
    pub(crate) guarded: AtomicUsize,
    pub(crate) waiting: AtomicUsize,
    pub(crate) cancelled: AtomicUsize,
}

/// A server that runs.
pub(crate) struct Serving {
    pub(crate) address: SocketAddr,
    pub(crate) done: Arc<Done>,
    pub(crate) http: reqwest::Client,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<std::io::Result<()>>,
    _folder: tempfile::TempDir,
}

/// What a client declares and is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Client<'c> {
    pub(crate) token: Option<&'c str>,
    pub(crate) session: Option<&'c str>,
}

/// The answer to a request over HTTP.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) session: Option<String>,
    response: reqwest::Response,
    buffer: Vec<u8>,
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// Counts a call of `wait` that did not end by itself.
struct Dropped(Arc<Done>, bool);

impl Drop for Dropped {
    fn drop(&mut self) {
        if !self.1 {
            self.0.cancelled.fetch_add(1, Ordering::SeqCst);
        }
    }
}

fn tools(done: &Arc<Done>) -> Registry {
    let number = json!({ "type": "integer", "description": "A number." });
    let text = json!({ "type": "string", "description": "A text." });
    let echo = DynamicTool::sync("echo", "Return a text.", object(json!({ "text": text }), &["text"]), |args, _| {
        Ok(ToolOutput::text(args["text"].as_str().unwrap_or_default()))
    });
    let counted = Arc::clone(done);
    let guarded = DynamicTool::sync("guarded", "Needs approval.", object(json!({ "n": number }), &[]), move |_, _| {
        counted.guarded.fetch_add(1, Ordering::SeqCst);
        Ok(ToolOutput::text(RAN))
    });
    let waits = Arc::clone(done);
    let wait = DynamicTool::future("wait", "Wait.", object(json!({ "ms": number }), &["ms"]), move |args, call| {
        let waits = Arc::clone(&waits);
        Box::pin(async move {
            let mut dropped = Dropped(Arc::clone(&waits), false);
            waits.waiting.fetch_add(1, Ordering::SeqCst);
            call.progress(1.0, Some(2.0), "begun");
            let time = Duration::from_millis(args["ms"].as_u64().unwrap_or_default());
            tokio::select! {
                () = tokio::time::sleep(time) => {}
                () = call.cancelled() => return Err(ToolError::new("stopped")),
            }
            dropped.1 = true;
            Ok(ToolOutput::text("waited"))
        })
    });
    let long =
        DynamicTool::sync("long", "Return a long text.", object(json!({ "chars": number }), &["chars"]), |args, _| {
            let chars = usize::try_from(args["chars"].as_u64().unwrap_or_default()).unwrap_or_default();
            Ok(ToolOutput::text("ä".repeat(chars)))
        });
    let ask = DynamicTool::future("ask", "Ask for a name.", object(json!({}), &[]), |_, call| {
        Box::pin(async move {
            let questions = call.require_value::<ClientQuestions>()?;
            let schema =
                json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
            let form = Input::Form { message: "Who?".to_owned(), schema };
            let answers = questions.ask([("who".to_owned(), form)]).await;
            Ok(ToolOutput::text(format!("{answers:?}")))
        })
    });
    let tools = [echo.read_only(), guarded.approval(Approval::ALWAYS), wait, long, ask];
    let registry = Registry::new();
    registry.add(DynamicTools::new().tools(tools).build().expect("the tools are valid")).expect("the names are free");
    registry
}

/// Returns a server of the tools of the tests.
pub(crate) fn server(done: &Arc<Done>, folder: &std::path::Path) -> ToolServer {
    let (registry, folder) = (tools(done), folder.to_owned());
    let session = move || Ok(registry.session().result_limits(ResultLimits::default().with_per_call(2_000)));
    let store = move |id: &str| {
        Arc::new(SpillFolder::new(folder.join(id)).expect("failed to make a folder"))
            as Arc<dyn toolc::limits::SpillStore>
    };
    ToolServer::new("tests", "1.2.3", session).store(store).ask_client(|request, _| request.to_string())
}

impl Serving {
    /// Starts a server with two tokens.
    pub(crate) async fn start() -> Self {
        Self::with(|server| server, |access| access).await
    }

    /// Starts a server without tokens.
    pub(crate) async fn open() -> Self {
        Self::with(|server| server, |access| HttpAccess { tokens: Tokens::default(), ..access }).await
    }

    pub(crate) async fn with(
        change: impl FnOnce(ToolServer) -> ToolServer,
        access_with: impl FnOnce(HttpAccess) -> HttpAccess,
    ) -> Self {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let done = Arc::new(Done::default());
        let mut tokens = Tokens::default();
        tokens.add("one", TOKEN).expect("it is long enough");
        tokens.add("two", OTHER_TOKEN).expect("it is long enough");
        let access = access_with(HttpAccess { tokens, ..HttpAccess::default() });
        let any = "127.0.0.1:0".parse().expect("it is an address");
        let listening = HttpServer::bind(any, access).await.expect("failed to listen");
        let address = listening.address().expect("it has an address");
        let (stop, stopped) = oneshot::channel::<()>();
        let server = change(server(&done, folder.path()));
        let ended = tokio::spawn(server.serve_http(listening, async move { drop(stopped.await) }));
        Self { address, done, http: http(), stop: Some(stop), served: ended, _folder: folder }
    }

    /// Stops the server, and waits until it has ended.
    pub(crate) async fn stop(mut self) {
        drop(self.stop.take());
        let served = tokio::time::timeout(PATIENCE, &mut self.served).await;
        served.expect("it ends in time").expect("it does not panic").expect("it succeeds");
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Returns a request with the usual headers.
    pub(crate) fn request(&self, client: Client<'_>) -> reqwest::RequestBuilder {
        let mut request = self.http.post(self.url()).timeout(PATIENCE);
        request =
            request.header("accept", "application/json, text/event-stream").header("content-type", "application/json");
        if let Some(token) = client.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        if let Some(session) = client.session {
            request = request.header("mcp-session-id", session);
        }
        request
    }

    /// Sends a message as it is.
    pub(crate) async fn post(&self, client: Client<'_>, message: &Value) -> Reply {
        Reply::of(self.request(client).body(message.to_string())).await
    }

    /// Begins a session, and returns its id.
    pub(crate) async fn initialize(&self, token: Option<&str>, capabilities: Value) -> String {
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": { "name": "a test", "version": "1" },
        });
        let message = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let client = Client { token, session: None };
        let mut reply = self.post(client, &message).await;
        assert_eq!(reply.answer().await["result"]["protocolVersion"], "2025-11-25");
        let session = reply.session.expect("it has a session");
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let client = Client { session: Some(&session), ..client };
        assert_eq!(self.post(client, &initialized).await.status, 202);
        session
    }

    /// Sends a request of the stateless protocol. `params` can have further keys, such as `inputResponses`.
    pub(crate) async fn stateless(
        &self,
        client: Client<'_>,
        method: &str,
        params: Value,
        capabilities: Value,
    ) -> Reply {
        let mut params = params;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": STATELESS,
            "io.modelcontextprotocol/clientInfo": { "name": "a test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": capabilities,
            "progressToken": "p",
        });
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut request = self.request(client).header("mcp-protocol-version", STATELESS).header("mcp-method", method);
        if let Some(name) = params.get("name").or(params.get("uri")).or(params.get("taskId")).and_then(Value::as_str) {
            request = request.header("mcp-name", name);
        }
        Reply::of(request.body(message.to_string())).await
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.served.abort();
    }
}

/// Returns a client of HTTP.
fn http() -> reqwest::Client {
    // It fails if it was done before.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().build().expect("it is valid")
}

/// Returns the message of a call in the protocol with sessions.
pub(crate) fn call(id: u32, tool: &str, arguments: Value) -> Value {
    json!({
        "jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": { "name": tool, "arguments": arguments, "_meta": { "progressToken": id } },
    })
}

/// Returns the text of the first part of a result.
#[track_caller]
pub(crate) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"))
}

impl Reply {
    pub(crate) async fn of(request: reqwest::RequestBuilder) -> Self {
        let response = request.send().await.expect("the server answers");
        let session = response.headers().get("mcp-session-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
        Self { status: response.status().as_u16(), session, response, buffer: Vec::new() }
    }

    /// Returns the next message of the answer: of an event stream, or the whole body.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let kind = self.response.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let is_stream = kind.starts_with("text/event-stream");
        loop {
            if is_stream && let Some(end) = self.buffer.windows(2).position(|two| two == b"\n\n") {
                let event: Vec<u8> = self.buffer.drain(..end + 2).collect();
                let event = String::from_utf8(event).expect("an event is UTF-8");
                let data: Vec<&str> =
                    event.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim).collect();
                let message = serde_json::from_str(&data.join("")).ok();
                if message.is_some() {
                    return message;
                }
                continue;
            }
            match self.response.chunk().await.expect("the answer is complete") {
                Some(chunk) => self.buffer.extend_from_slice(&chunk),
                None => return serde_json::from_slice(&std::mem::take(&mut self.buffer)).ok(),
            }
        }
    }

    /// Returns the response or error, after all notifications.
    pub(crate) async fn answer(&mut self) -> Value {
        while let Some(message) = self.next().await {
            if message.get("result").is_some() || message.get("error").is_some() {
                return message;
            }
        }
        panic!("no answer, status {}", self.status);
    }
}
