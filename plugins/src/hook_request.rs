//! One question to the program of a hook: what to do with a call, or with its result.

use std::sync::Arc;
use std::time::Instant;

use toolc::hooks::{HookAction, REDACTED};
use toolc::redaction::Redactor;
use toolc::{Env, ErrorKind, Registry, ToolError, ToolOutput, ToolResult, Value};

use crate::background;
use crate::decision::{Decision, Transformation, contains};
use crate::hook_rules::HookRule;
use crate::plugin::Plugin;
use crate::program;
use toolc_program::parts::Programs;
use toolc_program::parts::{CallOutcome, Request};

/// Shows a failure to the user.
pub(crate) type Warn = dyn Fn(&str) + Send + Sync;

/// What the hooks of a session share.
pub(crate) struct HookContext {
    pub(crate) programs: Programs,
    pub(crate) registry: Registry,
    pub(crate) env: Env,
    pub(crate) home: Option<String>,
    pub(crate) redactor: Redactor,
    pub(crate) warn: Arc<Warn>,
}

impl HookContext {
    /// Returns JSON without the host's secrets.
    pub(crate) fn without_secrets(&self, json: &str) -> Value {
        serde_json::from_str(&self.redactor.text(json)).unwrap_or_else(|_| REDACTED.into())
    }

    /// Returns an error without the host's secrets.
    pub(crate) fn failure(&self, kind: ErrorKind, message: &str) -> CallOutcome {
        CallOutcome::Error { kind: kind.word(), message: self.redactor.text(message).into_owned() }
    }
}

/// A call that a hook sees.
pub(crate) struct HookRequest {
    pub(crate) plugin: Arc<Plugin>,
    pub(crate) context: Arc<HookContext>,
    pub(crate) rule: HookRule,
    pub(crate) tool: String,
    pub(crate) id: String,
    pub(crate) task: String,
    pub(crate) arguments: Value,
    pub(crate) outcome: Option<CallOutcome>,
}

impl HookRequest {
    /// Returns the output of `work` on another thread.
    pub(crate) async fn run<T: Send + 'static>(
        self: Arc<Self>,
        work: fn(&Self, &dyn Fn() -> bool) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        let guard = self.context.programs.calls.start();
        let started = background::run(move |flag| {
            let _guard = guard;
            work(&self, &|| flag.should_stop())
        });
        match started {
            Ok(running) => running.await.unwrap_or_else(|| Err(ToolError::new("its thread panicked"))),
            Err(error) => Err(ToolError::new(format!("failed to start a thread: {error}"))),
        }
    }

    /// Asks the program, at most for the time limit of the hook. Returns its result.
    pub(crate) fn ask(&self, should_stop: &dyn Fn() -> bool) -> Result<Value, ToolError> {
        let request = Request {
            id: None,
            hook: Some(self.rule.stage.word()),
            memory: None,
            tool: &self.tool,
            arguments: &self.arguments,
            call_id: &self.id,
            task: &self.task,
            home: self.context.home.as_deref(),
            outcome: self.outcome.as_ref(),
        };
        let began = Instant::now();
        let is_late = || began.elapsed() >= self.rule.timeout;
        let answer = program::ask(&self.context.programs, &self.plugin, &request, &self.context.env, &|| {
            is_late() || should_stop()
        });
        match answer {
            Ok(answer) => Ok(answer.value),
            Err(error) if error.kind() == ErrorKind::Cancelled && is_late() => {
                Err(ToolError::new(format!("it took longer than {:?}", self.rule.timeout)))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns what to do with a call before it runs.
    pub(crate) fn decide(&self, should_stop: &dyn Fn() -> bool) -> Result<HookAction, ToolError> {
        let mut changes = match Decision::read(self.ask(should_stop)?).map_err(ToolError::new)? {
            Decision::Allow => return Ok(HookAction::Continue),
            Decision::Refuse(reason) => {
                return Ok(HookAction::Block(self.context.redactor.text(&reason).into_owned()));
            }
            Decision::Change(changes) => changes,
        };
        // An argument that is as the hook has seen it stays as it is, also if a secret in it was not shown.
        changes.retain(|name, value| self.arguments.get(name) != Some(value));
        let hides_secret = |name: &str| self.arguments.get(name).is_some_and(|shown| contains(shown, REDACTED));
        if let Some((name, _)) = changes.iter().find(|(name, value)| hides_secret(name) && contains(value, REDACTED)) {
            return Err(ToolError::new(format!(
                "it changed the argument `{name}`, which has a secret that it does not see: it must repeat such an argument \
                 unchanged, or replace all of it"
            )));
        }
        Ok(if changes.is_empty() { HookAction::Continue } else { HookAction::Change(changes) })
    }

    /// Returns a new result, or `None` to keep the result.
    pub(crate) fn transform(&self, should_stop: &dyn Fn() -> bool) -> Result<Option<ToolResult>, ToolError> {
        let context = &self.context;
        Ok(match Transformation::read(self.ask(should_stop)?).map_err(ToolError::new)? {
            Transformation::Keep => None,
            Transformation::Replace(value) => Some(ToolOutput::json(&context.without_secrets(&value.to_string()))),
            Transformation::Fail(message) => Some(Err(ToolError::new(context.redactor.text(&message)))),
        })
    }

    /// Shows a failure of the hook to the user.
    pub(crate) fn warn(&self, message: &str) {
        let (title, stage, tool) = (self.plugin.title(), self.rule.stage.word(), &self.tool);
        let text = format!("the hook `{stage}` of {title} failed for a call of `{tool}`: {message}");
        (self.context.warn)(&self.context.redactor.text(&text));
    }
}
