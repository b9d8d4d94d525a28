//! A compiled rule, and the call that it is compared with.

use std::fmt;

use serde_json::{Map, Value};
use toolc::behaviour::Annotations;
use toolc_commands::rules::matches_pattern;

use crate::keys::Verdict;
use crate::parameter::{CallPaths, Given, Parameter, Reading};

/// A rule about calls of tools.
#[derive(Debug, Clone, PartialEq)]
pub struct Permission {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) verdict: Verdict,
    pub(crate) origin: Origin,
    pub(crate) trust: Trust,
    pub(crate) exempts: Vec<String>,
    pub(crate) tools: Vec<String>,
    pub(crate) without_tools: Vec<String>,
    pub(crate) toolsets: Vec<String>,
    pub(crate) servers: Vec<String>,
    pub(crate) environments: Vec<String>,
    pub(crate) annotations: Vec<(Annotation, bool)>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) no_other_parameters: bool,
}

/// Who wrote a file of permissions, which decides what its rules may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// The user.
    Home,
    /// A project, whose rules others may have written. They can only ask and deny.
    Project,
}

/// Where a rule comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A file, with the number of the line.
    File {
        /// The path, as messages show it.
        path: String,
        /// The line of the rule, from 1.
        line: usize,
    },
    /// [`PermissionSet::strict`](crate::PermissionSet::strict).
    Strict,
    /// An answer of a person, with the id in the store, if it is kept there.
    Answer(Option<i64>),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line } => write!(f, "{path}:{line}"),
            Self::Strict => f.write_str("the mode `strict`"),
            Self::Answer(Some(id)) => write!(f, "answer {id}"),
            Self::Answer(None) => f.write_str("an answer for this session"),
        }
    }
}

/// An effect that a tool declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Annotation {
    ReadOnly,
    Destructive,
    Idempotent,
    OpenWorld,
}

impl Annotation {
    pub(crate) fn of(self, annotations: Annotations) -> bool {
        match self {
            Self::ReadOnly => annotations.read_only,
            Self::Destructive => annotations.destructive,
            Self::Idempotent => annotations.idempotent,
            Self::OpenWorld => annotations.open_world,
        }
    }
}

/// A tool, as rules see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolFacts<'c> {
    pub(crate) name: &'c str,
    pub(crate) toolset: &'c str,
    pub(crate) annotations: Annotations,
}

impl ToolFacts<'_> {
    /// Returns the MCP server of the tool.
    pub(crate) fn server(&self) -> Option<&str> {
        self.toolset.strip_prefix("mcp-")
    }
}

/// Returns the paths that a call names elsewhere than in a parameter, by its name.
pub(crate) type OtherPaths<'c> = Box<dyn Fn(&str) -> Vec<Option<String>> + 'c>;

/// A call, as rules see it.
pub(crate) struct CallFacts<'c> {
    pub(crate) tool: ToolFacts<'c>,
    pub(crate) environment: &'c str,
    pub(crate) arguments: &'c Map<String, Value>,
    pub(crate) paths: CallPaths<'c>,
    /// The paths that the call names elsewhere than in a parameter.
    pub(crate) other_paths: OtherPaths<'c>,
}

impl Permission {
    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the description.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the verdict.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Returns where the rule comes from.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns whether a condition is about paths.
    pub(crate) fn is_about_paths(&self) -> bool {
        self.parameters.iter().any(Parameter::is_about_paths)
    }

    /// Returns whether the rule can match calls of a tool.
    pub(crate) fn is_about(&self, tool: &ToolFacts<'_>) -> bool {
        let is_one = |patterns: &[String], text: &str| patterns.iter().any(|pattern| matches_pattern(pattern, text));
        (self.tools.is_empty() || is_one(&self.tools, tool.name))
            && !is_one(&self.without_tools, tool.name)
            && (self.toolsets.is_empty() || is_one(&self.toolsets, tool.toolset))
            && (self.servers.is_empty() || tool.server().is_some_and(|server| is_one(&self.servers, server)))
            && self.annotations.iter().all(|(annotation, value)| annotation.of(tool.annotations) == *value)
    }

    /// Returns whether the rule matches a call.
    pub(crate) fn covers(&self, call: &CallFacts<'_>) -> bool {
        let reading = if self.verdict == Verdict::Allow { Reading::Careful } else { Reading::Strict };
        self.is_about(&call.tool)
            && (self.environments.is_empty() || self.environments.iter().any(|kind| kind == call.environment))
            && (!self.no_other_parameters || self.knows_all(call.arguments))
            && self.parameters.iter().all(|parameter| call.fulfils(parameter, reading))
    }

    /// Returns whether `parameters` has every argument.
    fn knows_all(&self, arguments: &Map<String, Value>) -> bool {
        arguments.keys().all(|name| self.parameters.iter().any(|parameter| parameter.name == *name))
    }
}

impl CallFacts<'_> {
    fn fulfils(&self, parameter: &Parameter, reading: Reading) -> bool {
        if parameter.is_free() {
            return true;
        }
        let steps: Vec<&str> = parameter.name.split('.').collect();
        let mut values = Vec::new();
        let is_given = reach_in(self.arguments, &steps, &mut |value| match value {
            Some(value) => parameter.spread(value, &mut values),
            None => values.push(Given::Unknown),
        });
        let others = if parameter.is_about_paths() { (self.other_paths)(&parameter.name) } else { Vec::new() };
        if !is_given && others.is_empty() {
            values.push(Given::Missing);
        }
        values.extend(others.iter().map(|path| Given::Path(path.as_deref())));
        parameter.holds(&values, &self.paths, reading)
    }
}

/// Calls `found` with each value at the end of `steps`, through arrays on the way: with null for an object without one, and with `None` for a
/// text that may hold an object or an array.
fn reach<'v>(value: &'v Value, steps: &[&str], found: &mut impl FnMut(Option<&'v Value>)) {
    match value {
        value if steps.is_empty() => found(Some(value)),
        Value::Array(items) => items.iter().for_each(|item| reach(item, steps, found)),
        Value::Object(entries) if reach_in(entries, steps, found) => {}
        Value::String(text) if text.trim_start().starts_with(['[', '{']) => found(None),
        _ => found(Some(&Value::Null)),
    }
}

/// Does the same for an object, and returns whether it has a value. The name of an entry can have dots of its own: each way to read
/// `steps` counts, so that no entry hides another one.
fn reach_in<'v>(entries: &'v Map<String, Value>, steps: &[&str], found: &mut impl FnMut(Option<&'v Value>)) -> bool {
    let mut is_given = false;
    for end in 1..=steps.len() {
        if let Some(value) = entries.get(&*steps[..end].join(".")) {
            is_given = true;
            reach(value, &steps[end..], found);
        }
    }
    is_given
}
