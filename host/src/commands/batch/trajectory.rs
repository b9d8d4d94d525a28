//! What happened in one task, as one line of JSON.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::tasks::Task;
use crate::agent::{Agent, AgentEvent};
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
        let settings = agent.model.settings();
        json!({
            "id": task.id,
            "prompt": task.prompt,
            "outcome": outcome,
            "error": error,
            "answer": end["text"],
            "session": agent.name,
            "api": settings.api.word(),
            "model": settings.model,
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
/// The beginnings of a line, whose keys are in alphabetical order or in that of the code.
const BEGINNINGS: [&str; 2] = ["{\"answer\":", "{\"id\":"];

/// What a file of results has.
#[derive(Default)]
struct Results {
    /// The ids of the tasks that have not failed.
    ids: HashSet<String>,
    /// The size of the whole lines.
    complete: u64,
    /// What follows them.
    rest: Rest,
}

/// What is after the last end of a line.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Rest {
    #[default]
    Nothing,
    /// A result, whose process was killed before it wrote the end of the line.
    Result,
    /// The beginning of a result.
    Beginning,
}

/// Checks that a file has nothing but results, or does not exist. It is not changed.
///
/// # Errors
/// Returns an error if it has something else, or cannot be read.
pub(super) fn check(path: &Path) -> Result<()> {
    read(path).map(drop)
}

/// Returns the ids of the tasks in a file of results that have not failed. The last line may be incomplete, if the process was killed: the
/// beginning of a result is removed.
///
/// # Errors
/// Returns an error if the file cannot be read, or has something else than results. It is then unchanged.
pub(super) fn finished(path: &Path) -> Result<HashSet<String>> {
    let Results { ids, complete, rest } = read(path)?;
    let open = || std::fs::OpenOptions::new().append(true).open(path);
    let shown = path.display();
    match rest {
        Rest::Nothing => {}
        Rest::Result => open()
            .and_then(|mut file| file.write_all(b"\n"))
            .map_err(|error| Error::failed(format!("end the last line of {shown}"), error))?,
        Rest::Beginning => open()
            .and_then(|file| file.set_len(complete))
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
        let is_whole = line.last() == Some(&b'\n');
        let value = serde_json::from_slice::<Value>(&line).ok();
        let is_json = value.is_some();
        let result = value.and_then(|value| {
            let text = |key: &str| value[key].as_str().map(ToOwned::to_owned);
            Some((text("id")?, text("outcome")?))
        });
        match result {
            Some((id, outcome)) => {
                if outcome == "failed" {
                    results.ids.remove(&id);
                } else {
                    results.ids.insert(id);
                }
                if !is_whole {
                    results.rest = Rest::Result;
                }
            }
            None if !is_whole && !is_json && is_beginning(&line) => results.rest = Rest::Beginning,
            None => {
                return Err(Error::Invalid(format!(
                    "{shown}: line {number} is not the result of a task, and the file is left as it is: use another file for `--out`"
                )));
            }
        }
        if !is_whole {
            break;
        }
        results.complete += read as u64;
    }
    Ok(results)
}

/// Returns whether a line that was cut off is the beginning of a result.
fn is_beginning(line: &[u8]) -> bool {
    BEGINNINGS.iter().any(|beginning| line.starts_with(beginning.as_bytes()) || beginning.as_bytes().starts_with(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_that_failed_and_an_incomplete_line_run_again() {
        let file = tempfile::NamedTempFile::new().expect("failed to make a file");
        let text = "{\"id\":\"a\",\"outcome\":\"done\"}\n{\"id\":\"b\",\"outcome\":\"failed\"}\n{\"id\":\"c\",\"outc";
        std::fs::write(file.path(), text).expect("failed to write");
        assert_eq!(finished(file.path()).expect("the file is valid"), HashSet::from(["a".to_owned()]));
        let left = std::fs::read_to_string(file.path()).expect("it exists");
        assert_eq!(left.lines().count(), 2);
        assert!(left.ends_with("\"failed\"}\n"));
        assert_eq!(finished(Path::new("/no/such/file")).expect("the file is valid"), HashSet::new());
        // The end of the line is all that is missing.
        let text = "{\"id\":\"a\",\"outcome\":\"done\"}";
        std::fs::write(file.path(), text).expect("failed to write");
        assert_eq!(finished(file.path()).expect("the file is valid"), HashSet::from(["a".to_owned()]));
        assert_eq!(std::fs::read_to_string(file.path()).expect("it exists"), format!("{text}\n"));
    }

    #[test]
    fn a_file_of_something_else_is_refused_and_stays_as_it_is() {
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
            for checked in [check(file.path()), finished(file.path()).map(drop)] {
                let error = checked.expect_err("it has something else");
                assert!(error.to_string().contains("is not the result of a task"), "{text}: {error}");
            }
            assert_eq!(std::fs::read_to_string(file.path()).expect("it exists"), text);
        }
    }
}
