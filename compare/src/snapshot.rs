//! A snapshot: the tools of a project, a bundle or a server, in one form that can be compared.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value};
use toolc::schema::Table;
use toolc_codegen::catalog::ToolId;
use toolc_codegen::emit::{Part, Turn, portable_drafts};
use toolc_codegen::lower::{Lowered, lower};
use toolc_codegen::{Checked, Failure, Sources};

/// The tools of one version of a project, or those of a bundle or a server.
#[derive(Debug)]
pub struct Snapshot {
    /// Where it was read from, for messages.
    pub origin: String,
    /// The entries of `catalog.json` by the list that holds them, such as `tools`, and by name.
    pub lists: BTreeMap<&'static str, BTreeMap<String, Value>>,
    /// What the snapshot says about the project.
    pub extent: Extent,
    /// The compiled project, if its manifests were read.
    pub project: Option<CompiledProject>,
    /// Definitions as files, by dialect and tool. Only bundles have them.
    pub definitions: BTreeMap<(String, String), String>,
}

/// How much of a project a snapshot contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extent {
    /// Everything.
    Everything,
    /// A bundle: everything that belongs to these toolsets, or everything if all were exported.
    Bundle {
        /// Whether the bundle has the definitions of a turn with all tools and the defaults of all facts.
        has_default_turn: bool,
    },
    /// Only tools: their names, descriptions, schemas and annotations.
    Tools,
}

/// A project whose manifests have no error.
#[derive(Debug)]
pub struct CompiledProject {
    /// The manifests.
    pub sources: Sources,
    /// The catalog.
    pub catalog: Checked,
}

/// The lists of `catalog.json`.
pub(crate) const LISTS: [&str; 6] = ["tools", "toolsets", "facts", "env", "distributions", "commands"];

impl Snapshot {
    /// Returns the snapshot of a compiled project.
    pub(crate) fn of_project(origin: String, sources: Sources, catalog: Checked) -> Result<Self, Failure> {
        let text: String = {
            let lowered = lower(&catalog);
            let turn = Turn { facts: Vec::new(), available: None };
            let drafts = portable_drafts(&lowered, &turn);
            let catalog = drafts.iter().find(|draft| draft.path.ends_with("/catalog.json"));
            catalog.map(|draft| draft.parts.iter().map(Part::text).collect()).unwrap_or_default()
        };
        let json = serde_json::from_str(&text)
            .map_err(|error| Failure::new(format!("failed to read the catalog of {origin}: {error}")))?;
        let project = Some(CompiledProject { sources, catalog });
        Ok(Self { project, ..Self::of_catalog(origin, json, Extent::Everything)? })
    }

    /// Returns the catalog.
    ///
    /// # Errors
    /// If manifests were not read.
    pub fn catalog(&self) -> Result<&Checked, Failure> {
        let project = self.project.as_ref().map(|project| &project.catalog);
        project.ok_or_else(|| {
            Failure::new(format!("{} has no manifests: name a commit, or the folder of a project", self.origin))
        })
    }

    /// Returns the snapshot of a `catalog.json`.
    pub(crate) fn of_catalog(origin: String, mut json: Value, extent: Extent) -> Result<Self, Failure> {
        let mut lists = BTreeMap::new();
        for list in LISTS {
            let entries = match json.get_mut(list).map(Value::take) {
                Some(Value::Array(entries)) => entries,
                None if list != "tools" => Vec::new(),
                _ => return Err(Failure::new(format!("{origin} is not a catalog: `{list}` must be a list"))),
            };
            let mut named = BTreeMap::new();
            for entry in entries {
                let Some(name) = entry["name"].as_str().map(str::to_owned) else {
                    return Err(Failure::new(format!("{origin} is not a catalog: an entry of `{list}` has no name")));
                };
                named.insert(name, entry);
            }
            lists.insert(list, named);
        }
        Ok(Self { origin, lists, extent, project: None, definitions: BTreeMap::new() })
    }

    /// Returns the entries of a list by name.
    pub fn list(&self, list: &str) -> &BTreeMap<String, Value> {
        static EMPTY: BTreeMap<String, Value> = BTreeMap::new();
        self.lists.get(list).unwrap_or(&EMPTY)
    }

    /// Returns the tools by name.
    pub fn tools(&self) -> &BTreeMap<String, Value> {
        self.list("tools")
    }

    /// Finds a tool by its name or an alias.
    pub fn tool(&self, name: &str) -> Option<&Value> {
        let by_alias = || self.tools().values().find(|tool| texts(&tool["aliases"]).any(|alias| alias == name));
        self.tools().get(name).or_else(by_alias)
    }

