//! `toolc why`: explains why a tool is shown or hidden and which permissions are about it, or what happened in a recorded call.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use serde_json::{Value, json};
use toolc::suggest::suggestion;
use toolc_cli::View;
use toolc_config::Home;
use toolc_store::{CallName, CallRecord, Database, MessageKind, Sessions};

use super::{permissions, run_tools};
use crate::agent::calls::{CallDetails, PERSON, StoredDecision, StoredShortening};
use crate::agent::conversation::{CallResult, StoredCall};
use crate::agent::resume::find_to_resume;
use crate::ground::error::{Error, Result};
use crate::ground::{ask, show, time};
use crate::options::ToolOptions;

/// The last part of the help.
const EXIT_STATUS: &str = "\
The calls of recorded conversations are in state.db in TOOLC_HOME. `toolc sessions show` shows their ids.

Exit status:
  0  the tool is shown, or the call was found; the verdict about `--args` changes nothing
  1  the tool is not shown
  2  the command line is wrong, no call was found, or state.db cannot be used";

/// The maximum number of calls that a message lists.
const MAX_LISTED: usize = 5;

/// The arguments of `why`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub(crate) struct WhyArgs {
    /// The name of the tool.
    #[arg(required_unless_present = "call")]
    tool: Option<String>,
    /// What the model is shown.
    #[command(flatten)]
    view: View,
    /// Also show what the permissions say about a call with these arguments: a JSON object. Nothing is run.
    #[arg(long, value_name = "JSON", conflicts_with = "call")]
    args: Option<String>,
    /// Explain the recorded call with this id, or whose id begins so.
    #[arg(
        long, value_name = "ID", value_parser = NonEmptyStringValueParser::new(),
        conflicts_with_all = ["tool", "Selection", "View"]
    )]
    call: Option<String>,
    /// The conversation of the call: its name, or the beginning of its name. Default: any.
    #[arg(long, value_name = "SESSION", requires = "call", conflicts_with = "tool")]
    session: Option<String>,
    /// Print one line of JSON.
    #[arg(long)]
    json: bool,
}

impl WhyArgs {
    /// Runs the command.
    pub(crate) fn run(self, options: &ToolOptions, home: Home) -> Result<ExitCode> {
        let Self { tool, view, args, call, session, json } = self;
        match (call, tool) {
            (Some(call), _) => explain_call(&home, &call, session.as_deref(), json).map(|()| ExitCode::SUCCESS),
            (None, tool) => {
                let tool = tool.unwrap_or_default();
                let arguments = args.as_deref().map(permissions::arguments).transpose()?;
                run_tools::why(options, home, toolc_cli::WhyArgs { tool, view, json }, arguments)
            }
        }
    }
}

/// Prints what is known about a recorded call.
fn explain_call(home: &Home, id: &str, session: Option<&str>, as_json: bool) -> Result<()> {
    let sessions = Sessions::new(Arc::new(Database::new(home.state())));
    let session = session.map(|name| find_to_resume(&sessions, Some(name), Path::new(""))).transpose()?;
    let name = find(&sessions, id, session.as_ref().map(|info| &*info.name))?;
    let calls = read(&sessions, &name)?;
    if as_json {
        let calls: Vec<Value> = calls.iter().map(ExplainedCall::json).collect();
        return ask::print(&format!("{}\n", json!({ "session": name.session, "call": name.call, "calls": calls })));
    }
    let mut text =
        format!("call {} of the conversation {}\n", show::one_line(&name.call), show::one_line(&name.session));
    for (index, call) in calls.iter().enumerate() {
        if index > 0 {
            text += "\nanother call with this id\n";
        }
        for (label, value) in call.rows() {
            let _ = writeln!(text, "  {label:<12} {}", show::one_line(&value));
        }
    }
    ask::print(&text)
}

/// Returns the only call whose id begins with `id`.
fn find(sessions: &Sessions, id: &str, session: Option<&str>) -> Result<CallName> {
    let mut found = sessions.find_calls(id, session)?;
    let listed = |calls: &[CallName]| -> String {
        let listed = calls
            .iter()
            .take(MAX_LISTED)
            .map(|found| format!("{} ({}, {}, in {})", found.call, found.tool, time::text(found.time), found.session));
        listed.collect::<Vec<_>>().join("; ")
    };
    match &found[..] {
        [] => {
            let latest = sessions.find_calls("", session)?;
            let similar = suggestion(id, latest.iter().map(|call| &*call.call));
            let end = if similar.is_empty() { "." } else { "" };
            let latest = match &latest[..] {
                [] => "No call is recorded".to_owned(),
                latest => format!("The latest recorded calls are {}", listed(latest)),
            };
            Err(Error::Invalid(format!(
                "no recorded call has an id that begins with `{id}`{similar}{end} {latest}. Calls of `toolc call`, \
                 `toolc repl` and MCP clients are not recorded"
            )))
        }
        [_] => Ok(found.remove(0)),
        several => Err(Error::Invalid(format!(
            "{} calls have an id that begins with `{id}`: type more of the id, or add `--session`; the latest are {}",
            several.len(),
            listed(several)
        ))),
    }
}

