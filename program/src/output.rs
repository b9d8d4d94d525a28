//! What a program writes besides its replies: the limits on its output, and the end of its stderr for messages.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::process::ExitStatus;

use toolc::ToolError;
use toolc_process::Sink;

/// Returns the end of the program's stderr as a clause for a message, or an empty text.
pub(crate) fn stderr_excerpt(mut stderr: VecDeque<u8>, redact: &dyn Fn(String) -> String) -> String {
    const MAX_CHARS: usize = 1_000;
    // Redact before shortening, because a part of a secret would not be recognised.
    let text = redact(String::from_utf8_lossy(stderr.make_contiguous()).into_owned());
    let text = text.trim();
    let Some((start, _)) = text.char_indices().rev().take(MAX_CHARS).last() else { return String::new() };
    format!("; its stderr: {}{}", if start > 0 { "…" } else { "" }, &text[start..])
}

/// Adds the end of the program's stderr to an error that the program has reported: the model has the message, and the author of the program
/// needs what it has printed, such as a traceback.
pub(crate) fn with_excerpt(error: ToolError, excerpt: &str) -> ToolError {
    match excerpt.strip_prefix("; ") {
        Some(stderr) => error.with_developer_note(stderr.to_owned()),
        None => error,
    }
}

/// Describes the status of a program that failed.
pub(crate) fn status_text(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("exit status {code}"),
        None => status.to_string(),
    }
}

/// Returns advice for an error at the start of a program, as a clause for the message.
pub(crate) fn advice(error: &io::Error, executable: &Path) -> String {
    let name = executable.display();
    match error.kind() {
        io::ErrorKind::NotFound if executable.parent() == Some(Path::new("")) => {
            return format!("; install `{name}`, or add its folder to `PATH`");
        }
        io::ErrorKind::NotFound => "; check that the interpreter in its first line, such as `#!/bin/sh`, exists",
        io::ErrorKind::PermissionDenied => "; check the permissions of the program",
        _ if error.raw_os_error() == Some(ENOEXEC) => "; a script needs a first line such as `#!/bin/sh`",
        _ => "",
    }
    .to_owned()
}

/// The error of Unix for a file that is not a program.
const ENOEXEC: i32 = 8;

/// Output of a program with a limit on its size.
#[derive(Debug, Default)]
pub(crate) struct LimitedOutput {
    /// The last bytes.
    pub(crate) bytes: VecDeque<u8>,
    /// The number of bytes that the program may still print.
    remaining: usize,
    /// The maximum length of `bytes`.
    max_kept: usize,
}

impl LimitedOutput {
    /// Keeps all output.
    pub(crate) fn all(limit: usize) -> Self {
        Self { bytes: VecDeque::new(), remaining: limit, max_kept: limit }
    }

    /// Keeps the end of the output.
    pub(crate) fn tail(limit: usize) -> Self {
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
