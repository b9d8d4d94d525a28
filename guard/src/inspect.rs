//! Judges all files of a skill.

use std::cell::RefCell;
use std::collections::BTreeMap;

use toolc_commands::Surroundings;
use toolc_commands::rules::RuleSet;

use crate::codes::{Code, Severity};
use crate::context::Context;
use crate::files::{self, Content, Files};
use crate::judge::{judge_as, judge_text, own_language};
use crate::kinds::{self, Recognized};
use crate::purpose::Purpose;
use crate::report::{FileAccount, Finding, Kind, MAX_FINDINGS, Report, id};
use crate::unit::Found;
use crate::visible::{Lines, excerpt, visible};
use crate::{archives, front_matter, markdown};

/// The maximum size of a text that is judged, in bytes. A larger one is a finding.
pub const MAX_TEXT: usize = 2 << 20;

/// The maximum size of all texts of a skill that are judged, in bytes.
pub const MAX_TEXTS: usize = 16 << 20;

/// The maximum number of files.
pub const MAX_FILES: usize = 2_000;

/// Judges the files of a skill.
///
/// `rules` are the rules about commands, such as the rules of `toolc-catalog` without optional sets. `surroundings` describe the machine on
/// which the commands would run; without a file system, paths are compared as they are written.
pub fn inspect(files: &Files, rules: &RuleSet<'_>, surroundings: &Surroundings<'_>) -> Report {
    let skill = files.iter().find(|(path, _)| path.eq_ignore_ascii_case("SKILL.md"));
    let purpose = skill.map(|(_, content)| purpose_of(content)).unwrap_or_default();
    let context = Context { rules, surroundings, purpose, uses: RefCell::default(), constants: RefCell::default() };
    let mut inspection = Inspection {
        context,
        report: Report::default(),
        texts: Vec::new(),
        left: MAX_TEXTS,
        packed: archives::MAX_UNPACKED,
    };
    if skill.is_none() {
        inspection.add("SKILL.md", "", vec![Found::new(Code::NoSkill, 0..0, Code::NoSkill.explanation())]);
    }
    for (number, (path, content)) in files.iter().enumerate() {
        if is_outside(path) {
            let message = "The path of the file leads out of the folder.";
            inspection.add(path, "", vec![Found::new(Code::LinkOutside, 0..0, message)]);
        }
        let unread = |message: String| vec![Found::new(Code::Unread, 0..0, message)];
        match content {
            Content::Bytes(_) if number >= MAX_FILES => {
                inspection.account(path, Kind::Unread, 0);
                inspection.add(path, "", unread(format!("The skill has more than {MAX_FILES} files.")));
            }
            Content::Bytes(bytes) => inspection.file(path, bytes, true),
            Content::Link(target) => {
                inspection.account(path, Kind::Link, 0);
                inspection.add(path, "", link(path, target));
            }
            Content::Unread(reason) => {
                inspection.account(path, Kind::Unread, 0);
                inspection.add(path, "", unread(format!("The file was not read: {}", visible(reason))));
            }
        }
    }
    inspection.run_files();
    bound(&mut inspection.report.findings);
    inspection.report
}

/// A report that is being made.
struct Inspection<'a> {
    context: Context<'a>,
    report: Report,
    /// The texts that were judged.
    texts: Vec<(String, Kind, String)>,
    /// How many bytes of texts, and of archives, may still be judged.
    left: usize,
    packed: usize,
}

impl Inspection<'_> {
    fn add(&mut self, path: &str, text: &str, found: Vec<Found>) {
        add_findings(&mut self.report.findings, path, text, found);
    }

    fn account(&mut self, path: &str, kind: Kind, size: usize) {
        self.report.files.push(FileAccount { path: path.to_owned(), kind, size });
    }

    /// Judges a file. Only an archive that is not in another one is unpacked.
    fn file(&mut self, path: &str, bytes: &[u8], unpacks: bool) {
        let Recognized { kind, text, mut found } = kinds::recognize(path, bytes);
        self.account(path, kind, bytes.len());
        found.extend(by_name(path));
        let text = text.unwrap_or_default();
        let mut is_judged = false;
        if text.len() > MAX_TEXT.min(self.left) {
            let message = format!("The text has {} bytes, more than is judged.", text.len());
            found.push(Found::new(Code::Unread, 0..0, message));
        } else {
            self.left -= text.len();
            self.context.constants.borrow_mut().enter(path);
            found.extend(judge_text(path, kind, &text, &self.context));
            is_judged = true;
        }
        let mut packed = Vec::new();
        if kind == Kind::Archive && unpacks {
            match archives::unpack(bytes, &mut self.packed) {
                Ok(files) => {
                    let message = format!("The file is an archive with {} files, which were judged.", files.len());
                    found.retain(|found| found.code != Code::Archive);
                    found.push(Found::new(Code::Archive, 0..0, message).into_note());
                    packed = files;
                }
                Err(why) => {
                    for found in found.iter_mut().filter(|found| found.code == Code::Archive) {
                        found.message = format!("The file is an archive that cannot be judged: {}.", visible(&why));
                    }
                }
            }
        }
        self.add(path, &text, found);
        if is_judged {
            self.texts.push((path.to_owned(), kind, text));
        }
        for (inner, bytes) in packed {
            let whole = format!("{path}/{}", inner.trim_start_matches("./"));
            if is_outside(&inner) {
                let message = "The path of a file in the archive leads out of the folder.";
                self.add(&whole, "", vec![Found::new(Code::LinkOutside, 0..0, message)]);
            }
            self.file(&whole, &bytes, false);
        }
    }

    /// Judges files as code that do not look like code, but are run by others.
    fn run_files(&mut self) {
        self.context.uses.borrow_mut().follow_copies();
        let first = self.report.findings.len();
        for (path, kind, text) in std::mem::take(&mut self.texts) {
            let languages = self.context.uses.borrow().languages(&path, kind, &text);
            let own = own_language(&path, kind, &text);
            self.context.constants.borrow_mut().enter(&path);
            let mut found = Vec::new();
            // Files that come later in the order of the paths have constants, too.
            let imports = kind == Kind::Code && self.context.constants.borrow().are_named_in(&text);
            if let Some(own) = own.filter(|_| imports) {
                judge_as(own, &text, &self.context, &mut found);
            }
            for language in languages.into_iter().filter(|language| Some(*language) != own) {
                judge_as(language, &text, &self.context, &mut found);
            }
            self.add(&path, &text, found);
        }
        if self.report.findings.len() > first {
            let findings = &mut self.report.findings;
            findings.sort_by(|a, b| (&a.path, a.line, a.column).cmp(&(&b.path, b.line, b.column)));
            let mut severities = BTreeMap::<String, Severity>::new();
            for finding in findings.iter() {
                let severity = severities.entry(finding.id.clone()).or_insert(finding.severity);
                *severity = finding.severity.max(*severity);
            }
            findings.retain_mut(|finding| match severities.remove(&finding.id) {
                Some(severity) => {
                    finding.severity = severity;
                    true
                }
                None => false,
            });
        }
    }
}

