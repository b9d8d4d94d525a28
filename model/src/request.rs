//! What a request says, in the form that all APIs have in common.

use serde_json::value::RawValue;

/// A request: a conversation that the model continues.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'a> {
    /// The instructions. May be empty.
    pub system: &'a str,
    /// The conversation, in the form of the API.
    pub messages: &'a [Box<RawValue>],
    /// The definitions of the tools, in the [dialect](crate::Api::dialect) of the API: a JSON array.
    pub tools: Option<&'a RawValue>,
    /// Which tools the model may call, in the form of the API. Only sent to Anthropic and OpenAI's Responses.
    pub tool_choice: Option<&'a RawValue>,
    /// The beta features that the request needs. Only sent to Anthropic.
    pub betas: &'a [&'a str],
    /// The container in which a program of the model waits for results. Only sent to Anthropic.
    pub container: Option<&'a str>,
    /// Whether an answer with neither text nor calls is accepted, because the model may be waiting for the results of background calls.
    pub may_be_empty: bool,
}

/// The model that continues the conversation, as requests name it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModelParameters<'a> {
    pub(crate) name: &'a str,
    /// The maximum number of tokens of its answer. `None` is the server's default.
    pub(crate) max_output_tokens: Option<u32>,
}
