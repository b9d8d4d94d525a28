//! Asks the user at the terminal before a call runs that needs approval.

use std::io::{self, BufRead, BufReader, IsTerminal as _, Write};
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use toolc::approval::{ApprovalDecision, ApprovalRequest, Approver};

/// A user who reads the questions on one stream and answers on another.
pub(crate) struct Person<R, W>(Mutex<(R, W)>);

/// The user, if stdin is a terminal, since a file or a pipe cannot give consent. Asks on stderr, because stdout is for the
/// result.
pub(crate) fn at_terminal() -> Option<Person<impl BufRead + Send, impl Write + Send>> {
    let stdin = io::stdin();
    stdin.is_terminal().then(|| Person(Mutex::new((BufReader::new(stdin), io::stderr()))))
}

impl<R: BufRead + Send, W: Write + Send> Approver for Person<R, W> {
    fn decide<'a>(
        &'a self,
        request: &'a ApprovalRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>> {
        // Nothing else is to be done meanwhile, so this thread waits, and for as long as it takes them.
        Box::pin(async move {
            let answer = self.ask(&request.to_string());
            answer.unwrap_or_else(|error| ApprovalDecision::Deny(format!("the user could not be asked: {error}")))
        })
    }
}

impl<R: BufRead, W: Write> Person<R, W> {
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

    struct Asks;

    impl Hook for Asks {
        fn before_call(&self, _: &CallInfo<'_>) -> Result<HookAction, ToolError> {
            Ok(HookAction::Ask("for a test".to_owned()))
        }
    }

    /// Calls, and what the user reads and answers.
    fn calls<const N: usize>(answers: impl BufRead + Send + Sync + 'static) -> ([TestResponse; N], String) {
        let (mut reader, writer) = io::pipe().expect("failed to make a pipe");
        let person = Person(Mutex::new((answers, writer)));
        let harness = Harness::with_session(toolc_host::shipped_tools(), |session| {
            session.hook(Arc::new(Asks)).approver(Arc::new(person))
        });
        let responses = [(); N].map(|()| harness.call("todo", "{}"));
        drop(harness);
        let mut asked = String::new();
        io::Read::read_to_string(&mut reader, &mut asked).expect("only text is asked");
        (responses, asked)
    }

    const QUESTION: &str = "run `todo` with {}? (for a test) [y/N/always] ";

    #[test]
    fn yes_is_for_one_call_and_always_for_all_of_them() {
        for answers in ["y\ny\n", "YES\r\n yes \n", "y\nalways\n"] {
            let ([one, other], asked) = calls(answers.as_bytes());
            assert_reply!(&one, other.value());
            assert_eq!(asked, QUESTION.repeat(2));
        }
        let ([one, _, last], asked) = calls("always\nn\n".as_bytes());
        assert_reply!(one, last.value());
        assert_eq!(asked, QUESTION);
    }

    #[test]
    fn whatever_is_not_yes_is_no() {
        for answers in ["n\n", "\n", "", "yess\n", "yes no\n"] {
            let ([denied], asked) = calls(answers.as_bytes());
            assert_reply!(denied, Err(Denied, "the user said no"));
            assert_eq!(asked, QUESTION);
        }
    }

    #[test]
    fn who_cannot_be_asked_has_not_agreed() {
        let ([denied], _) = calls(&b"\xff\n"[..]);
        assert_reply!(denied, Err(Denied, "the user could not be asked"));
    }
}
