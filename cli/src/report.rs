//! `doctor` and `why`: reports for people, or as one line of JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;

use serde_json::{Map, Value, json};
use toolc::explain::{Denial, Diagnosis, Explanation, Status};
use toolc::{Registry, ToJson, Turn};

use crate::failure::Failure;
use crate::streams::{Streams, visible};

/// A section that a host adds to the report of `doctor`, for example about its plugins, or to the explanation of `why`.
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

/// Returns a section about the tool with this name.
pub(crate) type ExplainTool = Box<dyn Fn(&str) -> DoctorSection + Send + Sync>;

/// What reports say about the host.
#[derive(Clone, Copy)]
pub(crate) struct HostInfo<'a> {
    pub(crate) registry: &'a Registry,
    pub(crate) sections: &'a [DoctorSection],
    pub(crate) why_sections: &'a [ExplainTool],
    /// The command line that enables a toolset or a tool for all sessions.
    pub(crate) switch: Option<&'a str>,
    /// The tools that may be hidden.
    pub(crate) optional: &'a [String],
}

/// Prints the report about all granted tools, and names the others. Returns whether all granted tools are available, apart from optional
/// ones, and no section has a problem.
pub(crate) fn doctor(turn: &Turn, host: &HostInfo<'_>, as_json: bool, out: &mut dyn io::Write) -> io::Result<bool> {
    let (doctor, sections) = (turn.doctor(), host.sections);
    let off = tools_that_are_off(turn, host);
    if as_json {
        let mut report: Map<String, Value> = serde_json::from_str(&json(&doctor))?;
        report.insert("off".to_owned(), json!(off));
        report.extend(sections.iter().map(|section| (section.key.clone(), section.json.clone())));
        writeln!(out, "{}", Value::Object(report))?;
    } else {
        writeln!(out, "{doctor}")?;
        if !off.is_empty() {
            writeln!(out, "\n{}", off_text(&off, host))?;
        }
        for section in sections.iter().filter(|section| !section.text.is_empty()) {
            writeln!(out, "\n{}", visible(&section.text))?;
        }
    }
    let is_fine = |tool: &Diagnosis| tool.is_shown || host.optional.iter().any(|name| *name == *tool.tool);
    Ok(doctor.tools.iter().all(is_fine) && sections.iter().all(|section| section.problems.is_empty()))
}

/// Returns the tools that the session does not grant, by their home toolsets.
fn tools_that_are_off(turn: &Turn, host: &HostInfo<'_>) -> BTreeMap<String, Vec<String>> {
    let mut off: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for explanation in host.registry.tools().iter().filter_map(|tool| turn.why(tool).ok()).filter(is_off) {
        off.entry(explanation.toolset.into_owned()).or_default().push(explanation.tool.into_owned());
    }
    off
}

fn off_text(off: &BTreeMap<String, Vec<String>>, host: &HostInfo<'_>) -> String {
    let mut text = "off: tools that this session does not have".to_owned();
    for (toolset, tools) in off {
        let _ = write!(text, "\n    {toolset}: {}", tools.join(", "));
    }
    text + "\n    " + &ways_to_enable(host, "--enable", "TOOLSET")
}

/// Prints why a tool is shown or hidden. Returns whether it is shown.
pub(crate) fn why(
    turn: &Turn,
    host: &HostInfo<'_>,
    tool: &str,
    as_json: bool,
    streams: &mut Streams<'_>,
) -> Result<bool, Failure> {
    let explanation = turn.why(tool).map_err(|unknown| unknown.to_string())?;
    let sections = host.why_sections.iter().map(|explain| explain(&explanation.tool));
    if as_json {
        let mut report: Map<String, Value> = serde_json::from_str(&json(&explanation)).map_err(io::Error::from)?;
        report.extend(sections.map(|section| (section.key, section.json)));
        writeln!(streams.out, "{}", Value::Object(report))?;
    } else {
        writeln!(streams.out, "{explanation}")?;
        if let Some(advice) = how_to_enable(&explanation, host) {
            writeln!(streams.out, "    {advice}")?;
        }
        for section in sections.filter(|section| !section.text.is_empty()) {
            writeln!(streams.out, "\n{}", visible(&section.text))?;
        }
    }
    Ok(explanation.status == Status::Shown)
}

/// Warns about a call of a tool that exists, but is off. Without this note, the error that a model gets would look like a wrong name.
pub(crate) fn note_if_off(turn: &Turn, host: &HostInfo<'_>, tool: &str, streams: &mut Streams<'_>) -> io::Result<()> {
    let Ok(explanation) = turn.why(tool) else { return Ok(()) };
    match how_to_enable(&explanation, host) {
        Some(advice) => writeln!(streams.err, "note: `{}` is off; {advice}", explanation.tool),
        None => Ok(()),
    }
}

/// Says how a person enables a tool that is off. Returns `None` for a tool that is on, or if there is no way.
fn how_to_enable(explanation: &Explanation, host: &HostInfo<'_>) -> Option<String> {
    match explanation.status {
        Status::NotGranted if explanation.granting_toolsets.contains(&explanation.toolset) => {
            Some(ways_to_enable(host, "--enable", &explanation.toolset))
        }
        Status::NotGranted => Some(ways_to_enable(host, "--enable-tools", &explanation.tool)),
        Status::Disabled => {
            let denied = explanation.denials.iter().find_map(|denial| match denial {
                Denial::Tool => Some(&explanation.tool),
                Denial::Disabled(path) => path.first(),
                _ => None,
            });
            let (denied, switch) = (denied?, host.switch?);
            Some(format!("to switch it on again, run `{switch} {denied}`"))
        }
        _ => None,
    }
}

/// Says how a person enables a toolset or a tool.
fn ways_to_enable(host: &HostInfo<'_>, option: &str, name: &str) -> String {
    let once = format!("to enable it for one command, use `{option} {name}`");
    match host.switch {
        Some(switch) => format!("{once}; to always enable it, run `{switch} {name}`"),
        None => once,
    }
}

fn is_off(explanation: &Explanation) -> bool {
    matches!(explanation.status, Status::NotGranted | Status::Disabled)
}

fn json(report: &impl ToJson) -> String {
    let mut json = String::new();
    report.to_json(&mut json);
    json
}
