//! Decides what happens to each file: nothing that a person wrote is replaced.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::json;
use toolc_codegen::source::Kind;
use toolc_codegen::{Failure, Sources};

use crate::manifest;
use crate::merge::merge;
use crate::name;
use crate::print;
use crate::record::{Imported, Record};
use crate::report::{Deed, Effect, Report};
use crate::schema::Style;
use crate::sound;
use crate::tool::Source;

/// How to import.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// The toolset of the tools.
    pub toolset: String,
    /// The prefix of their names, if one was given.
    pub prefix: Option<String>,
    /// Whether objects that do not say so accept no further properties.
    pub closed: bool,
    /// Whether manifests of an earlier import get what is new in the source.
    pub update: bool,
    /// Whether a name of the source is chosen.
    pub chosen: Chosen,
}

/// Which tools of the source are chosen, by name.
#[derive(Debug, Clone, Default)]
pub struct Chosen {
    /// The tools to import; none: all.
    pub only: Option<globset::GlobSet>,
    /// The tools to leave out.
    pub except: Option<globset::GlobSet>,
}

impl Chosen {
    /// Returns whether a tool is chosen.
    pub fn has(&self, name: &str) -> bool {
        let is_in = |globs: &globset::GlobSet| globs.is_match(Path::new(name));
        self.only.as_ref().is_none_or(is_in) && !self.except.as_ref().is_some_and(is_in)
    }
}

/// What is to be written.
#[derive(Debug, Default)]
pub struct Plan {
    /// The report.
    pub report: Report,
    /// The files to write, by path.
    pub writes: BTreeMap<String, String>,
    /// The files to remove.
    pub removes: BTreeSet<String>,
    /// What the source gives now, by name.
    pub tools: BTreeMap<String, Imported>,
    /// The record as it was.
    pub before: Option<Record>,
}

/// Converts the tools of a source, and decides what happens to each file.
///
/// # Errors
/// If the project or the record cannot be read, the toolset cannot have this name, or the project would have errors elsewhere.
pub fn plan(root: &Path, source: &Source, choice: &Choice) -> Result<Plan, Failure> {
    let sources = Sources::scan(root)?;
    let mut plan = Plan { before: Record::read(root, &choice.toolset)?, ..Plan::default() };
    for (pointer, why) in &source.broken {
        plan.report.left_out("", pointer, "", why.clone());
    }
    for note in &source.notes {
        plan.report.add("", "", "", note.clone(), Effect::Same);
    }
    plan.convert(&sources, source, choice)?;
    let record = plan.before.clone().unwrap_or_default();
    let is_listed = |tool: &Imported| source.tools.iter().any(|other| other.name == tool.source);
    let has_moved_away = !record.tools.is_empty() && !record.tools.values().any(is_listed);
    if has_moved_away {
        let message = format!(
            "{} is of another source, `{}`: no tool is in both. Import into another toolset: --toolset NAME",
            Record::path(&choice.toolset),
            record.source
        );
        return Err(Failure::new(message));
    }
    plan.tools_of_project(&sources, &record, choice)?;
    plan.gone(&sources, &record, source, choice);
    plan.toolset(&sources, source, &choice.toolset)?;
    plan.variables(&sources, source)?;
    plan.compile(&sources)?;
    plan.remember(&record, source, choice);
    Ok(plan)
}

fn tool_path(name: &str) -> String {
    format!("{}{name}.toml", Kind::Tool.place())
}

fn text_of(sources: &Sources, path: &str) -> Option<String> {
    sources.all().iter().find(|source| source.path == path).map(|source| source.text.to_string())
}

impl Plan {
    /// Converts the chosen tools.
    fn convert(&mut self, sources: &Sources, source: &Source, choice: &Choice) -> Result<(), Failure> {
        let chosen: Vec<_> = source.tools.iter().filter(|tool| choice.chosen.has(&tool.name)).collect();
        let record = self.before.clone().unwrap_or_default();
        let known = record.tools.iter().map(|(name, tool)| (tool.source.clone(), name.clone())).collect();
        let stems =
            sources.all().iter().filter(|source| source.kind == Some(Kind::Tool)).map(|source| source.stem.clone());
        let taken = stems.filter(|stem| !record.tools.contains_key(stem)).collect();
        let prefix = choice.prefix.as_deref().unwrap_or(&record.prefix);
        let wanted: Vec<&str> = chosen.iter().map(|tool| tool.name.as_str()).collect();
        let names = name::assign(&wanted, prefix, &known, &taken);
        let style = Style { closed: choice.closed || record.closed };
        let mut others = sound::surroundings(sources, &choice.toolset);
        for (path, text) in Self::shared_files(sources, source, &choice.toolset)? {
            others = others.with_file(&path, &text);
        }
        for (tool, name) in chosen.into_iter().zip(names) {
            let mut report = Report::default();
            let table = manifest::tool(tool, &name, &choice.toolset, style, &mut report);
            let pointer = |inner: &str| pointer_in_source(inner, tool.arguments_at);
            let text =
                table.and_then(|mut table| sound::settle(&tool.name, &pointer, &mut table, &others, &mut report));
            match text {
                Ok(text) => {
                    if *name != *tool.name {
                        let done = format!("named `{name}`");
                        self.report.add(&tool.name, "/name", tool.name.clone(), done, Effect::Same);
                    }
                    self.report.changes.append(&mut report.changes);
                    self.tools.insert(name, Imported { source: tool.name.clone(), manifest: text });
                }
                Err(why) => self.report.left_out(&tool.name, "", "", format!("the tool is not imported: {why}")),
            }
        }
        Ok(())
    }

