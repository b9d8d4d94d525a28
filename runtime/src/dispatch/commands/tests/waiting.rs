//! Questions of parallel calls, cancellation, time limits, and approvers that fail.

use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use toolc_commands::{Entry, FileId, FileSystem, NamedEntry};

use super::*;
use crate::call::approval::approver_fn;
use crate::call::approval::pending::PendingApprovals;
use crate::fakes::until;
use crate::run::cancel::CancelHandle;

fn question(line: &str) -> String {
    json!({"command": line}).to_string()
}

fn shown(questions: &PendingApprovals) -> Vec<String> {
    let reasons = questions.pending().into_iter().flat_map(|pending| pending.request.reasons);
    let line = |reason| match reason {
        ApprovalReason::Command(reason) => reason.line,
        other => panic!("{other:?}"),
    };
    reasons.map(line).collect()
}

/// Passes questions on, several at a time.
struct AtOnce(PendingApprovals);

impl Approver for AtOnce {
    fn decide<'a>(
        &'a self,
        request: &'a ApprovalRequest<'a>,
    ) -> std::pin::Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>> {
        self.0.decide(request)
    }

    fn asks_one_at_a_time(&self) -> bool {
        false
    }
}

#[test]
fn an_approver_can_get_all_questions_at_once() {
    let questions = PendingApprovals::new();
    let turn = turn(commands(), |s| s.approver(Arc::new(AtOnce(questions.clone()))));
    let lines = ["rm -r a", "rm -r b"].map(question);
    let requests = lines.each_ref().map(|line| ToolCall::new("terminal", line));
    let mut calls = requests.each_ref().map(|request| Box::pin(turn.call(request)));
    let mut poll = |index: usize| calls[index].as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(poll(0).is_pending() && poll(1).is_pending());
    assert_eq!(shown(&questions), ["rm -r a", "rm -r b"]);
    questions.answer(2, ApprovalDecision::AllowOnce).unwrap();
    assert!(poll(1).is_ready() && poll(0).is_pending());
}

