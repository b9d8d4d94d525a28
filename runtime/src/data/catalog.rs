//! What a tool provider declares: tools, toolsets, facts, variables and distributions. Strings are borrowed in
//! generated data, and owned in data that is made at run time.

use std::borrow::Cow;
use std::sync::Arc;

use crate::data::behaviour::Behaviour;
use crate::data::dialect::Dialect;
use crate::data::requirement::Requirement;
use crate::data::segment::{Atom, FactValue, Segment};
use crate::data::table::Table;

/// A tool's definition in one dialect.
#[derive(Debug, Clone)]
pub struct Definition {
    /// One JSON object, in segments.
    pub segments: Vec<Segment>,
}

/// Converts a definition that is the same in every turn.
impl From<Cow<'static, str>> for Definition {
    fn from(text: Cow<'static, str>) -> Self {
        Self { segments: vec![Segment::Text(text)] }
    }
}

/// A tool: one function that a model can call.
#[derive(Debug, Clone, Default)]
pub struct Tool {
    /// The name, unique in a registry.
    pub name: Cow<'static, str>,
    /// The name of the toolset that owns this tool.
    pub toolset: Cow<'static, str>,
    /// A symbol for people, for example in a list. May be empty.
    pub emoji: Cow<'static, str>,
    /// The table that its arguments are read, repaired and validated with.
    pub arguments: Arc<Table>,
    /// The atoms of its conditions; at most `MOST_ATOMS`.
    pub atoms: Vec<Atom>,
    /// The facts that its texts contain.
    pub facts: Vec<Cow<'static, str>>,
    /// Its names in dialects, if they differ from its own.
    pub names: Vec<(Dialect, Cow<'static, str>)>,
    /// The requirements of the tool.
    pub requires: Vec<Requirement>,
    /// The behaviour.
    pub behaviour: Behaviour,
}

impl Tool {
    /// Returns its name in `dialect`, if it differs from its own.
    pub fn name_in(&self, dialect: Dialect) -> Option<&Cow<'static, str>> {
        self.names.iter().find(|(of, _)| *of == dialect).map(|(_, name)| name)
    }
}

/// A fact: a typed value that the host supplies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The name, unique in a registry.
    pub name: Cow<'static, str>,
    /// The default value. Its type is the type of the fact.
    pub default: FactValue,
}

/// A toolset: a named bundle of tools. Names of unregistered tools and toolsets have no effect until these are
/// registered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Toolset {
    /// The name, unique in a registry.
    pub name: Cow<'static, str>,
    /// A description for people.
    pub description: Cow<'static, str>,
    /// Tools of other home toolsets. Home tools follow from [`Tool::toolset`].
    pub tools: Vec<Cow<'static, str>>,
    /// Toolsets whose tools this one also holds.
    pub includes: Vec<Cow<'static, str>>,
    /// The toolset that this one builds on: enabled with it, but not disabled with it.
    pub base: Option<Cow<'static, str>>,
    /// Tools that it does not hold, even if an included toolset does.
    pub excludes: Vec<Cow<'static, str>>,
    /// Legacy names, which can be used instead of the name.
    pub aliases: Vec<Cow<'static, str>>,
    /// Keywords by which a host may choose toolsets.
    pub tags: Vec<Cow<'static, str>>,
    /// Whether it holds only the tools that it lists, without its other home tools.
    pub closed: bool,
    /// The requirements of all its home tools.
    pub requires: Vec<Requirement>,
}

/// An environment variable that tools require.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// The name.
    pub name: Cow<'static, str>,
    /// What the variable is for.
    pub description: Cow<'static, str>,
    /// What to ask the user for. May be empty.
    pub prompt: Cow<'static, str>,
    /// Where to get the value. May be empty.
    pub url: Cow<'static, str>,
    /// Whether the value must not be shown.
    pub secret: bool,
}

/// A distribution: toolsets to draw independently, for training and evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// The name.
    pub name: Cow<'static, str>,
    /// A description for people.
    pub description: Cow<'static, str>,
    /// Each toolset with its probability in percent. If none is drawn, the most likely one is taken.
    pub toolsets: Vec<(Cow<'static, str>, f64)>,
}
