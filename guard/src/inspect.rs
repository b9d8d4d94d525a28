//! Judges all files of a skill.

use std::cell::RefCell;
use std::collections::BTreeMap;

use toolc_commands::Surroundings;
use toolc_commands::rules::RuleSet;

use crate::code;
use crate::codes::{Code, Severity};
use crate::context::Context;
use crate::entries::Entry;
use crate::fences::{by_shebang, language_of, looks_like_command, without_prompts};
use crate::files::{self, Content, Files};
use crate::kinds::{self, Recognized};
use crate::language;
use crate::markdown::{self, Part, PartKind};
use crate::purpose::{Purpose, Topic};
use crate::quoting::{self, Around};
use crate::report::{FileAccount, Finding, Kind, MAX_FINDINGS, Report, id};
use crate::unit::{Found, Inner, Judged, Unit, Voice};
use crate::visible::{Lines, excerpt, visible};
use crate::{archives, deeds, directives, encoded, front_matter, hidden, manifests, prose, shell};

/// The maximum size of a text that is judged, in bytes. A larger one is a finding.
pub const MAX_TEXT: usize = 2 << 20;

/// The maximum size of all texts of a skill that are judged, in bytes.
pub const MAX_TEXTS: usize = 16 << 20;

/// The maximum number of files.
pub const MAX_FILES: usize = 2_000;

/// How deep code in code is judged, and how many pieces of it in one file.
const MAX_DEPTH: usize = 4;
const MAX_INNER: usize = 2_000;