#[test]
fn one_question_at_a_time_and_none_that_an_answer_covers() {
    let (questions, log) = (PendingApprovals::new(), Arc::new(Log::default()));
    let turn = turn(commands().log(Arc::clone(&log) as _), |s| s.approver(Arc::new(questions.clone())));
    let lines = ["rm -r a", "rm -r b", "rm -r ../c", "rm -r d"].map(question);
    let requests = lines.each_ref().map(|line| ToolCall::new("terminal", line));
    // All calls are polled by this thread, so that they join the line in this order.
    let mut calls = requests.each_ref().map(|request| Some(Box::pin(turn.call(request))));
    let mut poll = || {
        let mut ended = Vec::new();
        for (index, call) in calls.iter_mut().enumerate() {
            if let Some(future) = call
                && let Poll::Ready(response) = future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
            {
                ended.push((index, response.json));
                *call = None;
            }
        }
        ended
    };
    let ran = |index: usize| (index, r#""ran""#.to_owned());
    assert_eq!(poll(), []);
    assert_eq!(shown(&questions), ["rm -r a"]);
    questions.answer(1, ApprovalDecision::AllowForSession).unwrap();
    assert_eq!(poll(), [ran(0), ran(1)]);
    assert_eq!(shown(&questions), ["rm -r ../c"], "the second call is covered, the fourth waits");
    questions.answer(2, ApprovalDecision::Deny("no".to_owned())).unwrap();
    let ended = poll();
    assert!(ended.len() == 2 && ended[0].0 == 2 && ended[0].1.contains("denied") && ended[1] == ran(3), "{ended:?}");
    assert!(questions.pending().is_empty());
    let decided: Vec<String> = log.take().into_iter().map(|line| line.split("] ").nth(1).unwrap().to_owned()).collect();
    assert_eq!(
        decided,
        ["allowed-for-session by person", "allowed by session", "denied by person", "allowed by session"]
    );
}

#[test]
fn a_cancelled_call_leaves_the_line() {
    let (questions, log, stop) = (PendingApprovals::new(), Arc::new(Log::default()), CancelHandle::new());
    let turn = turn(commands().log(Arc::clone(&log) as _), |s| s.approver(Arc::new(questions.clone())));
    let [first, second, third] = ["rm -r a", "rm -r b", "rm -r c"].map(question);
    thread::scope(|scope| {
        let first = scope.spawn(|| wait(turn.call(&ToolCall::new("terminal", &first))).json);
        until(|| questions.pending().len() == 1);
        let second = scope.spawn(|| wait(turn.call(&ToolCall::new("terminal", &second).with_cancel(&stop))).json);
        let third = scope.spawn(|| wait(turn.call(&ToolCall::new("terminal", &third))).json);
        thread::sleep(Duration::from_millis(20));
        stop.cancel();
        assert!(second.join().unwrap().contains(r#""kind":"cancelled""#));
        assert_eq!(shown(&questions), ["rm -r a"]);
        questions.answer(1, ApprovalDecision::AllowOnce).unwrap();
        assert_eq!(first.join().unwrap(), r#""ran""#);
        until(|| shown(&questions) == ["rm -r c"]);
        questions.answer(2, ApprovalDecision::AllowOnce).unwrap();
        assert_eq!(third.join().unwrap(), r#""ran""#);
    });
    let log = log.take();
    assert_eq!(log.iter().filter(|line| line.ends_with("cancelled by unanswered")).count(), 1, "{log:?}");
    assert_eq!(log.len(), 3);
}

#[test]
fn a_dropped_call_leaves_the_line_and_a_record() {
    let (questions, log) = (PendingApprovals::new(), Arc::new(Log::default()));
    let turn = turn(commands().log(Arc::clone(&log) as _), |s| s.approver(Arc::new(questions.clone())));
    let line = question(ASKS);
    let request = ToolCall::new("terminal", &line);
    let mut call = Box::pin(turn.call(&request));
    assert!(call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    assert_eq!(questions.pending().len(), 1);
    drop(call);
    assert!(questions.pending().is_empty());
    assert_eq!(log.take(), ["rm -rf build: ask [\"deletion\"] cancelled by unanswered"]);
}

#[test]
fn no_answer_in_time_denies() {
    let (questions, log) = (PendingApprovals::new(), Arc::new(Log::default()));
    let turn = turn(commands().log(Arc::clone(&log) as _), |s| {
        s.approver(Arc::new(questions.clone())).approval_timeout(Duration::from_millis(5))
    });
    let message = error(&turn, ASKS);
    assert!(
        message.contains("the approver did not answer within 5ms") && message.contains("rule `deletion`"),
        "{message}"
    );
    assert_eq!(log.take(), ["rm -rf build: ask [\"deletion\"] denied by unanswered"]);
    assert!(questions.answer(1, ApprovalDecision::AllowOnce).is_err());
}

#[test]
fn the_time_limit_begins_with_the_question() {
    let questions = PendingApprovals::new();
    let turn =
        turn(commands(), |s| s.approver(Arc::new(questions.clone())).approval_timeout(Duration::from_millis(400)));
    let [first, second] = ["rm -r a", "rm -r b"].map(question);
    thread::scope(|scope| {
        let first = scope.spawn(|| wait(turn.call(&ToolCall::new("terminal", &first))).json);
        until(|| questions.pending().len() == 1);
        let second = scope.spawn(|| wait(turn.call(&ToolCall::new("terminal", &second))).json);
        // The first question ends at its limit. By then the second call has waited nearly as long.
        assert!(first.join().unwrap().contains("did not answer"));
        until(|| questions.pending().len() == 1);
        questions.answer(2, ApprovalDecision::AllowOnce).unwrap();
        assert_eq!(second.join().unwrap(), r#""ran""#);
    });
}

#[test]
fn an_approver_that_panics_denies_and_the_next_call_is_asked() {
    let log = Arc::new(Log::default());
    let asked = Arc::new(Mutex::new(0));
    let count = Arc::clone(&asked);
    let approver = approver_fn(move |_| {
        *count.lock().unwrap() += 1;
        let first = *count.lock().unwrap() == 1;
        async move { if first { panic!("out of words") } else { ApprovalDecision::AllowOnce } }
    });
    let turn = turn(commands().log(Arc::clone(&log) as _), |s| s.approver(approver));
    assert!(error(&turn, ASKS).contains("the approver failed"));
    assert_eq!(run(&turn, ASKS), "ran");
    assert_eq!(*asked.lock().unwrap(), 2);
    let expected = ["denied by unanswered", "allowed by person"];
    assert_eq!(log.take(), expected.map(|rest| format!("rm -rf build: ask [\"deletion\"] {rest}")));
}

/// A file system with one link, `/w/app/l`, whose target changes.
#[derive(Debug)]
struct OneLink(Mutex<&'static str>);

impl OneLink {
    fn new(target: &'static str) -> Arc<Self> {
        Arc::new(Self(Mutex::new(target)))
    }

    fn set(&self, target: &'static str) {
        *self.0.lock().unwrap() = target;
    }
}

impl FileSystem for OneLink {
    fn entry(&self, path: &str) -> Option<Entry> {
        match path {
            "/w" | "/w/app" => Some(Entry::Folder { id: FileId { device: 1, inode: 1 }, is_mounted: false }),
            "/w/app/l" => Some(Entry::Link((*self.0.lock().unwrap()).to_owned())),
            _ => None,
        }
    }

    fn names(&self, _: &str, _: usize) -> Vec<NamedEntry> {
        Vec::new()
    }
}

#[test]
fn an_answer_is_not_about_files_that_have_changed_since_the_question() {
    let files = OneLink::new("/srv");
    let person = |change: Option<&'static str>| {
        let files = Arc::clone(&files);
        approver_fn(move |_| {
            if let Some(target) = change {
                files.set(target);
            }
            std::future::ready(ApprovalDecision::AllowForSession)
        })
    };
    let turn = |change| turn(commands().files(Arc::clone(&files) as _), |s| s.approver(person(change)));
    for (target, expected) in [("/srv", "ran"), ("/opt", "refused"), ("/", "refused")] {
        files.set("/srv");
        let turn = turn(Some(target));
        assert_eq!(run(&turn, "rm -rf l/etc"), expected, "{target}");
        assert_eq!(run(&turn, "ls"), "ran");
        if target == "/opt" {
            files.set("/srv");
            assert_eq!(run(&turn, "rm -rf l/etc"), "refused", "the answer is not kept");
        }
    }
    files.set("/srv");
    assert!(error(&turn(Some("/opt")), "rm -rf l/etc").contains("has changed since the question"));
}

#[test]
fn a_call_that_has_waited_for_other_questions_is_judged_with_the_files_of_now() {
    let (questions, files) = (PendingApprovals::new(), OneLink::new("/srv"));
    let turn = turn(commands().files(Arc::clone(&files) as _), |s| s.approver(Arc::new(questions.clone())));
    let lines = ["rm -r a", "rm -r l/etc"].map(question);
    let requests = lines.each_ref().map(|line| ToolCall::new("terminal", line));
    let mut calls = requests.each_ref().map(|request| Box::pin(turn.call(request)));
    let mut poll = |index: usize| calls[index].as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(poll(0).is_pending() && poll(1).is_pending());
    files.set("/");
    questions.answer(1, ApprovalDecision::AllowForSession).unwrap();
    assert!(poll(0).is_ready());
    let Poll::Ready(response) = poll(1) else { panic!("it is denied without a question") };
    assert!(response.json.contains("no approval can change that"), "{}", response.json);
    assert!(questions.pending().is_empty());
}
