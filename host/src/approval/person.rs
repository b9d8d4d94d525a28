//! Asks the person at the terminal.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::task::{Context, Poll, Waker};
use std::thread::{self, JoinHandle};
use std::time::Duration;

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
/// The signals that end this process. The terminal must be restored before.
const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, SIGQUIT];

/// Asks the person at the terminal about each call.
pub(crate) struct Person {
    rules: &'static RuleSet<'static>,
    home: Option<PathBuf>,
    /// What the host does if the person presses Ctrl-C. Without it, the process ends.
    on_interrupt: Option<OnInterrupt>,
}

type OnInterrupt = Arc<dyn Fn() + Send + Sync>;

impl Person {
    /// Returns an approver, or `None` if there is no person to ask: this process has no terminal, or a tool runs it and could type
    /// the answers.
    pub(crate) fn at_the_terminal(
        rules: &'static RuleSet<'static>,
        home: Option<PathBuf>,
    ) -> Option<Arc<dyn Approver>> {
        Self { rules, home, on_interrupt: None }.if_present()
    }

    /// Returns an approver for a host that handles Ctrl-C: it calls `on_interrupt`, and the call is denied. From now on, SIGINT does
    /// not end the process here.
    pub(crate) fn of_host(
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

impl Approver for Person {
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

/// An open question: a future of its answer, for which a thread waits. Dropping it withdraws the question and restores the terminal.
pub(crate) struct OpenQuestion<T> {
    shared: Arc<Shared<T>>,
    thread: Option<JoinHandle<()>>,
}

struct Shared<T> {
    is_withdrawn: AtomicBool,
    answer: Mutex<(Option<T>, Option<Waker>)>,
}

impl<T> Shared<T> {
    fn answer(&self, decision: T) {
        let mut answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        answer.0 = Some(decision);
        let waker = answer.1.take();
        drop(answer);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Held while a question is on the terminal.
static TURN: Mutex<()> = Mutex::new(());

/// Waits until no other question is on the terminal. Returns `None` if this one is withdrawn meanwhile.
fn turn(is_withdrawn: &AtomicBool) -> Option<MutexGuard<'static, ()>> {
    loop {
        match TURN.try_lock() {
            Ok(turn) => return Some(turn),
            Err(TryLockError::Poisoned(error)) => return Some(error.into_inner()),
            Err(TryLockError::WouldBlock) if is_withdrawn.load(Ordering::Relaxed) => return None,
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(50)),
        }
    }
}

impl<T: Send + 'static> OpenQuestion<T> {
    /// Asks the question on a new thread. `ask` gets whether the question is withdrawn, and `failed` returns the answer if there is no
    /// thread.
    pub(crate) fn ask(
        ask: impl FnOnce(&AtomicBool) -> T + Send + 'static,
        failed: impl FnOnce(io::Error) -> T,
    ) -> Self {
        let shared = Arc::new(Shared { is_withdrawn: AtomicBool::new(false), answer: Mutex::new((None, None)) });
        let on_thread = Arc::clone(&shared);
        let ask = move || {
            if let Some(_turn) = turn(&on_thread.is_withdrawn) {
                on_thread.answer(ask(&on_thread.is_withdrawn));
            }
        };
        let thread = thread::Builder::new().name("question".to_owned()).spawn(ask);
        let thread = thread.map_err(|error| shared.answer(failed(error))).ok();
        Self { shared, thread }
    }
}

impl<T> Future for OpenQuestion<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let mut answer = self.shared.answer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(decision) = answer.0.take() {
            return Poll::Ready(decision);
        }
        answer.1 = Some(context.waker().clone());
        Poll::Pending
    }
}

