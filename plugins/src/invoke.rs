//! One call: a process that gets a JSON object on its standard input, and prints one on its standard output.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};

use serde::Serialize;
use serde_json::Map;
use toolc::{Call, ErrorKind, ToolError, ToolOutput, ToolResult, Value};
use toolc_process::{EndReason, Process, Sink};

use crate::compile::check_executable;
use crate::environment::Passed;
use crate::provider::Plugin;

/// What the program reads.
#[derive(Serialize)]
struct Request<'r> {
    tool: &'r str,
    arguments: &'r Value,
    call_id: &'r str,
    task: &'r str,
}

/// What the program says.
enum Answer {
    Result(Value),
    Error(String),
}

/// Runs a tool of the plugin.
pub(crate) fn run(plugin: &Plugin, index: usize, arguments: &Value, dir: Option<&Path>, call: &Call<'_>) -> ToolResult {
    let env = call.env();
    let failed = |message: String| ToolError::new(plugin.passed.redact(message, &env));
    let of = format!("the plugin `{}`", plugin.name);
    // A program that others can write since it was loaded could be anything.
    check_executable(&plugin.root, &plugin.executable)
        .map_err(|flaw| ToolError::with_kind(ErrorKind::Refused, format!("{of} is not run: {}", flaw.message)))?;
    let request = Request { tool: call.tool(), arguments, call_id: call.id(), task: call.task() };
    let mut input = serde_json::to_vec(&request)?;
    input.push(b'\n');

    let mut command = Command::new(&plugin.executable);
    plugin.passed.apply(&mut command, &env);
    if let Some(dir) = dir {
        command.current_dir(dir);
    }
    let explain = |error: io::Error| failed(format!("failed to start {of}: {error}{}", advice(&error)));
    let mut process = Process::new(command);
    let out = process.stdout(Kept::all(plugin.max_output)).map_err(explain)?;
    let err = process.stderr(Kept::tail(plugin.max_output)).map_err(explain)?;
    let ended = process.run(Some(input), || call.is_cancelled()).map_err(explain)?;

    let redact = match ended.reason {
        EndReason::Exited => Passed::redact,
        EndReason::Stopped | EndReason::OutputLimit => Passed::redact_cut,
    };
    let wrote = wrote(err.take().bytes, &|text| redact(&plugin.passed, text, &env));
    match ended.reason {
        // The call is cancelled: its response is dropped.
        EndReason::Stopped => return Err(ToolError::with_kind(ErrorKind::Cancelled, format!("{of} was ended{wrote}"))),
        EndReason::OutputLimit => {
            let most = plugin.max_output;
            return Err(failed(format!("{of} printed more than {most} bytes and was ended: ask for less{wrote}")));
        }
        EndReason::Exited => {}
    }
    match (read(out.take().bytes.make_contiguous()), ended.status.success()) {
        (Ok(Answer::Error(text)), _) => Err(failed(text)),
        (_, false) => Err(failed(format!("{of} failed: {}{wrote}", said(ended.status)))),
        (Err(why), true) => Err(failed(format!("{of} gave no answer: {why}{wrote}"))),
        (Ok(Answer::Result(result)), true) => match plugin.shapes[index].mismatch(&result) {
            None => ToolOutput::json(&result),
            Some(why) => {
                Err(failed(format!("{of} returned what its manifest does not say in `returns`: {why}{wrote}")))
            }
        },
    }
}

/// Reads an answer: `{"result": ...}` or `{"error": "text"}`.
fn read(stdout: &[u8]) -> Result<Answer, String> {
    const EXPECTED: &str = "expected `{\"result\": ...}` or `{\"error\": \"text\"}` on its standard output";
    if stdout.trim_ascii().is_empty() {
        return Err(format!("{EXPECTED}, and there is nothing"));
    }
    // Bounded in depth, too: serde_json takes 127 levels.
    let value: Value =
        serde_json::from_slice(stdout).map_err(|error| format!("{EXPECTED}, and it is not JSON: {error}"))?;
    let Value::Object(mut map) = value else { return Err(format!("{EXPECTED}, and it is not an object")) };
    match (map.remove("result"), map.remove("error")) {
        (Some(result), None) if map.is_empty() => Ok(Answer::Result(result)),
        (None, Some(Value::String(text))) if map.is_empty() => Ok(Answer::Error(text)),
        (None, Some(other)) if map.is_empty() && !other.is_string() => {
            Err(format!("{EXPECTED}, and its `error` is not a string"))
        }
        (result, error) => Err(format!("{EXPECTED}, and it has {}", keys(result.as_ref(), error.as_ref(), &map))),
    }
}

