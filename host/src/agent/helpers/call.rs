//! Runs the calls of `delegate_task`.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use serde_json::{Value, json};
use toolc::{ErrorKind, ToolCall, ToolError, ToolOutput, ToolResult, Turn};
use toolc_catalog::delegation::delegate_task::{Action, Args, Role, TasksItemRole};

use super::helper::{Helper, Job, OutputSchema, WaitingCall};
use super::narrow::invalid;
use super::{Helpers, narrow};

/// Stops helpers when the call that waits for them is dropped.
struct StopOnDrop<'h>(&'h [Arc<Helper>]);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.iter().for_each(|helper| helper.stop());
    }
}

impl Helpers {
    /// Runs a call of `delegate_task`, which was made in `turn`.
    pub(in crate::agent) async fn run(&self, args: Args, request: ToolCall<'_>, turn: &Turn) -> ToolResult {
        check(&args)?;
        match args.action {
            Action::Spawn => self.spawn(args, request.id(), turn).await,
            Action::List => {
                let helpers: Vec<Value> = self.all().iter().map(|helper| helper.json()).collect();
                let results = helpers.into_iter().map(without_results).collect();
                reply(results, None)
            }
            Action::Read => self.read(args.helper_id.as_deref(), args.wait).await,
            Action::Steer => self.steer(&args.helper_id.unwrap_or_default(), &args.message.unwrap_or_default()),
            Action::Stop => {
                let helpers = self.find(args.helper_id.as_deref())?;
                for helper in &helpers {
                    helper.stop();
                }
                for helper in &helpers {
                    helper.wait_for_end().await;
                }
                let taken = self.take(&helpers);
                reply(helpers.iter().map(|helper| helper_json(helper, &taken)).collect(), None)
            }
        }
    }

    async fn spawn(&self, args: Args, id: &str, turn: &Turn) -> ToolResult {
        let is_background = args.background;
        let jobs = self.jobs(args, turn)?;
        if is_background {
            let helpers = self.start(jobs, id, None).map_err(|error| ToolError::new(error.to_string()))?;
            let note = "The helpers work in the background. You are notified when one has ended. Read the results before your last answer: \
                        the helpers end with the conversation.";
            return reply(helpers.iter().map(|helper| helper.json()).collect(), Some(note));
        }
        let call = Arc::new(WaitingCall { id: id.to_owned(), total: jobs.len(), ended: AtomicUsize::new(0) });
        let helpers = self.start(jobs, id, Some(&call)).map_err(|error| ToolError::new(error.to_string()))?;
        let waiting = StopOnDrop(&helpers);
        for helper in waiting.0 {
            helper.wait_for_end().await;
        }
        reply(helpers.iter().map(|helper| helper.json()).collect(), None)
    }

    async fn read(&self, id: Option<&str>, wait: bool) -> ToolResult {
        let helpers = self.find(id)?;
        if wait {
            for helper in &helpers {
                helper.wait_for_end().await;
            }
        }
        let (ended, running): (Vec<_>, Vec<_>) =
            helpers.iter().cloned().partition(|helper| helper.status().has_ended());
        let taken = self.take(&ended);
        let is_lost =
            |helper: &&Arc<Helper>| ended.iter().any(|ended| is_same(ended, helper)) && !is_in(helper, &taken);
        if let Some(helper) = helpers.iter().find(is_lost)
            && id.is_some()
        {
            return Err(no_result(&helper.id, "another call has read it"));
        }
        let results = helpers.iter().filter(|helper| !is_lost(helper)).map(|helper| helper.json()).collect();
        reply(results, (!running.is_empty()).then_some("Results of helpers that are running can be read later."))
    }

    fn steer(&self, id: &str, message: &str) -> ToolResult {
        let helpers = self.find(Some(id))?;
        let Some(helper) = helpers.first().filter(|helper| !helper.status().has_ended()) else {
            return Err(ToolError::new(format!("{id} has ended: read its result, and start another helper")));
        };
        helper.steer(&self.base, message.trim());
        reply(vec![without_results(helper.json())], Some("The helper gets the message with its next results."))
    }

    /// Returns the helper with this id, or all helpers in the background.
    fn find(&self, id: Option<&str>) -> Result<Vec<Arc<Helper>>, ToolError> {
        let all = self.all();
        let Some(id) = id else { return Ok(all.iter().filter(|helper| helper.is_background).cloned().collect()) };
        if let Some(helper) = all.iter().find(|helper| helper.id == id) {
            return Ok(vec![Arc::clone(helper)]);
        }
        let known: Vec<&str> = all.iter().map(|helper| helper.id.as_str()).collect();
        let known =
            if known.is_empty() { "there are none".to_owned() } else { format!("there are {}", known.join(", ")) };
        Err(no_result(id, &known))
    }

