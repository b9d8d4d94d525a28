//! The terminal of this process while a question is open: keys are read at once, and signals are recorded.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use rustix::termios::{
    LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr, tcsetattr,
};
use signal_hook::consts::{SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::emulate_default_handler;

/// The terminal that controls this process, whatever its standard streams are.
const TERMINAL: &str = "/dev/tty";
/// The signals that end this process. The terminal must be restored before.
const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, SIGQUIT];

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
