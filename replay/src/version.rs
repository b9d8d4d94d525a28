//! A version of the tools, by which calls are read.

use std::collections::HashMap;
use std::sync::RwLock;

use serde_json::Value;
use toolc::args::{Slots, read_value};
use toolc::catalog::{Definition, Fact};
use toolc::schema::Table;
use toolc::{Call, Dialect, HandlerReply, Registry, Tool, ToolOutput, ToolProvider, Toolset, Turn};
use toolc_codegen::catalog::FactId;
use toolc_codegen::lower::lower;
use toolc_codegen::{Checked, Failure};

/// The most names that are kept with the tool that they mean.
const MAX_NAMES: usize = 10_000;

/// The tools of one version, in a turn with all of them. Their requirements count as met, and facts have their defaults.
pub(crate) struct Version {
    tables: HashMap<String, Table>,
    turn: Turn,
    /// The tools that names mean.
    names: RwLock<HashMap<String, Option<String>>>,
}

/// What a version makes of a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// The arguments as the handler gets them, without defaults.
    Accepted {
        tool: String,
        arguments: Value,
        repairs: Vec<Repair>,
    },
    /// The problems as the model gets them.
    Refused {
        tool: String,
        problems: Vec<Problem>,
    },
    UnknownTool,
}

/// A repair, without the values of the call.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Repair {
    /// The place without the numbers of items.
    pub path: String,
    pub rule: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Problem {
    /// The place without the numbers of items.
    pub path: String,
    pub expected: String,
    pub got: String,
}

impl Version {
    pub(crate) fn new(catalog: &Checked) -> Result<Self, Failure> {
        let lowered = lower(catalog);
        let mut tables = HashMap::new();
        for (id, tool) in catalog.tools() {
            let atoms = catalog.full_turn_values(tool).atoms();
            let table = &lowered.tool(id).arguments;
            tables.insert(tool.name().to_owned(), table.in_turn(atoms).unwrap_or_else(|| Table::clone(table)));
        }
        let Some(dialect) = catalog.settings().dialects.iter().find_map(|record| record.in_runtime()) else {
            return Err(Failure::new("the project has no dialect by which calls could be read"));
        };
        let registry = Registry::new();
        let failed = |error: &dyn std::fmt::Display| Failure::new(format!("the tools cannot be read: {error}"));
        registry.add(Box::new(Names::new(catalog, dialect))).map_err(|error| failed(&error))?;
        let session = registry.session().enable(["all"]).build().map_err(|error| failed(&error))?;
        Ok(Self { tables, turn: session.turn_blocking(dialect), names: RwLock::default() })
    }

    /// Returns whether there is a tool of this name.
    pub(crate) fn has(&self, tool: &str) -> bool {
        self.tables.contains_key(tool)
    }

    /// Reads a call.
    pub(crate) fn read(&self, name: &str, arguments: &str) -> Outcome {
        let Some(tool) = self.tool(name) else { return Outcome::UnknownTool };
        match read_value(arguments, &self.tables[&tool]) {
            Ok((arguments, repairs)) => {
                let repairs = repairs
                    .into_iter()
                    .map(|repair| Repair { path: without_numbers(&repair.path), rule: repair.rule.to_string() });
                Outcome::Accepted { tool, arguments, repairs: repairs.collect() }
            }
            Err(error) => {
                let mut problems: Vec<Problem> = error
                    .problems()
                    .iter()
                    .map(|problem| Problem {
                        path: without_numbers(&problem.path),
                        expected: problem.expected.clone(),
                        got: problem.got.clone(),
                    })
                    .collect();
                if problems.is_empty() {
                    problems.push(Problem {
                        path: String::new(),
                        expected: "one JSON object".to_owned(),
                        got: "malformed text".to_owned(),
                    });
                }
                Outcome::Refused { tool, problems }
            }
        }
    }

    /// Returns the tool that a name means. Looking for a wrong name takes a time that is linear in the number of tools.
    fn tool(&self, name: &str) -> Option<String> {
        if self.tables.contains_key(name) {
            return Some(name.to_owned());
        }
        if let Some(known) = self.names.read().unwrap_or_else(std::sync::PoisonError::into_inner).get(name) {
            return known.clone();
        }
        let found = self.turn.tool_called(name).map(|tool| tool.name.to_string());
        let mut names = self.names.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        if names.len() < MAX_NAMES {
            names.insert(name.to_owned(), found.clone());
        }
        found
    }
}

/// Returns a JSON pointer in which items of arrays have no numbers: `/edits/*/path`.
fn without_numbers(path: &str) -> String {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    path.split('/').map(|part| if is_number(part) { "*" } else { part }).collect::<Vec<_>>().join("/")
}

/// A provider of the names of tools. The session resolves names by it; the arguments are read by the tables.
struct Names {
    tools: Vec<Tool>,
    dialect: Dialect,
    definitions: Vec<Option<Definition>>,
    toolsets: Vec<Toolset>,
    facts: Vec<Fact>,
}

impl Names {
    fn new(catalog: &Checked, dialect: Dialect) -> Self {
        let lowered = lower(catalog);
        let at =
            catalog.settings().dialects.iter().position(|record| record.in_runtime() == Some(dialect)).unwrap_or(0);
        let tool = |tool: &Tool| {
            let mut tool = tool.clone();
            tool.requires = Vec::new();
            tool
        };
        let toolset = |id| {
            let mut toolset: Toolset = lowered.toolset(id);
            toolset.requires = Vec::new();
            toolset
        };
        Self {
            tools: catalog.tools().map(|(id, _)| tool(lowered.tool(id))).collect(),
            dialect,
            definitions: catalog.tools().map(|(id, _)| lowered.definitions(id)[at].clone()).collect(),
            toolsets: catalog.toolsets().map(|(id, _)| toolset(id)).collect(),
            facts: (0..catalog.facts().len()).map(|id| lowered.fact(FactId(id))).collect(),
        }
    }
}

impl ToolProvider for Names {
    fn tools(&self) -> &[Tool] {
        &self.tools
    }

    fn definitions(&self, dialect: Dialect) -> &[Option<Definition>] {
        if dialect == self.dialect { &self.definitions } else { &[] }
    }

    fn toolsets(&self) -> &[Toolset] {
        &self.toolsets
    }

    fn facts(&self) -> &[Fact] {
        &self.facts
    }

    fn call<'a>(&'a self, _: usize, mut args: Slots<'_, '_>, _: &'a Call<'a>) -> HandlerReply<'a> {
        HandlerReply::Ready(ToolOutput::json(&args.value::<Value>(0)))
    }
}
