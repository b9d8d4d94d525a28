//! Tools that are made at run time: a name, a description, a JSON Schema and a closure.

use crate::result::output::ToolResult;
use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::args::Slots;
use crate::call::Call;
use crate::data::behaviour::{Annotations, Approval, Behaviour, Execution, MaxResultChars, Parallel};
use crate::data::catalog::{Definition, Tool, Toolset};
use crate::data::dialect::{Dialect, PerDialect};
use crate::data::env::Env;
use crate::data::requirement::Requirement;
use crate::data::table::Property;
#[cfg(feature = "search")]
use crate::index::{Index, document::document};
use crate::provider::availability::{Availability, AvailabilityCheck};
use crate::provider::invalid_tools::{InvalidTool, InvalidTools, check_tool_name, check_toolset_name, table};
use crate::provider::{HandlerReply, ToolProvider};

/// A tool that is made at run time. Its handler gets the arguments as a JSON object: repaired and validated, without
/// the schema's defaults.
///
/// ```
/// use toolc::{DynamicTool, Registry, ToolOutput};
/// use serde_json::json;
///
/// let schema = json!({
///     "type": "object",
///     "properties": {"city": {"type": "string", "description": "Where."}},
///     "required": ["city"],
///     "additionalProperties": false,
/// });
/// let weather = DynamicTool::sync("weather", "The weather in a city, now.", schema, |args, _| {
///     Ok(ToolOutput::text(format!("It rains in {}.", args["city"].as_str().unwrap_or_default())))
/// });
/// let registry = Registry::new();
/// let id = registry.add(weather.toolset("outdoors").read_only().build()?)?;
/// assert_eq!(registry.toolset("outdoors").unwrap().resolved, ["weather"]);
/// registry.remove(id);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DynamicTool {
    tool: Tool,
    schema: Value,
    secrets: Vec<String>,
    available: Option<Box<AvailabilityHandler>>,
    answer: Box<CallHandler>,
}

type AvailabilityHandler = dyn Fn(&Env) -> Availability + Send + Sync;
type CallHandler = dyn for<'a> Fn(Value, &'a Call<'a>) -> HandlerReply<'a> + Send + Sync;

/// Tools and toolsets that are made at run time and added to a registry together, such as the tools of an MCP server, a
/// plugin, or a custom toolset of existing tools.
#[derive(Debug, Default)]
#[must_use = "a registry takes what `build` makes of them"]
pub struct DynamicTools {
    tools: Vec<DynamicTool>,
    toolsets: Vec<Toolset>,
}

impl DynamicTool {
    /// Returns a tool whose handler runs inline, on the caller's thread: for work that takes moments.
    pub fn sync<F>(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
        schema: Value,
        handler: F,
    ) -> Self
    where
        F: Fn(Value, &Call<'_>) -> ToolResult + Send + Sync + 'static,
    {
        let answer: Box<CallHandler> = Box::new(move |args, call| HandlerReply::Ready(handler(args, call)));
        Self::new(name.into(), description.into(), schema, Execution::Sync, answer)
    }

    /// Returns a tool whose handler runs on a thread of the pool: see [`HandlerReply::blocking`].
    pub fn blocking<F>(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
        schema: Value,
        handler: F,
    ) -> Self
    where
        F: Fn(Value, &Call<'_>) -> ToolResult + Send + Sync + 'static,
    {
        let handler = Arc::new(handler);
        let answer: Box<CallHandler> = Box::new(move |args, call| {
            let handler = Arc::clone(&handler);
            HandlerReply::blocking(call, move |call| handler(args, call))
        });
        Self::new(name.into(), description.into(), schema, Execution::Blocking, answer)
    }

    /// Returns a tool whose handler is a future on the caller's executor: `|args, call| Box::pin(async move { ... })`.
    pub fn future<F>(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
        schema: Value,
        handler: F,
    ) -> Self
    where
        F: for<'a> Fn(Value, &'a Call<'a>) -> Pin<Box<dyn Future<Output = ToolResult> + Send + 'a>>
            + Send
            + Sync
            + 'static,
    {
        let answer: Box<CallHandler> = Box::new(move |args, call| HandlerReply::Later(handler(args, call)));
        Self::new(name.into(), description.into(), schema, Execution::Async, answer)
    }

    fn new(
        name: Cow<'static, str>,
        description: Cow<'static, str>,
        schema: Value,
        execution: Execution,
        answer: Box<CallHandler>,
    ) -> Self {
        let behaviour = Behaviour::DEFAULT.with_execution(execution);
        let tool = Tool::new(name, "dynamic").with_description(description).with_behaviour(behaviour);
        Self { tool, schema, secrets: Vec::new(), available: None, answer }
    }

    /// Sets the home toolset; `dynamic` by default. It need not be declared.
    #[must_use]
    pub fn toolset(mut self, toolset: impl Into<Cow<'static, str>>) -> Self {
        self.tool.toolset = toolset.into();
        self
    }

    /// Sets a name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<Cow<'static, str>>) -> Self {
        self.tool.title = title.into();
        self
    }

    /// Sets a symbol for people.
    #[must_use]
    pub fn emoji(mut self, emoji: impl Into<Cow<'static, str>>) -> Self {
        self.tool.emoji = emoji.into();
        self
    }

    /// Adds a requirement. All requirements must be met.
    #[must_use]
    pub fn requires(mut self, requirement: Requirement) -> Self {
        self.tool.requires.push(requirement);
        self
    }

    /// Adds an availability check: see [`ToolProvider::available`].
    #[must_use]
    pub fn available(mut self, available: impl Fn(&Env) -> Availability + Send + Sync + 'static) -> Self {
        self.available = Some(Box::new(available));
        self
    }

    /// Sets the most characters of a result that the model gets.
    #[must_use]
    pub fn max_result_chars(mut self, max: impl Into<MaxResultChars>) -> Self {
        self.tool.behaviour.max_result_chars = Some(max.into());
        self
    }

    /// Sets the time limit of a call. Not for a sync tool, which cannot be stopped.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.tool.behaviour.timeout = Some(timeout);
        self
    }

