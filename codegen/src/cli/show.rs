//! `show`: prints a tool's definition in a turn that the options describe.

use std::io::Write;

use clap::Args;
use toolc::FactValue;

use super::{print, unknown};
use crate::catalog::{FactId, ToolId};
use crate::check::Checked;
use crate::dialects::{self, DIALECTS};
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
}

impl Show {
    pub(super) fn run(&self, catalog: &Checked, out: &mut dyn Write) -> Result<(), Failure> {
        let tools = || catalog.tools().map(|(_, tool)| tool.name());
        let find = |name: &str| catalog.tools().find(|(_, tool)| tool.name() == name);
        let (id, tool) = find(&self.tool).ok_or_else(|| unknown("tool", &self.tool, tools()))?;
        let dialect = match &self.dialect {
            None => catalog.settings().dialects.first().copied(),
            // The project need not declare the dialect.
            Some(name) => dialects::find(name),
        };
        let dialect = dialect.ok_or_else(|| {
            let name = self.dialect.as_deref().unwrap_or_default();
            unknown("dialect", name, DIALECTS.iter().map(|dialect| dialect.name))
        })?;
        let accepted = |(id, tool): (ToolId, _)| lower::accepts(dialect, tool).then_some(id);
        let mut members = vec![false; catalog.graph().tools];
        match &self.available {
            None => {
                for id in catalog.tools().filter_map(accepted) {
                    members[id.0] = true;
                }
                members = catalog.shown(members);
            }
            Some(names) => {
                for name in names.iter().filter(|name| !name.is_empty()) {
                    let (id, _) = find(name).ok_or_else(|| unknown("tool", name, tools()))?;
                    members[id.0] = true;
                }
            }
        }
        members[id.0] = true;
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
        let Some(definition) = lower::definition(dialect, catalog, tool).definition else {
            let why = "the dialect does not accept the name of the tool or of a required parameter";
            return Err(Failure::new(format!("`{}` has no definition in `{}`: {why}", tool.name(), dialect.name)));
        };
        let definition = catalog.turn_values_with_facts(tool, &members, &facts).value(&definition);
        print(out, &format!("{definition:#}\n"))
    }
}