/// Reads what is known about the calls with an id. Some servers use an id again in the same conversation.
fn read(sessions: &Sessions, name: &CallName) -> Result<Vec<ExplainedCall>> {
    let CallName { session, call, .. } = name;
    let (mut made, mut ended) = (Vec::new(), Vec::new());
    for message in sessions.messages_of_call(session, call)? {
        if message.kind == MessageKind::Model {
            let calls: Vec<StoredCall> = serde_json::from_str(&message.details).unwrap_or_default();
            made.extend(calls.into_iter().filter(|made| made.id == *call).map(|made| (message.time, made)));
        } else {
            let results: Vec<CallResult> = serde_json::from_str(&message.details).unwrap_or_default();
            ended.extend(results.into_iter().filter(|result| result.id == *call));
        }
    }
    let records = sessions.calls(session, call)?;
    let inside = sessions.calls_inside(session, call)?;
    // The calls inside one call of `tool_call` have its id.
    let count = records.len().max(made.len());
    let record = |at: usize| Some(Recorded::new(records.get((at + records.len()).checked_sub(count)?)?.clone()));
    Ok((0..count)
        .map(|at| ExplainedCall {
            record: record(at),
            made: made.get(at).or(made.last()).cloned(),
            result: ended.get(at).cloned(),
            inside: inside.iter().cloned().map(Recorded::new).collect(),
        })
        .collect())
}

/// A record with its details.
struct Recorded {
    record: CallRecord,
    details: CallDetails,
}

impl Recorded {
    fn new(record: CallRecord) -> Self {
        Self { details: serde_json::from_str(&record.details).unwrap_or_default(), record }
    }
}

/// What is known about one call.
struct ExplainedCall {
    /// `None` for a call of an earlier version, or one whose process was killed.
    record: Option<Recorded>,
    /// The call as the model made it, and when. `None` for a call of a helper or a script.
    made: Option<(SystemTime, StoredCall)>,
    /// The result that the model got, if the call is one of the conversation itself.
    result: Option<CallResult>,
    inside: Vec<Recorded>,
}

impl ExplainedCall {
    fn json(&self) -> Value {
        let made = self.made.as_ref().map(|(made, _)| time::text(*made));
        let Some(Recorded { record, details }) = &self.record else {
            return json!({
                "recorded": false,
                "tool": self.made.as_ref().map(|(_, call)| &call.name),
                "sent": self.made.as_ref().map(|(_, call)| &call.arguments),
                "made": made,
                "has_result": self.result.is_some(),
                "error": self.result.as_ref().and_then(|result| result.error.as_ref()),
            });
        };
        let mut value = json!(details);
        value["recorded"] = true.into();
        value["tool"] = json!(record.tool);
        value["inside"] = json!(record.inside);
        value["made"] = json!(made);
        value["began"] = time::text(record.began).into();
        value["calls_inside"] = self.inside.iter().map(|inside| inside.record.call.clone()).collect();
        value
    }

    /// Returns what is shown to people: labels and texts.
    fn rows(&self) -> Vec<(&'static str, String)> {
        match &self.record {
            Some(recorded) => self.recorded_rows(recorded),
            None => self.known_rows(),
        }
    }