    /// Sets the effects of a call.
    #[must_use]
    pub fn annotations(mut self, annotations: Annotations) -> Self {
        self.tool.behaviour.annotations = annotations;
        self
    }

    /// Declares that the tool only reads.
    #[must_use]
    pub fn read_only(self) -> Self {
        let annotations = self.tool.behaviour.annotations;
        self.annotations(annotations.with_read_only(true))
    }

    /// Sets which calls of a batch may overlap with a call; none by default.
    #[must_use]
    pub fn parallel(mut self, parallel: Parallel) -> Self {
        self.tool.behaviour.parallel = parallel;
        self
    }

    /// Sets which calls need approval; none by default.
    #[must_use]
    pub fn approval(mut self, approval: Approval) -> Self {
        self.tool.behaviour.approval = approval;
        self
    }

    /// Sets whether tool search may defer the tool; it may by default.
    #[must_use]
    pub fn defer(mut self, defer: bool) -> Self {
        self.tool.behaviour.defer = defer;
        self
    }

    /// Keeps the value of this argument out of errors and logs.
    #[must_use]
    pub fn secret(mut self, argument: impl Into<String>) -> Self {
        self.secrets.push(argument.into());
        self
    }

    /// Returns a tool provider with only this tool.
    ///
    /// # Errors
    /// Returns the same errors as [`DynamicTools::build`].
    pub fn build(self) -> Result<Box<dyn ToolProvider>, InvalidTools> {
        DynamicTools::new().tool(self).build()
    }

    /// Returns the tool as the runtime stores it, and adds its problems.
    fn finish(&mut self, problems: &mut Vec<InvalidTool>) -> Tool {
        let tool = &mut self.tool;
        let behaviour = &tool.behaviour;
        let mut table = table(&tool.name, &self.schema, problems);
        for secret in &self.secrets {
            let is_secret = |property: &Property| *property.name == **secret;
            if let Some(table) = &mut table {
                if !table.nodes[0].properties.of(&table.properties).iter().any(is_secret) {
                    problems.push(InvalidTool::UnknownSecret { tool: tool.name.clone(), argument: secret.clone() });
                }
                // The property is secret wherever else the schema mentions it, in an alternative or in a recursive schema.
                for property in table.properties.iter_mut().filter(|property| is_secret(property)) {
                    property.secret = true;
                }
            }
        }
        if behaviour.execution == Execution::Sync && behaviour.timeout.is_some() {
            problems.push(InvalidTool::SyncTimeout { tool: tool.name.clone() });
        }
        if let Parallel::Keyed { key, .. } = &behaviour.parallel
            && table.is_some()
            && self.schema["properties"].get(&**key).is_none()
        {
            problems.push(InvalidTool::UnknownParallelKey { tool: tool.name.clone(), argument: key.clone() });
        }
        if tool.requires.contains(&Requirement::Check) {
            if self.available.is_none() {
                problems.push(InvalidTool::CheckWithoutHandler { tool: tool.name.clone() });
            }
        } else if self.available.is_some() {
            tool.requires.push(Requirement::Check);
        }
        Tool { arguments: table.unwrap_or_default().into(), ..std::mem::take(tool) }
    }
}

