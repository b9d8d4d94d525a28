//! The baseline: known findings, which are not reported. They are identified by code, manifest and JSON Pointer, so that an
//! entry still matches when lines move or messages change.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::diagnostic::{At, Code, Diagnostic, Places, Sink};

/// Known findings, as code, manifest and pointer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Baseline(BTreeSet<[String; 3]>);

impl Baseline {
    /// Creates the baseline of these findings, except those with a fixed level, which cannot be ignored.
    pub fn new(found: &[Diagnostic], places: &Places<'_>) -> Self {
        Self(found.iter().filter(|found| !found.code.is_fixed()).map(|found| fingerprint(found, places)).collect())
    }

    /// Returns the number of findings.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no findings.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the text of the file, with one finding per line.
    pub fn text(&self) -> String {
        let entry = |[code, manifest, pointer]: &[String; 3]| {
            format!("    {}", json!({ "code": code, "manifest": manifest, "pointer": pointer }))
        };
        let entries: Vec<String> = self.0.iter().map(entry).collect();
        match entries.as_slice() {
            [] => "{\n  \"version\": 1,\n  \"findings\": []\n}\n".to_owned(),
            all => format!("{{\n  \"version\": 1,\n  \"findings\": [\n{}\n  ]\n}}\n", all.join(",\n")),
        }
    }

    fn read(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if value["version"] != 1 {
            return Err(format!("its version is {}, expected 1", value["version"]));
        }
        let entry = |value: &Value| {
            let text = |key| value[key].as_str().map(str::to_owned);
            Some([text("code")?, text("manifest")?, text("pointer")?])
        };
        let findings = value["findings"].as_array().ok_or("it has no array `findings`")?;
        let entries = findings.iter().map(|value| entry(value).ok_or_else(|| format!("invalid entry: {value}")));
        entries.collect::<Result<_, String>>().map(Self)
    }
}

fn fingerprint(found: &Diagnostic, places: &Places<'_>) -> [String; 3] {
    let (place, _) = found.at;
    [found.code.id.to_owned(), places.sources.get(place.source).path.clone(), places.pointer(place)]
}

/// Removes the findings that are in the project's baseline, and reports entries that match none. `rules` are the enabled
/// rules.
pub(super) fn apply(file: &At<String>, places: &Places<'_>, rules: &[Code], sink: &Sink) {
    let failed = |why: String| {
        let message = format!("failed to read the baseline `{}`: {why}", file.value);
        let help = format!("update it with `lint --write-baseline {}`", file.value);
        sink.push(Diagnostic::new(Code::INVALID_VALUE, file.place, message).help(help));
    };
    let text = match places.sources.other_file(&file.value) {
        Ok(text) => text,
        Err(error) => return failed(error),
    };
    let known = match Baseline::read(&text) {
        Ok(known) => known.0,
        Err(why) => return failed(why),
    };
    let mut seen = BTreeSet::new();
    sink.retain(|found| {
        let fingerprint = fingerprint(found, places);
        let is_known = !found.code.is_fixed() && known.contains(&fingerprint);
        if is_known {
            seen.insert(fingerprint);
        }
        !is_known
    });
    for [code, manifest, pointer] in known.difference(&seen) {
        let rule = super::find(code);
        // A rule that did not run cannot prove its entry stale.
        if rule.is_none_or(|rule| rule.is_fixed() || rules.contains(&rule)) {
            let message =
                format!("`{}` lists a finding that no longer exists: {code} at {manifest}{}", file.value, at(pointer));
            sink.push(
                Diagnostic::new(Code::UNUSED_BASELINE_ENTRY, file.place, message)
                    .help(format!("update it with `lint --write-baseline {}`", file.value)),
            );
        }
    }
}

fn at(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!(" {pointer}") }
}
