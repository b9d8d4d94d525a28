//! The format for code scanning: SARIF 2.1.0 (OASIS).

use serde_json::{Value, json};

use super::base::Base;
use super::{Report, json_text, text};
use crate::diagnostic::{Code, Diagnostic, Level, Place};
use crate::fix::replacements;
use crate::lint::docs_page;

/// The name of the folder that paths are relative to, as GitHub expects it.
const BASE_ID: &str = "%SRCROOT%";

/// The repository of this project, which has the page that describes all rules. Empty as long as it is not public.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

pub(super) fn write(report: &Report<'_>) -> String {
    let mut rules: Vec<Code> = report.findings.iter().map(|found| found.code).collect();
    rules.sort_by_key(|code| code.id);
    rules.dedup();
    let document = Document { report, base: Base::new(report.places.sources), rules: &rules };
    let results: Vec<Value> = report.findings.iter().map(|found| document.result(found)).collect();
    let mut run = json!({
            "tool": {
                "driver": {
                    "name": "toolc",
                    "version": env!("CARGO_PKG_VERSION"),
                    "rules": rules.iter().map(|code| rule(*code, REPOSITORY)).collect::<Vec<_>>(),
                },
            },
            "columnKind": "unicodeCodePoints",
            "results": results,
    });
    if let Some(folder) = document.base.folder() {
        run["originalUriBaseIds"] = json!({ BASE_ID: { "uri": uri(&format!("{folder}/")) } });
    }
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    });
    json_text(&document)
}

/// Describes a rule. `repository` is the address of the repository, or empty.
fn rule(code: Code, repository: &str) -> Value {
    let docs = code.docs();
    let mut rule = json!({
        "id": code.id,
        "name": code.name,
        "shortDescription": { "text": first_sentence(&one_line(&docs.what)) },
        "fullDescription": { "text": one_line(&format!("{} {}", docs.what, docs.section("Why is this bad"))) },
        "help": { "text": code.markdown(), "markdown": code.markdown() },
        "defaultConfiguration": { "level": code.level.map_or("none", Level::word) },
    });
    if !repository.is_empty() {
        rule["helpUri"] = json!(format!("{repository}/blob/main/docs/{}", docs_page::link(code)));
    }
    rule
}

/// Joins the lines of a text.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}

/// The document and what its parts need.
struct Document<'d, 'r> {
    report: &'d Report<'r>,
    base: Base<'r>,
    rules: &'d [Code],
}

impl Document<'_, '_> {
    fn result(&self, found: &Diagnostic) -> Value {
        let related = |(index, (place, label)): (usize, &(Place, String))| {
            let mut location = self.location(*place);
            location["id"] = json!(index + 1);
            location["message"] = json!({ "text": label });
            location
        };
        let path = &self.report.places.sources.get(found.at.0.source).path;
        let mut result = json!({
            "ruleId": found.code.id,
            "ruleIndex": self.rules.iter().position(|code| *code == found.code),
            "level": found.level.word(),
            "message": { "text": text(found) },
            "locations": [self.location(found.at.0)],
            "partialFingerprints": {
                "place/v1": format!("{} {path}#{}", found.code.id, self.report.places.pointer(found.at.0)),
            },
        });
        if !found.related.is_empty() {
            result["relatedLocations"] = found.related.iter().enumerate().map(related).collect();
        }
        if !found.fix.is_empty() {
            let change = |(place, text): (Place, String)| {
                json!({
                    "artifactLocation": self.artifact(place),
                    "replacements": [{ "deletedRegion": self.region(place), "insertedContent": { "text": text } }],
                })
            };
            let changes: Vec<Value> = replacements(self.report.places, found).into_iter().map(change).collect();
            let description = found.help.first().map_or("apply the fix", String::as_str);
            result["fixes"] = json!([{ "description": { "text": description }, "artifactChanges": changes }]);
        }
        result
    }

    fn location(&self, place: Place) -> Value {
        let pointer = self.report.places.pointer(place);
        json!({
            "physicalLocation": { "artifactLocation": self.artifact(place), "region": self.region(place) },
            "logicalLocations": [{ "fullyQualifiedName": pointer, "kind": "member" }],
        })
    }

    fn artifact(&self, place: Place) -> Value {
        let uri = uri(&self.base.path(place.source));
        match self.base.folder() {
            Some(_) => json!({ "uri": uri, "uriBaseId": BASE_ID }),
            None => json!({ "uri": uri }),
        }
    }

    fn region(&self, place: Place) -> Value {
        let [start, end] = self.report.places.positions(place);
        json!({
            "startLine": start.line,
            "startColumn": start.column,
            "endLine": end.line,
            "endColumn": end.column,
        })
    }
}

/// Converts a path to a URI: a relative one, or an absolute one with the scheme `file`.
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
    use crate::lint::{all_codes, docs_page};

    /// GitHub shows the short description in its list of alerts, and allows 1,024 characters for both.
    #[test]
    fn the_short_description_of_a_rule_is_one_sentence_of_the_full_one() {
        for code in all_codes() {
            let rule = rule(code, "");
            let [short, full] = ["shortDescription", "fullDescription"].map(|key| rule[key]["text"].as_str().unwrap());
            assert!(short.chars().count() <= 255 && full.chars().count() <= 1_024, "{code}: {short}\n{full}");
            assert!(full.starts_with(short) && !full.contains('\n'), "{code}: {short}\n{full}");
        }
    }

    #[test]
    fn the_help_of_a_rule_is_its_section_in_the_documentation() {
        let pages = docs_page::pages();
        for code in all_codes() {
            let uri = rule(code, "https://example.org/toolc")["helpUri"].as_str().unwrap().to_owned();
            let (page, anchor) = uri.split_once('#').unwrap();
            let page = page.strip_prefix("https://example.org/toolc/blob/main/").unwrap();
            assert!(pages.iter().any(|(path, text)| path == page && text.contains(&code.markdown())), "{code}: {page}");
            // As GitHub makes anchors of headings.
            let heading = code.markdown().lines().next().unwrap().trim_start_matches('#').trim().to_lowercase();
            assert_eq!(anchor, heading.replace('`', "").replace(' ', "-"));
        }
        assert!(rule(all_codes().next().unwrap(), "").get("helpUri").is_none());
    }

    #[test]
    fn paths_are_uris() {
        assert_eq!(uri("manifests/tools/a b.toml"), "manifests/tools/a%20b.toml");
        assert_eq!(uri("/srv/é/x.toml"), "file:///srv/%C3%A9/x.toml");
        assert_eq!(uri("C:\\x\\y.toml"), "file:///C:/x/y.toml");
    }
}
