//! The options of `show` and `export` that describe a turn.

use clap::Args;
use toolc::__gen::graph::Members;
use toolc::FactValue;

use super::unknown;
use crate::Catalog;
use crate::catalog::FactId;
use crate::failure::Failure;

/// The turn of a definition.
#[derive(Debug, Args)]
pub(super) struct TurnArgs {
    /// The other tools in the turn, separated by commas [default: all].
    #[arg(long, value_name = "TOOLS", value_delimiter = ',')]
    available: Option<Vec<String>>,
    /// Set a fact for the turn (repeatable) [default: the default of the fact].
    #[arg(long, value_name = "FACT=VALUE")]
    fact: Vec<String>,
}

impl TurnArgs {
    /// Returns the tools that `--available` names, or `None` without that option.
    pub(super) fn available(&self, catalog: &Catalog) -> Result<Option<Members>, Failure> {
        let Some(names) = &self.available else { return Ok(None) };
        let mut members = vec![false; catalog.graph().tools];
        for name in names.iter().filter(|name| !name.is_empty()) {
            let found = catalog.tools().find(|(_, tool)| tool.name() == name);
            let (id, _) = found.ok_or_else(|| unknown("tool", name, catalog.tools().map(|(_, tool)| tool.name())))?;
            members[id.0] = true;
        }
        Ok(Some(members))
    }

    /// Returns the facts of the turn that do not have their defaults.
    pub(super) fn facts(&self, catalog: &Catalog) -> Result<Vec<(FactId, FactValue)>, Failure> {
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