    /// Returns what the messages of the conversation say about a call without a record.
    fn known_rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = Vec::new();
        if let Some((made, call)) = &self.made {
            rows.push(("tool", call.name.clone()));
            rows.push(("sent", call.arguments.clone()));
            rows.push(("time", format!("the model made the call at {}", time::text(*made))));
        }
        rows.push(match &self.result {
            None => ("result", "not recorded".to_owned()),
            Some(CallResult { error: Some(kind), json, .. }) => {
                let message = serde_json::from_str::<Value>(json).ok();
                let message = message.and_then(|error| Some(error["error"].as_str()?.to_owned())).unwrap_or_default();
                ("result", format!("error `{kind}`: {message}"))
            }
            Some(result) => ("result", format!("ok, {}", show::counted(result.json.len(), "byte"))),
        });
        let why = "an earlier version recorded the conversation, or the process ended before the call did";
        rows.push(("not recorded", format!("what ran, repairs, decisions, environment, duration and limits: {why}")));
        rows
    }

    fn recorded_rows(&self, Recorded { record, details }: &Recorded) -> Vec<(&'static str, String)> {
        let mut rows = vec![("tool", tool_text(&record.tool, details.toolset.as_deref()))];
        if let Some(name) = &details.called_as {
            rows.push(("called as", name.clone()));
        }
        rows.push(("made by", maker_text(record, details)));
        rows.push(("sent", details.sent.clone()));
        rows.push(match &details.ran {
            Some(ran) => ("ran", ran.clone()),
            None if details.error.as_deref() == Some("invalid_arguments") => ("ran", "nothing".to_owned()),
            None => ("ran", "as sent".to_owned()),
        });
        rows.extend(details.repairs.iter().map(|repair| ("repair", repair.text.clone())));
        if details.decisions.is_empty() {
            let text = if details.judged { "the command rules allow the call" } else { "the call needs no approval" };
            rows.push(("decision", text.to_owned()));
        }
        rows.extend(details.decisions.iter().map(|decision| ("decision", decision_text(decision))));
        rows.push(("environment", format!("{}, in {}", details.environment, details.directory)));
        rows.push(("time", self.time_text(record, details)));
        rows.push(("limits", limits_text(details)));
        rows.push(("result", result_text(details)));
        rows.extend(self.inside.iter().map(|inside| {
            let Recorded { record, details } = inside;
            ("call inside", format!("{} {}: {}", record.call, record.tool, result_text(details)))
        }));
        rows
    }

    fn time_text(&self, record: &CallRecord, details: &CallDetails) -> String {
        let mut text = format!("began at {}", time::text(record.began));
        let waited = self.made.as_ref().and_then(|(made, _)| record.began.duration_since(*made).ok());
        if let Some(waited) = waited {
            let _ = write!(text, ", {} after the model made it", duration_text(waited));
        }
        let _ = write!(text, "; took {}", duration_text(Duration::from_millis(details.milliseconds)));
        if details.milliseconds_waited > 0 {
            let waited = duration_text(Duration::from_millis(details.milliseconds_waited));
            let _ = write!(text, ", of which it waited {waited} for decisions");
        }
        text
    }
}

fn tool_text(tool: &str, toolset: Option<&str>) -> String {
    match toolset {
        None => tool.to_owned(),
        Some(toolset) => match toolset.strip_prefix("mcp-") {
            Some(server) => format!("{tool}, of the MCP server {server} (toolset {toolset})"),
            None => format!("{tool}, of the toolset {toolset}"),
        },
    }
}

fn maker_text(record: &CallRecord, details: &CallDetails) -> String {
    let maker = match (&*details.caller, &details.helper) {
        (PERSON, _) => "the person, with `!` in the chat",
        ("script", _) => "a script of the model",
        ("program", _) => "a program of the model that the vendor runs",
        (_, Some(helper)) => {
            let call = record.inside.as_deref().unwrap_or_default();
            return format!("the model of {helper}, which the call {call} has started");
        }
        _ => "the model",
    };
    match &record.inside {
        Some(outer) => format!("{maker}, in the call {outer}"),
        None => maker.to_owned(),
    }
}

fn decision_text(decision: &StoredDecision) -> String {
    let reasons = decision.reasons.iter().map(|reason| {
        let text = reason.text.trim_end_matches('.');
        match &reason.rule {
            Some(rule) => format!("{text} (rule `{rule}`)"),
            None => text.to_owned(),
        }
    });
    let by = match &*decision.decided_by {
        "person" => "a person",
        "model" => "the auxiliary model",
        "session" => "an earlier answer for the session",
        "always" => "a permanent approval",
        "mode" => "the mode of approval",
        "rule" => "the rule",
        "unanswered" => "default, because there was no answer",
        other => other,
    };
    let StoredDecision { verdict, decision, time, milliseconds, .. } = decision;
    let waited = duration_text(Duration::from_millis(*milliseconds));
    let reasons = reasons.collect::<Vec<_>>().join("; ");
    format!("verdict {verdict}: {reasons}; {decision} by {by} at {time}, after {waited}")
}

fn limits_text(details: &CallDetails) -> String {
    if details.error.as_deref() == Some("timeout") {
        return "the time limit ended the call".to_owned();
    }
    match &details.shortened {
        None => "none was reached".to_owned(),
        Some(StoredShortening { chars, file: Some(file), .. }) => {
            format!("the model got the beginning of the {chars} characters of the result; all of it is in {file}")
        }
        Some(StoredShortening { chars, missing, file: None }) => {
            format!("the model got the beginning of the {chars} characters of the result; {missing} are lost")
        }
    }
}

fn result_text(details: &CallDetails) -> String {
    match &details.error {
        Some(kind) => format!("error `{kind}`: {}", details.message.as_deref().unwrap_or_default()),
        None => format!("ok, {}", show::counted(details.bytes, "byte")),
    }
}

fn duration_text(time: Duration) -> String {
    if time < Duration::from_secs(1) {
        format!("{} ms", time.as_millis())
    } else {
        format!("{:.1} s", time.as_secs_f64())
    }
}
