//! The tool provider of a server: its tools, and whether it can be used now.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::watch;
use toolc::approval::CodeParameter;
use toolc::args::Slots;
use toolc::availability::{Availability, AvailabilityCheck, Requirement};
use toolc::behaviour::Parallel;
use toolc::catalog::Definition as DialectDefinition;
use toolc::{Call, Dialect, DynamicTool, DynamicTools, Env, HandlerReply, Tool, ToolError, ToolProvider, Toolset};

use crate::ask::MAX_ASKED;
use crate::call::{Callee, Caller, Status};
use crate::definition::Definition;
use crate::lowered;
use crate::names::{tool_name, toolset_name};
use crate::output::OutputSchema;
use crate::passed_on;
use crate::pins::HeldBack;
use crate::report::{LeftOut, ListedTool, SchemaFinding};
use crate::settings::{Server, ToolSettings};

/// The time that a call has to end by itself after its time limit.
const MARGIN: Duration = Duration::from_secs(2);

/// The tool provider of a server.
pub(crate) struct ServerProvider {
    /// The tools, or `None` before the first list.
    tools: Option<Box<dyn ToolProvider>>,
    toolsets: Vec<Toolset>,
    /// The settings of the tools, in their order.
    settings: Vec<ToolSettings>,
    status: watch::Receiver<Status>,
}

/// A tool provider, and what the report says about it.
pub(crate) struct Built {
    pub(crate) provider: Box<ServerProvider>,
    pub(crate) tools: Vec<ListedTool>,
    pub(crate) left_out: Vec<LeftOut>,
    pub(crate) findings: Vec<SchemaFinding>,
}

impl ServerProvider {
    /// Returns the provider of a server that has not listed its tools yet.
    pub(crate) fn empty(server: &Server, status: watch::Receiver<Status>) -> Self {
        let description = format!("The tools of the MCP server `{}`.", server.name);
        let mut toolset = Toolset::new(toolset_name(&server.name)).with_description(description);
        // The server may have ended.
        toolset.requires.push(Requirement::Check);
        Self { tools: None, toolsets: vec![toolset], settings: Vec::new(), status }
    }

    /// Builds the provider of these tools. If several have the same name, the first is used. Tools that are held back exist without
    /// their definitions, so that the reason why they are hidden can be shown.
    pub(crate) fn build(
        server: &Server,
        definitions: Vec<Definition>,
        held_back: &[HeldBack],
        caller: &Arc<Caller>,
    ) -> Built {
        let mut provider = Self::empty(server, caller.status.clone());
        let (mut names, mut tools, mut left_out) = (BTreeSet::new(), DynamicTools::new(), Vec::new());
        let (mut listed, mut findings) = (Vec::new(), Vec::new());
        for definition in definitions {
            let (own_name, name) = (definition.own_name.clone(), definition.function.name.to_string());
            if !names.insert(name.clone()) {
                let reason = "the server has listed a tool of this name before".to_owned();
                left_out.push(LeftOut { tool: own_name, reason });
                continue;
            }
            provider.settings.push(server.tool(&own_name).cloned().unwrap_or_default());
            let changes = lowered::changes(&definition.function.description, &definition.function.parameters);
            let unenforced = lowered::unenforced(&definition.function.parameters);
            for what in definition.mends.iter().cloned().chain(changes).chain(unenforced) {
                findings.push(SchemaFinding { tool: own_name.clone(), what });
            }
            listed.push(ListedTool { name, own_name });
            tools = tools.tool(tool(server, definition, caller));
        }
        for held in held_back {
            let name = tool_name(&server.name, &held.tool);
            if names.insert(name.clone()) {
                provider.settings.push(ToolSettings::default());
                tools = tools.tool(placeholder(server, name));
            }
        }
        if !names.is_empty() {
            match tools.build() {
                Ok(built) => provider.tools = Some(built),
                // Each definition was checked on its own, so this is a mistake of this crate and not of the server.
                Err(problems) => {
                    let reason = problems.to_string();
                    left_out
                        .extend(listed.drain(..).map(|tool| LeftOut { tool: tool.own_name, reason: reason.clone() }));
                }
            }
        }
        listed.sort();
        Built { provider: Box::new(provider), tools: listed, left_out, findings }
    }
}

