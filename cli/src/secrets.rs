//! Keeps secrets out of results: [`SecretFilter`] out of what a call returns, [`RedactedStore`] out of what is stored.

use std::sync::Arc;
use std::{fmt, io};

use serde_json::Value;
use serde_json::value::RawValue;
use toolc::attachment::Attachment;
use toolc::hooks::{CallInfo, Hook};
use toolc::limits::SpillStore;
use toolc::redaction::Redactor;
use toolc::{ToolError, ToolOutput, ToolResult};

/// The hook that replaces secrets in results, before they are stored or reach the caller. The sessions of an [`App`](crate::App) have it.
#[derive(Debug)]
pub struct SecretFilter(Arc<Redactor>);

impl SecretFilter {
    /// Returns a hook that replaces what `redactor` does.
    pub fn new(redactor: Arc<Redactor>) -> Self {
        Self(redactor)
    }
}

impl Hook for SecretFilter {
    fn name(&self) -> &'static str {
        "the filter of secrets"
    }

    fn changes_arguments(&self) -> bool {
        false
    }

    fn transform_result(&self, _: &CallInfo<'_>, result: &ToolResult) -> Result<Option<ToolResult>, ToolError> {
        match result {
            Ok(output) => {
                let redacted = self.0.text(output.as_json());
                let without = |attachment: &Attachment| attachment.map_text(|text| self.0.text(text).into_owned());
                let attachments: Vec<Attachment> = output.attachments().iter().map(without).collect();
                let meta = output.meta().and_then(|meta| without_secrets(meta, &self.0));
                if redacted == output.as_json() && attachments == output.attachments() && meta.as_ref() == output.meta()
                {
                    return Ok(None);
                }
                let json = RawValue::from_string(redacted.into_owned())
                    .map_err(|error| ToolError::new(format!("the result without secrets is not JSON: {error}")))?;
                let images = output.images().iter().cloned();
                let output = images.into_iter().try_fold(ToolOutput::json(&json)?, ToolOutput::with_image)?;
                let output = attachments.into_iter().try_fold(output, ToolOutput::with_attachment)?;
                // The placeholder of a secret can be longer than the secret, and make the metadata too long.
                let with_meta = meta.and_then(|meta| output.clone().with_meta(meta).ok());
                Ok(Some(Ok(with_meta.unwrap_or(output))))
            }
            Err(error) => {
                let message = error.to_string();
                let redacted = self.0.text(&message);
                Ok((redacted != message).then(|| Err(ToolError::with_kind(error.kind(), redacted.into_owned()))))
            }
        }
    }
}

/// Returns a value without secrets, or `None` if the redacted text is no longer JSON.
fn without_secrets(value: &Value, redactor: &Redactor) -> Option<Value> {
    serde_json::from_str(&redactor.text(&value.to_string())).ok()
}

/// A store of long results that removes secrets. Handlers also store texts that no hook has seen.
pub struct RedactedStore {
    results: Arc<dyn SpillStore>,
    redactor: Arc<Redactor>,
}

impl RedactedStore {
    /// Returns a store that keeps texts without secrets in `results`.
    pub fn new(results: Arc<dyn SpillStore>, redactor: Arc<Redactor>) -> Self {
        Self { results, redactor }
    }
}

impl fmt::Debug for RedactedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedactedStore").finish_non_exhaustive()
    }
}

impl SpillStore for RedactedStore {
    fn store(&self, tool: &str, extension: &str, text: &str) -> io::Result<String> {
        self.results.store(tool, extension, &self.redactor.text(text))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use clap::{Args as _, FromArgMatches as _};
    use serde_json::json;
    use toolc::{Dialect, DynamicTool, Env, Registry, ToolCall};

    use super::*;
    use crate::streams::{Streams, tests::Typed};
    use crate::{App, CallArgs, Command, Selection, View};

    /// Returns a host with a tool that returns a variable, which the host has set as a secret.
    fn app() -> App {
        let reveal = DynamicTool::sync("reveal", "Shows the key.", json!({"type": "object"}), |_, call| {
            let key = call.env().var("KEY").unwrap_or_default();
            if call.id() == "fails" {
                return Err(ToolError::new(format!("refused: {key}")));
            }
            ToolOutput::json(&json!({ "key": key, "length": key.len() }))
        });
        let registry = Registry::new();
        registry.add(reveal.build().expect("the tool is valid")).expect("its name is free");
        App::new("secrets-of-a-test", registry).env(Env::empty().with_secret("KEY", "hunter2hunter2"))
    }

    fn run(command: Command, input: &str) -> String {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut streams = Streams {
            input: &mut Typed(Cursor::new(input.as_bytes().to_vec())),
            out: &mut out,
            err: &mut err,
            input_is_terminal: false,
            out_is_terminal: false,
        };
        app().run_on(command, &mut streams);
        String::from_utf8([out, err].concat()).expect("the output is text")
    }

    #[test]
    fn results_of_every_command_have_no_secrets() {
        let expected = "{\"key\":\"[secret]\",\"length\":14}\n";
        let call = CallArgs::augment_args(clap::Command::new("call")).get_matches_from(["call", "reveal"]);
        let call = CallArgs::from_arg_matches(&call).expect("the arguments are right");
        assert_eq!(run(Command::Call(call), ""), expected);

        let view = View::augment_args(clap::Command::new("repl")).get_matches_from(["repl"]);
        let view = View::from_arg_matches(&view).expect("no argument is required");
        assert_eq!(run(Command::Repl { view, yes: false }, "reveal\n"), expected);

        let served = app().served_session(&Selection::default(), false).expect("there are no facts");
        let turn = served.build().expect("the session is valid").turn_blocking(Dialect::Mcp);
        let failed = turn.call_blocking(&ToolCall::new("reveal", "{}").with_id("fails"));
        assert!(failed.json.contains("refused: [secret]"), "{}", failed.json);
    }
}