    /// Returns the toolset and the variables as they will be, by path.
    fn shared_files(sources: &Sources, source: &Source, toolset: &str) -> Result<Vec<(String, String)>, Failure> {
        let mut shared = Self::default();
        shared.toolset(sources, source, toolset)?;
        shared.variables(sources, source)?;
        Ok(shared.writes.into_iter().collect())
    }

    /// Decides about the manifest of each tool.
    fn tools_of_project(&mut self, sources: &Sources, record: &Record, choice: &Choice) -> Result<(), Failure> {
        for (name, tool) in self.tools.clone() {
            let path = tool_path(&name);
            let (new, base) = (&tool.manifest, record.tools.get(&name).map(|tool| &tool.manifest));
            let deed = match (text_of(sources, &path), base) {
                (None, Some(base)) if choice.update => {
                    if base != new {
                        let done = "not written: its manifest was deleted here, and the source has changed it";
                        self.report.left_out(&tool.source, "", "", done);
                    }
                    Deed::Kept
                }
                (None, _) => {
                    self.writes.insert(path.clone(), new.clone());
                    Deed::Created
                }
                (Some(disk), _) if disk == *new => Deed::Unchanged,
                (Some(_), Some(base)) if base == new => Deed::Unchanged,
                (Some(disk), Some(base)) if choice.update => self.merged(&tool, base, &disk, &path)?,
                (Some(_), _) => {
                    self.report.left_out(&tool.source, "", "", "the source has changed: run it again with --update");
                    Deed::Kept
                }
            };
            self.report.files.push((path, deed));
        }
        Ok(())
    }

    fn merged(&mut self, tool: &Imported, base: &str, disk: &str, path: &str) -> Result<Deed, Failure> {
        let merged = merge(base, disk, &tool.manifest);
        let (text, conflicts) = merged.map_err(|why| Failure::new(format!("failed to merge {path}: {why}")))?;
        for conflict in conflicts {
            let side = |text: String| if text.is_empty() { "nothing".to_owned() } else { text };
            let done = format!("stays as it was edited; the source now has: {}", side(conflict.theirs));
            self.report.left_out(&tool.source, &conflict.pointer, side(conflict.ours), done);
        }
        let deed = match () {
            () if text == disk => Deed::Unchanged,
            () if base == disk => Deed::Changed,
            () => Deed::Merged,
        };
        if deed.writes() {
            self.writes.insert(path.to_owned(), text);
        }
        Ok(deed)
    }

    /// Decides about tools that the source no longer has.
    fn gone(&mut self, sources: &Sources, record: &Record, source: &Source, choice: &Choice) {
        let is_listed = |name: &str| source.tools.iter().any(|tool| tool.name == name);
        for (name, tool) in &record.tools {
            if is_listed(&tool.source) || !choice.chosen.has(&tool.source) {
                continue;
            }
            let path = tool_path(name);
            let Some(disk) = text_of(sources, &path) else { continue };
            let deed = if choice.update && disk == tool.manifest {
                self.removes.insert(path.clone());
                Deed::Removed
            } else {
                let done = if choice.update {
                    "the source no longer has the tool, and its manifest has edits: it stays"
                } else {
                    "the source no longer has the tool: run it again with --update"
                };
                self.report.left_out(&tool.source, "", "", done);
                Deed::Kept
            };
            self.report.files.push((path, deed));
        }
    }

    /// Adds the toolset, unless the project has it.
    fn toolset(&mut self, sources: &Sources, source: &Source, name: &str) -> Result<(), Failure> {
        let path = format!("{}{name}.toml", Kind::Toolset.place());
        if text_of(sources, &path).is_some() {
            return Ok(());
        }
        let description = format!("The tools of {}.", crate::schema::template(&source.label));
        let table = json!({ "name": name, "description": description });
        let text = print::manifest(Kind::Toolset, table.as_object().unwrap_or(&serde_json::Map::new()));
        self.writes.insert(path.clone(), text.map_err(Failure::new)?);
        self.report.files.push((path, Deed::Created));
        Ok(())
    }

