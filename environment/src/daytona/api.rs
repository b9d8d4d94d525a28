//! The HTTP API of Daytona: sandboxes, and tokens for their SSH gateway. The shapes match the client `daytona-api-client` 0.231.

use std::fmt;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The time limit for one request.
const REQUEST_LIMIT: Duration = Duration::from_secs(30);
/// How long to wait before each new try.
const PAUSES: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4)];
/// The time limit for the start of a sandbox. The service may have to fetch the snapshot first.
const START_LIMIT: Duration = Duration::from_mins(5);
/// How often the state of a sandbox is asked for.
const POLL: Duration = Duration::from_millis(500);
/// The maximum length of an answer.
const MAX_ANSWER: u64 = 4 << 20;
/// The maximum length of a text of the service in a message.
const MAX_TEXT: usize = 300;
/// The maximum number of pages of a list. A page has up to 100 entries.
const MAX_PAGES: usize = 20;
/// The label of all sandboxes of toolc.
const MADE_BY: (&str, &str) = ("made-by", "toolc");

/// The label with the id of the folder of leases.
pub(super) const HOME: &str = "toolc-home";
/// The label with the name of the lease of the host.
pub(super) const LEASE: &str = "toolc-lease";

/// The service, and the key for it.
#[derive(Clone)]
pub(super) struct Service {
    pub(super) url: String,
    pub(super) key: String,
    pub(super) organization: Option<String>,
    agent: ureq::Agent,
}

/// The key is not shown.
impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service")
            .field("url", &self.url)
            .field("organization", &self.organization)
            .finish_non_exhaustive()
    }
}

/// What is asked for when a sandbox is made.
#[derive(Debug, Clone)]
pub(super) struct Wanted<'w> {
    pub(super) name: &'w str,
    pub(super) snapshot: Option<&'w str>,
    pub(super) target: Option<&'w str>,
    pub(super) network: bool,
    pub(super) lifetime: Duration,
    pub(super) idle: Duration,
    pub(super) home: &'w str,
    pub(super) lease: &'w str,
}

/// A sandbox in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) home: String,
    pub(super) lease: String,
}

/// Where the gateway is, and the token for it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) host: String,
    pub(super) port: Option<u16>,
    pub(super) token: String,
}

/// What a request asks for.
#[derive(Debug, Clone, Copy)]
enum Method<'b> {
    Get,
    Delete,
    Post(Option<&'b Value>),
}

