//! The trajectory of a task: its events, as one line of JSON in the file of results.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::tasks::Task;
use crate::agent::{Agent, AgentEvent, TurnOutcome};
use crate::ground::error::{Error, Result};

/// The events of a task, without the pieces of streamed text.
#[derive(Debug, Default)]
pub(super) struct Trajectory {
    steps: Mutex<Vec<Value>>,
    end: Mutex<Value>,
}

impl Trajectory {
    pub(super) fn add(&self, event: &AgentEvent<'_>) {
        let value = serde_json::to_value(event).unwrap_or_default();
        match event {
            AgentEvent::Text { .. } | AgentEvent::Progress { .. } | AgentEvent::Session { .. } => {}
            AgentEvent::Ends { .. } => *self.end.lock().unwrap_or_else(PoisonError::into_inner) = value,
            _ => self.steps.lock().unwrap_or_else(PoisonError::into_inner).push(value),
        }
    }

    /// Returns the line of a task that has ended.
    pub(super) fn line(
        &self,
        task: &Task,
        agent: &Agent,
        toolsets: &[String],
        seed: Option<u64>,
        outcome: &str,
        error: Option<&str>,
    ) -> Value {
        let end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        let model = agent.model.model();
        json!({
            "id": task.id,
            "prompt": task.prompt,
            "outcome": outcome,
            "error": error,
            "answer": end["text"],
            "session": agent.name,
            "api": model.api.word(),
            "model": model.name(),
            "toolsets": toolsets,
            "seed": seed,
            "requests": end["requests"],
            "tokens": end["tokens"],
            "messages": agent.messages(),
            "steps": *self.steps.lock().unwrap_or_else(PoisonError::into_inner),
        })
    }
}

/// The maximum length of a line of a file of results.
const MAX_LINE: u64 = 256 << 20;
/// The possible beginnings of a result. Its keys are in alphabetical order, or in the order of the code.
const BEGINNINGS: [&str; 2] = ["{\"answer\":", "{\"id\":"];

/// The content of a file of results.
#[derive(Default)]
struct Results {
    /// The ids of the tasks that have not failed.
    ids: HashSet<String>,
    /// The size of the complete lines, in bytes.
    complete_bytes: u64,
    /// The text after the last line break.
    tail: Tail,
}

/// The text after the last line break of a file of results.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Tail {
    #[default]
    Nothing,
    /// A result whose line break is missing, because the process was killed.
    Result,
    /// The beginning of a result, because the process was killed.
    PartialResult,
}

/// Checks that a file contains only results, or does not exist. The file is not changed.
///
/// # Errors
/// Returns an error if the file contains something else, or cannot be read.
pub(super) fn check_results_file(path: &Path) -> Result<()> {
    read(path).map(drop)
}

/// Returns the ids of the tasks in a file of results that have not failed. If the process was killed, the last line may be incomplete:
/// a partial result is removed.
///
/// # Errors
/// Returns an error if the file cannot be read, or contains something else than results. In this case, the file is not changed.
pub(super) fn read_finished_ids(path: &Path) -> Result<HashSet<String>> {
    let Results { ids, complete_bytes, tail } = read(path)?;
    let open = || std::fs::OpenOptions::new().append(true).open(path);
    let shown = path.display();
    match tail {
        Tail::Nothing => {}
        Tail::Result => open()
            .and_then(|mut file| file.write_all(b"\n"))
            .map_err(|error| Error::failed(format!("end the last line of {shown}"), error))?,
        Tail::PartialResult => open()
            .and_then(|file| file.set_len(complete_bytes))
            .map_err(|error| Error::failed(format!("remove the incomplete last line of {shown}"), error))?,
    }
    Ok(ids)
}

