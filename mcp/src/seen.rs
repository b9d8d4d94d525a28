//! Remembers what was last seen of a server, so that a person can look at it without starting the server: when it connected, with which
//! version of the protocol and how many tools, and why it could not be used.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::file;
use crate::pins::identity;
use crate::settings::Server;

/// The maximum number of bytes of a file.
const MAX_BYTES: u64 = 1 << 20;
/// The maximum number of characters of a problem. It can end with what the server wrote to its standard error.
const MAX_PROBLEM: usize = 2_000;

/// What was last seen of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LastSeen {
    /// The last connection.
    pub connection: Option<SeenConnection>,
    /// Why the server could not be used after that, or at all.
    pub problem: Option<SeenProblem>,
    /// Whether the command line, the variables or the address have changed since.
    pub settings_have_changed: bool,
}

/// A connection to a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SeenConnection {
    /// When the server listed its tools, in seconds since 1970.
    pub at: u64,
    /// The name and the version with which the server introduced itself.
    pub server: Option<String>,
    /// The version of the protocol.
    pub protocol: Option<String>,
    /// Whether the connection began with a handshake: the form of the protocol with sessions.
    pub has_handshake: bool,
    /// The time that the start took until the tools were listed, in milliseconds.
    pub start_ms: Option<u64>,
    /// The number of tools that were registered.
    pub tools: usize,
    /// The number of tools that could not be used.
    pub left_out: usize,
    /// The number of tools that a person has not accepted.
    pub held_back: usize,
}

/// Why a server could not be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SeenProblem {
    /// When it happened, in seconds since 1970.
    pub at: u64,
    /// What happened, without secrets.
    pub text: String,
}

impl SeenConnection {
    /// Returns when the server listed its tools.
    pub fn time(&self) -> SystemTime {
        time(self.at)
    }
}

impl SeenProblem {
    /// Returns when it happened.
    pub fn time(&self) -> SystemTime {
        time(self.at)
    }
}

/// What a file contains.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Record {
    /// What the server was started with.
    server: Value,
    connection: Option<SeenConnection>,
    problem: Option<SeenProblem>,
}

impl Server {
    /// Returns what was last seen of the server, if a host has recorded it. A file that cannot be read says nothing.
    pub fn last_seen(&self) -> Option<LastSeen> {
        let Record { server, connection, problem } = read(path(self)?)?;
        Some(LastSeen { connection, problem, settings_have_changed: server != identity(self) })
    }
}

/// Records a connection, and removes an earlier problem. Errors are ignored: the list then shows less.
pub(crate) fn connected(server: &Server, connection: SeenConnection) {
    let record = Record { server: identity(server), connection: Some(connection), problem: None };
    write(server, &record);
}

/// Records a problem, and keeps the last connection.
pub(crate) fn failed(server: &Server, problem: &str) {
    let text: String = problem.chars().take(MAX_PROBLEM).collect();
    let problem = Some(SeenProblem { at: now(), text });
    let identity = identity(server);
    // The last connection of another command line says nothing about this one.
    let before = path(server).and_then(read).filter(|record| record.server == identity).unwrap_or_default();
    write(server, &Record { server: identity, connection: before.connection, problem });
}

/// Returns the time as the file has it.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// Returns the time that a file names. A time that is out of range becomes the Unix epoch.
fn time(at: u64) -> SystemTime {
    UNIX_EPOCH.checked_add(Duration::from_secs(at)).unwrap_or(UNIX_EPOCH)
}

fn path(server: &Server) -> Option<&Path> {
    Some(server.state_file.as_path()).filter(|path| !path.as_os_str().is_empty())
}

fn read(path: &Path) -> Option<Record> {
    serde_json::from_slice(&file::read(path, MAX_BYTES).ok()??).ok()
}

fn write(server: &Server, record: &Record) {
    if let Some(path) = path(server) {
        let _ = file::write(path, record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::tests::program;

    fn connection(tools: usize) -> SeenConnection {
        SeenConnection {
            at: now(),
            server: Some("scripted 1".to_owned()),
            protocol: Some("2025-11-25".to_owned()),
            has_handshake: true,
            start_ms: Some(5),
            tools,
            left_out: 0,
            held_back: 0,
        }
    }

    #[test]
    fn a_problem_follows_the_last_connection_and_a_connection_forgets_it() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let server = Server { state_file: folder.path().join("mcp/s.state.json"), ..program("a") };
        assert_eq!(server.last_seen(), None);
        failed(&server, &"x".repeat(5_000));
        let seen = server.last_seen().expect("it is recorded");
        assert!(seen.connection.is_none() && seen.problem.is_some_and(|problem| problem.text.len() == MAX_PROBLEM));
        connected(&server, connection(3));
        failed(&server, "it ended");
        let seen = server.last_seen().expect("it is recorded");
        assert_eq!(
            (seen.connection.map(|seen| seen.tools), seen.problem.map(|problem| problem.text)),
            (Some(3), Some("it ended".to_owned()))
        );
        connected(&server, connection(4));
        assert!(server.last_seen().is_some_and(|seen| seen.problem.is_none() && !seen.settings_have_changed));
    }

    #[test]
    fn what_is_known_of_another_command_line_is_marked_and_not_mixed_with_the_new_one() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let file = folder.path().join("s.state.json");
        let server = |command: &str| Server { state_file: file.clone(), ..program(command) };
        connected(&server("a"), connection(3));
        assert!(server("b").last_seen().is_some_and(|seen| seen.settings_have_changed && seen.connection.is_some()));
        failed(&server("b"), "it failed");
        let seen = server("b").last_seen().expect("it is recorded");
        assert!(!seen.settings_have_changed && seen.connection.is_none(), "{seen:?}");
        for broken in ["{", "[]", "{\"server\":1,\"problem\":5}"] {
            std::fs::write(&file, broken).expect("failed to write");
            assert_eq!(server("b").last_seen(), None, "{broken}");
        }
        std::fs::write(&file, "{\"server\":1,\"problem\":{\"at\":18446744073709551615,\"text\":\"x\"}}")
            .expect("failed to write");
        let seen = server("b").last_seen().expect("it can be read");
        assert_eq!(seen.problem.map(|problem| problem.time()), Some(UNIX_EPOCH));
        let nowhere = program("a");
        failed(&nowhere, "x");
        assert_eq!(nowhere.last_seen(), None);
    }
}
