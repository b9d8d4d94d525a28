//! `toolc skills scan`: checks folders of skills.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use toolc_skill::{Cache, Folder, Library, Limits, Note, Root, RootKind, Severity, Strictness};

use crate::ground::ask::print;
use crate::ground::error::Result;
use crate::ground::show;
use crate::ground::tell::tell;
use crate::sources::skills::objections;

/// The file with the instructions of a skill.
const MAIN: &str = "SKILL.md";
/// The maximum size of a file that is scanned for texts, in bytes.
const MAX_FILE: u64 = 4 << 20;

/// What was found in a skill.
struct Found {
    folder: PathBuf,
    notes: Vec<Note>,
    objections: Vec<String>,
}

impl Found {
    fn has_errors(&self) -> bool {
        !self.objections.is_empty() || self.notes.iter().any(|note| note.severity == Severity::Error)
    }
}

/// Checks the skills in folders. Returns the exit status.
pub(super) fn run(dirs: &[PathBuf], fix: bool, as_json: bool) -> Result<u8> {
    let here = [PathBuf::from(".")];
    let dirs = if dirs.is_empty() { &here } else { dirs };
    let mut folders = Vec::new();
    for dir in dirs {
        let found = skills_in(dir);
        if found.is_empty() {
            return Err(format!(
                "{} has no skill: expected a folder with {MAIN}, or one with such folders",
                dir.display()
            )
            .into());
        }
        folders.extend(found);
    }
    let mut all = Vec::new();
    for folder in folders {
        if fix {
            mend(&folder)?;
        }
        all.push(check(folder));
    }
    let mut text = String::new();
    for found in &all {
        if as_json {
            let object = json!({ "folder": found.folder, "notes": found.notes, "objections": found.objections });
            let _ = writeln!(text, "{object}");
        } else {
            text += &lines(found);
        }
    }
    let wrong = all.iter().filter(|found| found.has_errors()).count();
    if !as_json {
        let _ = writeln!(text, "{} checked, {wrong} with errors", show::counted(all.len(), "skill"));
    }
    print(&text)?;
    Ok(u8::from(wrong > 0))
}

/// Returns the folders of the skills in a folder, which can be a skill itself.
fn skills_in(dir: &Path) -> Vec<PathBuf> {
    if dir.join(MAIN).exists() || dir.join("skill.md").exists() {
        return vec![dir.to_owned()];
    }
    let root = Root { path: dir.to_owned(), kind: RootKind::Project };
    let library = Library::read(&[root], &mut Cache::default());
    let used = library.skills.into_iter().map(|skill| skill.folder);
    let broken = library.broken.into_iter().map(|broken| broken.folder);
    let mut folders: Vec<PathBuf> =
        used.chain(broken).chain(library.shadowed.into_iter().map(|skill| skill.folder)).collect();
    folders.sort();
    folders
}

fn check(folder: PathBuf) -> Found {
    let (mut notes, mut texts) = (Vec::new(), Vec::new());
    match Folder::open(&folder) {
        Err(error) => texts.push(format!("unreadable: {error}")),
        Ok(open) => {
            match open.read_skill(Strictness::Check) {
                Ok(reading) => notes.extend(reading.notes),
                Err(unreadable) => notes.extend(unreadable.notes),
            }
            let listing = open.list(&Limits::default());
            let read = |path: &String| Some((path.clone(), open.read_file(path, MAX_FILE).ok()?));
            let files = listing.files.iter().map(|file| &file.path).filter_map(read).collect();
            notes.extend(listing.notes);
            texts.extend(objections(&files));
        }
    }
    Found { folder, notes, objections: texts }
}

/// Applies the fixes of the front matter of a skill.
fn mend(folder: &Path) -> Result<()> {
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
    tell!("mended: {}", path.display());
    Ok(())
}

fn lines(found: &Found) -> String {
    let folder = show::one_line(&found.folder.join(MAIN).display().to_string());
    let mut text = String::new();
    for note in &found.notes {
        let _ = writeln!(text, "{folder}:{}", show::one_line(&note.to_string()));
    }
    for objection in &found.objections {
        let _ =
            writeln!(text, "{}: {}", show::one_line(&found.folder.display().to_string()), show::one_line(objection));
    }
    text
}
