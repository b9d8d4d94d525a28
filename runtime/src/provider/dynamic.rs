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
use crate::data::behaviour::{Annotations, Approval, Behaviour, Callers, Execution, MaxResultChars, Parallel};
use crate::data::catalog::{Definition, Tool, Toolset};
use crate::data::dialect::{Dialect, PerDialect, RuntimeTool};
use crate::data::requirement::Requirement;
use crate::data::table::Property;
use crate::env::Env;
#[cfg(feature = "search")]
use crate::index::{Index, document::document};
use crate::provider::availability::{Availability, AvailabilityCheck};
use crate::provider::invalid_tools::{
    InvalidTool, InvalidTools, check_client_fields, check_result, check_tool_name, check_toolset_name, table,
};
use crate::provider::{HandlerReply, ToolProvider};

/// A builder of a tool that is made at run time. Its handler gets the arguments as a JSON object, repaired and validated.
/// The schema's defaults are not filled in.
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
    data: ToolData,
    /// Other names of parameters, each with the parameter before it.
    parameter_aliases: Vec<(Cow<'static, str>, Cow<'static, str>)>,
    secrets: Vec<String>,
    lowering: Option<Box<Lowering>>,
    available: Option<Box<AvailabilityHandler>>,
    handler: Box<CallHandler>,
}

/// What a dialect shows of a tool that is made at run time: see [`DynamicTool::lowered`].
#[derive(Debug, Clone, PartialEq)]
pub struct LoweredTool {
    /// The description.
    pub description: String,
    /// The JSON Schema of the arguments, in the subset that the dialect accepts, or `None` if the definition has none.
    pub parameters: Option<Value>,
}

/// The JSON in the definitions of a tool.
struct ToolData {
    /// The schema of the arguments.
    arguments: Value,
    /// The schema of the result, if it has one.
    result: Option<Value>,
    icons: Option<Value>,
    meta: Option<Value>,
}

type Lowering = dyn Fn(Dialect) -> Option<LoweredTool> + Send + Sync;
type AvailabilityHandler = dyn Fn(&Env) -> Availability + Send + Sync;
type CallHandler = dyn for<'a> Fn(Value, &'a Call<'a>) -> HandlerReply<'a> + Send + Sync;

/// A builder of a tool provider with tools and toolsets that are made at run time, for example those of an MCP server, of
/// a plugin, or a toolset of existing tools.
#[derive(Debug, Default)]
#[must_use = "call `build`, and add the result to a registry"]
pub struct DynamicTools {
    tools: Vec<DynamicTool>,
    toolsets: Vec<Toolset>,
}

impl DynamicTool {
    /// Returns a tool whose handler runs inline, on the thread that polls the call. For work that takes at most a few
    /// milliseconds.
    pub fn sync<F>(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
        schema: Value,
        handler: F,
    ) -> Self
    where
        F: Fn(Value, &Call<'_>) -> ToolResult + Send + Sync + 'static,
    {
        let handler: Box<CallHandler> = Box::new(move |args, call| HandlerReply::Ready(handler(args, call)));
        Self::new(name.into(), description.into(), schema, Execution::Sync, handler)
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
        let handler: Box<CallHandler> = Box::new(move |args, call| {
            let handler = Arc::clone(&handler);
            HandlerReply::blocking(call, move |call| handler(args, call))
        });
        Self::new(name.into(), description.into(), schema, Execution::Blocking, handler)
    }

    /// Returns a tool whose handler returns a future, which runs on the caller's executor:
    /// `|args, call| Box::pin(async move { ... })`.
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
        let handler: Box<CallHandler> = Box::new(move |args, call| HandlerReply::Async(handler(args, call)));
        Self::new(name.into(), description.into(), schema, Execution::Async, handler)
    }

    fn new(
        name: Cow<'static, str>,
        description: Cow<'static, str>,
        schema: Value,
        execution: Execution,
        handler: Box<CallHandler>,
    ) -> Self {
        let behaviour = Behaviour::DEFAULT.with_execution(execution);
        let tool = Tool::new(name, "dynamic").with_description(description).with_behaviour(behaviour);
        let data = ToolData { arguments: schema, result: None, icons: None, meta: None };
        Self {
            tool,
            data,
            parameter_aliases: Vec::new(),
            secrets: Vec::new(),
            lowering: None,
            available: None,
            handler,
        }
    }

    /// Sets the home toolset, `dynamic` by default. It does not need to be declared.
    #[must_use]
    pub fn toolset(mut self, toolset: impl Into<Cow<'static, str>>) -> Self {
        self.tool.toolset = toolset.into();
        self
    }

