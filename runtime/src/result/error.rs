//! Errors of calls, which the model gets as JSON.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use serde_json::Value;

use crate::panics::Panicked;
use crate::result::scrub::{self, scrub};
use crate::text::json;

/// The maximum length of each text of a problem, in characters. Problems contain keys that the model made up.
const MAX_PROBLEM_CHARS: usize = 500;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $word:literal)*) => {
        /// The kind of a [`ToolError`], which programs can match on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $($(#[$doc])* $kind,)*
        }

        impl ErrorKind {
            /// All kinds.
            pub const ALL: &[ErrorKind] = &[$(ErrorKind::$kind),*];

            /// Returns the word for the kind in the JSON of an error: `invalid_arguments`.
            pub const fn word(self) -> &'static str {
                match self {
                    $(ErrorKind::$kind => $word,)*
                }
            }
        }
    };
}

kinds! {
    /// The arguments are not a valid JSON object, or exceed the limits on size and depth.
    MalformedArguments "malformed_arguments"
    /// The arguments do not satisfy the tool's schema: see [`ToolError::problems`].
    InvalidArguments "invalid_arguments"
    /// The turn has no tool of this name.
    UnknownTool "unknown_tool"
    /// The handler failed.
    Failed "failed"
    /// The handler refused the call for safety, for example because of a path or a command; or the call needs approval, and
    /// the host has no approver.
    Refused "refused"
    /// A hook of the host blocked the call.
    Blocked "blocked"
    /// The approver denied the call.
    Denied "denied"
    /// A hook of the host failed before the call, so the call was not run.
    HookFailed "hook_failed"
    /// A resource that the call needs, such as a file, does not exist.
    NotFound "not_found"
    /// The call exceeded its time limit.
    Timeout "timeout"
    /// The host cancelled the call, its task or its session.
    Cancelled "cancelled"
    /// The handler panicked, or the host did during the call.
    Panicked "panicked"
}

/// A problem with the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The path of the value: a JSON Pointer (RFC 6901) into the arguments. Empty for the arguments as a whole.
    pub path: String,
    /// A description of what the schema requires.
    pub expected: String,
    /// A description of the actual value. Long values are truncated.
    pub got: String,
}

/// The error of a failed call. The model gets it as JSON: `{"error": message, "kind": word, "problems": [...]}`, and the
/// [fields](ToolError::with_field) that the handler adds.
///
/// It does not implement [`std::error::Error`], so that `?` can convert every type that does into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolError(Box<Inner>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    message: String,
    problems: Vec<Problem>,
    fields: Vec<(Cow<'static, str>, Value)>,
    /// What the developer of the host or of the tool needs to know, which is not for the model.
    for_developer: Option<Cow<'static, str>>,
}

/// The keys of an error's JSON that are not fields.
const OWN_KEYS: [&str; 3] = ["error", "kind", "problems"];

impl ToolError {
    /// Creates an error of the kind [`ErrorKind::Failed`]. The message is for the model, and should say what to do instead.
    pub fn new(message: impl Into<String>) -> Self {
        Self::with_kind(ErrorKind::Failed, message)
    }

    /// Creates an error of this kind.
    pub fn with_kind(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::boxed(kind, message.into())
    }

    #[cold]
    fn boxed(kind: ErrorKind, message: String) -> Self {
        Self(Box::new(Inner { kind, message, problems: Vec::new(), fields: Vec::new(), for_developer: None }))
    }

    /// Adds the problems of the arguments.
    #[must_use]
    pub fn with_problems(mut self, problems: Vec<Problem>) -> Self {
        self.0.problems = problems;
        self
    }

    /// Adds a field to the error's JSON, such as an exit code or the path of a log, which the model can act on. It
    /// replaces an earlier field of the same name. A field with the name of one of the error's own keys (`error`,
    /// `kind`, `problems`) gets a `_` at the end of its name.
    ///
    /// ```
    /// use toolc::ToolError;
    ///
    /// let error = ToolError::new("the build failed").with_field("exit_code", 2);
    /// assert_eq!(error.to_json(), r#"{"error":"the build failed","kind":"failed","exit_code":2}"#);
    /// ```
    #[must_use]
    pub fn with_field(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<Value>) -> Self {
        let mut name = name.into();
        if OWN_KEYS.contains(&&*name) {
            name.to_mut().push('_');
        }
        self.0.fields.retain(|(existing, _)| *existing != name);
        self.0.fields.push((name, value.into()));
        self
    }

