//! What a scan has found, for code scanning: SARIF 2.1.0 (OASIS), in the form in which the linter writes it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolc_guard::Finding;
use toolc_skill::{Note, Severity};

use super::{MAIN, Scanned, is_serious};
use crate::sources::guard;

/// The name of the folder that paths are relative to, as GitHub expects it.
const BASE_ID: &str = "%SRCROOT%";
/// The rule for a folder that cannot be opened.
const UNREADABLE: (&str, &str) = ("unreadable", "The folder of a skill cannot be read.");

/// The results of a log, and the rules that they name.
struct Log<'l> {
    /// The folder that paths are relative to: the root of the repository, or the current directory.
    root: PathBuf,
    accepted: &'l BTreeSet<String>,
    /// The rules by their names, with a sentence and advice.
    rules: BTreeMap<&'static str, (&'static str, &'static str)>,
    results: Vec<Value>,
}

/// Returns the log of a scan, for work in a directory.
pub(super) fn log(directory: &Path, all: &[Scanned], accepted: &BTreeSet<String>) -> String {
    let current = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    let root = current.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&current).to_owned();
    let mut log = Log { root, accepted, rules: BTreeMap::new(), results: Vec::new() };
    for scanned in all {
        let folder = scanned.folder.canonicalize().unwrap_or_else(|_| current.join(&scanned.folder));
        if let Some(why) = &scanned.unreadable {
            log.add(UNREADABLE.0, (UNREADABLE.1, ""), "error", why, &log.location(&folder, "", 0, 0));
        }
        for note in &scanned.notes {
            log.note(&folder, note);
        }
        for finding in &scanned.report.findings {
            log.finding(&folder, finding, scanned.blocks(finding));
        }
    }
    let rules: Vec<Value> = log.rules.iter().map(|(name, (what, help))| rule(name, what, help)).collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "toolc", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { BASE_ID: { "uri": format!("{}/", uri(&slashes(&log.root))) } },
            "results": log.results,
        }],
    });
    format!("{document:#}\n")
}

fn rule(name: &str, what: &str, help: &str) -> Value {
    let mut rule = json!({ "id": name, "name": name, "shortDescription": { "text": what } });
    if !help.is_empty() {
        rule["help"] = json!({ "text": help });
    }
    rule
}

impl Log<'_> {
    fn note(&mut self, folder: &Path, note: &Note) {
        let level = match note.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Hint => "note",
        };
        let location = self.location(folder, MAIN, note.line, note.column);
        self.add(note.code.name(), (note.code.explanation(), ""), level, &note.message, &location);
    }

    fn finding(&mut self, folder: &Path, finding: &Finding, blocks: bool) {
        let is_accepted = self.accepted.contains(&finding.id);
        let level = match is_serious(finding) {
            true if blocks || is_accepted => "error",
            true => "warning",
            false => "note",
        };
        let location = self.location(folder, &finding.path, finding.line, finding.column);
        let code = finding.code;
        self.add(code.name(), (code.explanation(), code.help()), level, &guard::what(finding), &location);
        if let Some(result) = self.results.last_mut() {
            result["partialFingerprints"] = json!({ "finding/v1": finding.id });
            if is_accepted && finding.is_acceptable() {
                result["suppressions"] = json!([{ "kind": "external", "status": "accepted" }]);
            }
        }
    }

    fn add(
        &mut self,
        name: &'static str,
        about: (&'static str, &'static str),
        level: &str,
        message: &str,
        location: &Value,
    ) {
        self.rules.insert(name, about);
        self.results.push(json!({
            "ruleId": name,
            "level": level,
            "message": { "text": message },
            "locations": [location],
        }));
    }

    fn location(&self, folder: &Path, path: &str, line: usize, column: usize) -> Value {
        let path = folder.join(path);
        let artifact = match path.strip_prefix(&self.root) {
            Ok(relative) => json!({ "uri": uri(&slashes(relative)), "uriBaseId": BASE_ID }),
            Err(_) => json!({ "uri": uri(&slashes(&path)) }),
        };
        let mut location = json!({ "artifactLocation": artifact });
        if line > 0 {
            location["region"] = json!({ "startLine": line, "startColumn": column.max(1) });
        }
        json!({ "physicalLocation": location })
    }
}

/// Returns a path with `/` as separator.
fn slashes(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    text.trim_start_matches("//?/").trim_end_matches('/').to_owned()
}

/// Converts a path to a URI: a relative one, or an absolute one with the scheme `file`.
fn uri(path: &str) -> String {
    let scheme = match path.get(1..3) {
        _ if path.starts_with('/') => "file://",
        Some(":/") => "file:///",
        _ => "",
    };
    path.bytes().fold(scheme.to_owned(), |mut uri, byte| {
        let is_unreserved = byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
        // The colon of a Windows drive. In a relative reference it would end a scheme.
        if is_unreserved || byte == b':' && !scheme.is_empty() {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
        uri
    })
}