    /// Prepares the readers of arguments.
    pub fn readers(&self) -> Readers<'_> {
        let lowered = self.project.as_ref().map(|project| {
            let ids = project.catalog.tools().map(|(id, tool)| (tool.name().to_owned(), id)).collect();
            (lower(&project.catalog), ids)
        });
        Readers { snapshot: self, lowered }
    }
}

/// The readers of the arguments of a snapshot's tools: argument tables, by which `toolc` reads, repairs and checks what a model sends.
#[derive(Debug)]
pub struct Readers<'s> {
    snapshot: &'s Snapshot,
    lowered: Option<(Lowered<'s>, BTreeMap<String, ToolId>)>,
}

impl Readers<'_> {
    /// Returns the reader of a tool, by its name or an alias.
    ///
    /// # Errors
    /// If no such tool exists, or its schema cannot be read.
    pub fn table_of_call(&self, name: &str) -> Result<Arc<Table>, Failure> {
        let tool = self.snapshot.tool(name).and_then(|tool| tool["name"].as_str());
        self.table(tool.unwrap_or(name))
    }

    /// Returns the argument table of a tool, by its name. It has the parts of every turn.
    ///
    /// # Errors
    /// If no such tool exists, or its schema cannot be read.
    pub fn table(&self, tool: &str) -> Result<Arc<Table>, Failure> {
        if let Some((lowered, ids)) = &self.lowered
            && let Some(id) = ids.get(tool)
        {
            return Ok(Arc::clone(&lowered.tool(*id).arguments));
        }
        let origin = &self.snapshot.origin;
        let Some(entry) = self.snapshot.tools().get(tool) else {
            return Err(Failure::new(format!("{origin} has no tool `{tool}`")));
        };
        let failed = |error| Failure::new(format!("failed to read the schema of `{tool}` in {origin}: {error}"));
        let mut table = Table::from_schema(schema(entry, "parameters")).map_err(failed)?;
        add_aliases(&mut table, entry);
        Ok(Arc::new(table))
    }
}

/// Adds to a table what a schema does not say: the aliases of parameters, and which numbers are clamped.
fn add_aliases(table: &mut Table, entry: &Value) {
    let find = |table: &Table, pointer: &str| {
        let mut node = *table.nodes.first()?;
        let mut found = None;
        for name in pointer.split('/').skip(1) {
            let name = name.replace("~1", "/").replace("~0", "~");
            let start = usize::from(node.properties.start);
            let own = node.properties.slice(&table.properties);
            let position = own.iter().position(|property| *property.name == *name)?;
            node = *table.nodes.get(usize::from(own[position].node))?;
            found = u16::try_from(start + position).ok();
        }
        found
    };
    for (pointer, aliases) in entry["parameter_aliases"].as_object().into_iter().flatten() {
        let Some(index) = find(table, pointer) else { continue };
        table.aliases.extend(texts(aliases).map(|alias| (index, alias.to_owned().into())));
    }
    let clamped: Vec<u16> = texts(&entry["clamped"]).filter_map(|pointer| find(table, pointer)).collect();
    table.clamped.extend(clamped);
}

/// Returns a schema of a tool with the parts of every turn: that of its `parameters` or `returns`.
pub fn schema<'v>(entry: &'v Value, key: &str) -> &'v Value {
    static MISSING: Value = Value::Bool(true);
    let full = entry.pointer(&format!("/conditional/full/{key}"));
    full.or_else(|| entry.get(key)).unwrap_or(&MISSING)
}

/// Returns the texts of a list.
pub(crate) fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// Returns the texts of a list as a set.
pub(crate) fn text_set(list: &Value) -> BTreeSet<&str> {
    texts(list).collect()
}

/// Returns the catalog entry of a tool that a server describes as in the answer to `tools/list`.
pub(crate) fn entry_of_listed(tool: &Value) -> Option<Value> {
    let mut entry = Map::new();
    entry.insert("name".to_owned(), tool["name"].as_str()?.into());
    let keys = [
        ("description", "description"),
        ("title", "title"),
        ("outputSchema", "returns"),
        ("inputSchema", "parameters"),
    ];
    for (from, to) in keys {
        entry.extend(tool.get(from).filter(|value| !value.is_null()).map(|value| (to.to_owned(), value.clone())));
    }
    let hint = |key: &str| tool["annotations"][key].as_bool();
    let read_only = hint("readOnlyHint").unwrap_or(false);
    entry.insert(
        "annotations".to_owned(),
        serde_json::json!({
            "read_only": read_only,
            "destructive": hint("destructiveHint").unwrap_or(!read_only),
            "idempotent": hint("idempotentHint").unwrap_or(false),
            "open_world": hint("openWorldHint").unwrap_or(true),
        }),
    );
    Some(entry.into())
}