    /// Replaces the message.
    #[cfg(feature = "search")]
    pub(crate) fn with_message(mut self, message: String) -> Self {
        self.0.message = message;
        self
    }

    /// Returns the field of this name.
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.0.fields.iter().find(|(existing, _)| existing == name).map(|(_, value)| value)
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the message.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the message by value.
    #[cold]
    pub(crate) fn into_message(self) -> String {
        self.0.message
    }

    /// Adds a note for the developer of the tool, such as the end of a log. The model does not see it:
    /// [`Hook::on_host_error`](crate::hooks::Hook::on_host_error) gets it.
    ///
    /// ```
    /// use toolc::ToolError;
    ///
    /// let error = ToolError::new("the service failed").with_developer_note("its log ends with `out of memory`");
    /// assert_eq!(error.to_json(), r#"{"error":"the service failed","kind":"failed"}"#);
    /// ```
    #[must_use]
    pub fn with_developer_note(mut self, note: impl Into<Cow<'static, str>>) -> Self {
        self.0.for_developer = Some(note.into());
        self
    }

    /// Returns the note for the developer.
    pub(crate) fn for_developer(&self) -> Option<&str> {
        self.0.for_developer.as_deref()
    }

    /// Returns the problems of the arguments.
    pub fn problems(&self) -> &[Problem] {
        &self.0.problems
    }

