//! Explanations of why tools are shown or not, as data, text and JSON: [`Turn::why`] for one tool, and [`Turn::doctor`] for
//! all granted tools.

mod conditions;
mod doctor;
mod grants;
mod requirements;
mod text;

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use crate::availability::HiddenReason;
use crate::data::requirement::Requirement;
use crate::data::segment::FactValue;
use crate::session::turn::Turn;
use crate::text::nearest::{did_you_mean, nearest_name};

pub use doctor::{Diagnosis, Doctor, MissingVariable};

/// The explanation of why a tool is shown or not: see [`Turn::why`]. Its `Display` form has several lines, for people. Its
/// [JSON](crate::ToJson) form is an object with the names of these fields.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// The tool's own name.
    pub tool: Cow<'static, str>,
    /// The tool's name in the turn's dialect, if it differs from the own name.
    pub dialect_name: Option<Cow<'static, str>>,
    /// The tool's home toolset.
    pub toolset: Cow<'static, str>,
    /// Whether the tool is shown.
    pub status: Status,
    /// Whether tool search defers the tool: its definition is not listed, and the model finds it with `tool_search`.
    pub is_deferred: bool,
    /// The parts of the session's selection that grant the tool.
    pub grants: Vec<Grant>,
    /// The parts of the session's selection that deny the tool.
    pub denials: Vec<Denial>,
    /// If nothing grants the tool: the names of the toolsets that would grant it, sorted.
    pub granting_toolsets: Vec<Cow<'static, str>>,
    /// The requirements of the tool and of its home toolset, in the order in which they are evaluated.
    pub requirements: Vec<RequirementStatus>,
    /// The tools that are missing for this one: those that it requires, those that these require, and so on. Each tool once,
    /// direct requirements first.
    pub missing: Vec<MissingTool>,
    /// The parts of the definition that depend on a condition.
    pub parts: Vec<ConditionalPart>,
}

/// Whether a tool is shown, and if not, why.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// The tool is shown.
    Shown,
    /// The tool is granted, but not shown, for this reason: the first requirement that is not met.
    Hidden(HiddenReason),
    /// The tool would be granted, but the session disables it or its toolset.
    Disabled,
    /// Nothing grants the tool.
    NotGranted,
}

/// A part of a session's selection that grants a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Grant {
    /// The session names no toolset or tool to enable, so it has all of them.
    NothingEnabled,
    /// The session enables the tool by name.
    Tool,
    /// The session enables all tools by this name: `all` or `*`.
    All(Cow<'static, str>),
    /// The session enables a toolset that contains the tool. This is a shortest path from the enabled toolset to one that has
    /// the tool itself.
    Path(Vec<Cow<'static, str>>),
}

/// A part of a session's selection that denies a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Denial {
    /// The session disables all tools by this name: `all` or `*`.
    All(Cow<'static, str>),
    /// The session disables the tool by name.
    Tool,
    /// The session disables a toolset that contains the tool. This is a shortest path from the disabled toolset to one that has
    /// the tool itself.
    Disabled(Vec<Cow<'static, str>>),
    /// An enabled toolset would grant the tool, but a toolset on the path to it excludes the tool.
    Excluded {
        /// A shortest path from the enabled toolset to one that has the tool itself.
        path: Vec<Cow<'static, str>>,
        /// The toolset that excludes the tool.
        by: Cow<'static, str>,
    },
}

/// A requirement of a tool, and whether it is met.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RequirementStatus {
    /// The requirement.
    pub requirement: Requirement,
    /// The home toolset, if it declares the requirement for all its home tools, or `None` if the tool declares it.
    pub toolset: Option<Cow<'static, str>>,
    /// Whether the requirement is met.
    pub state: RequirementState,
    /// For a check that has run: the time since the result. `None` on platforms without a clock.
    pub age: Option<Duration>,
}

/// Whether a requirement is met.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequirementState {
    /// The requirement is met.
    Met,
    /// The check failed for this reason, but so soon after a success that the failure counts as a flake. The age is the time
    /// since the success.
    Flake(HiddenReason),
    /// The requirement is not met, for this reason.
    Unmet(HiddenReason),
    /// The requirement was not evaluated: the tool is not granted, has no definition in the dialect, or does not meet an earlier
    /// requirement.
    NotEvaluated,
}

/// A required tool that is not shown, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingTool {
    /// The tool's name.
    pub tool: Cow<'static, str>,
    /// The reason.
    pub absence: Absence,
}