/// Judges the files of a skill.
///
/// `rules` are the rules about commands, such as the rules of `toolc-catalog` without optional sets. `surroundings` describe the machine on
/// which the commands would run; without a file system, paths are compared as they are written.
pub fn inspect(files: &Files, rules: &RuleSet<'_>, surroundings: &Surroundings<'_>) -> Report {
    let skill = files.iter().find(|(path, _)| path.eq_ignore_ascii_case("SKILL.md"));
    let purpose = skill.map(|(_, content)| purpose_of(content)).unwrap_or_default();
    let context = Context { rules, surroundings, purpose, uses: RefCell::default() };
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
        if text.len() > MAX_TEXT.min(self.left) {
            let message = format!("The text has {} bytes, more than is judged.", text.len());
            found.push(Found::new(Code::Unread, 0..0, message));
        } else {
            self.left -= text.len();
            found.extend(judge_text(path, kind, &text, &self.context));
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
        self.texts.push((path.to_owned(), kind, text));
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
            let mut found = Vec::new();
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

/// Returns the language as which a file has been judged by its kind.
fn own_language(path: &str, kind: Kind, text: &str) -> Option<&'static str> {
    match kind {
        Kind::Shell => Some("sh"),
        Kind::Code => {
            Some(language::language(&files::end_of(path)).map_or_else(|| by_shebang(text), |language| language.name))
        }
        _ => None,
    }
}

/// Judges a text that is run as code of a language.
fn judge_as(language: &str, text: &str, context: &Context<'_>, found: &mut Vec<Found>) {
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    let unit = Unit::at(&text[start..], start, Voice::Runs);
    match language {
        "make" => add_judged(&unit, manifests::check("Makefile", &unit), context, MAX_DEPTH, found),
        language => judge_code(language, &unit, context, MAX_DEPTH, found),
    }
    if language == "sh" {
        // `sed -n 5p FILE | sh`: each line can run without those before it.
        for line in unit.into_lines().into_iter().filter(|(_, line)| looks_like_command(line.trim())) {
            let line = Unit::at(&line.1, line.0, Voice::Runs);
            judge_code("sh", &line, context, MAX_DEPTH, found);
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

/// Files that programs write, with digests that look like encoded texts.
const LOCKS: &[&str] = &[
    "Cargo.lock",
    "Gemfile.lock",
    "Pipfile.lock",
    "Podfile.lock",
    "bun.lock",
    "composer.lock",
    "deno.lock",
    "flake.lock",
    "mix.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "pdm.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "pubspec.lock",
    "uv.lock",
    "yarn.lock",
];

fn judge_text(path: &str, kind: Kind, text: &str, context: &Context<'_>) -> Vec<Found> {
    let is_code = matches!(kind, Kind::Shell | Kind::Code | Kind::Manifest);
    let is_lock = LOCKS.contains(&path.rsplit('/').next().unwrap_or(path));
    let mut found = hidden::check(text, is_code);
    if !is_lock {
        found.extend(encoded::find(text));
    }
    let end = files::end_of(path);
    let unit = Unit::whole(text);
    match kind {
        Kind::Markdown => document(text, context, &mut found),
        Kind::Shell => judge_code("sh", &unit, context, MAX_DEPTH, &mut found),
        Kind::Code => {
            let name = language::language(&end).map_or_else(|| by_shebang(text), |language| language.name);
            judge_code(name, &unit, context, MAX_DEPTH, &mut found);
            found.extend(prose::switched(&unit, context));
            install_hook(path, &unit, &mut found);
        }
        Kind::Manifest if !is_lock => {
            let judged = manifests::check(path, &unit);
            add_judged(&unit, judged, context, MAX_DEPTH, &mut found);
            found.extend(prose::switched(&unit, context));
        }
        Kind::Text if !is_lock => data(&end, &unit, context, &mut found),
        _ => {}
    }
    found
}

/// The commands of setuptools that an installation runs.
const STEPS: &[&str] = &[
    "install",
    "develop",
    "egg_info",
    "build",
    "build_py",
    "build_scripts",
    "sdist",
    "bdist_wheel",
    "editable_wheel",
    "install_lib",
];

/// `setup.py` with commands of its own runs them at every installation.
fn install_hook(path: &str, unit: &Unit, found: &mut Vec<Found>) {
    let name = path.rsplit('/').next().unwrap_or_default();
    if let Some(at) = unit.text.find("cmdclass").filter(|_| name == "setup.py") {
        let finding = Found::in_unit(
            unit,
            Code::InstallHook,
            at..at + 8,
            "An installation of the package runs commands of its own.",
        );
        // Commands with names of their own run only if they are named.
        let value = unit.text[at + 8..].trim_start_matches([' ', '=', ':', '"', '\'']);
        let table = value.strip_prefix('{').and_then(|rest| rest.split('}').next());
        let is_step = |table: &str| {
            STEPS.iter().any(|step| table.contains(&format!("\"{step}\"")) || table.contains(&format!("'{step}'")))
        };
        found.push(if table.is_some_and(|table| !is_step(table)) { finding.into_note() } else { finding });
    }
}

/// Data: texts in them, and scripts of pages.
fn data(end: &str, unit: &Unit, context: &Context<'_>, found: &mut Vec<Found>) {
    match end {
        "html" | "htm" | "svg" | "xhtml" => {
            for (start, script) in scripts(&unit.text) {
                judge_code("javascript", &Unit::at(script, start, Voice::Runs), context, MAX_DEPTH, found);
            }
        }
        "yml" | "yaml" => {
            let judged = manifests::check("settings.yaml", unit);
            add_judged(unit, judged, context, MAX_DEPTH, found);
        }
        "json" | "jsonc" | "json5" => {
            let judged = manifests::check("settings.json", unit);
            add_judged(unit, judged, context, MAX_DEPTH, found);
        }
        _ => {}
    }
    if !matches!(end, "csv" | "tsv" | "json" | "html" | "svg" | "css" | "xml") {
        let inner = directives::commands(&unit.text).into_iter();
        let inner = inner.map(|(at, text)| Inner { language: "sh", text, at }).collect();
        add_judged(unit, Judged { found: Vec::new(), inner }, context, MAX_DEPTH, found);
    }
    found.extend(prose::switched(unit, context));
    if let Some(manipulation) = toolc_scan::manipulation(&unit.text) {
        let around = &unit.text
            [unit.text.floor_char_boundary(manipulation.span.start.saturating_sub(200))..manipulation.span.end];
        let finding = Found::in_unit(
            unit,
            Code::Manipulates,
            manipulation.span.clone(),
            format!("The text {}.", manipulation.what),
        );
        let is_data = matches!(end, "html" | "htm" | "svg" | "css" | "xml" | "xsd");
        found.push(if quoting::warns(around) || is_data && !manipulation.what.contains("instructions") {
            finding.into_note()
        } else {
            finding
        });
    }
}

/// Returns the scripts of a page with their places.
fn scripts(text: &str) -> Vec<(usize, &str)> {
    let lower = text.to_ascii_lowercase();
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(open) = lower[at..].find("<script").map(|open| at + open) {
        let Some(start) = lower[open..].find('>').map(|end| open + end + 1) else { break };
        let end = lower[start..].find("</script").map_or(lower.len(), |end| start + end);
        found.push((start, &text[start..end]));
        at = end;
    }
    found
}

fn document(text: &str, context: &Context<'_>, found: &mut Vec<Found>) {
    let document = markdown::read(text);
    if let Some(front) = &document.front {
        let judged = front_matter::check(text, front, context);
        let unit = Unit::whole(text);
        add_judged(&unit, judged, context, MAX_DEPTH, found);
    }
    let mut commands: Vec<(usize, String)> = Vec::new();
    for entry in document.front.iter().flat_map(|front| front_matter::texts(text, front)) {
        front_text(&entry, context, &mut commands, found);
    }
    found.extend(deeds::check(&document, context));
    let is_about_attacks = context.purpose.declares(&[Topic::Security]);
    let is_guide = is_about_attacks && quoting::announces_examples(&document.intro);
    for mut part in document.parts {
        part.around.is_guide = is_guide || is_about_attacks && quoting::prohibits(&part.around.after);
        let shell = judge_part(part, context, found);
        commands.extend(shell.into_iter().flat_map(Unit::into_lines));
    }
    if commands.len() > 1 {
        // What one block downloads, another one can run.
        let unit = Unit::of_lines(commands.iter().map(|(start, line)| (*start, line.as_str())), Voice::Runs);
        let mut together = Vec::new();
        judge_code("sh", &unit, context, MAX_DEPTH, &mut together);
        let crosses = |found: &Found| {
            matches!(found.code, Code::FetchAndRun | Code::CloneAndRun | Code::SendsSecrets | Code::SendsEnvironment)
        };
        found.extend(together.into_iter().filter(crosses));
    }
}

/// Judges a value of the front matter as a document of its own: an agent reads it first.
fn front_text(entry: &Entry, context: &Context<'_>, commands: &mut Vec<(usize, String)>, found: &mut Vec<Found>) {
    let mut inside = Vec::new();
    for part in markdown::read(&entry.value).parts {
        let shell = judge_part(part, context, &mut inside);
        commands.extend(shell.into_iter().flat_map(Unit::into_lines).map(|(_, line)| (entry.at, line)));
    }
    found.extend(inside.into_iter().map(|finding| {
        let own = entry.value.get(finding.at.clone()).map(str::to_owned);
        Found { at: entry.at..entry.at, matter: finding.matter.clone().or(own), ..finding }
    }));
}

/// Judges a part of a document. Returns its commands of a shell, if it has some that run.
fn judge_part(part: Part, context: &Context<'_>, found: &mut Vec<Found>) -> Option<Unit> {
    let mut shell = None;
    let Part { kind, mut unit, around } = part;
    match kind {
        PartKind::Prose => {
            found.extend(prose::check(&unit, &around, false, context));
            for (at, command, lead) in prose::commands(&unit.text) {
                let around = Around { lead, ..around.clone() };
                let voice = quoting::voice_of_code(&around, "");
                judge_code("sh", &Unit::at(&command, unit.place(at), voice), context, MAX_DEPTH, found);
            }
        }
        PartKind::Comment => comment(&unit, context, found),
        PartKind::Inline(is_loaded) => {
            if is_loaded || looks_like_command(&unit.text) {
                unit.voice = if is_loaded { Voice::Runs } else { quoting::voice_of_code(&around, "") };
                judge_code("sh", &unit, context, MAX_DEPTH, found);
                shell = Some(unit).filter(|unit| unit.voice == Voice::Runs);
            }
        }
        PartKind::Code(name) => {
            unit.voice = quoting::voice_of_code(&around, &unit.text);
            match language_of(&name, &unit.text) {
                Some("text") => found.extend(prose::check(&unit, &around, false, context)),
                Some("sh") => {
                    // The signs of a prompt are not a part of the commands.
                    let session = without_prompts(&unit).unwrap_or_else(|| unit.clone());
                    judge_code("sh", &session, context, MAX_DEPTH, found);
                    shell = Some(session).filter(|unit| unit.voice == Voice::Runs);
                }
                Some(language) => judge_code(language, &unit, context, MAX_DEPTH, found),
                None => {
                    let inner = directives::commands(&unit.text).into_iter();
                    let inner = inner.map(|(at, text)| Inner { language: "sh", text, at }).collect();
                    add_judged(&unit, Judged { found: Vec::new(), inner }, context, MAX_DEPTH, found);
                }
            }
            let switched = prose::switched(&unit, context);
            found.extend(switched);
        }
    }
    shell
}

/// What is not displayed: instructions and commands in it block, whatever the text around it says.
fn comment(unit: &Unit, context: &Context<'_>, found: &mut Vec<Found>) {
    let mut inside = prose::check(unit, &Around::default(), true, context);
    inside.retain(|finding| finding.severity == Severity::Block);
    if let Some(manipulation) = toolc_scan::manipulation(&format!("<!--{}-->", unit.text)) {
        // An order by its form alone can also be for the authors of the skill.
        let is_any_order = manipulation.what.contains("an order in a comment");
        let code = if is_any_order { Code::CommentOrder } else { Code::HiddenInstruction };
        let message = format!("The text {}.", manipulation.what);
        inside.push(Found::in_unit(unit, code, 0..unit.text.len().min(200), message));
    }
    let mut commands = Vec::new();
    for line in unit
        .text
        .lines()
        .filter(|line| looks_like_command(line.trim()) || line.contains("curl ") || line.contains("wget "))
    {
        let plain = Unit::at(&line.replace('`', " "), unit.place(0), Voice::Runs);
        judge_code("sh", &plain, context, MAX_DEPTH, &mut commands);
    }
    let commands = commands.into_iter().filter(|finding| finding.severity == Severity::Block);
    found.extend(inside.into_iter().chain(commands).map(|finding| match finding.code {
        Code::CommentOrder => finding,
        _ => Found { code: Code::HiddenInstruction, ..finding },
    }));
}

/// Judges code, and the code in it.
fn judge_code(language: &str, unit: &Unit, context: &Context<'_>, depth: usize, found: &mut Vec<Found>) {
    let judged = match language {
        "sh" => shell::check(unit, context),
        name => match language::language(name) {
            Some(language) => code::check(unit, language, context),
            None => return,
        },
    };
    add_judged(unit, judged, context, depth, found);
}

fn add_judged(unit: &Unit, judged: Judged, context: &Context<'_>, depth: usize, found: &mut Vec<Found>) {
    found.extend(judged.found);
    for (number, Inner { language, text, at }) in judged.inner.into_iter().enumerate() {
        let Some(depth) = depth.checked_sub(1).filter(|_| number < MAX_INNER) else {
            found.push(Found::in_unit(unit, Code::Unread, at..at, "Code is nested in code too deeply to be judged."));
            return;
        };
        let inner = unit.within(at, text);
        judge_code(language, &inner, context, depth, found);
        if depth + 1 < MAX_DEPTH {
            found.extend(
                encoded::find(&inner.text)
                    .into_iter()
                    .map(|finding| Found { at: unit.place(at)..unit.place(at), ..finding }),
            );
        }
    }
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
