//! Answers sampling requests of MCP servers with the auxiliary model.

use std::sync::Arc;

use toolc_mcp::{Sample, SampleFuture, SampleRequest, Sampler};
use toolc_model::{Client, Request, assistant_message, user_message};

use crate::models::Payer;

/// Asks a model on behalf of servers.
#[derive(Debug)]
pub(crate) struct ModelSampler {
    model: Client,
    payer: Payer,
}

impl ModelSampler {
    /// Returns a sampler that asks this model, at the expense of this conversation.
    pub(crate) fn shared(model: Client, payer: &Payer) -> Arc<dyn Sampler> {
        Arc::new(Self { model, payer: payer.clone() })
    }
}

impl Sampler for ModelSampler {
    fn sample<'a>(&'a self, request: &'a SampleRequest) -> SampleFuture<'a> {
        Box::pin(async move {
            let model = self.model.with_max_output_tokens(request.max_tokens);
            let api = model.model().api;
            let texts = request.messages.iter().map(|message| message.text.len()).sum::<usize>();
            let reserved = self.payer.reserve(model.model(), request.system.len() + texts, request.max_tokens).await?;
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
            self.payer.add_answer(&model, &response);
            drop(reserved);
            let is_cut_off = response.stop() == toolc::wire::Stop::Length;
            Ok(Sample { model: model.model().model.clone(), text: response.text().to_owned(), is_cut_off })
        })
    }
}
