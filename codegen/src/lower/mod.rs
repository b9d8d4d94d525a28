//! The lower stage: converts the catalog to the data types of the runtime. Each tool is lowered once, on first use; the emitted Rust
//! and JSON both come from the result.

mod behaviour;
mod definition;
mod examples;
mod form;
pub(crate) mod python;
mod requires;
pub mod rewrites;
pub(crate) mod shape;
mod sizes;
mod table;
pub(crate) mod words;

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::OnceLock;

use toolc::__gen::pack::Pack as _;
use toolc::__gen::segment;
use toolc::catalog::Definition;
use toolc_lower::dialects::Dialect;

use crate::catalog::{Atom, Catalog, ExternalId, FactId, Tool, ToolId, Toolset, ToolsetId, VariableId};
use crate::check::Checked;

pub use definition::{Lowering, definition};
pub use form::{accepts, form, parameters};
pub use sizes::DefinitionSizes;
pub(crate) use table::{enum_values, lower_returns, lower_schema};
pub use toolc_lower::narrow;

use behaviour::lower_behaviour;
use requires::lower_requirements;

/// A catalog that is lowered to the types of the runtime on demand.
#[derive(Debug)]
pub struct Lowered<'c> {
    catalog: &'c Checked,
    tools: Vec<OnceLock<LoweredTool>>,
}

/// A tool in the types of the runtime.
#[derive(Debug)]
struct LoweredTool {
    tool: toolc::Tool,
    /// The definition in each dialect of the settings, in their order.
    definitions: Vec<Option<Definition>>,
}

impl Deref for Lowered<'_> {
    type Target = Checked;

    fn deref(&self) -> &Checked {
        self.catalog
    }
}

impl Lowered<'_> {
    /// Returns a tool in the type of the runtime.
    pub fn tool(&self, id: ToolId) -> &toolc::Tool {
        &self.lowered_tool(id).tool
    }

    /// Returns the definition of a tool in each dialect of the settings, or `None` if the dialect cannot express the tool.
    pub fn definitions(&self, id: ToolId) -> &[Option<Definition>] {
        &self.lowered_tool(id).definitions
    }

    fn lowered_tool(&self, id: ToolId) -> &LoweredTool {
        self.tools[id.0].get_or_init(|| {
            let definition_in = |dialect: &&'static Dialect| {
                Some(Definition::new(definition(dialect, self, &self[id]).definition?.segments()))
            };
            let definitions = self.settings().dialects.iter().map(definition_in).collect();
            LoweredTool { tool: lower_tool(self, &self[id]), definitions }
        })
    }

    /// Returns a text of everything that the files of other tools may contain about a tool. If the text is unchanged, so are those
    /// files.
    pub(crate) fn shared_facets(&self, id: ToolId) -> String {
        let tool = &self[id];
        let mut out = String::new();
        let names = |dialect: &&'static Dialect| text(tool.name_in(dialect.name));
        text(tool.name()).pack(&mut out);
        text(self[tool.home].name()).pack(&mut out);
        tool.manifest.execution.value.pack(&mut out);
        self.settings().dialects.iter().map(names).collect::<Vec<_>>().pack(&mut out);
        lower_requirements(self, &tool.requires, &tool.manifest.requires, &tool.atoms).pack(&mut out);
        out
    }

    /// Returns a fact in the type of the runtime.
    pub fn fact(&self, id: FactId) -> toolc::catalog::Fact {
        let fact = &self[id];
        toolc::catalog::Fact::new(text(&fact.name.value), fact.default.clone())
    }

    /// Returns an environment variable in the type of the runtime.
    pub fn variable(&self, id: VariableId) -> toolc::catalog::Variable {
        let variable = &self[id];
        toolc::catalog::Variable::new(text(&variable.name.value), text(&variable.description))
            .with_prompt(text(&variable.prompt))
            .with_url(text(variable.url.as_ref().map_or("", |url| &url.value)))
            .with_secret(variable.secret)
    }

    /// Returns a toolset in the type of the runtime.
    pub fn toolset(&self, id: ToolsetId) -> toolc::Toolset {
        lower_toolset(self, &self[id])
    }
}

