//! The HTTP API of Daytona: sandboxes, and tokens for their SSH gateway. The shapes match the client `daytona-api-client` 0.231.

use std::fmt;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The time limit for one request.
const REQUEST_LIMIT: Duration = Duration::from_secs(30);
/// The pauses before new attempts.
const PAUSES: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4)];
/// The time limit for the start of a sandbox. The service may have to fetch the snapshot first.
const START_LIMIT: Duration = Duration::from_mins(5);
/// The interval at which the state of a sandbox is queried.
const POLL: Duration = Duration::from_millis(500);
/// The maximum length of a response.
const MAX_ANSWER: u64 = 4 << 20;
/// The maximum length of a text from the service in an error message.
const MAX_TEXT: usize = 300;
/// The maximum number of pages of a list. A page has up to 100 entries.
const MAX_PAGES: usize = 20;
/// The label that all sandboxes of toolc have.
const MADE_BY: (&str, &str) = ("made-by", "toolc");

/// The label that identifies the home of the host: the id of its folder of leases.
pub(super) const LEASE_FOLDER_LABEL: &str = "toolc-home";
/// The label with the name of the lease of the host.
pub(super) const LEASE_LABEL: &str = "toolc-lease";

/// The service, and the key for it.
#[derive(Clone)]
pub(super) struct Service {
    pub(super) url: String,
    pub(super) key: String,
    pub(super) organization: Option<String>,
    agent: ureq::Agent,
}

/// Omits the key.
impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service")
            .field("url", &self.url)
            .field("organization", &self.organization)
            .finish_non_exhaustive()
    }
}

/// The properties of a new sandbox.
#[derive(Debug, Clone)]
pub(super) struct NewSandbox<'w> {
    pub(super) name: &'w str,
    pub(super) snapshot: Option<&'w str>,
    pub(super) target: Option<&'w str>,
    pub(super) network: bool,
    pub(super) lifetime: Duration,
    pub(super) idle: Duration,
    pub(super) home: &'w str,
    pub(super) lease: &'w str,
}

/// A sandbox in the list of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SandboxInfo {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) home: String,
    pub(super) lease: String,
}

/// The address of the SSH gateway, and the token for it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) host: String,
    pub(super) port: Option<u16>,
    pub(super) token: String,
}

