//! `show`: a tool's definition in a turn of one's choice.

use std::io::Write;

use clap::Args;
use toolc::FactValue;

use super::{print, unknown};
use crate::catalog::{FactId, ToolId};
use crate::check::Checked;
use crate::dialects::{self, DIALECTS};
use crate::failure::Failure;
use crate::lower;

/// What to show.
#[derive(Debug, Args)]
pub struct Show {
    /// The tool.
    tool: String,
    /// The dialect; the first of the project's, unless said otherwise.
    #[arg(long, value_name = "DIALECT")]
    dialect: Option<String>,
    /// The other tools in the turn, separated by commas; all by default.
    #[arg(long, value_name = "TOOLS", value_delimiter = ',')]
    available: Option<Vec<String>>,
    /// A fact and its value; its default, unless said otherwise. May be given several times.
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
            // One that the project does not declare can be looked at, too.
            Some(name) => dialects::find(name),
        };
        let dialect = dialect.ok_or_else(|| {
            let name = self.dialect.as_deref().unwrap_or_default();
            unknown("dialect", name, DIALECTS.iter().map(|dialect| dialect.name))
        })?;
        let takes = |(id, tool): (ToolId, _)| lower::accepts(dialect, tool).then_some(id);
        let mut members = vec![false; catalog.graph().tools];
        match &self.available {
            None => {
                catalog.tools().filter_map(takes).for_each(|id| members[id.0] = true);
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
        let mut told = Vec::new();
        for fact in &self.fact {
            let (name, value) = fact.split_once('=').unwrap_or((fact, ""));
            let known = catalog.facts().iter().map(|fact| fact.name.value.as_str());
            let id = known.clone().position(|fact| fact == name).ok_or_else(|| unknown("fact", name, known))?;
            let default = &catalog.facts()[id].default;
            let Some(value) = parsed(value, default).filter(|_| fact.contains('=')) else {
                let noun = default.noun();
                let value = match default {
                    FactValue::Text(_) => "VALUE`".to_owned(),
                    FactValue::Boolean(_) => format!("true` or `--fact {name}=false`"),
                    FactValue::Integer(_) => "N`, with a whole number within ±2^53".to_owned(),
                };
                return Err(Failure::new(format!("the fact `{name}` is {noun}: write `--fact {name}={value}")));
            };
            told.push((FactId(id), value));
        }
        let Some(definition) = lower::definition(dialect, catalog, tool).definition else {
            let why = "the dialect does not accept the name of the tool or of a required parameter";
            return Err(Failure::new(format!("`{}` has no definition in `{}`: {why}", tool.name(), dialect.name)));
        };
        let definition = catalog.setting_told(tool, &members, &told).value(&definition);
        print(out, &format!("{definition:#}\n"))
    }
}

/// A fact's value, of the type of its default.
fn parsed(text: &str, default: &FactValue) -> Option<FactValue> {
    match default {
        FactValue::Text(_) => Some(FactValue::Text(text.to_owned().into())),
        FactValue::Boolean(_) => text.parse().ok().map(FactValue::Boolean),
        FactValue::Integer(_) => {
            text.parse().ok().filter(|integer| FactValue::INTEGERS.contains(integer)).map(FactValue::Integer)
        }
    }
}
