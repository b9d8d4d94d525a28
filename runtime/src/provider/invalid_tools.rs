//! The problems of tools that are made at run time, as data.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

use crate::data::client_fields::{MAX_ICON, MAX_ICONS, MAX_META, is_icon, is_meta};
use crate::data::name::PORTABLE;
use crate::data::table::{SchemaError, Table};

/// The maximum depth of a schema. It equals the maximum depth of arguments, because arguments for a deeper schema would be
/// refused.
const MAX_SCHEMA_DEPTH: usize = 64;

/// The error of [`DynamicTools::build`](crate::DynamicTools::build): all problems of the tools and toolsets.
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
        error: SchemaError,
    },
    /// The schema of the result is neither an object nor a boolean, or it is nested deeper than 64 levels.
    ResultSchema {
        /// The tool.
        tool: Cow<'static, str>,
    },
    /// The [icons](crate::DynamicTool::icons) are not an array of objects with the addresses of pictures, or exceed the limits.
    Icons {
        /// The tool.
        tool: Cow<'static, str>,
    },
    /// The value of [`DynamicTool::meta`](crate::DynamicTool::meta) is not an object, or too large.
    Meta {
        /// The tool.
        tool: Cow<'static, str>,
    },
    /// [`DynamicTool::secret`](crate::DynamicTool::secret) names an unknown argument.
    UnknownSecret {
        /// The tool.
        tool: Cow<'static, str>,
        /// The unknown name.
        argument: String,
    },
    /// An [alias of a parameter](crate::DynamicTool::parameter_aliases) cannot be used.
    ParameterAlias {
        /// The tool.
        tool: Cow<'static, str>,
        /// The alias.
        alias: Cow<'static, str>,
        /// The reason.
        reason: String,
    },
    /// The key of `Parallel::Keyed` names an unknown argument.
    UnknownParallelKey {
        /// The tool.
        tool: Cow<'static, str>,
        /// The unknown name.
        argument: Cow<'static, str>,
    },
    /// The shell parameter of the tool's [approval](crate::behaviour::Approval) is not a parameter.
    UnknownShellParameter {
        /// The tool.
        tool: Cow<'static, str>,
        /// The unknown name.
        parameter: Cow<'static, str>,
    },
    /// A sync tool has a timeout, but its handler cannot be stopped.
    SyncTimeout {
        /// The tool.
        tool: Cow<'static, str>,
    },
    /// A tool has [`Requirement::Check`](crate::availability::Requirement::Check), but no
    /// [`available`](crate::DynamicTool::available).
    CheckWithoutHandler {
        /// The tool.
        tool: Cow<'static, str>,
    },
    /// A toolset has [`Requirement::Check`](crate::availability::Requirement::Check), which only tools can have.
    ToolsetCheck {
        /// The toolset.
        toolset: Cow<'static, str>,
    },
    /// A [function definition](crate::schema::FunctionDefinition) does not have OpenAI's format.
    Definition {
        /// The path of the value: a JSON Pointer (RFC 6901) into the definition.
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
                write!(
                    f,
                    "the tool `{tool}`: the schema of its arguments is nested deeper than {MAX_SCHEMA_DEPTH} levels"
                )
            }
            InvalidTool::Schema { tool, error } => write!(f, "the tool `{tool}`: {error}"),
            InvalidTool::ResultSchema { tool } => write!(
                f,
                "the tool `{tool}`: the schema of its result must be an object or a boolean, nested at most {MAX_SCHEMA_DEPTH} levels deep"
            ),
            InvalidTool::Icons { tool } => write!(
                f,
                "the tool `{tool}`: its icons must be an array of at most {MAX_ICONS} objects, each with `src`, an address of at most \
                 {MAX_ICON} bytes that begins with `https://` or `data:image/`"
            ),
            InvalidTool::Meta { tool } => {
                write!(f, "the tool `{tool}`: its `_meta` must be an object, whose JSON has at most {MAX_META} bytes")
            }
            InvalidTool::UnknownSecret { tool, argument } => {
                write!(f, "the tool `{tool}`: the secret `{argument}` is not one of its arguments")
            }
            InvalidTool::ParameterAlias { tool, alias, reason } => {
                write!(f, "the tool `{tool}` cannot have the parameter alias `{}`: {reason}", alias.escape_debug())
            }
            InvalidTool::UnknownParallelKey { tool, argument } => {
                write!(f, "the tool `{tool}`: the parallel key `{argument}` is not one of its arguments")
            }
            InvalidTool::UnknownShellParameter { tool, parameter } => {
                write!(f, "the tool `{tool}`: the shell parameter `{parameter}` is not one of its arguments")
            }
            InvalidTool::SyncTimeout { tool } => write!(
                f,
                "the tool `{tool}`: a sync tool cannot have a timeout: use `DynamicTool::blocking` or `DynamicTool::future`"
            ),
            InvalidTool::CheckWithoutHandler { tool } => {
                write!(f, "the tool `{tool}`: it requires an availability check, but has none: set `available`")
            }
            InvalidTool::ToolsetCheck { toolset } => {
                write!(
                    f,
                    "the toolset `{toolset}`: a toolset of run time cannot require an availability check: set `available` of its tools"
                )
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

/// Checks the name or alias of a toolset. `*` is accepted, because the registry reports reserved names.
pub(crate) fn check_toolset_name(name: &str, problems: &mut Vec<InvalidTool>) {
    if !PORTABLE.accepts(name) && name != "*" {
        problems.push(InvalidTool::ToolsetName(name.to_owned().into()));
    }
}

/// Returns the table of a schema for a tool's arguments. If it is invalid, appends the problem, and returns `None`.
pub(crate) fn table(tool: &str, schema: &Value, problems: &mut Vec<InvalidTool>) -> Option<Table> {
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        problems.push(InvalidTool::SchemaNotObject { tool: tool.to_owned().into() });
        return None;
    }
    if is_too_deep(schema) {
        problems.push(InvalidTool::SchemaTooDeep { tool: tool.to_owned().into() });
        return None;
    }
    Table::from_schema(schema)
        .map(Table::with_wide_integers)
        .map(Table::with_lenient_formats)
        .map_err(|error| problems.push(InvalidTool::Schema { tool: tool.to_owned().into(), error }))
        .ok()
}

