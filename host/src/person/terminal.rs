//! The terminal of this process during a question: single keys are read, and signals are recorded.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use rustix::termios::{
    InputModes, LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr, tcsetattr,
};
use signal_hook::consts::{SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::emulate_default_handler;

/// The controlling terminal of this process, even if the standard streams are redirected.
const TERMINAL: &str = "/dev/tty";
/// The signals that end this process. Before that, the terminal must be restored.
const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, SIGQUIT];

/// Restores the terminal, and ends this process like the signal. Returns only if the process ignores the signal.
pub(crate) fn end_by(signal: i32, terminal: RawTerminal) -> io::Result<()> {
    drop(terminal);
    emulate_default_handler(signal)
}

pub(crate) fn open_terminal() -> io::Result<File> {
    File::options().read(true).write(true).open(TERMINAL)
}

/// Switches the terminal to a mode in which each key is read immediately, and not shown. Dropping the value restores the terminal.
pub(crate) struct RawTerminal {
    pub(crate) file: File,
    original: Termios,
    /// Whether input that was not read is discarded at the end.
    restore: OptionalActions,
}

impl RawTerminal {
    pub(crate) fn open() -> io::Result<Self> {
        let file = open_terminal()?;
        let original = tcgetattr(&file)?;
        let mut changed = original.clone();
        // Keys such as Ctrl-C are read as characters, so that the terminal can be restored before this process ends.
        changed.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN;
        // Reading returns after a tenth of a second, with or without a key. Not every system can poll a terminal.
        changed.special_codes[SpecialCodeIndex::VMIN] = 0;
        changed.special_codes[SpecialCodeIndex::VTIME] = 1;
        // The value is created before the change, so that an error restores the terminal. The change discards earlier input.
        let terminal = Self { file, original, restore: OptionalActions::Flush };
        tcsetattr(&terminal.file, OptionalActions::Flush, &changed)?;
        Ok(terminal)
    }

    pub(crate) fn show(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())
    }

    pub(crate) fn discard_input(&self) -> io::Result<()> {
        Ok(tcflush(&self.file, QueueSelector::IFlush)?)
    }

    /// Reads the input of a tenth of a second.
    pub(crate) fn read_input(&mut self) -> io::Result<Vec<u8>> {
        let mut input = [0; 256];
        match self.file.read(&mut input) {
            Ok(length) => Ok(input[..length].to_vec()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        let _ = tcsetattr(&self.file, self.restore, &self.original);
    }
}

/// The terminal while this process works: keys are read and not shown, and Ctrl-C is a signal as usual. Dropping the value restores the terminal.
pub(crate) struct TypingTerminal {
    terminal: RawTerminal,
    signals: &'static Signals,
    _hold: SignalGuard<'static>,
}

impl TypingTerminal {
    /// Switches the terminal. What was typed before stays.
    pub(crate) fn open() -> io::Result<Self> {
        let signals = Signals::get(true)?;
        let file = open_terminal()?;
        let original = tcgetattr(&file)?;
        let terminal = RawTerminal { file, original, restore: OptionalActions::Now };
        let terminal = Self { terminal, signals, _hold: signals.hold() };
        terminal.set()?;
        Ok(terminal)
    }

    fn set(&self) -> io::Result<()> {
        let mut changed = self.terminal.original.clone();
        changed.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
        // A prompt that reads Enter later can tell it from Ctrl-J.
        changed.input_modes -= InputModes::ICRNL;
        changed.special_codes[SpecialCodeIndex::VMIN] = 0;
        changed.special_codes[SpecialCodeIndex::VTIME] = 1;
        Ok(tcsetattr(&self.terminal.file, OptionalActions::Now, &changed)?)
    }

    /// Reads the input of a tenth of a second. Returns `None` if the process must end.
    pub(crate) fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        if self.signals.has_received() {
            return Ok(None);
        }
        // The shell has restored the terminal if this process was stopped and continued.
        if tcgetattr(&self.terminal.file)?.local_modes.contains(LocalModes::ICANON) {
            self.set()?;
        }
        self.terminal.read_input().map(Some)
    }

    /// Restores the terminal, and ends this process if a signal says so.
    pub(crate) fn end(self) {
        let Self { terminal, signals, _hold } = self;
        match signals.take_received() {
            Some(signal) => drop(end_by(signal, terminal)),
            None => drop(terminal),
        }
    }
}

/// The signals that would end this process. During a question, they are recorded instead.
pub(crate) struct Signals {
    /// Whether the signals end the process. False while a question is open.
    end_process: Arc<AtomicBool>,
    /// The number of guards that hold the signals.
    holds: AtomicUsize,
    received: Vec<(i32, Arc<AtomicBool>)>,
}

impl Signals {
    /// Returns the signals of this process. If the host handles SIGINT, that signal is left to it.
    pub(crate) fn get(host_handles_interrupts: bool) -> io::Result<&'static Self> {
        static PROCESS_SIGNALS: OnceLock<Signals> = OnceLock::new();
        if let Some(signals) = PROCESS_SIGNALS.get() {
            return Ok(signals);
        }
        let signals = Self {
            end_process: Arc::new(AtomicBool::new(true)),
            holds: AtomicUsize::new(0),
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
        Ok(PROCESS_SIGNALS.get_or_init(|| signals))
    }

    /// Records signals instead of ending the process, until the returned value is dropped.
    pub(crate) fn hold(&self) -> SignalGuard<'_> {
        self.holds.fetch_add(1, Ordering::SeqCst);
        self.end_process.store(false, Ordering::SeqCst);
        SignalGuard(self)
    }

    /// Returns whether a signal waits to be taken.
    pub(crate) fn has_received(&self) -> bool {
        self.received.iter().any(|(_, received)| received.load(Ordering::SeqCst))
    }

    pub(crate) fn take_received(&self) -> Option<i32> {
        self.received.iter().find(|(_, received)| received.swap(false, Ordering::SeqCst)).map(|(signal, _)| *signal)
    }
}

/// While this exists, signals are recorded and do not end this process.
pub(crate) struct SignalGuard<'s>(&'s Signals);

impl Drop for SignalGuard<'_> {
    fn drop(&mut self) {
        if self.0.holds.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.end_process.store(true, Ordering::SeqCst);
        }
    }
}
