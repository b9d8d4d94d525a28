//! Answers of a server that name no request. Such an answer belongs to one of the requests that are open, and it is not known which.

use std::collections::VecDeque;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ErrorData, JsonRpcMessage, RequestId, ServerResult};
use rmcp::service::RxJsonRpcMessage;
use serde_json::json;
use tokio::time::Instant;

use crate::message;

/// The time in which other requests can be answered, and after which the answer ends all of them.
const DOUBT: Duration = Duration::from_secs(10);
/// The time that a request has for its own answer, if the nameless one may repeat the answer to an earlier request.
const REPEATED: Duration = Duration::from_secs(3);
/// The maximum number of answers that are kept.
const MAX_ANSWERS: usize = 64;
/// The maximum number of characters of a result that an error quotes.
const MAX_QUOTED: usize = 4_000;

/// What a server has answered without the id of a request.
#[derive(Debug, Clone)]
pub(crate) enum NamelessAnswer {
    Error(ErrorData),
    Result(Box<ServerResult>),
}

/// An answer, and the requests to which it may belong.
#[derive(Debug)]
struct Nameless {
    answer: NamelessAnswer,
    requests: Vec<RequestId>,
    /// When it can answer a request for the first time.
    from: Instant,
    until: Instant,
    /// Whether the time is over, and the answer ends its requests.
    is_doubtful: bool,
}

/// The answers that have not been assigned yet.
#[derive(Debug, Default)]
pub(crate) struct NamelessAnswers(VecDeque<Nameless>);

impl NamelessAnswer {
    /// Returns the message that answers a request.
    fn answer(self, id: RequestId) -> RxJsonRpcMessage<RoleClient> {
        match self {
            Self::Error(error) => JsonRpcMessage::error(error, Some(id)),
            Self::Result(result) => JsonRpcMessage::response(*result, id),
        }
    }

    /// Returns the error that ends a request if it is not known which one is answered. A result could be that of another call.
    fn doubtful(self, id: RequestId) -> RxJsonRpcMessage<RoleClient> {
        match self {
            Self::Error(mut error) => {
                error.message = format!(
                    "{} (the server did not say which of its requests this error answers, and the others had no answer, either)",
                    error.message
                )
                .into();
                JsonRpcMessage::error(error, Some(id))
            }
            Self::Result(result) => {
                let quoted: String = json!(result).to_string().chars().take(MAX_QUOTED).collect();
                message::unreadable(id, format!("a result has no id, and several requests wait for one: {quoted}"))
            }
        }
    }
}

impl NamelessAnswers {
    /// Adds an answer that arrived while these requests were open. One that may repeat the answer to an earlier request waits for a while, in
    /// which the open ones can be answered. Returns the answer if it belongs to none of them.
    pub(crate) fn add(
        &mut self,
        answer: NamelessAnswer,
        open: &[RequestId],
        may_repeat: bool,
    ) -> Option<NamelessAnswer> {
        if open.is_empty() || self.0.len() == MAX_ANSWERS {
            return Some(answer);
        }
        let now = Instant::now();
        let from = if may_repeat { now + REPEATED } else { now };
        self.0.push_back(Nameless { answer, requests: open.to_vec(), from, until: now + DOUBT, is_doubtful: false });
        None
    }

    /// Returns when the next answer can answer or end its requests.
    pub(crate) fn until(&self) -> Option<Instant> {
        let now = Instant::now();
        self.0.front().map(|first| if first.from > now { first.from } else { first.until })
    }

