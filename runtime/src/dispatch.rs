//! The way that a call takes through a turn: to the tool that it names, if that is shown, with arguments that are
//! valid, past the hooks and whoever has to approve it; and back, as one JSON text, whatever happens.

use serde_json::Value;

use crate::args::{self, Arguments, Limits};
use crate::behaviour::Annotations;
use crate::hooks::{self, CallResult, Fault, Stage, Step};
use crate::{
    AgentTask, AgentTools, ApprovalRequest, Call, CallInfo, ErrorKind, Output, Pending, Reply, Slots, ToolCall,
    ToolError, Turn, Why, agent, approval, limit, nearest, panics,
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

/// A call that has come to its end, before anybody has been told.
#[derive(Debug)]
pub(crate) struct Outcome {
    answer: Answer,
    /// The tool's position, if there is one.
    tool: Option<usize>,
    /// What anybody may see of its arguments: null where nobody looks, or they could not be read.
    arguments: Value,
    is_shortened: bool,
}

impl Turn {
    /// Answers a model's call. A panic of the handler, too, ends in an answer.
    pub async fn call(&self, request: &ToolCall<'_>) -> Answer {
        let outcome = self.outcome(request).await;
        self.told(request, outcome)
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
    ///     match turn.agent_call(request).await {
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
    pub async fn agent_call<A: AgentTools>(&self, request: &ToolCall<'_>) -> Option<Result<AgentTask<A>, Answer>> {
        let id = self.find(request.name())?;
        if !self.state().tools[id].way.is_agents {
            return None;
        }
        let mut arguments = Value::Null;
        let read = async {
            let slots = self.admitted(id, request, &mut arguments).await?;
            Ok(panics::caught(|| A::read(self.name(id), slots))?)
        };
        match read.await {
            Ok(call) => {
                Some(Ok(AgentTask { call: call?, pending: Pending::new(self.clone(), id, request, arguments) }))
            }
            Err(error) => {
                let outcome = self.ended(Some(id), request, arguments, Err(error));
                Some(Err(self.told(request, outcome)))
            }
        }
    }

    /// Runs a call to its end. What a batch comes to is held against the turn's budget before anybody is
    /// [`told`](Self::told).
    pub(crate) async fn outcome(&self, request: &ToolCall<'_>) -> Outcome {
        let mut arguments = Value::Null;
        let tool = self.find(request.name());
        let result = match tool {
            Some(id) => self.run(id, request, &mut arguments).await,
            None => Err(self.unknown(request.name())),
        };
        self.ended(tool, request, arguments, result)
    }

    async fn run(&self, id: usize, request: &ToolCall<'_>, shown: &mut Value) -> CallResult {
        if self.state().tools[id].way.is_agents {
            return Err(agent::not_here());
        }
        let slots = self.admitted(id, request, shown).await?;
        let (provider, index) = self.state().provider(id);
        let call = Call::of(self.name(id), *request);
        let result = match panics::caught(|| provider.call(index, slots, &call)) {
            Ok(Reply::Ready(result)) => result,
            Ok(Reply::Later(future)) => panics::Caught(future).await.unwrap_or_else(|panicked| Err(panicked.into())),
            Err(panicked) => Err(panicked.into()),
        };
        self.transformed(id, request, shown, result)
    }

    /// The arguments of a call that may be run. Where nobody looks at it, nothing is made but them.
    async fn admitted<'r>(&self, id: usize, request: &ToolCall<'r>, shown: &mut Value) -> Result<Slots<'r>, ToolError> {
        if self.host().hooks.is_empty() && !self.state().tools[id].way.is_asked {
            return args::read(request.arguments(), self.table(id), Limits::default());
        }
        Box::pin(self.looked_at(id, request, shown)).await
    }

    /// The same where somebody does.
    async fn looked_at(
        &self,
        id: usize,
        request: &ToolCall<'_>,
        shown: &mut Value,
    ) -> Result<Slots<'static>, ToolError> {
        let (host, table, limits) = (self.host(), self.table(id), Limits::default());
        let mut arguments = Arguments::read(request.arguments(), table, limits)?;
        *shown = arguments.shown(table, limits);
        let mut why = Vec::from_iter(self.state().tools[id].way.is_asked.then_some(Why::Declared));
        for hook in &host.hooks {
            let failed = |info: &CallInfo<'_>, message: &str| {
                host.note(info, &Fault { part: hook.name(), stage: Stage::BeforeCall, message });
                ToolError::of(
                    ErrorKind::HookFailed,
                    "the call was not run: a check of this host failed, for no fault of the call's. Do without it, or \
                     try again later",
                )
            };
            let info = self.info(Some(id), request, shown);
            let mut step = hooks::attempt(|| hook.before_call(&info));
            while let Ok(Step::Later(future)) = step {
                step = match panics::Caught(future).await {
                    Ok(step) => step.map_err(|error| error.message().to_owned()),
                    Err(panicked) => Err(panicked.0),
                };
            }
            match step.map_err(|message| failed(&info, &message))? {
                Step::Continue | Step::Later(_) => {}
                Step::Change(some) => {
                    let changed = arguments.change(some, table, limits);
                    arguments = changed.map_err(|error| failed(&info, error.message()))?;
                    *shown = arguments.shown(table, limits);
                }
                Step::Block(reason) => {
                    let text = format!("this host does not allow the call: {reason}");
                    return Err(ToolError::of(ErrorKind::Blocked, text));
                }
                Step::Ask(reason) => why.push(Why::Hook(reason)),
            }
        }
        let why = host.allowed.unsettled(self.name(id), why);
        if !why.is_empty() {
            let info = self.info(Some(id), request, shown);
            let asked =
                approval::ask(host.approver.as_deref(), &host.allowed, ApprovalRequest { call: info, why: &why });
            asked.await.map_err(|(error, fault)| {
                if let Some(message) = &fault {
                    host.note(&info, &Fault { part: "the approver", stage: Stage::Approval, message });
                }
                error
            })?;
        }
        Ok(arguments.into_slots(table, limits))
    }

    /// What the model gets of a result that the agent's own loop came to.
    pub(crate) fn finished(&self, id: usize, request: &ToolCall<'_>, arguments: Value, result: CallResult) -> Answer {
        let result = self.transformed(id, request, &arguments, result);
        let outcome = self.ended(Some(id), request, arguments, result);
        self.told(request, outcome)
    }

    /// What the hooks make of a result.
    fn transformed(&self, id: usize, request: &ToolCall<'_>, shown: &Value, mut result: CallResult) -> CallResult {
        for hook in &self.host().hooks {
            let info = self.info(Some(id), request, shown);
            match hooks::attempt(|| hook.transform_result(&info, &result)) {
                Ok(None) => {}
                Ok(Some(other)) => result = other,
                Err(message) => {
                    let fault = Fault { part: hook.name(), stage: Stage::TransformResult, message: &message };
                    self.host().note(&info, &fault);
                }
            }
        }
        result
    }

    /// The text that a result comes to, within the tool's limit.
    fn ended(&self, tool: Option<usize>, request: &ToolCall<'_>, arguments: Value, result: CallResult) -> Outcome {
        let mut outcome = Outcome { answer: Answer::of(result), tool, arguments, is_shortened: false };
        if !outcome.answer.is_error {
            let most = self.most(tool);
            if limit::is_over(&outcome.answer.json, most) {
                self.shorten(request, &mut outcome, most);
            }
        }
        outcome
    }

    /// Shortens results until all of a batch keep to the turn's budget.
    #[allow(dead_code, reason = "for batches")]
    pub(crate) fn keep_to_budget(&self, requests: &[ToolCall<'_>], outcomes: &mut [Outcome]) {
        let (most, is_kept) = (self.host().limits.per_turn, self.host().spill.is_some());
        let size = |outcome: &Outcome| {
            let may_be_shortened = !outcome.answer.is_error && !outcome.is_shortened && self.most(outcome.tool) <= most;
            (outcome.answer.json.chars().count(), may_be_shortened)
        };
        let sizes: Vec<(usize, bool)> = outcomes.iter().map(size).collect();
        for (at, most) in limit::over_budget(&sizes, most, is_kept) {
            self.shorten(&requests[at], &mut outcomes[at], most);
        }
    }

    /// Tells the hooks what the model gets.
    pub(crate) fn told(&self, request: &ToolCall<'_>, outcome: Outcome) -> Answer {
        let Outcome { answer, tool, arguments, .. } = outcome;
        for hook in &self.host().hooks {
            let info = self.info(tool, request, &arguments);
            if let Err(message) = hooks::attempt(|| hook.after_call(&info, &answer)) {
                self.host().note(&info, &Fault { part: hook.name(), stage: Stage::AfterCall, message: &message });
            }
        }
        answer
    }

    fn most(&self, tool: Option<usize>) -> usize {
        let own = tool.and_then(|id| self.state().tools[id].way.most);
        own.map_or(self.host().limits.per_call, |most| usize::try_from(most).unwrap_or(usize::MAX))
    }

    #[cold]
    fn shorten(&self, request: &ToolCall<'_>, outcome: &mut Outcome, most: usize) {
        let info = self.info(outcome.tool, request, &outcome.arguments);
        let (json, fault) = limit::shorten(&outcome.answer.json, most, info.tool, self.host().spill.as_deref());
        if let Some(message) = &fault {
            self.host().note(&info, &Fault { part: "the spill", stage: Stage::Spill, message });
        }
        outcome.answer.json = json;
        outcome.is_shortened = true;
    }

    fn info<'i>(&'i self, tool: Option<usize>, request: &ToolCall<'i>, arguments: &'i Value) -> CallInfo<'i> {
        CallInfo {
            tool: tool.map_or(request.name(), |id| self.name(id)),
            id: request.id(),
            task: request.task(),
            annotations: tool.map_or(Annotations::DEFAULT, |id| self.state().tool(id).behaviour.annotations),
            arguments,
        }
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

#[cfg(test)]
mod tests;
