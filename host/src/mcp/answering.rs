//! Who answers the questions of MCP servers in this process.

use std::sync::Arc;
use std::time::Duration;

use toolc_agent::Clarifier;
use toolc_mcp::{Answering, Asker, Sampler};

#[cfg(unix)]
use super::asking::{Host, TerminalAsker};
#[cfg(unix)]
use crate::clarify::TerminalClarifier;

/// The person in front of this process, if there is one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Person {
    #[cfg(unix)]
    terminal: Option<Arc<TerminalAsker>>,
}

impl Person {
    /// Returns no person.
    pub(crate) fn absent() -> Self {
        Self::default()
    }

    /// Returns the person at the terminal of this process, unless it has none or a tool could type the answers.
    pub(crate) fn at_the_terminal() -> Self {
        Self::present(false)
    }

    /// Returns the person at the terminal of a host that handles Ctrl-C: see [`around_questions`](Self::around_questions).
    pub(crate) fn of_host() -> Self {
        Self::present(true)
    }

    #[cfg(unix)]
    fn present(handles_interrupts: bool) -> Self {
        Self { terminal: TerminalAsker::if_present(handles_interrupts) }
    }

    /// On other systems, this program cannot ask while it shows something else.
    #[cfg(not(unix))]
    fn present(_: bool) -> Self {
        Self::absent()
    }

    /// Returns what shows questions to the person.
    pub(crate) fn asker(&self) -> Option<Arc<dyn Asker>> {
        #[cfg(unix)]
        return self.terminal.clone().map(|terminal| terminal as Arc<dyn Asker>);
        #[cfg(not(unix))]
        return None;
    }

    /// Returns what shows questions of the model to the person.
    pub(crate) fn clarifier(&self, time: Duration) -> Option<Arc<dyn Clarifier>> {
        #[cfg(unix)]
        return self
            .terminal
            .clone()
            .map(|terminal| Arc::new(TerminalClarifier { terminal, time }) as Arc<dyn Clarifier>);
        #[cfg(not(unix))]
        {
            let _ = time;
            None
        }
    }

    /// Returns who answers servers: the person, and a model for those that may ask one.
    pub(crate) fn answering(&self, sampler: Option<Arc<dyn Sampler>>) -> Answering {
        // Each request to the model is approved by the person.
        let asker = self.asker();
        Answering { sampler: sampler.filter(|_| asker.is_some()), asker }
    }

    /// Sets what happens around a question: `on_interrupt` is called if the person presses Ctrl-C, and what `pause` returns is kept while
    /// the question is open.
    #[cfg_attr(not(unix), expect(unused_variables, reason = "no person is asked"))]
    pub(crate) fn around_questions(
        &self,
        on_interrupt: impl Fn() + Send + Sync + 'static,
        pause: impl Fn() -> Box<dyn Send> + Send + Sync + 'static,
    ) {
        #[cfg(unix)]
        if let Some(terminal) = &self.terminal {
            terminal.set_host(Host { on_interrupt: Box::new(on_interrupt), pause: Box::new(pause) });
        }
    }
}
