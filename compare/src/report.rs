//! The forms of a comparison: text for people, JSON, SARIF for code scanning, and Markdown for a pull request.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};
use toolc_codegen::report::plural;
use toolc_tables::visible::visible;

use crate::codes::{CODES, Level, Tier};
use crate::comparison::Comparison;
use crate::finding::{Finding, Witness};

/// The maximum number of characters of a value in the forms for people.
const MAX_VALUE: usize = 160;

/// The maximum number of findings in the form for a pull request, of which GitHub shows 65,536 characters.
const MAX_ROWS: usize = 60;

/// The text for people. With `all`, it has the changes that are only counted, too.
pub(crate) fn text(comparison: &Comparison, all: bool) -> String {
    let mut out = String::new();
    for finding in comparison.findings.iter().filter(|finding| all || finding.is_shown()) {
        let word = match finding.level {
            _ if finding.accepted.is_some() => "accepted",
            Level::Deny => "error",
            Level::Warn => "warning",
            Level::Allow => "note",
        };
        let _ = writeln!(out, "{word}[{} {}]: {}", finding.code.id, finding.code.name, visible(&finding.subject()));
        if let Some(place) = &finding.place {
            let _ = writeln!(out, "  --> {}:{}:{}", visible(&place.path), place.line, place.column);
        }
        let _ = writeln!(out, "  {}: {}", finding.code.tier, visible(&finding.reason));
        match &finding.witness {
            Witness::Value(value) => _ = writeln!(out, "  witness: {}", short(value)),
            Witness::Change(before, after) => {
                let [before, after] = excerpts(before, after);
                let _ = writeln!(out, "  before: {before}\n  after:  {after}");
            }
            Witness::None => {}
        }
        if let Some(reason) = &finding.accepted {
            let _ = writeln!(out, "  accepted: {}", visible(reason));
        }
        out.push('\n');
    }
    for note in &comparison.notes {
        let _ = writeln!(out, "note: {}", visible(note));
    }
    out + &summary(comparison) + "\n"
}

/// The last line: the numbers of findings, and the version that they ask for.
fn summary(comparison: &Comparison) -> String {
    let counts = Tier::ALL.iter().map(|tier| (tier, comparison.count(*tier))).filter(|(_, count)| *count > 0);
    let counts: Vec<String> = counts.map(|(tier, count)| format!("{count} {tier}")).collect();
    let [before, after] = comparison.tools;
    let sides = format!("{} of {}, {after} now", plural(before, "tool"), visible(&comparison.before));
    if counts.is_empty() {
        return format!("{sides}: no change");
    }
    let accepted = comparison.findings.iter().filter(|finding| finding.accepted.is_some()).count();
    let accepted = if accepted > 0 { format!(" ({accepted} accepted)") } else { String::new() };
    format!("{sides}: {}{accepted}; version: {}", counts.join(", "), comparison.bump())
}

/// All fields of all findings.
pub(crate) fn json(comparison: &Comparison) -> String {
    let tiers: BTreeMap<&str, usize> = Tier::ALL.iter().map(|tier| (tier.word(), comparison.count(*tier))).collect();
    let document = json!({
        "against": comparison.before,
        "tools": { "before": comparison.tools[0], "after": comparison.tools[1] },
        "breaks": comparison.breaks(),
        "version": comparison.bump().to_string(),
        "tiers": tiers,
        "findings": comparison.findings.iter().map(Finding::json).collect::<Vec<_>>(),
        "notes": comparison.notes,
    });
    format!("{document:#}\n")
}

/// SARIF 2.1.0. Paths are relative to the root of the repository: `prefix` is the path from there to the project.
pub(crate) fn sarif(comparison: &Comparison, prefix: &str) -> String {
    let rules: Vec<Value> = CODES
        .iter()
        .map(|code| {
            json!({
                "id": code.id,
                "name": code.name,
                "shortDescription": { "text": code.about },
                "properties": { "tags": [code.tier.word()] },
            })
        })
        .collect();
    let result = |finding: &Finding| {
        let message = format!("{}: {}{}", finding.subject(), finding.reason, proof(finding));
        let mut result = json!({
            "ruleId": finding.code.id,
            "ruleIndex": CODES.iter().position(|code| code.id == finding.code.id),
            "level": match finding.level {
                Level::Deny => "error",
                Level::Warn => "warning",
                Level::Allow => "note",
            },
            "message": { "text": message },
            "partialFingerprints": {
                "entry/v1": format!("{} {}/{}{}", finding.code.id, finding.list, finding.name, finding.at),
            },
        });
        // An entry that is gone has no place.
        let (path, line, column) = match &finding.place {
            Some(place) => (place.path.clone(), place.line, place.column),
            None => ("toolc.toml".to_owned(), 1, 1),
        };
        result["locations"] = json!([{ "physicalLocation": {
            "artifactLocation": { "uri": uri(&format!("{prefix}{path}")), "uriBaseId": "%SRCROOT%" },
            "region": { "startLine": line, "startColumn": column },
        } }]);
        if let Some(reason) = &finding.accepted {
            result["suppressions"] = json!([{ "kind": "external", "justification": reason }]);
        }
        result
    };
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "toolc breaking", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": comparison.findings.iter().map(result).collect::<Vec<_>>(),
        }],
    });
    format!("{document:#}\n")
}

