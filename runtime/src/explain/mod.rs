//! Why: all that there is to say about one tool in one turn, as data and as text for a person.

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
use crate::text::nearest::nearest;

pub use doctor::{Diagnosis, Doctor, Lacking};

/// Why a tool is in a turn, or is not: see [`Turn::why`]. Its `Display` is for a person, on several lines; as
/// [JSON](crate::ToJson) it has the same names as here.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// The tool's own name.
    pub tool: Cow<'static, str>,
    /// What the turn's dialect calls it, where that is another name.
    pub called: Option<Cow<'static, str>>,
    /// Its home toolset.
    pub toolset: Cow<'static, str>,
    /// What became of it.
    pub status: Status,
    /// Whether tool search stands for it: the model finds it with `tool_search`, as its definition is not listed.
    pub is_deferred: bool,
    /// What grants it.
    pub grants: Vec<Grant>,
    /// What takes it away.
    pub denials: Vec<Denial>,
    /// Toolsets that would bring it, by name, where nothing grants it.
    pub brought_by: Vec<Cow<'static, str>>,
    /// What it needs, of itself and as one of its home toolset's, in the order in which that is looked at.
    pub needs: Vec<Need>,
    /// Why tools are not there that it needs; and those that they need; and so on. Each of them once, nearest first.
    pub missing: Vec<Missing>,
    /// What depends on conditions in what the model is shown of it.
    pub parts: Vec<ConditionalPart>,
}

/// What became of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// The model is shown it.
    Shown,
    /// It was granted, and is hidden: this is the first of the reasons.
    Hidden(HiddenReason),
    /// It was granted, and taken away again.
    TakenAway,
    /// Nothing grants it.
    NotGranted,
}

/// What grants a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Grant {
    /// Nothing is enabled, which means all tools.
    NothingEnabled,
    /// The tool is enabled by itself.
    Tool,
    /// A toolset is enabled that stands for all tools, by this name.
    All(Cow<'static, str>),
    /// A shortest way from an enabled toolset to one that has it.
    Path(Vec<Cow<'static, str>>),
}

/// What takes a tool away.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Denial {
    /// A toolset is disabled that stands for all tools, by this name.
    All(Cow<'static, str>),
    /// The tool is disabled by itself.
    Tool,
    /// A shortest way from a disabled toolset to one that has it.
    Disabled(Vec<Cow<'static, str>>),
    /// An enabled toolset would bring it on this way, if one of them did not exclude it.
    Excluded {
        /// From the enabled toolset to one that has the tool.
        path: Vec<Cow<'static, str>>,
        /// Which of them excludes it.
        by: Cow<'static, str>,
    },
}

/// One thing that a tool needs.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Need {
    /// What.
    pub requirement: Requirement,
    /// The home toolset, where all of its home tools need it. None: the tool itself does.
    pub toolset: Option<Cow<'static, str>>,
    /// Whether it is there.
    pub state: NeedState,
    /// How long ago the handlers said so, where they were asked and there is a clock.
    pub age: Option<Duration>,
}

/// Whether something is there that a tool needs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NeedState {
    /// It is.
    Met,
    /// The handlers failed just now, for this reason. So soon after a success that is taken for a flake; the age is that
    /// success's.
    Flake(HiddenReason),
    /// It is not.
    Unmet(HiddenReason),
    /// Nobody has looked: the tool was not granted, has no definition, or lacks something that is looked at before.
    Unasked,
}

/// A tool that is not there, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Missing {
    /// Its name.
    pub tool: Cow<'static, str>,
    /// Why.
    pub absence: Absence,
}

/// Why a tool is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Absence {
    /// No provider has it.
    Unregistered,
    /// The session does not grant it.
    NotGranted,
    /// It is hidden, for these reasons.
    Hidden(Vec<HiddenReason>),
}

/// A part of what the model is shown of a tool that depends on a condition.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ConditionalPart {
    /// What of it.
    pub place: PartPlace,
    /// The condition, as a manifest writes it. A text within another has the other's condition, too.
    pub condition: String,
    /// What the condition asks for, and what that is in this turn.
    pub atoms: Vec<(String, AtomValue)>,
    /// Whether it is shown, or would be.
    pub is_shown: bool,
}

/// A part of what the model is shown of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartPlace {
    /// A text.
    Text {
        /// The names of the keys under which it stands in the definition.
        within: Vec<String>,
        /// As it reads now, or would.
        text: String,
    },
    /// A parameter.
    Parameter(String),
    /// A value that a parameter may have.
    Value {
        /// The parameter.
        parameter: String,
        /// The value, as JSON.
        value: String,
    },
}

/// What a condition's atom is in a turn.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AtomValue {
    /// Whether this tool is there.
    Tool(Cow<'static, str>, bool),
    /// The fact's value. None: there is no such fact.
    Fact(Cow<'static, str>, Option<FactValue>),
}

/// There is no tool of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownTool {
    /// The name.
    pub name: String,
    /// Tools whose names it may be a slip for, the likeliest first.
    pub nearest: Vec<Cow<'static, str>>,
}

impl Turn {
    /// Why a tool is in this turn, or is not: what grants it, what takes it away, what it needs and whether that is there,
    /// and which of its texts, parameters and values are shown. `tool` is its own name, or the dialect's.
    ///
    /// ```
    /// # let registry = toolc::Registry::new();
    /// let turn = registry.session().build()?.turn(toolc::Dialect::OpenAi);
    /// match turn.why("read_file") {
    ///     Ok(explanation) => println!("{explanation}"),
    ///     Err(unknown) => println!("{unknown}"),
    /// }
    /// # Ok::<(), toolc::error::SessionError>(())
    /// ```
    ///
    /// # Errors
    /// When no provider has such a tool.
    pub fn why(&self, tool: &str) -> Result<Explanation, UnknownTool> {
        let state = self.state();
        let by_dialect = || (0..state.tools.len()).find(|&id| self.called(id) == tool);
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
            tool: state.tools[id].name.clone(),
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
        write!(f, "no provider has a tool `{}`", crate::text::display::Truncated(name, 64))?;
        match &**nearest {
            [] => Ok(()),
            near => write!(f, ": did you mean {}?", crate::data::list_format::list(near, "or")),
        }
    }
}

impl std::error::Error for UnknownTool {}

#[cfg(test)]
mod tests;