impl DynamicTools {
    /// Returns an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool.
    pub fn tool(mut self, tool: DynamicTool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Adds tools.
    pub fn tools(mut self, tools: impl IntoIterator<Item = DynamicTool>) -> Self {
        self.tools.extend(tools);
        self
    }

    /// Adds a toolset: a description or aliases for the home toolset of the tools, or a bundle of any tools and
    /// toolsets. Everything that it names must be registered, or be added with it. A toolset that lists nothing exists
    /// as long as it has home tools.
    ///
    /// ```
    /// use toolc::{DynamicTools, Toolset};
    /// # use toolc::{DynamicTool, Registry, ToolOutput};
    /// # let registry = Registry::new();
    /// # let tool = DynamicTool::sync("read_file", "Read.", serde_json::json!({"type": "object"}), |_, _| Ok(ToolOutput::text("")));
    /// # registry.add(tool.toolset("file").build()?)?;
    /// let reading = Toolset::new("reading").with_tools(["read_file"]).with_aliases(["readonly"]);
    /// registry.add(DynamicTools::new().toolset(reading).build()?)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn toolset(mut self, toolset: Toolset) -> Self {
        self.toolsets.push(toolset);
        self
    }

    /// Returns a tool provider with all tools and toolsets.
    ///
    /// # Errors
    /// Returns an error if a vendor would refuse a name, a schema is not that of an object, is nested deeper than 64
    /// levels or is too [large](Table::from_schema), or the settings of a tool contradict each other.
    pub fn build(self) -> Result<Box<dyn ToolProvider>, InvalidTools> {
        let mut problems = Vec::new();
        let mut built = Dynamic { toolsets: self.toolsets, ..Dynamic::default() };
        for mut tool in self.tools {
            check_tool_name(&tool.tool.name, &mut problems);
            check_toolset_name(&tool.tool.toolset, &mut problems);
            built.tools.push(tool.finish(&mut problems));
            built.schemas.push(tool.schema);
            built.handlers.push((tool.available, tool.answer));
        }
        for toolset in &built.toolsets {
            for name in std::iter::once(&toolset.name).chain(&toolset.aliases) {
                check_toolset_name(name, &mut problems);
            }
            if toolset.requires.contains(&Requirement::Check) {
                problems.push(InvalidTool::ToolsetCheck { toolset: toolset.name.clone() });
            }
        }
        InvalidTools::check(problems)?;
        Ok(Box::new(built))
    }
}

#[derive(Default)]
struct Dynamic {
    tools: Vec<Tool>,
    toolsets: Vec<Toolset>,
    /// The schema of each tool.
    schemas: Vec<Value>,
    definitions: PerDialect<Vec<Option<Definition>>>,
    /// For each tool, its availability check and its handler.
    handlers: Vec<(Option<Box<AvailabilityHandler>>, Box<CallHandler>)>,
}

impl ToolProvider for Dynamic {
    fn tools(&self) -> &[Tool] {
        &self.tools
    }

    fn definitions(&self, dialect: Dialect) -> &[Option<Definition>] {
        self.definitions.get_or_init(dialect, || {
            if !dialect.shape().accepts_any_schema {
                return Vec::new();
            }
            let text = |tool: &Tool, schema| dialect.define(&tool.name, &tool.description, schema).to_string();
            let tools = self.tools.iter().zip(&self.schemas);
            tools.map(|(tool, schema)| Some(Cow::from(text(tool, schema)).into())).collect()
        })
    }

    fn toolsets(&self) -> &[Toolset] {
        &self.toolsets
    }

    #[cfg(feature = "search")]
    fn index(&self) -> Option<Index> {
        let tools = self.tools.iter().zip(&self.schemas);
        Some(Index::of(tools.map(|(tool, schema)| (&*tool.name, document(&tool.description, schema)))))
    }

    fn checks_names(&self) -> bool {
        true
    }

    fn available(&self, check: AvailabilityCheck<'_>, env: &Env) -> Availability {
        match check {
            AvailabilityCheck::Tool(index) => match self.handlers.get(index) {
                Some((Some(available), _)) => available(env),
                _ => Availability::Available,
            },
            AvailabilityCheck::Toolset(_) => Availability::Available,
        }
    }

    fn call<'a>(&'a self, index: usize, mut args: Slots<'_, '_>, call: &'a Call<'a>) -> HandlerReply<'a> {
        match self.handlers.get(index) {
            Some((_, answer)) => answer(args.value(0), call),
            None => HandlerReply::no_such_tool(index),
        }
    }
}

impl fmt::Debug for DynamicTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicTool").field("tool", &self.tool).field("schema", &self.schema).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
