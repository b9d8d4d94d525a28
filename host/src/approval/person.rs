//! Asks the person at the terminal.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread::{self, JoinHandle};

use rustix::termios::{
    LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr, tcsetattr,
};
use signal_hook::consts::{SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::emulate_default_handler;
use toolc::approval::{ApprovalDecision, ApprovalRequest, Approver};
use toolc_commands::rules::RuleSet;

use super::question::{AskedCommand, Question};
use crate::judge;
use crate::show::Look;
use crate::terminal;

/// The terminal that controls this process, whatever its standard streams are.
const TERMINAL: &str = "/dev/tty";
/// The signals that end this process, after which the terminal must be as it was.
const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, SIGQUIT];

/// Asks the person at the terminal about each call.
#[derive(Debug)]
pub(crate) struct Person {
    rules: &'static RuleSet<'static>,
    home: Option<PathBuf>,
}

impl Person {
    /// Returns an approver, or `None` if no person is there: this process has no terminal, or is itself run by a tool, which could
    /// type the answers.
    pub(crate) fn at_the_terminal(
        rules: &'static RuleSet<'static>,
        home: Option<PathBuf>,
    ) -> Option<Arc<dyn Approver>> {
        let is_there = !toolc_process::is_inside_a_tool() && open().is_ok();
        is_there.then(|| Arc::new(Self { rules, home }) as Arc<dyn Approver>)
    }
}

impl Approver for Person {
    fn decide<'a>(
        &'a self,
        request: &'a ApprovalRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>> {
        let asked = Asked { question: Question::new(request), rules: self.rules, home: self.home.clone() };
        Box::pin(Asking::start(asked))
    }
}

/// A question that waits for its answer on a thread. When this is dropped, the question is withdrawn, and the terminal restored.
struct Asking {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    is_withdrawn: AtomicBool,
    answer: Mutex<(Option<ApprovalDecision>, Option<Waker>)>,
}

