//! `toolc skills scan`: checks folders of skills, by the format and by the guard.

mod sarif;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use serde_json::{Value, json};
use toolc_guard::{Finding, Report, Severity as GuardSeverity, Trust};
use toolc_skill::{Folder, Limits, Note, Severity, Strictness};

use super::Place;
use super::console::Console;
use super::list::lossy;
use super::shown::Accept;
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::profile::Profile;
use crate::sources::guard::{self, Guard};
use crate::sources::skills::{MAIN, folders_in};

/// The arguments of `scan`.
#[derive(Debug, Args)]
pub(super) struct ScanArgs {
    /// The folders, each a skill or a folder with skills. Default: the current one.
    dirs: Vec<PathBuf>,
    /// Mend what can be mended without a decision.
    #[arg(long)]
    fix: bool,
    /// How far the author is trusted: of `bundled` nothing blocks, and of `trusted` only what cannot be accepted.
    #[arg(long, value_name = "LEVEL", default_value = "community", value_parser = levels().map(trust_of))]
    trust: Trust,
    #[command(flatten)]
    accept: Accept,
    /// Print one line of JSON for each skill.
    #[arg(long, conflicts_with = "sarif")]
    json: bool,
    /// Print SARIF 2.1.0, for code scanning.
    #[arg(long)]
    sarif: bool,
}

/// How far the author of a skill is trusted, by the words for it on the command line.
const LEVELS: [(&str, Trust); 3] =
    [("bundled", Trust::Bundled), ("trusted", Trust::Trusted), ("community", Trust::Community)];

fn levels() -> PossibleValuesParser {
    PossibleValuesParser::new(LEVELS.map(|(word, _)| word))
}

/// Returns the level with a word. The parser knows no others.
#[expect(clippy::needless_pass_by_value, reason = "the parser passes it by value")]
fn trust_of(word: String) -> Trust {
    LEVELS.into_iter().find(|(known, _)| *known == word).map_or(Trust::Community, |(_, trust)| trust)
}

/// What was found in a skill.
struct Scanned {
    folder: PathBuf,
    notes: Vec<Note>,
    report: Report,
    /// Why the folder could not be opened.
    unreadable: Option<String>,
    /// The ids of the findings that block.
    blocking: BTreeSet<String>,
}

impl Scanned {
    fn new(folder: PathBuf, guard: &Guard) -> Self {
        let mut scanned =
            Self { folder, notes: Vec::new(), report: Report::default(), unreadable: None, blocking: BTreeSet::new() };
        match Folder::open(&scanned.folder) {
            Err(error) => scanned.unreadable = Some(error.to_string()),
            Ok(open) => {
                scanned.notes = match open.read_skill(Strictness::Check) {
                    Ok(reading) => reading.notes,
                    Err(unreadable) => unreadable.notes,
                };
                scanned.notes.extend(open.list(&Limits::default()).notes);
                scanned.report = guard.inspect(&guard::read(&open));
            }
        }
        scanned
    }

    fn has_errors(&self) -> bool {
        self.unreadable.is_some()
            || !self.blocking.is_empty()
            || self.notes.iter().any(|note| note.severity == Severity::Error)
    }

    fn blocks(&self, finding: &Finding) -> bool {
        self.blocking.contains(&finding.id)
    }

    /// Returns what was found as lines with places that an editor can open.
    fn text(&self, accepted: &BTreeSet<String>) -> String {
        let at = |path: &str| show::one_line(&self.folder.join(path).display().to_string());
        let mut text = String::new();
        if let Some(why) = &self.unreadable {
            let _ = writeln!(text, "{}: error: unreadable: {}", at(""), show::one_line(why));
        }
        for note in &self.notes {
            let _ = writeln!(text, "{}:{}", at(MAIN), show::one_line(&note.to_string()));
        }
        for finding in &self.report.findings {
            let line = if finding.line > 0 { format!(":{}:{}", finding.line, finding.column) } else { String::new() };
            let level = if self.blocks(finding) { "error" } else { "note" };
            let _ = write!(text, "{}{line}: {level}[{}]: ", at(&finding.path), finding.code.name());
            let _ = writeln!(text, "{}", guard::what(finding));
            if self.blocks(finding) {
                let accept = if finding.is_acceptable() {
                    format!("if you accept it, pass `--accept {}`", finding.id)
                } else {
                    "it cannot be accepted".to_owned()
                };
                let _ = writeln!(text, "    {}; {accept}", finding.help());
            } else if accepted.contains(&finding.id) {
                let _ = writeln!(text, "    accepted: {}", finding.id);
            }
        }
        text
    }

