//! Errors of a server that name no request. Such an error answers one of the requests that are open, and it is not known which.

use std::collections::VecDeque;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::RxJsonRpcMessage;
use tokio::time::Instant;

/// The time in which other requests can be answered, and after which the error ends all of them.
const DOUBT: Duration = Duration::from_secs(10);
/// The maximum number of errors that are kept.
const MAX_ERRORS: usize = 64;

/// An error, and the requests that it may answer.
#[derive(Debug)]
struct Nameless {
    error: ErrorData,
    requests: Vec<RequestId>,
    until: Instant,
}

/// The errors that have not been assigned yet.
#[derive(Debug, Default)]
pub(crate) struct NamelessErrors(VecDeque<Nameless>);

impl NamelessErrors {
    /// Adds an error that arrived while these requests were open. Returns the error if it answers none of them.
    pub(crate) fn add(&mut self, error: ErrorData, open: &[RequestId]) -> Option<ErrorData> {
        if open.is_empty() || self.0.len() == MAX_ERRORS {
            return Some(error);
        }
        self.0.push_back(Nameless { error, requests: open.to_vec(), until: Instant::now() + DOUBT });
        None
    }

    /// Returns when the next error ends its requests.
    pub(crate) fn until(&self) -> Option<Instant> {
        self.0.front().map(|first| first.until)
    }

    /// Returns an error with the request that it answers, and closes the request. An error answers the only request that it can. Of as many
    /// errors as requests, each answers one. After a time of doubt, an error ends all of its requests.
    pub(crate) fn next(&mut self, open: &mut Vec<RequestId>) -> Option<RxJsonRpcMessage<RoleClient>> {
        for error in &mut self.0 {
            error.requests.retain(|id| open.contains(id));
        }
        // Its request has been answered in another way.
        self.0.retain(|error| !error.requests.is_empty());
        let errors = self.0.len();
        let first = self.0.front_mut()?;
        let id = first.requests.first()?.clone();
        let (count, is_over) = (first.requests.len(), first.until <= Instant::now());
        if count > errors && !is_over {
            return None;
        }
        let mut error = first.error.clone();
        if count > errors {
            error.message = format!(
                "{} (the server did not say which of its requests this error answers, and the others had no answer, either)",
                error.message
            )
            .into();
            first.requests.remove(0);
        } else {
            self.0.pop_front();
        }
        open.retain(|open| *open != id);
        Some(JsonRpcMessage::error(error, Some(id)))
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::ErrorCode;

    use super::*;

    fn error(text: &str) -> ErrorData {
        ErrorData::new(ErrorCode(1), text.to_owned(), None)
    }

    /// Returns the requests that are answered now, with the beginnings of their errors.
    fn answered(errors: &mut NamelessErrors, open: &mut Vec<RequestId>) -> Vec<String> {
        let next = std::iter::from_fn(|| errors.next(open));
        let text = |message| match message {
            JsonRpcMessage::Error(error) => {
                let text = error.error.message.chars().take(4).collect::<String>();
                format!("{} {text}", error.id.expect("an id"))
            }
            _ => unreachable!("they are errors"),
        };
        next.map(text).collect()
    }

    fn ids(numbers: &[u32]) -> Vec<RequestId> {
        numbers.iter().map(|number| RequestId::Number((*number).into())).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn an_error_without_an_id_answers_the_only_request_that_it_can() {
        let (mut errors, mut open) = (NamelessErrors::default(), ids(&[1]));
        assert!(errors.add(error("disk"), &open).is_none());
        assert_eq!(answered(&mut errors, &mut open), ["1 disk"]);
        assert!(open.is_empty() && errors.add(error("disk"), &open).is_some(), "no request is open");
        // The other request is answered.
        open = ids(&[1, 2]);
        errors.add(error("disk"), &open);
        assert!(answered(&mut errors, &mut open).is_empty());
        open.retain(|id| *id != RequestId::Number(1));
        open.extend(ids(&[3]));
        assert_eq!(answered(&mut errors, &mut open), ["2 disk"]);
        assert_eq!(open, ids(&[3]), "a request that began later is not meant");
    }

    #[tokio::test(start_paused = true)]
    async fn as_many_errors_as_requests_answer_one_each() {
        let (mut errors, mut open) = (NamelessErrors::default(), ids(&[1, 2]));
        errors.add(error("disk"), &open);
        errors.add(error("full"), &open);
        assert_eq!(answered(&mut errors, &mut open), ["1 disk", "2 full"]);
        assert!(errors.until().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_time_of_doubt_an_error_ends_all_requests_that_were_open() {
        let (mut errors, mut open) = (NamelessErrors::default(), ids(&[1, 2, 3]));
        errors.add(error("disk"), &open);
        open.extend(ids(&[4]));
        assert!(answered(&mut errors, &mut open).is_empty());
        tokio::time::sleep_until(errors.until().expect("an error waits")).await;
        assert_eq!(answered(&mut errors, &mut open), ["1 disk", "2 disk", "3 disk"]);
        assert_eq!(open, ids(&[4]));
    }

    #[tokio::test(start_paused = true)]
    async fn the_number_of_errors_is_limited() {
        let (mut errors, open) = (NamelessErrors::default(), ids(&[1, 2]));
        let kept = (0..1000).filter(|_| errors.add(error("disk"), &open).is_none()).count();
        assert_eq!(kept, MAX_ERRORS);
    }
}
