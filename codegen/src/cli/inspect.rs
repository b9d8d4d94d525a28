//! A project as the commands `list`, `resolve` and `show` see it: all manifests without errors, even if others have errors.

use std::collections::BTreeSet;
use std::path::PathBuf;

use toolc_tables::visible::visible;

use super::{Streams, find_root, print, unknown};
use crate::catalog::{Tool, Toolset, ToolsetId};
use crate::diagnostic::{Diagnostic, Level, SourceId};
use crate::failure::Failure;
use crate::lint::Options;
use crate::report::{Shown, plural};
use crate::source::{Kind, Sources};
use crate::timings::Timings;
use crate::{Catalog, inspect};

/// A project whose manifests may have errors.
pub(super) struct Inspected {
    pub(super) sources: Sources,
    /// The catalog. It lacks what could not be read.
    pub(super) catalog: Catalog,
    /// The findings, sorted by place.
    findings: Vec<Diagnostic>,
    /// The files with errors of the compiler. Findings of lint rules do not count, even if their level is `deny`.
    broken: BTreeSet<SourceId>,
}

impl Inspected {
    /// Reads the project, and prints the number of errors and their files to standard error.
    pub(super) fn open(root: Option<PathBuf>, streams: &mut Streams<'_>) -> Result<Self, Failure> {
        let sources = Sources::scan(&find_root(root)?)?;
        let (catalog, findings) = inspect(&sources, &Options::default(), None, &mut Timings::default());
        let broken = findings.iter().filter(|found| found.code.is_fixed()).map(|found| found.at.0.source).collect();
        let inspected = Self { sources, catalog, findings, broken };
        inspected.count_errors(streams)?;
        Ok(inspected)
    }

    /// Prints one line: `2 errors in manifests/tools/wait.toml: run ...`.
    fn count_errors(&self, streams: &mut Streams<'_>) -> Result<(), Failure> {
        const FILES: usize = 3;
        let errors = || self.findings.iter().filter(|found| found.level == Level::Error);
        let count = errors().count();
        if count == 0 {
            return Ok(());
        }
        let files: BTreeSet<SourceId> = errors().map(|found| found.at.0.source).collect();
        let mut names: Vec<String> = files.iter().take(FILES).map(|id| self.sources.display(*id)).collect();
        if files.len() > FILES {
            names.push(plural(files.len() - FILES, "other file"));
        }
        let text = format!("{} in {}: run `{} lint`", plural(count, "error"), names.join(", "), streams.program);
        print(streams.err, &format!("{}\n", visible(&text)))
    }

    /// Returns the tool with this name, or `None` if its manifest has errors, which are printed.
    pub(super) fn tool(&self, name: &str, streams: &mut Streams<'_>) -> Result<Option<&Tool>, Failure> {
        let tool = self.catalog.tools().map(|(_, tool)| tool).find(|tool| tool.name() == name);
        let files = self.files_of(Kind::Tool, name, tool.map(|tool| tool.manifest.name.place.source));
        match tool {
            Some(tool) if files.is_empty() && has_all_names(tool) => Ok(Some(tool)),
            None if files.is_empty() => match self.catalog.toolsets().find(|(_, toolset)| toolset.is_called(name)) {
                Some(_) => {
                    let text = format!("`{name}` is a toolset: `{} resolve {name}` lists its tools", streams.program);
                    Err(Failure::new(text))
                }
                None => Err(unknown("tool", name, self.catalog.tools().map(|(_, tool)| tool.name()))),
            },
            Some(_) if files.is_empty() => {
                let text = format!("error: `{name}` depends on a declaration that has errors\n");
                print(streams.err, &text).map(|()| None)
            }
            _ => self.print_errors(&files, streams).map(|()| None),
        }
    }

    /// Returns whether the texts of a tool can be evaluated.
    pub(super) fn is_sound(&self, tool: &Tool) -> bool {
        has_all_names(tool) && !self.broken.contains(&tool.manifest.name.place.source)
    }

    /// Returns the toolset with this name or alias, or `None` if no manifest that could be read declares it.
    pub(super) fn toolset(&self, name: &str, streams: &mut Streams<'_>) -> Result<Option<ToolsetId>, Failure> {
        let found = self.catalog.toolsets().find(|(_, toolset)| toolset.is_called(name));
        let files = self.files_of(Kind::Toolset, name, None);
        match found {
            Some((id, _)) => Ok(Some(id)),
            None if files.is_empty() => {
                Err(unknown("toolset", name, self.catalog.toolsets().map(|(_, toolset)| toolset.name())))
            }
            None => self.print_errors(&files, streams).map(|()| None),
        }
    }

    /// Returns whether a toolset resolves to all its tools: its own manifest and those of the toolsets that it contains
    /// have no errors. Otherwise prints the errors.
    pub(super) fn is_complete(&self, id: ToolsetId, streams: &mut Streams<'_>) -> Result<bool, Failure> {
        let mut files = BTreeSet::new();
        let (mut seen, mut open) = (BTreeSet::new(), vec![id]);
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let toolset = &self.catalog[id];
            let own = toolset.declared.then_some(toolset.manifest.name.place.source);
            files.extend(self.files_of(Kind::Toolset, toolset.name(), own));
            for (kind, name) in missing_names(toolset, &self.catalog) {
                files.extend(self.files_of(kind, name, None));
            }
            open.extend(toolset.edges().map(|(next, _)| next));
        }
        self.print_errors(&files, streams)?;
        Ok(files.is_empty())
    }

    /// Returns the files with errors that declare, or should declare, this name: `own`, and those with the name as stem.
    fn files_of(&self, kind: Kind, name: &str, own: Option<SourceId>) -> BTreeSet<SourceId> {
        let declares = |id: &&SourceId| {
            let source = self.sources.get(**id);
            own == Some(**id) || (source.kind == Some(kind) && source.stem == name)
        };
        self.broken.iter().filter(declares).copied().collect()
    }

    /// Prints the errors of these files.
    fn print_errors(&self, files: &BTreeSet<SourceId>, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let errors = self.findings.iter().filter(|found| found.code.is_fixed() && files.contains(&found.at.0.source));
        let errors: Vec<Diagnostic> = errors.cloned().collect();
        streams.report(&self.sources, &errors, Shown::Errors)
    }
}

/// Returns whether all names in the texts and conditions of a tool are known. A tool lacks them all if one is unknown.
fn has_all_names(tool: &Tool) -> bool {
    let names = &tool.manifest.atom_table;
    tool.atoms.len() == names.atoms.len() && tool.facts.len() == names.facts.len()
}

/// Returns the toolsets and tools that a toolset names and the catalog lacks.
fn missing_names<'t>(toolset: &'t Toolset, catalog: &Catalog) -> Vec<(Kind, &'t str)> {
    let manifest = &toolset.manifest;
    let toolsets = manifest.includes.iter().chain(&manifest.base);
    let toolsets = toolsets.filter(|name| !catalog.toolsets().any(|(_, known)| known.is_called(&name.value)));
    let tools = manifest.tools.iter().filter(|name| {
        let known = catalog.tools().any(|(_, tool)| tool.name() == name.value);
        !known && !catalog.external().contains(&name.value)
    });
    let toolsets = toolsets.map(|name| (Kind::Toolset, name.value.as_str()));
    toolsets.chain(tools.map(|name| (Kind::Tool, name.value.as_str()))).collect()
}
