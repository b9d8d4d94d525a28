//! Runs a plugin's program for one call: the program reads a JSON object from stdin and prints one to stdout.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};

use serde::Serialize;
use serde_json::Map;
use toolc::{Call, ErrorKind, ToolError, ToolOutput, ToolResult, Value};
use toolc_process::{EndReason, Process, Sink};

use crate::environment::PassedVariables;
use crate::plugin::Plugin;
use crate::trust::check_executable;

/// The object that the program reads.
#[derive(Serialize)]
struct Request<'r> {
    tool: &'r str,
    arguments: &'r Value,
    call_id: &'r str,
    task: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    home: Option<&'r str>,
}

/// The object that the program prints.
enum ProgramReply {
    Result(Value),
    Error(String),
}

/// Runs the program for a call of the tool with this index. `dir` is its working directory.
pub(crate) fn run(plugin: &Plugin, index: usize, arguments: &Value, dir: Option<&Path>, call: &Call<'_>) -> ToolResult {
    let env = call.env();
    let failed = |message: String| ToolError::new(plugin.passed.redact(message, &env));
    let name = format!("the plugin `{}`", plugin.name);
    // The permissions may have changed since the plugin was loaded.
    check_executable(&plugin.root, &plugin.executable).map_err(|problem| {
        ToolError::with_kind(ErrorKind::Refused, format!("{name} is not run: {}", problem.message))
    })?;
    // JSON cannot hold a path that is not Unicode. Most programs do not need it, so that they run all the same.
    let home = call.home().and_then(Path::to_str);
    let request = Request { tool: call.tool(), arguments, call_id: call.id(), task: call.task(), home };
    let mut input = serde_json::to_vec(&request)?;
    input.push(b'\n');

    let mut command = Command::new(&plugin.executable);
    plugin.passed.apply(&mut command, &env);
    if let Some(dir) = dir {
        command.current_dir(dir);
    }
    let explain = |error: io::Error| failed(format!("failed to start {name}: {error}{}", advice(&error)));
    let mut process = Process::new(command);
    let out = process.stdout(LimitedOutput::all(plugin.max_output)).map_err(explain)?;
    let err = process.stderr(LimitedOutput::tail(plugin.max_output)).map_err(explain)?;
    let ended = process.run(Some(input), || call.is_cancelled()).map_err(explain)?;

    let redact = match ended.reason {
        EndReason::Exited => PassedVariables::redact,
        EndReason::Stopped | EndReason::OutputLimit => PassedVariables::redact_cut,
    };
    let excerpt = stderr_excerpt(err.take().bytes, &|text| redact(&plugin.passed, text, &env));
    match ended.reason {
        EndReason::Stopped => {
            return Err(ToolError::with_kind(ErrorKind::Cancelled, format!("{name} was stopped{excerpt}")));
        }
        EndReason::OutputLimit => {
            let max = plugin.max_output;
            return Err(failed(format!(
                "{name} printed more than {max} bytes and was stopped: ask for a smaller result{excerpt}"
            )));
        }
        EndReason::Exited => {}
    }
    match (parse(out.take().bytes.make_contiguous()), ended.status.success()) {
        (Ok(ProgramReply::Error(text)), _) => Err(failed(text)),
        (_, false) => Err(failed(format!("{name} failed: {}{excerpt}", status_text(ended.status)))),
        (Err(problem), true) => Err(failed(format!("{name} gave no valid reply: {problem}{excerpt}"))),
        (Ok(ProgramReply::Result(result)), true) => match plugin.schemas[index].mismatch(&result) {
            None => ToolOutput::json(&result),
            Some(mismatch) => Err(failed(format!(
                "the result of {name} does not match `returns` in its manifest: {mismatch}{excerpt}"
            ))),
        },
    }
}

/// Parses a reply: `{"result": ...}` or `{"error": "text"}`. The error says what is wrong.
fn parse(stdout: &[u8]) -> Result<ProgramReply, String> {
    const EXPECTED: &str = "expected `{\"result\": ...}` or `{\"error\": \"text\"}` on stdout";
    if stdout.trim_ascii().is_empty() {
        return Err(format!("{EXPECTED}, got nothing"));
    }
    // serde_json limits the depth to 127 levels.
    let value: Value =
        serde_json::from_slice(stdout).map_err(|error| format!("{EXPECTED}, got invalid JSON: {error}"))?;
    let Value::Object(mut map) = value else { return Err(format!("{EXPECTED}, got JSON that is not an object")) };
    match (map.remove("result"), map.remove("error")) {
        (Some(result), None) if map.is_empty() => Ok(ProgramReply::Result(result)),
        (None, Some(Value::String(text))) if map.is_empty() => Ok(ProgramReply::Error(text)),
        (None, Some(other)) if map.is_empty() && !other.is_string() => {
            Err(format!("{EXPECTED}, got an `error` that is not a string"))
        }
        (result, error) => {
            Err(format!("{EXPECTED}, got an object with {}", describe_keys(result.as_ref(), error.as_ref(), &map)))
        }
    }
}

/// Names the first keys of an object, for a message.
fn describe_keys(result: Option<&Value>, error: Option<&Value>, others: &Map<String, Value>) -> String {
    const MAX_KEYS: usize = 5;
    let known = [("result", result.is_some()), ("error", error.is_some())];
    let known = known.iter().filter(|(_, is_present)| *is_present).map(|(name, _)| *name);
    let names: Vec<String> =
        known.chain(others.keys().map(String::as_str)).take(MAX_KEYS).map(|key| format!("`{key}`")).collect();
    if names.is_empty() { "no keys".to_owned() } else { format!("the keys {}", names.join(", ")) }
}

