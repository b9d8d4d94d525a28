//! Damaged front matters in files: `skill/tests/corpus/front_matter/`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use base64::Engine as _;
use serde::Deserialize;
use toolc_skill::{Code, Note, Reading, Severity, Strictness, Value, read};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    #[expect(dead_code, reason = "for people")]
    why: String,
    folder: String,
    text: Option<String>,
    base64: Option<String>,
    parts: Option<Vec<Part>>,
    expect: Expect,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Part {
    Text(String),
    Repeat { repeat: Repeat },
}

#[derive(Deserialize)]
struct Repeat {
    text: String,
    count: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    outcome: Outcome,
    name: Option<String>,
    description: Option<String>,
    allowed_tools: Option<Vec<String>>,
    license: Option<String>,
    compatibility: Option<String>,
    metadata: Option<BTreeMap<String, String>>,
    #[serde(default)]
    note: Vec<ExpectedNote>,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Read,
    Refused,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedNote {
    line: usize,
    about: String,
}

impl Case {
    fn bytes(&self) -> Vec<u8> {
        let text = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Repeat { repeat } => repeat.text.repeat(repeat.count),
        };
        match (&self.text, &self.base64, &self.parts) {
            (Some(text), None, None) => text.clone().into_bytes(),
            (None, Some(base64), None) => base64::engine::general_purpose::STANDARD.decode(base64).expect("base64"),
            (None, None, Some(parts)) => parts.iter().map(text).collect::<String>().into_bytes(),
            _ => panic!("expected one of `text`, `base64` and `parts`"),
        }
    }

    /// Returns what differs from the expectation.
    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let notes = match read(&self.bytes(), Some(&self.folder), Strictness::Use) {
            Ok(_) if self.expect.outcome == Outcome::Refused => return vec!["it is read".into()],
            Ok(reading) => {
                self.values(&reading, &mut faults);
                reading.notes
            }
            Err(unreadable) if self.expect.outcome == Outcome::Read => {
                return vec![format!("it is refused: {unreadable}")];
            }
            Err(unreadable) => unreadable.notes,
        };
        // Further notes with the code of an expected one are about the same fault, such as the end of a code fence.
        let is_expected = |note: &Note| self.expect.note.iter().any(|expected| expected.line == note.line);
        let codes: BTreeSet<Code> = notes.iter().filter(|note| is_expected(note)).map(|note| note.code).collect();
        let expected: BTreeSet<usize> = self.expect.note.iter().map(|note| note.line).collect();
        let lines: BTreeSet<usize> = notes.iter().map(|note| note.line).collect();
        for note in self.expect.note.iter().filter(|note| !lines.contains(&note.line)) {
            faults.push(format!("line {} has no note about: {}", note.line, note.about));
        }
        for note in notes.iter().filter(|note| {
            note.severity > Severity::Hint && !expected.contains(&note.line) && !codes.contains(&note.code)
        }) {
            faults.push(format!("unexpected: {note}"));
        }
        faults
    }

    fn values(&self, reading: &Reading, faults: &mut Vec<String>) {
        let (expected, found) = (&self.expect, &reading.front_matter);
        let mut compare = |key: &str, expected: Option<&str>, found: Option<&str>| {
            if expected.is_some() && expected != found {
                faults.push(format!("{key}: expected {expected:?}, read {found:?}"));
            }
        };
        compare("name", expected.name.as_deref(), Some(found.written_name.as_ref().unwrap_or(&found.name)));
        compare("description", expected.description.as_deref(), Some(&found.description));
        compare("license", expected.license.as_deref(), found.license.as_deref());
        compare("compatibility", expected.compatibility.as_deref(), found.compatibility.as_deref());
        let tools = |tools: &[String]| format!("{tools:?}");
        let expected_tools = expected.allowed_tools.as_deref().map(tools);
        compare("allowed-tools", expected_tools.as_deref(), Some(&tools(&found.allowed_tools)));
        for (key, text) in expected.metadata.iter().flatten() {
            let value =
                found.metadata.get(key).map(|value| value.as_text().map_or_else(|| value.to_string(), str::to_owned));
            compare(key, Some(text), value.as_deref());
        }
        if let (Some(expected), Value::Map(pairs)) = (&expected.metadata, &found.metadata)
            && let texts = pairs.iter().filter(|(_, value)| !matches!(value, Value::List(_) | Value::Map(_))).count()
            && expected.len() != texts
        {
            faults.push(format!("metadata: expected {} texts, read {texts}", expected.len()));
        }
    }
}

/// Cases that this reader reads although the corpus asks for less: it decodes UTF-16 with a byte order mark.
const READ_NEVERTHELESS: &[&str] = &["utf-16"];

/// Returns the cases by the names of their files.
fn cases() -> BTreeMap<String, Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/front_matter");
    let mut cases = BTreeMap::new();
    for entry in fs::read_dir(&folder).expect("the corpus") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let text = fs::read_to_string(&path).expect("a case");
            let case = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            cases.insert(path.file_stem().unwrap().to_string_lossy().into_owned(), case);
        }
    }
    cases
}

#[test]
fn damaged_front_matters_are_read_or_reported_with_the_right_line() {
    let cases = cases();
    assert!(cases.keys().filter(|name| name.starts_with("own-")).count() >= 5);
    let mut report = String::new();
    for (name, case) in cases.iter().filter(|(name, _)| !READ_NEVERTHELESS.contains(&name.as_str())) {
        let faults = case.faults();
        if !faults.is_empty() {
            report.push_str(&format!("{name}:\n    {}\n", faults.join("\n    ")));
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

#[test]
fn fixes_of_damaged_front_matters_keep_what_was_read() {
    for (name, case) in cases() {
        let bytes = case.bytes();
        if let Ok(reading) = read(&bytes, Some(&case.folder), Strictness::Use) {
            super::front_matter::assert_fixed(&reading, &case.folder, &name);
        }
    }
}
