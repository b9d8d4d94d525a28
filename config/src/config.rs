//! The configuration of a profile: what `config.toml` says, with the defaults of what it does not say.

use std::time::Duration;

use toolc::FactValue;
use toolc_environment::EnvironmentTable;
use toolc_model::Api;
use toolc_tables::diagnostic::At;

use crate::keys::{ApprovalMode, ConfigTable, HelperModel, ModelTable, PricesTable, SearchBy, ToolChanges};
use crate::mcp::{self, McpRegistries, McpServer};
use crate::mcp_endpoints::{self, McpEndpoint};

/// The configuration of a profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The model that works on the user's task, or `None` if none is configured.
    pub main_model: Option<Model>,
    /// The model for small tasks: the main model if no other is configured.
    pub auxiliary_model: Option<Model>,
    /// Toolsets and tools.
    pub tools: ToolSelection,
    /// How the model finds tools if there are many.
    pub search: SearchBy,
    /// How the model learns that its tools have changed.
    pub tool_changes: ToolChanges,
    /// The values of facts.
    pub facts: Vec<(String, FactValue)>,
    /// How calls that need approval are decided.
    pub approval: Approval,
    /// Where tools act.
    pub environment: EnvironmentTable,
    /// Limits of the loop.
    pub agent: Agent,
    /// What is done with results.
    pub results: Results,
    /// Where plugins are.
    pub plugins: Plugins,
    /// The plugin that keeps notes, instead of files.
    pub memory_plugin: Option<String>,
    /// The MCP servers, in the order of the file.
    pub mcp_servers: Vec<McpServer>,
    /// The time for which a session waits for the MCP servers at its start.
    pub mcp_start_wait: Duration,
    /// Where the packages of MCP servers are found and checked.
    pub mcp_registries: McpRegistries,
    /// What is served to MCP clients, in the order of the file.
    pub mcp_endpoints: Vec<McpEndpoint>,
    /// Whether conversations are recorded.
    pub record_sessions: bool,
}

/// A language model.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// The API of the server.
    pub api: Api,
    /// The name of the model.
    pub model: String,
    /// The address of the API, without `/` at its end.
    pub base_url: String,
    /// The name of the environment variable that holds the key, or `None` if the server needs no key.
    pub key_variable: Option<String>,
    /// The number of tokens that the model can read and write in one request, if it is known.
    pub context_tokens: Option<u32>,
    /// The maximum number of tokens that the model writes in one response, or `None` for that of the server.
    pub max_output_tokens: Option<u32>,
    /// The maximum time without any data from the server.
    pub timeout: Duration,
    /// The number of times that a failed request is repeated.
    pub retries: u32,
    /// The prices, if they are known.
    pub prices: Option<Prices>,
}

/// The prices of a model, each for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prices {
    /// The price of the input.
    pub input: f64,
    /// The price of the output.
    pub output: f64,
    /// The price of input that the server had in its cache.
    pub cached_input: f64,
    /// The price of input that the server writes to its cache.
    pub cache_writes: f64,
}

/// Toolsets and tools that sessions are granted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolSelection {
    /// The toolsets to enable. Empty if the configuration names none.
    pub enable: Vec<String>,
    /// The toolsets to disable.
    pub disable: Vec<String>,
    /// The tools to enable in addition.
    pub enable_tools: Vec<String>,
    /// The tools to disable.
    pub disable_tools: Vec<String>,
}

/// How calls that need approval are decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// What happens to such a call, or `None` for the default of the command.
    pub mode: Option<ApprovalMode>,
    /// The time limit for an answer.
    pub timeout: Duration,
    /// Whether the auxiliary model can approve commands with a low risk.
    pub second_opinion: bool,
}

/// Limits of the loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// The maximum number of requests to the model for one task.
    pub max_iterations: u32,
    /// The percentage of the context at which the conversation is summarised.
    pub compact_at_percent: u32,
    /// The number of the last messages that a summary keeps as they are.
    pub keep_messages: u32,
    /// The time that the user has to answer questions of the model.
    pub question_timeout: Duration,
    /// Helpers of a conversation.
    pub helpers: Helpers,
}

/// Helpers of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Helpers {
    /// The maximum number of helpers of a conversation that work at the same time.
    pub at_once: u32,
    /// How many levels of helpers can be below a conversation.
    pub levels: u32,
    /// The maximum number of requests to the model of a helper.
    pub max_iterations: u32,
    /// The model of helpers.
    pub model: HelperModel,
}

