//! The format for programs: every finding with all its fields. `docs/lint.schema.json` is its schema.

use serde_json::{Value, json};

use super::{Report, json_text};
use crate::diagnostic::{Diagnostic, Level, Place};
use crate::fix::replacements;

pub(super) fn write(report: &Report<'_>) -> String {
    let findings: Vec<Value> = report.findings.iter().map(|found| finding(report, found)).collect();
    let document = json!({
        "version": 1,
        "findings": findings,
        "summary": {
            "errors": report.count(Level::Error),
            "warnings": report.count(Level::Warning),
            "fixable": report.fixable(),
        },
    });
    json_text(&document)
}

fn finding(report: &Report<'_>, found: &Diagnostic) -> Value {
    let (at, label) = &found.at;
    let labelled = |(place, label): &(Place, String)| {
        let mut value = place_of(report, *place);
        value["label"] = json!(label);
        value
    };
    let mut value = json!({
        "code": found.code.id,
        "name": found.code.name,
        "level": found.level.word(),
        "message": found.message,
        "label": label,
        "at": place_of(report, *at),
        "related": found.related.iter().map(labelled).collect::<Vec<_>>(),
        "help": found.help,
    });
    if !found.fix.is_empty() {
        let fix = replacements(report.places, found).into_iter().map(|(place, text)| {
            let mut value = place_of(report, place);
            value["text"] = json!(text);
            value
        });
        value["fix"] = fix.collect();
    }
    value
}

fn place_of(report: &Report<'_>, place: Place) -> Value {
    let (path, [start, end]) = report.locate(place);
    json!({
        "file": path,
        "pointer": report.places.pointer(place),
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
    })
}
