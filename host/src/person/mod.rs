//! The person at the terminal: the only place that passes questions of models, MCP servers and command rules on to a person.

#[cfg(unix)]
mod approver;
#[cfg(unix)]
mod budget;
#[cfg(unix)]
mod clarify;
#[cfg(unix)]
mod dialog;
#[cfg(unix)]
mod forms;
#[cfg(unix)]
mod line;
#[cfg(unix)]
mod open_question;
#[cfg(unix)]
mod terminal;

#[cfg(unix)]
pub(crate) use terminal::TypingTerminal;

use std::sync::Arc;
use std::time::Duration;

use toolc::approval::Approver;
use toolc_agent::Clarifier;
use toolc_cli::App;
use toolc_commands::rules::RuleSet;
use toolc_mcp::{Answering, Asker, Sampler};

use crate::models::LimitAsker;

#[cfg(unix)]
use approver::TerminalApprover;
#[cfg(unix)]
use budget::TerminalLimitAsker;
#[cfg(unix)]
use clarify::TerminalClarifier;
#[cfg(unix)]
use dialog::{QuestionHooks, TerminalAsker};

/// The person at the terminal of this process, if any.
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

    /// Returns the person at the terminal of this process. The person is absent if there is no terminal, or if this process runs inside a
    /// tool, which could type the answers.
    pub(crate) fn at_the_terminal() -> Self {
        Self::present(false)
    }

    /// Returns the person at the terminal for a host that handles Ctrl-C: see [`set_question_hooks`](Self::set_question_hooks).
    pub(crate) fn for_host() -> Self {
        Self::present(true)
    }

    #[cfg(unix)]
    fn present(handles_interrupts: bool) -> Self {
        Self { terminal: TerminalAsker::if_present(handles_interrupts) }
    }

    /// On other systems, this program cannot ask while it shows other output.
    #[cfg(not(unix))]
    fn present(_: bool) -> Self {
        Self::absent()
    }

    /// Returns the asker that shows questions of MCP servers to the person.
    pub(crate) fn asker(&self) -> Option<Arc<dyn Asker>> {
        #[cfg(unix)]
        return self.terminal.clone().map(|terminal| terminal as Arc<dyn Asker>);
        #[cfg(not(unix))]
        return None;
    }

    /// Returns the clarifier that shows questions of the model to the person.
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

    /// Asks a question with `yes` or `no` as the answer. Without a person or an answer, it is no.
    #[cfg_attr(not(unix), expect(clippy::unused_async, unused_variables, reason = "no person is asked"))]
    pub(crate) async fn confirm(&self, question: &str) -> bool {
        #[cfg(unix)]
        return match &self.terminal {
            Some(terminal) => terminal.confirm(question).await,
            None => false,
        };
        #[cfg(not(unix))]
        return false;
    }

    /// Returns what asks the person before a limit of the budget is passed.
    pub(crate) fn raise(&self) -> Option<Arc<dyn LimitAsker>> {
        #[cfg(unix)]
        return self.terminal.clone().map(|terminal| Arc::new(TerminalLimitAsker(terminal)) as Arc<dyn LimitAsker>);
        #[cfg(not(unix))]
        return None;
    }

    /// Returns who answers the requests of MCP servers: the person, and the model if there is a person who can approve its use.
    pub(crate) fn answering(&self, sampler: Option<Arc<dyn Sampler>>) -> Answering {
        let asker = self.asker();
        Answering { sampler: sampler.filter(|_| asker.is_some()), asker }
    }

    /// Sets the hooks around a question: `on_interrupt` is called if the person presses Ctrl-C, and the value that `pause` returns is kept
    /// until the question is closed.
    #[cfg_attr(not(unix), expect(unused_variables, reason = "no person is asked"))]
    pub(crate) fn set_question_hooks(
        &self,
        on_interrupt: impl Fn() + Send + Sync + 'static,
        pause: impl Fn() -> Box<dyn Send> + Send + Sync + 'static,
    ) {
        #[cfg(unix)]
        if let Some(terminal) = &self.terminal {
            terminal.set_hooks(QuestionHooks { on_interrupt: Box::new(on_interrupt), pause: Box::new(pause) });
        }
    }
}

/// Returns an approver that asks the person at the terminal, if any. `on_interrupt` is called if the person presses Ctrl-C.
#[cfg(unix)]
pub(crate) fn approver(
    rules: &'static RuleSet<'static>,
    on_interrupt: impl Fn() + Send + Sync + 'static,
) -> Option<Arc<dyn Approver>> {
    TerminalApprover::for_host(rules, std::env::home_dir(), on_interrupt)
}

/// On other systems, this program cannot ask while it shows a conversation.
#[cfg(not(unix))]
pub(crate) fn approver(
    _: &'static RuleSet<'static>,
    _: impl Fn() + Send + Sync + 'static,
) -> Option<Arc<dyn Approver>> {
    None
}

/// Gives an app an approver, which asks the person at the terminal about calls that need approval.
#[cfg(unix)]
pub(crate) fn add_approver(app: App, rules: &'static RuleSet<'static>) -> App {
    app.approver(TerminalApprover::at_the_terminal(rules, std::env::home_dir()))
}

/// On other systems, the app asks on its standard streams, unless a tool could answer.
#[cfg(not(unix))]
pub(crate) fn add_approver(app: App, _: &'static RuleSet<'static>) -> App {
    if toolc_process::is_inside_a_tool() { app.approver(None) } else { app }
}