impl Shared {
    fn answer(&self, decision: ApprovalDecision) {
        let mut answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        answer.0 = Some(decision);
        let waker = answer.1.take();
        drop(answer);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Asking {
    fn start(asked: Asked) -> Self {
        let shared = Arc::new(Shared::default());
        let on_thread = Arc::clone(&shared);
        let ask = move || {
            let decision = asked.ask(&on_thread.is_withdrawn);
            let failed = |error| ApprovalDecision::Deny(format!("failed to ask the user: {error}"));
            on_thread.answer(decision.unwrap_or_else(failed));
        };
        let thread = thread::Builder::new().name("a question".to_owned()).spawn(ask);
        if let Err(error) = &thread {
            shared.answer(ApprovalDecision::Deny(format!("failed to ask the user: {error}")));
        }
        Self { shared, thread: thread.ok() }
    }
}

impl Future for Asking {
    type Output = ApprovalDecision;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<ApprovalDecision> {
        let mut answer = self.shared.answer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(decision) = answer.0.take() {
            return Poll::Ready(decision);
        }
        answer.1 = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.shared.is_withdrawn.store(true, Ordering::Relaxed);
        // The thread restores the terminal, and looks at the flag ten times a second.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What is asked, and what details need.
struct Asked {
    question: Question,
    rules: &'static RuleSet<'static>,
    home: Option<PathBuf>,
}

/// What a key means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Once,
    Session,
    Always,
    Deny,
    Details,
    Interrupt,
}

impl Asked {
    /// Asks, and waits for a key.
    fn ask(&self, is_withdrawn: &AtomicBool) -> io::Result<ApprovalDecision> {
        let signals = Signals::get()?;
        let _asking = signals.hold();
        let mut keys = Keys::of_terminal()?;
        let look = Look::new(Some(terminal::columns(&keys.terminal)));
        keys.show(&format!("{}\n{}", self.question.text(look), self.question.choices(look)))?;
        // Also what was typed while the question was written.
        keys.throw_away_input()?;
        loop {
            if let Some(signal) = signals.received() {
                keys.show("\n")?;
                return end_by(signal, keys);
            }
            if is_withdrawn.load(Ordering::Relaxed) {
                keys.show("denied: the question is no longer waiting for an answer\n")?;
                return Ok(ApprovalDecision::Deny(String::new()));
            }
            let Some(key) = keys.next()?.and_then(|key| self.offered(key)) else { continue };
            let (decision, said) = match key {
                Key::Once => (ApprovalDecision::AllowOnce, "allowed once"),
                Key::Session => (ApprovalDecision::AllowForSession, "allowed for this session"),
                Key::Always => (ApprovalDecision::AllowAlways, "allowed always"),
                Key::Deny => (ApprovalDecision::Deny("the user said no".to_owned()), "denied"),
                Key::Details => {
                    let details = self.question.details(|command| self.would_run(command));
                    keys.show(&format!("\n\n{details}\n{}", self.question.choices(look)))?;
                    continue;
                }
                Key::Interrupt => {
                    keys.show("\n")?;
                    return end_by(SIGINT, keys);
                }
            };
            keys.show(&format!("{said}\n"))?;
            return Ok(decision);
        }
    }

    /// Returns the key, if it is a choice of this question.
    fn offered(&self, key: Key) -> Option<Key> {
        let is_offered = match key {
            Key::Session => self.question.offers_session,
            Key::Always => self.question.offers_always,
            Key::Details => !self.question.commands.is_empty(),
            Key::Once | Key::Deny | Key::Interrupt => true,
        };
        is_offered.then_some(key)
    }

    fn would_run(&self, command: &AskedCommand) -> String {
        let directory = command.directory.as_ref().map(PathBuf::from);
        let surroundings = toolc_commands::Surroundings {
            directory: directory.as_deref(),
            home: self.home.as_deref(),
            ..toolc_commands::Surroundings::default()
        };
        judge::would_run(&toolc_commands::read(&command.line, self.rules.programs(), &surroundings))
    }
}

/// Ends this process as a signal does, after the terminal has been restored.
fn end_by(signal: i32, keys: Keys) -> io::Result<ApprovalDecision> {
    drop(keys);
    emulate_default_handler(signal)?;
    // A host that this process is part of ignores the signal.
    Ok(ApprovalDecision::Deny("the user has interrupted the question".to_owned()))
}

fn open() -> io::Result<File> {
    File::options().read(true).write(true).open(TERMINAL)
}

/// The terminal, which passes on each key at once and does not show it. It is restored when this is dropped.
struct Keys {
    terminal: File,
    before: Termios,
}

impl Keys {
    fn of_terminal() -> io::Result<Self> {
        let terminal = open()?;
        let before = tcgetattr(&terminal)?;
        let mut changed = before.clone();
        // A key that sends a signal arrives as a character: the terminal is restored before this process ends or stops.
        changed.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN;
        // Reading returns after a tenth of a second, with or without a key. Not every system can wait for this file and others.
        changed.special_codes[SpecialCodeIndex::VMIN] = 0;
        changed.special_codes[SpecialCodeIndex::VTIME] = 1;
        // From here on, the terminal is restored. What was typed before is thrown away.
        let keys = Self { terminal, before };
        tcsetattr(&keys.terminal, OptionalActions::Flush, &changed)?;
        Ok(keys)
    }

    fn show(&mut self, text: &str) -> io::Result<()> {
        self.terminal.write_all(text.as_bytes())
    }

    fn throw_away_input(&self) -> io::Result<()> {
        Ok(tcflush(&self.terminal, QueueSelector::IFlush)?)
    }

    /// Returns what was typed within a tenth of a second, if it is a key with a meaning.
    fn next(&mut self) -> io::Result<Option<Key>> {
        let mut typed = [0; 256];
        match self.terminal.read(&mut typed) {
            Ok(length) => Ok(key(&typed[..length])),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Returns what the bytes of one reading mean. Several at once are an arrow key or a pasted text, and no answer.
fn key(typed: &[u8]) -> Option<Key> {
    /// Ctrl-C, Ctrl-D, Ctrl-\ and Escape.
    const CONTROL: [u8; 4] = [3, 4, 28, 27];
    let [byte] = typed else { return None };
    match byte.to_ascii_lowercase() {
        b'y' => Some(Key::Once),
        b's' => Some(Key::Session),
        b'a' => Some(Key::Always),
        b'n' => Some(Key::Deny),
        b'd' => Some(Key::Details),
        byte if byte == CONTROL[0] || byte == CONTROL[2] => Some(Key::Interrupt),
        byte if CONTROL.contains(&byte) => Some(Key::Deny),
        _ => None,
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        let _ = tcsetattr(&self.terminal, OptionalActions::Flush, &self.before);
    }
}

/// The signals that would end this process during a question. Without a question, they have their usual effect.
struct Signals {
    /// Whether no question waits.
    has_usual_effect: Arc<AtomicBool>,
    received: [(i32, Arc<AtomicBool>); SIGNALS.len()],
}

impl Signals {
    fn get() -> io::Result<&'static Self> {
        static SIGNALS_OF_PROCESS: OnceLock<Signals> = OnceLock::new();
        if let Some(signals) = SIGNALS_OF_PROCESS.get() {
            return Ok(signals);
        }
        let signals = Self {
            has_usual_effect: Arc::new(AtomicBool::new(true)),
            received: SIGNALS.map(|signal| (signal, Arc::default())),
        };
        for (signal, received) in &signals.received {
            flag::register_conditional_default(*signal, Arc::clone(&signals.has_usual_effect))?;
            flag::register(*signal, Arc::clone(received))?;
        }
        Ok(SIGNALS_OF_PROCESS.get_or_init(|| signals))
    }

    /// Keeps signals from ending this process, until the result is dropped.
    fn hold(&self) -> Held<'_> {
        self.has_usual_effect.store(false, Ordering::SeqCst);
        Held(self)
    }

    fn received(&self) -> Option<i32> {
        self.received.iter().find(|(_, received)| received.swap(false, Ordering::SeqCst)).map(|(signal, _)| *signal)
    }
}

/// While this exists, signals do not end this process.
struct Held<'s>(&'s Signals);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.has_usual_effect.store(true, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_key_is_an_answer_and_pasted_text_is_not() {
        for (typed, meaning) in [
            (&b"y"[..], Some(Key::Once)),
            (b"Y", Some(Key::Once)),
            (b"s", Some(Key::Session)),
            (b"a", Some(Key::Always)),
            (b"n", Some(Key::Deny)),
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
            assert_eq!(key(typed), meaning, "{typed:?}");
        }
    }
}
