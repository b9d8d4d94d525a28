//! Reads the file of tasks.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use serde::Deserialize;

use crate::ground::error::{Error, Result};

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

/// Reads the tasks of a file. Blank lines are ignored.
///
/// # Errors
/// Returns an error with the number of the first line that is not a task, or that repeats an id.
pub(super) fn read(path: &Path) -> Result<Vec<Task>> {
    let path_text = path.display();
    let file = File::open(path).map_err(|error| Error::failed(format!("read {path_text}"), error))?;
    let length = file.metadata().map(|file| file.len()).unwrap_or_default();
    if length > MAX_BYTES {
        return Err(Error::Invalid(format!("{path_text} is larger than {MAX_BYTES} bytes: split the file")));
    }
    let (mut tasks, mut ids) = (Vec::new(), HashSet::new());
    for (number, line) in (1..).zip(BufReader::new(file.take(MAX_BYTES)).lines()) {
        let line = line.map_err(|error| format!("{path_text}: line {number}: {error}; the file must be UTF-8"))?;
        // Programs of Windows put a byte order mark before the first line.
        let line = if number == 1 { line.strip_prefix('\u{feff}').unwrap_or(&line) } else { &line };
        if line.trim().is_empty() {
            continue;
        }
        let Line { id, prompt } = serde_json::from_str(line).map_err(|error| {
            let error = error.to_string();
            let error = error.split(" at line ").next().unwrap_or_default().to_owned();
            format!("{path_text}: line {number}: expected a task such as {{\"prompt\": \"...\"}}: {error}")
        })?;
        if prompt.trim().is_empty() {
            return Err(Error::Invalid(format!(
                "{path_text}: line {number}: the prompt is empty: describe what the model should do"
            )));
        }
        let id = id.unwrap_or_else(|| number.to_string());
        if !ids.insert(id.clone()) {
            return Err(Error::Invalid(format!("{path_text}: line {number}: another task has the id `{id}`")));
        }
        tasks.push(Task { id, prompt });
    }
    Ok(tasks)
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
}
