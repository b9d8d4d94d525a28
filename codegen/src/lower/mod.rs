//! Lower: a catalog as the data that the runtime serves. Each tool is lowered once, when something first asks for it;
//! whatever is written about it, Rust or JSON, is made of that.

mod behaviour;
mod definition;
pub mod narrow;
mod prose;
mod requires;
mod table;

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::OnceLock;

use toolc::__gen::pack::Pack as _;
use toolc::__gen::segment;
use toolc::catalog::Definition;

use crate::catalog::{Atom, Catalog, ExternalId, FactId, Tool, ToolId, Toolset, ToolsetId, VariableId};
use crate::check::Checked;
use crate::dialects::Dialect;

pub use definition::{Lowering, accepts, definition, parameters};
pub(crate) use table::values;

/// A catalog with its tools as the runtime has them.
#[derive(Debug)]
pub struct Lowered<'c> {
    catalog: &'c Checked,
    tools: Vec<OnceLock<Served>>,
}

/// A tool as the runtime has it.
#[derive(Debug)]
struct Served {
    tool: toolc::Tool,
    /// For each of the settings' dialects, in their order.
    definitions: Vec<Option<Definition>>,
}

impl Deref for Lowered<'_> {
    type Target = Checked;

    fn deref(&self) -> &Checked {
        self.catalog
    }
}

impl Lowered<'_> {
    /// A tool as the runtime has it.
    pub fn tool(&self, id: ToolId) -> &toolc::Tool {
        &self.served(id).tool
    }

    /// The definition of a tool in each dialect of the settings, or `None` if the dialect cannot express the tool.
    pub fn definitions(&self, id: ToolId) -> &[Option<Definition>] {
        &self.served(id).definitions
    }

    fn served(&self, id: ToolId) -> &Served {
        self.tools[id.0].get_or_init(|| {
            let lowered = |dialect: &&'static Dialect| {
                Some(Definition::new(definition(dialect, self, &self[id]).definition?.segments()))
            };
            let definitions = self.settings().dialects.iter().map(lowered).collect();
            Served { tool: tool(self, &self[id]), definitions }
        })
    }

    /// The parts of a tool that files of other tools may contain, as one text. If it is equal, those files are equal.
    pub(crate) fn seen(&self, id: ToolId) -> String {
        let (mut out, tool) = (String::new(), &self[id]);
        let names = |dialect: &&'static Dialect| text(tool.name_in(dialect.name));
        text(tool.name()).pack(&mut out);
        text(self[tool.home].name()).pack(&mut out);
        tool.manifest.execution.value.pack(&mut out);
        self.settings().dialects.iter().map(names).collect::<Vec<_>>().pack(&mut out);
        requires::of(self, &tool.requires, &tool.manifest.requires, &tool.atoms).pack(&mut out);
        out
    }

    /// A fact as the runtime has it.
    pub fn fact(&self, id: FactId) -> toolc::catalog::Fact {
        let fact = &self[id];
        toolc::catalog::Fact::new(text(&fact.name.value), fact.default.clone())
    }

    /// An environment variable as the runtime has it.
    pub fn variable(&self, id: VariableId) -> toolc::catalog::Variable {
        let variable = &self[id];
        toolc::catalog::Variable::new(text(&variable.name.value), text(&variable.description))
            .with_prompt(text(&variable.prompt))
            .with_url(text(&variable.url))
            .with_secret(variable.secret)
    }

    /// A toolset as the runtime has it.
    pub fn toolset(&self, id: ToolsetId) -> toolc::Toolset {
        toolset(self, &self[id])
    }
}

/// Gets ready to lower.
pub fn lower(catalog: &Checked) -> Lowered<'_> {
    Lowered { catalog, tools: catalog.tools().map(|_| OnceLock::new()).collect() }
}

fn tool(catalog: &Catalog, tool: &Tool) -> toolc::Tool {
    let manifest = &tool.manifest;
    let taking = catalog.settings().dialects.iter().filter(|dialect| accepts(dialect, tool));
    let names = taking.filter_map(|dialect| Some((dialect.in_runtime()?, tool.name_in(dialect.name))));
    let other = names.filter(|(_, name)| *name != tool.name());
    let mut lowered = toolc::Tool::new(text(tool.name()), text(catalog[tool.home].name()))
        .with_title(text(manifest.title.as_ref().map_or("", |title| &title.value)))
        .with_description(catalog.full_setting(tool).text(&manifest.description.value))
        .with_arguments(table::of(&manifest.params, &manifest.defs))
        .with_behaviour(behaviour::of(catalog, tool));
    lowered.emoji = text(&manifest.emoji);
    lowered.atoms = tool.atoms.iter().map(|one| atom(catalog, one)).collect();
    lowered.facts = tool.facts.iter().map(|&id| text(&catalog[id].name.value)).collect();
    lowered.names = other.map(|(dialect, name)| (dialect, text(name))).collect();
    lowered.requires = requires::of(catalog, &tool.requires, &manifest.requires, &tool.atoms);
    lowered
}

fn toolset(catalog: &Catalog, toolset: &Toolset) -> toolc::Toolset {
    let manifest = &toolset.manifest;
    let tools = |ids: &[ToolId], external: &[ExternalId]| {
        let own = ids.iter().map(|&id| text(catalog[id].name()));
        own.chain(external.iter().map(|&id| text(&catalog[id]))).collect()
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
    lowered.requires = requires::of(catalog, &toolset.requires, &manifest.requires, &toolset.atoms);
    lowered
}

fn atom(catalog: &Catalog, atom: &Atom) -> segment::Atom {
    match atom {
        Atom::Tool(id) => segment::Atom::Tool(text(catalog[*id].name())),
        Atom::External(id) => segment::Atom::Tool(text(&catalog[*id])),
        Atom::Fact(id) => segment::Atom::Fact(text(&catalog[*id].name.value)),
        Atom::Compared(id, comparison, with) => {
            segment::Atom::Compared(text(&catalog[*id].name.value), *comparison, with.clone())
        }
    }
}

fn text(text: &str) -> Cow<'static, str> {
    text.to_owned().into()
}
