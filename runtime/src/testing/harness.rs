//! Tests of the whole pipeline, from the JSON of the arguments to the JSON of the response.

use std::fmt::Display;

use super::{Heard, TestResponse};
use crate::call::ToolCall;
use crate::data::dialect::Dialect;
use crate::data::env::Env;
use crate::provider::ToolProvider;
use crate::registry::Registry;
use crate::session::turn::Turn;
use crate::session::{Session, SessionBuilder};
use crate::text::json;
use serde_json::value::RawValue;

/// The tools of one tool provider in a session of their own. Calls go through the whole pipeline, like those of a
/// model.
///
/// ```
/// use toolc::testing::{Harness, assert_reply, json};
/// # use toolc::schema::Table;
/// # use toolc::args::Slots;
/// # use toolc::catalog::Definition;
/// # use toolc::{Call, Dialect, HandlerReply, Tool, ToolOutput, ToolProvider, Toolset};
/// # struct Shout([Tool; 1], [Option<Definition>; 1]);
/// # impl Shout {
/// #     fn new() -> Self {
/// #         let arguments = Table::from_schema(&json!({
/// #             "type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]
/// #         }));
/// #         let arguments = arguments.unwrap().into();
/// #         let tool = Tool { name: "shout".into(), toolset: "voice".into(), arguments, ..Tool::default() };
/// #         Shout([tool], [Some(std::borrow::Cow::Borrowed(r#"{"name":"shout"}"#).into())])
/// #     }
/// # }
/// # impl ToolProvider for Shout {
/// #     fn tools(&self) -> &[Tool] { &self.0 }
/// #     fn definitions(&self, _: Dialect) -> &[Option<Definition>] { &self.1 }
/// #     fn toolsets(&self) -> &[Toolset] { &[] }
/// #     fn call<'a>(&'a self, _: usize, mut args: Slots<'_, '_>, _: &'a Call<'a>) -> HandlerReply<'a> {
/// #         let args: toolc::Value = args.value(0);
/// #         HandlerReply::Ready(Ok(ToolOutput::text(args["text"].as_str().unwrap().to_uppercase())))
/// #     }
/// # }
///
/// // For example, a generated catalog's `provider(Handlers { .. })`.
/// let harness = Harness::new(Box::new(Shout::new()));
/// assert_reply!(harness.call("shout", json!({ "text": "hello" })), "HELLO");
/// assert_reply!(harness.call("shout", r#"{"text": "#), Err(MalformedArguments, "cut off"));
/// assert_reply!(harness.call("whisper", "{}"), Err(UnknownTool));
/// ```
#[derive(Debug)]
pub struct Harness {
    session: Session,
    dialect: Dialect,
    heard: Heard,
}

impl Harness {
    /// Returns a harness with all tools of `provider`, in an environment without variables and programs. Add what a
    /// tool requires with [`with`](Self::with), so that a test does not depend on the machine.
    #[track_caller]
    pub fn new(provider: Box<dyn ToolProvider>) -> Self {
        Self::with(provider, |session| session)
    }

    /// Returns a harness whose session is configured by `set`: environment, facts, toolsets, hooks, an approver.
    ///
    /// ```
    /// # use toolc::testing::Harness;
    /// use toolc::{Env, ToolProvider};
    ///
    /// fn harness(provider: Box<dyn ToolProvider>) -> Harness {
    ///     let env = Env::empty().with_var("BROWSER_KEY", "for a test").with_program("chromium");
    ///     Harness::with(provider, |session| session.enable(["browser"]).env(env))
    /// }
    /// ```
    ///
    /// # Panics
    /// Panics if the provider cannot be registered, or a toolset or fact is unknown.
    #[track_caller]
    pub fn with(provider: Box<dyn ToolProvider>, set: impl FnOnce(SessionBuilder) -> SessionBuilder) -> Self {
        let has_any = |dialect: &Dialect| provider.definitions(*dialect).iter().any(Option::is_some);
        let dialect = Dialect::ALL.iter().copied().find(has_any).unwrap_or(Dialect::OpenAi);
        let (registry, heard) = (Registry::new(), Heard::default());
        if let Err(collision) = registry.add(provider) {
            panic!("the provider cannot be tested: {collision}");
        }
        let hearing = heard.clone();
        let session = registry.session().env(Env::empty()).on_progress(move |event| hearing.note(event));
        match set(session).build() {
            Ok(session) => Self { session, dialect, heard },
            Err(error) => panic!("the session of the test cannot begin: {error}"),
        }
    }

    /// Calls `tool` with `arguments`: a JSON text, or a [`json!`](super::json) value. All calls belong to the session's
    /// task.
    pub fn call(&self, tool: &str, arguments: impl Display) -> TestResponse {
        self.send(&ToolCall::new(tool, &arguments.to_string()).with_id("call_1"))
    }

    /// Makes a call with its own task, id or cancel handle.
    pub fn send(&self, request: &ToolCall<'_>) -> TestResponse {
        TestResponse::to(request, self.turn().call_blocking(request))
    }

    /// Returns the current turn, in the first dialect in which the provider defines its tools.
    pub fn turn(&self) -> Turn {
        self.session.turn_blocking(self.dialect)
    }

    /// Returns the session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the progress that calls have reported, in order, like [`Caller::progress`](super::Caller::progress).
    /// Empty if the test has set its own `on_progress`.
    pub fn progress(&self) -> Vec<String> {
        self.heard.all()
    }

    /// Returns the definition of `tool` as a model sees it now, with one line for each value, for snapshots. Keys are
    /// in the order of the definition, and equal definitions have equal texts.
    ///
    /// # Panics
    /// Panics if the tool is not shown; the message has the reason.
    #[track_caller]
    pub fn definition(&self, tool: &str, dialect: Dialect) -> String {
        let turn = self.session.turn_blocking(dialect);
        let Some(position) = turn.tools().position(|shown| shown == tool) else {
            panic!("{}", turn.unknown_tool(tool));
        };
        match serde_json::from_str::<Vec<&RawValue>>(turn.definitions()) {
            Ok(all) => json::indented(all[position].get()),
            Err(error) => panic!("the definitions are not a JSON array: {error}"),
        }
    }
}