fn purpose_of(content: &Content) -> Purpose {
    let Content::Bytes(bytes) = content else { return Purpose::default() };
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_TEXT)]);
    front_matter::purpose(&text, markdown::read(&text).front.as_ref())
}

fn is_outside(path: &str) -> bool {
    let path = path.replace('\\', "/");
    path.starts_with('/')
        || path.starts_with('~')
        || path.split('/').any(|part| part == "..")
        || path.get(1..3) == Some(":/")
}

fn link(path: &str, target: &str) -> Vec<Found> {
    let target = target.replace('\\', "/");
    let mut depth = path.matches('/').count();
    let leads_out = target.starts_with(['/', '~'])
        || target.get(1..2) == Some(":")
        || target.split('/').any(|part| {
            match part {
                ".." if depth == 0 => return true,
                ".." => depth -= 1,
                "" | "." => {}
                _ => depth += 1,
            }
            false
        });
    let mut found = Found::new(Code::LinkOutside, 0..0, format!("The link leads to {}.", visible(&target)));
    found.matter = Some(target);
    vec![if leads_out { found } else { found.into_note() }]
}

/// Files that run because of their names.
fn by_name(path: &str) -> Option<Found> {
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or_default();
    let what = match name {
        "sitecustomize.py" | "usercustomize.py" => "Every program of Python in this folder runs this file.",
        name if files::end_of(name) == "pth" => "Every program of Python runs a file of this kind.",
        _ if lower.starts_with(".git/") || lower.contains("/.git/") => {
            "The skill brings a repository of its own, whose settings and hooks run."
        }
        _ => return None,
    };
    Some(Found::new(Code::StartUp, 0..0, what))
}
/// Turns what was found in a file into findings.
fn add_findings(findings: &mut Vec<Finding>, path: &str, text: &str, mut found: Vec<Found>) {
    let lines = Lines::new(text);
    found.sort_by(|a, b| a.at.start.cmp(&b.at.start).then(b.severity.cmp(&a.severity)));
    let first = findings.len();
    for found in found {
        let (line, column) = if text.is_empty() { (0, 0) } else { lines.position(text, found.at.start) };
        let own = excerpt(text, found.at.start..found.at.end.max(found.at.start + 1));
        let matter = found.matter.as_deref().map_or_else(|| own.clone(), visible);
        let id = id(found.code, path, &matter);
        // The same matter is reported once for a file.
        let known = findings[first..].iter_mut().find(|known| known.id == id);
        match known {
            Some(known) => known.severity = known.severity.max(found.severity),
            None => findings.push(Finding {
                id,
                code: found.code,
                severity: found.severity,
                path: path.to_owned(),
                line,
                column,
                excerpt: matter,
                message: found.message,
            }),
        }
        if findings.len() > MAX_FINDINGS * 2 {
            break;
        }
    }
}

/// Keeps the number of findings within its limit. Those that block are kept first.
fn bound(findings: &mut Vec<Finding>) {
    if findings.len() <= MAX_FINDINGS {
        return;
    }
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings.truncate(MAX_FINDINGS - 1);
    let code = Code::TooManyFindings;
    findings.push(Finding {
        id: id(code, "", ""),
        code,
        severity: code.severity(),
        path: String::new(),
        line: 0,
        column: 0,
        excerpt: String::new(),
        message: format!("More than {MAX_FINDINGS} findings were made."),
    });
    findings.sort_by(|a, b| (&a.path, a.line, a.column).cmp(&(&b.path, b.line, b.column)));
}
