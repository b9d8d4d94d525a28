//! What models get in the turns that both projects declare: in each preset, with each declared value of a fact, and with all tools.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use serde_json::{Value, json};
use toolc::FactValue;
use toolc_codegen::Checked;
use toolc_codegen::catalog::{FactId, Tool, ToolId};
use toolc_codegen::conditional_json::CondJson;
use toolc_codegen::dialects::{self, Dialect};
use toolc_codegen::lower::definition;

use crate::codes;
use crate::finding::Finding;
use crate::snapshot::{CompiledProject, Extent, Snapshot};

/// A turn that a project declares.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    /// All tools, and the default of each fact.
    Default,
    /// The tools of a preset.
    Preset(String),
    /// All tools, and another value of a fact, as text.
    Fact(String, String),
}

impl Turn {
    fn shown(&self) -> String {
        match self {
            Self::Default => "the turn with all tools".to_owned(),
            Self::Preset(name) => format!("the preset `{name}`"),
            Self::Fact(name, value) => format!("`{name}` = `{value}`"),
        }
    }
}

/// The members and the facts of a turn in one catalog.
struct View<'c> {
    catalog: &'c Checked,
    members: Vec<bool>,
    facts: Vec<(FactId, FactValue)>,
}

/// Returns the changes in what models get.
pub(crate) fn turns(before: &Snapshot, after: &Snapshot) -> Vec<Finding> {
    match (&before.project, &after.project) {
        (Some(old), Some(new)) => in_projects((before, old), (after, new)),
        (None, Some(new)) if before.extent == (Extent::Bundle { has_default_turn: true }) => in_bundle(before, new),
        _ => Vec::new(),
    }
}

fn in_projects(
    (before, old): (&Snapshot, &CompiledProject),
    (after, new): (&Snapshot, &CompiledProject),
) -> Vec<Finding> {
    let names = |catalog: &Checked| declared(catalog).into_iter().collect::<BTreeSet<Turn>>();
    let common: Vec<Turn> = names(&old.catalog).intersection(&names(&new.catalog)).cloned().collect();
    let views: Vec<(Turn, [View<'_>; 2])> =
        common.into_iter().map(|turn| (turn.clone(), [view(&old.catalog, &turn), view(&new.catalog, &turn)])).collect();
    let mut findings: Vec<Finding> = views.iter().filter_map(|(turn, views)| members(turn, views)).collect();
    let dialects: Vec<&'static Dialect> = old.catalog.settings().dialects.clone();
    let dialects =
        dialects.into_iter().filter(|one| new.catalog.settings().dialects.iter().any(|two| one.name == two.name));
    let dialects: Vec<&'static Dialect> = dialects.collect();
    let old_tools: BTreeMap<&str, (ToolId, &Tool)> =
        old.catalog.tools().map(|(id, tool)| (tool.name(), (id, tool))).collect();
    let pairs: Vec<(&Tool, &Tool)> =
        new.catalog.tools().filter_map(|(_, tool)| Some((old_tools.get(tool.name())?.1, tool))).collect();
    let compared = pairs.into_par_iter().filter_map(|(one, two)| {
        // Only what depends on the turn can differ if the entries are equal.
        let is_equal = before.tools().get(one.name()) == after.tools().get(two.name());
        let is_fixed = two.atoms.is_empty() && two.facts.is_empty();
        if is_equal && is_fixed { None } else { definitions([one, two], &dialects, &views) }
    });
    findings.extend(compared.collect::<Vec<_>>());
    for gone in old.catalog.settings().dialects.iter().filter(|one| !dialects.iter().any(|two| one.name == two.name)) {
        let reason = "the project has no definitions in this dialect any more: see `dialects` in toolc.toml";
        findings.push(Finding::new(codes::FORM, "dialects", gone.name, reason));
    }
    findings
}

/// Returns the turns that a project declares.
fn declared(catalog: &Checked) -> Vec<Turn> {
    let mut turns = vec![Turn::Default];
    let presets = catalog.toolsets().filter(|(_, toolset)| toolset.manifest.is_preset());
    turns.extend(presets.map(|(_, toolset)| Turn::Preset(toolset.name().to_owned())));
    for fact in catalog.facts() {
        let values = fact.values.iter().map(|value| value.value.clone());
        let flag = match fact.default {
            FactValue::Boolean(flag) => Some((!flag).to_string()),
            _ => None,
        };
        turns.extend(values.chain(flag).map(|value| Turn::Fact(fact.name.value.clone(), value)));
    }
    turns
}

fn view<'c>(catalog: &'c Checked, turn: &Turn) -> View<'c> {
    let mut members = catalog.everything().clone();
    let mut facts = Vec::new();
    match turn {
        Turn::Default => {}
        Turn::Preset(name) => {
            members.fill(false);
            if let Some((id, _)) = catalog.toolsets().find(|(_, toolset)| toolset.name() == name) {
                catalog.resolve(id).iter().for_each(|tool| members[tool.0] = true);
            }
        }
        Turn::Fact(name, value) => {
            let found = catalog.facts().iter().position(|fact| fact.name.value == *name);
            facts.extend(found.and_then(|id| Some((FactId(id), catalog.facts()[id].default.parse_same_type(value)?))));
            members.fill(true);
        }
    }
    let members = catalog.shown_with_facts(members, &facts);
    View { catalog, members, facts }
}