    /// Sets a title for people. Empty by default.
    #[must_use]
    pub fn title(mut self, title: impl Into<Cow<'static, str>>) -> Self {
        self.tool.title = title.into();
        self
    }

    /// Sets an emoji for people. Empty by default.
    #[must_use]
    pub fn emoji(mut self, emoji: impl Into<Cow<'static, str>>) -> Self {
        self.tool.emoji = emoji.into();
        self
    }

    /// Adds a requirement. The tool is shown only if all its requirements are met.
    #[must_use]
    pub fn requirement(mut self, requirement: Requirement) -> Self {
        self.tool.requires.push(requirement);
        self
    }

    /// Sets the availability check, and adds [`Requirement::Check`]: see [`ToolProvider::available`].
    #[must_use]
    pub fn available(mut self, available: impl Fn(&Env) -> Availability + Send + Sync + 'static) -> Self {
        self.available = Some(Box::new(available));
        self
    }

    /// Sets the maximum length of a result that the model gets, in characters. By default, it is the session's limit.
    #[must_use]
    pub fn max_result_chars(mut self, max: impl Into<MaxResultChars>) -> Self {
        self.tool.behaviour.max_result_chars = Some(max.into());
        self
    }

    /// Sets the time limit of a call. By default, it is the session's limit. A sync tool cannot have one, because its handler
    /// cannot be stopped.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.tool.behaviour.timeout = Some(timeout);
        self
    }

    /// Adds other names by which models know the tool: see [`Tool::aliases`].
    #[must_use]
    pub fn aliases<N: Into<Cow<'static, str>>>(mut self, aliases: impl IntoIterator<Item = N>) -> Self {
        self.tool = self.tool.with_aliases(aliases);
        self
    }

    /// Adds other names by which models know a parameter, as `aliases` of a parameter does in a manifest: a value under one of them is a value
    /// of the parameter, with a repair. No definition contains them. The schema must have `"additionalProperties": false`, because a key of
    /// its own would be allowed otherwise.
    ///
    /// ```
    /// # use serde_json::json;
    /// # use toolc::{DynamicTool, ToolOutput};
    /// let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}, "additionalProperties": false});
    /// let tool = DynamicTool::sync("read_file", "Read.", schema, |args, _| Ok(ToolOutput::text(args["path"].to_string())));
    /// let provider = tool.parameter_aliases("path", ["file", "file_path"]).build()?;
    /// # Ok::<(), toolc::error::InvalidTools>(())
    /// ```
    #[must_use]
    pub fn parameter_aliases<N: Into<Cow<'static, str>>>(
        mut self,
        parameter: impl Into<Cow<'static, str>>,
        aliases: impl IntoIterator<Item = N>,
    ) -> Self {
        let parameter = parameter.into();
        self.parameter_aliases.extend(aliases.into_iter().map(|alias| (parameter.clone(), alias.into())));
        self
    }

    /// Sets the effects of a call, as hints for hosts and clients.
    #[must_use]
    pub fn annotations(mut self, annotations: Annotations) -> Self {
        self.tool.behaviour.annotations = annotations;
        self
    }

    /// Sets the annotation that the tool only reads.
    #[must_use]
    pub fn read_only(self) -> Self {
        let annotations = self.tool.behaviour.annotations;
        self.annotations(annotations.with_read_only(true))
    }

    /// Sets which other calls of a batch may overlap with a call, [none](Parallel::Never) by default.
    #[must_use]
    pub fn parallel(mut self, parallel: Parallel) -> Self {
        self.tool.behaviour.parallel = parallel;
        self
    }

    /// Sets which calls need approval, [none](Approval::NONE) by default.
    #[must_use]
    pub fn approval(mut self, approval: Approval) -> Self {
        self.tool.behaviour.approval = approval;
        self
    }

    /// Sets the parameter that holds a shell command: a string, or an array of words. A session that judges
    /// commands (with the feature `approval`) judges it before each call.
    #[must_use]
    pub fn shell(mut self, parameter: impl Into<Cow<'static, str>>) -> Self {
        self.tool.behaviour.approval.shell = Some(parameter.into());
        self
    }

    /// Sets whether tool search may defer the tool, true by default.
    #[must_use]
    pub fn defer(mut self, defer: bool) -> Self {
        self.tool.behaviour.defer = defer;
        self
    }

    /// Sets who may call the tool, [the model](Callers::MODEL) by default.
    #[must_use]
    pub fn callers(mut self, callers: Callers) -> Self {
        self.tool.behaviour.callers = callers;
        self
    }

    /// Sets the JSON Schema of the result: the JSON that a successful call returns. Definitions in the dialects `typescript` and `mcp`
    /// contain it, and so do those in `openai-responses` if code may call the tool. Results are not validated against it. By default, the
    /// result has no schema.
    #[must_use]
    pub fn returns(mut self, schema: Value) -> Self {
        self.data.result = Some(schema);
        self
    }

    /// Sets what a dialect shows of the tool, if that is not its description and its schema as they are. The function returns `None` if the
    /// dialect cannot show the tool, and is called once for each dialect. Without it, the dialects that accept a subset of JSON Schema do not
    /// show the tool.
    ///
    /// Whatever the dialects show, arguments are repaired and validated by the schema of the tool. A parameter whose name a dialect refuses
    /// is read under the name that [`Table::parameter_aliases`](crate::schema::Table::parameter_aliases) returns as well.
    #[must_use]
    pub fn lowered(mut self, lowering: impl Fn(Dialect) -> Option<LoweredTool> + Send + Sync + 'static) -> Self {
        self.lowering = Some(Box::new(lowering));
        self
    }

    /// Sets the icons for MCP clients: an array of at most 8 objects, each with the address of a picture in `src`, which begins with
    /// `https://` or `data:image/` and has at most 16 KiB.
    #[must_use]
    pub fn icons(mut self, icons: Value) -> Self {
        self.data.icons = Some(icons);
        self
    }

    /// Sets the object `_meta` for MCP clients. The runtime does not interpret its keys. Its JSON may have up to 16 KiB.
    #[must_use]
    pub fn meta(mut self, meta: Value) -> Self {
        self.data.meta = Some(meta);
        self
    }

    /// Sets whether the model may continue while a call runs, false by default: see
    /// [`Turn::call_in_background`](crate::Turn::call_in_background).
    #[must_use]
    pub fn background(mut self, background: bool) -> Self {
        self.tool.behaviour.background = background;
        self
    }

    /// Marks an argument as secret. Its value, and that of every nested property of the same name, is redacted in errors and logs, and for
    /// hooks and the approver.
    #[must_use]
    pub fn secret(mut self, argument: impl Into<String>) -> Self {
        self.secrets.push(argument.into());
        self
    }

    /// Builds a tool provider with only this tool.
    ///
    /// # Errors
    /// Returns the same errors as [`DynamicTools::build`].
    pub fn build(self) -> Result<Box<dyn ToolProvider>, InvalidTools> {
        DynamicTools::new().tool(self).build()
    }

    /// Returns the declaration of the tool, and appends its problems to `problems`.
    fn finish(&mut self, problems: &mut Vec<InvalidTool>) -> Tool {
        let tool = &mut self.tool;
        let behaviour = &tool.behaviour;
        let ToolData { arguments: schema, result, icons, meta } = &self.data;
        let mut table = table(&tool.name, schema, problems);
        if let Some(result) = result {
            check_result(&tool.name, result, problems);
        }
        check_client_fields(&tool.name, icons.as_ref(), meta.as_ref(), problems);
        if let Some(table) = &mut table {
            for (parameter, alias) in &self.parameter_aliases {
                if let Err(reason) = table.add_alias(parameter, alias) {
                    problems.push(InvalidTool::ParameterAlias {
                        tool: tool.name.clone(),
                        alias: alias.clone(),
                        reason,
                    });
                }
            }
        }
        for secret in &self.secrets {
            let is_secret = |property: &Property| *property.name == **secret;
            if let Some(table) = &mut table {
                if !table.nodes[0].properties.slice(&table.properties).iter().any(is_secret) {
                    problems.push(InvalidTool::UnknownSecret { tool: tool.name.clone(), argument: secret.clone() });
                }
                // Every property with this name is secret, also in alternatives and in recursive schemas.
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
            && schema["properties"].get(&**key).is_none()
        {
            problems.push(InvalidTool::UnknownParallelKey { tool: tool.name.clone(), argument: key.clone() });
        }
        if let Some(parameter) = &behaviour.approval.shell
            && table.is_some()
            && schema["properties"].get(&**parameter).is_none()
        {
            problems.push(InvalidTool::UnknownShellParameter { tool: tool.name.clone(), parameter: parameter.clone() });
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
    /// Returns a builder without tools and toolsets.
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

    /// Adds a toolset: the declaration of the tools' home toolset, or a bundle of any tools and toolsets. The tools and
    /// toolsets that it names must be registered, or be part of this builder. A toolset that names none exists as long as
    /// it has home tools.
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

    /// Builds a tool provider with all tools and toolsets.
    ///
    /// # Errors
    /// Returns all problems: names that a vendor would refuse; schemas of arguments that do not describe an object, are nested deeper
    /// than 64 levels, or are too [large](crate::schema::Table::from_schema); invalid schemas of results; icons and `_meta` of the wrong
    /// form; and contradicting settings of a tool.
    pub fn build(self) -> Result<Box<dyn ToolProvider>, InvalidTools> {
        let mut problems = Vec::new();
        let mut built = DynamicProvider { toolsets: self.toolsets, ..DynamicProvider::default() };
        for mut tool in self.tools {
            for name in std::iter::once(&tool.tool.name).chain(&tool.tool.aliases) {
                check_tool_name(name, &mut problems);
            }
            check_toolset_name(&tool.tool.toolset, &mut problems);
            built.tools.push(tool.finish(&mut problems));
            built.data.push(tool.data);
            built.lowerings.push(tool.lowering);
            built.handlers.push((tool.available, tool.handler));
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

/// Returns the definition of a tool in a dialect, or `None` if the dialect does not show it.
fn definition(dialect: Dialect, tool: &Tool, data: &ToolData, lowering: Option<&Lowering>) -> Option<Definition> {
    if !dialect.accepts_callers(tool.behaviour.callers) {
        return None;
    }
    let Tool { name, title, description, behaviour, .. } = tool;
    let ToolData { arguments, result, icons, meta } = data;
    let lowered = match lowering {
        Some(lowering) => Some(lowering(dialect)?),
        None if dialect.shape().accepts_any_schema => None,
        None => return None,
    };
    let (description, schema) = match &lowered {
        Some(lowered) => (&*lowered.description, lowered.parameters.as_ref()),
        None => (&**description, Some(arguments)),
    };
    let is_lowered = lowered.is_some() && !dialect.shape().accepts_any_schema;
    let (returns, icons, meta) = (result.as_ref(), icons.as_ref(), meta.as_ref());
    let tool = RuntimeTool { name, title, description, behaviour, schema, is_lowered, returns, icons, meta };
    Some(Cow::from(dialect.define(&tool).to_string()).into())
}

#[derive(Default)]
struct DynamicProvider {
    tools: Vec<Tool>,
    toolsets: Vec<Toolset>,
    /// The JSON of each tool.
    data: Vec<ToolData>,
    /// What lowers each tool.
    lowerings: Vec<Option<Box<Lowering>>>,
    definitions: PerDialect<Vec<Option<Definition>>>,
    /// The availability check and the handler of each tool.
    handlers: Vec<(Option<Box<AvailabilityHandler>>, Box<CallHandler>)>,
}

impl ToolProvider for DynamicProvider {
    fn tools(&self) -> &[Tool] {
        &self.tools
    }

    fn definitions(&self, dialect: Dialect) -> &[Option<Definition>] {
        self.definitions.get_or_init(dialect, || {
            if !dialect.shape().accepts_any_schema && self.lowerings.iter().all(Option::is_none) {
                return Vec::new();
            }
            let tools = self.tools.iter().zip(&self.data).zip(&self.lowerings);
            tools.map(|((tool, data), lowering)| definition(dialect, tool, data, lowering.as_deref())).collect()
        })
    }

    fn toolsets(&self) -> &[Toolset] {
        &self.toolsets
    }

    #[cfg(feature = "search")]
    fn index(&self) -> Option<Index> {
        let tools = self.tools.iter().zip(&self.data);
        let documents = tools.map(|(tool, data)| (&*tool.name, document(&tool.description, &data.arguments)));
        Some(Index::from_tools(documents))
    }

    fn checks_names(&self) -> bool {
        true
    }

    fn code_parameters(&self, index: usize) -> Vec<crate::provider::code_parameters::CodeParameter> {
        let Some((tool, data)) = self.tools.get(index).zip(self.data.get(index)) else { return Vec::new() };
        let read_only = tool.behaviour.annotations.read_only;
        crate::provider::code_parameters::code_parameters(&tool.name, &tool.description, read_only, &data.arguments)
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
            Some((_, handler)) => handler(args.value(0), call),
            None => HandlerReply::no_such_tool(index),
        }
    }
}

impl fmt::Debug for DynamicTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicTool")
            .field("tool", &self.tool)
            .field("schema", &self.data.arguments)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