/// The reason why a required tool is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Absence {
    /// No tool provider has it.
    Unregistered,
    /// The session does not grant it.
    NotGranted,
    /// The tool is hidden, for these reasons.
    Hidden(Vec<HiddenReason>),
}

/// A part of a tool's definition that depends on a condition.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ConditionalPart {
    /// The location of the part.
    pub location: PartLocation,
    /// The condition in the syntax of manifests. A text inside another conditional text also depends on the condition of the
    /// outer text.
    pub condition: String,
    /// The atoms of the condition in the syntax of manifests, each with its value in this turn.
    pub atoms: Vec<(String, AtomValue)>,
    /// Whether the part is included, or would be if the tool were shown.
    pub is_shown: bool,
}

/// The location of a conditional part in a tool's definition.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartLocation {
    /// A part of a text.
    Text {
        /// The keys from the root of the definition to the text.
        within: Vec<String>,
        /// The conditional part of the text, rendered with the facts of this turn.
        text: String,
    },
    /// A parameter, by its path: `filter.limit`.
    Parameter(String),
    /// A value in the `enum` of a parameter.
    Value {
        /// The path of the parameter.
        parameter: String,
        /// The value, as JSON.
        value: String,
    },
}

/// The value of a condition's atom in a turn.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AtomValue {
    /// The name of a tool, and whether the turn shows it.
    Tool(Cow<'static, str>, bool),
    /// The name of a fact, and its value, or `None` if the fact is unknown.
    Fact(Cow<'static, str>, Option<FactValue>),
}

/// The error of [`Turn::why`] for an unknown tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownTool {
    /// The unknown name.
    pub name: String,
    /// The names of up to three tools with similar names, the most similar first.
    pub nearest: Vec<Cow<'static, str>>,
}

impl Turn {
    /// Explains why a tool is shown or not: what grants and denies it, whether its requirements are met, and which conditional
    /// parts of its definition are included. `tool` is its own name, or its name in the dialect.
    ///
    /// ```
    /// # let registry = toolc::Registry::new();
    /// let turn = registry.session().build()?.turn_blocking(toolc::Dialect::OpenAi);
    /// match turn.why("read_file") {
    ///     Ok(explanation) => println!("{explanation}"),
    ///     Err(unknown) => println!("{unknown}"),
    /// }
    /// # Ok::<(), toolc::error::SessionError>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if no registered tool provider has the tool.
    pub fn why(&self, tool: &str) -> Result<Explanation, UnknownTool> {
        let state = self.state();
        let by_dialect_name = || state.tool_ids().find(|&id| self.dialect_name(id) == tool);
        let by_other_name = || state.resolve_name_with(tool, |id| self.dialect_name(id));
        let Some(id) = state.find(tool).or_else(by_dialect_name).or_else(by_other_name) else {
            let names = state.tools.iter().map(|tool| &*tool.name);
            let nearest = nearest_name(tool, names).into_iter().map(|name| Cow::from(name.to_owned())).collect();
            return Err(UnknownTool { name: tool.to_owned(), nearest });
        };
        let (grants, denials) = self.grants_and_denials(id);
        let status = match self.hidden_ids().find(|(hidden, _)| *hidden == id) {
            _ if self.has(id) => Status::Shown,
            Some((_, reason)) => Status::Hidden(reason.clone()),
            None if grants.is_empty() => Status::NotGranted,
            None => Status::Disabled,
        };
        let dialect_name = self.dialect_name(id);
        let requirements = self.requirement_statuses(id);
        Ok(Explanation {
            tool: state[id].name.clone(),
            dialect_name: (dialect_name != self.name(id)).then(|| dialect_name.to_owned().into()),
            toolset: state.tool(id).toolset.clone(),
            granting_toolsets: if grants.is_empty() { self.toolsets_with(id) } else { Vec::new() },
            missing: self.missing_tools(id, &requirements),
            parts: self.conditional_parts(id),
            status,
            is_deferred: self.deferred_ids().binary_search(&id).is_ok(),
            grants,
            denials,
            requirements,
        })
    }
}

impl fmt::Display for UnknownTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, nearest } = self;
        write!(f, "no tool provider has a tool `{}`", crate::text::display::Truncated(name, 64))?;
        did_you_mean(nearest).map_or(Ok(()), |question| write!(f, ": {question}"))
    }
}

impl std::error::Error for UnknownTool {}

#[cfg(test)]
mod tests;