/// Compares the tools that a turn shows.
fn members(turn: &Turn, views: &[View<'_>; 2]) -> Option<Finding> {
    let names = |view: &View<'_>| -> Vec<String> {
        let shown = view.catalog.tools().filter(|(id, _)| view.members[id.0]);
        shown.map(|(_, tool)| tool.name().to_owned()).collect()
    };
    let [old, new] = [names(&views[0]), names(&views[1])];
    // A tool that was added or removed has a finding of its own.
    let exists = |view: &View<'_>, name: &str| view.catalog.tools().any(|(_, tool)| tool.name() == name);
    let gone: Vec<&String> = old.iter().filter(|name| !new.contains(name) && exists(&views[1], name)).collect();
    let come: Vec<&String> = new.iter().filter(|name| !old.contains(name) && exists(&views[0], name)).collect();
    if gone.is_empty() && come.is_empty() {
        return None;
    }
    let (list, name) = match turn {
        Turn::Default => ("turns", "default"),
        Turn::Preset(name) => ("toolsets", name.as_str()),
        Turn::Fact(name, _) => ("facts", name.as_str()),
    };
    let reason = format!("{} shows other tools", turn.shown());
    Some(Finding::new(codes::SHOWN, list, name, reason).change(&json!(gone), &json!(come)))
}

/// Compares the definitions of a tool in all dialects and turns.
fn definitions(tools: [&Tool; 2], dialects: &[&'static Dialect], views: &[(Turn, [View<'_>; 2])]) -> Option<Finding> {
    let (mut changed, mut turns, mut example) = (Vec::new(), BTreeSet::new(), None);
    for dialect in dialects {
        let catalogs = [views.first()?.1[0].catalog, views.first()?.1[1].catalog];
        let lowered = [0, 1].map(|side| definition(dialect, catalogs[side], tools[side]).definition);
        for (turn, sides) in views {
            let texts = [0, 1]
                .map(|side| lowered[side].as_ref().map(|json| rendered(dialect, &sides[side], tools[side], json)));
            if texts[0] != texts[1] {
                turns.insert(turn.shown());
                if changed.last() != Some(&dialect.name) {
                    changed.push(dialect.name);
                }
                example.get_or_insert(texts);
            }
        }
    }
    let [before, after] = example?;
    let turns: Vec<String> = turns.into_iter().collect();
    let all = if changed.len() == dialects.len() { "every dialect".to_owned() } else { changed.join(", ") };
    let reason = format!("the definition has changed in {all} (turns: {})", listed(&turns));
    Some(Finding::new(codes::DEFINITION, "tools", tools[1].name(), reason).change(&json!(before), &json!(after)))
}

fn rendered(dialect: &Dialect, view: &View<'_>, tool: &Tool, json: &CondJson) -> String {
    let values = view.catalog.turn_values_with_facts(tool, &view.members, &view.facts);
    dialect.written(values.render(&json.segments()))
}

/// Lists at most three.
fn listed(items: &[String]) -> String {
    match items {
        [first, second, third, rest @ ..] if !rest.is_empty() => {
            format!("{first}, {second}, {third} and {} more", rest.len())
        }
        items => items.join(", "),
    }
}

/// Compares the definitions of a bundle with those of the project in the same turn.
fn in_bundle(bundle: &Snapshot, new: &CompiledProject) -> Vec<Finding> {
    let view = View { catalog: &new.catalog, members: new.catalog.everything().clone(), facts: Vec::new() };
    let mut changed: BTreeMap<&str, (Vec<&str>, Value, Value)> = BTreeMap::new();
    for ((dialect, tool), before) in &bundle.definitions {
        let Some(dialect) = dialects::find(dialect) else { continue };
        let Some((_, found)) = new.catalog.tools().find(|(_, other)| other.name() == tool) else { continue };
        let json = definition(dialect, &new.catalog, found).definition;
        let after = json.map(|json| rendered(dialect, &view, found, &json));
        // The files are indented.
        let canonical = |text: &str| {
            serde_json::from_str::<Value>(text).map_or_else(|_| text.trim().to_owned(), |json| json.to_string())
        };
        if after.as_deref().map(canonical).as_deref() != Some(canonical(before).as_str()) {
            let entry = changed.entry(tool).or_insert_with(|| (Vec::new(), json!(before), json!(after)));
            entry.0.push(dialect.name);
        }
    }
    let finding = |(tool, (dialects, before, after)): (&str, (Vec<&str>, Value, Value))| {
        let reason =
            format!("the definition has changed in {} (turns: {})", dialects.join(", "), Turn::Default.shown());
        Finding::new(codes::DEFINITION, "tools", tool, reason).change(&before, &after)
    };
    changed.into_iter().map(finding).collect()
}