/// Checks the schema of a tool's result.
pub(crate) fn check_result(tool: &str, schema: &Value, problems: &mut Vec<InvalidTool>) {
    if !matches!(schema, Value::Object(_) | Value::Bool(_)) || is_too_deep(schema) {
        problems.push(InvalidTool::ResultSchema { tool: tool.to_owned().into() });
    }
}

/// Checks what only MCP clients get.
pub(crate) fn check_client_fields(
    tool: &str,
    icons: Option<&Value>,
    meta: Option<&Value>,
    problems: &mut Vec<InvalidTool>,
) {
    let tool = || tool.to_owned().into();
    let are_icons = |icons: &Vec<Value>| icons.len() <= MAX_ICONS && icons.iter().all(is_icon);
    if icons.is_some_and(|icons| !icons.as_array().is_some_and(are_icons)) {
        problems.push(InvalidTool::Icons { tool: tool() });
    }
    if meta.is_some_and(|meta| !is_meta(meta)) {
        problems.push(InvalidTool::Meta { tool: tool() });
    }
}

fn is_too_deep(schema: &Value) -> bool {
    let mut pending = vec![(schema, 1)];
    while let Some((value, depth)) = pending.pop() {
        if depth > MAX_SCHEMA_DEPTH {
            return true;
        }
        match value {
            Value::Array(items) => pending.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(map) => pending.extend(map.values().map(|value| (value, depth + 1))),
            _ => {}
        }
    }
    false
}
