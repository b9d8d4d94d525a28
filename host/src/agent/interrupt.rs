//! Ctrl-C: the first press cancels a call, and the second one ends the turn.

use tokio::sync::watch;

/// The presses of Ctrl-C. A clone sees the presses after its creation.
#[derive(Debug, Clone)]
pub(crate) struct Interrupts {
    sender: watch::Sender<u64>,
    receiver: watch::Receiver<u64>,
}

impl Interrupts {
    /// Returns a counter that is not connected to a terminal: only [`press`](Self::press) adds presses.
    pub(crate) fn new() -> Self {
        let (sender, receiver) = watch::channel(0);
        Self { sender, receiver }
    }

    /// Returns the presses at the terminal of this process. From now on, Ctrl-C does not end the process.
    ///
    /// Must be called in the context of a Tokio runtime. Presses are noticed only while the runtime runs.
    pub(crate) fn of_process() -> std::io::Result<Self> {
        let interrupts = Self::new();
        let presses = interrupts.clone();
        #[cfg(unix)]
        let mut signal = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?;
        #[cfg(windows)]
        let mut signal = tokio::signal::windows::ctrl_c()?;
        tokio::spawn(async move {
            while signal.recv().await.is_some() {
                presses.press();
            }
        });
        Ok(interrupts)
    }

    /// Counts a press.
    pub(crate) fn press(&self) {
        self.sender.send_modify(|count| *count += 1);
    }

    /// Forgets earlier presses.
    pub(crate) fn clear(&mut self) {
        self.receiver.mark_unchanged();
    }

    /// Waits for the next press.
    pub(crate) async fn next_press(&mut self) {
        if self.receiver.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
