//! What a provider says of its tools and toolsets: plain data. Its strings are borrowed where it is generated, owned where it is made at run time.

use std::borrow::Cow;
use std::sync::Arc;

use crate::data::behaviour::Behaviour;
use crate::data::dialect::Dialect;
use crate::data::requirement::Requirement;
use crate::data::segment::{Atom, FactValue, Segment};
use crate::data::table::Table;

/// Text that is static in generated code and owned where a provider is made at run time.
pub type Text = Cow<'static, str>;

/// One tool as one dialect shows it to a model.
#[derive(Debug, Clone)]
pub struct Definition {
    /// One JSON object, in pieces.
    pub segments: Vec<Segment>,
}

/// One that is the same in every turn.
impl From<Text> for Definition {
    fn from(text: Text) -> Self {
        Self { segments: vec![Segment::Text(text)] }
    }
}

/// One function that a model can call.
#[derive(Debug, Clone, Default)]
pub struct Tool {
    /// Unique in a registry.
    pub name: Text,
    /// The name of the toolset that owns this tool.
    pub toolset: Text,
    /// For a person's eyes: a spinner or a list. May be empty.
    pub emoji: Text,
    /// What its arguments are read, repaired and validated against.
    pub arguments: Arc<Table>,
    /// What its conditions ask; at most [`MOST_ATOMS`](crate::segment::MOST_ATOMS).
    pub atoms: Vec<Atom>,
    /// The facts that its texts write out.
    pub facts: Vec<Text>,
    /// What dialects call it, where that is not its own name.
    pub names: Vec<(Dialect, Text)>,
    /// What has to be there for it to be shown.
    pub requires: Vec<Requirement>,
    /// How it behaves.
    pub behaviour: Behaviour,
}

impl Tool {
    /// What `dialect` calls it, if that is not its own name.
    pub fn name_in(&self, dialect: Dialect) -> Option<&Text> {
        self.names.iter().find(|(of, _)| *of == dialect).map(|(_, name)| name)
    }
}

/// Something that a host tells about its world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Unique in a registry.
    pub name: Text,
    /// What is assumed where the host says nothing. It also gives the fact its type.
    pub default: FactValue,
}

/// A named bundle of tools. Names in it that nobody has registered stand for nothing, until somebody does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Toolset {
    /// Unique in a registry.
    pub name: Text,
    /// For a person's eyes.
    pub description: Text,
    /// Tools that have another home. The home tools are known from [`Tool::toolset`].
    pub tools: Vec<Text>,
    /// Other toolsets, whose tools this one brings along.
    pub includes: Vec<Text>,
    /// A toolset that this one builds on: enabled with it, left alone when it is disabled.
    pub base: Option<Text>,
    /// Tools that it does not hold, whatever brings them along.
    pub excludes: Vec<Text>,
    /// Legacy names, under which it may be enabled and disabled.
    pub aliases: Vec<Text>,
    /// Words by which a host may choose among toolsets.
    pub tags: Vec<Text>,
    /// Whether it holds only what it lists: its home tools are not in it by themselves.
    pub closed: bool,
    /// What has to be there for its home tools to be shown.
    pub requires: Vec<Requirement>,
}

/// An environment variable that tools require.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: Text,
    /// What it is for.
    pub description: Text,
    /// What to ask a person for it. May be empty.
    pub prompt: Text,
    /// Where to get it. May be empty.
    pub url: Text,
    /// Whether its value must not be shown.
    pub secret: bool,
}

/// Toolsets to be drawn, each by itself: for training and evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// Its name.
    pub name: Text,
    /// For a person's eyes.
    pub description: Text,
    /// Each toolset, and its probability in percent. Where none is drawn, the likeliest is.
    pub toolsets: Vec<(Text, f64)>,
}
