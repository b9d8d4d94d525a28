//! What happened in one task, as one line of JSON.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::tasks::Task;
use crate::agent::{Agent, AgentEvent};

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

/// Returns the ids of the tasks in a file of results that have not failed. The last line may be incomplete, if the process was killed.
///
/// # Errors
/// Returns an error if the file cannot be read, or a line before the last one is not a result.
pub(super) fn finished(path: &Path) -> Result<HashSet<String>, String> {
    let shown = path.display();
    let file = match File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(HashSet::new()),
        file => file.map_err(|error| format!("failed to read {shown}: {error}"))?,
    };
    let length = file.metadata().map_err(|error| format!("failed to read {shown}: {error}"))?.len();
    let mut reader = BufReader::new(file);
    let (mut ids, mut complete, mut line) = (HashSet::new(), 0, Vec::new());
    for number in 1_u64.. {
        line.clear();
        let read = reader.read_until(b'\n', &mut line).map_err(|error| format!("failed to read {shown}: {error}"))?;
        if line.last() != Some(&b'\n') {
            break;
        }
        complete += read as u64;
        let result: Value = serde_json::from_slice(&line)
            .map_err(|_| format!("{shown}: line {number} is not the result of a task: use another file for `--out`"))?;
        let Some(id) = result["id"].as_str() else {
            return Err(format!("{shown}: line {number} has no id: use another file for `--out`"));
        };
        if result["outcome"] == "failed" {
            ids.remove(id);
        } else {
            ids.insert(id.to_owned());
        }
    }
    if complete < length {
        let file = std::fs::OpenOptions::new().write(true).open(path);
        file.and_then(|file| file.set_len(complete))
            .map_err(|error| format!("failed to remove the incomplete last line of {shown}: {error}"))?;
    }
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_that_failed_and_an_incomplete_line_run_again() {
        let file = tempfile::NamedTempFile::new().expect("failed to make a file");
        let text = "{\"id\":\"a\",\"outcome\":\"done\"}\n{\"id\":\"b\",\"outcome\":\"failed\"}\n{\"id\":\"c\",\"outc";
        std::fs::write(file.path(), text).expect("failed to write");
        assert_eq!(finished(file.path()), Ok(HashSet::from(["a".to_owned()])));
        let left = std::fs::read_to_string(file.path()).expect("it exists");
        assert_eq!(left.lines().count(), 2);
        assert!(left.ends_with("\"failed\"}\n"));
        std::fs::write(file.path(), "[1]\n").expect("failed to write");
        assert!(finished(file.path()).expect_err("it has no id").contains("line 1 has no id"));
        assert_eq!(finished(Path::new("/no/such/file")), Ok(HashSet::new()));
    }
}