fn read(path: &Path) -> Result<Results> {
    let shown = path.display();
    let failed = |error: std::io::Error| format!("failed to read {shown}: {error}");
    let file = match File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Results::default()),
        file => file.map_err(failed)?,
    };
    let mut reader = BufReader::new(file);
    let (mut results, mut line) = (Results::default(), Vec::new());
    for number in 1_u64.. {
        line.clear();
        let read = (&mut reader).take(MAX_LINE).read_until(b'\n', &mut line).map_err(failed)?;
        if read == 0 {
            break;
        }
        let is_complete = line.last() == Some(&b'\n');
        // Programs of Windows put a byte order mark before the first line.
        let mark = "\u{feff}".as_bytes();
        let line = if number == 1 { line.strip_prefix(mark).unwrap_or(&line) } else { &line };
        let value = serde_json::from_slice::<Value>(line).ok();
        let is_json = value.is_some();
        let result = value.and_then(|value| {
            let text = |key: &str| value[key].as_str().map(ToOwned::to_owned);
            Some((text("id")?, text("outcome")?))
        });
        match result {
            Some((id, outcome)) => {
                // Earlier versions wrote `over_budget`.
                if outcome == "failed" || outcome == TurnOutcome::OverSpendingLimit.word() || outcome == "over_budget" {
                    results.ids.remove(&id);
                } else {
                    results.ids.insert(id);
                }
                if !is_complete {
                    results.tail = Tail::Result;
                }
            }
            None if !is_complete && !is_json && is_partial_result(line) => results.tail = Tail::PartialResult,
            None => {
                return Err(Error::Invalid(format!(
                    "{shown}: line {number} is not the result of a task. The file was not changed: use another file for `--out`"
                )));
            }
        }
        if !is_complete {
            break;
        }
        results.complete_bytes += read as u64;
    }
    Ok(results)
}

/// Returns whether an incomplete line may be the beginning of a result.
fn is_partial_result(line: &[u8]) -> bool {
    BEGINNINGS.iter().any(|beginning| line.starts_with(beginning.as_bytes()) || beginning.as_bytes().starts_with(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_tasks_and_tasks_with_an_incomplete_line_are_not_finished() {
        let file = tempfile::NamedTempFile::new().expect("failed to make a file");
        let text = "{\"id\":\"a\",\"outcome\":\"done\"}\n{\"id\":\"b\",\"outcome\":\"failed\"}\n{\"id\":\"c\",\"outc";
        std::fs::write(file.path(), text).expect("failed to write");
        assert_eq!(read_finished_ids(file.path()).expect("the file is valid"), HashSet::from(["a".to_owned()]));
        let left = std::fs::read_to_string(file.path()).expect("it exists");
        assert_eq!(left.lines().count(), 2);
        assert!(left.ends_with("\"failed\"}\n"));
        assert_eq!(read_finished_ids(Path::new("/no/such/file")).expect("the file is valid"), HashSet::new());
        // A byte order mark is not part of the first result.
        std::fs::write(file.path(), "\u{feff}{\"id\":\"a\",\"outcome\":\"done\"}\n").expect("failed to write");
        assert_eq!(read_finished_ids(file.path()).expect("the file is valid"), HashSet::from(["a".to_owned()]));
        // Only the line break is missing.
        let text = "{\"id\":\"a\",\"outcome\":\"done\"}";
        std::fs::write(file.path(), text).expect("failed to write");
        assert_eq!(read_finished_ids(file.path()).expect("the file is valid"), HashSet::from(["a".to_owned()]));
        assert_eq!(std::fs::read_to_string(file.path()).expect("it exists"), format!("{text}\n"));
    }

    #[test]
    fn a_file_without_results_is_refused_and_not_changed() {
        let file = tempfile::NamedTempFile::new().expect("failed to make a file");
        for text in [
            "[1]\n",
            "one line without an end",
            "one line\n",
            "{\"id\":\"t\",\"prompt\":\"x\"}\n",
            "{\"id\":\"t\",\"prompt\":\"x\"}",
            "{\"name\": \"x\",",
            "{\"id\":\"a\",\"outcome\":\"done\"}\nnote",
            "\n",
            "\u{0}",
        ] {
            std::fs::write(file.path(), text).expect("failed to write");
            for checked in [check_results_file(file.path()), read_finished_ids(file.path()).map(drop)] {
                let error = checked.expect_err("the file contains something else");
                assert!(error.to_string().contains("is not the result of a task"), "{text}: {error}");
            }
            assert_eq!(std::fs::read_to_string(file.path()).expect("it exists"), text);
        }
    }
}