/// Returns the end of the program's stderr as a clause for a message, or an empty text.
fn stderr_excerpt(mut stderr: VecDeque<u8>, redact: &dyn Fn(String) -> String) -> String {
    const MAX_CHARS: usize = 1_000;
    // Redact before shortening, because a part of a secret would not be recognised.
    let text = redact(String::from_utf8_lossy(stderr.make_contiguous()).into_owned());
    let text = text.trim();
    let Some((start, _)) = text.char_indices().rev().take(MAX_CHARS).last() else { return String::new() };
    format!("; its stderr: {}{}", if start > 0 { "…" } else { "" }, &text[start..])
}

/// Describes the status of a program that failed.
fn status_text(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("exit status {code}"),
        None => status.to_string(),
    }
}

/// Returns advice for an error at the start of a program, as a clause for the message.
fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "; check that the interpreter in its first line, such as `#!/bin/sh`, exists",
        io::ErrorKind::PermissionDenied => "; check the permissions of the program",
        _ if error.raw_os_error() == Some(ENOEXEC) => "; a script needs a first line such as `#!/bin/sh`",
        _ => "",
    }
}

/// The error of Unix for a file that is not a program.
const ENOEXEC: i32 = 8;

/// Output of a program with a limit on its size.
#[derive(Debug, Default)]
struct LimitedOutput {
    /// The last bytes.
    bytes: VecDeque<u8>,
    /// The number of bytes that the program may still print.
    remaining: usize,
    /// The maximum length of `bytes`.
    max_kept: usize,
}

impl LimitedOutput {
    /// Keeps all output.
    fn all(limit: usize) -> Self {
        Self { bytes: VecDeque::new(), remaining: limit, max_kept: limit }
    }

    /// Keeps the end of the output.
    fn tail(limit: usize) -> Self {
        /// Much more than an excerpt shows, so that no secret in the excerpt is cut off.
        const MAX_KEPT: usize = 64 * 1024;
        Self { bytes: VecDeque::new(), remaining: limit, max_kept: MAX_KEPT }
    }
}

impl Sink for LimitedOutput {
    fn push(&mut self, bytes: &[u8]) -> bool {
        let Some(remaining) = self.remaining.checked_sub(bytes.len()) else { return false };
        self.remaining = remaining;
        self.bytes.extend(bytes);
        let excess = self.bytes.len().saturating_sub(self.max_kept);
        self.bytes.drain(..excess);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_error(stdout: &str) -> String {
        match parse(stdout.as_bytes()) {
            Err(problem) => problem,
            Ok(_) => panic!("a valid reply: {stdout}"),
        }
    }

    #[test]
    fn a_reply_is_an_object_with_one_key() {
        assert!(matches!(parse(b" {\"result\": null}\n"), Ok(ProgramReply::Result(Value::Null))));
        assert!(matches!(parse(b"{\"error\": \"no\"}"), Ok(ProgramReply::Error(text)) if text == "no"));
        assert!(parse_error("").ends_with("got nothing"));
        assert!(parse_error("done").contains("got invalid JSON: expected value at line 1"));
        assert!(parse_error("[]").ends_with("got JSON that is not an object"));
        assert!(parse_error("{}").ends_with("got an object with no keys"));
        assert!(parse_error("{\"error\": 5}").ends_with("got an `error` that is not a string"));
        assert!(parse_error("{\"error\": \"no\", \"result\": 1}").ends_with("the keys `result`, `error`"));
        assert!(parse_error("{\"resutl\": 1}").ends_with("the keys `resutl`"));
        assert!(parse_error("{\"result\": 1} {}").contains("got invalid JSON: trailing"));
    }

    #[test]
    fn a_deeply_nested_reply_is_refused() {
        let nested = |depth: usize| format!("{{\"result\": {}{}}}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse(nested(100).as_bytes()).is_ok());
        assert!(parse_error(&nested(100_000)).contains("recursion limit"));
    }

    #[test]
    fn an_excerpt_of_stderr_contains_no_part_of_a_secret() {
        let stderr = format!("{}key=hunter2{}", "x".repeat(2_000), "y".repeat(996));
        let excerpt = stderr_excerpt(stderr.into_bytes().into(), &|text| text.replace("hunter2", "[secret]"));
        assert_eq!(excerpt, format!("; its stderr: …ret]{}", "y".repeat(996)));
        assert_eq!(stderr_excerpt(VecDeque::from(b" \n".to_vec()), &|text| text), "");
        assert_eq!(
            stderr_excerpt(VecDeque::from("gr\u{fc}n\n".as_bytes().to_vec()), &|text| text),
            "; its stderr: gr\u{fc}n"
        );
    }

    #[test]
    fn limited_output_keeps_the_end_and_stops_at_the_limit() {
        let mut output = LimitedOutput { bytes: VecDeque::new(), remaining: 10, max_kept: 4 };
        assert!(output.push(b"abc") && output.push(b"defgh"));
        assert_eq!(output.bytes.make_contiguous(), b"efgh");
        assert!(output.push(b"ij") && !output.push(b"k"));
    }
}
