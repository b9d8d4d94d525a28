//! Answers the requests of a server that need a person or a model. In the protocol with sessions they arrive one by
//! one, and in the stateless protocol together, in a result that requires input.

use std::sync::Arc;

use rmcp::model::{
    ElicitRequestParams, ElicitResult, ElicitationAction, ErrorData, InputRequest, InputRequests, InputResponses,
};
use serde_json::{Map, Value};

use super::field::{check, fields};
use super::questioner::Questioner;
use super::{Address, Answer, QuestionKind, sampling};

/// The maximum number of requests of one result that requires input.
const MAX_INPUTS: usize = 10;

impl Questioner {
    /// Answers a request for input of the person.
    ///
    /// # Errors
    /// Returns the error for the server if it may not ask, or asks for what cannot be shown.
    pub(crate) async fn elicit(&self, request: &ElicitRequestParams) -> Result<ElicitResult, ErrorData> {
        match request {
            ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
                let fields = fields(requested_schema).map_err(|problem| ErrorData::invalid_params(problem, None))?;
                let mut question = self.question(QuestionKind::Form(fields), message).map_err(ErrorData::from)?;
                let answer = self.ask(&question).await;
                let QuestionKind::Form(fields) = &question.kind else { return Ok(result(Answer::Cancel)) };
                let Answer::Accept(values) = answer else { return Ok(result(answer)) };
                if check(fields, &values).is_err() {
                    return Ok(result(Answer::Cancel));
                }
                let secrets = self.secrets(&values);
                if !secrets.is_empty() {
                    question.kind = QuestionKind::Secret(secrets);
                    if !matches!(self.ask(&question).await, Answer::Accept(_)) {
                        return Ok(result(Answer::Decline));
                    }
                }
                Ok(result(Answer::Accept(values)))
            }
            ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
                let address = Address::read(url).map_err(|problem| ErrorData::invalid_params(problem, None))?;
                let question = self.question(QuestionKind::Address(address), message).map_err(ErrorData::from)?;
                // The person says that they have opened it. What they do on that page is between them and the server.
                let mut result = result(self.ask(&question).await);
                result.content = None;
                Ok(result)
            }
            _ => Err(ErrorData::invalid_params("the mode of the request is not known", None)),
        }
    }

    /// Returns the names of the values that contain a secret of the host.
    fn secrets(&self, values: &Map<String, Value>) -> Vec<String> {
        let has_secret = |value: &Value| {
            let text = value.to_string();
            *self.redactor.text(&text) != *text
        };
        values.iter().filter(|(_, value)| has_secret(value)).map(|(name, _)| name.clone()).collect()
    }

    /// Answers the requests of a result that requires input, one after the other.
    ///
    /// # Errors
    /// Returns why the call cannot be continued.
    pub(crate) async fn inputs(self: &Arc<Self>, requests: InputRequests) -> Result<InputResponses, String> {
        if requests.len() > MAX_INPUTS {
            return Err(format!("requires {} inputs at once, and at most {MAX_INPUTS} are answered", requests.len()));
        }
        let mut responses = InputResponses::new();
        for (key, request) in requests {
            let refused = |error: ErrorData| format!("requires an input that is refused: {}", error.message);
            let response = match request {
                InputRequest::Elicitation(request) => {
                    if !self.can_ask() {
                        return Err("asks a person for input, and no person can be asked".to_owned());
                    }
                    serde_json::to_value(self.elicit(&request.params).await.map_err(refused)?)
                }
                InputRequest::CreateMessage(request) => {
                    serde_json::to_value(sampling::answer(self, &request.params).await.map_err(refused)?)
                }
                _ => return Err("requires an input of a kind that this client did not offer".to_owned()),
            };
            responses.insert(key, response.map_err(|error| error.to_string())?);
        }
        Ok(responses)
    }
}

fn result(answer: Answer) -> ElicitResult {
    match answer {
        Answer::Accept(values) => ElicitResult::new(ElicitationAction::Accept).with_content(values.into()),
        Answer::Decline => ElicitResult::new(ElicitationAction::Decline),
        Answer::Cancel => ElicitResult::new(ElicitationAction::Cancel),
    }
}