impl Service {
    pub(super) fn new(url: &str, key: String, organization: Option<String>) -> Self {
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(REQUEST_LIMIT))
            .http_status_as_error(false)
            // The key is for this address only.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .build();
        Self { url: url.trim_end_matches('/').to_owned(), key, organization, agent: config.new_agent() }
    }

    /// Makes a sandbox, and returns its id.
    pub(super) fn create(&self, wanted: &Wanted<'_>) -> io::Result<String> {
        let minutes = |time: Duration| time.as_secs().div_ceil(60);
        let mut body = json!({
            "name": wanted.name,
            "public": false,
            "networkBlockAll": !wanted.network,
            "labels": { MADE_BY.0: MADE_BY.1, HOME: wanted.home, LEASE: wanted.lease },
            "autoStopInterval": minutes(wanted.idle),
            // It is deleted when it stops.
            "autoDeleteInterval": 0,
            "ttlMinutes": minutes(wanted.lifetime),
        });
        for (key, value) in [("snapshot", wanted.snapshot), ("target", wanted.target)] {
            if let Some(value) = value {
                body[key] = value.into();
            }
        }
        let answer = match self.send("/sandbox", &[], Method::Post(Some(&body)))? {
            // An earlier try has made it, although its answer was lost.
            (409, _) => self.request(&format!("/sandbox/{}", wanted.name), &[], Method::Get)?,
            (status, answer) => accepted(status, answer)?,
        };
        text(&answer, "id")
    }

    /// Waits until a sandbox has started.
    pub(super) fn wait(&self, id: &str) -> io::Result<()> {
        let begun = Instant::now();
        loop {
            let sandbox = self.request(&format!("/sandbox/{id}"), &[], Method::Get)?;
            let state = sandbox["state"].as_str().unwrap_or("unknown").to_owned();
            match state.as_str() {
                "started" => return Ok(()),
                "error" | "build_failed" | "destroyed" | "destroying" | "stopped" | "archived" => {
                    let reason =
                        sandbox["errorReason"].as_str().map_or_else(String::new, |text| format!(": {}", short(text)));
                    return Err(io::Error::other(format!("the sandbox has the state `{state}`{reason}")));
                }
                _ if begun.elapsed() > START_LIMIT => {
                    let text = format!("after {START_LIMIT:?}, the sandbox still has the state `{}`", short(&state));
                    return Err(io::Error::new(io::ErrorKind::TimedOut, text));
                }
                _ => thread::sleep(POLL),
            }
        }
    }

    /// Returns access to the gateway of a sandbox.
    pub(super) fn access(&self, id: &str, lifetime: Duration) -> io::Result<Access> {
        let minutes = lifetime.as_secs().div_ceil(60).to_string();
        let path = format!("/sandbox/{id}/ssh-access");
        let answer = self.request(&path, &[("expiresInMinutes", &minutes)], Method::Post(None))?;
        let token = text(&answer, "token")?;
        let command = text(&answer, "sshCommand")?;
        let (host, port) = gateway(&command, &token).ok_or_else(|| {
            // The command contains the token.
            io::Error::other("Daytona answers with a command for SSH that is not `ssh [-p PORT] TOKEN@HOST`")
        })?;
        Ok(Access { host, port, token })
    }

    /// Deletes a sandbox. Returns whether it existed.
    pub(super) fn delete(&self, id: &str) -> io::Result<bool> {
        match self.send(&format!("/sandbox/{id}"), &[], Method::Delete)? {
            (404, _) => Ok(false),
            (status, answer) => accepted(status, answer).map(|_| true),
        }
    }

    /// Lists the sandboxes of toolc.
    pub(super) fn list(&self) -> io::Result<Vec<Listed>> {
        let labels = json!({ MADE_BY.0: MADE_BY.1 }).to_string();
        let (mut found, mut cursor) = (Vec::new(), None::<String>);
        for _ in 0..MAX_PAGES {
            let mut query = vec![("labels", labels.as_str()), ("limit", "100")];
            query.extend(cursor.as_deref().map(|cursor| ("cursor", cursor)));
            let answer = self.request("/sandbox", &query, Method::Get)?;
            // Servers before version 0.200 return all sandboxes at once.
            let items = answer["items"].as_array().or_else(|| answer.as_array());
            found.extend(items.into_iter().flatten().filter_map(listed));
            cursor = answer["nextCursor"].as_str().map(ToOwned::to_owned);
            if cursor.is_none() {
                break;
            }
        }
        Ok(found)
    }

    /// Checks that the service accepts the key.
    pub(super) fn check(&self) -> io::Result<()> {
        self.request("/sandbox", &[("limit", "1")], Method::Get).map(drop)
    }

    /// Sends a request, and returns the answer if its status is that of success.
    fn request(&self, path: &str, query: &[(&str, &str)], method: Method<'_>) -> io::Result<Value> {
        let (status, answer) = self.send(path, query, method)?;
        accepted(status, answer)
    }

    /// Sends a request, and sends it again if the service is not available. Returns the status and the answer.
    fn send(&self, path: &str, query: &[(&str, &str)], method: Method<'_>) -> io::Result<(u16, Value)> {
        let mut pauses = PAUSES.into_iter();
        loop {
            let tried = self.send_once(path, query, method);
            let is_unavailable = match &tried {
                Ok((status, _)) => matches!(status, 429 | 500..=599),
                Err(_) => true,
            };
            match pauses.next() {
                Some(pause) if is_unavailable => thread::sleep(pause),
                _ => return tried,
            }
        }
    }

    fn send_once(&self, path: &str, query: &[(&str, &str)], method: Method<'_>) -> io::Result<(u16, Value)> {
        let url = format!("{}{path}", self.url);
        let bearer = format!("Bearer {}", self.key);
        macro_rules! with_headers {
            ($request:expr) => {{
                let request = $request.header("authorization", &bearer).header("accept", "application/json");
                let request = query.iter().fold(request, |request, (name, value)| request.query(*name, *value));
                match &self.organization {
                    Some(id) => request.header("x-daytona-organization-id", id),
                    None => request,
                }
            }};
        }
        let sent = match method {
            Method::Get => with_headers!(self.agent.get(&url)).call(),
            Method::Delete => with_headers!(self.agent.delete(&url)).call(),
            Method::Post(None) => with_headers!(self.agent.post(&url)).send_empty(),
            Method::Post(Some(body)) => with_headers!(self.agent.post(&url)).send_json(body),
        };
        let failed =
            |error: ureq::Error| io::Error::other(format!("Daytona cannot be reached at `{}`: {error}", self.url));
        let mut answer = sent.map_err(failed)?;
        let status = answer.status().as_u16();
        let body = answer.body_mut().with_config().limit(MAX_ANSWER).read_to_vec().map_err(failed)?;
        // What is not JSON is reported with its status.
        Ok((
            status,
            serde_json::from_slice(&body).unwrap_or_else(|_| String::from_utf8_lossy(&body).into_owned().into()),
        ))
    }
}

