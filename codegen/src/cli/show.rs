//! `show`: prints a tool's definition in a turn that the options describe.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use toolc::__gen::graph::Members;
use toolc_lower::dialects::{self, DIALECTS, Dialect, Language};

use super::inspect::Inspected;
use super::turn::TurnArgs;
use super::{Streams, print, unknown};
use crate::Catalog;
use crate::catalog::Tool;
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
    #[command(flatten)]
    turn: TurnArgs,
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
        let members = self.members(catalog, dialect, tool)?;
        let facts = self.turn.facts(catalog)?;
        let Some(definition) = lower::definition(dialect, catalog, tool).definition else {
            let why = "the dialect does not accept the name of the tool or of a required parameter";
            return Err(Failure::new(format!("`{}` has no definition in `{}`: {why}", tool.name(), dialect.name)));
        };
        let values = catalog.turn_values_with_facts(tool, &members, &facts);
        let text = dialect.written(values.render(&definition.segments()));
        if dialect.language != Language::Json && !self.json {
            print(streams.out, &text)?;
            return Ok(true);
        }
        let mut shown = match dialect.language {
            Language::Json => values.value(&definition),
            Language::TypeScript => text.into(),
        };
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

    /// Returns the tools of the turn, `tool` included.
    fn members(&self, catalog: &Catalog, dialect: &'static Dialect, tool: &Tool) -> Result<Members, Failure> {
        let all = || catalog.shown(catalog.tools().map(|(_, tool)| lower::accepts(dialect, tool)).collect());
        let mut members = self.turn.available(catalog)?.unwrap_or_else(all);
        for (id, _) in catalog.tools().filter(|(_, other)| other.name() == tool.name()) {
            members[id.0] = true;
        }
        Ok(members)
    }
}