    fn json(&self, accepted: &BTreeSet<String>) -> Value {
        let finding = |finding: &Finding| {
            let mut object = json!(finding);
            object["help"] = json!(finding.help());
            object["can_be_accepted"] = json!(finding.is_acceptable());
            object["is_accepted"] = json!(accepted.contains(&finding.id));
            object["blocks"] = json!(self.blocks(finding));
            object
        };
        json!({
            "folder": lossy(&self.folder),
            "allowed": !self.has_errors(),
            "unreadable": self.unreadable,
            "notes": self.notes,
            "findings": self.report.findings.iter().map(finding).collect::<Vec<_>>(),
            "files": self.report.files,
        })
    }
}

impl ScanArgs {
    /// Checks the skills in folders. Returns the exit status.
    pub(super) fn run(&self, place: &Place<'_>, console: &dyn Console) -> Result<u8> {
        let guard = Guard::of_profile(&Profile::read(place.home.clone())?, place.directory)?;
        let mut all = Vec::new();
        for folder in self.folders(place)? {
            if self.fix {
                mend(&folder, console)?;
            }
            all.push(Scanned::new(folder, &guard));
        }
        let findings = all.iter().flat_map(|scanned| &scanned.report.findings).map(guard::for_hub);
        self.accept.check(&findings.collect::<Vec<_>>())?;
        let accepted = self.accept.ids.iter().cloned().collect();
        for scanned in &mut all {
            let blocking = guard::blocking(&scanned.report, self.trust, &accepted);
            scanned.blocking = blocking.into_iter().map(|finding| finding.id.clone()).collect();
        }
        let wrong = all.iter().filter(|scanned| scanned.has_errors()).count();
        console.print(&self.text(place, &all, wrong, &accepted))?;
        Ok(u8::from(wrong > 0))
    }

    /// Returns the folders of all skills.
    fn folders(&self, place: &Place<'_>) -> Result<Vec<PathBuf>> {
        let here = [PathBuf::from(".")];
        let dirs = if self.dirs.is_empty() { &here[..] } else { &self.dirs };
        let (mut folders, mut without) = (Vec::new(), Vec::new());
        for dir in dirs {
            let path = place.path(dir);
            // The file of a skill stands for its folder.
            let is_file = path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(MAIN)) && path.is_file();
            let folder = path.parent().filter(|_| is_file).unwrap_or(&path);
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            let found = folders_in(folder);
            if found.is_empty() {
                let dir = show::one_line(&dir.display().to_string());
                without.push(format!("{dir} has no skill: expected a folder with {MAIN}, or one with such folders"));
            }
            folders.extend(found);
        }
        if without.is_empty() { Ok(folders) } else { Err(Error::Invalid(without.join("\n"))) }
    }

    fn text(&self, place: &Place<'_>, all: &[Scanned], wrong: usize, accepted: &BTreeSet<String>) -> String {
        if self.sarif {
            return sarif::log(place.directory, all, accepted);
        }
        if self.json {
            let line = |mut text: String, scanned: &Scanned| {
                let _ = writeln!(text, "{}", scanned.json(accepted));
                text
            };
            return all.iter().fold(String::new(), line);
        }
        let text: String = all.iter().map(|scanned| scanned.text(accepted)).collect();
        format!("{text}{} checked, {wrong} with errors\n", show::counted(all.len(), "skill"))
    }
}

/// Applies the fixes of the front matter of a skill.
fn mend(folder: &Path, console: &dyn Console) -> Result<()> {
    let Ok(open) = Folder::open(folder) else { return Ok(()) };
    let Ok(reading) = open.read_skill(Strictness::Check) else { return Ok(()) };
    let fixed = reading.fixed();
    let path = [MAIN, "skill.md"].map(|name| folder.join(name)).into_iter().find(|path| path.exists());
    let Some(path) = path.filter(|_| fixed != reading.text) else { return Ok(()) };
    let failed = |error: std::io::Error| format!("failed to write {}: {error}", path.display());
    let new = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    fs::write(new.path(), &fixed).map_err(failed)?;
    let permissions = fs::metadata(&path).map_err(failed)?.permissions();
    new.as_file().set_permissions(permissions).map_err(failed)?;
    new.persist(&path).map_err(|error| failed(error.error))?;
    console.note(&format!("mended: {}", path.display()));
    Ok(())
}

/// Returns whether a finding would block a skill of a stranger.
fn is_serious(finding: &Finding) -> bool {
    finding.severity == GuardSeverity::Block
}
