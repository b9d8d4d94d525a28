//! What a call comes to: an [`ToolOutput`], or a [`ToolError`] that the model can act on. Both end as one JSON text; an output
//! may have images beside it.

use std::fmt;

use serde_core::Serialize;

use crate::data::to_json::ToJson;
use crate::panics::{self, Panicked};
use crate::result::image::Image;
use crate::result::scrub;
use crate::result::scrub::scrub;
use crate::text::json;

/// Bytes for which a result has room from the start: most take no more.
const FEW: usize = 128;

/// A handler's result: a JSON text, perhaps with images beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOutput {
    pub(crate) json: String,
    pub(crate) images: Vec<Image>,
}

impl ToolOutput {
    /// Images that a result has at most, a limit of toolc's own. In a request with more, Anthropic takes none that is
    /// larger than 2,000 pixels on a side (as of 2026-11).
    pub const MOST_IMAGES: usize = 20;

    /// A piece of text. The model gets it as a JSON string.
    pub fn text(text: impl AsRef<str>) -> Self {
        let mut json = String::with_capacity(text.as_ref().len() + 2);
        json::push_string(&mut json, text.as_ref());
        Self::of_json(json)
    }

    /// Anything that serialises.
    ///
    /// # Errors
    /// When `value` cannot be written as JSON: a map whose keys are not strings, or its own `Serialize` fails.
    pub fn json(value: &impl Serialize) -> Result<Self, ToolError> {
        match serde_json::to_string(value) {
            Ok(json) => Ok(Self::of_json(json)),
            Err(error) => Err(ToolError::new(format!("failed to write the result as JSON: {error}"))),
        }
    }

    /// A typed result, such as a generated `Returns`.
    pub fn of(value: &(impl ToJson + ?Sized)) -> Self {
        let mut json = String::with_capacity(FEW);
        value.to_json(&mut json);
        Self::of_json(json)
    }

    const fn of_json(json: String) -> Self {
        Self { json, images: Vec::new() }
    }

    /// The same, with this image after those that are there.
    ///
    /// # Errors
    /// When there are [20](Self::MOST_IMAGES) already.
    pub fn with_image(mut self, image: Image) -> Result<Self, ToolError> {
        if self.images.len() == Self::MOST_IMAGES {
            let most = Self::MOST_IMAGES;
            return Err(ToolError::new(format!(
                "a result has {most} images at most: return fewer, or those of a part"
            )));
        }
        self.images.push(image);
        Ok(self)
    }

    /// The images, in the order in which the model gets them.
    pub fn images(&self) -> &[Image] {
        &self.images
    }

    /// The JSON text.
    pub fn as_json(&self) -> &str {
        &self.json
    }

    /// The JSON text, owned. The images are lost.
    pub fn into_json(self) -> String {
        self.json
    }
}

/// Characters of each word about a problem. Keys that are not the tool's are as long as the model writes them.
const LONGEST_WORDS: usize = 500;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $word:literal)*) => {
        /// Why a call failed, in one word that a program can match on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $($(#[$doc])* $kind,)*
        }

        impl ErrorKind {
            /// All of them.
            pub const ALL: &[ErrorKind] = &[$(ErrorKind::$kind),*];

            /// The word in the error's JSON.
            pub const fn word(self) -> &'static str {
                match self {
                    $(ErrorKind::$kind => $word,)*
                }
            }
        }
    };
}

kinds! {
    /// The arguments are not one JSON object within the limits.
    MalformedArguments "malformed_arguments"
    /// The arguments do not satisfy the tool's schema: see the problems.
    InvalidArguments "invalid_arguments"
    /// No such tool in this turn.
    UnknownTool "unknown_tool"
    /// The handler said so.
    Failed "failed"
    /// The handler refused for safety: a path, a device, a command. Or the call needs approval, and nobody can be asked.
    Refused "refused"
    /// The host does not allow this call: a hook said so.
    Blocked "blocked"
    /// Somebody was asked to approve the call, and did not.
    Denied "denied"
    /// A hook of the host failed before the call, which was not run.
    HookFailed "hook_failed"
    /// What was asked for is not there.
    NotFound "not_found"
    /// It took longer than it may.
    Timeout "timeout"
    /// The host cancelled it.
    Cancelled "cancelled"
    /// The handler panicked.
    Panicked "panicked"
}

