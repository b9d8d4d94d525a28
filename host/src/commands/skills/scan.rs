//! `toolc skills scan`: checks folders of skills, by the format and by the guard.

mod sarif;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use toolc_config::Home;
use toolc_guard::{Finding, Report, Severity as GuardSeverity, Trust};
use toolc_skill::{Folder, Limits, Note, Severity, Strictness};

use super::console::Console;
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
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = Level::Community)]
    trust: Level,
    /// Accept the finding with this id, as it is printed (repeatable).
    #[arg(long, value_name = "ID")]
    accept: Vec<String>,
    /// Print one line of JSON for each skill.
    #[arg(long, conflicts_with = "sarif")]
    json: bool,
    /// Print SARIF 2.1.0, for code scanning.
    #[arg(long)]
    sarif: bool,
}

/// How far the author of a skill is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Level {
    Bundled,
    Trusted,
    Community,
}

impl Level {
    fn trust(self) -> Trust {
        match self {
            Self::Bundled => Trust::Bundled,
            Self::Trusted => Trust::Trusted,
            Self::Community => Trust::Community,
        }
    }
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
            let _ = write!(text, "{}", show::one_line(finding.message.trim_end_matches('.')));
            if !finding.excerpt.is_empty() {
                let _ = write!(text, ": `{}`", show::one_line(&finding.excerpt));
            }
            text += "\n";
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
            "folder": self.folder,
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
    pub(super) fn run(&self, home: Home, console: &dyn Console) -> Result<u8> {
        let guard = Guard::of_profile(&Profile::read(home)?)?;
        let mut all = Vec::new();
        for folder in self.folders()? {
            if self.fix {
                mend(&folder, console)?;
            }
            all.push(Scanned::new(folder, &guard));
        }
        let accepted = self.accept.iter().cloned().collect();
        for unknown in guard::check_accepted(all.iter().map(|scanned| &scanned.report), &accepted)? {
            console.note(&format!("warning: {unknown}"));
        }
        for scanned in &mut all {
            let blocking = guard::blocking(&scanned.report, self.trust.trust(), &accepted);
            scanned.blocking = blocking.into_iter().map(|finding| finding.id.clone()).collect();
        }
        let wrong = all.iter().filter(|scanned| scanned.has_errors()).count();
        console.print(&self.text(&all, wrong, &accepted)?)?;
        Ok(u8::from(wrong > 0))
    }

    /// Returns the folders of all skills.
    fn folders(&self) -> Result<Vec<PathBuf>> {
        let here = [PathBuf::from(".")];
        let dirs = if self.dirs.is_empty() { &here[..] } else { &self.dirs };
        let (mut folders, mut without) = (Vec::new(), Vec::new());
        for dir in dirs {
            let found = folders_in(dir);
            if found.is_empty() {
                let dir = show::one_line(&dir.display().to_string());
                without.push(format!("{dir} has no skill: expected a folder with {MAIN}, or one with such folders"));
            }
            folders.extend(found);
        }
        if without.is_empty() { Ok(folders) } else { Err(Error::Invalid(without.join("\n"))) }
    }

    fn text(&self, all: &[Scanned], wrong: usize, accepted: &BTreeSet<String>) -> Result<String> {
        if self.sarif {
            return sarif::log(all, accepted);
        }
        if self.json {
            let line = |mut text: String, scanned: &Scanned| {
                let _ = writeln!(text, "{}", scanned.json(accepted));
                text
            };
            return Ok(all.iter().fold(String::new(), line));
        }
        let text: String = all.iter().map(|scanned| scanned.text(accepted)).collect();
        Ok(format!("{text}{} checked, {wrong} with errors\n", show::counted(all.len(), "skill")))
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
