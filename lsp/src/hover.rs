//! Hover: what a key means, and what a tool or toolset is.

use toolc::catalog::estimated_tokens;
use toolc_codegen::catalog::{Catalog, Tool, ToolId, ToolsetId};
use toolc_codegen::diagnostic::{At, ticked};
use toolc_codegen::dialects::{self, Dialect, Language};
use toolc_codegen::lint::all_codes;
use toolc_codegen::lower::{DefinitionSizes, definition};
use toolc_codegen::manifest::RequiresManifest;
use toolc_codegen::source::{Kind, Source};

use crate::graph::Graph;
use crate::names::Symbol;
use crate::scan::{Role, scan};
use crate::vocabulary::{Target, key, target};

/// The maximum number of bytes of a definition that is shown.
const MAX_DEFINITION: usize = 6_000;

/// The maximum number of dialects whose tokens are shown.
const MAX_DIALECTS: usize = 4;

/// Returns the documentation of the key at a byte.
pub(crate) fn of_key(source: &Source, offset: usize) -> Option<String> {
    let kind = source.kind?;
    let found = scan(&source.text);
    let node = found.at(offset).filter(|node| matches!(node.role, Role::Header | Role::Key))?;
    let key = key(kind, &node.path)?;
    Some(format!("`{}`: {}\n\n{}", key.name, key.key_type.expected(), key.documentation()))
}

/// Returns the documentation of a rule or error.
pub(crate) fn of_code(code: &str) -> Option<String> {
    all_codes().find(|other| other.id == code).map(|code| code.markdown())
}

/// Returns what a name refers to, from the last complete graph.
pub(crate) fn of_symbol(graph: &Graph, symbol: &Symbol, dialect: Option<&str>) -> Option<String> {
    match symbol.target {
        Target::Tool => Some(of_tool(graph, graph.tool(&symbol.name)?, dialect)),
        Target::Toolset => Some(of_toolset(&graph.catalog, graph.toolset(&symbol.name)?)),
        Target::Fact => {
            let fact = graph.catalog.facts().iter().find(|fact| fact.name.value == symbol.name)?;
            let values: Vec<&str> = fact.values.iter().map(|value| value.value.as_str()).collect();
            let values =
                if values.is_empty() { String::new() } else { format!("\n\nValues: {}", ticked(&values, ", ")) };
            Some(format!(
                "fact `{}`, by default {}\n\n{}{values}",
                fact.name.value,
                fact.default.noun(),
                fact.description
            ))
        }
        Target::Variable => {
            let variable = graph.catalog.variables().iter().find(|variable| variable.name.value == symbol.name)?;
            Some(format!("environment variable `{}`\n\n{}", variable.name.value, variable.description))
        }
        Target::Dialect => dialects::find(&symbol.name).map(|dialect| format!("dialect `{}`", dialect.name)),
        Target::Parameter => None,
    }
}

fn of_tool(graph: &Graph, id: ToolId, dialect: Option<&str>) -> String {
    let (catalog, tool) = (&graph.catalog, &graph.catalog[id]);
    let dialect = dialect.and_then(dialects::find).unwrap_or(catalog.settings().first_dialect);
    let mut text = format!("tool `{}` of the toolset `{}`\n\n", tool.name(), catalog[tool.home].name());
    match written(catalog, tool, dialect) {
        Some(definition) => {
            let language = if dialect.language == Language::Json { "json" } else { "typescript" };
            let end = definition.floor_char_boundary(MAX_DEFINITION.min(definition.len()));
            let rest = if end < definition.len() { "\n..." } else { "" };
            text += &format!("{}:\n\n```{language}\n{}{rest}\n```\n", dialect.name, &definition[..end]);
        }
        None => {
            text += &format!("`{}` does not accept the name of the tool or of a required parameter.\n", dialect.name);
        }
    }
    text + "\n" + &tokens(catalog, tool) + "\n\n" + &visibility(graph, id)
}

/// Returns the definition of a tool in a dialect as it is sent, with everything in its texts.
fn written(catalog: &Catalog, tool: &Tool, dialect: &'static Dialect) -> Option<String> {
    let document = definition(dialect, catalog, tool).definition?;
    let values = catalog.full_turn_values(tool);
    Some(match dialect.language {
        Language::Json => format!("{:#}", values.value(&document)),
        Language::TypeScript => dialect.written(values.render(&document.segments())),
    })
}

