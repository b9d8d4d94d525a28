//! An approver for hosts whose user answers questions elsewhere, such as in a chat or on a web page.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::call::approval::{ApprovalDecision, ApprovalRequest, Approver, OwnedApprovalRequest};
use crate::panics;

/// An approver that lists its questions, and lets other code answer them by id. Clones share the questions. It can serve many
/// sessions.
///
/// ```
/// use std::sync::Arc;
/// use toolc::approval::{ApprovalDecision, PendingApprovals};
///
/// let questions = PendingApprovals::new().on_question(|question| println!("{}: {}", question.id, question.request));
/// let session = toolc::Registry::new().session().approver(Arc::new(questions.clone()));
///
/// // When the user has answered in the chat:
/// # let id = 1;
/// if questions.answer(id, ApprovalDecision::AllowOnce).is_err() {
///     println!("this question is no longer open");
/// }
/// # session.build().unwrap();
/// ```
#[derive(Clone, Default)]
pub struct PendingApprovals {
    questions: Arc<Mutex<Questions>>,
    listener: Option<Arc<Listener>>,
}

type Listener = dyn Fn(&Pending) + Send + Sync;

#[derive(Default)]
struct Questions {
    /// The id of the latest question.
    latest: u64,
    /// The open questions, in the order of their ids.
    open: Vec<Question>,
}

struct Question {
    pending: Pending,
    decision: Option<ApprovalDecision>,
    waker: Option<Waker>,
}

/// A question that waits for an answer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Pending {
    /// The id, unique in its [`PendingApprovals`].
    pub id: u64,
    /// The request.
    pub request: OwnedApprovalRequest,
}

/// The error of [`PendingApprovals::answer`]: the question does not exist, or has been answered, or no longer waits because its
/// call was cancelled or its time limit was exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownQuestion {
    /// The id.
    pub id: u64,
}

impl fmt::Display for UnknownQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "question {} does not wait for an answer", self.id)
    }
}

impl std::error::Error for UnknownQuestion {}

impl PendingApprovals {
    /// Returns an approver without questions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a callback that is called for each new question, on the thread that polls the call. Earlier clones do not have it. If
    /// the callback panics, the call is denied.
    #[must_use]
    pub fn on_question(mut self, listener: impl Fn(&Pending) + Send + Sync + 'static) -> Self {
        self.listener = Some(Arc::new(listener));
        self
    }

    /// Returns the questions that wait for an answer, the oldest first.
    pub fn pending(&self) -> Vec<Pending> {
        let questions = self.questions();
        let open = questions.open.iter().filter(|question| question.decision.is_none());
        open.map(|question| question.pending.clone()).collect()
    }

    /// Answers a question. The first answer counts.
    ///
    /// # Errors
    /// Returns an error if the question does not wait for an answer.
    pub fn answer(&self, id: u64, decision: ApprovalDecision) -> Result<(), UnknownQuestion> {
        let mut questions = self.questions();
        let waiting = |question: &&mut Question| question.pending.id == id && question.decision.is_none();
        let question = questions.open.iter_mut().find(waiting).ok_or(UnknownQuestion { id })?;
        question.decision = Some(decision);
        let waker = question.waker.take();
        drop(questions);
        // No lock is held, because a waker may run any code.
        if let Some(waker) = waker {
            waker.wake();
        }
        Ok(())
    }

    fn questions(&self) -> MutexGuard<'_, Questions> {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn poll_decision(&self, id: u64, context: &Context<'_>) -> Poll<ApprovalDecision> {
        let mut questions = self.questions();
        let Some(question) = questions.open.iter_mut().find(|question| question.pending.id == id) else {
            return Poll::Ready(ApprovalDecision::Unanswered("the question was withdrawn".to_owned()));
        };
        if let Some(decision) = question.decision.take() {
            return Poll::Ready(decision);
        }
        question.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Approver for PendingApprovals {
    fn decide<'a>(
        &'a self,
        request: &'a ApprovalRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>> {
        let request = request.to_owned_request();
        Box::pin(async move {
            let pending = {
                let mut questions = self.questions();
                questions.latest += 1;
                let pending = Pending { id: questions.latest, request };
                questions.open.push(Question { pending: pending.clone(), decision: None, waker: None });
                pending
            };
            let _open = Open { questions: self, id: pending.id };
            if let Some(listener) = &self.listener
                && panics::catch(|| listener(&pending)).is_err()
            {
                return ApprovalDecision::Unanswered("the host could not show the question".to_owned());
            }
            poll_fn(|context| self.poll_decision(pending.id, context)).await
        })
    }
}

/// Removes a question when it is dropped, because its call no longer waits.
struct Open<'q> {
    questions: &'q PendingApprovals,
    id: u64,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.questions.questions().open.retain(|question| question.pending.id != self.id);
    }
}

impl fmt::Debug for PendingApprovals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingApprovals").field("pending", &self.pending().len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
