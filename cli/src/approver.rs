//! Approval of calls on a command line.

use std::io::{self, BufRead, Write};
use std::pin::Pin;
use std::sync::Arc;

use toolc::SessionBuilder;
use toolc::approval::{ApprovalDecision, ApprovalRequest, Approver};

use crate::app::Person;
use crate::streams::line_up_to;

/// Adds an approver to a session: one that approves everything (`--yes`), that of the host, or one that asks the user at the
/// terminal. Without a terminal, it refuses: a file or a pipe cannot give consent.
pub(crate) fn add(
    session: SessionBuilder,
    approve_all: bool,
    person: &Person,
    stdin_is_terminal: bool,
) -> SessionBuilder {
    match person {
        _ if approve_all => session.approver(Arc::new(ApproveAll)),
        Person::OfHost(Some(approver)) => session.approver(Arc::clone(approver)),
        Person::OnStandardStreams if stdin_is_terminal => session.approver(Arc::new(TerminalApprover)),
        Person::OnStandardStreams => session.approver(Arc::new(NoPerson {
            why: "there is no terminal on which to ask",
            advice: "`--yes` approves it",
        })),
        Person::OfHost(None) => session,
    }
}

/// Adds an approver for an MCP server on the standard streams, which has no person to ask: it refuses, and says what to do.
pub(crate) fn add_to_server(session: SessionBuilder) -> SessionBuilder {
    session.approver(Arc::new(NoPerson {
        why: "this server cannot ask a person",
        advice: "start the server with `--yes` to approve all such calls",
    }))
}

/// Approves every call.
struct ApproveAll;

/// Asks on stderr, because stdout is for the result, and reads the answer from stdin.
struct TerminalApprover;

/// Refuses every call, and tells the developer how to approve it.
struct NoPerson {
    /// Why no person can be asked.
    why: &'static str,
    advice: &'static str,
}

/// The longest answer that is read.
const MAX_ANSWER_BYTES: u64 = 1024;

type Decision<'a> = Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>>;

impl Approver for ApproveAll {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest<'a>) -> Decision<'a> {
        Box::pin(async { ApprovalDecision::AllowOnce })
    }
}

impl Approver for NoPerson {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest<'a>) -> Decision<'a> {
        Box::pin(async {
            let Self { why, advice } = self;
            // A failure has no other place where it could be reported.
            let _ = writeln!(io::stderr(), "note: the call needs approval, and {why}: {advice}");
            ApprovalDecision::Unanswered((*why).to_owned())
        })
    }
}

impl Approver for TerminalApprover {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest<'a>) -> Decision<'a> {
        // This thread has nothing else to do, so it may wait for the user.
        Box::pin(async move {
            let question = request.to_string();
            ask(&question, &mut io::stdin().lock(), &mut io::stderr().lock())
        })
    }
}

/// Asks the user. Everything except a clear yes denies the call.
fn ask(question: &str, input: &mut impl BufRead, output: &mut impl Write) -> ApprovalDecision {
    let asked = write!(output, "{question} [y/N/always] ")
        .and_then(|()| output.flush())
        .and_then(|()| line_up_to(MAX_ANSWER_BYTES, input));
    let answer = match asked {
        Ok(answer) => answer.unwrap_or_default(),
        Err(error) => return ApprovalDecision::Unanswered(format!("failed to ask the user: {error}")),
    };
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" => ApprovalDecision::AllowOnce,
        "a" | "always" => ApprovalDecision::AllowForSession,
        _ => ApprovalDecision::Deny("the user said no".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(answer: &[u8]) -> ApprovalDecision {
        let mut question = Vec::new();
        let decision = ask("run `todo`?", &mut &answer[..], &mut question);
        assert_eq!(question, b"run `todo`? [y/N/always] ");
        decision
    }

    #[test]
    fn only_a_clear_yes_allows_a_call() {
        for yes in ["y\n", "YES\r\n", " yes \n"] {
            assert_eq!(decision(yes.as_bytes()), ApprovalDecision::AllowOnce, "{yes:?}");
        }
        for always in ["a\n", "always\n"] {
            assert_eq!(decision(always.as_bytes()), ApprovalDecision::AllowForSession, "{always:?}");
        }
        for no in ["n\n", "\n", "", "yess\n", "yes no\n", "alwayss\n"] {
            assert_eq!(decision(no.as_bytes()), ApprovalDecision::Deny("the user said no".to_owned()), "{no:?}");
        }
    }

    #[test]
    fn the_end_of_a_long_answer_is_not_the_answer_to_the_next_question() {
        let answers = [b"n".repeat(2_000), b"y\nno\n".to_vec()].concat();
        let mut input = &answers[..];
        let first = ask("?", &mut input, &mut io::sink());
        assert!(matches!(first, ApprovalDecision::Unanswered(_)), "{first:?}");
        assert_eq!(ask("?", &mut input, &mut io::sink()), ApprovalDecision::Deny("the user said no".to_owned()));
    }

    #[test]
    fn a_call_is_denied_if_the_answer_is_unreadable() {
        let ApprovalDecision::Unanswered(reason) = decision(b"\xff\n") else { panic!("it is not an answer") };
        assert!(reason.starts_with("failed to ask the user: "), "{reason}");
    }
}
