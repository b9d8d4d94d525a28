//! Answers sampling requests of MCP servers with the auxiliary model.

use toolc_mcp::{Sample, SampleFuture, SampleRequest, Sampler};
use toolc_model::{Client, Request, assistant_message, user_message};

/// Asks a model on behalf of servers.
#[derive(Debug)]
pub(crate) struct ModelSampler(Client);

impl ModelSampler {
    /// Returns a sampler that asks this model.
    pub(crate) fn new(model: Client) -> Self {
        Self(model)
    }
}

impl Sampler for ModelSampler {
    fn sample<'a>(&'a self, request: &'a SampleRequest) -> SampleFuture<'a> {
        Box::pin(async move {
            let model = self.0.with_max_output_tokens(request.max_tokens);
            let api = model.model().api;
            let message = |message: &toolc_mcp::SampleMessage| {
                if message.is_of_model {
                    assistant_message(api, &message.text)
                } else {
                    user_message(api, &message.text)
                }
            };
            let messages: Vec<_> = request.messages.iter().map(message).collect();
            let request = Request { system: &request.system, messages: &messages, ..Request::default() };
            let answer = model.ask(&request, &mut |_| {}).await?;
            let response = answer.response;
            let is_cut_off = response.stop() == toolc::wire::Stop::Length;
            Ok(Sample { model: model.model().model.clone(), text: response.text().to_owned(), is_cut_off })
        })
    }
}