/// The method of a request, with its body.
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
            // The key must not be sent to another address.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .build();
        Self { url: url.trim_end_matches('/').to_owned(), key, organization, agent: config.new_agent() }
    }

    /// Makes a sandbox, and returns its id.
    pub(super) fn create(&self, new: &NewSandbox<'_>) -> io::Result<String> {
        let minutes = |time: Duration| time.as_secs().div_ceil(60);
        let mut body = json!({
            "name": new.name,
            "public": false,
            "networkBlockAll": !new.network,
            "labels": { MADE_BY.0: MADE_BY.1, LEASE_FOLDER_LABEL: new.home, LEASE_LABEL: new.lease },
            "autoStopInterval": minutes(new.idle),
            // The sandbox is deleted when it stops.
            "autoDeleteInterval": 0,
            "ttlMinutes": minutes(new.lifetime),
        });
        for (key, value) in [("snapshot", new.snapshot), ("target", new.target)] {
            if let Some(value) = value {
                body[key] = value.into();
            }
        }
        let answer = match self.send("/sandbox", &[], Method::Post(Some(&body)))? {
            // An earlier attempt has made the sandbox, but its response was lost.
            (409, _) => self.request(&format!("/sandbox/{}", new.name), &[], Method::Get)?,
            (status, answer) => check_status(status, answer)?,
        };
        text(&answer, "id")
    }

    /// Waits until a sandbox has started.
    pub(super) fn wait(&self, id: &str) -> io::Result<()> {
        let started = Instant::now();
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
                _ if started.elapsed() > START_LIMIT => {
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
            (status, answer) => check_status(status, answer).map(|_| true),
        }
    }

    /// Lists the sandboxes of toolc.
    pub(super) fn list(&self) -> io::Result<Vec<SandboxInfo>> {
        let labels = json!({ MADE_BY.0: MADE_BY.1 }).to_string();
        let (mut sandboxes, mut cursor) = (Vec::new(), None::<String>);
        for _ in 0..MAX_PAGES {
            let mut query = vec![("labels", labels.as_str()), ("limit", "100")];
            query.extend(cursor.as_deref().map(|cursor| ("cursor", cursor)));
            let answer = self.request("/sandbox", &query, Method::Get)?;
            // Servers before version 0.200 return all sandboxes at once.
            let items = answer["items"].as_array().or_else(|| answer.as_array());
            sandboxes.extend(items.into_iter().flatten().filter_map(sandbox_info));
            cursor = answer["nextCursor"].as_str().map(ToOwned::to_owned);
            if cursor.is_none() {
                break;
            }
        }
        Ok(sandboxes)
    }

    /// Checks that the service accepts the key.
    pub(super) fn check(&self) -> io::Result<()> {
        self.request("/sandbox", &[("limit", "1")], Method::Get).map(drop)
    }

    /// Sends a request, and returns the response if its status is a success.
    fn request(&self, path: &str, query: &[(&str, &str)], method: Method<'_>) -> io::Result<Value> {
        let (status, answer) = self.send(path, query, method)?;
        check_status(status, answer)
    }

    /// Sends a request, and sends it again if the service is unavailable. Returns the status and the response.
    fn send(&self, path: &str, query: &[(&str, &str)], method: Method<'_>) -> io::Result<(u16, Value)> {
        let mut pauses = PAUSES.into_iter();
        loop {
            let result = self.send_once(path, query, method);
            let is_unavailable = match &result {
                Ok((status, _)) => matches!(status, 429 | 500..=599),
                Err(_) => true,
            };
            match pauses.next() {
                Some(pause) if is_unavailable => thread::sleep(pause),
                _ => return result,
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
        // A body that is not JSON becomes a string, which is reported with the status.
        Ok((
            status,
            serde_json::from_slice(&body).unwrap_or_else(|_| String::from_utf8_lossy(&body).into_owned().into()),
        ))
    }
}

/// Returns the response if its status is a success, and the error for the user otherwise.
fn check_status(status: u16, answer: Value) -> io::Result<Value> {
    let detail = || {
        let message = answer["message"].as_str().or_else(|| answer.as_str()).unwrap_or_default();
        if message.trim().is_empty() { String::new() } else { format!(": {}", short(message)) }
    };
    let (kind, text) = match status {
        200..=299 if !answer.is_string() => return Ok(answer),
        // The response to a deletion is empty.
        200..=299 if answer == "" => return Ok(Value::Null),
        200..=299 => (io::ErrorKind::InvalidData, format!("Daytona answers with a page instead of JSON{}", detail())),
        401 => (
            io::ErrorKind::PermissionDenied,
            "Daytona does not accept the key: set `DAYTONA_API_KEY` to a key from the page `Keys` of its dashboard"
                .to_owned(),
        ),
        403 => {
            let text = format!(
                "the key of Daytona lacks a required permission (`write:sandboxes` and `delete:sandboxes`){}",
                detail()
            );
            (io::ErrorKind::PermissionDenied, text)
        }
        300..=399 => {
            let text = format!(
                "Daytona redirects (status {status}): set the address that it names as `environment.daytona.url`"
            );
            (io::ErrorKind::Other, text)
        }
        _ => (io::ErrorKind::Other, format!("Daytona answers with the status {status}{}", detail())),
    };
    Err(io::Error::new(kind, text))
}

/// Returns a text as one line, cut at the maximum length.
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
    // The text becomes a part of a URL or a file.
    let is_plain = |letter: char| letter.is_ascii_graphic() || letter == ' ';
    if text.is_empty() || !text.chars().all(is_plain) || key == "id" && text.contains(['/', '?', '#', ' ', '%']) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("Daytona answers with an invalid `{key}`")));
    }
    Ok(text.to_owned())
}

fn sandbox_info(item: &Value) -> Option<SandboxInfo> {
    if matches!(item["state"].as_str(), Some("destroyed" | "destroying")) {
        return None;
    }
    let label = |name: &str| item["labels"][name].as_str().unwrap_or_default().to_owned();
    let name = item["name"].as_str().unwrap_or_default().to_owned();
    Some(SandboxInfo { id: text(item, "id").ok()?, name, home: label(LEASE_FOLDER_LABEL), lease: label(LEASE_LABEL) })
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
        assert_eq!(check_status(200, json!({ "id": "a" })).unwrap(), json!({ "id": "a" }));
        assert_eq!(check_status(200, json!("")).unwrap(), Value::Null);
        let refused = |status, answer| check_status(status, answer).unwrap_err().to_string();
        assert!(refused(200, json!("<html>login</html>")).contains("a page instead of JSON: <html>login</html>"));
        assert!(refused(401, json!({})).contains("set `DAYTONA_API_KEY`"));
        assert!(refused(500, json!({ "message": "no\nrunner" })).ends_with("status 500: no runner"));
        assert!(refused(302, json!({})).contains("redirects"));
        for (id, is_valid) in [("a-1", true), ("", false), ("a/../b", false), ("a b", false), ("a\n", false)] {
            assert_eq!(text(&json!({ "id": id }), "id").is_ok(), is_valid, "{id:?}");
        }
    }
}
