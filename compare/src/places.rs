//! Finds the places of findings in manifests.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toolc_codegen::diagnostic::SourceId;

use crate::finding::{Finding, Spot};
use crate::snapshot::CompiledProject;

/// The keys of the catalog that have another name in manifests, and the pointers of these.
const RENAMED: &[(&str, &str)] = &[
    ("/timeout_ms", "/timeout"),
    ("/parameters", "/params"),
    ("/conditional", "/params"),
    ("/direct", "/tools"),
    ("/resolved", "/includes"),
    ("/default_turn", ""),
];

/// The files of the entries of a project.
pub(crate) struct Places<'p> {
    project: &'p CompiledProject,
    files: OnceLock<BTreeMap<(&'static str, String), SourceId>>,
}

impl<'p> Places<'p> {
    pub(crate) fn new(project: &'p CompiledProject) -> Self {
        Self { project, files: OnceLock::new() }
    }

    /// Returns where a finding is: the key that it names, or the nearest one around it.
    pub(crate) fn of(&self, finding: &Finding) -> Option<Spot> {
        let files = self.files.get_or_init(|| files(self.project));
        let source = files.get(&(finding.list, finding.name.clone()))?;
        let file = self.project.sources.get(*source);
        let prefix = match finding.list {
            "facts" => format!("/facts/{}", finding.name),
            "env" => format!("/env/{}", finding.name),
            _ => String::new(),
        };
        let at = RENAMED.iter().find_map(|(from, to)| Some(format!("{to}{}", finding.at.strip_prefix(from)?)));
        let pointer = format!("{prefix}{}", at.as_ref().unwrap_or(&finding.at));
        let offset = offset_of(&file.text, &pointer);
        let before = &file.text[..file.text.floor_char_boundary(offset)];
        let line = before.rfind('\n').map_or(0, |newline| newline + 1);
        Some(Spot {
            path: file.path.clone(),
            line: before.matches('\n').count() + 1,
            column: before[line..].chars().count() + 1,
        })
    }
}

fn files(project: &CompiledProject) -> BTreeMap<(&'static str, String), SourceId> {
    let catalog = &project.catalog;
    let mut files = BTreeMap::new();
    let mut add = |list, name: &str, source| files.insert((list, name.to_owned()), source);
    for (_, tool) in catalog.tools() {
        add("tools", tool.name(), tool.manifest.name.place.source);
    }
    for (_, toolset) in catalog.toolsets() {
        add("toolsets", toolset.name(), toolset.manifest.name.place.source);
    }
    for fact in catalog.facts() {
        add("facts", &fact.name.value, fact.name.place.source);
    }
    for variable in catalog.variables() {
        add("env", &variable.name.value, variable.name.place.source);
    }
    for distribution in catalog.distributions() {
        add("distributions", &distribution.manifest.name.value, distribution.manifest.name.place.source);
    }
    for commands in catalog.commands() {
        add("commands", &commands.name.value, commands.name.place.source);
    }
    files
}

/// Returns the offset of the key that a JSON Pointer names, or of the last key on the way to it that exists.
fn offset_of(text: &str, pointer: &str) -> usize {
    let (document, _) = DeTable::parse_recoverable(text);
    let mut table = document.get_ref();
    let mut offset = 0;
    for name in pointer.split('/').skip(1) {
        let name = name.replace("~1", "/").replace("~0", "~");
        let Some((key, value)) = table.iter().find(|(key, _)| *key.get_ref() == name) else { break };
        offset = start(text, key, value);
        match value.get_ref() {
            DeValue::Table(inner) => table = inner,
            _ => break,
        }
    }
    offset
}

/// Returns where a key begins: its header, if the value is a table with one.
fn start(text: &str, key: &Spanned<std::borrow::Cow<'_, str>>, value: &Spanned<DeValue<'_>>) -> usize {
    let begin = value.span().start;
    if value.get_ref().is_table() && text[begin..].starts_with('[') { begin } else { key.span().start }
}