    /// Returns an answer with the request to which it belongs, and closes the request. An answer belongs to the only request that it can. Of as
    /// many errors as requests, each answers one. After a time of doubt, an answer ends all of its requests.
    pub(crate) fn next(&mut self, open: &mut Vec<RequestId>) -> Option<RxJsonRpcMessage<RoleClient>> {
        for answer in &mut self.0 {
            answer.requests.retain(|id| open.contains(id));
        }
        // Its request has been answered in another way.
        self.0.retain(|answer| !answer.requests.is_empty());
        let are_errors = self.0.iter().all(|answer| matches!(answer.answer, NamelessAnswer::Error(_)));
        let sure = if are_errors { self.0.len() } else { 1 };
        let first = self.0.front_mut()?;
        let id = first.requests.first()?.clone();
        if first.from > Instant::now() {
            return None;
        }
        let is_sure = !first.is_doubtful && first.requests.len() <= sure;
        first.is_doubtful |= !is_sure && first.until <= Instant::now();
        if !is_sure && !first.is_doubtful {
            return None;
        }
        let answer = first.answer.clone();
        let message = if is_sure {
            self.0.pop_front();
            answer.answer(id.clone())
        } else {
            first.requests.remove(0);
            answer.doubtful(id.clone())
        };
        open.retain(|open| *open != id);
        Some(message)
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::ErrorCode;
    use serde_json::Value;

    use super::*;

    fn error(text: &str) -> NamelessAnswer {
        NamelessAnswer::Error(ErrorData::new(ErrorCode(1), text.to_owned(), None))
    }

    fn result(text: &str) -> NamelessAnswer {
        let result = json!({ "content": [{ "type": "text", "text": text }] });
        NamelessAnswer::Result(serde_json::from_value(result).expect("it is a result"))
    }

    /// Returns the requests that are answered now, with the beginnings of their errors or the texts of their results.
    fn answered(answers: &mut NamelessAnswers, open: &mut Vec<RequestId>) -> Vec<String> {
        let next = std::iter::from_fn(|| answers.next(open));
        let text = |message| {
            let message = json!(message);
            let text = message.pointer("/error/message").or(message.pointer("/result/content/0/text"));
            let text = text.and_then(Value::as_str).expect("a text").chars().take(4).collect::<String>();
            format!("{} {text}", message["id"])
        };
        next.map(text).collect()
    }

    fn ids(numbers: &[u32]) -> Vec<RequestId> {
        numbers.iter().map(|number| RequestId::Number((*number).into())).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_without_an_id_belongs_to_the_only_request_that_it_can() {
        for answer in [error("disk"), result("disk")] {
            let (mut answers, mut open) = (NamelessAnswers::default(), ids(&[1]));
            assert!(answers.add(answer.clone(), &open, false).is_none());
            assert_eq!(answered(&mut answers, &mut open), ["1 disk"]);
            assert!(open.is_empty() && answers.add(answer.clone(), &open, false).is_some(), "no request is open");
            // The other request is answered.
            open = ids(&[1, 2]);
            answers.add(answer, &open, false);
            assert!(answered(&mut answers, &mut open).is_empty());
            open.retain(|id| *id != RequestId::Number(1));
            open.extend(ids(&[3]));
            assert_eq!(answered(&mut answers, &mut open), ["2 disk"]);
            assert_eq!(open, ids(&[3]), "a request that began later is not meant");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn as_many_errors_as_requests_answer_one_each() {
        let (mut answers, mut open) = (NamelessAnswers::default(), ids(&[1, 2]));
        answers.add(error("disk"), &open, false);
        answers.add(error("full"), &open, false);
        assert_eq!(answered(&mut answers, &mut open), ["1 disk", "2 full"]);
        assert!(answers.until().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_result_is_never_the_answer_to_a_request_that_it_may_not_answer() {
        let (mut answers, mut open) = (NamelessAnswers::default(), ids(&[1, 2]));
        answers.add(result("one"), &open, false);
        answers.add(result("two"), &open, false);
        assert!(answered(&mut answers, &mut open).is_empty(), "their order may be another");
        tokio::time::sleep_until(answers.until().expect("a result waits")).await;
        assert_eq!(answered(&mut answers, &mut open), ["1 a re", "2 a re"], "the error quotes a result");
        assert!(open.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_time_of_doubt_an_error_ends_all_requests_that_were_open() {
        let (mut answers, mut open) = (NamelessAnswers::default(), ids(&[1, 2, 3]));
        answers.add(error("disk"), &open, false);
        open.extend(ids(&[4]));
        assert!(answered(&mut answers, &mut open).is_empty());
        tokio::time::sleep_until(answers.until().expect("an error waits")).await;
        assert_eq!(answered(&mut answers, &mut open), ["1 disk", "2 disk", "3 disk"]);
        assert_eq!(open, ids(&[4]));
    }

    #[tokio::test(start_paused = true)]
    async fn an_error_that_may_repeat_an_earlier_one_answers_only_a_request_without_an_answer() {
        let (mut answers, mut open) = (NamelessAnswers::default(), ids(&[1]));
        answers.add(error("disk"), &open, true);
        assert!(answered(&mut answers, &mut open).is_empty());
        let until = answers.until().expect("an error waits");
        open.clear();
        assert!(answered(&mut answers, &mut open).is_empty() && answers.until().is_none(), "it has been answered");
        open = ids(&[2]);
        answers.add(error("disk"), &open, true);
        tokio::time::sleep_until(until).await;
        assert_eq!(answered(&mut answers, &mut open), ["2 disk"]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_number_of_answers_is_limited() {
        let (mut answers, open) = (NamelessAnswers::default(), ids(&[1, 2]));
        let kept = (0..1000).filter(|_| answers.add(error("disk"), &open, false).is_none()).count();
        assert_eq!(kept, MAX_ANSWERS);
    }
}