impl<T> Drop for OpenQuestion<T> {
    fn drop(&mut self) {
        self.shared.is_withdrawn.store(true, Ordering::Relaxed);
        // The thread checks the flag ten times a second, and restores the terminal.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A question, with what its details need.
struct Prompt {
    question: Question,
    rules: &'static RuleSet<'static>,
    home: Option<PathBuf>,
    on_interrupt: Option<OnInterrupt>,
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

impl Prompt {
    /// Asks, and waits for a key.
    fn ask(&self, is_withdrawn: &AtomicBool) -> io::Result<ApprovalDecision> {
        let signals = Signals::get(self.on_interrupt.is_some())?;
        let _guard = signals.hold();
        let mut terminal = RawTerminal::open()?;
        let look = Look::new(Some(terminal::columns(&terminal.file)));
        terminal.show(&format!("{}\n{}", self.question.text(look), self.question.choices(look)))?;
        // This includes what was typed while the question was written.
        terminal.discard_input()?;
        loop {
            if let Some(signal) = signals.received() {
                terminal.show("\n")?;
                end_by(signal, terminal)?;
                return Ok(interrupted());
            }
            if is_withdrawn.load(Ordering::Relaxed) {
                terminal.show("denied: the call no longer waits for an answer\n")?;
                return Ok(ApprovalDecision::Unanswered("the call no longer waits for an answer".to_owned()));
            }
            let Some(key) = terminal.next_key()?.and_then(|key| self.offered(key)) else { continue };
            let (decision, message) = match key {
                Key::Once => (ApprovalDecision::AllowOnce, "allowed once"),
                Key::Session => (ApprovalDecision::AllowForSession, "allowed for this session"),
                Key::Always => (ApprovalDecision::AllowAlways, "allowed always"),
                Key::Deny => (ApprovalDecision::Deny("the user said no".to_owned()), "denied"),
                Key::Details => {
                    let details = self.question.details(|command| self.would_run(command));
                    terminal.show(&format!("\n\n{details}\n{}", self.question.choices(look)))?;
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
                    return Ok(interrupted());
                }
            };
            terminal.show(&format!("{message}\n"))?;
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

fn interrupted() -> ApprovalDecision {
    ApprovalDecision::Deny("the user interrupted the question".to_owned())
}

/// Restores the terminal, and ends this process as the signal would. The process still runs if it ignores the signal.
pub(crate) fn end_by(signal: i32, terminal: RawTerminal) -> io::Result<()> {
    drop(terminal);
    emulate_default_handler(signal)
}

pub(crate) fn open_terminal() -> io::Result<File> {
    File::options().read(true).write(true).open(TERMINAL)
}

/// The terminal in a mode in which each key is read at once, and not shown. Dropping this restores the terminal.
pub(crate) struct RawTerminal {
    pub(crate) file: File,
    before: Termios,
}

impl RawTerminal {
    pub(crate) fn open() -> io::Result<Self> {
        let file = open_terminal()?;
        let before = tcgetattr(&file)?;
        let mut changed = before.clone();
        // Keys such as Ctrl-C are read as characters, so that the terminal can be restored before this process ends.
        changed.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN;
        // Reading returns after a tenth of a second, with or without a key. Not every system can poll a terminal.
        changed.special_codes[SpecialCodeIndex::VMIN] = 0;
        changed.special_codes[SpecialCodeIndex::VTIME] = 1;
        // Created before the change, so that an error restores the terminal. The change discards earlier input.
        let terminal = Self { file, before };
        tcsetattr(&terminal.file, OptionalActions::Flush, &changed)?;
        Ok(terminal)
    }

    pub(crate) fn show(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())
    }

    pub(crate) fn discard_input(&self) -> io::Result<()> {
        Ok(tcflush(&self.file, QueueSelector::IFlush)?)
    }

    /// Returns the key that was typed within a tenth of a second, if it has a meaning.
    fn next_key(&mut self) -> io::Result<Option<Key>> {
        Ok(key(&self.typed()?))
    }

    /// Returns what was typed within a tenth of a second.
    pub(crate) fn typed(&mut self) -> io::Result<Vec<u8>> {
        let mut typed = [0; 256];
        match self.file.read(&mut typed) {
            Ok(length) => Ok(typed[..length].to_vec()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }
}

/// Returns the meaning of bytes that were read at once. Several bytes are an arrow key or pasted text, which is not an answer.
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

impl Drop for RawTerminal {
    fn drop(&mut self) {
        let _ = tcsetattr(&self.file, OptionalActions::Flush, &self.before);
    }
}

/// The signals that would end this process. During a question, they are recorded instead.
pub(crate) struct Signals {
    /// Whether the signals end the process, because no question is open.
    end_process: Arc<AtomicBool>,
    received: Vec<(i32, Arc<AtomicBool>)>,
}

impl Signals {
    /// Returns the signals of this process. If the host handles SIGINT, that signal is left to it.
    pub(crate) fn get(host_handles_interrupts: bool) -> io::Result<&'static Self> {
        static SIGNALS_OF_PROCESS: OnceLock<Signals> = OnceLock::new();
        if let Some(signals) = SIGNALS_OF_PROCESS.get() {
            return Ok(signals);
        }
        let signals = Self {
            end_process: Arc::new(AtomicBool::new(true)),
            received: SIGNALS
                .into_iter()
                .filter(|signal| !host_handles_interrupts || *signal != SIGINT)
                .map(|signal| (signal, Arc::default()))
                .collect(),
        };
        for (signal, received) in &signals.received {
            flag::register_conditional_default(*signal, Arc::clone(&signals.end_process))?;
            flag::register(*signal, Arc::clone(received))?;
        }
        Ok(SIGNALS_OF_PROCESS.get_or_init(|| signals))
    }

    /// Records signals instead of ending the process, until the result is dropped.
    pub(crate) fn hold(&self) -> SignalGuard<'_> {
        self.end_process.store(false, Ordering::SeqCst);
        SignalGuard(self)
    }

    pub(crate) fn received(&self) -> Option<i32> {
        self.received.iter().find(|(_, received)| received.swap(false, Ordering::SeqCst)).map(|(signal, _)| *signal)
    }
}

/// While this exists, signals are recorded and do not end this process.
pub(crate) struct SignalGuard<'s>(&'s Signals);

impl Drop for SignalGuard<'_> {
    fn drop(&mut self) {
        self.0.end_process.store(true, Ordering::SeqCst);
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
