//! The baseline: known findings, which are not reported. They are identified by code, manifest and JSON Pointer, so that an
//! entry still matches when lines move or messages change.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::ops::Range;

use serde_json::{Value, json};

use crate::diagnostic::{At, Code, Diagnostic, Place, Places, Sink, SourceId};
use crate::lint::codes;
use crate::source::Sources;

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

    /// Returns the baseline without the entries that one of these findings reports as unused, and their number.
    ///
    /// # Errors
    /// If the text is not a baseline.
    pub fn pruned(text: &str, sources: &Sources, found: &[Diagnostic]) -> Result<(Self, usize), InvalidBaseline> {
        let entries = read(text)?;
        let is_unused = |span: &Range<usize>| {
            let mut unused = found.iter().filter(|found| found.code == codes::UNUSED_BASELINE_ENTRY);
            unused.any(|found| sources.is_other(found.at.0.source) && found.at.0.span() == *span)
        };
        let (removed, kept): (Vec<_>, Vec<_>) = entries.into_iter().partition(|(span, _)| is_unused(span));
        Ok((Self(kept.into_iter().map(|(_, entry)| entry).collect()), removed.len()))
    }
}

/// An entry with its place in the text.
type Entry = (Range<usize>, [String; 3]);

/// Why a text is not a baseline.
#[derive(Debug)]
pub struct InvalidBaseline {
    offset: usize,
    problem: BaselineProblem,
}

#[derive(Debug)]
enum BaselineProblem {
    Json(serde_json::Error),
    Version(Value),
    NoFindings,
    Entry,
}

impl InvalidBaseline {
    /// Returns where the problem is: the offset of a byte in the text.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl fmt::Display for InvalidBaseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            BaselineProblem::Json(error) => write!(f, "not JSON: {error}"),
            BaselineProblem::Version(version) => write!(f, "the version is {version}, expected 1"),
            BaselineProblem::NoFindings => f.write_str("an array `findings` is missing"),
            BaselineProblem::Entry => f.write_str("an entry needs the strings `code`, `manifest` and `pointer`"),
        }
    }
}

impl Error for InvalidBaseline {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.problem {
            BaselineProblem::Json(error) => Some(error),
            BaselineProblem::Version(_) | BaselineProblem::NoFindings | BaselineProblem::Entry => None,
        }
    }
}

/// Reads the entries of a baseline.
fn read(text: &str) -> Result<Vec<Entry>, InvalidBaseline> {
    let at = |offset, problem| InvalidBaseline { offset, problem };
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let line = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
        at(line + error.column().saturating_sub(1), BaselineProblem::Json(error))
    })?;
    if value["version"] != 1 {
        return Err(at(0, BaselineProblem::Version(value["version"].clone())));
    }
    let findings = value["findings"].as_array().ok_or_else(|| at(0, BaselineProblem::NoFindings))?;
    let mut places = objects(text);
    if places.len() != findings.len() {
        places = vec![0..0; findings.len()];
    }
    let entry = |(place, value): (Range<usize>, &Value)| {
        let text = |key| value[key].as_str().map(str::to_owned);
        let keys = || Some([text("code")?, text("manifest")?, text("pointer")?]);
        keys().ok_or_else(|| at(place.start, BaselineProblem::Entry)).map(|keys| (place.clone(), keys))
    };
    places.into_iter().zip(findings).map(entry).collect()
}

/// Returns the places of the objects in the arrays of an object.
fn objects(text: &str) -> Vec<Range<usize>> {
    const DEPTH: usize = 3;
    let (mut found, mut depth, mut start, mut is_string, mut is_escaped) = (Vec::new(), 0_usize, 0, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            _ if is_string => {}
            b'{' | b'[' => {
                depth += 1;
                if depth == DEPTH {
                    start = at;
                }
            }
            b'}' | b']' => {
                if depth == DEPTH {
                    found.push(start..at + 1);
                }
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
    }
    found
}

fn fingerprint(found: &Diagnostic, places: &Places<'_>) -> [String; 3] {
    let (place, _) = found.at;
    [found.code.id.to_owned(), places.sources.get(place.source).path.clone(), places.pointer(place)]
}

/// Removes the findings that are in the project's baseline, and reports entries that match none. `rules` are the enabled
/// rules.
pub(super) fn apply(file: &At<String>, places: &Places<'_>, rules: &[Code], sink: &Sink) {
    let help = format!("write it with `lint --write-baseline {}`", file.value);
    let failed = |place, why: &dyn fmt::Display| {
        let message = format!("failed to read the baseline `{}`: {why}", file.value);
        Diagnostic::new(codes::INVALID_VALUE, place, message).help(help.clone())
    };
    let (id, text) = match places.sources.other_file(&file.value) {
        Ok(other) => other,
        Err(error) => return sink.push(failed(file.place, &error)),
    };
    let entries = match read(text) {
        Ok(entries) => entries,
        Err(error @ InvalidBaseline { offset: at, .. }) => {
            return sink.push(failed(Place::new(id, at..at), &error).related(file.place, "named here"));
        }
    };
    let known: BTreeSet<&[String; 3]> = entries.iter().map(|(_, entry)| entry).collect();
    let mut seen = BTreeSet::new();
    let mut broken: BTreeSet<SourceId> = BTreeSet::new();
    sink.retain(|found| {
        if found.code.is_fixed() {
            broken.insert(found.at.0.source);
            return true;
        }
        let fingerprint = fingerprint(found, places);
        let is_known = known.contains(&fingerprint);
        if is_known {
            seen.insert(fingerprint);
        }
        !is_known
    });
    // What rules would find in a file with errors is not known.
    let broken: BTreeSet<&str> = broken.into_iter().map(|id| places.sources.get(id).path.as_str()).collect();
    let mut reported = BTreeSet::new();
    for (span, entry) in entries.iter().filter(|(_, entry)| !seen.contains(entry)) {
        let [code, manifest, pointer] = entry;
        let found = |message| Diagnostic::new(codes::UNUSED_BASELINE_ENTRY, Place::new(id, span.clone()), message);
        let found = match super::all_codes().find(|known| known.id == code) {
            None => {
                let codes: Vec<&str> = super::all_codes().map(|code| code.id).collect();
                let found = found(format!("unknown rule `{code}` in the baseline"));
                if codes.iter().any(|known| known.eq_ignore_ascii_case(code)) {
                    found.help(format!("write `{}`", code.to_uppercase()))
                } else {
                    found
                }
            }
            Some(rule) if rule.is_fixed() => {
                found(format!("`{}` is always an error and cannot be in a baseline", rule.name))
            }
            // A rule that did not run cannot prove its entry unused.
            Some(rule) if !rules.contains(&rule) || broken.contains(manifest.as_str()) => continue,
            Some(_) if !reported.insert(entry) => continue,
            Some(_) => {
                found(format!("a finding of the baseline no longer exists: {code} at {manifest}{}", at(pointer)))
            }
        };
        sink.push(found.help("remove the entry, or run `lint --prune-baseline`").related(file.place, "the baseline"));
    }
}

fn at(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!(" {pointer}") }
}