/// What is done with results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Results {
    /// The maximum number of characters of a result, or `None` for the default of the runtime.
    pub max_chars: Option<u32>,
    /// The time for which the whole text of a longer result is kept.
    pub keep: Duration,
}

/// Where plugins are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plugins {
    /// Folders of plugins, in addition to the default ones.
    pub folders: Vec<String>,
    /// The names of plugins that are not loaded.
    pub disable: Vec<String>,
    /// Whether the plugins of trusted projects are loaded.
    pub from_projects: bool,
    /// Whether the trusted plugins of packages are loaded.
    pub from_packages: bool,
}

/// The configuration without a file.
impl Default for Config {
    fn default() -> Self {
        Self::new(&toolc_tables::defaults())
    }
}

impl Config {
    /// Returns the configuration of a table without mistakes.
    pub(crate) fn new(table: &ConfigTable) -> Self {
        let main_model = table.models.main.as_ref().and_then(model);
        Self {
            auxiliary_model: table.models.auxiliary.as_ref().and_then(model).or_else(|| main_model.clone()),
            main_model,
            tools: ToolSelection {
                enable: texts(&table.tools.enable),
                disable: texts(&table.tools.disable),
                enable_tools: texts(&table.tools.enable_tools),
                disable_tools: texts(&table.tools.disable_tools),
            },
            search: table.tools.search.value,
            tool_changes: table.tools.changes.value,
            facts: table.facts.iter().map(|(name, value)| (name.value.clone(), value.value.clone())).collect(),
            approval: Approval {
                mode: table.approval.mode.as_ref().map(|mode| mode.value),
                timeout: table.approval.timeout.value,
                second_opinion: table.approval.second_opinion.value,
            },
            environment: table.environment.clone(),
            agent: Agent {
                max_iterations: table.agent.max_iterations.value,
                compact_at_percent: table.agent.compact_at_percent.value,
                keep_messages: table.agent.keep_messages.value,
                question_timeout: table.agent.question_timeout.value,
                helpers: Helpers {
                    at_once: table.agent.helpers.at_once.value,
                    levels: table.agent.helpers.levels.value,
                    max_iterations: table.agent.helpers.max_iterations.value,
                    model: table.agent.helpers.model.value,
                },
            },
            results: Results {
                max_chars: table.results.max_chars.as_ref().map(|max| max.value),
                keep: table.results.keep.value,
            },
            plugins: Plugins {
                folders: texts(&table.plugins.folders),
                disable: texts(&table.plugins.disable),
                from_projects: table.plugins.from_projects.value,
                from_packages: table.plugins.from_packages.value,
            },
            memory_plugin: table.memory.plugin.as_ref().map(|plugin| plugin.value.clone()),
            mcp_servers: mcp::servers(&table.mcp),
            mcp_start_wait: table.mcp.start_wait.value,
            mcp_registries: mcp::registries(&table.mcp),
            mcp_endpoints: mcp_endpoints::endpoints(&table.mcp),
            record_sessions: table.sessions.record.value,
        }
    }
}

/// Returns a model, or `None` if its table lacks a required key, which was reported.
fn model(table: &ModelTable) -> Option<Model> {
    let api = table.api.as_ref()?.value;
    let text = |text: &Option<At<String>>| text.as_ref().map(|text| text.value.trim().to_owned());
    let base_url = text(&table.base_url).unwrap_or_else(|| api.default_base_url().to_owned());
    let key_variable = text(&table.key_variable).unwrap_or_else(|| api.default_key_variable().to_owned());
    Some(Model {
        api,
        model: text(&table.model)?,
        base_url: base_url.trim_end_matches('/').to_owned(),
        key_variable: Some(key_variable).filter(|name| !name.is_empty()),
        context_tokens: table.context_tokens.as_ref().map(|tokens| tokens.value),
        max_output_tokens: table.max_output_tokens.as_ref().map(|tokens| tokens.value),
        timeout: table.timeout.value,
        retries: table.retries.value,
        prices: table.prices.as_ref().and_then(prices),
    })
}

fn prices(table: &PricesTable) -> Option<Prices> {
    let input = table.input.as_ref()?.value;
    Some(Prices {
        input,
        output: table.output.as_ref()?.value,
        cached_input: or(table.cached_input.as_ref(), input),
        cache_writes: or(table.cache_writes.as_ref(), input),
    })
}

fn texts(texts: &[At<String>]) -> Vec<String> {
    texts.iter().map(|text| text.value.clone()).collect()
}

fn or<T: Copy>(value: Option<&At<T>>, default: T) -> T {
    value.map_or(default, |value| value.value)
}
