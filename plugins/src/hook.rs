//! The hooks of one plugin in one session.
//!
//! A hook can only restrict: it can refuse a call and replace arguments, which are then validated and judged like those of the model.
//! There is no reply that approves anything. Programs see no secrets of the host: neither in arguments nor in results.

use std::sync::Arc;
use std::sync::mpsc::{self, SyncSender};
use std::thread;

use toolc::hooks::{CallInfo, Hook, HookAction, TransformFuture};
use toolc::{CallResponse, ToolError, ToolResult};

use crate::hook_request::{HookContext, HookRequest};
use crate::hook_rules::HookRule;
use crate::plugin::Plugin;
use toolc_program::parts::CallOutcome;
use toolc_program::parts::RunningCallGuard;

/// The maximum number of ended calls that wait for a hook.
const MAX_WAITING: usize = 256;

/// The hooks of a plugin.
pub(crate) struct PluginHook {
    title: String,
    plugin: Arc<Plugin>,
    context: Arc<HookContext>,
    /// The thread that shows ended calls to the program, in their order. Calls do not wait for it.
    ended: Option<SyncSender<(HookRequest, RunningCallGuard)>>,
}

impl PluginHook {
    pub(crate) fn new(plugin: Arc<Plugin>, context: Arc<HookContext>) -> Self {
        let ended = plugin.hooks.after.as_ref().and_then(|_| {
            let (sender, receiver) = mpsc::sync_channel::<(HookRequest, RunningCallGuard)>(MAX_WAITING);
            let thread = thread::Builder::new().name("hook of a plugin".to_owned());
            let started = thread.spawn(move || {
                for (request, _guard) in receiver {
                    if let Err(error) = request.ask(&|| false) {
                        request.warn(error.message());
                    }
                }
            });
            started.ok().map(|_| sender)
        });
        Self { title: plugin.title().to_owned(), plugin, context, ended }
    }

    /// Returns the request about a call, if the hook with this rule sees it.
    fn request(
        &self,
        rule: Option<&HookRule>,
        call: &CallInfo<'_>,
        outcome: impl FnOnce(&HookContext) -> Option<CallOutcome>,
    ) -> Option<HookRequest> {
        let rule = rule.filter(|rule| rule.is_about(call.tool(), &self.context.registry))?;
        Some(HookRequest {
            plugin: Arc::clone(&self.plugin),
            context: Arc::clone(&self.context),
            rule: rule.clone(),
            tool: call.tool().to_owned(),
            id: call.id().to_owned(),
            task: call.task().to_owned(),
            arguments: self.context.without_secrets(&call.arguments().to_string()),
            outcome: outcome(&self.context),
        })
    }
}

impl Hook for PluginHook {
    fn name(&self) -> &str {
        &self.title
    }

    fn changes_arguments(&self) -> bool {
        self.plugin.hooks.before.is_some()
    }

    fn changes_arguments_of(&self, tool: &str) -> bool {
        self.plugin.hooks.before.as_ref().is_some_and(|rule| rule.is_about(tool, &self.context.registry))
    }

    fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
        let request = self.request(self.plugin.hooks.before.as_ref(), call, |_| None);
        let Some(request) = request.map(Arc::new) else { return Ok(HookAction::Continue) };
        Ok(HookAction::Async(Box::pin(async move {
            match Arc::clone(&request).run(HookRequest::decide).await {
                Err(error) if !request.rule.required => {
                    request.warn(error.message());
                    Ok(HookAction::Continue)
                }
                decided => decided,
            }
        })))
    }

    fn transform_later(&self, call: &CallInfo<'_>, result: &ToolResult) -> Option<TransformFuture> {
        let outcome = |context: &HookContext| match result {
            Ok(output) => Some(CallOutcome::Result(context.without_secrets(output.as_json()))),
            Err(error) => Some(context.failure(error.kind(), error.message())),
        };
        let request = Arc::new(self.request(self.plugin.hooks.transform.as_ref(), call, outcome)?);
        let before = result.as_ref().ok().cloned();
        Some(Box::pin(async move {
            match Arc::clone(&request).run(HookRequest::transform).await {
                Ok(Some(Ok(output))) => Ok(Some(match before {
                    Some(before) => output.with_parts_of(&before),
                    None => Ok(output),
                })),
                Ok(kept) => Ok(kept),
                Err(error) => {
                    request.warn(error.message());
                    // Without the hook, the model could see what it must not.
                    let withheld = "the call was run, but its result is withheld: a check of this host failed, which the call did \
                                    not cause. Its effects are not undone";
                    Ok(request.rule.required.then(|| Err(ToolError::new(withheld))))
                }
            }
        }))
    }

    fn after_call(&self, call: &CallInfo<'_>, response: &CallResponse) -> Result<(), ToolError> {
        let outcome = |context: &HookContext| {
            let value = context.without_secrets(&response.json);
            Some(match response.error {
                None => CallOutcome::Result(value),
                Some(kind) => context.failure(kind, value["error"].as_str().unwrap_or_default()),
            })
        };
        let Some(request) = self.request(self.plugin.hooks.after.as_ref(), call, outcome) else { return Ok(()) };
        let guard = self.context.programs.calls.start();
        let Some(ended) = &self.ended else { return Err(ToolError::new("failed to start a thread for it")) };
        ended.try_send((request, guard)).map_err(|_| {
            ToolError::new(format!("it does not see the call, because {MAX_WAITING} ended calls wait for it"))
        })
    }
}
