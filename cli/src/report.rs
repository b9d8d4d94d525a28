//! `doctor` and `why`: reports for people, or as one line of JSON.

use std::io;

use serde_json::{Map, Value};
use toolc::explain::Status;
use toolc::{ToJson, Turn};

use crate::failure::Failure;
use crate::streams::Streams;

/// A section that a host adds to the report of `doctor`, for example about its plugins.
#[derive(Debug, Clone)]
pub struct DoctorSection {
    /// The key of the section in the JSON of the report.
    pub key: String,
    /// The section in the JSON of the report.
    pub json: Value,
    /// The section for people. May be empty.
    pub text: String,
    /// The problems. If there are any, the exit status of `doctor` is 1, and the other commands print them as warnings.
    pub problems: Vec<String>,
}

/// Prints the report about all granted tools. Returns whether all are available, and no section has a problem.
pub(crate) fn doctor(
    turn: &Turn,
    sections: &[DoctorSection],
    as_json: bool,
    streams: &mut Streams<'_>,
) -> io::Result<bool> {
    let doctor = turn.doctor();
    if as_json {
        let mut report: Map<String, Value> = serde_json::from_str(&json(&doctor))?;
        report.extend(sections.iter().map(|section| (section.key.clone(), section.json.clone())));
        writeln!(streams.out, "{}", Value::Object(report))?;
    } else {
        writeln!(streams.out, "{doctor}")?;
        for section in sections.iter().filter(|section| !section.text.is_empty()) {
            writeln!(streams.out, "\n{}", section.text)?;
        }
    }
    Ok(doctor.tools.iter().all(|tool| tool.is_shown) && sections.iter().all(|section| section.problems.is_empty()))
}

/// Prints why a tool is shown or hidden. Returns whether it is shown.
pub(crate) fn why(turn: &Turn, tool: &str, as_json: bool, streams: &mut Streams<'_>) -> Result<bool, Failure> {
    let explanation = turn.why(tool).map_err(|unknown| unknown.to_string())?;
    if as_json {
        writeln!(streams.out, "{}", json(&explanation))?;
    } else {
        writeln!(streams.out, "{explanation}")?;
    }
    Ok(explanation.status == Status::Shown)
}

fn json(report: &impl ToJson) -> String {
    let mut json = String::new();
    report.to_json(&mut json);
    json
}
