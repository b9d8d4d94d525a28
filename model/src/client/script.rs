//! A model that answers with prepared texts and calls, to try an agent without a key.
//!
//! A script is a file of JSON lines. Each line is one answer:
//!
//! ```json
//! {"text": "Let me see.", "calls": [{"name": "read_file", "arguments": {"path": "a.txt"}}], "usage": {"input": 900, "output": 20}}
//! {"text": "It is empty."}
//! ```
//!
//! An answer with `for` is only for conversations whose first message contains that text, such as the conversations of helpers.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use toolc::wire::{self, ModelResponse};

use crate::error::{ErrorKind, ModelError};
use crate::request::Request;

use super::answer::Event;

/// The maximum size of a file.
const MAX_BYTES: u64 = 16 << 20;
/// The longest time that an answer waits.
const MAX_WAIT_MS: u64 = 600_000;

/// Prepared answers, which a [`Client`](crate::Client) gives instead of asking a model. The default has no answers.
#[derive(Debug, Default)]
pub struct Script {
    answers: Arc<[Scripted]>,
    next: AtomicUsize,
}

/// A line of a script.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Scripted {
    #[serde(default)]
    text: String,
    #[serde(default)]
    calls: Vec<ScriptedCall>,
    /// The answer is this error.
    error: Option<String>,
    usage: Option<ScriptedUsage>,
    /// The time before the answer begins.
    #[serde(default)]
    wait_ms: u64,
    /// The size of the context of the model. Only in the first line.
    context_tokens: Option<u32>,
    /// The answer is for conversations whose first message contains this text. A conversation without such answers gets the answers without
    /// `for`.
    r#for: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedCall {
    name: String,
    /// The arguments, or a string with them, as a model writes it.
    #[serde(default)]
    arguments: Value,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedUsage {
    #[serde(default)]
    input: u64,
    #[serde(default)]
    cached: u64,
    #[serde(default)]
    output: u64,
}

/// The reason why a script cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptError(String);

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ScriptError {}

impl Script {
    /// Reads a script from a file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, is larger than 16 MiB, or has a line that is not an answer.
    pub fn read(path: &Path) -> Result<Self, ScriptError> {
        let shown = path.display();
        let failed = |error: &dyn fmt::Display| ScriptError(format!("failed to read the script {shown}: {error}"));
        let mut text = String::new();
        let file = File::open(path).map_err(|error| failed(&error))?;
        file.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(|error| failed(&error))?;
        if text.len() as u64 > MAX_BYTES {
            return Err(failed(&format!("it is larger than {MAX_BYTES} bytes")));
        }
        Self::parse(&text).map_err(|error| ScriptError(format!("{shown}: {error}")))
    }

    /// Reads a script. Blank lines are ignored.
    ///
    /// # Errors
    /// Returns an error with the number of the first line that is not an answer.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let answers = lines.map(|(index, line)| {
            serde_json::from_str::<Scripted>(line).map_err(|error| {
                // serde counts lines of the text that it gets, which is always line 1.
                let error = error.to_string();
                let error = error.split(" at line ").next().unwrap_or_default().to_owned();
                ScriptError(format!("line {}: expected an answer such as {{\"text\": \"...\"}}: {error}", index + 1))
            })
        });
        Ok(Self { answers: answers.collect::<Result<_, _>>()?, next: AtomicUsize::new(0) })
    }

    /// Returns the same script at its first answer.
    pub(crate) fn restarted(&self) -> Self {
        Self { answers: Arc::clone(&self.answers), next: AtomicUsize::new(0) }
    }

    /// Returns the answers for a conversation whose first message has the JSON `first`.
    fn answers_for(&self, first: &str) -> Vec<&Scripted> {
        let is_for = |answer: &&Scripted| {
            let json = answer.r#for.as_ref().map(|text| Value::from(text.as_str()).to_string());
            json.is_some_and(|json| first.contains(json.trim_matches('"')))
        };
        let own: Vec<&Scripted> = self.answers.iter().filter(is_for).collect();
        if own.is_empty() { self.answers.iter().filter(|answer| answer.r#for.is_none()).collect() } else { own }
    }

    pub(crate) fn context_tokens(&self) -> Option<u32> {
        self.answers.first()?.context_tokens
    }

    /// Returns the next answer.
    pub(crate) async fn answer(
        &self,
        request: &Request<'_>,
        on_event: &mut (dyn FnMut(Event<'_>) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let answers = self.answers_for(request.messages.first().map_or("", |message| message.get()));
        let Some(answer) = answers.get(number) else {
            let message = format!("the script has no more answers: it has {}", answers.len());
            return Err(ModelError::new(ErrorKind::Script, message));
        };
        if answer.wait_ms > 0 {
            tokio::time::sleep(Duration::from_millis(answer.wait_ms.min(MAX_WAIT_MS))).await;
        }
        if let Some(error) = &answer.error {
            let is_overflow = error == "context_overflow";
            let kind = if is_overflow { ErrorKind::ContextOverflow } else { ErrorKind::Script };
            return Err(ModelError::new(kind, format!("the script fails here: {error}")));
        }
        for part in answer.text.split_inclusive(' ') {
            on_event(Event::Text(part));
        }
        wire::Api::ChatCompletions.parse(&answer.body(number + 1)).map_err(|error| {
            ModelError::new(ErrorKind::Script, format!("answer {} of the script: {error}", number + 1))
        })
    }
}

impl Scripted {
    /// Returns the answer as a server would send it.
    fn body(&self, number: usize) -> String {
        let call = |(index, call): (usize, &ScriptedCall)| {
            let arguments = match &call.arguments {
                Value::String(text) => text.clone(),
                Value::Null => "{}".to_owned(),
                other => other.to_string(),
            };
            let function = json!({ "name": call.name, "arguments": arguments });
            json!({ "id": format!("call_{number}_{}", index + 1), "type": "function", "function": function })
        };
        let calls: Vec<Value> = self.calls.iter().enumerate().map(call).collect();
        let mut message = json!({ "role": "assistant", "content": self.text });
        if !calls.is_empty() {
            message["tool_calls"] = calls.into();
        }
        let mut body = json!({ "choices": [{ "message": message, "finish_reason": "stop" }] });
        if let Some(ScriptedUsage { input, cached, output }) = self.usage {
            let details = json!({ "cached_tokens": cached });
            body["usage"] =
                json!({ "prompt_tokens": input, "completion_tokens": output, "prompt_tokens_details": details });
        }
        body.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_gets_the_answers_for_its_first_message() {
        let lines = r#"{"text":"a"}
{"text":"b","for":"say \"b\""}
{"text":"c"}"#;
        let script = Script::parse(lines).expect("it is a script");
        let texts = |first: &str| -> Vec<&str> {
            script.answers_for(first).into_iter().map(|answer| answer.text.as_str()).collect()
        };
        assert_eq!(texts(r#"{"role":"user","content":"Please say \"b\"."}"#), ["b"]);
        assert_eq!(texts(r#"{"role":"user","content":"Please say b."}"#), ["a", "c"]);
    }

    #[test]
    fn a_line_that_is_not_an_answer_is_an_error_with_its_number() {
        for (text, expected) in [
            (
                "{\"text\":\"a\"}\n\n{\"txet\":\"a\"}",
                "line 3: expected an answer such as {\"text\": \"...\"}: unknown field `txet`",
            ),
            ("no", "line 1: expected an answer"),
            (r#"{"calls":[{}]}"#, "missing field `name`"),
        ] {
            let error = Script::parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