/// The keys of an object, as far as they help.
fn keys(result: Option<&Value>, error: Option<&Value>, others: &Map<String, Value>) -> String {
    const MOST: usize = 5;
    let known = [("result", result.is_some()), ("error", error.is_some())];
    let known = known.iter().filter(|(_, is_there)| *is_there).map(|(name, _)| *name);
    let names: Vec<String> =
        known.chain(others.keys().map(String::as_str)).take(MOST).map(|key| format!("`{key}`")).collect();
    if names.is_empty() { "no keys".to_owned() } else { format!("the keys {}", names.join(", ")) }
}

/// The end of what it wrote to its standard error, as a clause.
fn wrote(mut stderr: VecDeque<u8>, redact: &dyn Fn(String) -> String) -> String {
    /// The longest useful excerpt, in characters.
    const LONGEST: usize = 1_000;
    // Redacted before it is cut: half of a secret is one, too.
    let text = redact(String::from_utf8_lossy(stderr.make_contiguous()).into_owned());
    let text = text.trim();
    let Some((start, _)) = text.char_indices().rev().take(LONGEST).last() else { return String::new() };
    format!("; it wrote: {}{}", if start > 0 { "…" } else { "" }, &text[start..])
}

/// How a program ended that failed.
fn said(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("it ended with exit status {code}"),
        None => format!("it was ended by a {status}"),
    }
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "; what runs it is missing: see its first line, such as `#!/bin/sh`",
        io::ErrorKind::PermissionDenied => "; it may not be executed here",
        _ if error.raw_os_error() == Some(NO_FORMAT) => "; it needs a first line such as `#!/bin/sh`",
        _ => "",
    }
}

/// The Unix error for a file that is not a program.
const NO_FORMAT: i32 = 8;

/// Output, as far as it is wanted.
#[derive(Debug, Default)]
struct Kept {
    bytes: VecDeque<u8>,
    /// Bytes that may still come.
    room: usize,
    /// Bytes that are kept, of the end.
    most: usize,
}

impl Kept {
    fn all(room: usize) -> Self {
        Self { bytes: VecDeque::new(), room, most: room }
    }

    fn tail(room: usize) -> Self {
        /// More than is shown, so that no secret is cut there.
        const TAIL: usize = 64 * 1024;
        Self { bytes: VecDeque::new(), room, most: TAIL }
    }
}

impl Sink for Kept {
    fn push(&mut self, bytes: &[u8]) -> bool {
        let Some(room) = self.room.checked_sub(bytes.len()) else { return false };
        self.room = room;
        self.bytes.extend(bytes);
        let excess = self.bytes.len().saturating_sub(self.most);
        self.bytes.drain(..excess);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(stdout: &str) -> String {
        match read(stdout.as_bytes()) {
            Err(why) => why,
            Ok(_) => panic!("it is an answer: {stdout}"),
        }
    }

    #[test]
    fn an_answer_is_one_object_with_one_key() {
        assert!(matches!(read(b" {\"result\": null}\n"), Ok(Answer::Result(Value::Null))));
        assert!(matches!(read(b"{\"error\": \"no\"}"), Ok(Answer::Error(text)) if text == "no"));
        assert!(why("").ends_with("and there is nothing"));
        assert!(why("done").contains("and it is not JSON: expected value at line 1"));
        assert!(why("[]").ends_with("and it is not an object"));
        assert!(why("{}").ends_with("and it has no keys"));
        assert!(why("{\"error\": 5}").ends_with("its `error` is not a string"));
        assert!(why("{\"error\": \"no\", \"result\": 1}").ends_with("the keys `result`, `error`"));
        assert!(why("{\"resutl\": 1}").ends_with("the keys `resutl`"));
        assert!(why("{\"result\": 1} {}").contains("and it is not JSON: trailing"));
    }

    #[test]
    fn an_answer_has_a_depth() {
        let nested = |depth: usize| format!("{{\"result\": {}{}}}", "[".repeat(depth), "]".repeat(depth));
        assert!(read(nested(100).as_bytes()).is_ok());
        assert!(why(&nested(100_000)).contains("recursion limit"));
    }

    #[test]
    fn the_end_of_what_was_written_is_told_without_half_a_secret() {
        let stderr = format!("{}key=hunter2{}", "x".repeat(2_000), "y".repeat(996));
        let told = wrote(stderr.into_bytes().into(), &|text| text.replace("hunter2", "[secret]"));
        assert_eq!(told, format!("; it wrote: …ret]{}", "y".repeat(996)));
        assert_eq!(wrote(VecDeque::from(b" \n".to_vec()), &|text| text), "");
        assert_eq!(wrote(VecDeque::from("gr\u{fc}n\n".as_bytes().to_vec()), &|text| text), "; it wrote: gr\u{fc}n");
    }

    #[test]
    fn a_sink_keeps_the_end_and_takes_so_much() {
        let mut kept = Kept { bytes: VecDeque::new(), room: 10, most: 4 };
        assert!(kept.push(b"abc") && kept.push(b"defgh"));
        assert_eq!(kept.bytes.make_contiguous(), b"efgh");
        assert!(kept.push(b"ij") && !kept.push(b"k"));
    }
}
