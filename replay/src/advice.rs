//! Changes of manifests that would prevent what models get wrong most: other names of tools and parameters, and bounds that clamp.

use std::collections::BTreeSet;

use similar::Algorithm;
use similar::udiff::unified_diff;
use toml_edit::{Array, DocumentMut, Table};
use toolc::suggest::nearest_name;
use toolc_codegen::{Catalog, Checked, Sources, compile};

use crate::tally::Tally;

/// The fewest calls for which a change is proposed.
const MIN_CALLS: u64 = 3;
/// The most changes that are proposed.
const MAX_ADVICE: usize = 10;

/// A proposed change of a manifest.
#[derive(Debug)]
pub(crate) struct Advice {
    /// The calls that it would mend.
    calls: u64,
    pub reason: String,
    /// The change as a unified diff.
    pub diff: String,
}

/// Returns changes that would prevent refused calls, the most frequent first. Each of them compiles.
pub(crate) fn advice(sources: &Sources, catalog: &Checked, tally: &Tally) -> Vec<Advice> {
    let mut all = Vec::new();
    let names: BTreeSet<&str> = catalog.tools().map(|(_, tool)| tool.name()).collect();
    for (name, kind) in tally.unknown.by_count() {
        if let [tool] = nearest_name(name, names.iter().copied()).as_slice() {
            all.push(Mistake { calls: kind.count, tool, kind: Kind::ToolName { sent: name } });
        }
    }
    for (tool, of_tool) in &tally.tools {
        for (problem, kind) in of_tool.problems.by_count() {
            let Some(sent) = problem.path.strip_prefix('/').filter(|path| !path.contains(['/', '~'])) else { continue };
            let is_number = problem.got.parse::<f64>().is_ok();
            if let Some(meant) = meant(&problem.expected) {
                all.push(Mistake { calls: kind.count, tool, kind: Kind::Parameter { sent, meant } });
            } else if is_number && has_bounds(catalog, tool, sent) {
                all.push(Mistake { calls: kind.count, tool, kind: Kind::Bound { parameter: sent } });
            }
        }
    }
    all.retain(|mistake| mistake.calls >= MIN_CALLS);
    let mut advice: Vec<Advice> = merged(all).iter().filter_map(|mistake| mistake.advice(sources, catalog)).collect();
    advice.sort_by_key(|one| std::cmp::Reverse(one.calls));
    advice.truncate(MAX_ADVICE);
    advice
}

/// What models get wrong, and a change of the manifest prevents.
struct Mistake<'t> {
    calls: u64,
    tool: &'t str,
    kind: Kind<'t>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind<'t> {
    ToolName { sent: &'t str },
    Parameter { sent: &'t str, meant: &'t str },
    Bound { parameter: &'t str },
}

/// Adds up the calls of the same mistake, which differ in the values that were sent.
fn merged(all: Vec<Mistake<'_>>) -> Vec<Mistake<'_>> {
    let mut merged: Vec<Mistake<'_>> = Vec::new();
    for mistake in all {
        match merged.iter_mut().find(|known| known.tool == mistake.tool && known.kind == mistake.kind) {
            Some(known) => known.calls += mistake.calls,
            None => merged.push(mistake),
        }
    }
    merged
}

impl Mistake<'_> {
    /// Returns the change, or `None` if the manifest would not compile with it.
    fn advice(&self, sources: &Sources, catalog: &Checked) -> Option<Advice> {
        let (_, tool) = catalog.tools().find(|(_, tool)| tool.name() == self.tool)?;
        let source = sources.get(tool.manifest.name.place.source);
        let mut document: DocumentMut = source.text.parse().ok()?;
        let Self { calls, tool, kind } = self;
        let reason = match kind {
            Kind::ToolName { sent } => {
                add_alias(document.as_table_mut(), sent)?;
                format!("{calls} calls use the name `{sent}`: make it another name of `{tool}`")
            }
            Kind::Parameter { sent, meant } => {
                add_alias(parameter(&mut document, meant)?, sent)?;
                format!("{calls} calls of `{tool}` send `{sent}`: make it another name of `{meant}`")
            }
            Kind::Bound { parameter: name } => {
                parameter(&mut document, name)?.insert("clamp", toml_edit::value(true));
                format!("{calls} calls of `{tool}` exceed a bound of `{name}`: clamp the number")
            }
        };
        let changed = document.to_string();
        compile(&sources.with_file(&source.path, &changed)).catalog?;
        let diff = unified_diff(Algorithm::Myers, &source.text, &changed, 3, Some((&source.path, &source.path)));
        Some(Advice { calls: *calls, reason, diff })
    }
}

/// Adds a name to the key `aliases` of a table, which is created after the other keys.
fn add_alias(table: &mut Table, name: &str) -> Option<()> {
    let aliases = table.entry("aliases").or_insert(toml_edit::value(Array::new()));
    aliases.as_array_mut()?.push(name);
    Some(())
}

/// Returns the table of a parameter.
fn parameter<'d>(document: &'d mut DocumentMut, name: &str) -> Option<&'d mut Table> {
    document.get_mut("params")?.get_mut(name)?.as_table_mut()
}

/// Returns the only parameter that the description of an unknown argument suggests.
fn meant(expected: &str) -> Option<&str> {
    let near = expected.strip_prefix("no argument of this name (did you mean ")?.strip_suffix("?)")?;
    let name = near.trim_matches(['"', '`']);
    name.chars().all(|letter| letter.is_alphanumeric() || letter == '_').then_some(name)
}

/// Returns whether a parameter of a tool has a bound.
fn has_bounds(catalog: &Catalog, tool: &str, parameter: &str) -> bool {
    let found = catalog.tools().find(|(_, one)| one.name() == tool);
    let parameters = found.map(|(_, tool)| tool.manifest.parameters().full_value());
    let schema = parameters.and_then(|all| all.get("properties")?.get(parameter).cloned()).unwrap_or_default();
    ["minimum", "maximum"].iter().any(|key| schema.get(key).is_some())
}
