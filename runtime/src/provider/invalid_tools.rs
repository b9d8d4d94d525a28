//! The problems of tools that are made at run time, as data, all at once.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

use crate::data::name::PORTABLE;
use crate::data::table::Table;

/// The same depth as for arguments, because deeper ones cannot be sent.
const MAX_SCHEMA_DEPTH: usize = 64;

/// The error of tools and toolsets that are made at run time: all of their problems.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidTools {
    problems: Vec<InvalidTool>,
}

impl InvalidTools {
    /// Returns `Ok(())` if `problems` is empty.
    pub(crate) fn check(problems: Vec<InvalidTool>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self { problems }) }
    }

    /// Returns all problems.
    pub fn problems(&self) -> &[InvalidTool] {
        &self.problems
    }
}

/// A problem of a tool or toolset that is made at run time.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidTool {
    /// A vendor would refuse the name of a tool.
    ToolName(Cow<'static, str>),
    /// The name or alias of a toolset is not a valid name.
    ToolsetName(Cow<'static, str>),
    /// The schema of the arguments is not the schema of an object.
    SchemaNotObject {
        /// The tool.
        tool: Cow<'static, str>,
    },
    /// The schema of the arguments is nested deeper than 64 levels.
    SchemaTooDeep {
        /// The tool.
        tool: Cow<'static, str>,
    },
    /// The schema of the arguments cannot be used, for another reason: see [`Table::from_schema`].
    Schema {
        /// The tool.
        tool: Cow<'static, str>,
        /// The reason.
        message: String,
    },
    /// [`DynamicTool::secret`](crate::DynamicTool::secret) names an unknown argument.
    UnknownSecret {
        /// The tool.
        tool: Cow<'static, str>,
        /// The unknown name.
        argument: String,
    },
    /// The key of `Parallel::Keyed` names an unknown argument.
    UnknownParallelKey {
        /// The tool.
        tool: Cow<'static, str>,
        /// The unknown name.
        argument: Cow<'static, str>,
    },
    /// A sync tool has a timeout, although nothing can stop its handler.
    SyncTimeout {
        /// The tool.
        tool: Cow<'static, str>,
    },
    /// A tool requires a check and has no [`available`](crate::DynamicTool::available).
    CheckWithoutHandler {
        /// The tool.
        tool: Cow<'static, str>,
    },
    /// A toolset requires a check, which only tools can answer.
    ToolsetCheck {
        /// The toolset.
        toolset: Cow<'static, str>,
    },
    /// A [function definition](crate::schema::FunctionDefinition) does not have OpenAI's format.
    Definition {
        /// The place: a JSON Pointer (RFC 6901) into the definition.
        path: String,
        /// A description of the problem.
        message: String,
    },
}

impl fmt::Display for InvalidTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            write!(f, "{}{problem}", if index == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl std::error::Error for InvalidTools {}

impl fmt::Display for InvalidTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidTool::ToolName(name) => invalid_name(f, "tool", name),
            InvalidTool::ToolsetName(name) => invalid_name(f, "toolset", name),
            InvalidTool::SchemaNotObject { tool } => {
                write!(f, "the tool `{tool}`: the schema of its arguments must have `\"type\": \"object\"`")
            }
            InvalidTool::SchemaTooDeep { tool } => {
                write!(f, "the tool `{tool}`: the schema of its arguments is deeper than {MAX_SCHEMA_DEPTH} levels")
            }
            InvalidTool::Schema { tool, message } => write!(f, "the tool `{tool}`: {message}"),
            InvalidTool::UnknownSecret { tool, argument } => {
                write!(f, "the tool `{tool}`: the secret `{argument}` is not one of its arguments")
            }
            InvalidTool::UnknownParallelKey { tool, argument } => {
                write!(f, "the tool `{tool}`: the parallel key `{argument}` is not one of its arguments")
            }
            InvalidTool::SyncTimeout { tool } => write!(
                f,
                "the tool `{tool}`: nothing can stop a sync handler after its timeout: make the tool `blocking` or a \
                 `future`"
            ),
            InvalidTool::CheckWithoutHandler { tool } => {
                write!(f, "the tool `{tool}`: it requires a check: add `available`, which answers it")
            }
            InvalidTool::ToolsetCheck { toolset } => {
                write!(f, "the toolset `{toolset}`: it cannot require a check: add `available` to each of its tools")
            }
            InvalidTool::Definition { path, message } if path.is_empty() => write!(f, "the definition: {message}"),
            InvalidTool::Definition { path, message } => write!(f, "the definition at {path}: {message}"),
        }
    }
}

fn invalid_name(f: &mut fmt::Formatter<'_>, noun: &str, name: &str) -> fmt::Result {
    write!(f, "`{}` cannot be the name of a {noun}: expected {}", name.escape_debug(), PORTABLE.expected())
}

/// Checks a name by the same rules as manifests: every vendor must accept it.
pub(crate) fn check_tool_name(name: &str, problems: &mut Vec<InvalidTool>) {
    if !PORTABLE.accepts(name) {
        problems.push(InvalidTool::ToolName(name.to_owned().into()));
    }
}

/// Checks the name or alias of a toolset. The registry reports the names that are reserved for all tools.
pub(crate) fn check_toolset_name(name: &str, problems: &mut Vec<InvalidTool>) {
    if !PORTABLE.accepts(name) && name != "*" {
        problems.push(InvalidTool::ToolsetName(name.to_owned().into()));
    }
}

/// Returns the table of a schema that every vendor accepts for a tool's arguments, or adds its problem.
pub(crate) fn table(tool: &str, schema: &Value, problems: &mut Vec<InvalidTool>) -> Option<Table> {
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        problems.push(InvalidTool::SchemaNotObject { tool: tool.to_owned().into() });
        return None;
    }
    let mut open = vec![(schema, 1)];
    while let Some((value, depth)) = open.pop() {
        if depth > MAX_SCHEMA_DEPTH {
            problems.push(InvalidTool::SchemaTooDeep { tool: tool.to_owned().into() });
            return None;
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(map) => open.extend(map.values().map(|value| (value, depth + 1))),
            _ => {}
        }
    }
    Table::from_schema(schema)
        .map_err(|message| problems.push(InvalidTool::Schema { tool: tool.to_owned().into(), message }))
        .ok()
}
