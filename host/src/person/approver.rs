//! Asks the person at the terminal about calls that need approval.

use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::SIGINT;
use toolc::approval::{ApprovalDecision, ApprovalRequest, Approver, CommandReason};
use toolc_commands::rules::RuleSet;

use super::line::{Line, LineEvent};
use super::open_question::OpenQuestion;
use super::terminal::{RawTerminal, Signals, end_by, open_terminal};
use crate::approval::question::Question;
use crate::approval::reading;
use crate::ground::show::{self, Look};
use crate::ground::terminal;

/// The reason for the model if the person denies a call, and if they press Ctrl-C at the question.
pub(crate) const SAID_NO: &str = "the user said no";
pub(crate) const INTERRUPTED: &str = "the user interrupted the question";

/// Asks the person at the terminal about each call.
pub(super) struct TerminalApprover {
    rules: &'static RuleSet<'static>,
    home: Option<PathBuf>,
    /// Called if the person presses Ctrl-C. If `None`, Ctrl-C ends the process.
    on_interrupt: Option<OnInterrupt>,
}

type OnInterrupt = Arc<dyn Fn() + Send + Sync>;

impl TerminalApprover {
    /// Returns an approver, or `None` if no person can be asked: this process has no terminal, or runs inside a tool that could type the
    /// answers.
    pub(super) fn at_the_terminal(
        rules: &'static RuleSet<'static>,
        home: Option<PathBuf>,
    ) -> Option<Arc<dyn Approver>> {
        Self { rules, home, on_interrupt: None }.if_present()
    }

    /// Returns an approver for a host that handles Ctrl-C: `on_interrupt` is called, and the call is denied. From now on, SIGINT does not
    /// end the process during a question.
    pub(super) fn for_host(
        rules: &'static RuleSet<'static>,
        home: Option<PathBuf>,
        on_interrupt: impl Fn() + Send + Sync + 'static,
    ) -> Option<Arc<dyn Approver>> {
        Self { rules, home, on_interrupt: Some(Arc::new(on_interrupt)) }.if_present()
    }

    fn if_present(self) -> Option<Arc<dyn Approver>> {
        let can_ask = !toolc_process::is_inside_a_tool() && open_terminal().is_ok();
        can_ask.then(|| Arc::new(self) as Arc<dyn Approver>)
    }
}

impl Approver for TerminalApprover {
    fn decide<'a>(
        &'a self,
        request: &'a ApprovalRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>> {
        let prompt = Prompt {
            question: Question::new(request),
            rules: self.rules,
            home: self.home.clone(),
            on_interrupt: self.on_interrupt.clone(),
        };
        let failed = |error| ApprovalDecision::Unanswered(format!("failed to ask the user: {error}"));
        Box::pin(OpenQuestion::ask(
            move |is_withdrawn: &AtomicBool| prompt.ask(is_withdrawn).unwrap_or_else(failed),
            failed,
        ))
    }
}

/// A question, and the values that its details need.
struct Prompt {
    question: Question,
    rules: &'static RuleSet<'static>,
    home: Option<PathBuf>,
    on_interrupt: Option<OnInterrupt>,
}

/// The meaning of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Once,
    Session,
    Always,
    Deny,
    /// The person says why the call must not run.
    DenyWithReason,
    Details,
    Interrupt,
}

impl Prompt {
    /// Asks, and waits for a key.
    fn ask(&self, is_withdrawn: &AtomicBool) -> io::Result<ApprovalDecision> {
        let signals = Signals::get(self.on_interrupt.is_some())?;
        let _guard = signals.hold();
        let mut terminal = RawTerminal::open()?;
        let look = Look::new(Some(terminal::columns(&terminal.file)));
        let choices = self.question.choices(look);
        // The answer is on the row of the choices, if it fits.
        let answer = |text: &str| show::answer(&choices, text, look);
        terminal.show(&format!("{}\n{choices}", show::fitted(&self.question.text(look), look)))?;
        // Input that was typed before the question was visible is not an answer.
        terminal.discard_input()?;
        loop {
            if let Some(signal) = signals.take_received() {
                terminal.show("\n")?;
                end_by(signal, terminal)?;
                return Ok(denied_by_interrupt());
            }
            if is_withdrawn.load(Ordering::Relaxed) {
                terminal.show(&answer("denied: the call no longer waits for an answer"))?;
                return Ok(ApprovalDecision::Unanswered("the call no longer waits for an answer".to_owned()));
            }
            let Some(key) = parse_key(&terminal.read_input()?).and_then(|key| self.if_offered(key)) else { continue };
            let (decision, message) = match key {
                Key::Once => (ApprovalDecision::AllowOnce, answer("allowed once")),
                Key::Session => (ApprovalDecision::AllowForSession, answer("allowed for this session")),
                Key::Always => (ApprovalDecision::AllowAlways, answer("allowed always")),
                Key::Deny => (ApprovalDecision::Deny(SAID_NO.to_owned()), answer("denied")),
                Key::DenyWithReason => {
                    let Some(reason) = read_reason(&mut terminal, signals, is_withdrawn)? else {
                        terminal.show(&format!("\n{choices}"))?;
                        continue;
                    };
                    (ApprovalDecision::Deny(format!("{SAID_NO}: {reason}")), "denied\n".to_owned())
                }
                Key::Details => {
                    let details = self.question.details(|command| self.would_run(command));
                    terminal.show(&format!("\n\n{}\n{choices}", show::fitted(&details, look)))?;
                    continue;
                }
                Key::Interrupt => {
                    terminal.show("\n")?;
                    match &self.on_interrupt {
                        None => end_by(SIGINT, terminal)?,
                        Some(on_interrupt) => {
                            drop(terminal);
                            on_interrupt();
                        }
                    }
                    return Ok(denied_by_interrupt());
                }
            };
            terminal.show(&message)?;
            return Ok(decision);
        }
    }