/// Returns an estimate of the tokens of a tool's definition in the first dialects of the project.
pub(crate) fn tokens(catalog: &Catalog, tool: &Tool) -> String {
    let all = &catalog.settings().dialects;
    let size = |dialect: &'static Dialect| {
        let document = definition(dialect, catalog, tool).definition?;
        let text = dialect.written(catalog.full_turn_values(tool).value(&document).to_string());
        Some(format!("{} in {}", estimated_tokens(text.len()), dialect.name))
    };
    let sizes: Vec<String> = all.iter().take(MAX_DIALECTS).filter_map(|dialect| size(dialect)).collect();
    format!("About {} tokens", sizes.join(", "))
}

/// Returns an estimate of the tokens of a toolset's definitions.
pub(crate) fn toolset_tokens(catalog: &Catalog, id: ToolsetId) -> String {
    let tools = catalog.resolve(id);
    let tokens = DefinitionSizes::new(catalog).tokens(tools);
    let noun = if tools.len() == 1 { "tool" } else { "tools" };
    format!("{} {noun}, about {tokens} tokens", tools.len())
}

fn of_toolset(catalog: &Catalog, id: ToolsetId) -> String {
    const MAX_LISTED: usize = 40;
    let toolset = &catalog[id];
    let tools: Vec<&str> = catalog.resolve(id).iter().map(|id| catalog[*id].name()).collect();
    let more = tools.len().saturating_sub(MAX_LISTED);
    let listed = ticked(&tools[..tools.len() - more], ", ");
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(
        "toolset `{}`: {}\n\n{}\n\n{listed}{more}",
        toolset.name(),
        toolset_tokens(catalog, id),
        toolset.manifest.description
    )
}

/// Returns when a tool is shown, and whether it is hidden if every fact has its default.
fn visibility(graph: &Graph, id: ToolId) -> String {
    let (catalog, tool) = (&graph.catalog, &graph.catalog[id]);
    let shown = catalog.shown(vec![true; catalog.tools().count()]);
    let mut needs = Vec::new();
    for requires in [&tool.manifest.requires, &catalog[tool.home].manifest.requires] {
        needs.extend(conditions(graph, requires));
    }
    let mut text = match (shown.get(id.0), needs.is_empty()) {
        (Some(false), _) => "Hidden if every fact has its default.".to_owned(),
        (_, true) => "Always shown in a turn that grants it.".to_owned(),
        (_, false) => "Shown in a turn that grants it if its requirements are met.".to_owned(),
    };
    for need in needs {
        text += &format!("\n- {need}");
    }
    text
}

/// Returns the requirements as phrases.
fn conditions(graph: &Graph, requires: &RequiresManifest) -> Vec<String> {
    let listed = |title: &str, names: &[At<String>], last: &str| {
        let names: Vec<&str> = names.iter().map(|name| name.value.as_str()).collect();
        (!names.is_empty()).then(|| format!("{title}: {}{last}", ticked(&names, ", ")))
    };
    let when = requires.when.as_ref().map(|when| {
        let text = graph.sources.get(when.place.source).text.get(when.place.span()).unwrap_or_default();
        format!("condition: `{}`", text.trim_matches(['"', '\'']))
    });
    let any = (!requires.any.is_empty()).then(|| format!("one of {} alternatives", requires.any.len()));
    let check = requires.checked().map(|_| "the check of the handlers".to_owned());
    let names = [
        listed("environment variables", &requires.env, ""),
        listed("environment variables", &requires.any_env, " (one of them)"),
        listed("programs in `PATH`", &requires.programs, ""),
        listed("tools in the turn", &requires.tools, ""),
        listed("tools in the turn", &requires.any_tools, " (one of them)"),
        listed("operating systems", &requires.os, " (one of them)"),
    ];
    names.into_iter().chain([when, any, check]).flatten().collect()
}

/// Returns the title of the line above the name of a manifest.
pub(crate) fn lens(graph: &Graph, source: &Source) -> Option<(usize, String)> {
    let found = scan(&source.text);
    let kind = source.kind?;
    let node = found.nodes.iter().find(|node| node.role == Role::Text && node.path == ["name"])?;
    let name = &source.text[node.range.clone()];
    let title = match target(kind, &node.path, false)? {
        Target::Tool => tokens(&graph.catalog, &graph.catalog[graph.tool(name)?]),
        Target::Toolset => toolset_tokens(&graph.catalog, graph.toolset(name)?),
        _ => return None,
    };
    debug_assert!(matches!(kind, Kind::Tool | Kind::Toolset));
    Some((node.range.start, title))
}
