//! The way that a call takes through a turn: to the tool that it names, if that is shown, with arguments that are
//! valid; and back, as one JSON text, whatever happens.

use crate::args::{self, Limits};
use crate::behaviour::Execution;
use crate::cancel::Since;
use crate::registry::Route;
use crate::{
    AgentTask, AgentTools, ErrorKind, Output, Pending, Slots, ToolCall, ToolError, Turn, agent, nearest, panics,
};

/// A call's answer: always one well-formed JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The handler's result, or `{"error": text, "kind": word, "problems": [...]}`.
    pub json: String,
    /// Whether the call failed. Some providers want to be told beside the text.
    pub is_error: bool,
}

impl Answer {
    pub(crate) fn of(result: Result<Output, ToolError>) -> Self {
        match result {
            Ok(output) => Answer { json: output.into_json(), is_error: false },
            Err(error) => Answer { json: error.to_json(), is_error: true },
        }
    }
}

impl Turn {
    /// Answers a model's call. A panic of the handler, too, ends in an answer.
    pub async fn call(&self, request: &ToolCall<'_>) -> Answer {
        self.call_since(request, self.begin()).await
    }

    /// The same, in a session whose cancelling counts since then.
    pub(crate) async fn call_since(&self, request: &ToolCall<'_>, session: Since<'_>) -> Answer {
        Answer::of(self.run(request, session).await)
    }

    /// The call of a tool that the agent's own loop runs, typed. None where `request` calls no such tool of `A`: then
    /// [`call`](Self::call) answers it. The error is the answer to a call that cannot be run: its arguments are wrong.
    ///
    /// ```
    /// use toolc::{AgentTask, AgentTools, Answer, Output, Slots, ToolCall, ToolError, Turn};
    ///
    /// // `cargo xtask gen` writes this enum: a variant for each tool with `execution = "agent"`.
    /// enum AgentCall {
    ///     Delegate { goal: String },
    /// }
    ///
    /// impl AgentTools for AgentCall {
    ///     fn read(tool: &str, mut args: Slots<'_>) -> Option<Self> {
    ///         (tool == "delegate").then(|| AgentCall::Delegate { goal: args.take(0) })
    ///     }
    /// }
    ///
    /// async fn answer(turn: &Turn, request: &ToolCall<'_>) -> Answer {
    ///     match turn.agent_call(request) {
    ///         Some(Ok(AgentTask { call, pending })) => pending.finish(run(call).await),
    ///         Some(Err(answer)) => answer,
    ///         None => turn.call(request).await,
    ///     }
    /// }
    ///
    /// async fn run(call: AgentCall) -> Result<Output, ToolError> {
    ///     match call {
    ///         AgentCall::Delegate { goal } => Ok(Output::text(format!("done: {goal}"))),
    ///     }
    /// }
    /// ```
    pub fn agent_call<A: AgentTools>(&self, request: &ToolCall<'_>) -> Option<Result<AgentTask<A>, Answer>> {
        let id = self.find(request.name())?;
        if self.state().tool(id).behaviour.execution != Execution::Agent {
            return None;
        }
        let read = || {
            let slots = self.read(id, request)?;
            if self.state().tools[id].route == Route::Approval {
                return Err(unapproved());
            }
            Ok(panics::caught(|| A::read(self.name(id), slots))?)
        };
        match read() {
            Ok(call) => Some(Ok(AgentTask { call: call?, pending: Pending::new(self.clone(), id) })),
            Err(error) => Some(Err(Answer::of(Err(error)))),
        }
    }

    async fn run(&self, request: &ToolCall<'_>, session: Since<'_>) -> Result<Output, ToolError> {
        let Some(id) = self.find(request.name()) else { return Err(self.unknown(request.name())) };
        let slots = self.read(id, request)?;
        match self.state().tools[id].route {
            Route::Provider => {}
            Route::Agent => return Err(agent::not_here()),
            Route::Approval => return Err(unapproved()),
        }
        self.handle(id, slots, request, session).await
    }

    pub(crate) fn read<'r>(&self, id: usize, request: &ToolCall<'r>) -> Result<Slots<'r>, ToolError> {
        args::read(request.arguments(), self.table(id), Limits::default())
    }

    #[cold]
    fn unknown(&self, name: &str) -> ToolError {
        let shown: String = name.chars().take(64).collect();
        let error =
            |hint| ToolError::of(ErrorKind::UnknownTool, format!("there is no tool `{shown}` in this turn: {hint}"));
        if let Some((_, reason)) = self.hidden_ids().find(|&(id, _)| [self.name(id), self.called(id)].contains(&name)) {
            return error(format!("it is not available now: {reason}"));
        }
        // A tool whose own name is not what this dialect calls it.
        let own = self.state().find(name).map(|id| self.called(id)).filter(|called| self.find(called).is_some());
        let near = own.map_or_else(|| nearest(name, self.callable()), |called| vec![called]);
        error(if near.is_empty() {
            match self.callable().collect::<Vec<_>>() {
                all if all.is_empty() => "no tool is enabled".to_owned(),
                all if all.len() <= 20 => format!("the tools are: {}", all.join(", ")),
                all => format!("{} tools are enabled; call one of those that were listed", all.len()),
            }
        } else {
            format!("did you mean `{}`?", near.join("` or `"))
        })
    }
}

/// The answer where somebody has to approve a call, and there is nobody.
fn unapproved() -> ToolError {
    ToolError::of(ErrorKind::Refused, "this call needs approval, and this host has nobody to ask. Do without this tool")
}

#[cfg(test)]
mod tests;
