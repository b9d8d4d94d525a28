//! The unanswered questions about calls. A model must not conclude from a missing answer that a person said no.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use toolc::approval::{ApprovalDecision, ApprovalRequest, Approver};

/// The maximum number of stored questions. The oldest are dropped.
const MAX_QUESTIONS: usize = 50;

/// The questions that are open, or that were withdrawn without an answer because the time limit was exceeded or the call was cancelled.
/// A question is removed when the same question is answered later.
#[derive(Debug, Clone, Default)]
pub(crate) struct Questions(Arc<Mutex<Vec<Question>>>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Question {
    /// The id of the call.
    id: String,
    /// The name of the tool, and its arguments.
    call: String,
}

impl Questions {
    /// Returns the calls whose questions have no answer, each as the name of the tool and its arguments.
    pub(crate) fn unanswered(&self) -> Vec<String> {
        self.lock().iter().map(|question| question.call.clone()).collect()
    }

    /// Returns whether the question about the call with this id has no answer.
    pub(crate) fn is_unanswered(&self, id: &str) -> bool {
        self.lock().iter().any(|question| question.id == id)
    }

    /// Replaces the questions with the unanswered calls of an earlier run.
    pub(crate) fn restore(&self, calls: Vec<String>) {
        *self.lock() = calls.into_iter().map(|call| Question { id: String::new(), call }).collect();
    }

    /// Returns an approver that asks `inner` and records its questions here.
    pub(crate) fn recording(&self, inner: Arc<dyn Approver>) -> Arc<dyn Approver> {
        Arc::new(RecordingApprover { questions: self.clone(), inner })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Question>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct RecordingApprover {
    questions: Questions,
    inner: Arc<dyn Approver>,
}

impl Approver for RecordingApprover {
    fn decide<'a>(
        &'a self,
        request: &'a ApprovalRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>> {
        let call = format!("{} {}", request.call.tool(), request.call.arguments());
        let mut open = self.questions.lock();
        open.retain(|known| known.call != call);
        if open.len() == MAX_QUESTIONS {
            open.remove(0);
        }
        open.push(Question { id: request.call.id().to_owned(), call: call.clone() });
        drop(open);
        Box::pin(PendingAnswer { call, questions: &self.questions, answer: self.inner.decide(request) })
    }
}

/// A future of the answer that removes the question when it is answered.
struct PendingAnswer<'a> {
    call: String,
    questions: &'a Questions,
    answer: Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>>,
}

impl Future for PendingAnswer<'_> {
    type Output = ApprovalDecision;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<ApprovalDecision> {
        let decision = std::task::ready!(self.answer.as_mut().poll(context));
        self.questions.lock().retain(|known| known.call != self.call);
        Poll::Ready(decision)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;
    use toolc::approval::approver_fn;
    use toolc::{Dialect, Registry, ToolCall};

    use super::*;

    /// Calls `terminal` with a command that needs approval.
    fn call(approver: Arc<dyn Approver>) -> toolc::CallResponse {
        let registry = Registry::new();
        registry.add(toolc_host::shipped_tools()).expect("failed to add the tools");
        let commands = toolc::approval::CommandApproval::new(toolc_catalog::commands::rules());
        let session = registry.session().enable(["terminal"]).commands(commands).approver(approver);
        let session = session.approval_timeout(Duration::from_millis(50)).build().expect("failed to build");
        let arguments = json!({ "command": "rm -rf no-such-folder-here" }).to_string();
        session.turn_blocking(Dialect::Mcp).call_blocking(&ToolCall::new("terminal", &arguments))
    }

    #[test]
    fn an_unanswered_question_is_kept_until_the_same_question_is_answered() {
        let questions = Questions::default();
        let response = call(questions.recording(approver_fn(|_| std::future::pending::<ApprovalDecision>())));
        assert!(response.json.contains("did not answer"), "{}", response.json);
        assert_eq!(questions.unanswered(), [r#"terminal {"command":"rm -rf no-such-folder-here"}"#]);
        for decision in [ApprovalDecision::Deny("no".to_owned()), ApprovalDecision::AllowOnce] {
            questions.restore(vec![r#"terminal {"command":"rm -rf no-such-folder-here"}"#.to_owned()]);
            call(questions.recording(approver_fn(move |_| std::future::ready(decision.clone()))));
            assert_eq!(questions.unanswered(), [""; 0]);
        }
    }
}