    /// Returns the key if it is a choice of this question.
    fn if_offered(&self, key: Key) -> Option<Key> {
        let is_offered = match key {
            Key::Session => self.question.offers_session,
            Key::Always => self.question.offers_always,
            Key::Details => !self.question.commands.is_empty(),
            Key::Once | Key::Deny | Key::DenyWithReason | Key::Interrupt => true,
        };
        is_offered.then_some(key)
    }

    fn would_run(&self, command: &CommandReason) -> String {
        let directory = command.directory.as_ref().map(PathBuf::from);
        let surroundings = toolc_commands::Surroundings {
            directory: directory.as_deref(),
            home: self.home.as_deref(),
            ..toolc_commands::Surroundings::default()
        };
        reading::would_run(&toolc_commands::read(&command.line, self.rules.programs(), &surroundings))
    }
}

/// Reads why the call must not run. Returns `None` if the person gives no reason, so that the question goes on, or if the question is over.
fn read_reason(terminal: &mut RawTerminal, signals: &Signals, is_withdrawn: &AtomicBool) -> io::Result<Option<String>> {
    terminal.show("\nwhy not, or what instead? ")?;
    let mut line = Line::default();
    while !is_withdrawn.load(Ordering::Relaxed) && !signals.has_received() {
        let typed = terminal.read_input()?;
        // Ctrl-C and Ctrl-\ lead back to the question, which they interrupt.
        if matches!(typed.as_slice(), [3 | 28]) {
            return Ok(None);
        }
        for event in line.push(&typed) {
            match event {
                LineEvent::Text(text) => terminal.show(&text)?,
                LineEvent::Removed(columns) => terminal.show(&"\u{8} \u{8}".repeat(columns))?,
                LineEvent::End if !line.text.trim().is_empty() => {
                    terminal.show("\n")?;
                    return Ok(Some(line.text));
                }
                LineEvent::End | LineEvent::Cancelled => return Ok(None),
            }
        }
    }
    Ok(None)
}

fn denied_by_interrupt() -> ApprovalDecision {
    ApprovalDecision::Deny(INTERRUPTED.to_owned())
}

/// Returns the meaning of bytes that were read at once. Several bytes are an arrow key or pasted text, and not an answer.
fn parse_key(typed: &[u8]) -> Option<Key> {
    /// Ctrl-C, Ctrl-D, Ctrl-\ and Escape.
    const CONTROL: [u8; 4] = [3, 4, 28, 27];
    let [byte] = typed else { return None };
    match byte.to_ascii_lowercase() {
        b'y' => Some(Key::Once),
        b's' => Some(Key::Session),
        b'a' => Some(Key::Always),
        b'n' => Some(Key::Deny),
        b'r' => Some(Key::DenyWithReason),
        b'd' => Some(Key::Details),
        byte if byte == CONTROL[0] || byte == CONTROL[2] => Some(Key::Interrupt),
        byte if CONTROL.contains(&byte) => Some(Key::Deny),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_key_is_an_answer_and_pasted_text_is_not() {
        for (typed, meaning) in [
            (&b"y"[..], Some(Key::Once)),
            (b"Y", Some(Key::Once)),
            (b"s", Some(Key::Session)),
            (b"a", Some(Key::Always)),
            (b"n", Some(Key::Deny)),
            (b"r", Some(Key::DenyWithReason)),
            (b"\x1b", Some(Key::Deny)),
            (b"\x04", Some(Key::Deny)),
            (b"\x03", Some(Key::Interrupt)),
            (b"d", Some(Key::Details)),
            (b"\n", None),
            (b"", None),
            (b"yes\n", None),
            (b"\x1b[A", None),
            ("ÿ".as_bytes(), None),
        ] {
            assert_eq!(parse_key(typed), meaning, "{typed:?}");
        }
    }
}
