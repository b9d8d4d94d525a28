//! Ctrl-C: what the user presses to stop a call, and then the turn.

use tokio::sync::watch;

/// The presses of Ctrl-C. Clones see the same ones, each from when it was made.
#[derive(Debug, Clone)]
pub(crate) struct Interrupts {
    sender: watch::Sender<u64>,
    receiver: watch::Receiver<u64>,
}

impl Interrupts {
    /// Returns an object without a source: only [`press`](Self::press) counts.
    pub(crate) fn new() -> Self {
        let (sender, receiver) = watch::channel(0);
        Self { sender, receiver }
    }

    /// Returns the presses of this process's terminal. From now on, they no longer end the process.
    ///
    /// Must be called in the context of a Tokio runtime, which has to run for presses to be noticed.
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
    pub(crate) async fn pressed(&mut self) {
        if self.receiver.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
