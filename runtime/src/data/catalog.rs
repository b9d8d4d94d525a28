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
#[non_exhaustive]
pub struct Definition {
    /// One JSON object, in segments.
    pub segments: Vec<Segment>,
}

impl Definition {
    /// Makes a definition of segments, which together are one JSON object.
    pub const fn new(segments: Vec<Segment>) -> Self {
        Self { segments }
    }
}

/// Converts a definition that is the same in every turn.
impl From<Cow<'static, str>> for Definition {
    fn from(text: Cow<'static, str>) -> Self {
        Self { segments: vec![Segment::Text(text)] }
    }
}

/// A tool: one function that a model can call.
///
/// ```
/// use toolc::Tool;
/// use toolc::availability::Requirement;
///
/// let tool = Tool::new("read_page", "web").with_description("Reads a web page.").with_requirement(Requirement::Check);
/// assert_eq!((&*tool.name, &*tool.toolset), ("read_page", "web"));
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Tool {
    /// The name, unique in a registry.
    pub name: Cow<'static, str>,
    /// A name for people, or the empty string.
    pub title: Cow<'static, str>,
    /// What the tool does. Its definitions may say more, or less: conditional texts are here as if every tool were shown
    /// and every fact had its default.
    pub description: Cow<'static, str>,
    /// The name of the toolset that owns this tool.
    pub toolset: Cow<'static, str>,
    /// A symbol for people, for example in a list. May be empty.
    pub emoji: Cow<'static, str>,
    /// The table that its arguments are read, repaired and validated with.
    pub arguments: Arc<Table>,
    /// The atoms of its conditions; at most `MAX_ATOMS`.
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
    /// Makes a tool that accepts no arguments, behaves by default, and requires nothing.
    pub fn new(name: impl Into<Cow<'static, str>>, toolset: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), toolset: toolset.into(), ..Self::default() }
    }

    /// Sets the name for people.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<Cow<'static, str>>) -> Self {
        self.title = title.into();
        self
    }

    /// Sets the description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<Cow<'static, str>>) -> Self {
        self.description = description.into();
        self
    }

    /// Sets the table of its arguments.
    #[must_use]
    pub fn with_arguments(mut self, arguments: impl Into<Arc<Table>>) -> Self {
        self.arguments = arguments.into();
        self
    }

    /// Sets the behaviour.
    #[must_use]
    pub fn with_behaviour(mut self, behaviour: Behaviour) -> Self {
        self.behaviour = behaviour;
        self
    }

    /// Adds a requirement.
    #[must_use]
    pub fn with_requirement(mut self, requirement: Requirement) -> Self {
        self.requires.push(requirement);
        self
    }

    /// Returns its name in `dialect`, if it differs from its own.
    pub fn name_in(&self, dialect: Dialect) -> Option<&Cow<'static, str>> {
        self.names.iter().find(|(of, _)| *of == dialect).map(|(_, name)| name)
    }
}

/// A fact: a typed value that the host supplies.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fact {
    /// The name, unique in a registry.
    pub name: Cow<'static, str>,
    /// The default value. Its type is the type of the fact.
    pub default: FactValue,
}

impl Fact {
    /// Makes a fact with a default value.
    pub fn new(name: impl Into<Cow<'static, str>>, default: impl Into<FactValue>) -> Self {
        Self { name: name.into(), default: default.into() }
    }
}

/// A toolset: a named bundle of tools. Names of unregistered tools and toolsets have no effect until these are
/// registered.
///
/// ```
/// use toolc::Toolset;
///
/// let reading = Toolset::new("reading").with_tools(["read_file", "search_files"]).with_aliases(["readonly"]);
/// assert_eq!(reading.tools, ["read_file", "search_files"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
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

impl Toolset {
    /// Makes a toolset that holds its home tools.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Sets the description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<Cow<'static, str>>) -> Self {
        self.description = description.into();
        self
    }

    /// Adds tools of other home toolsets.
    #[must_use]
    pub fn with_tools<N: Into<Cow<'static, str>>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.tools.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Adds toolsets whose tools this one also holds.
    #[must_use]
    pub fn with_includes<N: Into<Cow<'static, str>>>(mut self, includes: impl IntoIterator<Item = N>) -> Self {
        self.includes.extend(includes.into_iter().map(Into::into));
        self
    }

    /// Adds tools that it does not hold.
    #[must_use]
    pub fn with_excludes<N: Into<Cow<'static, str>>>(mut self, excludes: impl IntoIterator<Item = N>) -> Self {
        self.excludes.extend(excludes.into_iter().map(Into::into));
        self
    }

    /// Adds legacy names.
    #[must_use]
    pub fn with_aliases<N: Into<Cow<'static, str>>>(mut self, aliases: impl IntoIterator<Item = N>) -> Self {
        self.aliases.extend(aliases.into_iter().map(Into::into));
        self
    }

    /// Adds keywords.
    #[must_use]
    pub fn with_tags<N: Into<Cow<'static, str>>>(mut self, tags: impl IntoIterator<Item = N>) -> Self {
        self.tags.extend(tags.into_iter().map(Into::into));
        self
    }

    /// Sets the toolset that this one builds on.
    #[must_use]
    pub fn with_base(mut self, base: impl Into<Cow<'static, str>>) -> Self {
        self.base = Some(base.into());
        self
    }

    /// Sets whether it holds only the tools that it lists.
    #[must_use]
    pub const fn with_closed(mut self, closed: bool) -> Self {
        self.closed = closed;
        self
    }

    /// Adds a requirement of all its home tools.
    #[must_use]
    pub fn with_requirement(mut self, requirement: Requirement) -> Self {
        self.requires.push(requirement);
        self
    }
}

/// An environment variable that tools require.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
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

impl Variable {
    /// Makes a variable whose value may be shown.
    pub fn new(name: impl Into<Cow<'static, str>>, description: impl Into<Cow<'static, str>>) -> Self {
        let (prompt, url) = (Cow::default(), Cow::default());
        Self { name: name.into(), description: description.into(), prompt, url, secret: false }
    }

    /// Sets what to ask the user for.
    #[must_use]
    pub fn with_prompt(mut self, prompt: impl Into<Cow<'static, str>>) -> Self {
        self.prompt = prompt.into();
        self
    }

    /// Sets where to get the value.
    #[must_use]
    pub fn with_url(mut self, url: impl Into<Cow<'static, str>>) -> Self {
        self.url = url.into();
        self
    }

    /// Sets whether the value must not be shown.
    #[must_use]
    pub const fn with_secret(mut self, secret: bool) -> Self {
        self.secret = secret;
        self
    }
}

/// A distribution: toolsets to draw independently, for training and evaluation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Distribution {
    /// The name.
    pub name: Cow<'static, str>,
    /// A description for people.
    pub description: Cow<'static, str>,
    /// Each toolset with its probability in percent. If none is drawn, the most likely one is taken.
    pub toolsets: Vec<(Cow<'static, str>, f64)>,
}

impl Distribution {
    /// Makes a distribution of toolsets, each with its probability in percent.
    pub fn new<N: Into<Cow<'static, str>>>(
        name: impl Into<Cow<'static, str>>,
        toolsets: impl IntoIterator<Item = (N, f64)>,
    ) -> Self {
        let toolsets = toolsets.into_iter().map(|(toolset, percent)| (toolset.into(), percent)).collect();
        Self { name: name.into(), description: Cow::default(), toolsets }
    }

    /// Sets the description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<Cow<'static, str>>) -> Self {
        self.description = description.into();
        self
    }
}
