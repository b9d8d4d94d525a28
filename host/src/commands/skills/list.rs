//! `toolc skills list` and `inspect`.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use serde_json::{Value, json};
use toolc_skill::{Broken, Folder, Library, Limits, Note, RootKind, Skill, Strictness};

use super::Loaded;
use super::console::Console;
use super::origin::Origins;
use crate::ground::error::Result;
use crate::ground::show::{self, Look};
use crate::ground::terminal;
use crate::sources::hub;

impl Loaded {
    pub(super) fn list(&self, as_json: bool, console: &dyn Console) -> Result<u8> {
        let library = self.skills.library();
        let origins = self.origins().unwrap_or_else(|error| {
            console.note(&format!("warning: where skills were installed from is unknown: {error}"));
            Origins::default()
        });
        let text = if as_json { format!("{}\n", self.json(&library, &origins)) } else { self.text(&library, &origins) };
        console.print(&text).map(|()| 0)
    }

    /// Reads where the skills of the home folder were installed from.
    fn origins(&self) -> Result<Origins> {
        let shipped = toolc_skills::shipped(self.skills.ledger()).into_iter();
        let home = self.profile.home.skills();
        let shipped = shipped.map(|folder| home.join(folder)).collect();
        Origins::read(&hub::open_without_sources(&self.profile)?, shipped)
    }

    fn text(&self, library: &Library, origins: &Origins) -> String {
        use io::IsTerminal as _;
        let look = Look::new(io::stdout().is_terminal().then(|| terminal::columns(io::stdout())));
        let view = library.view(|skill| self.unmet(skill));
        let mut text = String::new();
        for category in view.categories() {
            let _ = writeln!(text, "{}:", show::one_line(&category.name));
            for skill in view.list(&category.name) {
                let place = match skill.kind {
                    RootKind::Home => origins.text(&skill.folder).map(|text| format!(" ({text})")).unwrap_or_default(),
                    _ => " (only read)".to_owned(),
                };
                let line = format!("  {}{place}: {}", skill.name(), short(&skill.card.front_matter.description));
                let _ = writeln!(text, "{}", show::wrapped(&line, 4, look));
            }
        }
        if text.is_empty() {
            text += "there are no skills yet\n";
        }
        for (skill, reason) in &view.hidden {
            let _ = writeln!(text, "not usable here: {}: {}", skill.name(), show::one_line(reason));
        }
        for broken in &library.broken {
            let reason = reason(broken).map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "cannot be read: {}: {}", shown(&broken.folder), show::one_line(&reason));
        }
        for skill in &library.shadowed {
            let _ = writeln!(text, "not used: {}: {} has the same name", shown(&skill.folder), shown(&skill.by));
        }
        for name in origins.missing() {
            let _ = writeln!(text, "missing: {name}: it was installed: `toolc skills restore` installs it again");
        }
        text
    }

    fn json(&self, library: &Library, origins: &Origins) -> Value {
        let skill = |skill: &Skill| {
            json!({
                "name": skill.name(),
                "category": skill.category,
                "description": skill.card.front_matter.description,
                "folder": lossy(&skill.folder),
                "writable": skill.kind == RootKind::Home,
                "origin": origins.json(&skill.folder),
                "unmet": self.unmet(skill),
                "notes": skill.card.notes,
            })
        };
        json!({
            "skills": library.skills.iter().map(skill).collect::<Vec<_>>(),
            "broken": library.broken.iter().map(|broken| json!({ "folder": lossy(&broken.folder), "notes": broken.notes })).collect::<Vec<_>>(),
            "shadowed": library.shadowed.iter().map(|skill| json!({ "name": skill.name, "folder": lossy(&skill.folder), "by": lossy(&skill.by) })).collect::<Vec<_>>(),
        })
    }

    pub(super) fn inspect(&self, name: &str, as_json: bool, console: &dyn Console) -> Result<u8> {
        let library = self.skills.library();
        let Some(skill) = library.get(name) else {
            if let Some(broken) = library.broken.iter().find(|broken| broken.folder.ends_with(name)) {
                return inspect_broken(broken, as_json, console);
            }
            let names = library.skills.iter().map(Skill::name);
            let similar = toolc::suggest::suggestion(name, names);
            console.note(&format!("error: no skill is named `{}`{similar}", show::one_line(name)));
            return Ok(1);
        };
        let folder = Folder::open(&skill.folder)
            .map_err(|error| format!("failed to read {}: {error}", skill.folder.display()))?;
        let listing = folder.list(&Limits::default());
        let notes: Vec<Note> = match folder.read_skill(Strictness::Check) {
            Ok(reading) => reading.notes.into_iter().chain(listing.notes).collect(),
            Err(unreadable) => unreadable.notes,
        };
        let matter = &skill.card.front_matter;
        if as_json {
            let object = json!({
                "front_matter": matter, "folder": lossy(&skill.folder), "files": listing.files, "notes": notes, "unmet": self.unmet(skill),
            });
            return console.print(&format!("{object}\n")).map(|()| 0);
        }
        let mut text =
            format!("{}\n{}\n\nfolder: {}\n", skill.name(), show::lines(&matter.description), shown(&skill.folder));
        let lines = [
            ("category", skill.category.clone()),
            ("license", matter.license.clone()),
            ("compatibility", matter.compatibility.clone()),
            ("not usable here", self.unmet(skill)),
        ];
        for (name, value) in lines {
            let value = value.map(|value| format!("{name}: {}\n", show::one_line(&value)));
            text += &value.unwrap_or_default();
        }
        text += "files:\n";
        for file in &listing.files {
            let _ = writeln!(text, "  {}   {}", show::one_line(&file.path), show::counted(file.size, "byte"));
        }
        for note in &notes {
            let _ = writeln!(text, "{}", show::one_line(&note.to_string()));
        }
        console.print(&text).map(|()| 0)
    }
}

/// The length of a description that `list` shows, in characters: what the format allows.
const MAX_DESCRIPTION: usize = 1024;

/// Returns a description on one line, cut if it is longer than the format allows.
fn short(description: &str) -> String {
    let cut: String = description.chars().take(MAX_DESCRIPTION).collect();
    let end = if cut.len() < description.len() { "…" } else { "" };
    format!("{}{end}", show::one_line(&cut))
}

/// Shows a skill that cannot be read.
fn inspect_broken(broken: &Broken, as_json: bool, console: &dyn Console) -> Result<u8> {
    if as_json {
        let object = json!({ "folder": lossy(&broken.folder), "broken": true, "notes": broken.notes });
        console.print(&format!("{object}\n"))?;
    } else {
        let mut text = format!("folder: {}\ncannot be read:\n", shown(&broken.folder));
        for note in &broken.notes {
            let _ = writeln!(text, "{}", show::one_line(&note.to_string()));
        }
        console.print(&text)?;
    }
    Ok(1)
}

/// Returns the note that says why a skill cannot be read: the first one of the highest severity.
fn reason(broken: &Broken) -> Option<&Note> {
    let highest = broken.notes.iter().map(|note| note.severity).max()?;
    broken.notes.iter().find(|note| note.severity == highest)
}

/// Returns a path as a text of JSON, in which a name that is not Unicode has replacement characters.
pub(super) fn lossy(path: &Path) -> String {
    path.display().to_string()
}

fn shown(path: &Path) -> String {
    show::one_line(&path.display().to_string())
}
