//! Sampling: a server with sessions asks the host's model for an answer. Off unless the configuration says otherwise; the person sees
//! each request before it is sent, and each answer before the server gets it.

// The stateless protocol has no sampling, so the types are marked as deprecated.
#![expect(deprecated, reason = "servers with older protocol versions use it")]

use std::error::Error;

use rmcp::model::{
    CreateMessageRequestParams, CreateMessageResult, ErrorCode, ErrorData, Role, SamplingMessage,
    SamplingMessageContentBlock,
};

use super::questioner::Questioner;
use super::sampler::{Sample, SampleMessage, SampleRequest};
use super::{Answer, QuestionKind};

/// The maximum length of the texts of a request, in bytes.
const MAX_BYTES: usize = 100_000;
/// The maximum number of messages of a request.
const MAX_MESSAGES: usize = 100;
/// The maximum number of tokens of an answer.
const MAX_TOKENS: u32 = 4_096;
/// The code of the protocol for a request that the person refuses.
const REFUSED: ErrorCode = ErrorCode(-1);

/// Answers a request for an answer of the model.
///
/// # Errors
/// Returns the error for the server if sampling is switched off, the person says no, or the model does not answer.
pub(crate) async fn answer(
    questioner: &Questioner,
    params: &CreateMessageRequestParams,
) -> Result<CreateMessageResult, ErrorData> {
    let Some(sampler) = &questioner.sampler else {
        return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "sampling is switched off", None));
    };
    let request = request(params).map_err(|problem| ErrorData::invalid_params(problem, None))?;
    let messages: Vec<String> = request.messages.iter().map(SampleMessage::shown).collect();
    let kind = QuestionKind::Sampling {
        system: request.system.clone(),
        messages: messages.join("\n"),
        max_tokens: request.max_tokens,
    };
    questioner.approve(kind).await?;
    let sample = sampler.sample(&request).await;
    let failed =
        |error: Box<dyn Error + Send + Sync>| ErrorData::internal_error(questioner.redacted(&error.to_string()), None);
    let Sample { model, text, is_cut_off } = sample.map_err(failed)?;
    let text = questioner.redacted(&text);
    questioner.approve(QuestionKind::SamplingAnswer(text.clone())).await?;
    let message = SamplingMessage::new(Role::Assistant, SamplingMessageContentBlock::text(text));
    let reason = if is_cut_off {
        CreateMessageResult::STOP_REASON_END_MAX_TOKEN
    } else {
        CreateMessageResult::STOP_REASON_END_TURN
    };
    Ok(CreateMessageResult::new(message, model).with_stop_reason(reason))
}

impl Questioner {
    /// Asks the person for their approval.
    async fn approve(&self, kind: QuestionKind) -> Result<(), ErrorData> {
        let question = self.begin_question(kind)?;
        match self.ask(&question).await {
            Answer::Accept(_) => Ok(()),
            Answer::Decline | Answer::Cancel => Err(ErrorData::new(REFUSED, "the user refused it", None)),
        }
    }
}

/// Returns what a request asks the model.
fn request(params: &CreateMessageRequestParams) -> Result<SampleRequest, String> {
    if params.tools.as_ref().is_some_and(|tools| !tools.is_empty()) {
        return Err("tools for the model are not supported: the capability was not offered".to_owned());
    }
    if params.messages.is_empty() || params.messages.len() > MAX_MESSAGES {
        return Err(format!("a request has 1 to {MAX_MESSAGES} messages"));
    }
    let messages = params.messages.iter().map(message).collect::<Result<Vec<_>, _>>()?;
    let system = params.system_prompt.clone().unwrap_or_default();
    let bytes = system.len() + messages.iter().map(|message| message.text.len()).sum::<usize>();
    if bytes > MAX_BYTES {
        return Err(format!("the request has {bytes} bytes of text, more than {MAX_BYTES}"));
    }
    Ok(SampleRequest { system, messages, max_tokens: params.max_tokens.clamp(1, MAX_TOKENS) })
}

fn message(message: &SamplingMessage) -> Result<SampleMessage, String> {
    let text = |block: SamplingMessageContentBlock| match block {
        SamplingMessageContentBlock::Text(text) => Ok(text.text),
        _ => Err("only text can be sent to the model".to_owned()),
    };
    let texts = message.content.clone().into_vec().into_iter().map(text).collect::<Result<Vec<_>, _>>()?;
    Ok(SampleMessage { is_of_model: message.role == Role::Assistant, text: texts.join("\n") })
}
