//! Explanations of one tool in one turn, as data and as text for people.

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
use crate::text::nearest::{did_you_mean, nearest};

pub use doctor::{Diagnosis, Doctor, Lacking};

/// The explanation why a tool is in a turn or not: see [`Turn::why`]. Its `Display` form has several lines, for people.
/// Its [JSON](crate::ToJson) form has the names of these fields.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// The tool's own name.
    pub tool: Cow<'static, str>,
    /// The tool's name in the turn's dialect, if it differs.
    pub called: Option<Cow<'static, str>>,
    /// The tool's home toolset.
    pub toolset: Cow<'static, str>,
    /// Whether the tool is shown.
    pub status: Status,
    /// Whether tool search defers the tool: its definition is not listed, and the model finds it with `tool_search`.
    pub is_deferred: bool,
    /// What grants the tool.
    pub grants: Vec<Grant>,
    /// What removes the tool.
    pub denials: Vec<Denial>,
    /// The toolsets that would grant the tool, by name, if nothing grants it.
    pub brought_by: Vec<Cow<'static, str>>,
    /// The requirements of the tool and of its home toolset, in the order in which they are evaluated.
    pub needs: Vec<Need>,
    /// Why the tools that it requires are missing, and those that these require, and so on. Each tool once, the nearest
    /// first.
    pub missing: Vec<Missing>,
    /// The conditional parts of its definition.
    pub parts: Vec<ConditionalPart>,
}

/// Whether a tool is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// The tool is shown.
    Shown,
    /// The tool is granted, but hidden: this is the first reason.
    Hidden(HiddenReason),
    /// The tool was granted, and disabled.
    TakenAway,
    /// Nothing grants the tool.
    NotGranted,
}

/// What grants a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Grant {
    /// The session enables nothing, which grants all tools.
    NothingEnabled,
    /// The session enables the tool by name.
    Tool,
    /// The session enables a toolset that stands for all tools, by this name.
    All(Cow<'static, str>),
    /// A shortest path from an enabled toolset to one that holds the tool.
    Path(Vec<Cow<'static, str>>),
}

/// What removes a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Denial {
    /// The session disables a toolset that stands for all tools, by this name.
    All(Cow<'static, str>),
    /// The session disables the tool by name.
    Tool,
    /// A shortest path from a disabled toolset to one that holds the tool.
    Disabled(Vec<Cow<'static, str>>),
    /// An enabled toolset would grant the tool by this path, but one of the toolsets on it excludes the tool.
    Excluded {
        /// The path from the enabled toolset to one that holds the tool.
        path: Vec<Cow<'static, str>>,
        /// The toolset that excludes the tool.
        by: Cow<'static, str>,
    },
}

/// A requirement of a tool, and whether it is met.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Need {
    /// The requirement.
    pub requirement: Requirement,
    /// The home toolset, if the requirement applies to all its home tools, or `None` if it is the tool's own.
    pub toolset: Option<Cow<'static, str>>,
    /// Whether the requirement is met.
    pub state: NeedState,
    /// The age of the handlers' answer, if they were asked and there is a clock.
    pub age: Option<Duration>,
}

/// Whether a requirement is met.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NeedState {
    /// The requirement is met.
    Met,
    /// The check failed for this reason, but so soon after a success that this counts as a flake. The age is that of
    /// the success.
    Flake(HiddenReason),
    /// The requirement is not met, for this reason.
    Unmet(HiddenReason),
    /// The requirement was not evaluated: the tool is not granted, has no definition, or fails an earlier requirement.
    Unasked,
}

/// A missing tool, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Missing {
    /// The tool's name.
    pub tool: Cow<'static, str>,
    /// The reason.
    pub absence: Absence,
}

/// The reason why a tool is missing.
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
    /// The part of the definition.
    pub place: PartPlace,
    /// The condition, as in a manifest. A text within another also has the outer text's condition.
    pub condition: String,
    /// The atoms of the condition, and their values in this turn.
    pub atoms: Vec<(String, AtomValue)>,
    /// Whether the part is shown, or would be.
    pub is_shown: bool,
}

/// A part of a tool's definition.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartPlace {
    /// A text.
    Text {
        /// The keys under which the text is in the definition.
        within: Vec<String>,
        /// The text, as it is now or would be.
        text: String,
    },
    /// A parameter.
    Parameter(String),
    /// A value of a parameter.
    Value {
        /// The parameter.
        parameter: String,
        /// The value, as JSON.
        value: String,
    },
}

/// The value of a condition's atom in a turn.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AtomValue {
    /// Whether the turn has this tool.
    Tool(Cow<'static, str>, bool),
    /// The fact's value, or `None` if the fact is unknown.
    Fact(Cow<'static, str>, Option<FactValue>),
}

/// The error for an unknown tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownTool {
    /// The unknown name.
    pub name: String,
    /// Tools with similar names, the most similar first.
    pub nearest: Vec<Cow<'static, str>>,
}

impl Turn {
    /// Explains why a tool is in this turn or not: what grants and removes it, whether its requirements are met, and
    /// which of its texts, parameters and values are shown. `tool` is its own name, or its name in the dialect.
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
    /// Returns an error if no tool provider has such a tool.
    pub fn why(&self, tool: &str) -> Result<Explanation, UnknownTool> {
        let state = self.state();
        let by_dialect = || state.tool_ids().find(|&id| self.called(id) == tool);
        let Some(id) = state.find(tool).or_else(by_dialect) else {
            let names = state.tools.iter().map(|tool| &*tool.name);
            let nearest = nearest(tool, names).into_iter().map(|name| Cow::from(name.to_owned())).collect();
            return Err(UnknownTool { name: tool.to_owned(), nearest });
        };
        let (grants, denials) = self.ways(id);
        let status = match self.hidden_ids().find(|(hidden, _)| *hidden == id) {
            _ if self.has(id) => Status::Shown,
            Some((_, reason)) => Status::Hidden(reason.clone()),
            None if grants.is_empty() => Status::NotGranted,
            None => Status::TakenAway,
        };
        let called = self.called(id);
        let needs = self.needs(id);
        Ok(Explanation {
            tool: state[id].name.clone(),
            called: (called != self.name(id)).then(|| called.to_owned().into()),
            toolset: state.tool(id).toolset.clone(),
            brought_by: if grants.is_empty() { self.bringers(id) } else { Vec::new() },
            missing: self.missing(id, &needs),
            parts: self.parts(id),
            status,
            is_deferred: self.deferred_ids().binary_search(&id).is_ok(),
            grants,
            denials,
            needs,
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