/// Returns the answer if its status is that of success.
fn accepted(status: u16, answer: Value) -> io::Result<Value> {
    let said = || {
        let message = answer["message"].as_str().or_else(|| answer.as_str()).unwrap_or_default();
        if message.trim().is_empty() { String::new() } else { format!(": {}", short(message)) }
    };
    let (kind, text) = match status {
        200..=299 if !answer.is_string() => return Ok(answer),
        // Deleting something has no answer.
        200..=299 if answer == "" => return Ok(Value::Null),
        200..=299 => (io::ErrorKind::InvalidData, format!("Daytona answers with a page instead of JSON{}", said())),
        401 => (
            io::ErrorKind::PermissionDenied,
            "Daytona does not accept the key: set `DAYTONA_API_KEY` to a key from the page `Keys` of its dashboard"
                .to_owned(),
        ),
        403 => {
            let text = format!(
                "the key of Daytona does not have the permission that is needed (`write:sandboxes` and `delete:sandboxes`){}",
                said()
            );
            (io::ErrorKind::PermissionDenied, text)
        }
        300..=399 => {
            let text = format!(
                "Daytona redirects (status {status}): set the address that it names as `environment.daytona.url`"
            );
            (io::ErrorKind::Other, text)
        }
        _ => (io::ErrorKind::Other, format!("Daytona answers with the status {status}{}", said())),
    };
    Err(io::Error::new(kind, text))
}

/// Returns a text in one line, and not more than a message can have.
fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line.chars().filter(|letter| !letter.is_control()).collect();
    match line.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

fn text(answer: &Value, key: &str) -> io::Result<String> {
    let missing = || io::Error::new(io::ErrorKind::InvalidData, format!("the answer of Daytona has no `{key}`"));
    let text = answer[key].as_str().ok_or_else(missing)?;
    // It becomes part of an address or of a file.
    let is_plain = |letter: char| letter.is_ascii_graphic() || letter == ' ';
    if text.is_empty() || !text.chars().all(is_plain) || key == "id" && text.contains(['/', '?', '#', ' ', '%']) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("Daytona answers with an invalid `{key}`")));
    }
    Ok(text.to_owned())
}

fn listed(item: &Value) -> Option<Listed> {
    if matches!(item["state"].as_str(), Some("destroyed" | "destroying")) {
        return None;
    }
    let label = |name: &str| item["labels"][name].as_str().unwrap_or_default().to_owned();
    let name = item["name"].as_str().unwrap_or_default().to_owned();
    Some(Listed { id: text(item, "id").ok()?, name, home: label(HOME), lease: label(LEASE) })
}

/// Returns the host and the port in `ssh [-p PORT] TOKEN@HOST`.
fn gateway(command: &str, token: &str) -> Option<(String, Option<u16>)> {
    let mut words = command.split_whitespace();
    if words.next() != Some("ssh") {
        return None;
    }
    let (mut host, mut port) = (None, None);
    while let Some(word) = words.next() {
        match word {
            "-p" => port = Some(words.next()?.parse().ok()?),
            word => {
                let name = word.trim_matches(['\'', '"']).strip_prefix(token)?.strip_prefix('@')?;
                let is_host = |letter: char| letter.is_ascii_alphanumeric() || ".-:_".contains(letter);
                if name.is_empty() || name.starts_with('-') || !name.chars().all(is_host) || host.is_some() {
                    return None;
                }
                host = Some(name.to_owned());
            }
        }
    }
    Some((host?, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gateway_is_read_from_the_command_for_ssh() {
        let found = |command: &str| gateway(command, "tok_1");
        assert_eq!(found("ssh tok_1@ssh.app.daytona.io"), Some(("ssh.app.daytona.io".to_owned(), None)));
        assert_eq!(found("ssh -p 2222 tok_1@127.0.0.1"), Some(("127.0.0.1".to_owned(), Some(2222))));
        assert_eq!(found("ssh -p 2222 'tok_1@proxy.example'"), Some(("proxy.example".to_owned(), Some(2222))));
        for command in [
            "",
            "ssh",
            "scp tok_1@h",
            "ssh other@h",
            "ssh -oProxyCommand=x tok_1@h",
            "ssh tok_1@-oProxyCommand=x",
            "ssh tok_1@h tok_1@i",
            "ssh -p x tok_1@h",
            "ssh tok_1@h;id",
        ] {
            assert_eq!(found(command), None, "{command}");
        }
    }

    #[test]
    fn answers_that_are_not_right_are_refused() {
        assert_eq!(accepted(200, json!({ "id": "a" })).unwrap(), json!({ "id": "a" }));
        assert_eq!(accepted(200, json!("")).unwrap(), Value::Null);
        let refused = |status, answer| accepted(status, answer).unwrap_err().to_string();
        assert!(refused(200, json!("<html>login</html>")).contains("a page instead of JSON: <html>login</html>"));
        assert!(refused(401, json!({})).contains("set `DAYTONA_API_KEY`"));
        assert!(refused(500, json!({ "message": "no\nrunner" })).ends_with("status 500: no runner"));
        assert!(refused(302, json!({})).contains("redirects"));
        for (id, is_valid) in [("a-1", true), ("", false), ("a/../b", false), ("a b", false), ("a\n", false)] {
            assert_eq!(text(&json!({ "id": id }), "id").is_ok(), is_valid, "{id:?}");
        }
    }
}
