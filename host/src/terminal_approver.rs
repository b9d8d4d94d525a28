//! Asks the user at the terminal before a call runs that needs approval.

use std::io::{self, BufRead, BufReader, IsTerminal as _, Stderr, Stdin, Write};
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use toolc::approval::{ApprovalDecision, ApprovalRequest, Approver};

/// Asks on the stream `W`, and reads the answer from `R`.
pub(crate) struct TerminalApprover<R, W>(Mutex<(R, W)>);

impl TerminalApprover<BufReader<Stdin>, Stderr> {
    /// Returns an approver if stdin is a terminal, since a file or a pipe cannot give consent. It asks on stderr, because stdout
    /// is for the result.
    pub(crate) fn on_stdin() -> Option<Self> {
        let stdin = io::stdin();
        stdin.is_terminal().then(|| Self(Mutex::new((BufReader::new(stdin), io::stderr()))))
    }
}

impl<R: BufRead + Send, W: Write + Send> Approver for TerminalApprover<R, W> {
    fn decide<'a>(
        &'a self,
        request: &'a ApprovalRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>> {
        // This thread has nothing else to do, so it may wait for the user.
        Box::pin(async move {
            let answer = self.ask(&request.to_string());
            answer.unwrap_or_else(|error| ApprovalDecision::Deny(format!("failed to ask the user: {error}")))
        })
    }
}

impl<R: BufRead, W: Write> TerminalApprover<R, W> {
    fn ask(&self, question: &str) -> io::Result<ApprovalDecision> {
        let (input, output) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        write!(output, "{question} [y/N/always] ")?;
        output.flush()?;
        let mut line = String::new();
        input.read_line(&mut line)?;
        Ok(match line.trim().to_lowercase().as_str() {
            "y" | "yes" => ApprovalDecision::AllowOnce,
            "a" | "always" => ApprovalDecision::AllowForSession,
            _ => ApprovalDecision::Deny("the user said no".to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use toolc::ToolError;
    use toolc::hooks::{CallInfo, Hook, HookAction};
    use toolc::testing::{Harness, TestResponse, assert_reply};

    use super::*;

    /// A hook that requests approval of every call.
    struct AlwaysAsk;

    impl Hook for AlwaysAsk {
        fn before_call(&self, _: &CallInfo<'_>) -> Result<HookAction, ToolError> {
            Ok(HookAction::Ask("for a test".to_owned()))
        }
    }

    /// Calls `todo` N times while the user types `answers`. Returns the responses, and all questions.
    fn call<const N: usize>(answers: impl BufRead + Send + Sync + 'static) -> ([TestResponse; N], String) {
        let (mut reader, writer) = io::pipe().expect("failed to make a pipe");
        let approver = TerminalApprover(Mutex::new((answers, writer)));
        let harness = Harness::with_session(toolc_host::shipped_tools(), |session| {
            session.hook(Arc::new(AlwaysAsk)).approver(Arc::new(approver))
        });
        let responses = [(); N].map(|()| harness.call("todo", "{}"));
        drop(harness);
        let mut questions = String::new();
        io::Read::read_to_string(&mut reader, &mut questions).expect("the questions are UTF-8");
        (responses, questions)
    }

    const QUESTION: &str = "run `todo` with {}? (for a test) [y/N/always] ";

    #[test]
    fn yes_allows_one_call_and_always_allows_the_session() {
        for answers in ["y\ny\n", "YES\r\n yes \n", "y\nalways\n"] {
            let ([first, second], questions) = call(answers.as_bytes());
            assert_reply!(&first, second.value());
            assert_eq!(questions, QUESTION.repeat(2));
        }
        let ([first, _, last], questions) = call("always\nn\n".as_bytes());
        assert_reply!(first, last.value());
        assert_eq!(questions, QUESTION);
    }

    #[test]
    fn any_other_answer_denies_the_call() {
        for answers in ["n\n", "\n", "", "yess\n", "yes no\n"] {
            let ([denied], questions) = call(answers.as_bytes());
            assert_reply!(denied, Err(Denied, "the user said no"));
            assert_eq!(questions, QUESTION);
        }
    }

    #[test]
    fn a_call_is_denied_if_the_answer_is_unreadable() {
        let ([denied], _) = call(&b"\xff\n"[..]);
        assert_reply!(denied, Err(Denied, "failed to ask the user"));
    }
}