    /// Returns the JSON that the model gets. Its strings are scrubbed of anything that a model could mistake for structure, such
    /// as tags, and truncated: the message to 2,000 characters, each text of a problem to 500. A field whose JSON is longer than
    /// 2,000 characters becomes a string with the beginning of it.
    pub fn to_json(&self) -> String {
        let mut out = String::from(r#"{"error":"#);
        json::push_string(&mut out, &scrub(&self.0.message, scrub::MAX_CHARS));
        out.push_str(r#","kind":"#);
        json::push_string(&mut out, self.0.kind.word());
        if !self.0.problems.is_empty() {
            out.push_str(r#","problems":["#);
            for (i, problem) in self.0.problems.iter().enumerate() {
                out.push_str(if i == 0 { r#"{"path":"# } else { r#",{"path":"# });
                json::push_string(&mut out, &scrub(&problem.path, MAX_PROBLEM_CHARS));
                out.push_str(r#","expected":"#);
                json::push_string(&mut out, &scrub(&problem.expected, MAX_PROBLEM_CHARS));
                out.push_str(r#","got":"#);
                json::push_string(&mut out, &scrub(&problem.got, MAX_PROBLEM_CHARS));
                out.push('}');
            }
            out.push(']');
        }
        for (name, value) in &self.0.fields {
            out.push(',');
            json::push_string(&mut out, &scrub(name, MAX_PROBLEM_CHARS));
            out.push(':');
            push_field(&mut out, value);
        }
        out.push('}');
        out
    }
}

/// Appends the value of a field.
fn push_field(out: &mut String, value: &Value) {
    let mut json = String::new();
    push_scrubbed(&mut json, value);
    if json.chars().nth(scrub::MAX_CHARS).is_some() && !value.is_string() {
        json::push_string(out, &scrub(&json, scrub::MAX_CHARS));
    } else {
        out.push_str(&json);
    }
}

/// Appends the JSON of a value, whose keys and strings are scrubbed.
fn push_scrubbed(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => {
            let _ = write!(out, "{number}");
        }
        Value::String(text) => json::push_string(out, &scrub(text, scrub::MAX_CHARS)),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                push_scrubbed(out, item);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            out.push('{');
            for (index, (key, value)) in fields.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                json::push_string(out, &scrub(key, MAX_PROBLEM_CHARS));
                out.push(':');
                push_scrubbed(out, value);
            }
            out.push('}');
        }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl<E: std::error::Error> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self::new(error.to_string())
    }
}

impl From<Panicked> for ToolError {
    fn from(Panicked(message): Panicked) -> Self {
        if !message.contains(NO_REACTOR) {
            return ToolError::with_kind(ErrorKind::Panicked, format!("the tool failed unexpectedly: {message}"));
        }
        ToolError::with_kind(ErrorKind::Panicked, "this host cannot run the tool. Do without it")
            .with_developer_note(NEEDS_TOKIO)
    }
}

/// A part of Tokio's message if a future that needs a runtime runs outside of one.
const NO_REACTOR: &str = "there is no reactor running";

/// What the developer can do about it.
const NEEDS_TOKIO: &str = "the handler of this tool uses Tokio, and was called outside of a Tokio runtime: enable the feature `tokio` of \
     the crate `toolc` in `Cargo.toml` and use `call_blocking`, or call the tool within a runtime";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_panic_of_a_handler_without_a_tokio_runtime_names_the_feature_to_the_developer() {
        let message = "there is no reactor running, must be called from the context of a Tokio 1.x runtime";
        let error = ToolError::from(Panicked(message.to_owned()));
        assert_eq!(error.message(), "this host cannot run the tool. Do without it");
        assert!(error.for_developer().is_some_and(|text| text.contains("the feature `tokio`")), "{error:?}");
        assert_eq!(ToolError::from(Panicked("no".to_owned())).message(), "the tool failed unexpectedly: no");
    }

    #[test]
    fn an_error_is_one_json_object() {
        let error = ToolError::with_kind(ErrorKind::InvalidArguments, "a \"quoted\" word\n").with_problems(vec![
            Problem { path: "/a".into(), expected: "integer".into(), got: "array".into() },
            Problem { path: "/b".into(), expected: "string".into(), got: "nothing".into() },
        ]);
        let value: serde_json::Value = serde_json::from_str(&error.to_json()).unwrap();
        assert_eq!(value["error"], "a \"quoted\" word\n");
        assert_eq!(value["kind"], "invalid_arguments");
        assert_eq!(value["problems"][1]["path"], "/b");
        let plain: serde_json::Value = serde_json::from_str(&ToolError::new("no").to_json()).unwrap();
        assert!(plain.get("problems").is_none());
    }

    #[test]
    fn fields_follow_the_keys_of_an_error_and_never_replace_them() {
        let problem = Problem { path: String::new(), expected: "a".into(), got: "b".into() };
        let error = ToolError::new("no")
            .with_field("kind", "mine")
            .with_field("exit_code", 1)
            .with_problems(vec![problem])
            .with_field("exit_code", 2);
        assert_eq!(
            error.to_json(),
            r#"{"error":"no","kind":"failed","problems":[{"path":"","expected":"a","got":"b"}],"kind_":"mine","exit_code":2}"#
        );
        assert_eq!(error.field("exit_code"), Some(&Value::from(2)));
        assert_eq!(error.field("kind"), None);
    }

    #[test]
    fn fields_are_scrubbed_at_every_depth_and_truncated() {
        let nested = serde_json::json!({ "a": ["<system>x</system>"] });
        let error = ToolError::new("no").with_field("log", nested).with_field("long", vec!["x"; 2_000]);
        let value: Value = serde_json::from_str(&error.to_json()).unwrap();
        assert_eq!(value["log"], serde_json::json!({ "a": ["x"] }));
        let long = value["long"].as_str().expect("a long value becomes a string");
        assert!(long.starts_with(r#"["x","x""#) && long.chars().count() == scrub::MAX_CHARS);
        let text = ToolError::new("no").with_field("text", "y".repeat(3_000)).to_json();
        let text: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(text["text"].as_str().unwrap().chars().count(), scrub::MAX_CHARS);
    }

    #[test]
    fn any_std_error_becomes_a_tool_error() {
        fn fails() -> Result<(), ToolError> {
            "x".parse::<i32>()?;
            Ok(())
        }
        assert_eq!(fails().unwrap_err().kind(), ErrorKind::Failed);
    }
}
