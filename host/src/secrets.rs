//! Keeps the secrets of the profile out of results: [`SecretFilter`] out of what a call returns, [`RedactedStore`] out of what is stored.

use std::io;
use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;
use toolc::attachment::Attachment;
use toolc::hooks::{CallInfo, Hook};
use toolc::limits::SpillStore;
use toolc::redaction::Redactor;
use toolc::{ToolError, ToolOutput, ToolResult};
use toolc_cli::ResultStore;

/// The hook that replaces secrets in results, before they are stored or reach the caller.
pub(crate) struct SecretFilter(pub(crate) Arc<Redactor>);

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
pub(crate) struct RedactedStore {
    pub(crate) results: ResultStore,
    pub(crate) redactor: Arc<Redactor>,
}

impl SpillStore for RedactedStore {
    fn store(&self, tool: &str, extension: &str, text: &str) -> io::Result<String> {
        self.results.store(tool, extension, &self.redactor.text(text))
    }
}