fn proof(finding: &Finding) -> String {
    match &finding.witness {
        Witness::Value(value) => format!(" (witness: {})", short(value)),
        Witness::Change(before, after) => {
            let [before, after] = excerpts(before, after);
            format!(" (before: {before}; after: {after})")
        }
        Witness::None => String::new(),
    }
}

/// Encodes a relative path as a URI.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

/// A comment for a pull request.
pub(crate) fn markdown(comparison: &Comparison) -> String {
    let verdict = if comparison.breaks() { "breaks" } else { "does not break" };
    let mut out = format!("### Tools: this {verdict} what worked\n\n{}.\n", cell(&summary(comparison)));
    let (shown, others): (Vec<&Finding>, Vec<&Finding>) =
        comparison.findings.iter().partition(|found| found.is_shown());
    if !shown.is_empty() {
        out += "\n";
        out += &table(&shown);
    }
    if !others.is_empty() {
        let _ = write!(out, "\n<details><summary>{} accepted, or only words and additions</summary>\n\n", others.len());
        out += &table(&others);
        out += "\n</details>\n";
    }
    if !comparison.notes.is_empty() {
        out += "\n";
    }
    for note in &comparison.notes {
        let _ = writeln!(out, "- {}", cell(note));
    }
    out
}

fn table(findings: &[&Finding]) -> String {
    let mut out = "| change | where | why | witness |\n|---|---|---|---|\n".to_owned();
    for finding in findings.iter().take(MAX_ROWS) {
        let place = finding.place.as_ref().map(|place| format!(" ({}:{})", place.path, place.line)).unwrap_or_default();
        let witness = match &finding.witness {
            Witness::Value(value) => code(&short(value)),
            Witness::Change(before, after) => {
                let [before, after] = excerpts(before, after);
                format!("{} → {}", code(&before), code(&after))
            }
            Witness::None => String::new(),
        };
        let reason = match &finding.accepted {
            Some(accepted) => format!("{} (accepted: {accepted})", finding.reason),
            None => finding.reason.clone(),
        };
        let change = format!("{} {} ({})", finding.code.id, finding.code.name, finding.code.tier);
        let _ = writeln!(
            out,
            "| {change} | {}{} | {} | {witness} |",
            code(&finding.subject()),
            cell(&place),
            cell(&reason)
        );
    }
    if findings.len() > MAX_ROWS {
        let _ = writeln!(out, "\nand {} more", findings.len() - MAX_ROWS);
    }
    out
}

/// Escapes a text for a cell of a table. What looks like HTML or a mention stays a text.
fn cell(text: &str) -> String {
    let text = visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('|', "\\|");
    text.replace('@', "&#64;").replace(['\n', '\r'], " ")
}

/// Returns a text as code in a cell of a table.
fn code(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    format!("{fence}{pad}{}{pad}{fence}", visible(text).replace('|', "\\|").replace(['\n', '\r'], " "))
}

fn short(value: &Value) -> String {
    cut(&visible(&value.to_string()), 0)
}

/// Returns two values around the first character that differs.
fn excerpts(before: &Value, after: &Value) -> [String; 2] {
    let [before, after] = [before, after].map(|value| match value {
        Value::Null => "(none)".to_owned(),
        value => visible(&value.to_string()).into_owned(),
    });
    let same = before.chars().zip(after.chars()).take_while(|(one, two)| one == two).count();
    let is_long = before.chars().count().max(after.chars().count()) > MAX_VALUE;
    let start = if is_long { same.saturating_sub(MAX_VALUE / 4) } else { 0 };
    [cut(&before, start), cut(&after, start)]
}

fn cut(text: &str, start: usize) -> String {
    let mut out: String = text.chars().skip(start).take(MAX_VALUE).collect();
    if start > 0 {
        out.insert(0, '…');
    }
    if text.chars().count() > start + MAX_VALUE {
        out.push('…');
    }
    out
}