/// One thing that is wrong with the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where: a JSON Pointer (RFC 6901) into the arguments. Empty: the arguments as a whole.
    pub path: String,
    /// What the schema asks for, in words.
    pub expected: String,
    /// What is there, in words; long values are cut.
    pub got: String,
}

/// A failed call, as the model gets to see it: `{"error": text, "kind": word, "problems": [...]}`.
///
/// It does not implement [`std::error::Error`], so that every type which does can become one with `?`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolError(Box<Inner>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    message: String,
    problems: Vec<Problem>,
}

impl ToolError {
    /// A failure of kind [`ErrorKind::Failed`]. The message should say what to do instead.
    pub fn new(message: impl Into<String>) -> Self {
        Self::of(ErrorKind::Failed, message)
    }

    /// A failure of this kind.
    pub fn of(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::made(kind, message.into())
    }

    #[cold]
    fn made(kind: ErrorKind, message: String) -> Self {
        Self(Box::new(Inner { kind, message, problems: Vec::new() }))
    }

    /// Adds what is wrong with the arguments, place by place.
    #[must_use]
    pub fn with_problems(mut self, problems: Vec<Problem>) -> Self {
        self.0.problems = problems;
        self
    }

    /// Its kind.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Its text.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Its text alone.
    #[cold]
    pub(crate) fn into_message(self) -> String {
        self.0.message
    }

    /// What is wrong with the arguments, place by place.
    pub fn problems(&self) -> &[Problem] {
        &self.0.problems
    }

    /// The JSON that the model gets. Its texts are scrubbed: a model finds nothing in them that it could take for
    /// structure, and 2,000 characters at most.
    pub fn to_json(&self) -> String {
        let mut out = String::from(r#"{"error":"#);
        json::push_string(&mut out, &scrub(&self.0.message, scrub::LONGEST));
        out.push_str(r#","kind":"#);
        json::push_string(&mut out, self.0.kind.word());
        if !self.0.problems.is_empty() {
            out.push_str(r#","problems":["#);
            for (i, problem) in self.0.problems.iter().enumerate() {
                out.push_str(if i == 0 { r#"{"path":"# } else { r#",{"path":"# });
                json::push_string(&mut out, &scrub(&problem.path, LONGEST_WORDS));
                out.push_str(r#","expected":"#);
                json::push_string(&mut out, &scrub(&problem.expected, LONGEST_WORDS));
                out.push_str(r#","got":"#);
                json::push_string(&mut out, &scrub(&problem.got, LONGEST_WORDS));
                out.push('}');
            }
            out.push(']');
        }
        out.push('}');
        out
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

/// What a handler comes to.
pub type ToolResult = Result<ToolOutput, ToolError>;

/// What a part of the host comes to; an error or a panic is its message.
pub(crate) fn attempt<T>(work: impl FnOnce() -> Result<T, ToolError>) -> Result<T, String> {
    panics::catch(work).map_err(|panicked| panicked.0)?.map_err(ToolError::into_message)
}

impl From<Panicked> for ToolError {
    fn from(Panicked(message): Panicked) -> Self {
        ToolError::of(ErrorKind::Panicked, format!("the tool failed unexpectedly: {message}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_json_object() {
        let error = ToolError::of(ErrorKind::InvalidArguments, "a \"quoted\" word\n").with_problems(vec![
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
    fn any_std_error_becomes_one() {
        fn fails() -> Result<(), ToolError> {
            "x".parse::<i32>()?;
            Ok(())
        }
        assert_eq!(fails().unwrap_err().kind(), ErrorKind::Failed);
    }

    #[test]
    fn a_result_has_images_in_their_order_and_no_more_than_a_request_takes() {
        let image = |last: u8| Image::new("image/gif", [b"GIF89a".as_slice(), &[last]].concat()).unwrap();
        let mut output = ToolOutput::text("a film");
        for last in 0..20 {
            output = output.with_image(image(last)).unwrap();
        }
        let all = (0..20).map(image).collect::<Vec<_>>();
        assert_eq!((output.images(), output.as_json()), (&*all, "\"a film\""));
        let error = output.with_image(image(20)).unwrap_err();
        assert_eq!(error.message(), "a result has 20 images at most: return fewer, or those of a part");
    }

    #[test]
    fn what_cannot_be_json_is_an_error() {
        let map = std::collections::BTreeMap::from([(vec![1], 2)]);
        assert!(ToolOutput::json(&map).is_err());
        assert_eq!(ToolOutput::text("a\u{1}\"b").as_json(), "\"a\\u0001\\\"b\"");
    }
}