    /// Returns the jobs of the helpers to start.
    fn jobs(&self, args: Args, turn: &Turn) -> Result<Vec<Job>, ToolError> {
        let Args { goal, context, role, tasks, toolsets, output_schema, .. } = args;
        let tools = |toolsets: Option<&[String]>, path: &str, levels| match toolsets {
            Some(toolsets) => narrow::tools(toolsets, path, levels, &self.base.registry, turn).map(Some),
            None => Ok(None),
        };
        let schema = |schema: Option<&Value>, path: &str| match schema {
            Some(schema) => OutputSchema::new(schema)
                .map(Some)
                .map_err(|problem| invalid(path, "a JSON Schema that can be checked", &problem)),
            None => Ok(None),
        };
        let default_schema = output_schema.map(|schema| json!(schema));
        let default_levels = self.levels_for(role == Role::Orchestrator);
        let Some(tasks) = tasks else {
            let goal = goal.unwrap_or_default();
            let (schema, levels) = (schema(default_schema.as_ref(), "/output_schema")?, default_levels?);
            let tools = tools(toolsets.as_deref(), "/toolsets", levels)?;
            return Ok(vec![Job { goal, context, schema, levels, tools }]);
        };
        let mut jobs = Vec::with_capacity(tasks.len());
        for (at, task) in tasks.into_iter().enumerate() {
            let path = format!("/tasks/{at}");
            if task.goal.trim().is_empty() {
                return Err(invalid(&format!("{path}/goal"), "the goal of the helper", "only spaces"));
            }
            let levels = match task.role {
                Some(role) => self.levels_for(role == TasksItemRole::Orchestrator)?,
                None => default_levels.clone()?,
            };
            let tools = match &task.toolsets {
                Some(toolsets) => tools(Some(toolsets), &format!("{path}/toolsets"), levels)?,
                None => tools(toolsets.as_deref(), "/toolsets", levels)?,
            };
            let context = [context.clone(), task.context].into_iter().flatten().collect::<Vec<_>>().join("\n\n");
            let (task_schema, path) = match task.output_schema {
                Some(schema) => (Some(json!(schema)), format!("{path}/output_schema")),
                None => (default_schema.clone(), "/output_schema".to_owned()),
            };
            let schema = schema(task_schema.as_ref(), &path)?;
            jobs.push(Job { goal: task.goal, context: Some(context), schema, levels, tools });
        }
        Ok(jobs)
    }

    /// Returns how many levels of helpers may be below a helper.
    fn levels_for(&self, is_orchestrator: bool) -> Result<u32, ToolError> {
        match (is_orchestrator, self.levels) {
            (_, 0) => {
                let message = "this conversation cannot start helpers: do the work yourself";
                Err(ToolError::with_kind(ErrorKind::Refused, message))
            }
            (false, _) => Ok(0),
            (true, 1) => {
                let message = "helpers of this conversation cannot start helpers: use the role leaf";
                Err(ToolError::with_kind(ErrorKind::Refused, message))
            }
            (true, levels) => Ok(levels - 1),
        }
    }
}

/// Checks the rules that the schema of the arguments cannot express.
fn check(args: &Args) -> Result<(), ToolError> {
    let (has_goal, has_tasks) = (args.goal.is_some(), args.tasks.is_some());
    if args.action == Action::Spawn {
        if args.helper_id.is_some() || args.message.is_some() {
            let message = "helper_id and message belong to another action: use steer to send a message to a helper that is running";
            return Err(ToolError::with_kind(ErrorKind::InvalidArguments, message));
        }
        if has_goal == has_tasks {
            let got = if has_goal { "both" } else { "neither" };
            return Err(invalid("", "either goal or tasks", got));
        }
        if args.goal.as_ref().is_some_and(|goal| goal.trim().is_empty()) {
            return Err(invalid("/goal", "the goal of the helper", "only spaces"));
        }
        return Ok(());
    }
    if has_goal || has_tasks || args.background || args.toolsets.is_some() {
        let action = args.action.as_str();
        let message = format!("goal, tasks, toolsets and background belong to the action spawn, not to {action}");
        return Err(ToolError::with_kind(ErrorKind::InvalidArguments, message));
    }
    if args.action == Action::Steer {
        if args.helper_id.is_none() {
            return Err(invalid("/helper_id", "the helper that gets the message", "nothing"));
        }
        if args.message.as_ref().is_none_or(|message| message.trim().is_empty()) {
            return Err(invalid("/message", "the message for the helper", "nothing"));
        }
    }
    Ok(())
}

fn no_result(id: &str, known: &str) -> ToolError {
    ToolError::with_kind(
        ErrorKind::NotFound,
        format!("there is no helper `{id}`, or its result was already read: {known}"),
    )
}

fn is_same(one: &Arc<Helper>, other: &Arc<Helper>) -> bool {
    Arc::ptr_eq(one, other)
}

fn is_in(helper: &Arc<Helper>, helpers: &[Arc<Helper>]) -> bool {
    helpers.iter().any(|one| is_same(one, helper))
}

/// Returns the JSON of a helper. The result is included only if this call has taken it.
fn helper_json(helper: &Arc<Helper>, taken: &[Arc<Helper>]) -> Value {
    if is_in(helper, taken) { helper.json() } else { without_results(helper.json()) }
}

/// Removes the fields that only the action `read` returns.
fn without_results(mut helper: Value) -> Value {
    if let Some(fields) = helper.as_object_mut() {
        fields.retain(|name, _| !["summary", "output", "not_approved"].contains(&name.as_str()));
    }
    helper
}

fn reply(helpers: Vec<Value>, note: Option<&str>) -> ToolResult {
    let mut reply = json!({});
    reply["helpers"] = helpers.into();
    if let Some(note) = note {
        reply["note"] = note.into();
    }
    ToolOutput::json(&reply)
}
