//! The format for code scanning: SARIF 2.1.0 (OASIS).

use serde_json::{Value, json};

use super::{Report, text};
use crate::diagnostic::{Code, Diagnostic, Level, Place};
use crate::fix::replacements;

pub(super) fn write(report: &Report<'_>) -> String {
    let mut rules: Vec<Code> = report.findings.iter().map(|found| found.code).collect();
    rules.sort_by_key(|code| code.id);
    rules.dedup();
    let results: Vec<Value> = report.findings.iter().map(|found| result(report, &rules, found)).collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "toolc",
                    "version": env!("CARGO_PKG_VERSION"),
                    "rules": rules.iter().map(|code| rule(*code)).collect::<Vec<_>>(),
                },
            },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{document:#}\n")
}

fn rule(code: Code) -> Value {
    let docs = code.docs();
    json!({
        "id": code.id,
        "name": code.name,
        "shortDescription": { "text": first_sentence(&one_line(&docs.what)) },
        "fullDescription": { "text": one_line(&format!("{} {}", docs.what, docs.section("Why is this bad"))) },
        "help": { "text": code.markdown(), "markdown": code.markdown() },
        "defaultConfiguration": { "level": code.level.map_or("none", Level::word) },
    })
}

/// Joins the lines of a text.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}

fn result(report: &Report<'_>, rules: &[Code], found: &Diagnostic) -> Value {
    let related = |(index, (place, label)): (usize, &(Place, String))| {
        let mut location = location(report, *place);
        location["id"] = json!(index + 1);
        location["message"] = json!({ "text": label });
        location
    };
    let path = &report.places.sources.get(found.at.0.source).path;
    let mut result = json!({
        "ruleId": found.code.id,
        "ruleIndex": rules.iter().position(|code| *code == found.code),
        "level": found.level.word(),
        "message": { "text": text(found) },
        "locations": [location(report, found.at.0)],
        "partialFingerprints": {
            "place/v1": format!("{} {path}#{}", found.code.id, report.places.pointer(found.at.0)),
        },
    });
    if !found.related.is_empty() {
        result["relatedLocations"] = found.related.iter().enumerate().map(related).collect();
    }
    if !found.fix.is_empty() {
        let change = |(place, text): (Place, String)| {
            json!({
                "artifactLocation": artifact(report, place),
                "replacements": [{ "deletedRegion": region(report, place), "insertedContent": { "text": text } }],
            })
        };
        let changes: Vec<Value> = replacements(report.places, found).into_iter().map(change).collect();
        let description = found.help.first().map_or("apply the fix", String::as_str);
        result["fixes"] = json!([{ "description": { "text": description }, "artifactChanges": changes }]);
    }
    result
}

fn location(report: &Report<'_>, place: Place) -> Value {
    let pointer = report.places.pointer(place);
    json!({
        "physicalLocation": { "artifactLocation": artifact(report, place), "region": region(report, place) },
        "logicalLocations": [{ "fullyQualifiedName": pointer, "kind": "member" }],
    })
}

fn artifact(report: &Report<'_>, place: Place) -> Value {
    json!({ "uri": uri(&report.places.sources.display(place.source)) })
}

fn region(report: &Report<'_>, place: Place) -> Value {
    let [start, end] = report.places.positions(place);
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    })
}

/// Converts a path to a URI: relative to the current folder, or absolute with the scheme `file`.
fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let scheme = if path.starts_with('/') {
        "file://"
    } else if path.get(1..3) == Some(":/") {
        "file:///"
    } else {
        ""
    };
    let mut uri = scheme.to_owned();
    for byte in path.bytes() {
        let is_unreserved = byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
        // The colon of a Windows drive. In a relative reference it would end a scheme.
        if is_unreserved || (byte == b':' && !scheme.is_empty()) {
            uri.push(char::from(byte));
        } else {
            uri += &format!("%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::{rule, uri};
    use crate::lint::codes;

    /// GitHub shows the short description in its list of alerts, and allows 1,024 characters for both.
    #[test]
    fn the_short_description_of_a_rule_is_one_sentence_of_the_full_one() {
        for code in codes() {
            let rule = rule(code);
            let [short, full] = ["shortDescription", "fullDescription"].map(|key| rule[key]["text"].as_str().unwrap());
            assert!(short.chars().count() <= 255 && full.chars().count() <= 1_024, "{code}: {short}\n{full}");
            assert!(full.starts_with(short) && !full.contains('\n'), "{code}: {short}\n{full}");
        }
    }

    #[test]
    fn paths_are_uris() {
        assert_eq!(uri("manifests/tools/a b.toml"), "manifests/tools/a%20b.toml");
        assert_eq!(uri("/srv/é/x.toml"), "file:///srv/%C3%A9/x.toml");
        assert_eq!(uri("C:\\x\\y.toml"), "file:///C:/x/y.toml");
    }
}
