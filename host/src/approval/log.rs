//! The log of decisions about commands: `logs/approvals.jsonl` in the user's folder, one JSON object on each line.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::json;
use toolc::approval::{ApprovalLog, ApprovalRecord};
use toolc_commands::characters::is_invisible;

use crate::ground::tell::tell;
use crate::ground::time;
use toolc_config::Home;

/// The size at which the log is rotated.
const MAX_BYTES: u64 = 10 << 20;
/// The maximum number of files, including the current one.
const FILES: usize = 5;

/// The log. Its file is opened for each record.
#[derive(Debug)]
pub(crate) struct Log {
    home: Home,
}

impl Log {
    pub(crate) fn new(home: Home) -> Self {
        Self { home }
    }

    fn append(&self, line: &str) -> io::Result<()> {
        self.home.create(&self.home.logs())?;
        append(&path(&self.home), line, MAX_BYTES)
    }
}

/// Returns the path of the current log file.
pub(crate) fn path(home: &Home) -> PathBuf {
    home.logs().join("approvals.jsonl")
}

impl ApprovalLog for Log {
    fn decided(&self, record: &ApprovalRecord<'_>) {
        let line = json!({
            "time": time::text(SystemTime::now()),
            "tool": record.tool,
            "call": record.call,
            "session": record.session,
            "task": record.task,
            "command": record.line,
            "environment": record.environment,
            "directory": record.directory,
            "verdict": record.verdict.word(),
            "rules": record.rules,
            "decision": record.decision.word(),
            "decided_by": record.decided_by.word(),
            "milliseconds": record.milliseconds,
            "process": std::process::id(),
        });
        if let Err(error) = self.append(&escape_invisible(&line.to_string())) {
            tell!("warning: failed to write the log of approvals: {error}");
        }
    }
}

/// Escapes control characters and invisible characters in JSON. They only occur in strings.
fn escape_invisible(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if is_invisible(c, None) {
            escaped.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// Appends a line to a file that only its owner can read. Several processes can append at once.
fn append(path: &Path, line: &str, max_bytes: u64) -> io::Result<()> {
    // The lock is held until the line is written, so that no other process rotates the log in between. Not all file systems support
    // locks, so errors are ignored.
    let lock = open_private(&path.with_extension("lock"))?;
    let _ = lock.lock();
    let line = format!("{line}\n");
    let length = fs::metadata(path).map_or(0, |file| file.len());
    if length > 0 && length + line.len() as u64 > max_bytes {
        rotate(path)?;
    }
    open_private(path)?.write_all(line.as_bytes())
}

/// Renames `approvals.jsonl` to `approvals.jsonl.1`, `approvals.jsonl.1` to `approvals.jsonl.2`, and so on. The oldest file is replaced.
fn rotate(path: &Path) -> io::Result<()> {
    let path_of = |number: usize| {
        let mut name = path.as_os_str().to_owned();
        if number > 0 {
            name.push(format!(".{number}"));
        }
        PathBuf::from(name)
    };
    for number in (0..FILES - 1).rev() {
        match fs::rename(path_of(number), path_of(number + 1)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Opens a file to append to it. A new file can only be read by its owner.
fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_invisible_characters_are_escaped_without_changing_the_json_value() {
        let value = json!({"command": "a\u{1b}[2J\u{7f}\u{9b}\u{202e}\u{2028}\u{e0041}é \"\\\" \u{1F600}"});
        let line = escape_invisible(&value.to_string());
        assert!(!line.contains(|c: char| c.is_control() || is_invisible(c, None)), "{line:?}");
        assert!(line.contains("\\u202e\\u2028\\udb40\\udc41é"), "{line}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&line).expect("valid JSON"), value);
    }

    #[test]
    fn a_full_log_is_rotated_and_the_oldest_file_is_dropped() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let path = folder.path().join("approvals.jsonl");
        for number in 0..20 {
            append(&path, &format!("{{\"number\":{}}}", 100 + number), 40).expect("failed to append");
        }
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("the file exists");
        let numbers = |name: &str| -> Vec<u32> {
            let line =
                |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("valid JSON")["number"].as_u64();
            read(name).lines().map(|text| line(text).expect("a number").try_into().expect("a small number")).collect()
        };
        assert_eq!(numbers("approvals.jsonl"), [118, 119]);
        assert_eq!(numbers("approvals.jsonl.1"), [116, 117]);
        assert_eq!(numbers("approvals.jsonl.4"), [110, 111]);
        assert!(!folder.path().join("approvals.jsonl.5").exists());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(&path).expect("the file exists").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn no_line_is_lost_or_torn_when_several_threads_write() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let path = folder.path().join("approvals.jsonl");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    for number in 0..50 {
                        append(path, &format!("{writer} {number} {}", "x".repeat(100)), 8000)
                            .expect("failed to append");
                    }
                });
            }
        });
        let names = ["", ".1", ".2", ".3", ".4"].map(|end| format!("{}{end}", path.display()));
        let text: String = names.iter().filter_map(|name| fs::read_to_string(name).ok()).collect();
        assert_eq!(text.lines().count(), 200);
        assert!(text.lines().all(|line| line.ends_with(&"x".repeat(100)) && line.len() < 110));
    }
}