    /// Declares the environment variables of the tools that the project does not declare.
    fn variables(&mut self, sources: &Sources, source: &Source) -> Result<(), Failure> {
        let path = Kind::Env.place().to_owned();
        let before = text_of(sources, &path);
        let mut text = before.clone().unwrap_or_else(|| "#:schema ../generated/manifest/env.schema.json\n".to_owned());
        for (name, description) in &source.env {
            let header = format!("[env.{name}]");
            if !text.lines().any(|line| line.trim() == header) {
                let description = toml_edit::Value::from(description.as_str());
                text += &format!("\n{header}\ndescription = {description}\n");
            }
        }
        if source.env.is_empty() || before.as_deref() == Some(text.as_str()) {
            return Ok(());
        }
        let text = toolc_codegen::format::format(Some(Kind::Env), &text);
        let text = text.ok_or_else(|| Failure::new(format!("{path} is not valid TOML: `lint` shows the errors")))?;
        self.writes.insert(path.clone(), text);
        self.report.files.push((path, if before.is_some() { Deed::Changed } else { Deed::Created }));
        Ok(())
    }

    /// Leaves out the tools with which the project does not compile.
    fn compile(&mut self, sources: &Sources) -> Result<(), Failure> {
        for _ in 0..=self.tools.len() {
            let errors = sound::project(sources, &self.writes, &self.removes);
            if errors.ours.is_empty() {
                return match errors.others.first() {
                    None => Ok(()),
                    Some(first) => {
                        Err(Failure::new(format!("nothing was written: the project would not compile: {first}")))
                    }
                };
            }
            for (path, why) in errors.ours {
                let name = path.strip_prefix(Kind::Tool.place()).and_then(|name| name.strip_suffix(".toml"));
                let Some(tool) = name.and_then(|name| self.tools.remove(name)) else {
                    return Err(Failure::new(format!("nothing was written: {path} would not compile: {why}")));
                };
                self.writes.remove(&path);
                self.report.files.retain(|(other, _)| *other != path);
                self.report.left_out(&tool.source, "", "", format!("the tool is not written: {why}"));
            }
        }
        Ok(())
    }

    /// Adds the new record.
    fn remember(&mut self, record: &Record, source: &Source, choice: &Choice) {
        let mut new = Record {
            source: source.label.clone(),
            closed: choice.closed || record.closed,
            prefix: choice.prefix.clone().unwrap_or_else(|| record.prefix.clone()),
            tools: record.tools.clone(),
        };
        let kept: Vec<&String> =
            self.report.files.iter().filter(|(_, deed)| *deed == Deed::Kept).map(|(path, _)| path).collect();
        for (name, tool) in &self.tools {
            // Without an update, the base of a manifest that stays is the source that it came from.
            if choice.update || !kept.contains(&&tool_path(name)) {
                new.tools.insert(name.clone(), tool.clone());
            }
        }
        new.tools.retain(|name, _| !self.removes.contains(&tool_path(name)));
        if new.tools.is_empty() || Some(&new) == self.before.as_ref() {
            return;
        }
        let path = Record::path(&choice.toolset);
        let deed = if self.before.is_some() { Deed::Changed } else { Deed::Created };
        self.writes.insert(path.clone(), new.to_text());
        self.report.files.push((path, deed));
    }

    /// Returns how the source differs from what was imported last.
    pub fn moved(&self, choice: &Choice, source: &Source) -> Report {
        let mut report = Report::default();
        let record = self.before.clone().unwrap_or_default();
        if self.before.is_none() {
            report.left_out("", "", "", format!("nothing was imported into the toolset `{}`", choice.toolset));
            return report;
        }
        for (name, tool) in &self.tools {
            match record.tools.get(name) {
                None => report.left_out(&tool.source, "", "", "the source has a new tool"),
                Some(old) if old.manifest != tool.manifest => {
                    report.left_out(
                        &tool.source,
                        "",
                        first_difference(&old.manifest, &tool.manifest),
                        "the source has changed it",
                    );
                }
                Some(_) => {}
            }
        }
        for tool in record.tools.values().filter(|tool| choice.chosen.has(&tool.source)) {
            if !source.tools.iter().any(|other| other.name == tool.source) {
                report.left_out(&tool.source, "", "", "the source no longer has it");
            }
        }
        report
    }
}

/// Returns the first line that differs.
fn first_difference(old: &str, new: &str) -> String {
    let known: BTreeSet<&str> = old.lines().collect();
    let line = new.lines().find(|line| !known.contains(line));
    let new_lines: BTreeSet<&str> = new.lines().collect();
    let gone = || old.lines().find(|line| !new_lines.contains(line));
    line.map(|line| format!("+ {line}")).or_else(|| gone().map(|line| format!("- {line}"))).unwrap_or_default()
}

/// Returns the place in a definition of a place in a manifest.
fn pointer_in_source(pointer: &str, arguments_at: &str) -> String {
    match pointer.strip_prefix("/params") {
        Some(rest) => format!("{arguments_at}/properties{rest}"),
        None => match (pointer.strip_prefix("/schema"), pointer.strip_prefix("/returns")) {
            (Some(rest), _) => format!("{arguments_at}{rest}"),
            (_, Some(rest)) => format!("/outputSchema{rest}"),
            _ => pointer.to_owned(),
        },
    }
}
