//! Reads the file of tasks.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use serde::Deserialize;

use crate::ground::error::{Error, Result};
use crate::ground::show;

/// The maximum size of a file of tasks.
const MAX_BYTES: u64 = 256 << 20;

/// A task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) id: String,
    pub(super) prompt: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: Option<String>,
    prompt: String,
}

/// The maximum number of mistakes that are listed.
const MAX_LISTED: usize = 20;

/// Reads the tasks of a file. Blank lines are ignored.
///
/// # Errors
/// Returns an error with the numbers of the lines that are not a task, or that repeat an id.
pub(super) fn read(path: &Path) -> Result<Vec<Task>> {
    let path_text = path.display();
    let file = File::open(path).map_err(|error| Error::failed(format!("read {path_text}"), error))?;
    let length = file.metadata().map(|file| file.len()).unwrap_or_default();
    if length > MAX_BYTES {
        return Err(Error::Invalid(format!("{path_text} is larger than {MAX_BYTES} bytes: split the file")));
    }
    let (mut tasks, mut ids, mut mistakes) = (Vec::new(), HashSet::new(), Vec::new());
    for (number, line) in (1..).zip(BufReader::new(file.take(MAX_BYTES)).split(b'\n')) {
        let line = line.map_err(|error| Error::failed(format!("read {path_text}"), error))?;
        match task(number, &line).and_then(|task| if_new(task, &mut ids)) {
            Ok(task) => tasks.extend(task),
            Err(mistake) => mistakes.push(format!("{path_text}: line {number}: {mistake}")),
        }
    }
    if mistakes.is_empty() {
        return Ok(tasks);
    }
    let more = mistakes.len().saturating_sub(MAX_LISTED);
    mistakes.truncate(MAX_LISTED);
    if more > 0 {
        mistakes.push(format!("{path_text}: {} with mistakes", show::counted(more, "further line")));
    }
    Err(Error::Invalid(mistakes.join("\n")))
}

/// Reads a line. Returns `None` if it is blank.
fn task(number: usize, line: &[u8]) -> Result<Option<Task>, String> {
    let line = str::from_utf8(line).map_err(|error| format!("the file must be UTF-8: {error}"))?;
    // Programs of Windows put a byte order mark before the first line.
    let line = if number == 1 { line.strip_prefix('\u{feff}').unwrap_or(line) } else { line };
    if line.trim().is_empty() {
        return Ok(None);
    }
    let Line { id, prompt } = serde_json::from_str(line).map_err(|error| {
        let error = error.to_string();
        let error = error.split(" at line ").next().unwrap_or_default();
        format!("expected a task such as {{\"prompt\": \"...\"}}: {error}")
    })?;
    if prompt.trim().is_empty() {
        return Err("the prompt is empty: describe what the model should do".to_owned());
    }
    Ok(Some(Task { id: id.unwrap_or_else(|| number.to_string()), prompt }))
}

/// Returns a task if no earlier one has its id.
fn if_new(task: Option<Task>, ids: &mut HashSet<String>) -> Result<Option<Task>, String> {
    match &task {
        Some(Task { id, .. }) if !ids.insert(id.clone()) => Err(format!("another task has the id `{id}`")),
        _ => Ok(task),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks(text: &str) -> Result<Vec<Task>, String> {
        let file = tempfile::NamedTempFile::new().expect("failed to make a file");
        std::fs::write(file.path(), text).expect("failed to write");
        read(file.path()).map_err(|error| error.to_string())
    }

    #[test]
    fn each_line_is_a_task_with_an_id() {
        let task = |id: &str, prompt: &str| Task { id: id.to_owned(), prompt: prompt.to_owned() };
        let read = tasks("{\"id\":\"a\",\"prompt\":\"x\"}\n\n{\"prompt\":\"y\"}\n");
        assert_eq!(read, Ok(vec![task("a", "x"), task("3", "y")]));
        for text in ["\u{feff}{\"id\":\"a\",\"prompt\":\"x\"}\r\n", "\u{feff}\r\n{\"id\":\"a\",\"prompt\":\"x\"}"] {
            assert_eq!(tasks(text), Ok(vec![task("a", "x")]), "a byte order mark is skipped");
        }
        for (text, message) in [
            ("{\"prompt\":\"x\"}\nno", "line 2: expected a task such as"),
            ("{\"promt\":\"x\"}", "unknown field `promt`"),
            ("{\"prompt\":\" \\n\"}", "line 1: the prompt is empty"),
            ("{\"id\":\"2\",\"prompt\":\"x\"}\n{\"prompt\":\"x\"}", "line 2: another task has the id `2`"),
        ] {
            let error = tasks(text).expect_err("the file is wrong");
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn all_wrong_lines_are_reported() {
        let error = tasks("no\n{\"prompt\":\"x\"}\n{\"prompt\":\"\"}\n").expect_err("two lines are wrong");
        assert!(error.contains("line 1: expected a task") && error.contains("line 3: the prompt is empty"), "{error}");
        let error = tasks(&"no\n".repeat(MAX_LISTED + 2)).expect_err("all lines are wrong");
        assert!(error.lines().count() == MAX_LISTED + 1 && error.ends_with("2 further lines with mistakes"), "{error}");
    }
}
