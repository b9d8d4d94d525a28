//! The files of the leaderboard.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use toolc_test_support::packages;

const PACKAGE: &str = "bfcl-eval==2026.3.23\n";

/// A question of the leaderboard, or the answers to it.
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) content: Value,
}

/// The questions that have definitions of functions, and the accepted answers to some of them.
pub(super) struct Data {
    pub(super) questions: Vec<Entry>,
    /// A list of calls for each question, by the id of the question.
    pub(super) answers: BTreeMap<String, Vec<Value>>,
}

impl Data {
    /// Downloads the data. Prints why it is skipped if that is not possible.
    pub(super) fn download() -> Option<Self> {
        let folder = packages::pypi("bfcl", PACKAGE);
        let folder = folder.map_err(|why| packages::missing("no data of BFCL", &why)).ok()?;
        let folder = folder.join("bfcl_eval/data");
        let mut questions = entries(&folder);
        questions.retain(|entry| entry.content.get("function").is_some());
        let answers = entries(&folder.join("possible_answer")).into_iter().filter_map(|Entry { id, mut content }| {
            let calls = content["ground_truth"].as_array_mut().map(std::mem::take)?;
            // Conversations have lists of calls as text of Python.
            calls.iter().all(Value::is_object).then_some((id, calls))
        });
        Some(Self { questions, answers: answers.collect() })
    }

    /// Returns all definitions. Equal ones occur many times.
    pub(super) fn definitions(&self) -> impl Iterator<Item = &Value> {
        self.questions.iter().flat_map(|question| definitions(&question.content))
    }
}

/// Returns the definitions of a question.
pub(super) fn definitions(question: &Value) -> &[Value] {
    question["function"].as_array().map_or(&[], Vec::as_slice)
}

fn entries(folder: &Path) -> Vec<Entry> {
    let paths =
        fs::read_dir(folder).expect("the package has the folder").map(|entry| entry.expect("it is readable").path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("it is readable");
        // One file is an index of others, and has no entry a line.
        let lines: Result<Vec<Value>, _> = text.lines().map(serde_json::from_str).collect();
        lines.unwrap_or_default()
    };
    let entry = |content: Value| Some(Entry { id: content["id"].as_str()?.to_owned(), content });
    paths.into_iter().flat_map(read).filter_map(entry).collect()
}
