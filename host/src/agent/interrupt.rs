//! Ctrl-C: the first press cancels a call, and the second one ends the turn. At a question, the first one ends the turn.

use tokio::sync::watch;

/// The presses of Ctrl-C. A clone sees the presses after its creation.
#[derive(Debug, Clone)]
pub(crate) struct Interrupts {
    sender: watch::Sender<Press>,
    receiver: watch::Receiver<Press>,
}

/// Where Ctrl-C was pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Press {
    /// While something runs.
    Running,
    /// At an open question. The person wants no further question.
    AtQuestion,
}

impl Interrupts {
    /// Returns a counter that is not connected to a terminal: only [`press`](Self::press) adds presses.
    pub(crate) fn new() -> Self {
        let (sender, receiver) = watch::channel(Press::Running);
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

    /// Reports a press while something runs.
    pub(crate) fn press(&self) {
        self.sender.send_replace(Press::Running);
    }

    /// Reports a press at a question.
    pub(crate) fn press_at_question(&self) {
        self.sender.send_replace(Press::AtQuestion);
    }

    /// Forgets earlier presses.
    pub(crate) fn clear(&mut self) {
        self.receiver.mark_unchanged();
    }

    /// Waits for the next press.
    pub(crate) async fn next_press(&mut self) -> Press {
        if self.receiver.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
        *self.receiver.borrow_and_update()
    }
}
