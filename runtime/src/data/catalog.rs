//! The declarations of tool providers: tools, toolsets, facts, environment variables and distributions. Strings are borrowed
//! in generated data, and owned in data that is made at run time.

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
    /// The segments, whose texts together are one JSON object.
    pub segments: Vec<Segment>,
}

impl Definition {
    /// Returns a definition with these segments, whose texts together must be one JSON object.
    pub const fn new(segments: Vec<Segment>) -> Self {
        Self { segments }
    }
}

/// Converts the text of one JSON object to a definition that is the same in every turn.
impl From<Cow<'static, str>> for Definition {
    fn from(text: Cow<'static, str>) -> Self {
        Self { segments: vec![Segment::Text(text)] }
    }
}

/// The declaration of a tool: a function that a model can call.
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
    /// Other names by which models know the tool. A call by one of them runs the tool, but no definition shows them.
    pub aliases: Vec<Cow<'static, str>>,
    /// A title for people. May be empty.
    pub title: Cow<'static, str>,
    /// A description of what the tool does. The description in a definition may differ, because conditional texts are
    /// rendered here as if every tool were shown and every fact had its default.
    pub description: Cow<'static, str>,
    /// The name of the home toolset.
    pub toolset: Cow<'static, str>,
    /// An emoji for people, for example in a list of tools. May be empty.
    pub emoji: Cow<'static, str>,
    /// The schema of the arguments, by which they are parsed, repaired and validated.
    pub arguments: Arc<Table>,
    /// The atoms of the conditions in the definitions and arguments; at most `MAX_ATOMS`.
    pub atoms: Vec<Atom>,
    /// The names of the facts whose values are part of texts.
    pub facts: Vec<Cow<'static, str>>,
    /// The names in dialects that differ from the tool's own name.
    pub names: Vec<(Dialect, Cow<'static, str>)>,
    /// The requirements of the tool.
    pub requires: Vec<Requirement>,
    /// The declared behaviour.
    pub behaviour: Behaviour,
    /// The Python function with which scripts of other tools call this one: the source, as gen writes it. `None` if scripts cannot
    /// call the tool. See [`Call::script_tools`](crate::Call::script_tools).
    pub python: Option<Cow<'static, str>>,
}

impl Tool {
    /// Returns a tool with an empty argument table, the default behaviour, and no requirements.
    pub fn new(name: impl Into<Cow<'static, str>>, toolset: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), toolset: toolset.into(), ..Self::default() }
    }

    /// Adds other names by which models know the tool.
    #[must_use]
    pub fn with_aliases<N: Into<Cow<'static, str>>>(mut self, aliases: impl IntoIterator<Item = N>) -> Self {
        self.aliases.extend(aliases.into_iter().map(Into::into));
        self
    }

    /// Sets the title for people.
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

    /// Sets the argument table.
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

    /// Lets scripts call the tool, by the Python function with this source: see [`python`](Self::python).
    #[must_use]
    pub fn with_python(mut self, source: impl Into<Cow<'static, str>>) -> Self {
        self.python = Some(source.into());
        self
    }

    /// Returns the tool's name in `dialect`, or `None` if it is the own name.
    pub fn name_in(&self, dialect: Dialect) -> Option<&Cow<'static, str>> {
        self.names.iter().find(|(other, _)| *other == dialect).map(|(_, name)| name)
    }
}

/// The declaration of a fact: a typed value that the host supplies.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fact {
    /// The name, unique in a registry.
    pub name: Cow<'static, str>,
    /// The default value, which determines the type of the fact.
    pub default: FactValue,
}

impl Fact {
    /// Returns a fact with a default value.
    pub fn new(name: impl Into<Cow<'static, str>>, default: impl Into<FactValue>) -> Self {
        Self { name: name.into(), default: default.into() }
    }
}

/// The declaration of a toolset: a named bundle of tools. It may name tools and toolsets that are not registered: such names
/// have no effect until they are.
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
    /// Tools of other home toolsets. The home tools are not listed, because they follow from [`Tool::toolset`].
    pub tools: Vec<Cow<'static, str>>,
    /// Toolsets whose tools this one also contains.
    pub includes: Vec<Cow<'static, str>>,
    /// The toolset that this one extends. Enabling this toolset also enables its base, but disabling it does not disable the
    /// base.
    pub base: Option<Cow<'static, str>>,
    /// Tools that this toolset does not contain, even if an included toolset does.
    pub excludes: Vec<Cow<'static, str>>,
    /// Legacy names, which can be used instead of the name.
    pub aliases: Vec<Cow<'static, str>>,
    /// Keywords by which a host can choose toolsets.
    pub tags: Vec<Cow<'static, str>>,
    /// Whether the toolset only contains the tools that it names, and not its other home tools.
    pub closed: bool,
    /// The requirements of all home tools.
    pub requires: Vec<Requirement>,
}

impl Toolset {
    /// Returns a toolset that contains its home tools.
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

    /// Adds toolsets whose tools this one also contains.
    #[must_use]
    pub fn with_includes<N: Into<Cow<'static, str>>>(mut self, includes: impl IntoIterator<Item = N>) -> Self {
        self.includes.extend(includes.into_iter().map(Into::into));
        self
    }

    /// Adds tools that this toolset does not contain.
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

    /// Sets the toolset that this one extends.
    #[must_use]
    pub fn with_base(mut self, base: impl Into<Cow<'static, str>>) -> Self {
        self.base = Some(base.into());
        self
    }

    /// Sets whether the toolset only contains the tools that it names.
    #[must_use]
    pub const fn with_closed(mut self, closed: bool) -> Self {
        self.closed = closed;
        self
    }

    /// Adds a requirement of all home tools.
    #[must_use]
    pub fn with_requirement(mut self, requirement: Requirement) -> Self {
        self.requires.push(requirement);
        self
    }
}

/// The declaration of an environment variable that tools require.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variable {
    /// The name.
    pub name: Cow<'static, str>,
    /// What the variable is for.
    pub description: Cow<'static, str>,
    /// What to ask the user for. May be empty.
    pub prompt: Cow<'static, str>,
    /// A page that explains how to get a value. May be empty.
    pub url: Cow<'static, str>,
    /// Whether the value is secret.
    pub secret: bool,
}

impl Variable {
    /// Returns a variable that is not secret.
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

    /// Sets the page that explains how to get a value.
    #[must_use]
    pub fn with_url(mut self, url: impl Into<Cow<'static, str>>) -> Self {
        self.url = url.into();
        self
    }

    /// Sets whether the value is secret.
    #[must_use]
    pub const fn with_secret(mut self, secret: bool) -> Self {
        self.secret = secret;
        self
    }
}

/// A distribution: a random selection of toolsets, for training and evaluation. See [`draw`](Self::draw).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Distribution {
    /// The name.
    pub name: Cow<'static, str>,
    /// A description for people.
    pub description: Cow<'static, str>,
    /// The toolsets, each with its probability in percent (0 to 100).
    pub toolsets: Vec<(Cow<'static, str>, f64)>,
}

impl Distribution {
    /// Returns a distribution of toolsets, each with its probability in percent (0 to 100).
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