fn tool(server: &Server, definition: Definition, caller: &Arc<Caller>) -> DynamicTool {
    let Definition { own_name, title, hints, function, whole, .. } = definition;
    let (description, schema) = (function.description.clone(), function.parameters.clone());
    let output = OutputSchema::of(&whole);
    let returns = output.result_schema();
    let target = Arc::new(Callee { name: own_name, output, passes_meta: server.trusted });
    // The call looks after its own limit, which says more. The time of questions to a person does not count.
    let more = if caller.questioner.can_ask() { MAX_ASKED } else { MARGIN };
    let caller = Arc::clone(caller);
    let tool = function.future(move |arguments, call| {
        let (caller, target) = (Arc::clone(&caller), Arc::clone(&target));
        Box::pin(async move { caller.call(&target, arguments, call).await })
    });
    let tool = tool.lowered(move |dialect| lowered::lower(dialect, &description, &schema));
    let mut tool = tool.toolset(toolset_name(&server.name)).title(title).timeout(server.call_timeout + more);
    if let Some(returns) = returns {
        tool = tool.returns(returns);
    }
    // An untrusted server could declare a harmful tool harmless, or show the icon of another program.
    if server.trusted {
        if let Some(icons) = passed_on::icons(&whole) {
            tool = tool.icons(icons);
        }
        if let Some(meta) = whole["_meta"].as_object().and_then(passed_on::meta) {
            tool = tool.meta(meta);
        }
        let parallel = if hints.read_only { Parallel::Always } else { Parallel::Never };
        tool.annotations(hints).parallel(parallel)
    } else {
        tool
    }
}

/// Returns a tool that is always hidden, in place of one that is held back.
fn placeholder(server: &Server, name: String) -> DynamicTool {
    const REASON: &str = "it is held back until a person accepts its definition";
    let schema = json!({ "type": "object" });
    let tool = DynamicTool::sync(name, "Held back.", schema, |_, _| Err(ToolError::new(REASON)));
    tool.toolset(toolset_name(&server.name)).available(|_| Availability::Unavailable(REASON.into()))
}

impl ToolProvider for ServerProvider {
    fn tools(&self) -> &[Tool] {
        self.tools.as_ref().map_or(&[], |tools| tools.tools())
    }

    fn definitions(&self, dialect: Dialect) -> &[Option<DialectDefinition>] {
        self.tools.as_ref().map_or(&[], |tools| tools.definitions(dialect))
    }

    fn toolsets(&self) -> &[Toolset] {
        &self.toolsets
    }

    fn code_parameters(&self, index: usize) -> Vec<CodeParameter> {
        let (Some(tools), Some(settings)) = (&self.tools, self.settings.get(index)) else { return Vec::new() };
        let mut parameters = if settings.unjudged { Vec::new() } else { tools.code_parameters(index) };
        for name in &settings.shell {
            parameters.retain(|parameter| parameter.name != *name);
            parameters.push(CodeParameter { name: name.clone().into(), is_shell: true });
        }
        parameters
    }

    fn available(&self, check: AvailabilityCheck<'_>, env: &Env) -> Availability {
        if let (AvailabilityCheck::Tool(_), Some(tools)) = (check, &self.tools) {
            return tools.available(check, env);
        }
        match &*self.status.borrow() {
            Status::Unusable(reason) => Availability::Unavailable(reason.clone().into()),
            Status::Starting | Status::Connected(_) => Availability::Available,
        }
    }

    fn call<'a>(&'a self, index: usize, arguments: Slots<'_, '_>, call: &'a Call<'a>) -> HandlerReply<'a> {
        match &self.tools {
            Some(tools) => tools.call(index, arguments, call),
            None => HandlerReply::no_such_tool(index),
        }
    }
}
