//! What a provider says of its tools and toolsets: plain data. Its strings are borrowed where it is generated, owned where it is made at run time.

use std::borrow::Cow;
use std::sync::Arc;

use crate::data::behaviour::Behaviour;
use crate::data::dialect::Dialect;
use crate::data::requirement::Requirement;
use crate::data::segment::{Atom, FactValue, Segment};
use crate::data::table::Table;

/// One tool as one dialect shows it to a model.
#[derive(Debug, Clone)]
pub struct Definition {
    /// One JSON object, in pieces.
    pub segments: Vec<Segment>,
}

/// One that is the same in every turn.
impl From<Cow<'static, str>> for Definition {
    fn from(text: Cow<'static, str>) -> Self {
        Self { segments: vec![Segment::Text(text)] }
    }
}

/// One function that a model can call.
#[derive(Debug, Clone, Default)]
pub struct Tool {
    /// Unique in a registry.
    pub name: Cow<'static, str>,
    /// The name of the toolset that owns this tool.
    pub toolset: Cow<'static, str>,
    /// For a person's eyes: a spinner or a list. May be empty.
    pub emoji: Cow<'static, str>,
    /// What its arguments are read, repaired and validated against.
    pub arguments: Arc<Table>,
    /// What its conditions ask; at most [`MOST_ATOMS`](crate::segment::MOST_ATOMS).
    pub atoms: Vec<Atom>,
    /// The facts that its texts write out.
    pub facts: Vec<Cow<'static, str>>,
    /// What dialects call it, where that is not its own name.
    pub names: Vec<(Dialect, Cow<'static, str>)>,
    /// What has to be there for it to be shown.
    pub requires: Vec<Requirement>,
    /// How it behaves.
    pub behaviour: Behaviour,
}

impl Tool {
    /// What `dialect` calls it, if that is not its own name.
    pub fn name_in(&self, dialect: Dialect) -> Option<&Cow<'static, str>> {
        self.names.iter().find(|(of, _)| *of == dialect).map(|(_, name)| name)
    }
}

/// Something that a host tells about its world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Unique in a registry.
    pub name: Cow<'static, str>,
    /// What is assumed where the host says nothing. It also gives the fact its type.
    pub default: FactValue,
}

/// A named bundle of tools. Names in it that nobody has registered stand for nothing, until somebody does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Toolset {
    /// Unique in a registry.
    pub name: Cow<'static, str>,
    /// For a person's eyes.
    pub description: Cow<'static, str>,
    /// Tools that have another home. The home tools are known from [`Tool::toolset`].
    pub tools: Vec<Cow<'static, str>>,
    /// Other toolsets, whose tools this one brings along.
    pub includes: Vec<Cow<'static, str>>,
    /// A toolset that this one builds on: enabled with it, left alone when it is disabled.
    pub base: Option<Cow<'static, str>>,
    /// Tools that it does not hold, whatever brings them along.
    pub excludes: Vec<Cow<'static, str>>,
    /// Legacy names, under which it may be enabled and disabled.
    pub aliases: Vec<Cow<'static, str>>,
    /// Words by which a host may choose among toolsets.
    pub tags: Vec<Cow<'static, str>>,
    /// Whether it holds only what it lists: its home tools are not in it by themselves.
    pub closed: bool,
    /// What has to be there for its home tools to be shown.
    pub requires: Vec<Requirement>,
}

/// An environment variable that tools require.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: Cow<'static, str>,
    /// What it is for.
    pub description: Cow<'static, str>,
    /// What to ask a person for it. May be empty.
    pub prompt: Cow<'static, str>,
    /// Where to get it. May be empty.
    pub url: Cow<'static, str>,
    /// Whether its value must not be shown.
    pub secret: bool,
}

/// Toolsets to be drawn, each by itself: for training and evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// Its name.
    pub name: Cow<'static, str>,
    /// For a person's eyes.
    pub description: Cow<'static, str>,
    /// Each toolset, and its probability in percent. Where none is drawn, the likeliest is.
    pub toolsets: Vec<(Cow<'static, str>, f64)>,
}
