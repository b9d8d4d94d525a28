//! Reads what the person types while a turn runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use super::live::Live;
use super::typed::Typed;
use crate::person::TypingTerminal;

/// Reads what the person types, on a thread, and shows it below the output.
pub(super) struct Typing {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<(Typed, TypingTerminal)>>,
}

impl Typing {
    /// Begins to read a line that has a beginning already. Returns `None` if the terminal cannot be read in this way.
    pub(super) fn begin(live: &Live, draft: &str) -> Option<Self> {
        let mut terminal = TypingTerminal::open().ok()?;
        let is_over = Arc::new(AtomicBool::new(false));
        let (over, shown) = (Arc::clone(&is_over), live.clone());
        let read = move || {
            shown.set_bracketed_paste(true);
            while !over.load(Ordering::Relaxed) {
                // A question reads the terminal itself.
                let Some(reading) = shown.begin_reading() else { continue };
                let typed = terminal.read();
                drop(reading);
                match typed {
                    Ok(Some(typed)) => shown.typed(&typed),
                    Ok(None) | Err(_) => break,
                }
            }
            let typed = shown.take_typed();
            shown.set_bracketed_paste(false);
            (typed, terminal)
        };
        live.begin_typed(draft);
        let thread = thread::Builder::new().name("typing".to_owned()).spawn(read).ok()?;
        Some(Self { is_over, thread: Some(thread) })
    }

    /// Ends the reading. Returns what was typed, and the terminal: what is typed from now on stays in it until the terminal is restored and the next
    /// prompt reads it.
    pub(super) fn end(mut self) -> Option<(Typed, TypingTerminal)> {
        self.join()
    }

    fn join(&mut self) -> Option<(Typed, TypingTerminal)> {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.take().and_then(|thread| thread.join().ok())
    }
}

impl Drop for Typing {
    fn drop(&mut self) {
        self.join();
    }
}