/// Prepares a catalog for lowering. Each tool is lowered on first use.
pub fn lower(catalog: &Checked) -> Lowered<'_> {
    Lowered { catalog, tools: catalog.tools().map(|_| OnceLock::new()).collect() }
}

fn lower_tool(catalog: &Catalog, tool: &Tool) -> toolc::Tool {
    let manifest = &tool.manifest;
    let dialects = catalog.settings().dialects.iter().filter(|dialect| accepts(dialect, tool));
    // The runtime makes identifiers of own names itself, as it does for the tools of other providers.
    let declared = dialects.filter(|dialect| tool.overrides(dialect.name).is_some_and(|one| one.name.is_some()));
    let names = declared.filter_map(|dialect| Some((dialect.in_runtime()?, tool.name_in(dialect.name))));
    let other_names = names.filter(|(_, name)| *name != tool.name());
    let mut lowered = toolc::Tool::new(text(tool.name()), text(catalog[tool.home].name()))
        .with_title(text(manifest.title.as_ref().map_or("", |title| &title.value)))
        .with_description(catalog.full_turn_values(tool).text(&manifest.description.value))
        .with_arguments(lower_schema(&manifest.params, &manifest.defs).table)
        .with_behaviour(lower_behaviour(catalog, tool));
    lowered.aliases = manifest.aliases.iter().map(|alias| text(&alias.value)).collect();
    lowered.emoji = text(&manifest.emoji);
    lowered.atoms = tool.atoms.iter().map(|atom| lower_atom(catalog, atom)).collect();
    lowered.facts = tool.facts.iter().map(|&id| text(&catalog[id].name.value)).collect();
    lowered.names = other_names.map(|(dialect, name)| (dialect, text(name))).collect();
    lowered.requires = lower_requirements(catalog, &tool.requires, &manifest.requires, &tool.atoms);
    lowered.python = manifest.scripts.then(|| python::function(catalog, tool, python::Results::Values).into());
    lowered
}

fn lower_toolset(catalog: &Catalog, toolset: &Toolset) -> toolc::Toolset {
    let manifest = &toolset.manifest;
    let tools = |ids: &[ToolId], external: &[ExternalId]| {
        let declared = ids.iter().map(|&id| text(catalog[id].name()));
        declared.chain(external.iter().map(|&id| text(&catalog[id]))).collect()
    };
    let mut lowered = toolc::Toolset::new(text(toolset.name()));
    lowered.description = text(&manifest.description);
    lowered.tools = tools(&toolset.tools, &toolset.external);
    lowered.includes = toolset.includes.iter().map(|&(id, _)| text(catalog[id].name())).collect();
    lowered.base = toolset.base.map(|(id, _)| text(catalog[id].name()));
    lowered.excludes = tools(&toolset.excludes, &toolset.excludes_external);
    lowered.aliases = manifest.aliases.iter().map(|alias| text(&alias.value)).collect();
    lowered.tags = manifest.tags.iter().map(|tag| text(&tag.value)).collect();
    lowered.closed = manifest.closed;
    lowered.requires = lower_requirements(catalog, &toolset.requires, &manifest.requires, &toolset.atoms);
    lowered
}

fn lower_atom(catalog: &Catalog, atom: &Atom) -> segment::Atom {
    match atom {
        Atom::Tool(id) => segment::Atom::Tool(text(catalog[*id].name())),
        Atom::External(id) => segment::Atom::Tool(text(&catalog[*id])),
        Atom::Fact(id) => segment::Atom::Fact(text(&catalog[*id].name.value)),
        Atom::Compared(id, comparison, literal) => {
            segment::Atom::Compared(text(&catalog[*id].name.value), *comparison, literal.clone())
        }
    }
}

fn text(text: &str) -> Cow<'static, str> {
    text.to_owned().into()
}

#[cfg(test)]
mod dialect_tests;
#[cfg(test)]
mod narrow_tests;
