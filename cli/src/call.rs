//! `call`: runs one tool, as a model would.

use std::io::{self, Write as _};
use std::sync::Arc;

use clap::Args;
use serde_json::{Map, Value, json, value::RawValue};
use toolc::hooks::{CallInfo, Hook, HostError};
use toolc::limits::SpillStore;
use toolc::redaction::Redactor;
use toolc::{CallResponse, SessionBuilder, Task, ToolCall};

use crate::app::App;
use crate::failure::Failure;
use crate::results::ResultStore;
use crate::secrets::RedactedStore;
use crate::selection::View;
use crate::streams::{Streams, Visible};
use crate::{approver, arguments, report};

/// The tool with which a model reads a long result, if the project has a tool of this name.
const READER: &str = "read_file";

/// The arguments of `call`.
#[derive(Debug, Args)]
#[non_exhaustive]
pub struct CallArgs {
    /// The name of the tool.
    pub tool: String,
    /// The arguments: a JSON object, NAME=VALUE pairs, `@FILE`, or `-` for stdin. Default: none.
    pub arguments: Vec<String>,
    /// The task to which the call belongs.
    #[arg(long, default_value = "default")]
    pub task: String,
    /// Approve the call if it needs approval.
    #[arg(long)]
    pub yes: bool,
    /// Print one line of JSON about the call: its response, the kind of the error, the repairs of the arguments, the number of
    /// images.
    #[arg(long)]
    pub json: bool,
    /// What the model is shown.
    #[command(flatten)]
    pub view: View,
}

impl CallArgs {
    /// Runs the call, and returns whether it succeeded.
    pub(crate) fn run(&self, app: &App, streams: &mut Streams<'_>) -> Result<bool, Failure> {
        let arguments = arguments::read(&self.arguments, streams.input)?;
        // After the arguments, stdin is at its end.
        let can_ask = streams.input_is_terminal;
        let session = session(self.view.selection.session(app)?, app, self.yes, can_ask);
        let turn = self.view.turn_of(session)?;
        let response = turn.call_blocking(&ToolCall::new(&self.tool, &arguments).with_task(&Task::new(&*self.task)));
        if self.json {
            writeln!(streams.out, "{}", describe(&response)?)?;
        } else {
            print(&response, streams)?;
        }
        report::note_if_off(&turn, &app.info(), &self.tool, streams)?;
        Ok(!response.is_error())
    }
}

/// Adds to a session what calls on a command line need: an approver, a store for long results, and warnings about errors of the host.
pub(crate) fn session(session: SessionBuilder, app: &App, yes: bool, can_ask: bool) -> SessionBuilder {
    let redactor = app.redactor();
    let session = app.prepared(session, Arc::clone(&redactor));
    let session = approver::add(session, yes, &app.person, can_ask).hook(Arc::new(HostWarnings(Arc::clone(&redactor))));
    let results = match &app.results {
        Some(make) => Some(make()),
        None => ResultStore::in_cache(&app.name).map(|store| Arc::new(store) as Arc<dyn SpillStore>),
    };
    match results {
        Some(results) if app.registry.tool(READER).is_some() => {
            session.spill_store(Arc::new(RedactedStore::new(results, redactor))).spill_reader(READER)
        }
        _ => session,
    }
}

/// Prints a response: formatted for people on a terminal, otherwise as a model gets it.
pub(crate) fn print(response: &CallResponse, streams: &mut Streams<'_>) -> io::Result<()> {
    if streams.out_is_terminal {
        writeln!(streams.out, "{}", response.pretty_json())?;
    } else {
        writeln!(streams.out, "{}", response.json)?;
    }
    match response.images.len() {
        0 => {}
        1 => writeln!(streams.err, "note: the response also has 1 image")?,
        images => writeln!(streams.err, "note: the response also has {images} images")?,
    }
    match response.attachments.len() {
        0 => Ok(()),
        1 => writeln!(streams.err, "note: the response also has 1 sound or resource"),
        count => writeln!(streams.err, "note: the response also has {count} sounds and resources"),
    }
}

/// Returns the JSON of `call --json`.
fn describe(response: &CallResponse) -> io::Result<String> {
    let kind = response.error.map_or(Value::Null, |kind| json!(kind.word()));
    let mut about = Map::new();
    about.insert("error".to_owned(), kind);
    about.insert("images".to_owned(), response.images.len().into());
    let repairs = response.repairs.iter();
    let repairs =
        repairs.map(|found| json!({ "path": found.path, "rule": found.rule.id(), "from": found.from, "to": found.to }));
    about.insert("repairs".to_owned(), repairs.collect());
    let about = Value::Object(about).to_string();
    // The response keeps its bytes: a value of `serde_json` would lose the order of its keys.
    let response: &RawValue = serde_json::from_str(&response.json)?;
    Ok(format!(r#"{{"response":{response},{}"#, &about[1..]))
}

/// Prints errors of the host to stderr without secrets, since the model does not see them.
pub(crate) struct HostWarnings(pub(crate) Arc<Redactor>);

impl Hook for HostWarnings {
    fn on_host_error(&self, _: &CallInfo<'_>, error: &HostError<'_>) {
        // A failure has no other place where it could be reported.
        let _ = writeln!(Visible(io::stderr()), "warning: {}", self.0.text(&error.to_string()));
    }
}
