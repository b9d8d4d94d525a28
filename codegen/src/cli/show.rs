//! `show`: prints a tool's definition in a turn that the options describe.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use toolc::__gen::graph::Members;
use toolc::FactValue;

use super::inspect::Inspected;
use super::{Streams, print, unknown};
use crate::Catalog;
use crate::catalog::FactId;
use crate::dialects::{self, DIALECTS, Dialect};
use crate::failure::Failure;
use crate::lower;

/// The arguments of `show`.
#[derive(Debug, Args)]
pub struct Show {
    /// The name of the tool.
    tool: String,
    /// The dialect of the definition [default: the first dialect of the project].
    #[arg(long, value_name = "DIALECT")]
    dialect: Option<String>,
    /// The other tools in the turn, separated by commas [default: all].
    #[arg(long, value_name = "TOOLS", value_delimiter = ',')]
    available: Option<Vec<String>>,
    /// Set a fact for the turn (repeatable) [default: the default of the fact].
    #[arg(long, value_name = "FACT=VALUE")]
    fact: Vec<String>,
    /// Print an object with the definition and where the tool is declared.
    #[arg(long)]
    json: bool,
}

impl Show {
    /// Prints the definition. Returns false if the manifest of the tool has errors, which are printed instead.
    pub(super) fn run(&self, root: Option<PathBuf>, streams: &mut Streams<'_>) -> Result<bool, Failure> {
        let project = Inspected::open(root, streams)?;
        let catalog = &project.catalog;
        let Some(tool) = project.tool(&self.tool, streams)? else { return Ok(false) };
        let dialect = self.dialect(catalog)?;
        let members = self.members(catalog, dialect)?;
        let facts = self.facts(catalog)?;
        let Some(definition) = lower::definition(dialect, catalog, tool).definition else {
            let why = "the dialect does not accept the name of the tool or of a required parameter";
            return Err(Failure::new(format!("`{}` has no definition in `{}`: {why}", tool.name(), dialect.name)));
        };
        let mut shown = catalog.turn_values_with_facts(tool, &members, &facts).value(&definition);
        if self.json {
            shown = json!({
                "name": tool.name(),
                "toolset": catalog[tool.home].name(),
                "manifest": project.sources.get(tool.manifest.name.place.source).path,
                "dialect": dialect.name,
                "definition": shown,
            });
        }
        print(streams.out, &format!("{shown:#}\n"))?;
        Ok(true)
    }

    /// Returns the dialect that was asked for, which the project need not declare, or else the first one of the project.
    fn dialect(&self, catalog: &Catalog) -> Result<&'static Dialect, Failure> {
        let Some(name) = &self.dialect else { return Ok(catalog.settings().first_dialect) };
        let names = || DIALECTS.iter().map(|dialect| dialect.name);
        dialects::find(name).ok_or_else(|| unknown("dialect", name, names()))
    }

    /// Returns the tools of the turn.
    fn members(&self, catalog: &Catalog, dialect: &Dialect) -> Result<Members, Failure> {
        let find = |name: &str| catalog.tools().find(|(_, tool)| tool.name() == name).map(|(id, _)| id);
        let mut members: Members = match &self.available {
            None => catalog.shown(catalog.tools().map(|(_, tool)| lower::accepts(dialect, tool)).collect()),
            Some(_) => vec![false; catalog.graph().tools],
        };
        let named = self.available.iter().flatten().filter(|name| !name.is_empty());
        for name in named.chain([&self.tool]) {
            let id = find(name).ok_or_else(|| unknown("tool", name, catalog.tools().map(|(_, tool)| tool.name())))?;
            members[id.0] = true;
        }
        Ok(members)
    }

    /// Returns the facts of the turn that do not have their defaults.
    fn facts(&self, catalog: &Catalog) -> Result<Vec<(FactId, FactValue)>, Failure> {
        let mut facts = Vec::new();
        for fact in &self.fact {
            let (name, value) = fact.split_once('=').unwrap_or((fact, ""));
            let known = catalog.facts().iter().map(|fact| fact.name.value.as_str());
            let id = known.clone().position(|fact| fact == name).ok_or_else(|| unknown("fact", name, known))?;
            let default = &catalog.facts()[id].default;
            let Some(value) = default.parse_same_type(value).filter(|_| fact.contains('=')) else {
                let noun = default.noun();
                let value = match default {
                    FactValue::Text(_) => "VALUE`".to_owned(),
                    FactValue::Boolean(_) => format!("true` or `--fact {name}=false`"),
                    FactValue::Integer(_) => "N`, with a whole number within ±2^53".to_owned(),
                };
                return Err(Failure::new(format!("the fact `{name}` is {noun}: write `--fact {name}={value}")));
            };
            facts.push((FactId(id), value));
        }
        Ok(facts)
    }
}
