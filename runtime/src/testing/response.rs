//! The response to a call in a test, and assertions about it.

use crate::result::output::ToolResult;
use serde_json::Value;

use super::difference::differences;
use crate::call::ToolCall;
use crate::call::response::CallResponse;
use crate::data::to_json::ToJson;
use crate::result::error::{ErrorKind, ToolError};
use crate::result::output::ToolOutput;
use crate::text::json;

/// The response to a call in a test: from a [`Harness`](super::Harness), or converted from the return value of a handler.
#[derive(Debug, Clone)]
pub struct TestResponse {
    /// The name of the tool and the arguments, or `None` if the handler was called directly.
    request: Option<(String, String)>,
    response: CallResponse,
}

impl TestResponse {
    pub(super) fn new(request: &ToolCall<'_>, response: CallResponse) -> Self {
        Self { request: Some((request.name().to_owned(), request.arguments().to_owned())), response }
    }

    /// Returns the response that the model would get.
    pub fn response(&self) -> &CallResponse {
        &self.response
    }

    /// Returns the result as a JSON value.
    ///
    /// # Panics
    /// Panics if the call failed.
    #[track_caller]
    pub fn value(&self) -> Value {
        if self.response.is_error() {
            self.fail("the call failed");
        }
        self.json()
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.response.json)
            .unwrap_or_else(|error| panic!("the response is not JSON, {error}: {}", self.response.json))
    }

    #[track_caller]
    fn fail(&self, what: &str) -> ! {
        let request = self.request.as_ref();
        let request = request.map(|(tool, arguments)| format!("\n     tool: {tool}\narguments: {arguments}"));
        panic!("{what}{}\n response: {}", request.unwrap_or_default(), json::indented(&self.response.json, 0))
    }
}

impl From<CallResponse> for TestResponse {
    fn from(response: CallResponse) -> Self {
        Self { request: None, response }
    }
}

impl From<ToolResult> for TestResponse {
    fn from(result: ToolResult) -> Self {
        CallResponse::from(result).into()
    }
}

/// Converts a typed result.
impl<T: ToJson> From<Result<T, ToolError>> for TestResponse {
    fn from(result: Result<T, ToolError>) -> Self {
        result.map(|returns| ToolOutput::typed(&returns)).into()
    }
}

impl From<&TestResponse> for TestResponse {
    fn from(response: &TestResponse) -> Self {
        response.clone()
    }
}

/// Asserts the result of a call. The expectation is a JSON value in the syntax of `json!`, or `Err(kind)` or
/// `Err(kind, "a part of the message")` with a variant of [`ErrorKind`](crate::ErrorKind).
///
/// The first argument is the response of a [`Harness`](crate::testing::Harness), a
/// [`CallResponse`](crate::CallResponse), or the return value of a handler. If the result differs, the macro panics with all
/// differences, the tool and the arguments.
///
/// ```
/// use toolc::testing::assert_reply;
/// use toolc::{ErrorKind, ToolError, ToolOutput};
///
/// let lines = vec!["one", "two"];
/// assert_reply!(ToolOutput::json(&lines), ["one", "two"]);
/// assert_reply!(Ok(ToolOutput::text("done")), "done");
/// let not_found = || Err::<ToolOutput, _>(ToolError::with_kind(ErrorKind::NotFound, "`a.txt` does not exist: did you mean `b.txt`?"));
/// assert_reply!(not_found(), Err(NotFound, "did you mean `b.txt`?"));
/// // A typed result, such as a generated `Returns`.
/// assert_reply!(Ok(lines), ["one", "two"]);
/// ```
///
/// ```should_panic
/// # use toolc::testing::assert_reply;
/// # use toolc::ToolOutput;
/// // /1: expected "three", got "two"
/// assert_reply!(ToolOutput::json(&["one", "two"]), ["one", "three"]);
/// ```
#[macro_export]
macro_rules! assert_reply {
    ($reply:expr, Err($kind:ident $(,)?) $(,)?) => {
        $crate::testing::assert_error(&$reply.into(), $crate::ErrorKind::$kind, "")
    };
    ($reply:expr, Err($kind:ident, $text:expr $(,)?) $(,)?) => {
        $crate::testing::assert_error(&$reply.into(), $crate::ErrorKind::$kind, $text)
    };
    ($reply:expr, null $(,)?) => {
        $crate::testing::assert_value(&$reply.into(), &$crate::Value::Null)
    };
    ($reply:expr, { $($json:tt)* } $(,)?) => {
        $crate::testing::assert_value(&$reply.into(), &$crate::testing::json!({ $($json)* }))
    };
    ($reply:expr, [ $($json:tt)* ] $(,)?) => {
        $crate::testing::assert_value(&$reply.into(), &$crate::testing::json!([ $($json)* ]))
    };
    ($reply:expr, $value:expr $(,)?) => {
        $crate::testing::assert_value(&$reply.into(), &$crate::testing::json!($value))
    };
}

/// Implements [`assert_reply!`] for a result.
#[doc(hidden)]
#[track_caller]
pub fn assert_value(response: &TestResponse, expected: &Value) {
    if response.response.is_error() {
        response.fail(&format!("the call failed, but a result was expected: {expected}"));
    }
    let differences = differences(expected, &response.json());
    if !differences.is_empty() {
        response.fail(&format!("the result differs from the expected one\n{}", differences.join("\n")));
    }
}

/// Implements [`assert_reply!`] for an error.
#[doc(hidden)]
#[track_caller]
pub fn assert_error(response: &TestResponse, kind: ErrorKind, text: &str) {
    let (kind, json) = (kind.word(), response.json());
    if !response.response.is_error() {
        response.fail(&format!("the call succeeded, but an error of kind `{kind}` was expected"));
    }
    if json["kind"] != kind {
        response.fail(&format!("the error has the kind {}, but `{kind}` was expected", json["kind"]));
    }
    if !json["error"].as_str().is_some_and(|error| error.contains(text)) {
        response.fail(&format!("the error does not contain `{text}`"));
    }
}
