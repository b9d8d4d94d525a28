//! Questions that are answered by id.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::*;
use crate::call::ToolCall;
use crate::data::behaviour::{Approval, Behaviour};
use crate::data::catalog::Tool;
use crate::data::dialect::Dialect;
use crate::fakes::{Fake, tool, until, wait};
use crate::run::cancel::CancelHandle;
use crate::session::turn::Turn;

fn turn(questions: &PendingApprovals, limit: Duration) -> Turn {
    let behaviour = Behaviour::default().with_approval(Approval::ALWAYS);
    let session = Fake::new([Tool { behaviour, ..tool("launch", "home", &[]) }]).registry().session();
    let session = session.approver(Arc::new(questions.clone())).approval_timeout(limit);
    session.build().unwrap().turn_blocking(Dialect::OpenAi)
}

fn launch(turn: &Turn, id: &str) -> String {
    wait(turn.call(&ToolCall::new("launch", "{}").with_id(id))).json
}

#[test]
fn questions_are_listed_and_answered_by_id() {
    let shown = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&shown);
    let questions = PendingApprovals::new().on_question(move |pending| sink.lock().unwrap().push(pending.id));
    let (first, second) = (turn(&questions, Duration::from_mins(1)), turn(&questions, Duration::from_mins(1)));
    std::thread::scope(|scope| {
        let first = scope.spawn(|| launch(&first, "a"));
        until(|| questions.pending().len() == 1);
        let second = scope.spawn(|| launch(&second, "b"));
        until(|| questions.pending().len() == 2);
        let pending = questions.pending();
        let calls: Vec<&str> = pending.iter().map(|pending| &*pending.request.id).collect();
        assert_eq!(calls, ["a", "b"]);
        questions.answer(pending[1].id, ApprovalDecision::Deny("not now".to_owned())).unwrap();
        assert!(second.join().unwrap().contains("not now"));
        questions.answer(pending[0].id, ApprovalDecision::AllowOnce).unwrap();
        assert_eq!(first.join().unwrap(), r#""launch""#);
        for id in [pending[0].id, pending[1].id, 99] {
            let error = questions.answer(id, ApprovalDecision::AllowOnce).unwrap_err();
            assert_eq!(error.to_string(), format!("question {id} does not wait for an answer"));
        }
    });
    assert_eq!(*shown.lock().unwrap(), [1, 2]);
}

#[test]
fn a_question_ends_with_its_call() {
    let questions = PendingApprovals::new();
    assert!(launch(&turn(&questions, Duration::from_millis(1)), "").contains("did not answer within 1ms"));
    assert!(questions.pending().is_empty());

    let (turn, stop) = (turn(&questions, Duration::from_mins(1)), CancelHandle::new());
    std::thread::scope(|scope| {
        let call = scope.spawn(|| wait(turn.call(&ToolCall::new("launch", "{}").with_cancel(&stop))).json);
        until(|| questions.pending().len() == 1);
        stop.cancel();
        assert!(call.join().unwrap().contains("cancelled"));
    });
    assert!(questions.pending().is_empty());
}

#[test]
fn a_question_that_cannot_be_shown_is_denied() {
    let questions = PendingApprovals::new().on_question(|_| panic!("the chat is closed"));
    assert!(launch(&turn(&questions, Duration::from_mins(1)), "").contains("could not show the question"));
}
